# What touchmove says, in English. src/locale/keys.rs lists every message with its arguments.
# Sentences begin with a small letter and have no full stop: they stand after a heading, or within other sentences.
# A piece where it stands is { $moved }, "the rook on e8"; { $moved-role } is "rook" and { $moved-square } is "e8".

## Positions that are not as they should be

wrong_start = the game was begun from a wrong start position: { $differences }
orientation = the board seems to stand the wrong way round: the square in the right-hand corner of each player should be a light one
unexplained = the board does not show the position of the record: { $differences }
behind = moves are missing from the record, and play goes on: compare the score sheets; { $differences }
ended_elsewhere = the game ended in another position than that of the record: { $differences }
displaced = { $player } pressed the clock, and pieces are out of place: { $differences }
displaced_found = pieces were found out of place: { $differences }
capture_unclear = a piece that { $player } took seems to stand beside its square: { $differences }
illegal_position_kings = both kings are in check, and play goes on
illegal_position_pawn = { $pawn } stands on the last rank, and play goes on

## Moves

illegal_pending = { $san } by { $player } is not legal: { $reason }; the clock is not pressed yet, so it may still be put right
castling_begun = { $player } let go of the king on { $on } as in castling: the rook on { $rook } is still to be moved
illegal_completed = { $player } completed { $san }, which is not legal: { $reason }
illegal_standing = { $san } by { $player } was not legal: { $reason }; play went on, and it stands
pawn_left = { $player } pressed the clock, and { $pawn } was not replaced by another piece
uncertain = moves were not seen one by one, and the board does not tell which they were; they could also be { $plies }: compare the score sheets
uncertain_line = moves were made out from what stood there, on a line that loses updates: { $plies }: compare the score sheets
uncertain_order = moves were missed, and the record has some that lead to what stood there; they may have been others, or in another order: { $plies }: compare the score sheets
uncertain_late = what the board said came late, all at once; these moves may have been others, or in another order: { $plies }: compare the score sheets
uncertain_twice = a piece was in the air for long, and the move that answers it stood before it landed: it may have moved twice, with that move in between: { $plies }: compare the score sheets
uncertain_unshown = the square of the move showed nothing of it, and it may have been another: { $plies }: compare the score sheets
uncertain_promotion = the board does not know the piece that a pawn was promoted to, and a queen is assumed: { $plies }: look at the board, and replace the move if it is another piece
uncertain_rest = before { $plies } the pieces stood in a way that no position of the record shows: moves may be missing, or others were played: compare the score sheets
moves_missing = moves are missing from move { $number } on: nobody saw them, and play went on from the position that the record has after them: compare the score sheets
last_move_doubtful = the last move may be another than { $san } ({ $percent } % sure): compare the score sheets

## The clock

press_without_move = { $player } pressed the clock, and no move was seen
press_before_release = { $player } pressed the clock while { $man } seemed to be still in the hand
flag_fall = the clock shows that { $player }'s flag has fallen
both_flags = the clock shows that both flags have fallen
both_flags_first = the clock shows that both flags have fallen, { $player }'s before the other

## What was touched. A sensor sees that a piece moved, and not what was meant.

touch_move = { $player } seems to have touched, in this order, { $men }, and the move is { $san }: if that was meant, { $duty }
restored_unbound = the position was put back, and { $player } made { $san }, which the pieces touched before do not allow
touch_capture = { $player } seems to have touched { $man }, a piece of the opponent's that can be taken
possible_touch = { $player } seems to have touched { $man }, and the move is { $san }
release_changed = { $player } seems to have let go of { $man } on { $square }, and the move is { $san }
promotion_changed = a { $was } of { $player }'s seems to have touched { $square } first, and a { $is } stands there
handled_off_turn = { $player } seems to have handled { $men } in the opponent's time

## The end

kings_say = the kings on { $white } and { $black } say { $result }: confirm the result, or set another
kings_unclear = the kings seem to tell a result, and the board does not show which: set it
result_wanted = the clock is stopped and the pieces are moved on, so play seems to be over: set the result; if this is play, withdraw the result, and what was moved since counts
dead_position = neither player can mate any more by any series of legal moves
five_fold = the same position is on the board for the fifth time: it stood there after { $plies } moves, both players' counted
repeated = the same position has been on the board { $times } times: it stood there after { $plies } moves, both players' counted
seventy_five = both players have made seventy-five moves without a capture or a pawn's move
quiet_moves = both players have made { $moves } moves without a capture or a pawn's move
played_after_end = the game has a result on record, and both players go on pressing the clock
end_waits = { $end }, waits for: { $for }
end_unconfirmed = { $end } is on record unconfirmed, without waiting any longer for: { $for }; confirm the result, or set another
end-checkmate = checkmate, { $result }
end-stalemate = stalemate, { $result }
waits-ruling = your ruling on { $san }, which is not legal; let the move stand or put the position back, or set the result
waits-notice = the notice about what { $player } touched; acknowledge it, or confirm the result by setting it

