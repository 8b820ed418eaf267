# touchmove 的简体中文用语。src/locale/keys.rs 列出全部条目及其参数。
# 术语依照《国际象棋竞赛工作手册》（2016）：王、后、车、象、马、兵，着法，易位，吃过路兵，升变，钟旗，死和局面。
# 句末不加句号：句子接在标题之后，或者放在别的句子里。
# 棋子连同所在的格子写作 { $moved }，例如“e8的车”；{ $moved-role } 是“车”,{ $moved-square } 是“e8”。

## 不正确的局面

wrong_start = 对局开始时棋子的初始位置摆错了：{ $differences }
orientation = 棋盘的朝向似乎摆错了：双方的右下角应当是白格
unexplained = 棋盘上的局面与记录不符：{ $differences }
behind = 记录缺少着法，而对局仍在进行，请核对记录纸：{ $differences }
ended_elsewhere = 对局结束时的局面与记录不符：{ $differences }
displaced = { $player }按钟时有棋子错位：{ $differences }
displaced_found = 发现有棋子错位：{ $differences }
capture_unclear = 被{ $player }吃掉的棋子似乎未拿离棋盘，仍在原格旁边：{ $differences }
illegal_position_kings = 双方的王都被将军，而对局仍在继续
illegal_position_pawn = { $pawn }留在最后一条横线上，而对局仍在继续

## 着法

illegal_pending = { $player }的着法{ $san }不合规则：{ $reason }；尚未按钟，仍可改正
castling_begun = { $player }的王已按易位的走法在{ $on }松手：{ $rook }的车尚未走动，须完成易位
illegal_completed = { $player }走出并按钟完成了不合规则的着法{ $san }：{ $reason }
illegal_standing = { $player }的着法{ $san }不合规则：{ $reason }；对局已经继续，该着法有效
put_right = { $alert }；棋手已自行改正：收回该着，改走{ $san }并按钟
pawn_left = { $player }按了钟，而{ $pawn }没有换上升变的棋子
uncertain = 有些着法没有逐一看到，从棋盘上无法确定；也可能是（着数、着法）{ $plies }：请核对记录纸
uncertain_line = 连接线路丢失了数据，有些着法是根据后来的局面推断的（着数、着法）：{ $plies }：请核对记录纸
uncertain_order = 有些着法没有看到，是根据后来的局面补上的，实际着法或次序可能不同（着数、着法）：{ $plies }：请核对记录纸
uncertain_late = 棋盘的信息迟到，而且是同时到达的，这些着法可能不同，或次序不同（着数、着法）：{ $plies }：请核对记录纸
uncertain_twice = 棋子在手中停留很久，对方的应着在此之前已经落下：可能走了两着，应着在其间（着数、着法）：{ $plies }：请核对记录纸
uncertain_unshown = 着法所到的格子没有显示变化，实际着法可能不同（着数、着法）：{ $plies }：请核对记录纸
uncertain_promotion = 棋盘不认识兵升变成的棋子，按后记录：{ $plies }：请看棋盘，如不是后请更正
uncertain_rest = 在{ $plies }之前，棋子的位置与记录中的任何局面都不符，可能缺少着法或着法不同：请核对记录纸
moves_missing = 从第{ $number }回合起缺少着法：没有看到这些着法，对局从记录中其后的局面继续：请核对记录纸
last_move_doubtful = 最后一着可能不是{ $san }（可信度{ $percent }%）：请核对记录纸

## 棋钟

press_without_move = { $player }按了钟，但没有看到走棋
press_before_release = { $player }按钟时，{ $man }似乎还拿在手中
flag_fall = 棋钟显示{ $player }的钟旗已经落下
both_flags = 棋钟显示双方的钟旗都已落下
both_flags_first = 棋钟显示双方的钟旗都已落下，{ $player }的先落下

## 触摸。传感器只看到棋子动过，看不出意图。

touch_move = { $player }似乎依次触摸了{ $men }，而走出的是{ $san }：如果是有意触摸，{ $duty }
restored_unbound = 局面恢复之后，{ $player }走出{ $san }，违反摸子走子
touch_capture = { $player }似乎触摸了对方可以被吃的棋子：{ $man }
possible_touch = { $player }似乎触摸了{ $man }，而走出的是{ $san }
release_changed = { $player }似乎已把{ $man }在{ $square }松手，而走出的是{ $san }
promotion_changed = { $player }升变时，似乎先有{ $was }触及{ $square }，现在那里却是{ $is }
handled_off_turn = { $player }似乎在对方行棋时动了{ $men }

## 对局结束

