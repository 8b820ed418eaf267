//! A third-party client for LiveChess: the PyPI package `livechess`.

use super::Site;
use crate::harness::hall::made;
use std::process::Command;

/// Sends all requests of its commands `tournaments`, `tournament`, `eboards` and `events`, and prints what it understood.
const SCRIPT: &str = "
import sys
from livechess.local import LiveChessLocal
client = LiveChessLocal('127.0.0.1', int(sys.argv[1]))
for board in client.eboards():
    print('board', board.serialnr, board.state, board.board)
for summary in client.tournaments():
    tournament = client.tournament(summary.uuid)
    print('tournament', tournament.name, tournament.rounds)
    for round in client.rounds(tournament.uuid, range(tournament.rounds)):
        for pairing in round.pairings:
            game = client.game(pairing.uuid)
            print('game', round.nr, pairing.nr, pairing.white.name, '-', pairing.black.name, game.last_move)
    print('events', [event.description for event in client.events(tournament.uuid)])
";

#[tokio::test]
async fn the_package_of_pypi_reads_boards_rounds_and_games() {
    let python = std::env::var("LIVECHESS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = Command::new(&python).args(["-c", "import livechess.local"]).output();
    if !import.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "SKIPPED: {python} has no package livechess: python3.12 -m venv x && x/bin/pip install livechess 'click<8.2', and LIVECHESS_PYTHON=x/bin/python"
        );
        return;
    }
    let Some(mut site) = Site::open("[pgn]\nevent = \"Club championship\"\nround = \"1\"").await else { return };
    drop(site.client().await);
    site.hall.play("g1", "f3", "Nf3").await;
    site.hall.board.play("g8", "f6");
    made(&mut site.hall.watch, "Nf6").await;
    let port = site.port.to_string();
    let run = move || Command::new(python).args(["-c", SCRIPT, &port]).output().unwrap();
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for line in [
        "board 23946 ACTIVE rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R",
        "tournament Club championship 1",
        "game 1 1 ",
        // Without a clock it assumes that every game is over.
        "events [",
    ] {
        assert!(text.lines().any(|printed| printed.starts_with(line)), "{line} is not in\n{text}");
    }
    // The last move may not be settled yet.
    assert!(text.contains(" 1. Nf3\n") || text.contains(" 1... Nf6\n"), "{text}");
}
