//! Games that continue on another board of the hall.

use super::*;
use touchmove::desk::DeskAct;
use touchmove::game::Command;

const MOVES: [(&str, &str); 3] = [("e2", "e4"), ("e7", "e5"), ("g1", "f3")];

/// Waits until another game than this one is on a board at the hub, with this number of moves; returns it.
async fn replaced(hub: &Node, board: &str, earlier: u64, moves: usize) -> GameInfo {
    until(&format!("another game on {board} at the hub"), async || {
        let snapshot = hub.client.snapshot().await.ok()?;
        let id = snapshot.boards.iter().find(|info| info.id == board)?.game.filter(|id| *id != earlier)?;
        snapshot.games.into_iter().find(|game| game.id == id && game.moves.len() == moves)
    })
    .await
}

/// Returns the board that is seated at table 1.
async fn seated(hub: &Node) -> String {
    let report = hub.client.desk(None).await.unwrap();
    report.tables[0].seat.as_ref().unwrap().board.clone()
}

#[tokio::test]
async fn a_game_continues_at_another_machine() {
    let Some(server) = NatsServer::start() else { return };
    let Some(mut hub) = hub(&server, "[broadcast]\ndelay_plies = 1\n").await else { return };
    let Some(one) = Machine::start("pi-01", server.port()).await else { return };
    one.board.play(MOVES[0].0, MOVES[0].1);
    one.made(1).await;
    // The game of the other board begins later.
    let Some(other) = Machine::start("pi-02", server.port()).await else { return };
    let (from, to) = (one.board_at_hub(), other.board_at_hub());
    for (number, (from, to)) in (2..).zip(&MOVES[1..]) {
        one.board.play(from, to);
        one.made(number).await;
    }
    let first = shown(&hub, &from, 3).await.id;
    let tags = vec![("Black".to_owned(), "Bob".to_owned()), ("White".to_owned(), "Ada".to_owned())];
    hub.client.send_command(first, &Command::Tags { tags }).await.unwrap();
    shown(&hub, &to, 0).await;
    hub.client.change_desk(&DeskAct::Seat { table: 1, board: from.clone(), serial_number: None }).await.unwrap();

    until("the refusal of the machine", async || {
        let refused = hub.client.exchange_board(&from, &to).await.unwrap_err().to_string();
        refused.contains(&format!("is not on board {to}")).then_some(())
    })
    .await;
    assert_eq!(seated(&hub).await, from);
    for (from, to) in MOVES {
        other.board.play(from, to);
    }
    let own = shown(&hub, &to, 3).await.id;
    until("the exchange", async || hub.client.exchange_board(&from, &to).await.ok()).await;
    // The answer comes when the game is here.
    let game = replaced(&hub, &to, own, 3).await.id;
    assert_eq!(seated(&hub).await, to);
    let pgn = hub.client.pgn(game).await.unwrap();
    assert!(pgn.contains("[White \"Ada\"]") && pgn.contains("Nf3"), "{pgn}");
    let again = hub.client.exchange_board(&from, &to).await.unwrap_err().to_string();
    assert!(again.contains("no game is being played on board"), "{again}");
    let spectator = client(&hub.bus, Stream::Broadcast).await;
    let public_has = async |moves: usize| {
        let games = spectator.snapshot().await.unwrap().games;
        games.iter().any(|known| known.id == game && known.moves.len() == moves).then_some(())
    };
    until("the moves before the last one for the public", async || public_has(2).await).await;
    other.board.play("b8", "c6");
    shown(&hub, &to, 4).await;
    until("the next move for the public", async || public_has(3).await).await;
    wait_equal(&hub, &one);
    wait_equal(&hub, &other);

    hub.kill();
    hub.run().await;
    assert_eq!(shown(&hub, &to, 4).await.id, game);
    assert_eq!(seated(&hub).await, to);
}

#[tokio::test]
async fn a_game_continues_on_another_board_of_its_machine() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let (board, spare) = (Board::plugged(), Board::plugged());
    let mut config = format!("[hall]\nhub = '{}'\nmachine = 'pi-01'\n", server.url());
    for (name, board) in [("board_7", &board), ("spare", &spare)] {
        config += &format!("[[board]]\nname = '{name}'\nport = '{}'\n", board.path().display());
    }
    let Some(mut node) = Node::start(&config, None).await else { return };
    node.run().await;
    [&board, &spare].into_iter().for_each(Board::wait_read);
    let machine = Machine { node, board, name: "pi-01".to_owned() };
    machine.board.play("e2", "e4");
    let first = shown(&hub, "pi_01_board_7", 1).await.id;
    spare.play("e2", "e4");
    let own = shown(&hub, "pi_01_spare", 1).await.id;
    until("the exchange", async || hub.client.exchange_board("pi_01_board_7", "pi_01_spare").await.ok()).await;
    let game = replaced(&hub, "pi_01_spare", own, 1).await;
    assert!(game.id > first);
    let again = hub.client.exchange_board("pi_01_board_7", "pi_01_spare").await.unwrap_err().to_string();
    assert!(again.contains("no game is being played on board"), "{again}");
    spare.play("e7", "e5");
    assert_eq!(shown(&hub, "pi_01_spare", 2).await.id, game.id);
    wait_equal(&hub, &machine);
}

#[tokio::test]
async fn a_hub_that_ends_before_the_game_comes_knows_what_it_continues() {
    let Some(server) = NatsServer::start() else { return };
    let Some(mut hub) = hub(&server, "").await else { return };
    let Some(one) = Machine::start("pi-01", server.port()).await else { return };
    one.board.play(MOVES[0].0, MOVES[0].1);
    one.made(1).await;
    let Some(other) = Machine::start("pi-02", server.port()).await else { return };
    let (from, to) = (one.board_at_hub(), other.board_at_hub());
    let first = shown(&hub, &from, 1).await.id;
    let tags = vec![("Black".to_owned(), "Bob".to_owned()), ("White".to_owned(), "Ada".to_owned())];
    hub.client.send_command(first, &Command::Tags { tags }).await.unwrap();
    shown(&hub, &to, 0).await;
    hub.client.change_desk(&DeskAct::Seat { table: 1, board: from.clone(), serial_number: None }).await.unwrap();
    other.board.play(MOVES[0].0, MOVES[0].1);
    let own = shown(&hub, &to, 1).await.id;
    let arbiter = client(&hub.bus, Stream::Live).await;
    let (from_board, to_board) = (from.clone(), to.clone());
    let exchange = tokio::spawn(async move {
        while arbiter.exchange_board(&from_board, &to_board).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    until("the game at the other machine", async || {
        let games = other.node.client.snapshot().await.ok()?.games;
        games.iter().any(|game| game.tags.get("White").is_some_and(|name| name == "Ada")).then_some(())
    })
    .await;
    exchange.abort();
    hub.kill();
    hub.run().await;
    let game = replaced(&hub, &to, own, 1).await.id;
    until("the seat", async || (seated(&hub).await == to).then_some(())).await;
    let again = hub.client.exchange_board(&from, &to).await.unwrap_err().to_string();
    assert!(again.contains("no game is being played on board"), "{again}");
    assert!(hub.client.pgn(game).await.unwrap().contains("[White \"Ada\"]"));
    wait_equal(&hub, &other);
}