kings_say = 放在{ $white }和{ $black }的两个王表示结果为{ $result }：请确认，或者另行设定
kings_unclear = 两个王似乎在表示对局结果，但从棋盘上看不出是哪一种：请设定结果
result_wanted = 棋钟已停，而棋子还在走动，对局似乎已经结束：请设定结果；如果对局仍在进行，请撤销结果，此后走动的棋子即算作着法
result_missing = 棋子已重新摆好，而本局尚无结果：请录入结果
dead_position = 双方都不能再以任何一系列合乎规则的着法将死对方
five_fold = 相同局面第5次出现在棋盘上：分别在第{ $plies }着之后（双方合计）
repeated = 相同局面第{ $times }次出现在棋盘上：分别在第{ $plies }着之后（双方合计）
seventy_five = 双方已连续走了75回合，没有走动兵，也没有吃子
quiet_moves = 双方已连续走了{ $moves }回合，没有走动兵，也没有吃子
played_after_end = 对局已有结果，而双方仍在按钟
end_waits = { $end }，尚待：{ $for }
end_unconfirmed = { $end }已记录，但未经确认，不再等待：{ $for }；请确认结果，或者另行设定
end-checkmate = 将死，{ $result }
end-stalemate = 无子可动（逼和），{ $result }
waits-ruling = 裁判员对不合规则的着法{ $san }作出裁决：可判该着有效、恢复局面，或者设定结果
waits-notice = 有关{ $player }触摸棋子的提示：可确认已知，或者设定结果予以确认

## 设备

board_silent = 棋盘已有{ $seconds }秒没有任何信号：请检查连接线和电池
board_unseen = 棋盘没有报告各格的棋子，着法不会被记录：请将棋盘关闭后重新打开
link_lost = 与棋盘的连接已断开，恢复之前看不到走棋：请检查连接线
clock_stopped = 棋钟已停
clock_set = 棋钟已调整：白方{ $white }，黑方{ $black }；调整前应为白方{ $white_was }，黑方{ $black_was }
clock_lost = 棋钟的连接已断开：请检查连接线
clock_battery = 棋钟的电池电量不足
board_battery = 棋盘的电池电量不足：还剩{ $percent }%

## 着法为何不合规则

reason-not_his_turn = 应由{ $player }行棋，而{ $moved }是对方的棋子
reason-nothing_there = { $from }没有棋子
reason-no_move = 没有走棋
reason-own_piece = 不能走到己方{ $on }占据的格子
reason-king_taken = 不允许吃掉王
reason-no_such_move = { $moved-role }不能从{ $moved-square }走到{ $to }
reason-blocked = { $moved }被{ $by }挡住
reason-pawn_two_steps = 兵只有在原始位置才可以走两格，而{ $moved }不在原始位置
reason-pawn_straight = 兵不能向前走到有棋子占据的格子，而{ $on }就在前面
reason-pawn_diagonal = 兵只有在吃子时才能走到斜前方，而{ $to }没有可吃的棋子
reason-en_passant_too_late = { $pawn }的兵只有在刚刚走了两格之后，才能立即作为过路兵被吃
reason-en_passant_not_removed = { $pawn }的兵作为过路兵被吃，却没有从棋盘上拿走
reason-en_passant_wrong_pawn = 吃过路兵应拿走{ $pawn }的兵，却拿走了{ $removed }
reason-pawn_left = 兵到了{ $pawn-square }而没有升变
reason-promoted_wrongly = { $on }的兵不能升变为{ $role }
reason-promoted_colour = 升变棋子颜色不符：{ $on }是对方的颜色
reason-became = { $moved }不能变换为{ $role }
reason-into_check = 王走到{ $king }，受到{ $by }的攻击
reason-kings_adjacent = { $king }的王与{ $other }的王相邻
reason-pinned = { $moved }被牵制：走动它会使{ $king }的王被{ $by }将军
reason-exposed = 这样走会使{ $king }的王被{ $by }将军
reason-still_in_check = 这样走之后，{ $king }的王仍被{ $by }将军
reason-double_check = { $king }的王同时被{ $by }将军，只能走王
reason-castling_no_rook = { $rook }没有可以用来易位的车
reason-castling_after_move = 不能易位：{ $moved ->
    [king] 王已经移动过
    [rook] { $rook }的车已经移动过
   *[either] 王或{ $rook }的车已经移动过
}
reason-castling_blocked = 不能易位：王与车之间尚有{ $by }
reason-castling_in_check = 不能易位：王正被{ $by }将军
reason-castling_through = 不能易位：王将要越过的{ $square }受到{ $by }的攻击
reason-castling_into = 不能易位：王将要占据的{ $square }受到{ $by }的攻击
reason-castling_unfinished = 易位没有完成：车还在{ $rook }
reason-castling_squares = { $moved }没有走到易位应到的格子
reason-several_moves = 走动了不止一个棋子：{ $moved }
reason-vanished = { $men }没有被吃却不见了
reason-appeared = 棋盘上多出了{ $men }
reason-exchanged = { $was }被换成了{ $is-role }

## 触摸过的棋子有何约束

duty-touch_own = 必须走动{ $square }的棋子
duty-touch_own_together = 必须走动同时触摸的{ $squares }的棋子之一
duty-touch_opponent = 必须吃掉{ $square }的棋子
duty-touch_opponent_together = 必须吃掉同时触摸的{ $squares }的棋子之一
duty-touch_both = 必须用{ $own }的棋子吃掉{ $enemy }的棋子
duty-castling_touched = 必须用{ $rook }的车易位
duty-rook_before_king = 必须走动先于{ $king }的王触摸的{ $rook }的车，而且不能用它易位
duty-rook_first = 必须走动{ $king }的王，而且不能用先触摸的{ $rook }的车易位
duty-castling_illegal = 必须走动{ $king }的王：用{ $rook }的车易位不合规则
duty-promotion_final = 兵必须升变为已触及{ $square }的{ $role }
duty-released = 从{ $from }拿起的棋子已在{ $on }松手，必须留在那里
duty-castling_made = 王已按易位的走法松手，必须用{ $rook }的车完成易位
duty-pawn_left = { $square }的兵必须用后替换

