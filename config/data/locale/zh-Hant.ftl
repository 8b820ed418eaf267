# touchmove 的繁體中文用語。src/locale/keys.rs 列出全部條目及其參數。
# 術語依照臺灣的西洋棋規則（2009年）：王、后、城堡、主教、騎士、兵，棋步，易位，吃過路兵，升變，小旗，死和局面。
# 句末不加句號：句子接在標題之後，或者放在別的句子裡。
# 棋子連同所在的格子寫作 { $moved }，例如「e8的城堡」；{ $moved-role } 是「城堡」，{ $moved-square } 是「e8」。

## 不正確的局面

wrong_start = 棋局開始時棋子的初始位置擺錯了：{ $differences }
orientation = 棋盤的擺法似乎錯了：雙方的最右下角應該是白格
unexplained = 棋盤上的局面與紀錄不符：{ $differences }
behind = 紀錄缺少棋步，而對局仍在進行，請核對紀錄紙：{ $differences }
ended_elsewhere = 棋局結束時的局面與紀錄不符：{ $differences }
displaced = { $player }按鐘時有棋子移位：{ $differences }
displaced_found = 發現有棋子放錯格：{ $differences }
capture_unclear = 被{ $player }吃掉的棋子似乎未拿離棋盤，仍在原格旁邊：{ $differences }
illegal_position_kings = 雙方的王都被將軍，而棋局仍在繼續
illegal_position_pawn = { $pawn }留在最後一條橫線上，而棋局仍在繼續

## 棋步

illegal_pending = { $player }的棋步{ $san }不合規則：{ $reason }；尚未按鐘，仍可改正
castling_begun = { $player }的王已按易位的走法在{ $on }放下：{ $rook }的城堡尚未走動，須完成易位
illegal_completed = { $player }走出並按鐘完成了不合規則的棋步{ $san }：{ $reason }
illegal_standing = { $player }的棋步{ $san }不合規則：{ $reason }；棋局已經繼續，該棋步有效
put_right = { $alert }；棋手已自行改正：收回該步，改走{ $san }並按鐘
pawn_left = { $player }按了鐘，而{ $pawn }沒有換上升變的棋子
uncertain = 有些棋步沒有逐一看到，從棋盤上無法確定；也可能是（步數、棋步）{ $plies }：請核對紀錄紙
uncertain_line = 連接線路遺失了資料，有些棋步是根據後來的局面推斷的（步數、棋步）：{ $plies }：請核對紀錄紙
uncertain_order = 有些棋步沒有看到，是根據後來的局面補上的，實際棋步或次序可能不同（步數、棋步）：{ $plies }：請核對紀錄紙
uncertain_late = 棋盤的訊息遲到，而且是同時到達的，這些棋步可能不同，或次序不同（步數、棋步）：{ $plies }：請核對紀錄紙
uncertain_twice = 棋子在手中停留很久，對方的應步在此之前已經放下：可能走了兩步，應步在其間（步數、棋步）：{ $plies }：請核對紀錄紙
uncertain_unshown = 棋步所到的格子沒有顯示變化，實際棋步可能不同（步數、棋步）：{ $plies }：請核對紀錄紙
uncertain_promotion = 棋盤不認識兵升變成的棋子，按后記錄：{ $plies }：請看棋盤，如不是后請更正
uncertain_rest = 在{ $plies }之前，棋子的位置與紀錄中的任何局面都不符，可能缺少棋步或棋步不同：請核對紀錄紙
moves_missing = 從第{ $number }回合起缺少棋步：沒有看到這些棋步，對局從紀錄中其後的局面繼續：請核對紀錄紙
last_move_doubtful = 最後一步可能不是{ $san }（可信度{ $percent }%）：請核對紀錄紙

## 棋鐘

press_without_move = { $player }按了鐘，但沒有看到走子
press_before_release = { $player }按鐘時，{ $man }似乎還拿在手中
flag_fall = 棋鐘顯示{ $player }的小旗已經降落
both_flags = 棋鐘顯示雙方的小旗都已降落
both_flags_first = 棋鐘顯示雙方的小旗都已降落，{ $player }的先降落

## 觸摸。感應器只看到棋子動過，看不出意圖。

touch_move = { $player }似乎依次觸摸了{ $men }，而走出的是{ $san }：如果是有意觸摸，{ $duty }
restored_unbound = 局面恢復之後，{ $player }走出{ $san }，違反摸子走子
touch_capture = { $player }似乎觸摸了對方可以被吃的棋子：{ $man }
possible_touch = { $player }似乎觸摸了{ $man }，而走出的是{ $san }
release_changed = { $player }似乎已把{ $man }在{ $square }放手，而走出的是{ $san }
promotion_changed = { $player }升變時，似乎先有{ $was }碰到{ $square }，現在那裡卻是{ $is }
handled_off_turn = { $player }似乎在對方行棋時動了{ $men }

## 棋局結束

