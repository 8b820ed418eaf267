//! A game that continues on another board.

use crate::harness::hall::{client, made, seen};
use crate::harness::organiser::Organiser as _;
use crate::harness::{Board, Daemon, PrivateBus, until};
use tempfile::TempDir;
use touchmove::game::command::Command;
use touchmove::locale::Locale;
use touchmove::publish::client::{Client, GameInfo, WatchedEvent};
use touchmove::publish::dbus::Stream;
use touchmove::round::Round;
use touchmove::round::trf::TableOrder;

/// Two boards, one of which is a spare; a game of Ada and Bob is played on the other.
struct Hall {
    client: Client,
    daemon: Daemon,
    boards: [Board; 2],
    dir: TempDir,
    bus: PrivateBus,
}

impl Hall {
    async fn open(keys: &str) -> Option<Hall> {
        let bus = PrivateBus::start()?;
        let (boards, dir) = ([Board::plugged(), Board::plugged()], tempfile::tempdir().unwrap());
        let mut config = keys.to_owned();
        for (name, board) in ["board_7", "spare"].iter().zip(&boards) {
            config += &format!("\n[[board]]\nname = '{name}'\nport = '{}'\n", board.path().display());
        }
        std::fs::write(dir.path().join("touchmoved.toml"), config).unwrap();
        let daemon = start(&bus, &dir);
        boards.iter().for_each(Board::wait_read);
        let client = client(&bus, Stream::Live).await;
        let round = Round::read("table,white,black\n1,Ada,Bob\n", Some(1), &TableOrder::Unknown).unwrap();
        client.load_round(&serde_json::to_string(&round).unwrap()).await.unwrap();
        Some(Hall { client, daemon, boards, dir, bus })
    }

    /// Waits for the game on a board.
    async fn game(&self, board: &str) -> GameInfo {
        let game = async || {
            let snapshot = self.client.snapshot().await.unwrap();
            let current = snapshot.boards.iter().find(|known| known.id == board)?.game;
            snapshot.games.into_iter().find(|game| Some(game.id) == current)
        };
        until("a game", game).await
    }
}

fn start(bus: &PrivateBus, dir: &TempDir) -> Daemon {
    let (state, config) = (dir.path().join("state"), dir.path().join("touchmoved.toml"));
    let (state, config) = (state.to_str().unwrap(), config.to_str().unwrap());
    let daemon = Daemon::start(&["--bus", &bus.address(), "--config", config, "--state-dir", state]);
    daemon.ready();
    daemon
}

fn sans(game: &GameInfo) -> Vec<&str> {
    game.moves.iter().map(|ply| ply.san.as_str()).collect()
}