## 要求判和是否成立

claim-repeated = 判和的要求成立：相同局面出现了{ $times }次
claim-quiet = 判和的要求成立：连续{ $moves }回合没有走动兵，也没有吃子
claim-too_few_times = 判和的要求不成立：相同局面只出现了{ $times }次
claim-too_few_moves = 判和的要求不成立：双方合计须有{ $of }着，还差{ $missing }着
claim-not_at_hand = 手头没有所用规则关于此类要求的条文：是否成立，无从判断
claim-lost = 要求判和太迟：该方已触摸棋子，失去了在这一步棋要求判和的权利
claim-not_on_move = 判和的要求不成立：只有行棋方才能提出
claim-illegal_move = 判和的要求不成立：意图要走的着法不合规则
claim-ended = 不能再要求判和：对局已经结束

## 应当怎样处理

act-restore = 恢复到违例发生之前的局面
act-touch_binds = 改走的着法须遵守摸子走子、离手不改
act-release_binds = 已松手的着法不能再改
act-complete = 须走完这一着（如换上升变棋子）
act-queen = 用同色的后替换兵
act-take_increment = 收回因按钟所得的加秒
act-add = 给对方的棋钟加{ $time }
act-halve = 扣除该棋手剩余时间的一半，最多扣{ $most }；原有时间够的，至少留给{ $least }
act-wins = 判该棋手胜
act-loses = 判该棋手负
act-await_search = 判该棋手负；如果对方用任何一系列合乎规则的着法都不能将死，则判为和棋：正在搜索
act-loses_or_draw = 判该棋手负；如果对方用任何一系列合乎规则的着法都不能将死，则判为和棋：搜索没有得出结论
act-draw = 判为和棋
act-stands = 已走的着法有效
act-play_intended = 必须走出意图要走的着法；如不合规则，则走同一棋子的另一着法
act-new_game = 对局作废，重新开始
act-transfer = 将局面移到正确放置的棋盘上，继续对局
act-no_castling = 摆错的王或车不得易位
act-own_time = 该棋手用自己的时间摆正棋子
act-put_right = 将棋子摆正
act-may_penalise = 裁判员可以酌情处罚该棋手
act-go_on = 没有问题：继续对局
act-free = 可以走任何合乎规则的着法
act-on_claim = 须由对方提出指控，裁判员方予处理
act-no_signal = 裁判员不得提示钟旗已经落下
act-rule_first = 先对这一着作出裁决：只有按规则走出的着法才能结束对局
act-go_on_or_draw = 如果不能判断谁的钟旗先落下，对局继续；如果这一时限内须走完全部剩余着数，则判为和棋
act-wait = 等待下一着完成
act-arbiter_decides = 由裁判员裁定：规则授权裁判员决定
act-ask_result = 询问对局结果

## 提示的标题

kind-position_unexplained = 局面与记录不符
kind-wrong_start = 初始位置摆错
kind-orientation = 棋盘朝向错误
kind-result_signalled = 棋手示意结果
kind-moves_uncertain = 着法不确定
kind-result_wanted = 等待对局结果
kind-result_missing = 缺少对局结果
kind-illegal_pending = 不合规则，尚未按钟
kind-illegal_move = 不合规则的着法
kind-illegal_stands = 不合规则的着法有效
kind-illegal_position = 不合规则的局面
kind-press_without_move = 未走棋就按钟
kind-press_before_release = 未松手就按钟
kind-displaced = 棋子错位
kind-displaced_found = 发现棋子错位
kind-capture_unclear = 吃子不明
kind-touch_move = 可能违反摸子走子
kind-touch_capture = 可能触摸对方棋子
kind-possible_touch = 可能触摸棋子
kind-release_changed = 可能松手后改着
kind-promotion_changed = 可能更换升变棋子
kind-handled_off_turn = 可能在对方行棋时动子
kind-dead_position = 死和局面
kind-five_fold = 相同局面出现5次
kind-seventy_five = 连续75回合
kind-flag_fall = 钟旗落下
kind-board_silent = 棋盘无信号
kind-link_lost = 连接断开
kind-clock_stopped = 棋钟已停
kind-clock_set = 棋钟已调整
kind-clock_lost = 棋钟断开
kind-clock_battery = 棋钟电量不足
kind-board_battery = 棋盘电量不足
kind-played_after_end = 对局结束后走棋

## 句子的组成部分

player-white = 白方
player-black = 黑方
role-pawn = 兵
role-knight = 马
role-bishop = 象
role-rook = 车
role-queen = 后
role-king = 王
man = { $square }的{ $role }
men = { $before }、{ $next }
men-last = { $before }和{ $next }
difference = { $square }应为{ $expected }，实为{ $seen }
differences = { $before }；{ $next }
holds-nothing = 空格
holds-piece = 棋子
holds-white = 白棋
holds-black = 黑棋
piece-white = 白{ $role }
piece-black = 黑{ $role }
time-minutes = { $count }分钟
time-seconds = { $count }秒

