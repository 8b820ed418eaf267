# The messages of touchmove in English. src/locale/keys.rs lists every message with its arguments.
# Sentences begin with a lower-case letter and have no full stop, because they follow a heading or are part of another sentence.
# { $moved } is a piece with its square, "the rook on e8"; { $moved-role } is "rook" and { $moved-square } is "e8".

## Wrong positions

wrong_start = the game began from a wrong start position: { $differences }
orientation = the board seems to be turned: the square in each player's right-hand corner should be a light one
unexplained = the board does not show the position of the record: { $differences }
behind = moves are missing from the record, and play continues: compare the score sheets; { $differences }
ended_elsewhere = the game ended in a position that differs from the record: { $differences }
displaced = { $player } pressed the clock while pieces were out of place: { $differences }
displaced_found = pieces were found out of place: { $differences }
capture_unclear = a piece that { $player } captured seems to be beside its square: { $differences }
illegal_position_kings = both kings are in check, and play continues
illegal_position_pawn = { $pawn } is on the last rank, and play continues

## Moves

illegal_pending = { $san } by { $player } is not legal: { $reason }; the clock has not been pressed, so the move may still be corrected
castling_begun = { $player } released the king on { $on } as in castling: the rook on { $rook } must still be moved
illegal_completed = { $player } completed { $san }, which is not legal: { $reason }
illegal_standing = { $san } by { $player } was not legal: { $reason }; play continued, and the move stands
put_right = { $alert }; the player has put it right: the move was taken back, and { $san } was completed instead
pawn_left = { $player } pressed the clock without replacing { $pawn } by a new piece
uncertain = moves were not seen one by one, and the board does not show which moves they were; they could also be { $plies }: compare the score sheets
uncertain_line = the link loses updates, and these moves were inferred from the position on the board: { $plies }: compare the score sheets
uncertain_order = moves were missed, and the record has moves that lead to the position on the board; other moves, or the same moves in another order, may have been played: { $plies }: compare the score sheets
uncertain_late = the board's reports came late, all at once; these moves may have been others, or in another order: { $plies }: compare the score sheets
uncertain_twice = a piece was lifted for a long time, and the opponent's answer was on the board before it was put down: it may have moved twice, with that answer in between: { $plies }: compare the score sheets
proposal = the game was decoded once more from all that its board reported. Instead of { $plies }, the likeliest line of play has { $instead } ({ $percent } %): compare the score sheets
uncertain_unshown = the target square showed no change, and another move may have been played: { $plies }: compare the score sheets
uncertain_promotion = the board cannot identify the piece that a pawn was promoted to, and a queen is assumed: { $plies }: look at the board, and replace the move if it is another piece
uncertain_rest = before { $plies } the pieces were in a position that the record does not contain: moves may be missing, or other moves were played: compare the score sheets
moves_missing = moves are missing from move { $number } on: they were not seen, and the record continues from the position after them: compare the score sheets
last_move_doubtful = the last move may not be { $san } ({ $percent } % sure): compare the score sheets

## The clock

press_without_move = { $player } pressed the clock, and no move was seen
press_before_release = { $player } pressed the clock while { $man } still seemed to be in the hand
flag_fall = the clock shows that { $player }'s flag has fallen
both_flags = the clock shows that both flags have fallen
both_flags_first = the clock shows that both flags have fallen, { $player }'s first

## Touched pieces. A sensor detects that a piece moved, but not what the player intended.

touch_move = { $player } seems to have touched, in this order, { $men }, and the move is { $san }: if the touch was intended, { $duty }
touch_move_sensed = the board sensed a hand on { $men }, in this order, and the move of { $player } is { $san }: if it was the player's hand and the touch was intended, { $duty }
restored_unbound = the position was restored, and { $player } made { $san }, which the pieces touched before do not allow
touch_capture = { $player } seems to have touched { $man }, an opponent's piece that can be captured
touch_capture_sensed = the board sensed a hand on { $man }, which { $player } can capture: if it was the player's hand and the touch was intended, it must be captured
possible_touch = { $player } seems to have touched { $man }, and the move is { $san }
release_changed = { $player } seems to have released { $man } on { $square }, and the move is { $san }
promotion_changed = a { $was } of { $player } seems to have touched { $square } first, and a { $is } is there now
handled_off_turn = { $player } seems to have handled { $men } in the opponent's time

## The end of the game

kings_say = the kings on { $white } and { $black } signal { $result }: confirm the result, or set another
kings_unclear = the kings seem to signal a result, but the board does not show which: set the result
result_wanted = the clock is stopped and pieces are still being moved, so the game seems to be over: set the result; if this is play, withdraw the result, and the moves made since then count
result_missing = the pieces have been set up again, and this game has no result: enter it
dead_position = neither player can mate by any series of legal moves
five_fold = the same position is on the board for the fifth time: it occurred after { $plies } moves, counting the moves of both players
repeated = the same position has occurred { $times } times: after { $plies } moves, counting the moves of both players
seventy_five = both players have made seventy-five moves without a capture or a pawn move
quiet_moves = both players have made { $moves } moves without a capture or a pawn move
played_after_end = the result is on record, and both players continue to press the clock
end_waits = { $end }: the result waits for { $for }
end_unconfirmed = { $end } is on record unconfirmed, no longer waiting for { $for }; confirm the result, or set another
end-checkmate = checkmate, { $result }
end-stalemate = stalemate, { $result }
waits-ruling = your ruling on { $san }, which is not legal; let the move stand, restore the position, or set the result
waits-notice = your answer to the notice about the pieces that { $player } touched; acknowledge it, or set the result to confirm it

## Devices

board_silent = the board has sent nothing for { $seconds ->
    [one] a second
   *[other] { $seconds } seconds
}: check its cable and its battery
board_unseen = the board does not report its squares, and no moves are recorded: switch it off and on
link_lost = the link to the board is lost, and nothing is seen until it is restored: check the cable
clock_stopped = the clock is stopped
clock_set = the clock was set: White { $white }, Black { $black }; otherwise it would show { $white_was } and { $black_was }
clock_lost = the clock is no longer connected: check its cable
clock_battery = the battery of the clock is low
board_battery = the battery of the board is low: { $percent } % left
board_battery_lasts = the battery of the board is low: { $percent } % left, about { $minutes ->
    [one] a minute
   *[other] { $minutes } minutes
}

## Why a move is not legal