kings_say = 放在{ $white }和{ $black }的兩個王表示結果為{ $result }：請確認，或者另行設定
kings_unclear = 兩個王似乎在表示棋局結果，但從棋盤上看不出是哪一種：請設定結果
result_wanted = 棋鐘已停，而棋子還在走動，棋局似乎已經結束：請設定結果；如果棋局仍在進行，請撤銷結果，此後走動的棋子即算作棋步
result_missing = 棋子已重新擺好，而本局尚無結果：請錄入結果
dead_position = 雙方都不能再以任何合乎規則的走法將死對方
five_fold = 相同局面第5次出現在棋盤上：分別在第{ $plies }步之後（雙方合計）
repeated = 相同局面第{ $times }次出現在棋盤上：分別在第{ $plies }步之後（雙方合計）
seventy_five = 雙方已連續各走了75步，沒有走動兵，也沒有吃子
quiet_moves = 雙方已連續各走了{ $moves }步，沒有走動兵，也沒有吃子
played_after_end = 棋局已有結果，而雙方仍在按鐘
end_waits = { $end }，尚待：{ $for }
end_unconfirmed = { $end }已記錄，但未經確認，不再等待：{ $for }；請確認結果，或者另行設定
end-checkmate = 將死，{ $result }
end-stalemate = 無子可動（逼和），{ $result }
waits-ruling = 裁判對不合規則的棋步{ $san }作出裁決：可判該步有效、恢復局面，或者設定結果
waits-notice = 有關{ $player }觸摸棋子的提示：可確認已知，或者設定結果予以確認

## 設備

board_silent = 棋盤已有{ $seconds }秒沒有任何訊號：請檢查連接線和電池
board_unseen = 棋盤沒有回報各格的棋子，棋步不會被記錄：請將棋盤關閉後重新開啟
link_lost = 與棋盤的連線已中斷，恢復之前看不到走子：請檢查連接線
clock_stopped = 棋鐘已停
clock_set = 棋鐘已調整：白方{ $white }，黑方{ $black }；調整前應為白方{ $white_was }，黑方{ $black_was }
clock_lost = 棋鐘的連線已中斷：請檢查連接線
clock_battery = 棋鐘的電池電量不足
board_battery = 棋盤的電池電量不足：還剩{ $percent }%

## 棋步為何不合規則

reason-not_his_turn = 行棋權屬於{ $player }，而{ $moved }是對方的棋子
reason-nothing_there = { $from }沒有棋子
reason-no_move = 沒有走子
reason-own_piece = 不可走到己方{ $on }佔據的格子
reason-king_taken = 不允許吃掉王
reason-no_such_move = { $moved-role }不能從{ $moved-square }走到{ $to }
reason-blocked = { $moved }被{ $by }擋住
reason-pawn_two_steps = 兵只有第一步才可以走兩格，而{ $moved }不在初始位置
reason-pawn_straight = 兵不能向前走到有棋子佔據的格子，而{ $on }就在前面
reason-pawn_diagonal = 兵只有在吃子時才能走到斜前方，而{ $to }沒有可吃的棋子
reason-en_passant_too_late = { $pawn }的兵只有在剛剛走了兩格之後，才能在下一步立即作為過路兵被吃
reason-en_passant_not_removed = { $pawn }的兵作為過路兵被吃，卻沒有從棋盤上拿走
reason-en_passant_wrong_pawn = 吃過路兵應拿走{ $pawn }的兵，卻拿走了{ $removed }
reason-pawn_left = 兵到了{ $pawn-square }而沒有升變
reason-promoted_wrongly = { $on }的兵不能升變為{ $role }
reason-promoted_colour = 升變棋子顏色不符：{ $on }是對方的顏色
reason-became = { $moved }不能變換為{ $role }
reason-into_check = 王走到{ $king }，受到{ $by }的攻擊
reason-kings_adjacent = { $king }的王與{ $other }的王相鄰
reason-pinned = { $moved }被牽制：走動它會使{ $king }的王被{ $by }將軍
reason-exposed = 這樣走會使{ $king }的王被{ $by }將軍
reason-still_in_check = 這樣走之後，{ $king }的王仍被{ $by }將軍
reason-double_check = { $king }的王同時被{ $by }將軍，只能走王
reason-castling_no_rook = { $rook }沒有可以用來易位的城堡
reason-castling_after_move = 不可易位：{ $moved ->
    [king] 王已經移動過
    [rook] { $rook }的城堡已經移動過
   *[either] 王或{ $rook }的城堡已經移動過
}
reason-castling_blocked = 不可易位：王與城堡之間尚有{ $by }
reason-castling_in_check = 不可易位：王正被{ $by }將軍
reason-castling_through = 不可易位：王將要越過的{ $square }受到{ $by }的攻擊
reason-castling_into = 不可易位：王將要佔據的{ $square }受到{ $by }的攻擊
reason-castling_unfinished = 易位沒有完成：城堡還在{ $rook }
reason-castling_squares = { $moved }沒有走到易位應到的格子
reason-several_moves = 走動了不止一個棋子：{ $moved }
reason-vanished = { $men }沒有被吃卻不見了
reason-appeared = 棋盤上多出了{ $men }
reason-exchanged = { $was }被換成了{ $is-role }

## 觸摸過的棋子有何約束

duty-touch_own = 必須走動{ $square }的棋子
duty-touch_own_together = 必須走動同時觸摸的{ $squares }的棋子之一
duty-touch_opponent = 必須吃掉{ $square }的棋子
duty-touch_opponent_together = 必須吃掉同時觸摸的{ $squares }的棋子之一
duty-touch_both = 必須用{ $own }的棋子吃掉{ $enemy }的棋子
duty-castling_touched = 必須用{ $rook }的城堡易位
duty-rook_before_king = 必須走動先於{ $king }的王觸摸的{ $rook }的城堡，而且不可用它易位
duty-rook_first = 必須走動{ $king }的王，而且不可用先觸摸的{ $rook }的城堡易位
duty-castling_illegal = 必須走動{ $king }的王：用{ $rook }的城堡易位不合規則
duty-promotion_final = 兵必須升變為已碰到{ $square }的{ $role }
duty-released = 從{ $from }拿起的棋子已在{ $on }放手，必須留在那裡
duty-castling_made = 王已按易位的走法放下，必須用{ $rook }的城堡完成易位
duty-pawn_left = { $square }的兵必須用后替換