## 命令的效果

preview-undoes = 撤销命令“{ $command }”
preview-continues = 前一对局从第{ $count }着（双方合计）之后继续，并补上此后所走的着法，待棋盘摆成其局面即可；本局保留在日志中
preview-ends = 开始新的对局；当前对局共{ $count }着（双方合计），到此为止，没有结果
preview-removes = { $count ->
    [1] 删除1着：{ $player }第{ $number }着{ $san }
   *[other] 删除{ $count }着（双方合计），从{ $player }第{ $number }着{ $san }起
}
preview-adds = { $count ->
    [1] 补入1着：{ $player }第{ $number }着{ $san }
   *[other] 补入{ $count }着（双方合计），从{ $player }第{ $number }着{ $san }起
}
preview-no_moves = 着法不变
preview-clocks = 当时的棋钟：白方{ $white }，黑方{ $black }
preview-result = 结果改为{ $result }
preview-no_result = 撤销结果{ $result }
preview-played_on = 提示之后对局仍在进行：又走了{ $count }着（双方合计）
preview-clears = 消除提示“{ $kind }”
preview-raises = 发出提示“{ $kind }”
preview-do_begin = 结束本局并开始新的对局
preview-do_result = 设定结果{ $result }
preview-do_no_result = 撤销结果
preview-do_remove = 删除{ $count }着
preview-do_add = 补入{ $count }着
preview-do_change = 更改{ $count }着

## 查看之后发生的事

news-since = 没有作任何更改，因为您查看之后对局有了变化：{ $news }
news-played = 走了{ $count }着：{ $moves }
news-played_more = 走了{ $count }着（双方合计），最后是{ $moves }
news-corrected = 记录已更正：{ $moves }
news-removed = 着法被收回，还剩{ $count }着
news-alert = 发出了提示：{ $kind }
news-command = { $by }下达了命令“{ $command }”
news-result = 结果为{ $result }
news-no_result = 结果已撤销

## 命令的名称

command-result = 设定结果
command-position = 设定局面
command-take_back = 收回着法
command-promotion = 设定升变的棋子
command-adjust = 摆正棋子
command-acknowledge = 知悉提示
command-restore = 恢复局面
command-let_stand = 着法有效
command-replace = 更换一着
command-insert = 补入一着
command-undo = 撤销
command-count = 计入违规
command-strike = 不计入违规
command-clock_note = 记下棋钟时间
command-laws = 设定规则
command-tags = 设定棋手
command-pause = 暂停或继续
command-claim = 核对和棋要求

## 网页