reason-not_his_turn = it was { $player }'s turn, and { $moved } is the opponent's
reason-nothing_there = there was no piece on { $from }
reason-no_move = no move was made
reason-own_piece = the square is occupied by { $on }, one of the player's own pieces
reason-king_taken = a king cannot be captured
reason-no_such_move = a { $moved-role } does not move from { $moved-square } to { $to }
reason-blocked = the path of { $moved } is blocked by { $by }
reason-pawn_two_steps = a pawn moves two squares only from its start square, and { $moved } is not on it
reason-pawn_straight = a pawn cannot move straight ahead to an occupied square, and { $on } is there
reason-pawn_diagonal = a pawn moves diagonally only to capture, and there is nothing to capture on { $to }
reason-en_passant_too_late = the pawn on { $pawn } can be captured en passant only on the move after its advance of two squares
reason-en_passant_not_removed = the pawn on { $pawn } was captured en passant but not removed
reason-en_passant_wrong_pawn = en passant captures the pawn on { $pawn }, but { $removed } was removed
reason-pawn_left = the pawn was left on { $pawn-square }
reason-promoted_wrongly = the pawn on { $on } cannot become a { $role }
reason-promoted_colour = the promoted piece, { $on }, is of the other colour
reason-became = { $moved } cannot become a { $role }
reason-into_check = the king is attacked on { $king } by { $by }
reason-kings_adjacent = the king on { $king } is next to the king on { $other }
reason-pinned = { $moved } is pinned: moving it leaves the king on { $king } in check from { $by }
reason-exposed = the move leaves the king on { $king } in check from { $by }
reason-still_in_check = the move leaves the king on { $king } in check from { $by }
reason-double_check = the king on { $king } is in check from { $by }, so only the king can move
reason-castling_no_rook = there is no rook on { $rook } to castle with
reason-castling_after_move = castling is not allowed: { $moved ->
    [king] the king has moved before
    [rook] the rook on { $rook } has moved before
   *[either] the king or the rook on { $rook } has moved before
}
reason-castling_blocked = castling is not allowed: { $by } is in the way
reason-castling_in_check = castling is not allowed: the king is in check from { $by }
reason-castling_through = castling is not allowed: the king crosses { $square }, which { $by } attacks
reason-castling_into = castling is not allowed: the king goes to { $square }, which { $by } attacks
reason-castling_unfinished = castling was not finished: the rook is still on { $rook }
reason-castling_squares = { $moved } were not moved as in castling
reason-several_moves = more than one piece was moved: { $moved }
reason-vanished = { $men } disappeared without being captured
reason-appeared = { $men } appeared without a move
reason-exchanged = { $was } was replaced by a { $is-role }

## Obligations that follow from touched pieces

duty-touch_own = the piece on { $square } must move
duty-touch_own_together = one of the pieces on { $squares }, touched at the same time, must move
duty-touch_opponent = the piece on { $square } must be captured
duty-touch_opponent_together = one of the pieces on { $squares }, touched at the same time, must be captured
duty-touch_both = the piece on { $enemy } must be captured by the piece on { $own }
duty-castling_touched = castling with the rook on { $rook } must be played
duty-rook_before_king = the rook on { $rook } must move, but not castle with the king on { $king }, which was touched after it
duty-rook_first = the king on { $king } must move, but not castle with the rook on { $rook }, which was touched first
duty-castling_illegal = the king on { $king } must move: castling with the rook on { $rook } is not allowed
duty-promotion_final = the pawn becomes the { $role } that touched { $square }
duty-released = the piece from { $from } was released on { $on } and must stay there
duty-castling_made = the king was released as in castling, and castling with the rook on { $rook } must be finished
duty-pawn_left = the pawn on { $square } becomes a queen

## Results of checking a claim of a draw

claim-repeated = the claim is correct: the position occurs { $times } times
claim-quiet = the claim is correct: { $moves } moves without a capture or a pawn move
claim-too_few_times = the claim is incorrect: the position occurs { $times ->
    [one] once
   *[other] { $times } times
}
claim-too_few_moves = the claim is incorrect: { $missing ->
    [one] one of the { $of } moves of both players is missing
   *[other] { $missing } of the { $of } moves of both players are missing
}
claim-not_at_hand = the text of these Laws on such a claim was not available: touchmove cannot say whether it is correct
claim-lost = the claim comes too late: the player has touched a piece on this move
claim-not_on_move = the claim is incorrect: only the player to move may claim
claim-illegal_move = the claim is incorrect: the intended move is not legal
claim-ended = there is nothing to claim: the game has ended

## Actions that a ruling requires

act-restore = restore the position before the irregularity
act-touch_binds = the touched or released pieces bind the move that is made instead
act-release_binds = the move stays as it was released
act-complete = the rest of the move must still be made
act-queen = replace the pawn by a queen
act-take_increment = take back the increment that the player gained by pressing the clock
act-add = add { $time } to the opponent's clock
act-halve = deduct half of the player's remaining time, but no more than { $most }, and leave at least { $least } if the player has as much
act-wins = the player wins
act-loses = the player loses
act-await_search = the player loses, or the game is drawn if the opponent cannot mate by any series of legal moves: a search is running
act-loses_or_draw = the player loses, or the game is drawn if the opponent cannot mate by any series of legal moves: the search did not decide it
act-draw = the game is drawn
act-stands = the move stands
act-play_intended = the intended move is made; if it is illegal, another move with that piece
act-new_game = the game is cancelled and a new one is played
act-transfer = transfer the position to a board placed correctly, and continue
act-no_castling = no castling with a king or a rook that was placed incorrectly at the start
act-own_time = the player corrects the position in their own time
act-put_right = correct the placement of the piece
act-may_penalise = you may penalise the player as you think fit
act-go_on = nothing is wrong: play continues
act-free = any legal move may be made
act-on_claim = nothing, unless a player claims
act-no_signal = do not signal that the flag has fallen
act-rule_first = rule on the move first: it ends the game only if it was made according to the Laws
act-go_on_or_draw = if it cannot be established which flag fell first, the game continues, or is drawn if all remaining moves had to be made in this period
act-wait = wait for the next completed move
act-arbiter_decides = you decide: the Laws leave it to the arbiter
act-ask_result = ask the players for the result

## Headings of alerts

kind-position_unexplained = Position not explained
kind-wrong_start = Wrong start position
kind-orientation = Wrong board orientation
kind-result_signalled = Result signalled
kind-moves_uncertain = Moves uncertain
kind-correction_proposed = Correction proposed
kind-result_wanted = Result wanted
kind-result_missing = Result missing
kind-illegal_pending = Illegal move, pending
kind-illegal_move = Illegal move
kind-illegal_stands = Illegal move stands
kind-illegal_position = Illegal position
kind-press_without_move = Press without move
kind-press_before_release = Press before release
kind-displaced = Pieces displaced
kind-displaced_found = Displaced pieces found
kind-capture_unclear = Capture unclear
kind-touch_move = Possible touch-move
kind-touch_capture = Opponent's piece touched
kind-possible_touch = Possible touch
kind-release_changed = Possibly changed after release
kind-promotion_changed = Possibly changed promotion
kind-handled_off_turn = Possibly handled off turn
kind-dead_position = Dead position
kind-five_fold = Fivefold repetition
kind-seventy_five = Seventy-five moves
kind-flag_fall = Flag fall
kind-board_silent = Board silent
kind-link_lost = Link lost
kind-clock_stopped = Clock stopped
kind-clock_set = Clock set
kind-clock_lost = Clock disconnected
kind-clock_battery = Clock battery low
kind-board_battery = Board battery low
kind-played_after_end = Play after the end

## Parts of sentences

player-white = White
player-black = Black
role-pawn = pawn
role-knight = knight
role-bishop = bishop
role-rook = rook
role-queen = queen
role-king = king
man = the { $role } on { $square }
men = { $before }, { $next }
men-last = { $before } and { $next }
difference = { $square } should hold { $expected }, but holds { $seen }
differences = { $before }; { $next }
holds-nothing = nothing
holds-piece = a piece
holds-white = a white piece
holds-black = a black piece
piece-white = a white { $role }
piece-black = a black { $role }
time-minutes = { $count ->
    [one] 1 minute
   *[other] { $count } minutes
}
time-seconds = { $count ->
    [one] 1 second
   *[other] { $count } seconds
}

