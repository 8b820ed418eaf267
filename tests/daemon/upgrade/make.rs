//! Writes the folder of the present version, before its release, with what its programs write. It takes half a minute:
//!
//! ```sh
//! cargo test --features gpio --test main upgrade::make -- --ignored
//! ```
//!
//! `touchmoved.toml` beside this file is the configuration of that folder.

use super::*;
use crate::front_ends::lichess::fake::Act;
use crate::front_ends::web::log_in_encrypted;
use crate::harness::hall::seen;
use crate::harness::organiser::Organiser as _;
use jiff::Timestamp;
use shakmaty::Color::{Black, White};
use touchmove::config::keys;
use touchmove::game::{Command as Order, GameResult};
use touchmove::laws::Irregularity;
use touchmove::laws::draws::ClaimKind;
use touchmove::publish::client::WatchedEvent;

const CONFIG: &str = include_str!("touchmoved.toml");
/// The start position, from a1.
const START: &str = "RNBQKBNRPPPPPPPP................................pppppppprnbqkbnr";
/// Simulated recordings: the board, the hands, more options.
const RECORDINGS: [(&str, &str, &[&str]); 3] = [
    ("dgt", "rough", &["--clock", "--inject", "illegal_move@5"]),
    ("certabo", "clean", &["--game", "2"]),
    ("reed", "club", &[]),
];
const GAMES: &str = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. Nf3 Nf6 5. Be2 g6 6. O-O Bg7 *\n\n1. e4 d5 2. exd5 *\n";
const ROUNDS: [&str; 2] = [
    r#"{"number":1,"event":"City Open","site":"Delft","date":"2026.11.20","time_control":"1500+10","pairings":[
        {"table":1,"white":{"name":"Ada, A","title":"GM","fide_id":1503014,"rating":2500,"federation":"NED","team":"Rooks"},
                   "black":{"name":"Bob, B"},"board":"hall_1"},
        {"table":2,"white":{"name":"Cid, C"},"black":{"name":"Dee, D"},"board":"hall_2"},
        {"table":3,"white":{"name":"Eve, E"},"black":{"name":"Fay, F"}}]}"#,
    r#"{"number":2,"event":"City Open","site":"Delft","date":"2026.11.21","time_control":"1500+10","pairings":[
        {"table":1,"white":{"name":"Dee, D"},"black":{"name":"Ada, A","title":"GM","rating":2500},"board":"hall_1"},
        {"table":2,"white":{"name":"Bob, B"},"black":{"name":"Eve, E"},"board":"hall_2"},
        {"table":3,"white":{"name":"Fay, F"},"black":{"name":"Gus, G"},"board":"hall_3"},
        {"table":4,"white":{"name":"Cid, C"},"black":{"name":"Hal, H"},"serial":"77","result":"+--"}]}"#,
];

/// A game on a DGT board with a clock.
struct TimedGame<'a> {
    client: &'a Client,
    watch: &'a mut EventWatcher,
    board: &'a Board,
    /// The player whose time runs, and the times of both.
    turn: shakmaty::Color,
    seconds: [u32; 2],
}

impl TimedGame<'_> {
    /// The player on the move presses the clock, a second after the opponent did.
    fn press(&mut self) {
        self.seconds[self.turn as usize] -= 1;
        self.turn = !self.turn;
        let [black, white] = self.seconds;
        self.board.clock(white, black, self.turn == White);
    }

    async fn event(&mut self, event: &str) -> WatchedEvent {
        seen(self.watch, event, |happened| happened.event == event).await
    }

    async fn alert(&mut self, kind: &str) -> u32 {
        let fits = |happened: &WatchedEvent| happened.event == "AlertRaised" && happened.fields["kind"] == kind;
        seen(self.watch, kind, fits).await.fields["id"].as_u64().unwrap() as u32
    }

    /// A move without a capture, and its press.
    async fn play(&mut self, from: &str, to: &str, san: &str) {
        pause(1_000).await;
        self.board.play(from, to);
        made(self.watch, san).await;
        self.press();
        self.event("MoveCompleted").await;
    }

    async fn order(&mut self, game: u64, order: Order) {
        self.client.send_command(game, &order).await.unwrap_or_else(|error| panic!("{order:?}: {error}"));
    }
}