page-acknowledge = 已知悉
page-alerts = 提示：{ $count }项
page-all-sections = 所有组别
page-all-states = 所有对局
page-allowed = 允许的着法
page-alternatives = 也可能是
page-arbiter = 裁判员
page-articles = 条款
page-back = 全部棋盘
page-battery = 电量{ $percent }%
page-board = 棋盘{ $number }
page-cancel = 取消
page-claim-fifty_moves = 50回合没有走动兵，也没有吃子
page-claim-repetition = 相同局面出现3次
page-clock = 棋钟
page-clocks = 棋钟
page-clocks-then = 当时的棋钟
page-close = 关闭
page-code-here = 在此设备上用此登录码登录。每个登录码只能登录一次
page-code-wait = 输错登录码的次数过多。请一分钟后再试，或使用令牌登录
page-code-wrong = 此登录码无效或已失效。登录码在十分钟内可登录一次：请索取新的登录码
page-completed = 完成
page-confidence = 可信度
page-contact-connecting = 正在连接
page-contact-refused = 无法打开
page-contact-silent = 无信号
page-contact-unplugged = 未连接
page-corrected = 已更正
page-corrections = 更正：{ $count }次
page-counted = 计入次数
page-counted-of = { $player }第{ $count }次
page-done = 已执行
page-ended-arbiter = 由裁判员判定
page-ended-checkmate = 将死
page-ended-kings_signal = 两个王放在中心
page-ended-stalemate = 无子可动（逼和）
page-evidence = 证据：格子的变化{ $count }次
page-filter = 台号或姓名
page-flip = 翻转棋盘
page-frame-back = 上一个
page-frame-on = 下一个
page-frames = 格子记录
page-frames-around = { $time }前后的格子
page-frames-none = 没有这段时间的记录
page-frames-then = 查看当时的格子
page-missing = 缺少着法
page-missing-moves = 没有看到这个局面之前的着法
page-irregular = 不合规则
page-irregular-move = 该着法在记录中，但不合规则
page-key-alert = 下一项提示
page-key-arrows = 在棋盘之间移动
page-key-back = 返回全部棋盘
page-key-ends = 开始、最后
page-key-filter = 按台号筛选并打开
page-key-flip = 翻转棋盘
page-key-frames = 格子记录
page-key-help = 按键说明
page-key-moves = 上一着、下一着
page-key-open = 打开棋盘
page-key-print = 打印记录纸
page-key-rule = 裁决
page-key-search = 搜索
page-key-sound = 打开、关闭声音
page-key-squares = 格子的实际状态
page-keys = 按键
page-keys-all = 通用
page-keys-board = 单个棋盘
page-keys-hall = 全部棋盘
page-language = 语言
page-login = 登录
page-login-about = 裁判员和操作员使用系统管理员发给的令牌
page-logout = 退出
page-lost = 连接于{ $time }断开：显示的内容已过时，正在重新连接
page-made = 走出
page-minutes = { $count }分钟
page-move-black = 黑方第{ $number }着
page-move-white = 白方第{ $number }着
page-moves = 着法
page-needs = 需要处理：{ $count }
page-next = 下一页
page-no-board = 没有棋盘{ $board }
page-no-moves = 还没有着法
page-none = 还没有棋盘
page-none-fits = 没有符合的棋盘
page-not-yet = 尚未
page-page = 第{ $page }页，共{ $pages }页
page-pages = 页
page-corrections-menu = 更正与对阵
page-percent = { $percent }%
page-phase-ended = 已结束
page-phase-play = 进行中
page-phase-start = 尚未开始
page-played-on = 提示之后对局仍在进行：又走了{ $count }着（双方合计）
page-plies = { $count }着（双方合计）
page-previous = 上一页
page-preview = 执行后的效果
page-preview-added = 补入的着法
page-preview-after = 执行之后
page-preview-before = 现在
page-preview-removed = 删除的着法
page-print = 打印记录纸
page-public-late = 延迟{ $delay }显示
page-put-right = 需要摆正的格子：{ $count }个
page-reason-analysis = 赛后分析
page-reason-arbiter = 由裁判员更正
page-reason-evidence = 根据后来的行棋
page-reason-king_signal = 属于示意结果的动作
page-reason-takeback = 已收回
page-required = 应当处理
page-result = 结果
page-result-is = 结果{ $result }
page-result-none = 尚无结果
page-role-arbiter = 裁判员
page-role-operator = 操作员
page-role-administrator = 管理员
page-round = 第{ $round }轮
page-rule = 裁决
page-seconds = { $count }秒
page-section = 组别
page-sending = 正在发送
page-sheet = 记录纸
page-sheet-from = 根据电子棋盘的记录，时间为着法完成时的剩余时间。叉号表示不合规则的着法，问号表示可信度低于90%的着法
page-sheet-public = 根据电子棋盘的记录，时间为着法完成时的剩余时间。叉号表示不合规则的着法
page-shows-moment = 显示：{ $time }的格子
page-shows-ply = 显示：{ $move }之后
page-shows-squares = 显示：格子的实际状态，而不是记录
page-shows-start = 显示：初始位置
page-size = 大小
page-size-rows = 每台一行
page-size-s = 小棋盘
page-size-m = 中棋盘
page-size-l = 大棋盘
page-sound-blocked = 声音被浏览器阻止：请按这里
page-sound-off = 声音已关闭
page-sound-on = 声音已打开
page-squares = 格子的实际状态
page-start = 初始位置
page-state = 状态
page-state-differs = 不符：{ $count }格
page-state-empty = 没有对局
page-state-paused = 已暂停
page-state-play = 进行中
page-state-start = 尚未开始
page-state-uncertain = 进行中，不确定
page-table = 第{ $table }台
page-tally = 计入的违规：{ $count }次
page-telephone = 登录手机
page-telephone-about = 手机凭登录码登录一次，此后以自己的名称操作。您的令牌被撤销时，手机也随之退出
page-telephone-code = 显示登录码
page-telephone-example = { $name }的手机
page-telephone-name = 名称（记入日志）
page-telephone-role = 身份
page-telephone-scan = 用手机相机扫描，或在手机上打开本页并输入登录码。登录码在 { $minutes } 分钟内有效，只能登录一次
page-token = 令牌或登录码
page-problems = 操作员应当处理

## 网页：裁判员可以做什么