## 主張和棋是否成立

claim-repeated = 主張和棋成立：相同局面出現了{ $times }次
claim-quiet = 主張和棋成立：連續{ $moves }步沒有走動兵，也沒有吃子
claim-too_few_times = 主張和棋不成立：相同局面只出現了{ $times }次
claim-too_few_moves = 主張和棋不成立：雙方合計須有{ $of }步，還差{ $missing }步
claim-not_at_hand = 手邊沒有所用規則關於此類主張的條文：是否成立，無從判斷
claim-lost = 主張和棋太遲：該方已觸摸棋子，失去了在這一步主張和棋的機會
claim-not_on_move = 主張和棋不成立：只有行棋方才能主張
claim-illegal_move = 主張和棋不成立：將走的棋步不合規則
claim-ended = 不能再主張和棋：棋局已經結束

## 應該怎樣處理

act-restore = 恢復到違例發生之前的局面
act-touch_binds = 改走的棋步須遵守摸子走子、離手不改
act-release_binds = 已放手的棋步不能再改
act-complete = 須走完這一步（如換上升變棋子）
act-queen = 用同色的后替換兵
act-take_increment = 收回因按鐘所得的加秒
act-add = 給對手的棋鐘加{ $time }
act-halve = 扣除該棋手剩餘時間的一半，最多扣{ $most }；原有時間夠的，至少留給{ $least }
act-wins = 判該棋手勝
act-loses = 判該棋手負
act-await_search = 判該棋手負；如果對手以任何合乎規則的走法都不能將死，則判為和棋：正在搜尋
act-loses_or_draw = 判該棋手負；如果對手以任何合乎規則的走法都不能將死，則判為和棋：搜尋沒有得出結論
act-draw = 判為和棋
act-stands = 已走的棋步有效
act-play_intended = 必須走出將走的棋步；如不合規則，則走同一棋子的另一棋步
act-new_game = 該局作廢，重下一局
act-transfer = 將棋子搬到正確擺放的棋盤上，繼續棋局
act-no_castling = 擺錯的王或城堡不可易位
act-own_time = 該棋手利用自己的行棋時間把棋子放好
act-put_right = 將棋子擺正
act-may_penalise = 裁判可酌情處罰該棋手
act-go_on = 沒有問題：棋局繼續
act-free = 可以走任何合乎規則的走法
act-on_claim = 須由對手提出指控，裁判方予處理
act-no_signal = 裁判不得提示小旗已經降落
act-rule_first = 先對這一步作出裁決：只有按規則走出的棋步才能結束棋局
act-go_on_or_draw = 如果無法斷定何方的小旗先落下，棋局繼續；如果這一時段內須走完全部剩餘步數，則判為和棋
act-wait = 等待下一步完成
act-arbiter_decides = 由裁判裁定：規則授權裁判決定
act-ask_result = 詢問棋局結果

## 提示的標題

kind-position_unexplained = 局面與紀錄不符
kind-wrong_start = 初始位置擺錯
kind-orientation = 棋盤擺法錯誤
kind-result_signalled = 棋手示意結果
kind-moves_uncertain = 棋步不確定
kind-result_wanted = 等待棋局結果
kind-result_missing = 缺少棋局結果
kind-illegal_pending = 不合規則，尚未按鐘
kind-illegal_move = 不合規則的棋步
kind-illegal_stands = 不合規則的棋步有效
kind-illegal_position = 不合規則的局面
kind-press_without_move = 未走子就按鐘
kind-press_before_release = 未放手就按鐘
kind-displaced = 棋子移位
kind-displaced_found = 發現棋子放錯格
kind-capture_unclear = 吃子不明
kind-touch_move = 可能違反摸子走子
kind-touch_capture = 可能觸摸對方棋子
kind-possible_touch = 可能觸摸棋子
kind-release_changed = 可能放手後改走
kind-promotion_changed = 可能更換升變棋子
kind-handled_off_turn = 可能在對方行棋時動子
kind-dead_position = 死和局面
kind-five_fold = 相同局面出現5次
kind-seventy_five = 雙方各75步
kind-flag_fall = 小旗降落
kind-board_silent = 棋盤無訊號
kind-link_lost = 連線中斷
kind-clock_stopped = 棋鐘已停
kind-clock_set = 棋鐘已調整
kind-clock_lost = 棋鐘連線中斷
kind-clock_battery = 棋鐘電量不足
kind-board_battery = 棋盤電量不足
kind-played_after_end = 棋局結束後走子

## 句子的組成部分

player-white = 白方
player-black = 黑方
role-pawn = 兵
role-knight = 騎士
role-bishop = 主教
role-rook = 城堡
role-queen = 后
role-king = 王
man = { $square }的{ $role }
men = { $before }、{ $next }
men-last = { $before }和{ $next }
difference = { $square }應為{ $expected }，實為{ $seen }
differences = { $before }；{ $next }
holds-nothing = 空格
holds-piece = 棋子
holds-white = 白棋
holds-black = 黑棋
piece-white = 白{ $role }
piece-black = 黑{ $role }
time-minutes = { $count }分鐘
time-seconds = { $count }秒

