complete -c touchmoved -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus. [default: as configured, else session if there is one, else system]' -r
complete -c touchmoved -l config -d 'The configuration file [default: ~/.config/touchmove/touchmoved.toml if there is one, else /etc/touchmove/touchmoved.toml]' -r -F
complete -c touchmoved -l state-dir -d 'The directory of the journal and the recordings [default: as configured]' -r -F
complete -c touchmoved -l port -d 'Serve only the board on this port' -r -F
complete -c touchmoved -l board -d 'The model of the board on --port' -r
complete -c touchmoved -l check-config -d 'Check the configuration, print the problems, and exit'
complete -c touchmoved -s h -l help -d 'Print help'
complete -c touchmoved -s V -l version -d 'Print version'