page-undone = 已撤销
page-do-adjust = 棋手摆正棋子
page-do-claim = 要求判和
page-do-clock_note = 记下棋钟时间
page-do-count = 计入一次违规
page-do-go_on = 继续对局
page-do-insert = 在前面补入一着
page-do-it = 执行
page-do-let_stand = 该着法有效
page-do-pause = 暂停对局
page-do-position = 设定局面
page-do-promotion = 兵升变为
page-do-replace = 更换这一着
page-do-restore = 恢复局面
page-do-restore-before = 恢复到这一着之前
page-do-restore-ply = 恢复到{ $move }之前
page-do-result = 设定结果
page-do-strike = 不计入违规
page-do-take_back = 收回着法
page-do-undo = 撤销上一裁决
page-do-withdraw = 撤销结果
page-about-adjust = 此后触摸并放回的棋子不算着法
page-about-claim = 只回答要求是否成立，不作任何改动
page-about-clock_note = 您设定的或看到的时间：只写入日志
page-about-count = 按不合规则着法的处罚计算
page-about-go_on = 此后的走动重新算作着法
page-about-insert = 这一着之前缺少一着；后面的着法不变
page-about-let_stand = 以后不再更改
page-about-pause = 继续之前可以随意动棋子和棋钟
page-about-position = 从这个局面开始新的对局；之前的对局到此为止
page-about-promotion = 棋盘无法分辨棋子时使用
page-about-replace = 这里走的是另一着；后面的着法不变
page-about-restore = 从这一着起的着法将从记录中删除，并显示需要摆正的格子
page-about-result = 结束对局，或者撤销结果
page-about-strike = 不再计入该棋手的违规次数
page-about-take_back = 从记录中删除
page-about-undo = 恢复裁决之前的记录
page-do-exchange = 换到另一张棋盘继续
page-do-laws = 设定本局规则
page-do-pairing = 编辑对阵
page-do-tags = 棋手与赛事
page-do-forfeit = 登记弃权
page-do-seat = 换用另一张棋盘
page-do-swap = 互换两台对局
page-about-forfeit = 这一台不进行对局
page-about-laws = 若与赛事规则不同；此后的提示与判罚均按此规则
page-about-tags = 用于不属于任何轮次的对局；轮次中的姓名见对阵
page-about-seat = 这张棋盘从现在起属于这一台
page-about-swap = 双方棋手换台，棋盘不动
page-forfeit-nobody = 双方均不得分
page-forfeit-none = 没有弃权
page-forfeit-white = 白方胜
page-forfeit-black = 黑方胜
page-field-one = 台号
page-field-other = 另一台号
page-field-board = 棋盘
page-field-edition = 版本
page-field-supervision = 监督（快棋与超快棋）
page-field-time_class = 用时类别
page-class-standard = 慢棋
page-class-rapid = 快棋
page-class-blitz = 超快棋
page-supervision-full = 充分：裁判员人数足够，且每局均有记录
page-supervision-limited = 有限：对方走棋后，不合规则的着法不再更正
page-edition-china-1973 = 中国1973年国际象棋竞赛规则
page-edition-fide-1997 = 国际棋联1997年规则
page-edition-fide-2009 = 国际棋联规则，2009年7月1日起
page-edition-fide-2014 = 国际棋联规则，2014年7月1日起
page-edition-fide-2017 = 国际棋联规则，2017年7月1日起
page-edition-fide-2018 = 国际棋联规则，2018年1月1日起
page-edition-fide-2023 = 国际棋联规则，2023年1月1日起
page-tag-White = 白方
page-tag-WhiteTitle = 白方称号
page-tag-WhiteElo = 白方等级分
page-tag-Black = 黑方
page-tag-BlackTitle = 黑方称号
page-tag-BlackElo = 黑方等级分
page-tag-Event = 赛事
page-tag-Round = 轮次
page-field-table = 台号
page-field-winner = 未对局的结果
page-field-alert = 提示
page-field-black_ms = 黑方时间
page-field-claimed = 要求
page-field-counted = 违规
page-field-fen = 局面，用FEN表示
page-field-intended = 意图要走的着法，可以不填
page-field-note = 备注
page-field-piece = 棋子
page-field-player = 棋手
page-field-plies = 收回几着（双方合计）
page-field-ply = 着数（双方合计）：白方第一着为1，黑方第一着为2
page-field-result = 结果
page-field-uci = 着法：起止格子，或在下面的棋盘上走出
page-field-what = 违规
page-field-white_ms = 白方时间
page-count-castling_abandoned = 易位没有完成
page-count-handled_off_turn = 在对方行棋时动子
page-count-illegal_castling = 不合规则的易位
page-count-illegal_move = 不合规则的着法
page-count-pawn_left = 兵没有升变
page-count-press_before_release = 未松手就按钟
page-count-press_without_move = 未走棋就按钟
page-count-promotion_changed = 更换升变棋子
page-count-release_changed = 松手后改着
page-count-touch_broken = 违反摸子走子
page-count-two_hands = 使用双手

## 页面中的操作台