#[tokio::test]
async fn a_game_continues_on_another_board() {
    let Some(hall) = Hall::open("[broadcast]\ndelay_plies = 1\n").await else { return };
    let [broken, spare] = &hall.boards;
    let first = hall.game("board_7").await.id;
    let mut watch = hall.client.watch().await.unwrap();
    broken.clock(5400, 5400, true);
    broken.play("e2", "e4");
    made(&mut watch, "e4").await;
    broken.clock(5399, 5400, false);
    broken.play("e7", "e5");
    made(&mut watch, "e5").await;
    broken.clock(5399, 5398, true);
    // White's bishop makes an illegal move, and the arbiter restores the position: the bishop has to move now.
    broken.play("f1", "h4");
    broken.clock(5398, 5398, false);
    seen(&mut watch, "the alert", |event| event.event == "AlertRaised" && event.fields["kind"] == "illegal_move").await;
    hall.client.send_command(first, &Command::Restore { ply: 3 }).await.unwrap();
    seen(&mut watch, "the restored position", |event| event.event == "MovesCorrected").await;

    // The board fails. The position must be set up on the other board before the exchange.
    let refused = hall.client.exchange_board("board_7", "spare").await.unwrap_err().to_string();
    assert!(refused.contains("is not on board spare yet (see e2 e4 e5 e7)"), "{refused}");
    for (from, to) in [("e2", "e4"), ("e7", "e5")] {
        spare.play(from, to);
    }
    until("the exchange", async || hall.client.exchange_board("board_7", "spare").await.ok()).await;
    let game = hall.game("spare").await;
    assert!(game.id > first && sans(&game) == ["e4", "e5"], "{game:?}");
    let pgn = hall.client.pgn(game.id).await.unwrap();
    assert!(
        pgn.contains("[White \"Ada\"]") && pgn.contains("1. e4 {[%clk 1:29:59]") && pgn.contains("e5 {[%clk 1:29:58]"),
        "{pgn}"
    );
    let (_, tables) = hall.client.round().await.unwrap();
    assert_eq!(tables, [(1, "spare".to_owned(), game.id)]);
    // The exchange is in the journal, with the person who did it.
    let events = hall.client.events(game.id).await.unwrap();
    let event_words: Vec<String> = events.iter().map(|event| event.event.clone()).collect();
    let before: Vec<String> = hall.client.events(first).await.unwrap().iter().map(|event| event.event.clone()).collect();
    assert_eq!(event_words[..before.len()], before);
    let last = serde_json::to_string(&events.last().unwrap().fields).unwrap();
    assert!(
        event_words.len() == before.len() + 1 && last.contains(&format!("continuing game {first} from board board_7")),
        "{last}"
    );
    // The public sees nothing earlier, and the complete game.
    let spectator = client(&hall.bus, Stream::Broadcast).await;
    let public_has = async |expect: &[&str]| {
        let games = spectator.snapshot().await.unwrap().games;
        games.iter().any(|known| known.id == game.id && sans(known) == expect).then_some(())
    };
    until("the game for the public", async || public_has(&["e4", "e5"]).await).await;

    // White must move the touched bishop, but moves another piece.
    spare.clock(5398, 5398, true);
    spare.play("d2", "d4");
    made(&mut watch, "d4").await;
    spare.clock(5397, 5398, false);
    let alert =
        seen(&mut watch, "the alert", |event| event.event == "AlertRaised" && event.fields["kind"] == "touch_move").await;
    assert_eq!(alert.game, Some(game.id));
    assert!(public_has(&["e4", "e5"]).await.is_some());
    spare.play("b8", "c6");
    made(&mut watch, "Nc6").await;
    until("the move before it for the public", async || public_has(&["e4", "e5", "d4"]).await).await;

    // After a restart the game continues there, too.
    let Hall { client, daemon, boards, dir, bus } = hall;
    daemon.kill();
    let daemon = start(&bus, &dir);
    let hall = Hall { client, daemon, boards, dir, bus };
    let restored = hall.game("spare").await;
    assert_eq!((restored.id, sans(&restored)), (game.id, vec!["e4", "e5", "d4", "Nc6"]));
}