/// The time that players take.
async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// A new set of pieces.
fn new_set() -> Chips {
    let mut chips = Chips::new();
    for (number, piece) in START.chars().filter(|piece| *piece != '.').enumerate() {
        chips.entry(piece).or_default().push([3, 0, 84, 7, 100 + number as u8]);
    }
    chips
}

/// Everything that may be stored of a game: corrections, alerts, commands.
async fn play_eventful_game(game: &mut TimedGame<'_>, number: u64) {
    let board = game.board;
    board.clock(1500, 1500, true);
    game.play("e2", "e4", "e4").await;
    game.play("e7", "e5", "e5").await;
    // The bishop rests where it does not stay.
    board.play("f1", "c4");
    made(game.watch, "Bc4").await;
    board.play("c4", "b5");
    game.event("MovesCorrected").await;
    game.press();
    game.play("b8", "c6", "Nc6").await;
    // A move that is not legal is restored, and its piece makes another move.
    board.play("e1", "e3");
    game.press();
    game.alert("illegal_move").await;
    game.order(number, Order::Restore { ply: 5 }).await;
    game.event("MovesCorrected").await;
    board.play("e3", "e1");
    game.turn = White;
    let [black, white] = game.seconds;
    board.clock(white, black, true);
    game.play("e1", "e2", "Ke2").await;
    game.play("g8", "f6", "Nf6").await;
    // A press without a move.
    game.press();
    let alert = game.alert("press_without_move").await;
    game.order(number, Order::Acknowledge { alert }).await;
    game.press();
    // A piece is on the wrong square for a while.
    board.play("h7", "h5");
    game.event("AlertRaised").await;
    board.play("h5", "h7");
    game.event("AlertCleared").await;

    game.play("d2", "d3", "d3").await;
    // The arbiter lets another move stand that is not legal.
    board.play("a8", "a6");
    game.press();
    let alert = game.alert("illegal_move").await;
    game.order(number, Order::LetStand { alert }).await;
    game.play("h2", "h3", "h3").await;

    game.order(number, Order::Count { player: Black, irregularity: Irregularity::TwoHands }).await;
    game.order(number, Order::Strike { player: Black, ply: 9 }).await;
    let note = "two minutes for White".to_owned();
    game.order(number, Order::ClockNote { white_ms: 1_600_000, black_ms: 1_480_000, note }).await;
    let round = game.client.round().await.unwrap().0.unwrap();
    let annotator = ("Annotator".to_owned(), "Muster, Anna".to_owned());
    game.order(number, Order::Tags { tags: [round.tags(&round.pairings[0]), vec![annotator]].concat() }).await;
    game.order(number, Order::Adjust { player: White }).await;
    let (player, claimed, intended) = (Black, ClaimKind::Repetition, Some("f6g8".to_owned()));
    game.order(number, Order::Claim { player, claimed, intended }).await;
    game.order(number, Order::Pause { paused: true }).await;
    game.order(number, Order::Pause { paused: false }).await;
    game.order(number, Order::Laws { laws: "fide-2023 rapid limited".parse().unwrap() }).await;
    game.order(number, Order::Replace { ply: 9, uci: "h2h4".to_owned() }).await;
    game.order(number, Order::Undo {}).await;
    game.order(number, Order::Insert { ply: 10, uci: "d7d6".to_owned() }).await;
    game.order(number, Order::Undo {}).await;
    game.order(number, Order::TakeBack { plies: 1 }).await;
    board.play("h3", "h2");
}

/// Every key has another value than its default.
fn assert_every_key_is_set() {
    let config: toml::Table = CONFIG.parse().unwrap();
    for (table, key) in keys::all() {
        let tables: Vec<&toml::Value> = match &config[table.name] {
            toml::Value::Array(tables) => tables.iter().collect(),
            table => vec![table],
        };
        let default = key.default.map(|default| format!("x = {default}").parse::<toml::Table>().unwrap()["x"].clone());
        let mut values = tables.iter().filter_map(|table| table.get(key.name));
        assert!(values.any(|value| Some(value) != default.as_ref()), "{} of [{}] in tests/upgrade", key.name, table.name);
    }
}