## Devices

board_silent = the board has said nothing for { $seconds ->
    [one] a second
   *[other] { $seconds } seconds
}: look at its cable and its battery
board_unseen = the board does not say what stands on it, and no moves are recorded: switch it off and on
link_lost = the link to the board is lost, and nothing is seen until it is back: look at the cable
clock_stopped = the clock is stopped
clock_set = the clock was set: White { $white }, Black { $black }; it would show { $white_was } and { $black_was }
clock_lost = the clock is not connected any more: look at its cable
clock_battery = the battery of the clock is low
board_battery = the battery of the board is low: { $percent } % left

## Why a move is not legal

reason-not_his_turn = it was { $player }'s turn, and { $moved } is not his
reason-nothing_there = nothing stood on { $from }
reason-no_move = no move was made
reason-own_piece = the square is occupied by { $on }, a piece of the player's own
reason-king_taken = a king is never taken
reason-no_such_move = a { $moved-role } does not move from { $moved-square } to { $to }
reason-blocked = the way of { $moved } is blocked by { $by }
reason-pawn_two_steps = a pawn steps two squares only from where it starts, and { $moved } does not stand there
reason-pawn_straight = a pawn does not move straight on to an occupied square, and { $on } stands there
reason-pawn_diagonal = a pawn moves diagonally only where it takes, and there is nothing to take on { $to }
reason-en_passant_too_late = the pawn on { $pawn } can be taken en passant only in answer to its step of two squares
reason-en_passant_not_removed = the pawn on { $pawn } was taken en passant and not removed
reason-en_passant_wrong_pawn = en passant takes the pawn on { $pawn }, and { $removed } was removed
reason-pawn_left = the pawn was left on { $pawn-square }
reason-promoted_wrongly = the pawn on { $on } cannot become a { $role }
reason-promoted_colour = { $on }, which a pawn became, is of the other colour
reason-became = { $moved } cannot become a { $role }
reason-into_check = the king is attacked on { $king } by { $by }
reason-kings_adjacent = the king on { $king } stands beside the king on { $other }
reason-pinned = { $moved } is pinned: moving it leaves the king on { $king } in check from { $by }
reason-exposed = the move leaves the king on { $king } in check from { $by }
reason-still_in_check = the move leaves the king on { $king } in check from { $by }
reason-double_check = the king on { $king } is in check from { $by }, and only he can move
reason-castling_no_rook = there is no rook on { $rook } to castle with
reason-castling_after_move = castling is not allowed: { $moved ->
    [king] the king has moved before
    [rook] the rook on { $rook } has moved before
   *[either] the king or the rook on { $rook } has moved before
}
reason-castling_blocked = castling is not allowed: { $by } stands in the way
reason-castling_in_check = castling is not allowed: the king is in check from { $by }
reason-castling_through = castling is not allowed: the king crosses { $square }, which { $by } attacks
reason-castling_into = castling is not allowed: the king goes to { $square }, which { $by } attacks
reason-castling_unfinished = castling was not finished: the rook is still on { $rook }
reason-castling_squares = { $moved } were not moved as in castling
reason-several_moves = more than one piece was moved: { $moved }
reason-vanished = nothing took { $men }
reason-appeared = { $men } came from nowhere
reason-exchanged = a { $is-role } stands in place of { $was }

## What touched pieces oblige to

duty-touch_own = the piece on { $square } must move
duty-touch_own_together = one of the pieces on { $squares }, touched at once, must move
duty-touch_opponent = the piece on { $square } must be taken
duty-touch_opponent_together = one of the pieces on { $squares }, touched at once, must be taken
duty-touch_both = the piece on { $enemy } must be taken by the piece on { $own }
duty-castling_touched = castling with the rook on { $rook } must be played
duty-rook_before_king = the rook on { $rook } must move, and not castle with the king on { $king }, which was touched after it
duty-rook_first = the king on { $king } must move, and not castle with the rook on { $rook }, which was touched first
duty-castling_illegal = the king on { $king } must move: castling with the rook on { $rook } is not allowed
duty-promotion_final = the pawn becomes a { $role }, which touched { $square }
duty-released = the piece from { $from } was let go on { $on } and must stay there
duty-castling_made = the king was let go as in castling, which must be finished with the rook on { $rook }
duty-pawn_left = the pawn on { $square } becomes a queen

