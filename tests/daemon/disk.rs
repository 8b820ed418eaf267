//! A full disk: recordings stop first, moves are held back until there is space, and both are reported.

use crate::harness::hall::client;
use crate::harness::{self, Board, Daemon, PrivateBus};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use touchmove::publish::client::{Client, Snapshot};
use touchmove::publish::dbus::Stream;

/// A separate disk of a few megabytes.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    /// Mounts the disk; returns `None`, with a message, if the test may not mount.
    pub fn mount() -> Option<SmallDisk> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=4m", "touchmove-test"]).arg(dir.path()).output();
        if mounted.as_ref().is_ok_and(|output| output.status.success()) {
            return Some(SmallDisk(dir));
        }
        eprintln!("SKIPPED: only root may mount a small disk");
        None
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes until nothing more fits.
    pub fn fill(&self) {
        let mut file = File::create(self.path().join("filler")).unwrap();
        let mut chunk = vec![0; 65536];
        while !chunk.is_empty() {
            if file.write_all(&chunk).is_err() {
                chunk.truncate(chunk.len() / 2);
            }
        }
    }

    pub fn free_space(&self) {
        std::fs::remove_file(self.path().join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
    }
}

async fn until(client: &Client, what: &str, fits: impl Fn(&Snapshot) -> bool) -> Snapshot {
    harness::until(what, async || Some(client.snapshot().await.unwrap()).filter(&fits)).await
}

fn sans(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.games.iter().flat_map(|game| game.moves.iter().map(|played| played.san.as_str())).collect()
}

fn health_problem<'a>(snapshot: &'a Snapshot, kind: &str) -> Option<&'a str> {
    snapshot.health_problems.iter().find(|(known, _)| known == kind).map(|(_, sentence)| sentence.as_str())
}

fn journal_fits(snapshot: &Snapshot) -> bool {
    health_problem(snapshot, "journal_full").is_none()
}

#[tokio::test]
async fn recordings_stop_and_moves_are_held_back_until_there_is_space() {
    let (Some(bus), Some(disk)) = (PrivateBus::start(), SmallDisk::mount()) else { return };
    let board = Board::plugged();
    let daemon = Daemon::serving(&bus, disk.path(), &board.path());
    board.wait_read();
    let client = client(&bus, Stream::Live).await;
    until(&client, "a game", |snapshot| !snapshot.games.is_empty()).await;

    // Four megabytes are less than the reserve: nothing is recorded to recordings, and moves are still published.
    board.play("g1", "f3");
    let snapshot = until(&client, "Nf3", |snapshot| sans(snapshot) == ["Nf3"]).await;
    let sentence = health_problem(&snapshot, "recordings_stopped").expect("recordings stop");
    assert!(sentence.contains("MB left") && sentence.contains("free some space"), "{sentence}");

    // The space that the journal's files have already allocated suffices for a few moves more, then the ballast for the last
    // ones.
    let ballast = disk.path().join("journal.ballast");
    assert!(ballast.exists());
    disk.fill();
    // Pawn moves come first: knights that return look like corrections of displaced pieces, as the test plays within
    // milliseconds.
    let pawns = [
        ("a7", "a6", "a6"),
        ("a2", "a3", "a3"),
        ("b7", "b6", "b6"),
        ("b2", "b3", "b3"),
        ("c7", "c6", "c6"),
        ("c2", "c3", "c3"),
        ("d7", "d6", "d6"),
        ("d2", "d3", "d3"),
        ("e7", "e6", "e6"),
        ("e2", "e3", "e3"),
        ("h7", "h6", "h6"),
        ("h2", "h3", "h3"),
        ("a6", "a5", "a5"),
        ("a3", "a4", "a4"),
        ("h6", "h5", "h5"),
        ("h3", "h4", "h4"),
    ];
    let knights = [
        ("g8", "f6", "Nf6"),
        ("b1", "c3", "Nc3"),
        ("b8", "c6", "Nc6"),
        ("f3", "g1", "Ng1"),
        ("f6", "g8", "Ng8"),
        ("c3", "b1", "Nb1"),
        ("c6", "b8", "Nb8"),
        ("g1", "f3", "Nf3"),
    ];
    let mut played = vec!["Nf3"];
    let mut moves = pawns.iter().chain(knights.iter().cycle());
    let mut uses_ballast = false;
    let full = loop {
        let (from, to, san) = moves.next().unwrap();
        board.play(from, to);
        played.push(san);
        let what = format!("{san} published, or a health problem");
        let snapshot = until(&client, &what, |snapshot| sans(snapshot) == played || !journal_fits(snapshot)).await;
        // The event that cannot be stored may also be the completion of the move before.
        if sans(&snapshot) != played {
            break snapshot;
        }
        if health_problem(&snapshot, "journal_last_room").is_some() && !uses_ballast {
            assert!(!ballast.exists());
            uses_ballast = true;
            disk.fill();
        }
        assert!(played.len() < 500, "the disk never fills");
    };
    assert!(uses_ballast, "moves were held back while there was space for them");
    assert_eq!(sans(&full), played[..played.len() - 1], "a move that is not stored is not published");
    let (from, to, san) = moves.next().unwrap();
    board.play(from, to);
    played.push(san);

    disk.free_space();
    let snapshot = until(&client, "the moves held back", |snapshot| sans(snapshot) == played).await;
    let game = snapshot.games[0].id;
    let events = client.events(game).await.unwrap();
    assert!(events.iter().enumerate().all(|(index, event)| event.number == Some(index as u64 + 1)), "{events:?}");
    let is_over = |snapshot: &Snapshot| journal_fits(snapshot) && health_problem(snapshot, "journal_last_room").is_none();
    until(&client, "the end of the health problem", is_over).await;
    assert!(ballast.exists());
    daemon.kill();

    // All moves are in the journal.
    let daemon = Daemon::serving(&bus, disk.path(), &board.path());
    assert_eq!(sans(&client.snapshot().await.unwrap()), played);
    drop(daemon);
}