## 命令的效果

preview-undoes = 撤銷命令「{ $command }」
preview-continues = 前一盤棋從第{ $count }步（雙方合計）之後繼續，並補上此後所走的棋步，待棋盤擺成其局面即可；本局保留在日誌中
preview-ends = 開始新的棋局；目前的棋局共{ $count }步（雙方合計），到此為止，沒有結果
preview-removes = { $count ->
    [1] 刪除1步：{ $player }第{ $number }步{ $san }
   *[other] 刪除{ $count }步（雙方合計），從{ $player }第{ $number }步{ $san }起
}
preview-adds = { $count ->
    [1] 補入1步：{ $player }第{ $number }步{ $san }
   *[other] 補入{ $count }步（雙方合計），從{ $player }第{ $number }步{ $san }起
}
preview-no_moves = 棋步不變
preview-clocks = 當時的棋鐘：白方{ $white }，黑方{ $black }
preview-result = 結果改為{ $result }
preview-no_result = 撤銷結果{ $result }
preview-played_on = 提示之後棋局仍在進行：又走了{ $count }步（雙方合計）
preview-clears = 消除提示「{ $kind }」
preview-raises = 發出提示「{ $kind }」
preview-do_begin = 結束本局並開始新的棋局
preview-do_result = 設定結果{ $result }
preview-do_no_result = 撤銷結果
preview-do_remove = 刪除{ $count }步
preview-do_add = 補入{ $count }步
preview-do_change = 更改{ $count }步

## 查看之後發生的事

news-since = 沒有作任何更改，因為您查看之後棋局有了變化：{ $news }
news-played = 走了{ $count }步：{ $moves }
news-played_more = 走了{ $count }步（雙方合計），最後是{ $moves }
news-corrected = 記錄已更正：{ $moves }
news-removed = 棋步被收回，還剩{ $count }步
news-alert = 發出了提示：{ $kind }
news-command = { $by }下達了命令「{ $command }」
news-result = 結果為{ $result }
news-no_result = 結果已撤銷

## 命令的名稱

command-result = 設定結果
command-position = 設定局面
command-take_back = 收回棋步
command-promotion = 設定升變的棋子
command-adjust = 擺正棋子
command-acknowledge = 知悉提示
command-restore = 恢復局面
command-let_stand = 棋步有效
command-replace = 更換一步
command-insert = 補入一步
command-undo = 撤銷
command-count = 計入違規
command-strike = 不計入違規
command-clock_note = 記下棋鐘時間
command-laws = 設定規則
command-tags = 設定棋手
command-pause = 暫停或繼續
command-claim = 核對和棋主張

## 網頁