page-desk-absent = 未连接
page-desk-adjourned = 封棋
page-desk-black = 黑方
page-desk-board = 棋盘
page-desk-board-of = { $table } 号台的棋盘
page-desk-boards = 棋盘
page-desk-boards-seated = 已安置的棋盘：{ $count }
page-desk-boards-unseated = 尚未安置、因而没有棋手的棋盘：{ $boards }
page-desk-by-name = 按名称安置
page-desk-by-touch = 逐台触摸安置
page-desk-colours-reversed = { $table } 号台已换色
page-desk-confirm-start = 开始第 { $round } 轮？本轮缺少的结果：{ $missing }
page-desk-end = 结束
page-desk-exchange-about = 棋盘{ $board }上的对局将在另一张棋盘上继续，着法和用时不变。请先停钟，在那张棋盘上摆好局面；此后那张棋盘属于这一台
page-desk-exchange-do = 在那里继续
page-desk-exchange-none = 没有其他空闲的棋盘：请连接备用棋盘
page-desk-exchange-to = 空闲的棋盘
page-desk-exchanged = 对局在棋盘{ $board }上继续
page-desk-export = 导出
page-desk-federation = 棋协
page-desk-from-table = 起始台号
page-desk-game = 对局 { $game }
page-desk-games-here = 本台的对局
page-desk-lift-king = { $table } 号台：拿起白王再放回
page-desk-load-round = 载入第 { $round } 轮
page-desk-log = 裁判员记录
page-desk-missing = 缺少结果：
page-desk-name = 姓名
page-desk-no-board = 无棋盘
page-desk-no-round = 尚未载入任何轮次：请上传对阵文件，或拖放到此处
page-desk-of-game = { $result }（对局）
page-desk-pairing-saved = { $table } 号台的对阵已保存
page-desk-players-swapped = { $one } 号台与 { $other } 号台的棋手已互换
page-desk-rating = 等级分
page-desk-result = 结果
page-desk-result-entered = { $table } 号台的结果已录入
page-desk-result-of = { $table } 号台的结果
page-desk-reverse-colours = 换色
page-desk-round = 轮次
page-desk-round-loaded = 第 { $round } 轮已载入
page-desk-round-now = 第 { $round } 轮（当前）
page-desk-round-started = 第 { $round } 轮已开始
page-desk-save = 保存
page-desk-seat-these = 安置这些棋盘：{ $count }
page-desk-seated = { $board } 在 { $table } 号台
page-desk-seats = 座位
page-desk-skip = 跳过
page-desk-start-round = 开始第 { $round } 轮
page-desk-state = 状态
page-desk-state-ended = 已结束
page-desk-state-in_play = 进行中
page-desk-state-not_begun = 未开始
page-desk-state-result_missing = 缺少结果
page-desk-swap = 互换
page-desk-swap-with = 与此台互换棋手
page-desk-title = 称号
page-desk-undo = 撤销
page-desk-unseated = { $table } 号台现在没有棋盘
page-desk-upload = 上传对阵
page-desk-upload-errors = 错误：无法载入
page-desk-upload-ignored = 被忽略的列：{ $columns }
page-desk-upload-preview = { $file }：尚未作任何更改
page-desk-upload-round = 轮次（文件含多轮时）
page-desk-upload-warnings = 警告
page-desk-white = 白方

## 为何未执行

order-board_away = 对局{ $game }的棋盘{ $board }未连接：请连接后重试
order-board_in_use = 棋盘{ $board }上正在进行对局{ $game }：请选择空闲的棋盘
order-cannot_identify = 棋盘{ $board }没有可用的灯或蜂鸣器，或者未连接
order-changed = 您查看之后对局有了变化：请重新查看再决定
order-game_replaced = 该棋盘上已开始另一局：请先查看
order-no_game_to_continue = 棋盘{ $board }上没有正在进行的对局，无从继续
order-no_such_board = 没有棋盘{ $board }
order-no_such_game = 对局{ $game }已不在内存中
order-not_current = 对局{ $requested }已结束，棋盘{ $board }上现在是对局{ $current }：请查看那一局
order-not_set_up = 棋盘{ $board }上还没有摆好该局面（见{ $squares }）：请在上面摆好，哪一方朝向均可，然后重试
order-not_stored = 未作任何更改，因为无法保存：{ $error }
order-playing = 棋盘{ $board }上正在进行对局{ $game }，不得向棋手显示任何信息：请等待对局结束
order-squares_unknown = 棋盘{ $board }尚未报告格子的状态：请确认已连接，摆好局面后重试
order-stopping = 程序正在关闭：请重新启动后再试
order-unreadable = 对局无法在另一张棋盘上继续，因为无法读取：{ $error }

## 服务本身

settings-bad_value = { $value }不是{ $key }的值：请写{ $expected }
settings-earlier = 观众将更早看到此后的对局：{ $after }；现在：{ $before }。观众可能会帮助棋手。此前的对局仍按原来的延迟公布
settings-file_only = 运行时不能更改{ $key }：请在配置文件中更改，然后重新启动
settings-invalid = 这样配置将无效：{ $problems }
settings-not_set = { $key }没有在此更改过：已由配置文件决定
settings-not_written = 未作任何更改，因为无法写入{ $path }：{ $error }
settings-policy_hold = 每着延迟{ $time }，并在双方又走{ $moves }着之后，不合规则的着法在确定保留后
settings-policy_show = 每着延迟{ $time }，并在双方又走{ $moves }着之后，不合规则的着法也一样
settings-unknown_key = 没有配置项{ $key }
page-backup = 下载全部对局的备份
page-front-end-files = 对局文件
page-front-end-hooks = 提示通知
page-front-end-lichess = 转播到在线国际象棋网站
page-front-end-livechess = 供国际象棋软件连接的服务
page-front-end-metrics = 运行指标
page-front-end-web = 本网页
page-health = 运行状况
page-health-ended = 已停止
page-health-name_not_owned = 运行中，但未取得名称
page-health-off = 未启用
page-health-problems = 问题：{ $count }
page-health-running = 运行中
page-health-well = 一切正常
page-illegal-hold = 确定保留后公布
page-illegal-show = 与其他着法一样公布
page-setting-broadcast-delay_plies = 公开延迟（双方着数合计）
page-setting-broadcast-delay_s = 公开延迟（秒）
page-setting-broadcast-illegal_move = 不合规则的着法如何公布
page-setting-laws-edition = 规则版本
page-setting-laws-supervision = 监督（快棋与超快棋）
page-setting-laws-time_class = 用时类别
page-settings = 设置
page-settings-about = 此处的更改另行保存，配置文件（{ $file }）保持不变
page-settings-change = 更改
page-settings-changed = 已更改：{ $key }。生效时间：{ $effect }
page-settings-confirm = 仍要更改
page-settings-effect-immediate = 立即
page-settings-effect-new_games = 此后开始的对局
page-settings-effect-next_start = 下次启动时
page-settings-fixed = 只能在配置文件中更改
page-settings-source-changed = { $by }，{ $at }
page-settings-source-default = 默认
page-settings-source-file = 配置文件
page-settings-unset = 恢复由配置文件决定