## What a claim of a draw is worth

claim-repeated = the claim is right: the position occurs { $times } times
claim-quiet = the claim is right: { $moves } moves without a capture or a pawn's move
claim-too_few_times = the claim is wrong: the position occurs { $times ->
    [one] once
   *[other] { $times } times
}
claim-too_few_moves = the claim is wrong: { $missing ->
    [one] one of the { $of } moves of both players is missing
   *[other] { $missing } of the { $of } moves of both players are missing
}
claim-not_at_hand = the text of these Laws is not at hand on such a claim: touchmove cannot say whether it is right
claim-lost = the claim comes too late: the player has touched a piece on this move
claim-not_on_move = the claim is wrong: only the player to move may claim
claim-illegal_move = the claim is wrong: the intended move is not legal
claim-ended = there is nothing to claim: the game has ended

## What a ruling asks for

act-restore = put back the position before the irregularity
act-touch_binds = what was touched or let go of binds the move that is made instead
act-release_binds = the move stays as it was let go of
act-complete = what is missing of the move is still to be done
act-queen = replace the pawn by a queen
act-take_increment = take back the increment that the press gained
act-add = add { $time } to the opponent's clock
act-halve = take half of the player's remaining time, but no more than { $most }, and leave him { $least } if he has as much
act-wins = the player wins
act-loses = the player loses
act-await_search = the player loses, or the game is drawn if the opponent cannot mate by any series of legal moves: that is being searched
act-loses_or_draw = the player loses, or the game is drawn if the opponent cannot mate by any series of legal moves: the search left that undecided
act-draw = the game is drawn
act-stands = what was done stands
act-play_intended = the intended move is made, or if it is illegal another move with that piece
act-new_game = the game is cancelled and a new one is played
act-transfer = move the position to a board that stands right, and go on
act-no_castling = no castling with a king or a rook that was set up wrong
act-own_time = the player puts the pieces right in his own time
act-put_right = put the piece right
act-may_penalise = you may penalise the player as you think fit
act-go_on = nothing is wrong: play goes on
act-free = any legal move may be made
act-on_claim = nothing, unless a player claims
act-no_signal = do not signal that the flag has fallen
act-rule_first = rule on the move first: it ends the game only if it was made by the Laws
act-go_on_or_draw = if it cannot be established which flag fell first, the game goes on, or is drawn if all remaining moves had to be made in this period
act-wait = wait for the next completed move
act-arbiter_decides = you decide: the Laws leave it to the arbiter
act-ask_result = ask for the result

## Headings of alerts

kind-position_unexplained = Position not explained
kind-wrong_start = Wrong start position
kind-orientation = Board turned wrong
kind-result_signalled = Result signalled
kind-moves_uncertain = Moves uncertain
kind-result_wanted = Result wanted
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
kind-played_after_end = Played after end

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

## The web page