/// Waits until there is a game on this board that is not one of these. Returns its number.
async fn game_on(client: &Client, board: &str, known: &[u64]) -> u64 {
    let game = async || {
        let snapshot = client.snapshot().await.unwrap();
        let game = snapshot.boards.iter().find(|known| known.id == board)?.game?;
        (!known.contains(&game) && snapshot.games.iter().any(|there| there.id == game)).then_some(game)
    };
    until("a game", game).await
}

/// What is on a board, from a1.
async fn placement(client: &Client, board: &str) -> String {
    let boards = client.snapshot().await.unwrap().boards;
    boards.into_iter().find(|known| known.id == board).unwrap().placement
}

#[tokio::test]
#[ignore = "it writes the folder of the present version"]
async fn write_folder() {
    assert_every_key_is_set();
    let name = format!("{}-{}", env!("CARGO_PKG_VERSION"), Timestamp::now().strftime("%Y-%m"));
    let folder = Path::new(FOLDERS).join(name);
    assert!(!folder.exists(), "{} is there already", folder.display());
    // The folder needs recordings and a correction, and public games without a long delay.
    let changes =
        [("on = false", "on = true"), ("publish = \"sure\"", "publish = \"prompt\""), ("delay_s = 900", "delay_s = 1")];
    let config = changes.iter().fold(CONFIG.to_owned(), |config, (from, to)| config.replace(from, to));
    let installation = Installation::new(&config).await.expect("a bus");
    installation.lichess.refuse(Some("Cid, C"));
    let state = installation.path("state");
    let hall_1 = Board::plugged();
    installation.plug("hall_1", &hall_1.path());
    let daemon = installation.start();
    hall_1.wait_read();
    let (client, public) = (client(&installation.bus, Stream::Live).await, client(&installation.bus, Stream::Broadcast).await);
    let mut watch = client.watch().await.unwrap();

    let (name, role) = ("Anna Muster", "arbiter");
    let token = ctl(&["token", "create", name, "--role", role, "--state-dir", state.to_str().unwrap()]).trim().to_owned();
    let cookie = log_in_encrypted(port_of(&daemon).await, "one", &token).await.cookie();
    // The head of an answer is in lower case here, but the names of cookies are not.
    let cookie = cookie.trim().rsplit("; ").next().unwrap().replace("__host-", "__Host-");

    let first = game_on(&client, "hall_1", &[]).await;
    client.load_round(ROUNDS[0]).await.unwrap();
    let mut game = TimedGame { client: &client, watch: &mut watch, board: &hall_1, turn: White, seconds: [1500; 2] };
    play_eventful_game(&mut game, first).await;
    // Lichess does not get the result, nor anything after it.
    until("the game on Lichess", async || installation.lichess.games().values().any(|game| game.moves.len() > 4).then_some(()))
        .await;
    installation.lichess.always(Some(Act::Status(502, "")));
    client.send_command(first, &Order::Result { result: Some(GameResult::Draw) }).await.unwrap();
    seen(&mut watch, "the result", |happened| happened.event == "ResultChanged").await;

    // The next round: a game in progress, in which the players have taken a move back.
    client.load_round(ROUNDS[1]).await.unwrap();
    let before = placement(&client, "hall_1").await;
    for ((name, before), piece) in square_names().zip(before.chars()).zip(START.chars()) {
        if before != piece {
            hall_1.put(&name, piece);
        }
    }
    let second = game_on(&client, "hall_1", &[first]).await;
    let mut game = TimedGame { client: &client, watch: &mut watch, board: &hall_1, turn: White, seconds: [1500; 2] };
    hall_1.clock(1500, 1500, true);
    hall_1.play("g1", "f3");
    made(game.watch, "Nf3").await;
    hall_1.play("f3", "g1");
    game.event("MovesCorrected").await;
    // The clock jumps to the times of this game, so that an alert is open.
    for (from, to, san) in [("d2", "d4", "d4"), ("d7", "d5", "d5"), ("c2", "c4", "c4"), ("e7", "e6", "e6")] {
        game.play(from, to, san).await;
    }
    // An increment that comes late.
    game.seconds[Black as usize] += 10;
    let [black, white] = game.seconds;
    hall_1.clock(white, black, true);
    game.event("ClockRevised").await;
    // A square that loses its piece now and then.
    let flickers = async {
        loop {
            hall_1.put("c4", '.');
            pause(400).await;
            hall_1.put("c4", 'P');
            pause(2_000).await;
        }
    };
    tokio::select! {
        () = flickers => {}
        _ = game.event("BoardFault") => {}
    }
    hall_1.put("c4", 'P');
    game.play("b1", "c3", "Nc3").await;

    // From another position, with castling and a promotion, to mate.
    let hall_3 = dgt("....K..R........................................P.....pp.......k");
    installation.plug("hall_3", &hall_3.path());
    let third = game_on(&client, "hall_3", &[]).await;
    for (from, to, piece) in [("e1", "g1", 'K'), ("h1", "f1", 'R'), ("h8", "g8", 'k'), ("a7", "a8", 'Q')] {
        hall_3.put(from, '.');
        hall_3.put(to, piece);
        if piece != 'K' {
            seen(&mut watch, "a move", |happened| happened.event == "MoveMade" && happened.game == Some(third)).await;
        }
    }
    seen(&mut watch, "mate", |happened| happened.event == "ResultChanged" && happened.game == Some(third)).await;
    client.send_command(third, &Order::Promotion { ply: Some(3), piece: shakmaty::Role::Queen }).await.unwrap();
    client.set_position("hall_3", "6k1/6pp/8/8/8/8/8/Q4RK1 b - - 3 40").await.unwrap();

    // A set of chips is learned.
    let hall_2 = Certabo::new(new_set(), START);
    installation.plug("hall_2", &hall_2.path());
    let fourth = game_on(&client, "hall_2", &[]).await;
    for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5"), ("g1", "f3", "Nf3")] {
        hall_2.play(from, to);
        made(&mut watch, san).await;
    }

    // Everything that may be public is public.
    let shown = async || {
        let games = public.snapshot().await.unwrap().games;
        let moves = |game| games.iter().find(|known| known.id == game).map_or(0, |game| game.moves.len());
        ([first, second, third, fourth].map(moves) == [8, 3, 3, 1]).then_some(())
    };
    until("the public games", shown).await;

    fs::create_dir_all(&folder).unwrap();
    let in_progress = |game: u64, placement: String, [from, to, san]: [&str; 3]| {
        let [from, to, san] = [from, to, san].map(str::to_owned);
        InProgress { game, placement, from, to, san }
    };
    let dgt = in_progress(second, placement(&client, "hall_1").await, ["g8", "f6", "Nf6"]);
    let certabo = in_progress(fourth, placement(&client, "hall_2").await, ["b8", "c6", "Nc6"]);
    let given = Given { token, name: name.to_owned(), cookie, dgt, certabo };
    write(&folder.join(GIVEN), &(serde_json::to_string_pretty(&given).unwrap() + "\n"));
    write(&folder.join("touchmoved.toml"), CONFIG);
    write(&folder.join(EXPECTED).join("published.json"), &published(&client, &public).await);
    assert!(daemon.terminate().success());
    copy(&state, &folder.join("state"));
    // This file is large, and has no content.
    fs::remove_file(folder.join("state/journal.ballast")).unwrap();
    let pgn = installation.path("games.pgn");
    write(&pgn, GAMES);
    fs::create_dir_all(folder.join("recordings")).unwrap();
    for (board, hands, more) in RECORDINGS {
        let to = folder.join(format!("recordings/{board}.rec"));
        let args = ["simulate", pgn.to_str().unwrap(), "--board", board, "--hands", hands, "-o", to.to_str().unwrap()];
        ctl(&[&args[..], more].concat());
    }
    for (name, text) in journal(&state).into_iter().chain(replays(&folder)) {
        write(&folder.join(EXPECTED).join(name), &text);
    }
}
