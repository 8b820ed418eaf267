//! Writes the initial inputs of the fuzz targets into `corpus` of both packages, one folder for each target: under the given directory
//! those of the core, under its `front_ends` the others. They are the same on every run, so they need not be kept.

#[allow(dead_code)] // only the scripts are used here
#[path = "../tests/core/strangers/memory.rs"]
mod memory;
#[allow(dead_code)]
#[path = "../tests/core/properties/player.rs"]
mod player;
#[allow(dead_code)]
#[path = "../tests/core/properties/promises.rs"]
mod promises;

use std::path::Path;
use touchmove::boards::{BOARDS, LinkState, Millis};
use touchmove::game::event::Rotation;
use touchmove::lab::run::{self, Cable, HostInput, VirtualCable};
use touchmove::simulate::hands::{BLITZ, CLUB};
use touchmove::simulate::{Simulation, SimulationSetup, pgn};
use touchmove::table::{Settings, Table};

/// Castling on both sides, en passant, promotion, mate.
const GAMES: &str = "\
[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d3 d6 6. c3 O-O 7. Nbd2 a6 1-0\n
[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n
[Result \"1/2-1/2\"]\n\n1. e4 a6 2. e5 d5 3. exd6 b5 4. dxc7 Qd6 5. cxb8=N Bd7 6. Qe2 O-O-O 7. Nxa6 1/2-1/2\n";

/// The initial inputs of the targets of the core that read texts.
const TEXTS: [(&str, &str); 8] = [
    ("event", "tests/data/wire/events.jsonl"),
    ("command", "tests/data/strangers/commands.jsonl"),
    ("round", "tests/data/strangers/export.csv"),
    ("round", "tests/data/strangers/round.csv"),
    ("round", "tests/data/strangers/round.pgn"),
    ("round", "tests/data/strangers/round.trf"),
    ("games", "tests/data/pgn/examples.pgn"),
    ("games", "tests/data/pgn/illegal.pgn"),
];

/// Those of the other package.
const FRONT_END_TEXTS: [(&str, &str); 6] = [
    ("configuration", "config/touchmoved.toml"),
    ("configuration", "tests/data/strangers/configuration.toml"),
    ("recording", "tests/data/strangers/game.rec"),
    ("request", "tests/data/strangers/requests.txt"),
    ("message", "tests/data/strangers/messages.jsonl"),
    ("argument", "tests/data/strangers/arguments.txt"),
];

/// A cable that stores its inputs as a script.
struct ScriptCable {
    inner: VirtualCable,
    now: Millis,
    script: Vec<u8>,
}

impl Cable for ScriptCable {
    fn next(&self) -> Option<Millis> {
        self.inner.next()
    }

    fn receive_until(&mut self, now: Millis) -> Vec<HostInput> {
        let inputs = self.inner.receive_until(now);
        for input in &inputs {
            let pause = now.saturating_sub(std::mem::replace(&mut self.now, now));
            // A script has only some pauses: the longest that is not too long.
            self.script.extend((0..8).rev().find(|step| 1 << (2 * step) <= pause).map(|step: u8| 224 + step));
            match input {
                HostInput::Bytes(bytes, _) => {
                    for part in bytes.chunks(15) {
                        self.script.push(part.len() as u8);
                        self.script.extend(part);
                    }
                }
                HostInput::Link(LinkState::Down) => self.script.push(232),
                _ => self.script.push(233),
            }
        }
        inputs
    }

    fn send(&mut self, now: Millis, bytes: &[u8]) {
        self.inner.send(now, bytes);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args().nth(1).ok_or("no directory given: name the directory for the corpus")?;
    let folder_in = |package: &str, target: &str| {
        let folder = Path::new(&dir).join(package).join("corpus").join(target);
        std::fs::create_dir_all(&folder).map(|()| folder)
    };
    let folder = |target: &str| folder_in("", target);
    for (number, game) in pgn::read(GAMES).games.iter().enumerate() {
        for (seed, profile) in [CLUB, BLITZ].iter().enumerate() {
            let setup =
                SimulationSetup { profile, clock: true, rotation: Rotation::Upright, clock_turned: false, seed: seed as u64 };
            for model in BOARDS {
                let Some(simulation) = Simulation::new(model.name, game, &setup) else { continue };
                // Other boards send all squares all the time: one minute has every form that they send.
                let until = if model.name == "dgt" { simulation.ends_at() } else { 60_000 };
                let mut cable = ScriptCable { inner: VirtualCable::new(simulation), now: 0, script: Vec::new() };
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
    let texts = TEXTS.map(|text| ("", text)).into_iter().chain(FRONT_END_TEXTS.map(|text| ("front_ends", text)));
    for (package, (target, file)) in texts {
        let text = std::fs::read_to_string(repository.join(file))?;
        // Each line, or each part between lines of hyphens, is an input of its own.
        let inputs: Vec<&str> = if file.ends_with(".jsonl") { text.lines().collect() } else { text.split("----\n").collect() };
        let name = file.replace('/', "-");
        for (number, text) in inputs.iter().enumerate() {
            std::fs::write(folder_in(package, target)?.join(format!("{name}-{number}")), text)?;
        }
    }
    Ok(())
}