page-acknowledge = Acknowledge
page-alerts = Alerts: { $count }
page-allowed = Allowed moves
page-alternatives = Could also be
page-arbiter = Arbiter
page-articles = Article
page-back = All boards
page-battery = battery { $percent } %
page-cancel = Cancel
page-claim-fifty_moves = Fifty moves without a capture or a pawn's move
page-claim-repetition = The same position three times
page-clock = Clock
page-clocks = Clocks
page-clocks-then = Clocks then
page-close = Close
page-completed = Completed
page-confidence = Sure
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
page-filter = Table or name
page-flip = Turn round
page-frame-back = Back
page-frame-on = On
page-frames = Squares over time
page-frames-around = Squares around { $time }
page-frames-none = Nothing is kept of this time
page-frames-then = What the squares showed then
page-missing = Moves are missing
page-missing-moves = the moves before this position were not seen
page-irregular = Not legal
page-irregular-move = this move is on record and not legal
page-key-alert = next alert
page-key-arrows = from board to board
page-key-back = back to all boards
page-key-ends = start, end
page-key-filter = show the tables with this number
page-key-flip = turn the board round
page-key-frames = squares over time
page-key-help = these keys
page-key-moves = move back, move on
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
page-login-about = Arbiters and operators have a token from whoever runs touchmove
page-logout = Log out
page-lost = Connection lost at { $time }: what is shown is old. Trying again
page-made = Made
page-minutes = { $count } min
page-move-black = Black's move { $number }
page-move-white = White's move { $number }
page-moves = Moves
page-no-board = There is no board { $board }
page-no-moves = No moves yet
page-none = No boards yet
page-none-fits = No board fits
page-not-yet = not yet
page-pairings = Pairings
page-percent = { $percent } %
page-plies = { $count } moves (both players')
page-print = Print score sheet
page-public = What everybody may see. Arbiters log in
page-public-late = What everybody may see, { $delay } late. Arbiters log in
page-put-right = Squares to put right: { $count }
page-reason-analysis = it was analysis after the game
page-reason-arbiter = by the arbiter
page-reason-evidence = later play showed it
page-reason-king_signal = it was half of a result signal
page-reason-takeback = taken back
page-required = Required
page-result = Result
page-result-is = Result { $result }
page-result-none = None yet
page-role-arbiter = arbiter
page-role-operator = operator
page-round = Round { $round }
page-rule = Rulings
page-seconds = { $count } s
page-sending = Sending
page-sheet = Score sheet
page-sheet-from = As the electronic board told it, with the times of completed moves. A cross marks a move that is not legal, a question mark one that is less than 90 % sure
page-shows-moment = Shown: the squares at { $time }
page-shows-ply = Shown: after { $move }
page-shows-squares = Shown: what the squares show, not the record
page-shows-start = Shown: the start position
page-sound-blocked = Sound is blocked: press here
page-sound-off = Sound is off
page-sound-on = Sound is on
page-squares = What the squares show
page-start = Start position
page-state-differs = Differs: { $count }
page-state-empty = No game
page-state-paused = Paused
page-state-play = In play
page-state-start = Not begun
page-state-uncertain = In play, uncertain
page-table = Table { $table }
page-tally = Counted irregularities: { $count }
page-token = Token
page-trouble = What operators should look at

## The web page: what the arbiter can do

page-undone = Undone
page-do-adjust = A player adjusts
page-do-claim = Claim of a draw
page-do-clock_note = Note the clock times
page-do-count = Count an irregularity
page-do-go_on = Go on
page-do-insert = Insert a move before it
page-do-it = Do it
page-do-let_stand = Let the move stand
page-do-pause = Pause
page-do-position = Set the position
page-do-promotion = What the pawn became
page-do-replace = Replace the move
page-do-restore = Put a position back
page-do-restore-before = Put back the position before it
page-do-restore-ply = Put back the position before { $move }
page-do-result = Set the result
page-do-strike = Do not count it
page-do-take_back = Take back moves
page-do-undo = Undo the last ruling
page-do-withdraw = Withdraw the result
page-about-adjust = What he touches next and puts back is no move
page-about-claim = It is answered what the claim is worth, and nothing changes
page-about-clock_note = As you set them, or as they are: for the journal
page-about-count = For the penalties of illegal moves
page-about-go_on = What is moved from now on is play again
page-about-insert = Before this move a legal move is missing; the moves after it stay
page-about-let_stand = It is never told as anything else
page-about-pause = Pieces and clock may be handled freely until play goes on
page-about-position = A new game begins from this position; the one before it ends as it stands
page-about-promotion = Where the board does not tell the piece
page-about-replace = Instead of this move another legal move was played; the moves after it stay
page-about-restore = The moves from this one on leave the record, and the board shows which squares to put right
page-about-result = Ends the game, or withdraws its result
page-about-strike = It counts no more for the player's penalties
page-about-take_back = They leave the record, as the players agreed or you ruled
page-about-undo = What it changed is told as it was
page-do-forfeit = Enter a forfeit
page-do-seat = Another board stands here
page-do-swap = Swap two tables
page-about-forfeit = Nobody plays at this table
page-about-seat = From now on this board belongs to the table
page-about-swap = The players change tables; the boards stay where they are
page-forfeit-nobody = Nobody wins
page-forfeit-none = No forfeit
page-forfeit-white = White wins
page-forfeit-black = Black wins
page-field-a = Table
page-field-b = And table
page-field-board = Board
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
page-field-uci = Move: from square to square, or made on the board below
page-field-what = Irregularity
page-field-white_ms = White's time
page-count-castling_abandoned = Castling not finished
page-count-handled_off_turn = Handled off turn
page-count-illegal_castling = Illegal castling
page-count-illegal_move = Illegal move
page-count-pawn_left = Pawn not replaced
page-count-press_before_release = Pressed before letting go
page-count-press_without_move = Pressed without a move
page-count-promotion_changed = Promotion changed
page-count-release_changed = Changed after release
page-count-touch_broken = Touch-move
page-count-two_hands = Two hands
