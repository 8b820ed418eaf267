# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_touchmovectl_global_optspecs
    string join \n h/help V/version
end

function __fish_touchmovectl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_touchmovectl_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_touchmovectl_using_subcommand
    set -l cmd (__fish_touchmovectl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -s V -l version -d 'Print version'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "status" -d 'Show all playing tables, one row each, with what needs attention'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "list" -d 'List boards and games'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "monitor" -d 'Print the events of all boards, until interrupted'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "board" -d 'Show the position on a board'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "game" -d 'Show moves, clocks and state of a game'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "pgn" -d 'Print a game as PGN'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "arbiter" -d 'Set the result or the position, take back moves, restore positions, and rule on alerts'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "round" -d 'Load and correct the pairings of a round: the players and tables of all games'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "token" -d 'Create, list and revoke the tokens for logging in to the web page'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "replay" -d 'Replay a recording, as fast as possible'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "simulate" -d 'Play a game on a virtual board'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "score" -d 'Simulate many games, decode them, and compare the result with the truth'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "doctor" -d 'Find out why no board is seen'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "demo" -d 'Watch a master\'s game arrive over D-Bus, without a board'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "laws" -d 'Show the Laws of Chess as touchmove applies them, by edition'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "lichess" -d 'Check whether Lichess accepts the games'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "backup" -d 'Copy the journal into FILE, whether touchmoved runs or not'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "journal" -d 'Check the journal'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand status" -l width -d 'Width of the rows; if omitted, that of the terminal, or 80' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand status" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand status" -l attention -d 'Show only the rows that need attention'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand status" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand list" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand list" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand list" -l json -d 'One JSON object, for programs'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand list" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l board -d 'Only events of this board' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l touches -d 'Also touched squares and changed properties'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l json -d 'One JSON object per line, for programs'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -l json -d 'One JSON object, for programs'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -l identify -d 'Let the board identify itself with its lights and a beep; refused while a game is played on it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand game" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand game" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand game" -l json -d 'One JSON object, for programs'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand game" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l game -d 'Number of the game' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l state-dir -d 'Read the journal in this directory, and do not query touchmoved [default for games that touchmoved does not have in memory: as `touchmovectl backup`]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l irregular -d 'How to print a game with an illegal move on record: stop, fen or end' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l all -d 'All games, oldest first'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "result" -d 'Set the result of a game, or withdraw it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "position" -d 'Begin a new game from this position'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "take-back" -d 'Take back the last moves'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "promotion" -d 'Set the piece of a promotion, if the board cannot detect it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "adjust" -d 'Announce that a player adjusts pieces: a piece that they touch next and put back is no move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "acknowledge" -d 'Acknowledge an alert, which closes it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "restore" -d 'Restore the position before a move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "let-stand" -d 'Let an irregular move stand: the game continues from it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "replace" -d 'Replace a move by another one; the moves after it remain'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "insert" -d 'Insert a missing move; the moves after it remain'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "undo" -d 'Undo the last command that changed the game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "count" -d 'Count an irregularity of a player'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "strike" -d 'Remove the last counted irregularity of a player at a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "note-clocks" -d 'Record the times that were set on the clock, in the journal only; the clock is not changed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "laws" -d 'Set the Laws of this game, if they differ from those of the event'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "tags" -d 'Set the players and other PGN tags of this game; `touchmovectl round` sets them for all boards'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "pause" -d 'Pause the game: the lever and the pieces may be handled until the clock is started or the game is resumed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "resume" -d 'Resume a paused game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "claim" -d 'Check a player\'s claim of a draw; nothing is changed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from result" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from result" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from result" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from result" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -l turn -d 'The player to move in the shown position [default: the player whose clock runs, else White; the output names the player]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -l board -d 'Name of the board, see `touchmovectl list` [default: the only board]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from take-back" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from take-back" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from take-back" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from take-back" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -l ply -d 'The ply of the promotion: White\'s first move is 1, Black\'s 2 [default: the last promotion]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from adjust" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from adjust" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from adjust" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from adjust" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from acknowledge" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from acknowledge" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from acknowledge" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from acknowledge" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from restore" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from restore" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from restore" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from let-stand" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from let-stand" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from let-stand" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from let-stand" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from replace" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from replace" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from replace" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from replace" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from insert" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from insert" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from insert" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from insert" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from undo" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from undo" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from undo" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from count" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from count" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from count" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from count" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from strike" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from strike" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from strike" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from strike" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from note-clocks" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from note-clocks" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from note-clocks" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from note-clocks" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from laws" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from laws" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from laws" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from laws" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from tags" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from tags" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from tags" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from tags" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from pause" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from pause" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from pause" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from pause" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from resume" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from resume" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from resume" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from resume" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -l intended -d 'The move that the player has written down and not played, in UCI [default: the claim is about the position on the board]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -l game -d 'Number of the game, or name of its board [default: the game in progress, else the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "result" -d 'Set the result of a game, or withdraw it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "position" -d 'Begin a new game from this position'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "take-back" -d 'Take back the last moves'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "promotion" -d 'Set the piece of a promotion, if the board cannot detect it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "adjust" -d 'Announce that a player adjusts pieces: a piece that they touch next and put back is no move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "acknowledge" -d 'Acknowledge an alert, which closes it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "restore" -d 'Restore the position before a move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "let-stand" -d 'Let an irregular move stand: the game continues from it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "replace" -d 'Replace a move by another one; the moves after it remain'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "insert" -d 'Insert a missing move; the moves after it remain'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "undo" -d 'Undo the last command that changed the game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "count" -d 'Count an irregularity of a player'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "strike" -d 'Remove the last counted irregularity of a player at a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "note-clocks" -d 'Record the times that were set on the clock, in the journal only; the clock is not changed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "laws" -d 'Set the Laws of this game, if they differ from those of the event'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "tags" -d 'Set the players and other PGN tags of this game; `touchmovectl round` sets them for all boards'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "pause" -d 'Pause the game: the lever and the pieces may be handled until the clock is started or the game is resumed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "resume" -d 'Resume a paused game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "claim" -d 'Check a player\'s claim of a draw; nothing is changed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "load" -d 'Read a file of pairings, check it, and use it from now on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "show" -d 'Show the round, with the board at each table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "swap" -d 'Swap the players of two tables'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "board" -d 'Assign a board to a table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "exchange" -d 'Continue a game on another board, because its board is broken'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "forfeit" -d 'Record that a game is forfeited'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l round -d 'Number of the round, if the file does not name it or has several' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l order -d 'How the pairs of a TRF16 file are assigned to tables: by points, then by start number' -r -f -a "rank\t''"
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l boards -d 'Assign the pairs by this file instead: each line has a table and the start number of one of its players' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l check -d 'Only print the pairings of the file, and change nothing'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from show" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from show" -l json -d 'As JSON'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from show" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from swap" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from swap" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from swap" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from board" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from board" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from board" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from exchange" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from exchange" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from exchange" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from forfeit" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved runs there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from forfeit" -l broadcast -d 'Query the broadcast stream: only games, for users who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from forfeit" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "load" -d 'Read a file of pairings, check it, and use it from now on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show the round, with the board at each table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "swap" -d 'Swap the players of two tables'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "board" -d 'Assign a board to a table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "exchange" -d 'Continue a game on another board, because its board is broken'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "forfeit" -d 'Record that a game is forfeited'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "create" -d 'Create a token, and show it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "list" -d 'List the tokens, with their owners and dates'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "revoke" -d 'Revoke a token: its owner is logged out at once'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from create" -l role -d 'Role of the owner' -r -f -a "arbiter\t''
operator\t''"
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from create" -l state-dir -d 'State directory of touchmoved [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from list" -l state-dir -d 'State directory of touchmoved [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from list" -l json -d 'As JSON'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from revoke" -l state-dir -d 'State directory of touchmoved [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from revoke" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "create" -d 'Create a token, and show it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the tokens, with their owners and dates'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "revoke" -d 'Revoke a token: its owner is logged out at once'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l laws -d 'Apply these Laws instead of those of the recording: an edition, and the kind of game, such as "fide-2018 blitz limited"' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l sensing -d 'Reduce the readings to what a simpler board would detect: identity, colour or occupancy' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l why -d 'Explain one ply instead, counted from 1: what the board showed, which moves were possible, and what decided between them' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l game -d 'The game of the ply, counted from 1 [default: the last game of the recording]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l json -d 'One JSON object per line, for programs; docs/events.md describes the fields'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l pgn -d 'Only the final record of each game, as PGN'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l all -d 'Also touched squares and clock readings'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l board -d 'Model of the board' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l hands -d 'Profile of the players\' hands: clean, club, blitz, worn (club hands on a worn board) or rough (everything at modest rates)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l rate -d 'Set this rate, and keep the other rates of the profile; may be repeated (simulate --rates lists the names)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l only -d 'Set this rate, and use the profile clean for all other rates; may be repeated' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l inject -d 'Commit an irregularity at this ply [default: a random ply of each game], or at the first later one that allows it; may be repeated' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l underpromote -d 'How many thousandths of the promotions to a queen become another piece, if the rest of the game stays legal' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l seed -d 'Seed of the random numbers' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l chain -d 'Number of boards on one line, each with the next game of the file; play begins after 10 s, when all boards have been found (with --board dgt-bus)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l game -d 'Number of the game in the file, from 1 [default: the first game with moves]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -s o -l output -d 'Write a recording' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l speed -d 'Speed, as a multiple of that of real hands' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l analysis -d 'After the game the players analyse it: the rate analysis=1000'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l arbiter-pause -d 'The arbiter stops the game once, and pieces are displaced and restored: the rate arbiter_pause=1000'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l clock -d 'Use a clock'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l turned -d 'The board is rotated by 180 degrees'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l pty -d 'Serve a serial port, which is silent while the cable is out: prints its path, begins to play when a program has opened and greeted it, ends after the game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l stay -d 'Continue to answer after the game, until interrupted'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l rates -d 'List all rates with their meaning and their value in each profile'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l board -d 'Model of the board' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l hands -d 'Profile of the players\' hands: clean, club, blitz, worn (club hands on a worn board) or rough (everything at modest rates)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l rate -d 'Set this rate, and keep the other rates of the profile; may be repeated (simulate --rates lists the names)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l only -d 'Set this rate, and use the profile clean for all other rates; may be repeated' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l inject -d 'Commit an irregularity at this ply [default: a random ply of each game], or at the first later one that allows it; may be repeated' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l underpromote -d 'How many thousandths of the promotions to a queen become another piece, if the rest of the game stays legal' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l sensing -d 'Reduce the readings to what a simpler board would detect' -r -f -a "identity\t'The piece on a square'
colour\t'The colour of the piece'
occupancy\t'Whether the square is occupied'"
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l against -d 'Also decode the same streams with simpler decoders, and show their figures beside those of touchmove' -r -f -a "first\t'A placement that a legal move leads to is published as that move, at once'
settled\t'A placement that is unchanged for 250 ms is a legal move, a replacement of the last move, or a takeback'
reachable\t'Every placement that is reachable from a reached position counts; the moves to the latest one are published at the end'"
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l seeds -d 'Number of seeds for each game: 1 to N' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l games -d 'Maximum number of games of each file' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l analysis -d 'After the game the players analyse it: the rate analysis=1000'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l arbiter-pause -d 'The arbiter stops the game once, and pieces are displaced and restored: the rate arbiter_pause=1000'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l clock -d 'Use a clock'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l turned -d 'The board is rotated by 180 degrees'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l bound -d 'Show what any decoder could know from these streams, whatever its model'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l hindsight -d 'Show what touchmove\'s own model finds with the complete stream'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l json -d 'The figures as JSON'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l port -d 'Check only this port' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l model -d 'The model of the board on --port' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l config -d 'The configuration file [default: the one that touchmoved reads]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l bus -d 'The bus: session, system, or an address [default: as configured]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l json -d 'One JSON object instead of text'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand demo" -l speed -d 'Speed, as a multiple of that of real hands' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand demo" -l hands -d 'Profile of the players\' hands: clean, club, blitz or worn' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand demo" -l board -d 'Model of the board' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand laws" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand lichess" -l config -d 'The configuration file [default: the one that touchmoved reads]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand lichess" -l token-file -d 'The file of the token, instead of the configured one' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand lichess" -l json -d 'One JSON object instead of text'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand lichess" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand backup" -l state-dir -d 'State directory of touchmoved [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand backup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and not __fish_seen_subcommand_from verify help" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and not __fish_seen_subcommand_from verify help" -f -a "verify" -d 'Check that every stored event is unchanged, whether touchmoved runs or not'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and not __fish_seen_subcommand_from verify help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and __fish_seen_subcommand_from verify" -l state-dir -d 'State directory of touchmoved [default: as `touchmovectl backup`]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Check that every stored event is unchanged, whether touchmoved runs or not'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "status" -d 'Show all playing tables, one row each, with what needs attention'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "list" -d 'List boards and games'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "monitor" -d 'Print the events of all boards, until interrupted'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "board" -d 'Show the position on a board'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "game" -d 'Show moves, clocks and state of a game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "pgn" -d 'Print a game as PGN'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "arbiter" -d 'Set the result or the position, take back moves, restore positions, and rule on alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "round" -d 'Load and correct the pairings of a round: the players and tables of all games'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "token" -d 'Create, list and revoke the tokens for logging in to the web page'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "replay" -d 'Replay a recording, as fast as possible'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "simulate" -d 'Play a game on a virtual board'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "score" -d 'Simulate many games, decode them, and compare the result with the truth'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "doctor" -d 'Find out why no board is seen'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "demo" -d 'Watch a master\'s game arrive over D-Bus, without a board'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "laws" -d 'Show the Laws of Chess as touchmove applies them, by edition'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "lichess" -d 'Check whether Lichess accepts the games'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "backup" -d 'Copy the journal into FILE, whether touchmoved runs or not'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "journal" -d 'Check the journal'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from status list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "result" -d 'Set the result of a game, or withdraw it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "position" -d 'Begin a new game from this position'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "take-back" -d 'Take back the last moves'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "promotion" -d 'Set the piece of a promotion, if the board cannot detect it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "adjust" -d 'Announce that a player adjusts pieces: a piece that they touch next and put back is no move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "acknowledge" -d 'Acknowledge an alert, which closes it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "restore" -d 'Restore the position before a move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "let-stand" -d 'Let an irregular move stand: the game continues from it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "replace" -d 'Replace a move by another one; the moves after it remain'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "insert" -d 'Insert a missing move; the moves after it remain'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "undo" -d 'Undo the last command that changed the game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "count" -d 'Count an irregularity of a player'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "strike" -d 'Remove the last counted irregularity of a player at a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "note-clocks" -d 'Record the times that were set on the clock, in the journal only; the clock is not changed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "laws" -d 'Set the Laws of this game, if they differ from those of the event'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "tags" -d 'Set the players and other PGN tags of this game; `touchmovectl round` sets them for all boards'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "pause" -d 'Pause the game: the lever and the pieces may be handled until the clock is started or the game is resumed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "resume" -d 'Resume a paused game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "claim" -d 'Check a player\'s claim of a draw; nothing is changed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "load" -d 'Read a file of pairings, check it, and use it from now on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "show" -d 'Show the round, with the board at each table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "swap" -d 'Swap the players of two tables'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "board" -d 'Assign a board to a table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "exchange" -d 'Continue a game on another board, because its board is broken'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "forfeit" -d 'Record that a game is forfeited'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "create" -d 'Create a token, and show it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "list" -d 'List the tokens, with their owners and dates'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "revoke" -d 'Revoke a token: its owner is logged out at once'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from journal" -f -a "verify" -d 'Check that every stored event is unchanged, whether touchmoved runs or not'