page-acknowledge = 已知悉
page-alerts = 提示：{ $count }項
page-all-sections = 所有組別
page-all-states = 所有棋局
page-allowed = 允許的棋步
page-alternatives = 也可能是
page-arbiter = 裁判
page-articles = 條款
page-back = 全部棋盤
page-battery = 電量{ $percent }%
page-board = 棋盤{ $number }
page-cancel = 取消
page-claim-fifty_moves = 連續50步沒有走動兵，也沒有吃子
page-claim-repetition = 相同局面出現3次
page-clock = 棋鐘
page-clocks = 棋鐘
page-clocks-then = 當時的棋鐘
page-close = 關閉
page-code-here = 在此裝置上用此登入碼登入。每個登入碼只能登入一次
page-code-wait = 輸錯登入碼的次數過多。請一分鐘後再試，或使用權杖登入
page-code-wrong = 此登入碼無效或已失效。登入碼在十分鐘內可登入一次：請索取新的登入碼
page-completed = 完成
page-confidence = 可信度
page-contact-connecting = 正在連線
page-contact-refused = 無法開啟
page-contact-silent = 無訊號
page-contact-unplugged = 未連線
page-corrected = 已更正
page-corrections = 更正：{ $count }次
page-counted = 計入次數
page-counted-of = { $player }第{ $count }次
page-done = 已執行
page-ended-arbiter = 由裁判判定
page-ended-checkmate = 將死
page-ended-kings_signal = 兩個王放在中心
page-ended-stalemate = 無子可動（逼和）
page-evidence = 證據：格子的變化{ $count }次
page-filter = 桌號或姓名
page-flip = 翻轉棋盤
page-frame-back = 上一個
page-frame-on = 下一個
page-frames = 格子紀錄
page-frames-around = { $time }前後的格子
page-frames-none = 沒有這段時間的紀錄
page-frames-then = 查看當時的格子
page-missing = 缺少棋步
page-missing-moves = 沒有看到這個局面之前的棋步
page-irregular = 不合規則
page-irregular-move = 該棋步在紀錄中，但不合規則
page-key-alert = 下一項提示
page-key-arrows = 在棋盤之間移動
page-key-back = 返回全部棋盤
page-key-ends = 開始、最後
page-key-filter = 按桌號篩選並開啟
page-key-flip = 翻轉棋盤
page-key-frames = 格子紀錄
page-key-help = 按鍵說明
page-key-moves = 上一步、下一步
page-key-open = 開啟棋盤
page-key-print = 列印紀錄紙
page-key-rule = 裁決
page-key-search = 搜尋
page-key-sound = 開啟、關閉聲音
page-key-squares = 格子的實際狀態
page-keys = 按鍵
page-keys-all = 通用
page-keys-board = 單一棋盤
page-keys-hall = 全部棋盤
page-language = 語言
page-login = 登入
page-login-about = 裁判和操作員使用系統管理員發給的權杖
page-logout = 登出
page-lost = 連線於{ $time }中斷：顯示的內容已過時，正在重新連線
page-made = 走出
page-minutes = { $count }分鐘
page-move-black = 黑方第{ $number }步
page-move-white = 白方第{ $number }步
page-moves = 棋步
page-needs = 需要處理：{ $count }
page-next = 下一頁
page-no-board = 沒有棋盤{ $board }
page-no-moves = 還沒有棋步
page-none = 還沒有棋盤
page-none-fits = 沒有符合的棋盤
page-not-yet = 尚未
page-page = 第{ $page }頁，共{ $pages }頁
page-pages = 頁
page-corrections-menu = 更正與對戰
page-percent = { $percent }%
page-phase-ended = 已結束
page-phase-play = 進行中
page-phase-start = 尚未開始
page-played-on = 提示之後棋局仍在進行：又走了{ $count }步（雙方合計）
page-plies = { $count }步（雙方合計）
page-previous = 上一頁
page-preview = 執行後的效果
page-preview-added = 補入的棋步
page-preview-after = 執行之後
page-preview-before = 現在
page-preview-removed = 刪除的棋步
page-print = 列印紀錄紙
page-public-late = 延遲{ $delay }顯示
page-put-right = 需要擺正的格子：{ $count }個
page-reason-analysis = 賽後分析
page-reason-arbiter = 由裁判更正
page-reason-evidence = 根據後來的行棋
page-reason-king_signal = 屬於示意結果的動作
page-reason-takeback = 已收回
page-required = 應當處理
page-result = 結果
page-result-is = 結果{ $result }
page-result-none = 尚無結果
page-role-arbiter = 裁判
page-role-operator = 操作員
page-role-administrator = 管理員
page-round = 第{ $round }輪
page-rule = 裁決
page-seconds = { $count }秒
page-section = 組別
page-sending = 正在傳送
page-sheet = 紀錄紙
page-sheet-from = 根據電子棋盤的紀錄，時間為棋步完成時的剩餘時間。叉號表示不合規則的棋步，問號表示可信度低於90%的棋步
page-sheet-public = 根據電子棋盤的紀錄，時間為棋步完成時的剩餘時間。叉號表示不合規則的棋步
page-shows-moment = 顯示：{ $time }的格子
page-shows-ply = 顯示：{ $move }之後
page-shows-squares = 顯示：格子的實際狀態，而不是紀錄
page-shows-start = 顯示：初始位置
page-size = 大小
page-size-rows = 每桌一行
page-size-s = 小棋盤
page-size-m = 中棋盤
page-size-l = 大棋盤
page-sound-blocked = 聲音被瀏覽器封鎖：請按這裡
page-sound-off = 聲音已關閉
page-sound-on = 聲音已開啟
page-squares = 格子的實際狀態
page-start = 初始位置
page-state = 狀態
page-state-differs = 不符：{ $count }格
page-state-empty = 沒有棋局
page-state-paused = 已暫停
page-state-play = 進行中
page-state-start = 尚未開始
page-state-uncertain = 進行中，不確定
page-table = 第{ $table }桌
page-tally = 計入的違規：{ $count }次
page-telephone = 登入手機
page-telephone-about = 手機憑登入碼登入一次，此後以自己的名稱操作。您的權杖被撤銷時，手機也隨之登出
page-telephone-code = 顯示登入碼
page-telephone-example = { $name }的手機
page-telephone-name = 名稱（記入日誌）
page-telephone-role = 身分
page-telephone-scan = 用手機相機掃描，或在手機上開啟本頁並輸入登入碼。登入碼在 { $minutes } 分鐘內有效，只能登入一次
page-token = 權杖或登入碼
page-problems = 操作員應當處理

## 網頁：裁判可以做什麼