/// The arbiter sets a position on the wrong board.
#[tokio::test]
async fn undoing_a_position_continues_the_game_before() {
    let Some(hall) = Hall::open("").await else { return };
    let board = &hall.boards[0];
    let first = hall.game("board_7").await.id;
    let mut watch = hall.client.watch().await.unwrap();
    board.play("e2", "e4");
    made(&mut watch, "e4").await;
    hall.client.set_position("board_7", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").await.unwrap();
    let position_game = hall.game("board_7").await;
    assert!(position_game.id > first && position_game.moves.is_empty());
    hall.client.send_command(position_game.id, &Command::Undo {}).await.unwrap();
    let game = hall.game("board_7").await;
    assert!(game.id > position_game.id && sans(&game) == ["e4"], "{game:?}");
    assert_eq!(hall.client.round().await.unwrap().1, [(1, "board_7".to_owned(), game.id)]);
    board.play("e7", "e5");
    made(&mut watch, "e5").await;
    assert_eq!(sans(&hall.game("board_7").await), ["e4", "e5"]);
    // The players do not know of it, and play on: their moves belong to their game.
    hall.client.set_position("board_7", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").await.unwrap();
    let position_game = hall.game("board_7").await.id;
    board.play("g1", "f3");
    board.play("b8", "c6");
    let landed = |event: &WatchedEvent| event.event == "Touched" && event.fields["square"] == "c6";
    seen(&mut watch, "the knight on c6", landed).await;
    let preview = hall.client.preview(position_game, &Command::Undo {}, Locale::English).await.unwrap();
    assert!(
        preview.asks && preview.lines.iter().any(|line| line.contains("the game before this one continues")),
        "{preview:?}"
    );
    // The last move is decided once the board has been quiet.
    until("the position to be undone", async || hall.client.send_command(position_game, &Command::Undo {}).await.ok()).await;
    assert_eq!(sans(&hall.game("board_7").await), ["e4", "e5", "Nf3", "Nc6"]);
    // A position that is played on from is not undone while the board does not show the game before.
    hall.client.set_position("board_7", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").await.unwrap();
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    hall.client.set_position("board_7", fen).await.unwrap();
    let position_game = hall.game("board_7").await.id;
    board.play("f1", "b5");
    made(&mut watch, "Bb5").await;
    let refused = hall.client.send_command(position_game, &Command::Undo {}).await.unwrap_err().to_string();
    assert!(refused.contains("the position of the game is not on board"), "{refused}");
    assert_eq!(sans(&hall.game("board_7").await), ["Bb5"]);
}

/// The wrong board was replaced: its game goes on there again, and a restart does not take that board for one in use.
#[tokio::test]
async fn a_board_that_its_game_has_left_is_free() {
    let Some(hall) = Hall::open("").await else { return };
    let mut watch = hall.client.watch().await.unwrap();
    hall.game("board_7").await;
    for board in &hall.boards {
        for (from, to, san) in [("e2", "e4", "e4"), ("e7", "e5", "e5")] {
            board.play(from, to);
            made(&mut watch, san).await;
        }
    }
    let exchange = async |hall: &Hall, from: &str, to: &str| {
        until("the exchange", async || hall.client.exchange_board(from, to).await.ok()).await;
        let game = hall.game(to).await;
        assert_eq!(sans(&game), ["e4", "e5"]);
        assert_eq!(hall.client.round().await.unwrap().1, [(1, to.to_owned(), game.id)]);
        game.id
    };
    let first = exchange(&hall, "board_7", "spare").await;
    let refused = hall.client.exchange_board("board_7", "spare").await.unwrap_err().to_string();
    assert!(refused.contains("no game is being played on board board_7"), "{refused}");
    assert!(exchange(&hall, "spare", "board_7").await > first);
    let Hall { client, daemon, boards, dir, bus } = hall;
    daemon.kill();
    let daemon = start(&bus, &dir);
    boards.iter().for_each(Board::wait_read);
    let hall = Hall { client, daemon, boards, dir, bus };
    exchange(&hall, "board_7", "spare").await;
}

#[tokio::test]
async fn an_impossible_exchange_is_refused() {
    let Some(hall) = Hall::open("").await else { return };
    let [board_7, spare] = &hall.boards;
    hall.game("board_7").await;
    let game = hall.game("spare").await.id;
    let mut watch = hall.client.watch().await.unwrap();
    let refused = async |from: &str, to: &str| hall.client.exchange_board(from, to).await.unwrap_err().to_string();
    assert!(refused("nowhere", "spare").await.contains("there is no board nowhere"));
    assert!(refused("spare", "spare").await.contains("no game is being played on board spare"));
    // A game is being played on the spare board.
    for board in [board_7, spare] {
        board.play("e2", "e4");
        made(&mut watch, "e4").await;
    }
    let tags = vec![("White".to_owned(), "Cid".to_owned())];
    hall.client.send_command(game, &Command::Tags { tags }).await.unwrap();
    assert!(refused("board_7", "spare").await.contains(&format!("game {game} is being played on board spare")));
    assert_eq!(hall.game("spare").await.id, game);
    drop(hall.daemon);
}
