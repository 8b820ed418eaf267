complete --keep-order --exclusive --command touchmovectl --arguments "(COMPLETE=fish touchmovectl -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