page-undone = 已撤銷
page-do-adjust = 棋手擺正棋子
page-do-claim = 主張和棋
page-do-clock_note = 記下棋鐘時間
page-do-count = 計入一次違規
page-do-go_on = 繼續棋局
page-do-insert = 在前面補入一步
page-do-it = 執行
page-do-let_stand = 該棋步有效
page-do-pause = 暫停棋局
page-do-position = 設定局面
page-do-promotion = 兵升變為
page-do-replace = 更換這一步
page-do-restore = 恢復局面
page-do-restore-before = 恢復到這一步之前
page-do-restore-ply = 恢復到{ $move }之前
page-do-result = 設定結果
page-do-strike = 不計入違規
page-do-take_back = 收回棋步
page-do-undo = 撤銷上一裁決
page-do-withdraw = 撤銷結果
page-about-adjust = 此後觸摸並放回的棋子不算棋步
page-about-claim = 只回答主張是否成立，不作任何更動
page-about-clock_note = 您設定的或看到的時間：只寫入日誌
page-about-count = 按不合規則棋步的處罰計算
page-about-go_on = 此後的走動重新算作棋步
page-about-insert = 這一步之前缺少一步；後面的棋步不變
page-about-let_stand = 以後不再更改
page-about-pause = 繼續之前可以隨意動棋子和棋鐘
page-about-position = 從這個局面開始新的棋局；之前的棋局到此為止
page-about-promotion = 棋盤無法分辨棋子時使用
page-about-replace = 這裡走的是另一步；後面的棋步不變
page-about-restore = 從這一步起的棋步將從紀錄中刪除，並顯示需要擺正的格子
page-about-result = 結束棋局，或者撤銷結果
page-about-strike = 不再計入該棋手的違規次數
page-about-take_back = 從紀錄中刪除
page-about-undo = 恢復裁決之前的紀錄
page-do-exchange = 換到另一張棋盤繼續
page-do-laws = 設定本局規則
page-do-pairing = 編輯對陣
page-do-tags = 棋手與賽事
page-do-forfeit = 登記棄權
page-do-seat = 換用另一張棋盤
page-do-swap = 互換兩桌棋局
page-about-forfeit = 這一桌不進行棋局
page-about-laws = 若與賽事規則不同；此後的提示與判罰均按此規則
page-about-tags = 用於不屬於任何輪次的棋局；輪次中的姓名見對陣
page-about-seat = 這張棋盤從現在起屬於這一桌
page-about-swap = 雙方棋手換桌，棋盤不動
page-forfeit-nobody = 雙方均不得分
page-forfeit-none = 沒有棄權
page-forfeit-white = 白方勝
page-forfeit-black = 黑方勝
page-field-one = 桌號
page-field-other = 另一桌號
page-field-board = 棋盤
page-field-edition = 版本
page-field-supervision = 監督（快棋與超快棋）
page-field-time_class = 用時類別
page-class-standard = 慢棋
page-class-rapid = 快棋
page-class-blitz = 超快棋
page-supervision-full = 充分：裁判人數足夠，且每局均有紀錄
page-supervision-limited = 有限：對方走棋後，不合規則的棋步不再更正
page-edition-china-1973 = 中國1973年西洋棋競賽規則
page-edition-fide-1997 = 國際西洋棋總會1997年規則
page-edition-fide-2009 = 國際西洋棋總會規則，2009年7月1日起
page-edition-fide-2014 = 國際西洋棋總會規則，2014年7月1日起
page-edition-fide-2017 = 國際西洋棋總會規則，2017年7月1日起
page-edition-fide-2018 = 國際西洋棋總會規則，2018年1月1日起
page-edition-fide-2023 = 國際西洋棋總會規則，2023年1月1日起
page-tag-White = 白方
page-tag-WhiteTitle = 白方稱號
page-tag-WhiteElo = 白方等級分
page-tag-Black = 黑方
page-tag-BlackTitle = 黑方稱號
page-tag-BlackElo = 黑方等級分
page-tag-Event = 賽事
page-tag-Round = 輪次
page-field-table = 桌號
page-field-winner = 未對局的結果
page-field-alert = 提示
page-field-black_ms = 黑方時間
page-field-claimed = 主張
page-field-counted = 違規
page-field-fen = 局面，用FEN表示
page-field-intended = 將走的棋步，可以不填
page-field-note = 備註
page-field-piece = 棋子
page-field-player = 棋手
page-field-plies = 收回幾步（雙方合計）
page-field-ply = 步數（雙方合計）：白方第一步為1，黑方第一步為2
page-field-result = 結果
page-field-uci = 棋步：起止格子，或在下面的棋盤上走出
page-field-what = 違規
page-field-white_ms = 白方時間
page-count-castling_abandoned = 易位沒有完成
page-count-handled_off_turn = 在對方行棋時動子
page-count-illegal_castling = 不合規則的易位
page-count-illegal_move = 不合規則的棋步
page-count-pawn_left = 兵沒有升變
page-count-press_before_release = 未放手就按鐘
page-count-press_without_move = 未走子就按鐘
page-count-promotion_changed = 更換升變棋子
page-count-release_changed = 放手後改步
page-count-touch_broken = 違反摸子走子
page-count-two_hands = 使用雙手

## 頁面中的操作台