## What a command would do

preview-undoes = undoes the command "{ $command }"
preview-continues = the game before this one continues after { $count ->
    [one] one move
   *[other] { $count } moves
} (both players'), with what was played since, once the board shows its position; this game stays in the journal
preview-ends = a new game begins; the current one, of { $count ->
    [one] one move
   *[other] { $count } moves
} (both players'), goes no further and has no result
preview-removes = { $count ->
    [one] removes one move: { $player }'s move { $number }, { $san }
   *[other] removes { $count } moves (both players'), from { $player }'s move { $number } on, { $san }
}
preview-adds = { $count ->
    [one] adds one move: { $player }'s move { $number }, { $san }
   *[other] adds { $count } moves (both players'), from { $player }'s move { $number } on, { $san }
}
preview-no_moves = no move changes
preview-clocks = the clocks then: White { $white }, Black { $black }
preview-result = the result becomes { $result }
preview-no_result = the result { $result } is withdrawn
preview-played_on = play has gone on since the alert: { $count ->
    [one] one move was played
   *[other] { $count } moves were played (both players')
}
preview-clears = clears the alert "{ $kind }"
preview-raises = raises the alert "{ $kind }"
preview-do_begin = End this game and begin a new one
preview-do_result = Set the result { $result }
preview-do_no_result = Withdraw the result
preview-do_remove = { $count ->
    [one] Remove one move
   *[other] Remove { $count } moves
}
preview-do_add = { $count ->
    [one] Add one move
   *[other] Add { $count } moves
}
preview-do_change = { $count ->
    [one] Change one move
   *[other] Change { $count } moves
}

## What has happened since somebody looked

news-since = nothing was changed, because the game has gone on since you looked: { $news }
news-played = { $count ->
    [one] { $moves } was played
   *[other] { $moves } were played
}
news-played_more = { $count } moves were played (both players'), the last of them { $moves }
news-corrected = the record was corrected: { $moves }
news-removed = moves were taken back, and { $count ->
    [one] one move is left
   *[other] { $count } moves are left
}
news-alert = an alert was raised: { $kind }
news-command = { $by } gave the command "{ $command }"
news-result = the result is { $result }
news-no_result = the result was withdrawn

## The names of the commands

command-result = set the result
command-position = set the position
command-take_back = take back moves
command-promotion = set the promoted piece
command-adjust = adjust pieces
command-acknowledge = acknowledge an alert
command-restore = restore a position
command-let_stand = let a move stand
command-adopt = adopt the proposed moves
command-replace = replace a move
command-insert = insert a move
command-undo = undo
command-count = count an irregularity
command-strike = remove a counted irregularity
command-clock_note = note the clock times
command-laws = set the Laws
command-tags = set the players
command-pause = pause or resume
command-claim = check a claim

## The web page

page-acknowledge = Acknowledge
page-acknowledge-all = Acknowledge all { $count }
page-acknowledged-all = Alerts acknowledged: { $count }
page-alerts = Alerts: { $count }
page-all-sections = All sections
page-all-states = All games
page-allowed = Allowed moves
page-alternatives = Could also be
page-arbiter = Arbiter
page-articles = Article
page-back = All boards
page-battery = battery { $percent } %
page-board = Board { $number }
page-cancel = Cancel
page-claim-fifty_moves = Fifty moves without a capture or a pawn's move
page-claim-repetition = The same position three times
page-clock = Clock
page-clocks = Clocks
page-clocks-then = Clocks at that time
page-close = Close
page-code-here = Log in here with this code. Each code is for one login
page-code-wait = Too many wrong codes were tried. Try again in a minute, or log in with a token
page-code-wrong = This code is not valid, or no longer. A code is for one login within ten minutes: ask for another
page-completed = Completed
page-confidence = Confidence
page-contact-connecting = Connecting
page-contact-refused = Cannot be opened
page-contact-silent = Silent
page-contact-unplugged = Unplugged
page-corrected = Corrected
page-corrections = Corrections: { $count }
page-counted = Counted
page-counted-of = number { $count } of { $player }
page-done = Done
page-ended-arbiter = by the arbiter
page-ended-checkmate = checkmate
page-ended-kings_signal = the kings in the centre
page-ended-stalemate = stalemate
page-evidence = Evidence: { $count } changes of squares
page-evidence-kind = Shown by
page-evidence-lift = lifted pieces
page-evidence-touch = a hand on a piece that was not lifted; the board does not know whose hand it was
page-filter = Table or name
page-flip = Flip the board
page-frame-back = Back
page-frame-on = Forward
page-frames = Squares over time
page-frames-around = Squares around { $time }
page-frames-none = No changes of squares are stored for this time
page-frames-then = Squares at that time
page-missing = Moves are missing
page-missing-moves = the moves before this position were not seen
page-irregular = Not legal
page-irregular-move = this move is on record, but it is not legal
page-key-alert = next alert
page-key-arrows = from board to board
page-key-back = back to all boards
page-key-ends = start, end
page-key-filter = table with this number: Enter opens it
page-key-flip = flip the board
page-key-frames = squares over time
page-key-help = these keys
page-key-moves = previous move, next move
page-key-open = open the board
page-key-print = print the score sheet
page-key-rule = rulings
page-key-search = search
page-key-sound = sound on, off
page-key-squares = what the squares show
page-keys = Keys
page-keys-all = Everywhere
page-keys-board = One board
page-keys-hall = All boards
page-language = Language
page-login = Log in
page-login-about = Arbiters and operators get a token from the administrator of touchmove
page-logout = Log out
page-lost = Connection lost at { $time }: the page shows old data. Reconnecting
page-made = Made
page-minutes = { $count } min
page-move-black = Black's move { $number }
page-move-white = White's move { $number }
page-moves = Moves
page-moves-since = Moves since (both players'): { $count }
page-past-alerts = Closed alerts: { $count }
page-taken-back = The illegal move was taken back before it was completed
page-needs = Needs somebody: { $count }
page-next = Next page
page-no-board = There is no board { $board }
page-no-moves = No moves yet
page-none = No boards yet
page-none-fits = No board matches
page-not-yet = not yet
page-page = { $page } of { $pages }
page-pages = Pages
page-corrections-menu = Corrections and pairings
page-percent = { $percent } %
page-phase-ended = Finished
page-phase-play = In play
page-phase-start = Not begun
page-played-on = Play has gone on since the alert: { $count } moves (both players')
page-plies = { $count } moves (both players')
page-previous = Previous page
page-preview = What this does
page-preview-added = Moves added
page-preview-after = Afterwards
page-preview-before = Now
page-preview-removed = Moves removed
page-print = Print score sheet
page-public-late = Shown { $delay } late
page-put-right = Squares to correct: { $count }
page-reason-analysis = it was analysis after the game
page-reason-arbiter = by the arbiter
page-reason-evidence = shown by later play
page-reason-king_signal = it was part of a result signal
page-reason-takeback = taken back
page-required = Required
page-result = Result
page-result-is = Result { $result }
page-result-none = None yet
page-role-arbiter = arbiter
page-role-operator = operator
page-role-administrator = administrator
page-round = Round { $round }
page-rule = Rulings
page-seconds = { $count } s
page-section = Section
page-sending = Sending
page-no-answer = touchmove does not answer: check the network, then try again
page-sheet = Score sheet
page-sheet-from = As reported by the electronic board, with the times of completed moves. A cross marks a move that is not legal, a question mark one that is less than 90 % sure
page-sheet-public = As reported by the electronic board, with the times of completed moves. A cross marks a move that is not legal
page-shows-moment = Shown: the squares at { $time }
page-shows-ply = Shown: after { $move }
page-shows-squares = Shown: what the squares show, not the record
page-shows-start = Shown: the start position
page-size = Size
page-size-rows = One line for each table
page-size-s = Small boards
page-size-m = Medium boards
page-size-l = Large boards
page-sound-blocked = Sound is blocked: press here
page-sound-off = Sound is off
page-sound-on = Sound is on
page-squares = What the squares show
page-start = Start position
page-state = State
page-state-adjourned = Adjourned
page-state-differs = Differs: { $count }
page-state-empty = No game
page-state-paused = Paused
page-state-play = In play
page-state-ready = { $result }, board ready
page-state-start = Not begun
page-state-uncertain = In play, uncertain
page-table = Table { $table }
page-tally = Counted irregularities: { $count }
page-telephone = Log in a telephone
page-telephone-about = The telephone logs in once with a code, and then acts under a name of its own. Revoking your token also logs it out
page-telephone-code = Show the code
page-telephone-example = { $name }: telephone
page-telephone-name = Name, as in the journal
page-telephone-role = Role
page-telephone-scan = Read this with the camera of the telephone, or open the page there and log in with the code. It is valid for { $minutes } minutes and one login
page-to-do = To do: { $count }
page-token = Token or code
page-touch-seconds = for { $seconds } s
page-touches = Hands on the board: { $count }
page-problems = Problems for operators

## The web page: commands of the arbiter

page-undone = Undone
page-do-adjust = A player adjusts
page-do-claim = Claim of a draw
page-do-clock_note = Note the clock times
page-do-count = Count an irregularity
page-do-go_on = Resume
page-do-insert = Insert a move before this one
page-do-it = Do it
page-do-let_stand = Let the move stand
page-do-adopt = Adopt the proposed moves
page-do-pause = Pause
page-do-position = Set the position
page-do-promotion = Set the promoted piece
page-do-replace = Replace the move
page-do-restore = Restore a position
page-do-restore-before = Restore the position before this move
page-do-restore-ply = Restore the position before { $move }
page-do-result = Set the result
page-do-strike = Do not count the irregularity
page-do-take_back = Take back moves
page-do-undo = Undo the last ruling
page-do-withdraw = Withdraw the result
page-about-adjust = A piece that the player touches next and puts back is not a move
page-about-claim = Checks whether the claim is correct; nothing changes
page-about-clock_note = Records the times in the journal, as you set them or as they are
page-about-count = Counts towards the penalties for illegal moves
page-about-go_on = Moves from now on are play again
page-about-insert = A legal move is missing before this one; the moves after it stay
page-about-let_stand = The move is never corrected to another one
page-about-pause = Pieces and clock may be handled freely until play is resumed
page-about-position = A new game begins from this position; the current game ends as it is
page-about-promotion = For boards that do not identify the piece
page-about-replace = Another legal move was played instead of this one; the moves after it stay
page-about-restore = The moves from this one on are removed from the record, and the page shows which squares to correct
page-about-result = Ends the game, or withdraws its result
page-about-strike = It no longer counts towards the player's penalties
page-about-take_back = The moves are removed from the record, as the players agreed or you ruled
page-about-undo = Restores what the ruling changed
page-do-exchange = Continue on another board
page-do-laws = Set the Laws of this game
page-do-pairing = Edit the pairing
page-do-tags = Players and event
page-do-forfeit = Enter a forfeit
page-do-seat = Assign another board
page-do-swap = Swap two tables
page-about-forfeit = No game is played at this table
page-about-laws = If they are not those of the event; alerts and rulings follow them from now on
page-about-tags = For a game that belongs to no round; the names of a round are in its pairings
page-about-seat = From now on this board belongs to the table
page-about-swap = The players change tables; the boards stay where they are
page-forfeit-nobody = Nobody wins
page-forfeit-none = No forfeit
page-forfeit-white = White wins
page-forfeit-black = Black wins
page-field-one = Table
page-field-other = And table
page-field-board = Board
page-field-edition = Edition
page-field-supervision = Supervision, in rapid and blitz
page-field-time_class = Time class
page-class-standard = Standard
page-class-rapid = Rapid
page-class-blitz = Blitz
page-supervision-full = Full: enough arbiters, and each game is recorded
page-supervision-limited = Limited: an illegal move stands once the opponent has moved
page-edition-china-1973 = Chinese competition rules of 1973
page-edition-fide-1997 = FIDE Laws of Chess of 1997
page-edition-fide-2009 = FIDE Laws of Chess, from 1 July 2009
page-edition-fide-2014 = FIDE Laws of Chess, from 1 July 2014
page-edition-fide-2017 = FIDE Laws of Chess, from 1 July 2017
page-edition-fide-2018 = FIDE Laws of Chess, from 1 January 2018
page-edition-fide-2023 = FIDE Laws of Chess, from 1 January 2023
page-tag-White = White
page-tag-WhiteTitle = White's title
page-tag-WhiteElo = White's rating
page-tag-Black = Black
page-tag-BlackTitle = Black's title
page-tag-BlackElo = Black's rating
page-tag-Event = Event
page-tag-Round = Round
page-field-table = Table
page-field-winner = Result without play
page-field-alert = Alert
page-field-black_ms = Black's time
page-field-claimed = Claim
page-field-counted = Irregularity
page-field-fen = Position as FEN
page-field-intended = Intended move, if there is one
page-field-note = Note
page-field-piece = Piece
page-field-player = Player
page-field-plies = How many moves, both players' counted
page-field-ply = Move, both players' counted: White's first is 1, Black's is 2
page-field-result = Result
page-field-uci = Move: from square to square, or make it on the board below
page-field-what = Irregularity
page-field-white_ms = White's time
page-count-castling_abandoned = Castling not finished
page-count-handled_off_turn = Handled off turn
page-count-illegal_castling = Illegal castling
page-count-illegal_move = Illegal move
page-count-pawn_left = Pawn not replaced
page-count-press_before_release = Pressed before release
page-count-press_without_move = Pressed without a move
page-count-promotion_changed = Promotion changed
page-count-release_changed = Changed after release
page-count-touch_broken = Touch-move
page-count-two_hands = Two hands

## The operator's desk in the page

page-desk-absent = away
page-desk-add-pairing = Add a pairing
page-desk-add-pairing-about = For players who came late. A bye that they have in this round is removed
page-desk-adjourned = adjourned
page-desk-black = Black
page-desk-board = Board
page-desk-board-of = Board at table { $table }
page-desk-boards = Boards
page-desk-boards-seated = Boards seated: { $count }
page-desk-boards-unseated = Without a table, and therefore without players: { $boards }
page-desk-both-lose = (both lose)
page-desk-bye = Bye
page-desk-by-name = Seat by name
page-desk-by-touch = Seat by touch
page-desk-byes = Without an opponent:
page-desk-byes-about = Empty a name to remove the player
page-desk-byes-saved = The byes are saved
page-bye-full_point = one point
page-bye-half_point = half a point
page-bye-pairing_allocated = odd number of players, one point
page-bye-zero_point = absent, no point
page-desk-colours-reversed = The colours at table { $table } are reversed
page-desk-confirm-remove = Remove { $white } - { $black } from table { $table } of round { $round }?
page-desk-confirm-start = Start round { $round }? Tables of the present round without a result: { $missing }
page-desk-end = End
page-desk-exchange-about = The game of { $board } continues on another board, with its moves and clock times. Set the position up there first; the clocks are best stopped. The other board then belongs to the table
page-desk-exchange-do = Continue there
page-desk-exchange-none = No other board is free: connect a spare board
page-desk-exchange-to = Free board
page-desk-exchanged = The game continues on { $board }
page-desk-export = Export
page-desk-federation = Federation
page-desk-from-table = From table
page-desk-game = Game { $game }
page-desk-game-left = without a result
page-desk-games-here = Games at this table
page-desk-lift-king = Table { $table }: lift White's king and put it back
page-desk-load-round = Load round { $round }
page-desk-log = Arbiter's log
page-desk-missing = Results missing:
page-desk-name = Name
page-desk-no-board = no board
page-desk-no-round = No round is loaded: upload a file of pairings, or drop it here
page-desk-now = Now: { $now }
page-desk-of-game = { $result } (game)
page-desk-pairing-removed = Table { $table } has no pairing any more
page-desk-pairing-saved = The pairing of table { $table } is saved
page-desk-pairing-saved-check = The pairing of table { $table } is saved. Look at its result: it stays with the same players
page-desk-players-swapped = The players of tables { $one } and { $other } are swapped
page-desk-rating = Rating
page-desk-remove-pairing = Remove the pairing
page-desk-result = Result
page-desk-result-entered = The result of table { $table } is entered
page-desk-result-of = Result of table { $table }
page-desk-reverse-colours = Reverse colours
page-desk-round = Round
page-desk-round-loaded = Round { $round } is loaded
page-desk-round-now = Round { $round } (now)
page-desk-round-started = Round { $round } has started
page-desk-save = Save
page-desk-seat-these = Seat these boards: { $count }
page-desk-seated = { $board } is at table { $table }
page-desk-seat-moved = { $board } is at table { $table } now; table { $other } has no board
page-desk-seats = Seats
page-desk-skip = Skip
page-desk-start-round = Start round { $round }
page-desk-state = State
page-desk-state-ended = ended
page-desk-state-in_play = in play
page-desk-state-not_begun = not begun
page-desk-state-result_missing = result missing
page-desk-swap = Swap
page-desk-swap-with = Swap the players with table
page-desk-team = Team
page-desk-title = Title
page-desk-undo = Undo
page-desk-unseated = No board is at table { $table } now
page-desk-upload = Upload pairings
page-desk-upload-by-rank = Tables by points and start number
page-desk-upload-errors = Errors: nothing can be loaded
page-desk-upload-ignored = Columns that are ignored: { $columns }
page-desk-upload-preview = { $file }: nothing has changed yet
page-desk-upload-round = Round, if the file has several
page-desk-upload-warnings = Warnings
page-desk-white = White

## The arbiter's log

log-desk = At the desk
log-pairing_removed = Table { $table }: the pairing is removed
log-result_removed = Table { $table }: the result is removed
log-player_forgotten = A player is no longer named
log-round_removed = Round { $round } is removed

## Why an order was not carried out

order-board_away = board { $board } of game { $game } is not connected: connect it, and try again
order-board_in_use = game { $game } is being played on board { $board }: choose a free board
order-cannot_identify = board { $board } has no lights and no beeper that can be used, or is not plugged in
order-changed = the game has changed since you looked: look at it again, then decide
order-game_replaced = another game has begun on that board: look at it first
order-game_too_long = the game is too long to be sent to the machine of board { $board }: set its last position there as a new game
order-hub_unreachable = nothing was changed, because this hub does not reach the hall's server, and the standby hub may have taken over: look there
order-machine_away = machine { $machine } has not answered for { $seconds } s, and nothing was changed: check its power, then its network
order-machine_unheard = machine { $machine } has not answered since touchmove was started here, and nothing was changed: check its power, then its network
order-no_game_to_continue = no game is being played on board { $board }: there is no game to continue
order-no_such_board = there is no board { $board }
order-no_such_game = game { $game } is not in memory any more
order-not_connected = board { $board } is not connected: connect it, and begin the test again
order-not_copied = this was done, but the standby hub does not know it yet: if that takes over, do it again there
order-not_current = game { $requested } is over, and game { $current } is on board { $board } now: look at that game
order-not_set_up = the position of the game is not on board { $board } yet (see { $squares }): set it up there, in either orientation, and try again
order-not_stored = nothing was changed, because it could not be stored: { $error }
order-not_testing = board { $board } is not being tested: begin the test again
order-old_term = another computer is the hub of the hall now, so machine { $machine } does not accept commands of this one: give the command there
order-other_hub = nothing was changed, because { $host } is the hub of the hall now: do it there
order-outcome_unknown = machine { $machine } has not answered in time, and it is not known whether this was done: look at the game, then decide
order-playing = game { $game } is being played on board { $board }, and nothing may be shown to its players: wait until it is over
order-squares_unknown = board { $board } has not reported its squares yet: see that it is connected, set the position up, and try again
order-stopping = touchmove is shutting down: start it again, then repeat this
order-test_elsewhere = board { $board } is at another machine: test it there
order-testing = board { $board } is being tested: end that test first
order-unreadable = the game cannot continue on another board, because it cannot be read: { $error }
refusal-already_paused = the game is paused already
refusal-bad_fen = this is not a position: copy all six fields of the FEN
refusal-game_over = the game is over: withdraw its result first
refusal-illegal_after_promotion = with a promotion to a { $piece }, { $later } would be illegal: take it back first
refusal-later_move = with this change, { $later } would be illegal: restore the position before it first
refusal-long_note = the note has { $length } characters: write at most { $most }
refusal-moved_since = moves were made since, and how play would have gone on without the command is not known: give a new command instead
refusal-no_alert = this alert has been cleared already: look at the alerts that are open
refusal-no_game = there is no game on this board: set up the start position, or give a position
refusal-no_irregular_move = this alert is not about an illegal move that is on record: acknowledge it instead
refusal-no_proposal = this alert proposes no moves that can follow those on record: replace single moves instead
refusal-no_move = { $uci } is not a move in this position: choose a square with a piece on it
refusal-no_ply = the game has no such move: choose one that is on record
refusal-no_position_before = the game has no position before such a move: choose a move on record, or the next one
refusal-no_promotion = there is no such promotion on record; a pawn becomes a queen, rook, bishop or knight
refusal-not_counted = no irregularity of { $player } is counted at this move: choose one that is counted
refusal-not_legal = { $uci } is not a legal move there: choose another one
refusal-not_paused = the game is not paused
refusal-nothing_to_undo = there is nothing to undo: only the last four commands that changed the game can be undone
refusal-other_piece_shown = the board shows a { $shown } on { $square }: put the right piece there, and the record is corrected automatically
refusal-same_move = this move is on record there already
refusal-too_many_plies = the number of moves on record is { $known }: take back at least one, and at most that many

## The service itself

settings-bad_value = { $value } is not a value of { $key }: write { $expected }
settings-earlier = the public would then see what happens from now on sooner: { $after }; now: { $before }. Spectators could help players. What has happened until now keeps its delay
settings-file_only = { $key } cannot be changed while touchmove runs: change it in the configuration file, then restart
settings-invalid = the configuration would be invalid: { $problems }
settings-not_set = { $key } was not changed here: the configuration file decides already
settings-not_written = nothing was changed, because { $path } cannot be written: { $error }
settings-policy_hold = each move { $time } later and after { $moves } more of both players, illegal moves once they stay
settings-policy_show = each move { $time } later and after { $moves } more of both players, illegal moves like any others
settings-unknown_key = there is no key { $key }
page-backup = Download a backup of all games
page-front-end-files = Games as files
page-front-end-hooks = Notifications of alerts
page-front-end-lichess = Broadcast to an online chess server
page-front-end-livechess = Server for chess programs
page-front-end-metrics = Metrics
page-front-end-web = This page
page-health = Health
page-health-ended = has ended
page-health-name_not_owned = runs without its name
page-health-off = is off
page-health-problems = Problems: { $count }
page-health-running = runs
page-health-well = Everything is in order
page-illegal-hold = once they stay on record
page-illegal-show = like any other move
page-machine = Machine
page-machine-boards = Boards
page-machine-clock = Clock
page-machine-disk = Free disk space
page-machine-left = stopped { $time } ago
page-machine-problems = Problems
page-machine-silent = silent for { $time }
page-machine-state = State
page-machine-temperature = Temperature
page-machine-there = connected
page-machine-unheard = not heard yet
page-machine-unsent = Events not here yet
page-machine-version = Version
page-setting-broadcast-delay_plies = Delay of the public, in moves of both players
page-setting-broadcast-delay_s = Delay of the public, in seconds
page-setting-broadcast-illegal_move = Illegal moves for the public
page-setting-laws-edition = Edition of the Laws
page-setting-laws-supervision = Supervision, in rapid and blitz
page-setting-laws-time_class = Time class
page-setting-pgn-event = Name of the event
page-setting-pgn-site = Place of the event
page-settings = Settings
page-settings-about = What is changed here is kept beside the configuration file ({ $file }), which stays as it is
page-settings-change = Change
page-settings-changed = Changed: { $key }. It takes effect { $effect }
page-settings-confirm = Change it nevertheless
page-settings-effect-immediate = at once
page-settings-effect-new_games = in games that begin from now on
page-settings-effect-next_start = at the next start
page-settings-fixed = Only in the configuration file
page-settings-source-changed = { $by }, { $at }
page-settings-source-default = default
page-settings-source-file = configuration file
page-settings-unset = Let the configuration file decide again
page-setup = Set up
page-setup-address = Address of the page:
page-setup-board-ready = is read
page-setup-boards = Boards
page-setup-download-ca = Download the certificate of the CA
page-setup-event = Event and Laws
page-setup-install-ca = A telephone that is to trust this machine without asking installs the certificate of its CA. Compare this SHA-256 with the one in the terminal first. The CA can sign for private names and addresses only
page-setup-model = If it is a board, its model:
page-setup-no-boards = No board is connected. Plug one in: it appears here within a moment
page-setup-only-here = Only this machine reaches the page. To let telephones reach it, type this in a terminal:
page-setup-public-certificate = With a public name and a certificate for it, no browser asks: the pages for administrators say how
page-setup-root = In a terminal
page-setup-root-about = Where the page listens, its certificate, and the boards in the configuration file are changed in a terminal of this machine, by a command that asks first, and that can also take back what it did:
page-setup-telephones = Telephones
page-setup-unknown-ca = A browser does not know the CA of this machine, and says that the connection is not private. Compare the SHA-256 of the certificate that it shows with this one before you go on:
page-setup-unused = These devices are not used. Nothing is sent to them until somebody says in a terminal of this machine that they are boards:

## What is wrong with pairings and with acts at the desk

problem-bad_line = the line cannot be read: check its quotation marks, or export the pairings again
problem-bad_result = this is not a result: write 1-0, 0-1, 1/2-1/2, 0-0, +--, --+, ---, adjourned, or nothing
problem-bad_section = the section of table { $table } must be a single line of at most 255 bytes
problem-bad_start_number = columns 5-8 are not a start number
problem-bad_table_list_line = expected a table and the start number of one of its players
problem-bad_text = the data of a player at table { $table } must be single lines of at most 255 bytes
problem-board_twice = board { $board } is at table { $first } and at table { $second }
problem-boards_are_tables = the column has only numbers: they are read as tables
problem-bye = { $name } has no opponent in this round: a bye
problem-bye_and_game = { $name } has a bye, and plays at table { $table }: if these are two people, write one of the names differently
problem-damaged_text = some characters are damaged: save the file as UTF-8
problem-empty_file = the file is empty: export the pairings again
problem-export = export the pairings from the pairing program as CSV, PGN or TRF16, and give that file
problem-file_excel = an Excel workbook (.xlsx) or another packed file
problem-file_libreoffice = a LibreOffice spreadsheet (.ods)
problem-file_old_excel = an old Excel workbook (.xls)
problem-file_pdf = a PDF document
problem-file_swiss_manager = a tournament file of Swiss-Manager
problem-file_web_page = a web page
problem-more = and { $more } more
problem-namesakes = only one { $name } has a FIDE ID: TRF16 may have one player of the name; if these are two people, write one of the names differently, or give the FIDE ID of each
problem-no_name = a player at table { $table } has no name
problem-no_opponent = player { $player } is paired with { $opponent }, who is not in the file
problem-no_rating = no rating: { $names }
problem-no_rating_of_many = no rating: { $names }, and { $more } more
problem-no_round_number = the round has no number: enter it beside the file
problem-no_such_round = round { $number } is not among the { $rounds } rounds of the file: choose another one
problem-no_table = { $white } - { $black } has no table
problem-no_table_numbers = a TRF16 file has no table numbers: choose "Tables by points and start number" below, or load it in a terminal with --boards
problem-nobody_paired = nobody is paired in this round
problem-not_a_number = this must be a number, at least 1 and at most { $most }
problem-not_in_table_list = the list of tables has neither { $white } nor { $black }, who are paired with each other
problem-not_pgn = game { $game } is not PGN: a tag or a comment in it has no end
problem-not_unicode = the file is not in Unicode, and was read as Windows-1252: check names with accents, or save the file as UTF-8
problem-opponent_elsewhere = player { $player } is paired with { $opponent }, who is paired with somebody else
problem-other_file = this is { $file }: { $advice }
problem-plays_twice = { $name } plays at table { $first } and at table { $second }: if these are two people, write one of the names differently
problem-results_differ = the results of the two players do not fit: none is read, enter it later
problem-same_fide_id = { $name } and { $other } have the same FIDE ID { $id }
problem-save_as_csv = open it in Excel or LibreOffice, save the sheet of the pairings as "CSV UTF-8", and give that file
problem-serial_twice = the board with serial number { $serial } is at table { $first } and at table { $second }
problem-several_rounds = the file has rounds { $rounds }: enter beside it which one to load
problem-start_number_twice = start number { $number } is listed twice
problem-table_twice = table { $table } is listed twice
problem-tables_by_order = the file has no column of tables: they are numbered in the order of the lines
problem-too_large = the file is larger than { $most } MiB: export only the pairings of one round
problem-too_many_pairings = there are more than { $most } pairings: give one round of one tournament
problem-two_byes = { $name } has two byes: if these are two people, write one of the names differently
problem-unknown_format = unknown format: upload PGN, a table with columns for the players (such as white and black), or a TRF16 file
problem-wrong_count = { $values } values, but the line of the column names has { $names } names
desk-bad_act = this act cannot be read: { $error }
desk-bad_round = nothing was changed: { $problems }
desk-has_moves = the game at table { $table } has moves: enter 1-0, 0-1 or 1/2-1/2
desk-has_pairing = table { $table } has a pairing in round { $round } already: choose another table
desk-internal = only touchmove itself does this
desk-no_pairing = table { $table } has no pairing in round { $round }
desk-no_round = round { $round } is not loaded: upload its pairings
desk-no_round_loaded = no round is loaded: upload pairings
desk-no_seat = no board is seated at table { $table }
desk-lost_game = The game of { $white } - { $black } at table { $table } loses its pairing: this file does not have it
desk-lost_result = The result { $result } of { $white } - { $black } at table { $table } is lost: this file does not have it
desk-overtaken = nothing was changed, because { $by } has changed { $part } since you looked: look again, then decide
desk-part_byes = the byes of round { $round }
desk-part_current_round = which round is played
desk-part_desk = the desk
desk-part_pairing = table { $table } of round { $round }
desk-part_player = the pairing or the bye of { $name } in round { $round }
desk-part_round = round { $round }
desk-part_seat_of_board = the table of board { $board }
desk-part_seat_of_table = the board of table { $table }
desk-part_seats = the seats
desk-result_not_in_game = the result is entered for the pairing, and its game does not have it yet: { $error }
desk-round_in_play = round { $round } is being played: start another round before you remove it
desk-seated_twice = board { $board } would be at table { $one } and at table { $other }: a board is at one table
desk-table_zero = tables count from 1

## The wiring test

wiring-reading = waiting until the board has reported all its squares
wiring-empty = take all pieces off the board, then go on
wiring-put = put one piece on { $square }
wiring-put_white = put one white piece on { $square }
wiring-move = move the piece to { $square }
wiring-short = the short test is done: go on to test all other squares, or stop here
wiring-clear = take the piece off the board
wiring-not_empty = these squares show a piece: { $squares }; if the board is empty, go on
wiring-unexpected = the board shows { $squares }: if the piece is on { $square }, go on; otherwise put it there
wiring-overdue = the board shows nothing new: lift the piece and put it on { $square } again; if it is there, go on
wiring-well = nothing wrong was found; squares tested: { $count }
wiring-last = { $square } shows as { $squares }
wiring-last_piece = { $square } shows as { $squares }, with the piece { $piece }
wiring-last_nothing = { $square } shows nothing
wiring-end-finished = the test is over
wiring-end-stopped = the test was stopped
wiring-end-board_gone = the test ended because the connection to the board was lost
wiring-end-caller_gone = the test ended because the program or the page from which it was carried out is gone
wiring-end-idle = the test ended because nothing was done for a long time
wiring-end-order = the test ended because a game was ordered to begin on the board
wiring-found-nothing_shown = no square shows the piece
wiring-found-inverted = all squares report the opposite: an empty square shows a piece
wiring-found-colours_exchanged = white pieces show as black ones
wiring-found-no_order = the squares are reported in no order of ranks and files
wiring-found-turned = the board is turned by 180 degrees: a1 shows as h8
wiring-found-ranks_mirrored = the ranks run the other way: rank 1 shows as rank 8
wiring-found-files_mirrored = the files run the other way: the a-file shows as the h-file
wiring-found-transposed = ranks and files are exchanged: a1 shows as { $a1 }, h1 as { $h1 }, a8 as { $a8 }
wiring-found-ranks_moved = ranks are in the wrong order: { $lines } show in the place of { $places }
wiring-found-files_moved = files are in the wrong order: { $lines } show in the place of { $places }
wiring-found-dead_rank = no square of rank { $line } shows a piece
wiring-found-dead_file = no square of the { $line }-file shows a piece
wiring-found-squares_exchanged = { $square } and { $other } show in each other's place
wiring-found-shown_as = { $square } shows in the place of { $other }
wiring-found-also_shown = a piece on { $square } also shows on { $squares }
wiring-found-dead = { $square } never shows a piece
wiring-found-stuck = { $square } shows a piece although it is empty
wiring-found-flickering = { $square } changes by itself
wiring-found-opposite = { $square } reports the opposite of all other squares
wiring-found-other_piece = { $square } shows { $shown } where other squares show { $usual }
wiring-do-change = the configuration can be changed so that the squares are in order
wiring-do-turned = nothing has to be changed: the position shows how the board is turned
wiring-do-rewire = exchange the wires, because the configuration cannot change this
wiring-do-program = change the order of the squares in the program of the board, or exchange the wires
wiring-do-maker = the configuration cannot change this: the board must be repaired by its maker
wiring-do-nothing = check that the piece has the magnet or the chip that this board needs, and the cable inside the board
wiring-do-nothing_matrix = check that the piece has a magnet, which way round the diodes are, and what the wiring file says about closed contacts
wiring-do-inverted = nothing has to be changed: this is noticed at the start of each game
wiring-do-line = the wire of this line may be broken: repair it
wiring-do-line_matrix = check the wire of this line, and its number in the wiring file
wiring-do-other_piece = if the same piece was on all squares, repair these squares, or let the board learn its pieces again
wiring-do-repair = repair these squares: until then it is noticed in each game that they do not work, and the arbiter is alerted

page-test = Test the squares
page-test-about = Somebody puts a piece on one square after the other, and the page shows what is wrong with the squares. No moves are read on this board meanwhile
page-test-back = Back
page-test-begin = Begin the test
page-test-changes = What to change in the configuration
page-test-count = Square { $tested } of { $total }
page-test-found = What was found
page-test-next = Go on
page-test-skip = Skip this square
page-test-stop = End the test
page-test-write = The administrator can write this with { $command }

## The search for boards over Bluetooth

bluetooth-no_bus = the system bus cannot be reached ({ $error }): check that dbus-daemon or dbus-broker runs
bluetooth-no_daemon = bluetoothd does not run: install { $package }, and run { $command }
bluetooth-no_answer = bluetoothd does not answer: run { $command }
bluetooth-denied = this user may not use Bluetooth: install { $file } of touchmove in { $directory } for the service, or join group { $group }
bluetooth-no_adapter = this machine has no Bluetooth adapter: plug one in, or enable the one that is built in
bluetooth-adapter_full = the Bluetooth adapter { $adapter } holds no more connections: use another adapter for some of the boards
bluetooth-adapter_off = the Bluetooth adapter { $adapter } is off: run { $command }
bluetooth-blocked = Bluetooth is blocked (rfkill): run { $command }, or move the radio switch of this machine
bluetooth-out_of_range = { $address } is not in range: switch the board on and bring it nearer; it cannot be seen either while a telephone or another computer is connected to it
bluetooth-weak = { $address } is received too weakly to be connected ({ $strength }): bring it nearer, or move the adapter
bluetooth-lost = the connection to { $address } was lost: switch the board on, bring it nearer, or charge it
bluetooth-device_blocked = { $address } is blocked on this machine: run { $command }
bluetooth-not_paired = { $address } must be paired with this machine: run { $command } while the board is on
bluetooth-in_use = { $address } is in use by another program of this machine: close that program
bluetooth-other_device = { $address } has no { $missing }: it is not a { $title }, or a newer version; see { $command }
bluetooth-small_mtu = { $address } sends messages of { $needed } bytes, but its connection carries { $carried } at a time: remove { $key } from { $file } and run { $command }
bluetooth-no_profile = it is not known how a { $title } is used over Bluetooth: give its port
bluetooth-failed = { $address } cannot be used over Bluetooth ({ $reason }): switch the board off and on
bluetooth-line_failed = the connection failed: { $error }

bluetooth-candidate_any = may be a board
bluetooth-candidate_possible = perhaps { $models }
bluetooth-candidate_probable = probably { $models }
bluetooth-candidate_certain = { $models }
bluetooth-evidence_name = its name is { $name }; names can be changed
bluetooth-evidence_name_begin = its name begins with { $begin }; names can be changed
bluetooth-evidence_service = it advertises service { $service }, as only such boards do
bluetooth-evidence_shared_service = it advertises the { $service } service, which boards of several makers have, and many other devices

bluetooth-identified = it answers like a { $model }
bluetooth-identified_not = it does not answer like a { $models }: switch it off and on, and ask again
bluetooth-identified_several = it sends what several models send: { $models }

bluetooth-bad_address = { $text } is not an address: write one such as { $example }
bluetooth-configured = { $address } is in the configuration already, as { $board }
bluetooth-identifying = { $address } is being asked which board it is: wait until it has answered
bluetooth-no_candidate = the advertisement of { $address } does not identify its model: add it with its model
bluetooth-no_handshake = no request confirms that { $address } is a { $models } without harm to boards of other makers: if it is one, add it with its model
bluetooth-not_needed = the advertisement of { $address } identifies its model: no request is needed
bluetooth-not_seen = { $address } was not found by the last search: search again while the board is on

page-bluetooth = Boards over Bluetooth
page-bluetooth-about = Switch the board on, and end its connection to a telephone or another computer. The search connects to no device, and writes nothing to any
page-bluetooth-add = The administrator adds this board with one of these lines, and then runs { $command }
page-bluetooth-board = Configured as board { $board }
page-bluetooth-connected = connected
page-bluetooth-identify = Ask which board it is
page-bluetooth-identifying = A device is being asked which board it is. This takes up to a minute
page-bluetooth-none = No board was found: switch it on, end its connection to other devices, and search again
page-bluetooth-others = Other devices: { $count }
page-bluetooth-paired = paired
page-bluetooth-scan = Search
page-bluetooth-scanning = Searching
page-bluetooth-stop = End the search
page-bluetooth-strength-fair = fair signal
page-bluetooth-strength-strong = strong signal
page-bluetooth-strength-weak = weak signal

## The public page

public-all-federations = All federations
public-all-sections = All sections
public-all-states = All games
public-all-teams = All teams
public-announce = { $player }: { $move }
public-back = All boards
public-boards = Boards
public-bye-full_point = Bye, one point
public-bye-half_point = Bye, half a point
public-bye-pairing_allocated = Bye: no opponent
public-bye-zero_point = Absent
public-byes = Without an opponent
public-castles-long = castles queenside
public-castles-short = castles kingside
public-check = check
public-checkmate = checkmate
public-clear = Show all
public-close = Close
public-colours = Colours
public-colours-auto = As on this device
public-colours-dark = Dark
public-colours-light = Light
public-copied = Copied
public-copy = Copy
public-count = { $shown } of { $all }
public-display = Display
public-embed = For your website
public-empty = No games yet. They appear here when play begins
public-evaluation = Evaluation
public-evaluation-about = This device computes it; the games stay as they are. It loads about 7 MB once
public-evaluation-depth = Depth { $depth }
public-evaluation-failed = It cannot be computed on this device
public-evaluation-off = Stop the evaluation
public-evaluation-on = Evaluate
public-federation = Federation
public-filter = Filter
public-finished = Finished: { $count } of { $all }
public-first-move = Start
public-flip = Turn the board
public-full-screen = Big screen
public-game-not-found = There is no such table in this round
public-hours = { $count } h
public-image = Picture of the position
public-irregular = This move is on record, but it is not legal
public-key-back = back to all boards
public-key-ends = start and last move
public-key-flip = turn the board
public-key-live = follow the game
public-key-moves = previous and next move
public-key-search = search
public-keys = Keys
public-language = Language
public-last-move = Last move
public-late = Shown { $time } after it was played
public-late-moves = Shown { $count } moves after it was played
public-link = Link
public-live = Live
public-lost = No connection since { $time }. The page goes on as soon as there is one
public-material = Material: +{ $count }
public-minutes = { $count } min
public-missing = Moves are missing here
public-moves = Moves
public-next = Next page
public-next-move = Next move
public-no-javascript = Without JavaScript the page does not follow the games by itself: load it again to see new moves
public-no-moves = No moves yet
public-no-standings = There are no standings
public-none-fits = No board matches
public-opening = Opening
public-page-of = { $page } of { $pages }
public-pages = Pages
public-pause = Pause
public-pgn = Moves as PGN
public-pgn-round = All games as PGN
public-piece-bishop = Bishop
public-piece-king = King
public-piece-knight = Knight
public-piece-pawn = Pawn
public-piece-queen = Queen
public-piece-rook = Rook
public-pieces = Pieces
public-player = Player
public-player-black = Black
public-player-white = White
public-points = Points
public-position = Position. White: { $white }. Black: { $black }
public-previous = Previous page
public-previous-move = Previous move
public-promotes = promotes to { $piece }
public-provisional = Standings during round { $round }
public-qr = QR code for a telephone's camera
public-rank = Rank
public-rating = Rating
public-reason-arbiter = decided by the arbiter
public-reason-checkmate = checkmate
public-reason-kings_signal = signed off at the board
public-reason-stalemate = stalemate
public-result = Result
public-result-adjourned = Adjourned
public-results = Results
public-resume = Go on
public-round = Round { $round }
public-rounds = Rounds
public-search = Name or table
public-seconds = { $count } s
public-section = Section
public-share = Share
public-share-move = Begin at this move
public-size = Size of the boards
public-size-l = Large
public-size-m = Medium
public-size-s = Small
public-skip = Skip to the content
public-squares = Squares
public-squares-blue = Blue
public-squares-brown = Brown
public-squares-contrast = High contrast
public-squares-green = Green
public-squares-grey = Grey
public-staff = For arbiters and operators
public-standings = Standings
public-standings-after = Standings after round { $round }
public-state = State
public-state-finished = Finished
public-state-forfeited = Not played
public-state-paused = Paused
public-state-playing = In play
public-state-waiting = Not begun
public-table = Table { $table }
public-table-short = Table
public-takes = takes { $square }
public-team = Team
public-tie-break-buchholz = Buchholz
public-tie-break-wins = Wins
public-time-used = Time used
public-to = to { $square }
public-unreviewed = This translation was made by a machine and has not been reviewed
public-updated = As of { $time }
