//! Writes what the fuzz targets begin with, into `corpus` under the directory given, a folder for each: nobody has to keep it, it is
//! the same every time.

#[allow(dead_code)] // only the scripts are needed here
#[path = "../tests/strangers/memory.rs"]
mod memory;
#[allow(dead_code)]
#[path = "../tests/properties/player.rs"]
mod player;
#[allow(dead_code)]
#[path = "../tests/properties/promises.rs"]
mod promises;

use std::path::Path;
use touchmove::boards::{BOARDS, LinkState, Millis};
use touchmove::ctl::run::{self, Cable, Said, Staged};
use touchmove::game::event::Rotation;
use touchmove::simulate::hands::{BLITZ, CLUB};
use touchmove::simulate::{Scene, Stage, pgn};
use touchmove::table::{Settings, Table};

/// Castling on both sides, en passant, promotion, mate.
const GAMES: &str = "\
[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d3 d6 6. c3 O-O 7. Nbd2 a6 1-0\n
[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n
[Result \"1/2-1/2\"]\n\n1. e4 a6 2. e5 d5 3. exd6 b5 4. dxc7 Qd6 5. cxb8=N Bd7 6. Qe2 O-O-O 7. Nxa6 1/2-1/2\n";

/// What the targets that read texts begin with.
const TEXTS: [(&str, &str); 13] = [
    ("configuration", "config/touchmoved.toml"),
    ("configuration", "tests/data/strangers/configuration.toml"),
    ("event", "tests/data/wire/events.jsonl"),
    ("command", "tests/data/strangers/commands.jsonl"),
    ("recording", "tests/data/strangers/game.rec"),
    ("round", "tests/data/strangers/round.csv"),
    ("round", "tests/data/strangers/round.pgn"),
    ("round", "tests/data/strangers/round.trf"),
    ("games", "tests/data/pgn/examples.pgn"),
    ("games", "tests/data/pgn/illegal.pgn"),
    ("request", "tests/data/strangers/requests.txt"),
    ("message", "tests/data/strangers/messages.jsonl"),
    ("argument", "tests/data/strangers/arguments.txt"),
];

/// A cable that keeps what it brings.
struct Kept {
    inner: Staged,
    now: Millis,
    script: Vec<u8>,
}

impl Cable for Kept {
    fn next(&self) -> Option<Millis> {
        self.inner.next()
    }

    fn take(&mut self, now: Millis) -> Vec<Said> {
        let said = self.inner.take(now);
        for said in &said {
            let pause = now.saturating_sub(std::mem::replace(&mut self.now, now));
            // The longest pause the script knows that is not longer.
            self.script.extend((0..8).rev().find(|step| 1 << (2 * step) <= pause).map(|step: u8| 224 + step));
            match said {
                Said::Bytes(bytes, _) => {
                    for part in bytes.chunks(15) {
                        self.script.push(part.len() as u8);
                        self.script.extend(part);
                    }
                }
                Said::Link(LinkState::Down) => self.script.push(232),
                _ => self.script.push(233),
            }
        }
        said
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        self.inner.send(now, bytes);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args().nth(1).ok_or("say where the corpus is to be written")?;
    let folder = |target: &str| {
        let folder = Path::new(&dir).join("corpus").join(target);
        std::fs::create_dir_all(&folder).map(|()| folder)
    };
    for (number, game) in pgn::read(GAMES).games.iter().enumerate() {
        for (seed, profile) in [CLUB, BLITZ].iter().enumerate() {
            let scene = Scene { profile, clock: true, rotation: Rotation::Upright, clock_turned: false, seed: seed as u64 };
            for model in BOARDS {
                let Some(stage) = Stage::new(model.name, game, &scene) else { continue };
                // A board that sends all the time says in a minute all that it ever says.
                let until = if model.name == "dgt" { stage.ends_at() } else { 60_000 };
                let mut cable = Kept { inner: Staged::new(stage), now: 0, script: Vec::new() };
                let settings = Settings { sensing: model.sensing, ..Settings::default() };
                run::play(&mut cable, &mut *(model.protocol)(), &mut Table::new(settings), until, &mut |_, _| {});
                std::fs::write(folder(model.name)?.join(format!("{number}-{seed}")), cable.script)?;
            }
        }
    }
    for seed in 0..60 {
        std::fs::write(folder("table")?.join(format!("script-{seed}")), player::script(seed))?;
        std::fs::write(folder("memory")?.join(format!("script-{seed}")), memory::script(seed))?;
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (target, file) in TEXTS {
        let text = std::fs::read_to_string(repository.join(file))?;
        // Of those of lines, or of parts, each is a text.
        let texts: Vec<&str> = if file.ends_with(".jsonl") { text.lines().collect() } else { text.split("----\n").collect() };
        let name = file.replace('/', "-");
        for (number, text) in texts.iter().enumerate() {
            std::fs::write(folder(target)?.join(format!("{name}-{number}")), text)?;
        }
    }
    Ok(())
}