page-desk-absent = 未連接
page-desk-adjourned = 封棋
page-desk-black = 黑方
page-desk-board = 棋盤
page-desk-board-of = { $table } 號桌的棋盤
page-desk-boards = 棋盤
page-desk-boards-seated = 已安置的棋盤：{ $count }
page-desk-boards-unseated = 尚未安置、因而沒有棋手的棋盤：{ $boards }
page-desk-by-name = 按名稱安置
page-desk-by-touch = 逐桌觸摸安置
page-desk-colours-reversed = { $table } 號桌已換色
page-desk-confirm-start = 開始第 { $round } 輪？本輪缺少的結果：{ $missing }
page-desk-end = 結束
page-desk-exchange-about = 棋盤{ $board }上的棋局將在另一張棋盤上繼續，棋步和用時不變。請先停鐘，在那張棋盤上擺好局面；此後那張棋盤屬於這一桌
page-desk-exchange-do = 在那裡繼續
page-desk-exchange-none = 沒有其他空閒的棋盤：請連接備用棋盤
page-desk-exchange-to = 空閒的棋盤
page-desk-exchanged = 棋局在棋盤{ $board }上繼續
page-desk-export = 匯出
page-desk-federation = 棋協
page-desk-from-table = 起始桌號
page-desk-game = 棋局 { $game }
page-desk-games-here = 本桌的棋局
page-desk-lift-king = { $table } 號桌：拿起白王再放回
page-desk-load-round = 載入第 { $round } 輪
page-desk-log = 裁判紀錄
page-desk-missing = 缺少結果：
page-desk-name = 姓名
page-desk-no-board = 無棋盤
page-desk-no-round = 尚未載入任何輪次：請上傳對陣檔案，或拖放到此處
page-desk-of-game = { $result }（棋局）
page-desk-pairing-saved = { $table } 號桌的對陣已儲存
page-desk-players-swapped = { $one } 號桌與 { $other } 號桌的棋手已互換
page-desk-rating = 等級分
page-desk-result = 結果
page-desk-result-entered = { $table } 號桌的結果已錄入
page-desk-result-of = { $table } 號桌的結果
page-desk-reverse-colours = 換色
page-desk-round = 輪次
page-desk-round-loaded = 第 { $round } 輪已載入
page-desk-round-now = 第 { $round } 輪（目前）
page-desk-round-started = 第 { $round } 輪已開始
page-desk-save = 儲存
page-desk-seat-these = 安置這些棋盤：{ $count }
page-desk-seated = { $board } 在 { $table } 號桌
page-desk-seats = 座位
page-desk-skip = 跳過
page-desk-start-round = 開始第 { $round } 輪
page-desk-state = 狀態
page-desk-state-ended = 已結束
page-desk-state-in_play = 進行中
page-desk-state-not_begun = 未開始
page-desk-state-result_missing = 缺少結果
page-desk-swap = 互換
page-desk-swap-with = 與此桌互換棋手
page-desk-title = 稱號
page-desk-undo = 撤銷
page-desk-unseated = { $table } 號桌現在沒有棋盤
page-desk-upload = 上傳對陣
page-desk-upload-errors = 錯誤：無法載入
page-desk-upload-ignored = 被忽略的欄：{ $columns }
page-desk-upload-preview = { $file }：尚未作任何更改
page-desk-upload-round = 輪次（檔案含多輪時）
page-desk-upload-warnings = 警告
page-desk-white = 白方

## 為何未執行

order-board_away = 棋局{ $game }的棋盤{ $board }未連接：請連接後重試
order-board_in_use = 棋盤{ $board }上正在進行棋局{ $game }：請選擇空閒的棋盤
order-cannot_identify = 棋盤{ $board }沒有可用的燈或蜂鳴器，或者未連接
order-changed = 您查看之後棋局有了變化：請重新查看再決定
order-game_replaced = 該棋盤上已開始另一局：請先查看
order-no_game_to_continue = 棋盤{ $board }上沒有正在進行的棋局，無從繼續
order-no_such_board = 沒有棋盤{ $board }
order-no_such_game = 棋局{ $game }已不在記憶體中
order-not_current = 棋局{ $requested }已結束，棋盤{ $board }上現在是棋局{ $current }：請查看那一局
order-not_set_up = 棋盤{ $board }上還沒有擺好該局面（見{ $squares }）：請在上面擺好，哪一方朝向均可，然後重試
order-not_stored = 未作任何更改，因為無法儲存：{ $error }
order-playing = 棋盤{ $board }上正在進行棋局{ $game }，不得向棋手顯示任何資訊：請等待棋局結束
order-squares_unknown = 棋盤{ $board }尚未回報格子的狀態：請確認已連接，擺好局面後重試
order-stopping = 程式正在關閉：請重新啟動後再試
order-unreadable = 棋局無法在另一張棋盤上繼續，因為無法讀取：{ $error }

## 服務本身

settings-bad_value = { $value }不是{ $key }的值：請寫{ $expected }
settings-earlier = 觀眾將更早看到此後的棋局：{ $after }；現在：{ $before }。觀眾可能會幫助棋手。此前的棋局仍按原來的延遲公布
settings-file_only = 執行時不能更改{ $key }：請在設定檔中更改，然後重新啟動
settings-invalid = 這樣設定將無效：{ $problems }
settings-not_set = { $key }沒有在此更改過：已由設定檔決定
settings-not_written = 未作任何更改，因為無法寫入{ $path }：{ $error }
settings-policy_hold = 每步延遲{ $time }，並在雙方又走{ $moves }步之後，不合規則的棋步在確定保留後
settings-policy_show = 每步延遲{ $time }，並在雙方又走{ $moves }步之後，不合規則的棋步也一樣
settings-unknown_key = 沒有設定項{ $key }
page-backup = 下載全部棋局的備份
page-front-end-files = 棋局檔案
page-front-end-hooks = 提示通知
page-front-end-lichess = 轉播到線上西洋棋網站
page-front-end-livechess = 供西洋棋軟體連接的服務
page-front-end-metrics = 執行指標
page-front-end-web = 本網頁
page-health = 執行狀況
page-health-ended = 已停止
page-health-name_not_owned = 執行中，但未取得名稱
page-health-off = 未啟用
page-health-problems = 問題：{ $count }
page-health-running = 執行中
page-health-well = 一切正常
page-illegal-hold = 確定保留後公布
page-illegal-show = 與其他棋步一樣公布
page-setting-broadcast-delay_plies = 公開延遲（雙方步數合計）
page-setting-broadcast-delay_s = 公開延遲（秒）
page-setting-broadcast-illegal_move = 不合規則的棋步如何公布
page-setting-laws-edition = 規則版本
page-setting-laws-supervision = 監督（快棋與超快棋）
page-setting-laws-time_class = 用時類別
page-settings = 設定
page-settings-about = 此處的更改另行儲存，設定檔（{ $file }）保持不變
page-settings-change = 更改
page-settings-changed = 已更改：{ $key }。生效時間：{ $effect }
page-settings-confirm = 仍要更改
page-settings-effect-immediate = 立即
page-settings-effect-new_games = 此後開始的棋局
page-settings-effect-next_start = 下次啟動時
page-settings-fixed = 只能在設定檔中更改
page-settings-source-changed = { $by }，{ $at }
page-settings-source-default = 預設
page-settings-source-file = 設定檔
page-settings-unset = 恢復由設定檔決定