## 对阵与编排操作的问题

problem-bad_line = 无法读取这一行：{ $error }
problem-bad_result = 这不是结果：请写1-0、0-1、1/2-1/2、+--、--+、---或留空
problem-bad_section = { $table }号台的组别必须是一行，最多255字节
problem-bad_start_number = 第5至8列不是序号
problem-bad_table_list_line = 应为台号和其中一名棋手的序号
problem-bad_text = { $table }号台棋手的资料必须各为一行，最多255字节
problem-board_twice = 棋盘{ $board }同时在{ $first }号台和{ $second }号台
problem-boards_are_tables = 这一列只有数字：作为台号读取
problem-both_lost = 双方均判负：未读取该结果，请以后录入
problem-bye = { $name }本轮没有对手：轮空
problem-bye_and_game = { $name }轮空，却又列出一次
problem-damaged_text = 部分字符已损坏：请将文件存为UTF-8
problem-empty_file = 文件为空：请重新导出对阵
problem-export = 请从编排软件将对阵导出为CSV、PGN或TRF16，再载入该文件
problem-file_excel = Excel工作簿或其他压缩文件
problem-file_libreoffice = LibreOffice电子表格
problem-file_old_excel = 旧版Excel工作簿
problem-file_pdf = PDF文档
problem-file_swiss_manager = 编排软件的赛事文件
problem-file_web_page = 网页
problem-more = 另有{ $more }项
problem-no_name = { $table }号台有一名棋手没有姓名
problem-no_opponent = 序号{ $player }的对手是{ $opponent }，但文件中没有此人
problem-no_rating = 没有等级分：{ $names }
problem-no_rating_of_many = 没有等级分：{ $names }，另有{ $more }人
problem-no_round_number = 该轮没有轮次号：请在文件旁填写
problem-no_such_round = 文件共有{ $rounds }轮，没有第{ $number }轮：请另选
problem-no_table = { $white } – { $black }没有台号
problem-no_table_numbers = TRF16文件没有台号：请上传表格文件，或在终端中载入
problem-nobody_paired = 本轮没有任何对阵
problem-not_a_number = 这里必须是1至{ $most }的数字
problem-not_in_table_list = 台号表中没有互为对手的{ $white }和{ $black }
problem-not_pgn = 第{ $game }局不是PGN：{ $error }
problem-not_unicode = 文件不是Unicode编码，按Windows-1252读取：请检查带重音符号的姓名，或将文件存为UTF-8
problem-opponent_elsewhere = 序号{ $player }的对手是{ $opponent }，而后者的对手是别人
problem-other_file = 这是{ $file }：{ $advice }
problem-plays_twice = { $name }同时在{ $first }号台和{ $second }号台
problem-same_fide_id = { $name }与{ $other }的FIDE ID相同：{ $id }
problem-save_as_csv = 请在Excel或LibreOffice中打开，将对阵表另存为“CSV UTF-8”，再载入该文件
problem-serial_twice = 序列号为{ $serial }的棋盘同时在{ $first }号台和{ $second }号台
problem-several_rounds = 文件有多轮（{ $rounds }）：请在旁边填写要载入的轮次
problem-start_number_twice = 序号{ $number }列出两次
problem-table_twice = { $table }号台列出两次
problem-tables_by_order = 文件没有台号列：按行的顺序编号
problem-too_large = 文件超过{ $most } MiB：请只导出一轮的对阵
problem-too_many_pairings = 对阵超过{ $most }个：请只载入一项比赛的一轮
problem-unknown_format = 格式不明：请上传PGN、含双方棋手列的表格或TRF16文件
problem-wrong_count = 有{ $values }个值，而列名行有{ $names }个列名
desk-bad_act = 无法读取此操作：{ $error }
desk-bad_round = 未作任何更改：{ $problems }
desk-has_moves = { $table }号台的对局已有着法：请录入1-0、0-1或1/2-1/2
desk-internal = 只有程序本身可以这样做
desk-no_pairing = 第{ $round }轮{ $table }号台没有对阵
desk-no_round = 第{ $round }轮尚未载入：请上传对阵
desk-no_round_loaded = 尚未载入任何轮次：请上传对阵
desk-no_seat = { $table }号台没有安置棋盘
desk-result_not_in_game = 对阵的结果已录入，但对局尚未记录该结果：{ $error }
desk-round_in_play = 第{ $round }轮正在进行：请先开始另一轮再删除
desk-seated_twice = 棋盘{ $board }将同时在{ $one }号台和{ $other }号台：一张棋盘只能在一台
desk-table_zero = 台号从1开始
