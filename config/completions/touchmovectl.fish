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
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "list" -d 'List boards and games'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "monitor" -d 'Follow what happens on all boards, until interrupted'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "board" -d 'Show what stands on a board'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "game" -d 'Show moves, clocks and state of a game'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "pgn" -d 'Print a game as PGN'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "arbiter" -d 'Set the result or position, take back, put a position back, rule on what happened'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "round" -d 'Load a round\'s pairings, and set them right: names and tables of all games'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "token" -d 'Make, list and take back the tokens by which somebody logs in to the page'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "replay" -d 'Replay a recording, as fast as it goes'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "simulate" -d 'Play a game on a virtual board'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "score" -d 'Simulate many games, follow them, and compare with the truth'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "doctor" -d 'Find out why no board is seen'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "demo" -d 'Watch a master\'s game arrive over D-Bus, without a board'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "laws" -d 'Show what the Laws of Chess say, by edition'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "lichess" -d 'Find out whether Lichess takes the games'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "backup" -d 'Copy the journal into FILE, while touchmoved runs or not'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "journal" -d 'Look through the journal'
complete -c touchmovectl -n "__fish_touchmovectl_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand list" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand list" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand list" -l json -d 'One JSON object, for programs'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand list" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l board -d 'Only what happens on this board' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l touches -d 'Touched squares and changed properties too'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -l json -d 'One JSON object a line, for programs'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand monitor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -l json -d 'One JSON object, for programs'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -l identify -d 'Let the board show which one it is, with its lights and a beep; not while a game is played on it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand board" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand game" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand game" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand game" -l json -d 'One JSON object, for programs'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand game" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l game -d 'The same by an option' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l state-dir -d 'Read the journal in this directory, and ask no touchmoved [default for games not at hand: as `touchmovectl backup`]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l irregular -d 'What becomes of a game in which a move that is not legal stands: stop, fen or end' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l all -d 'All games, the oldest first'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand pgn" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "result" -d 'Set the result of a game, or withdraw it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "position" -d 'Begin a new game from this position'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "take-back" -d 'Take back the last moves'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "promotion" -d 'Say what a pawn became, where the board cannot tell'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "adjust" -d 'Say that a player adjusts pieces: what he touches next and puts back is no move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "acknowledge" -d 'Say that an alert was seen: it stands no more'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "restore" -d 'Put back the position before a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "let-stand" -d 'Let an irregular move stand: play goes on from it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "replace" -d 'Say that another move was played; the moves after it stay'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "insert" -d 'Say that a move is missing; the moves after it stay'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "undo" -d 'Take back the last command that changed the game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "count" -d 'Count an irregularity of a player'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "strike" -d 'Count no more what was last counted of a player at a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "note-clocks" -d 'Note the times that were set on the clocks: for the journal, the clock is not touched'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "laws" -d 'Say by which Laws this game is played, where they are others than the event\'s'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "tags" -d 'Say who plays this game, and what else its PGN shall say; `touchmovectl round` does it for all boards'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "pause" -d 'Pause the game: lever and pieces may be handled until the clock is started, or it is resumed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "resume" -d 'Let a paused game go on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "claim" -d 'Say what a player\'s claim of a draw is worth; nothing changes by it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and not __fish_seen_subcommand_from result position take-back promotion adjust acknowledge restore let-stand replace insert undo count strike note-clocks laws tags pause resume claim help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from result" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from result" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from result" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from result" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -l turn -d 'Who is to move in what is shown [default: whose clock runs, else White; the answer says who it was]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -l board -d 'The board, as `touchmovectl list` shows it [default: the only one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from position" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from take-back" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from take-back" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from take-back" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from take-back" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -l ply -d 'The ply of the promotion: White\'s first move is 1, Black\'s 2 [default: the last promotion]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from promotion" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from adjust" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from adjust" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from adjust" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from adjust" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from acknowledge" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from acknowledge" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from acknowledge" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from acknowledge" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from restore" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from restore" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from restore" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from let-stand" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from let-stand" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from let-stand" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from let-stand" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from replace" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from replace" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from replace" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from replace" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from insert" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from insert" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from insert" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from insert" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from undo" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from undo" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from undo" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from count" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from count" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from count" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from count" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from strike" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from strike" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from strike" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from strike" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from note-clocks" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from note-clocks" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from note-clocks" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from note-clocks" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from laws" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from laws" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from laws" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from laws" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from tags" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from tags" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from tags" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from tags" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from pause" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from pause" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from pause" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from pause" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from resume" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from resume" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from resume" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from resume" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -l intended -d 'The move that is written down and not played, as UCI [default: the claim is about the position on the board]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -l game -d 'Its number, or the board it is on [default: the one being played, else the last]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from claim" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "result" -d 'Set the result of a game, or withdraw it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "position" -d 'Begin a new game from this position'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "take-back" -d 'Take back the last moves'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "promotion" -d 'Say what a pawn became, where the board cannot tell'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "adjust" -d 'Say that a player adjusts pieces: what he touches next and puts back is no move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "acknowledge" -d 'Say that an alert was seen: it stands no more'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "restore" -d 'Put back the position before a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "let-stand" -d 'Let an irregular move stand: play goes on from it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "replace" -d 'Say that another move was played; the moves after it stay'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "insert" -d 'Say that a move is missing; the moves after it stay'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "undo" -d 'Take back the last command that changed the game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "count" -d 'Count an irregularity of a player'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "strike" -d 'Count no more what was last counted of a player at a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "note-clocks" -d 'Note the times that were set on the clocks: for the journal, the clock is not touched'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "laws" -d 'Say by which Laws this game is played, where they are others than the event\'s'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "tags" -d 'Say who plays this game, and what else its PGN shall say; `touchmovectl round` does it for all boards'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "pause" -d 'Pause the game: lever and pieces may be handled until the clock is started, or it is resumed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "resume" -d 'Let a paused game go on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "claim" -d 'Say what a player\'s claim of a draw is worth; nothing changes by it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand arbiter; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "load" -d 'Read a file of pairings, check it whole, and play by it from now on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "show" -d 'Show the round, with the board on each table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "swap" -d 'The players of two tables change places'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "board" -d 'Say which board stands at a table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "exchange" -d 'A game goes on at another board, because the one it is played on is broken'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "forfeit" -d 'Enter that a game is not played'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and not __fish_seen_subcommand_from load show swap board exchange forfeit help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l round -d 'Which round, where the file does not say or has several' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l order -d 'How a TRF16 file\'s pairs come to tables: by points, then by start number' -r -f -a "rank\t''"
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l boards -d 'Or by this file: on each line a table and the start number of one of its players' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l check -d 'Only say what the file says, and change nothing'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from load" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from show" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from show" -l json -d 'As JSON'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from show" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from swap" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from swap" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from swap" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from board" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from board" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from board" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from exchange" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from exchange" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from exchange" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from forfeit" -l bus -d 'The bus: session, system, or an address such as unix:path=/run/bus [default: session if touchmoved is there, else system]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from forfeit" -l broadcast -d 'Ask the stream for broadcast: games only, for those who may not see alerts'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from forfeit" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "load" -d 'Read a file of pairings, check it whole, and play by it from now on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show the round, with the board on each table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "swap" -d 'The players of two tables change places'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "board" -d 'Say which board stands at a table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "exchange" -d 'A game goes on at another board, because the one it is played on is broken'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "forfeit" -d 'Enter that a game is not played'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand round; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "create" -d 'Make a token for somebody, and show it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "list" -d 'Show whose tokens there are, and since when'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "revoke" -d 'Take a token back: whoever has it is out at once'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and not __fish_seen_subcommand_from create list revoke help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from create" -l role -d 'What he may do' -r -f -a "arbiter\t''
operator\t''"
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from create" -l state-dir -d 'Where touchmoved keeps its state [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from list" -l state-dir -d 'Where touchmoved keeps its state [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from list" -l json -d 'As JSON'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from revoke" -l state-dir -d 'Where touchmoved keeps its state [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from revoke" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "create" -d 'Make a token for somebody, and show it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "list" -d 'Show whose tokens there are, and since when'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "revoke" -d 'Take a token back: whoever has it is out at once'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand token; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l laws -d 'Judge by these Laws instead of the recording\'s: an edition, and what kind of game, such as "fide-2018 blitz limited"' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l sensing -d 'Throw away what a poorer board would not have seen: identity, colour or occupancy' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l why -d 'Explain one ply instead, counted from 1: what was seen, which moves it could be, and what decided between them' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l game -d 'The ply is one of this game of the recording, counted from 1 [default: the last one]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l json -d 'One JSON object a line, for programs; docs/events.md has every field'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l pgn -d 'Only the final record, as PGN; one for each game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -l all -d 'Touched squares and clock readings too'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l board -d 'The board' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l hands -d 'The players\' hands: clean, club, blitz, worn (club hands on a worn board) or rough (everything at modest rates)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l rate -d 'Do this so often, and all else as the hands do it; may be repeated (simulate --rates lists the names)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l only -d 'Do this so often, and nothing else that the hands do but for the clean way to play; may be repeated' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l inject -d 'Commit an irregularity at this ply, or one drawn for each game, or the first one after it that allows it; may be repeated' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l underpromote -d 'So many thousandths of the promotions to a queen become another piece, where the rest of the game stays legal' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l seed -d 'What chance is drawn from' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l chain -d 'So many boards on one line, each with the next game of the file; they need 10 s to be found before play begins (with --board dgt-bus)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l game -d 'Which game of the file, from 1 [default: the first that has moves]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -s o -l output -d 'Write a recording' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l speed -d 'So many times as fast as real hands' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l analysis -d 'After the game the players analyse it: the rate analysis=1000'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l arbiter-pause -d 'The arbiter stops the game once, pieces are disturbed and put back: the rate arbiter_pause=1000'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l clock -d 'With a clock'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l turned -d 'The board is turned round by 180 degrees'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l pty -d 'Be a serial port (where the cable is out it falls silent): prints its path, begins to play when a program has opened and greeted it, ends after the game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l stay -d 'Go on answering after the game, until interrupted'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -l rates -d 'List all rates with their meaning and their value in each profile'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l board -d 'The board' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l hands -d 'The players\' hands: clean, club, blitz, worn (club hands on a worn board) or rough (everything at modest rates)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l rate -d 'Do this so often, and all else as the hands do it; may be repeated (simulate --rates lists the names)' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l only -d 'Do this so often, and nothing else that the hands do but for the clean way to play; may be repeated' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l inject -d 'Commit an irregularity at this ply, or one drawn for each game, or the first one after it that allows it; may be repeated' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l underpromote -d 'So many thousandths of the promotions to a queen become another piece, where the rest of the game stays legal' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l sensing -d 'Throw away what a poorer board would not have seen' -r -f -a "identity\t'Which piece'
colour\t'Which colour'
occupancy\t'That something stands there'"
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l against -d 'Decode the same streams in simpler ways, too, and show the figures beside ours' -r -f -a "first\t'The first placement that a legal move leads to is that move, at once'
settled\t'A placement that stood for 250 ms is a legal move, another one instead of the last, or moves taken back'
reachable\t'Every placement that is reachable from a reached position; the latest counts, and the end says what was played'"
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l seeds -d 'How many seeds for each game: 1 to N' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l games -d 'At most so many games of each file' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l analysis -d 'After the game the players analyse it: the rate analysis=1000'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l arbiter-pause -d 'The arbiter stops the game once, pieces are disturbed and put back: the rate arbiter_pause=1000'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l clock -d 'With a clock'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l turned -d 'The board is turned round by 180 degrees'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l bound -d 'Tell what any decoder could know of these streams, whatever its model'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l hindsight -d 'Tell what our own model gives with the whole stream at hand'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -l json -d 'The figures as JSON'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand score" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l port -d 'Look at this port and at nothing else' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l model -d 'The model of the board on --port' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l config -d 'The configuration [default: as touchmoved finds it]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l bus -d 'The bus: session, system, or an address [default: as configured]' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -l json -d 'One JSON object instead of text'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand demo" -l speed -d 'So many times as fast as real hands' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand demo" -l hands -d 'The players\' hands: clean, club, blitz or worn' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand demo" -l board -d 'The board' -r
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand laws" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand lichess" -l config -d 'The configuration [default: as touchmoved finds it]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand lichess" -l token-file -d 'The file of the token, in the place of the one configured' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand lichess" -l json -d 'One JSON object instead of text'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand lichess" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand backup" -l state-dir -d 'Where touchmoved keeps its state [default: /var/lib/touchmove, else touchmove under $XDG_STATE_HOME or ~/.local/state]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand backup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and not __fish_seen_subcommand_from verify help" -s h -l help -d 'Print help'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and not __fish_seen_subcommand_from verify help" -f -a "verify" -d 'Check that every stored event is what was written, while touchmoved runs or not'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and not __fish_seen_subcommand_from verify help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and __fish_seen_subcommand_from verify" -l state-dir -d 'Where touchmoved keeps its state [default: as `touchmovectl backup`]' -r -F
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Check that every stored event is what was written, while touchmoved runs or not'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand journal; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "list" -d 'List boards and games'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "monitor" -d 'Follow what happens on all boards, until interrupted'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "board" -d 'Show what stands on a board'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "game" -d 'Show moves, clocks and state of a game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "pgn" -d 'Print a game as PGN'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "arbiter" -d 'Set the result or position, take back, put a position back, rule on what happened'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "round" -d 'Load a round\'s pairings, and set them right: names and tables of all games'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "token" -d 'Make, list and take back the tokens by which somebody logs in to the page'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "replay" -d 'Replay a recording, as fast as it goes'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "simulate" -d 'Play a game on a virtual board'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "score" -d 'Simulate many games, follow them, and compare with the truth'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "doctor" -d 'Find out why no board is seen'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "demo" -d 'Watch a master\'s game arrive over D-Bus, without a board'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "laws" -d 'Show what the Laws of Chess say, by edition'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "lichess" -d 'Find out whether Lichess takes the games'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "backup" -d 'Copy the journal into FILE, while touchmoved runs or not'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "journal" -d 'Look through the journal'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and not __fish_seen_subcommand_from list monitor board game pgn arbiter round token replay simulate score doctor demo laws lichess backup journal help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "result" -d 'Set the result of a game, or withdraw it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "position" -d 'Begin a new game from this position'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "take-back" -d 'Take back the last moves'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "promotion" -d 'Say what a pawn became, where the board cannot tell'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "adjust" -d 'Say that a player adjusts pieces: what he touches next and puts back is no move'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "acknowledge" -d 'Say that an alert was seen: it stands no more'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "restore" -d 'Put back the position before a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "let-stand" -d 'Let an irregular move stand: play goes on from it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "replace" -d 'Say that another move was played; the moves after it stay'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "insert" -d 'Say that a move is missing; the moves after it stay'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "undo" -d 'Take back the last command that changed the game'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "count" -d 'Count an irregularity of a player'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "strike" -d 'Count no more what was last counted of a player at a ply'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "note-clocks" -d 'Note the times that were set on the clocks: for the journal, the clock is not touched'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "laws" -d 'Say by which Laws this game is played, where they are others than the event\'s'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "tags" -d 'Say who plays this game, and what else its PGN shall say; `touchmovectl round` does it for all boards'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "pause" -d 'Pause the game: lever and pieces may be handled until the clock is started, or it is resumed'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "resume" -d 'Let a paused game go on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from arbiter" -f -a "claim" -d 'Say what a player\'s claim of a draw is worth; nothing changes by it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "load" -d 'Read a file of pairings, check it whole, and play by it from now on'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "show" -d 'Show the round, with the board on each table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "swap" -d 'The players of two tables change places'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "board" -d 'Say which board stands at a table'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "exchange" -d 'A game goes on at another board, because the one it is played on is broken'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from round" -f -a "forfeit" -d 'Enter that a game is not played'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "create" -d 'Make a token for somebody, and show it'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "list" -d 'Show whose tokens there are, and since when'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from token" -f -a "revoke" -d 'Take a token back: whoever has it is out at once'
complete -c touchmovectl -n "__fish_touchmovectl_using_subcommand help; and __fish_seen_subcommand_from journal" -f -a "verify" -d 'Check that every stored event is what was written, while touchmoved runs or not'