## 對陣與編排操作的問題

problem-bad_line = 無法讀取這一行：{ $error }
problem-bad_result = 這不是結果：請寫1-0、0-1、1/2-1/2、+--、--+、---或留空
problem-bad_section = { $table }號桌的組別必須是一行，最多255位元組
problem-bad_start_number = 第5至8欄不是序號
problem-bad_table_list_line = 應為桌號和其中一名棋手的序號
problem-bad_text = { $table }號桌棋手的資料必須各為一行，最多255位元組
problem-board_twice = 棋盤{ $board }同時在{ $first }號桌和{ $second }號桌
problem-boards_are_tables = 這一欄只有數字：作為桌號讀取
problem-both_lost = 雙方均判負：未讀取該結果，請以後錄入
problem-bye = { $name }本輪沒有對手：輪空
problem-bye_and_game = { $name }輪空，卻又列出一次
problem-damaged_text = 部分字元已損壞：請將檔案存為UTF-8
problem-empty_file = 檔案為空：請重新匯出對陣
problem-export = 請從編排軟體將對陣匯出為CSV、PGN或TRF16，再載入該檔案
problem-file_excel = Excel活頁簿或其他壓縮檔
problem-file_libreoffice = LibreOffice試算表
problem-file_old_excel = 舊版Excel活頁簿
problem-file_pdf = PDF文件
problem-file_swiss_manager = 編排軟體的賽事檔案
problem-file_web_page = 網頁
problem-more = 另有{ $more }項
problem-no_name = { $table }號桌有一名棋手沒有姓名
problem-no_opponent = 序號{ $player }的對手是{ $opponent }，但檔案中沒有此人
problem-no_rating = 沒有等級分：{ $names }
problem-no_rating_of_many = 沒有等級分：{ $names }，另有{ $more }人
problem-no_round_number = 該輪沒有輪次號：請在檔案旁填寫
problem-no_such_round = 檔案共有{ $rounds }輪，沒有第{ $number }輪：請另選
problem-no_table = { $white } – { $black }沒有桌號
problem-no_table_numbers = TRF16檔案沒有桌號：請上傳表格檔案，或在終端機中載入
problem-nobody_paired = 本輪沒有任何對陣
problem-not_a_number = 這裡必須是1至{ $most }的數字
problem-not_in_table_list = 桌號表中沒有互為對手的{ $white }和{ $black }
problem-not_pgn = 第{ $game }局不是PGN：{ $error }
problem-not_unicode = 檔案不是Unicode編碼，按Windows-1252讀取：請檢查帶重音符號的姓名，或將檔案存為UTF-8
problem-opponent_elsewhere = 序號{ $player }的對手是{ $opponent }，而後者的對手是別人
problem-other_file = 這是{ $file }：{ $advice }
problem-plays_twice = { $name }同時在{ $first }號桌和{ $second }號桌
problem-same_fide_id = { $name }與{ $other }的FIDE ID相同：{ $id }
problem-save_as_csv = 請在Excel或LibreOffice中開啟，將對陣表另存為「CSV UTF-8」，再載入該檔案
problem-serial_twice = 序列號為{ $serial }的棋盤同時在{ $first }號桌和{ $second }號桌
problem-several_rounds = 檔案有多輪（{ $rounds }）：請在旁邊填寫要載入的輪次
problem-start_number_twice = 序號{ $number }列出兩次
problem-table_twice = { $table }號桌列出兩次
problem-tables_by_order = 檔案沒有桌號欄：按行的順序編號
problem-too_large = 檔案超過{ $most } MiB：請只匯出一輪的對陣
problem-too_many_pairings = 對陣超過{ $most }個：請只載入一項比賽的一輪
problem-unknown_format = 格式不明：請上傳PGN、含雙方棋手欄的表格或TRF16檔案
problem-wrong_count = 有{ $values }個值，而欄名行有{ $names }個欄名
desk-bad_act = 無法讀取此操作：{ $error }
desk-bad_round = 未作任何更改：{ $problems }
desk-has_moves = { $table }號桌的棋局已有棋步：請錄入1-0、0-1或1/2-1/2
desk-internal = 只有程式本身可以這樣做
desk-no_pairing = 第{ $round }輪{ $table }號桌沒有對陣
desk-no_round = 第{ $round }輪尚未載入：請上傳對陣
desk-no_round_loaded = 尚未載入任何輪次：請上傳對陣
desk-no_seat = { $table }號桌沒有安置棋盤
desk-result_not_in_game = 對陣的結果已錄入，但棋局尚未記錄該結果：{ $error }
desk-round_in_play = 第{ $round }輪正在進行：請先開始另一輪再刪除
desk-seated_twice = 棋盤{ $board }將同時在{ $one }號桌和{ $other }號桌：一張棋盤只能在一桌
desk-table_zero = 桌號從1開始
