//! The hall: 61 virtual boards, three rows of them on one line each, the players' hands, and touchmoved: one for all boards, or one at
//! each of 12 machines and one at their hub.

use super::site::Site;
use super::truth::{TABLES, TrueGame, Truth};
use crate::harness::chain::Chain;
use crate::harness::hall::client;
use crate::harness::nats::NatsServer;
use crate::harness::{Board, PATIENCE, PrivateBus, until};
use shakmaty::{CastlingSide, Color, Piece, Role, Square};
use std::collections::BTreeMap;
use std::path::PathBuf;
use tempfile::TempDir;
use touchmove::game::GameResult;
use touchmove::hall::setup::paths::HallFiles;
use touchmove::hall::setup::registry::{LockedRegistry, Registry};
use touchmove::laws::{Move, Position};
use touchmove::names;
use touchmove::publish::client::{BoardInfo, Client, EventWatcher, WatchItem, WatchedEvent};
use touchmove::publish::dbus::Stream;
use touchmove::round::PairingResult;

/// The tables from this one on have the boards of the rows, in turn.
const FIRST_IN_ROWS: u16 = 40;
/// The rows: their names, and the address of the first board of each.
const ROWS: [(&str, u16); 3] = [("row_A", 960), ("row_B", 1_010), ("row_C", 1_060)];
/// The row whose cable is out for a while.
const LOOSE_ROW: usize = 1;
/// The board that nobody has seated, as its machine names it.
const SPARE: &str = "spare_1";
/// The machines of a hall. Each of the last ones has a row, the others share the single boards.
const MACHINES: usize = 12;

/// The pieces on the squares.
type Pieces = [Option<Piece>; 64];

fn pieces(position: &Position) -> Pieces {
    Square::ALL.map(|square| position.piece_at(square))
}

/// How the hands reach a board.
#[derive(Clone, Copy)]
enum Place {
    Single(usize),
    InRow(usize, usize),
}

impl Place {
    /// The machine of the hall to which the board is connected, from 1.
    fn machine(self) -> usize {
        let first_with_row = MACHINES - ROWS.len() + 1;
        match self {
            Place::Single(index) => index % (first_with_row - 1) + 1,
            Place::InRow(row, _) => first_with_row + row,
        }
    }
}

/// The name of a machine, from 1.
fn machine_name(machine: usize) -> String {
    format!("pi-{machine:02}")
}

/// What was published of the game on a board.
#[derive(Clone, Debug, Default)]
struct Progress {
    game: u64,
    plies: usize,
    result: String,
    alerts: Vec<String>,
}

/// The hall. The fields are in the order in which they must be dropped.
pub struct Hall {
    client: Client,
    watcher: EventWatcher,
    properties: zbus::Connection,
    /// The touchmoved that people use, then the machines of its hall.
    sites: Vec<Site>,
    server: Option<NatsServer>,
    singles: Vec<Board>,
    rows: Vec<Chain>,
    boards: BTreeMap<String, (Place, Pieces)>,
    /// The board that nobody has seated.
    spare: String,
    /// The board at each table.
    seats: BTreeMap<u16, String>,
    progress: BTreeMap<String, Progress>,
    board_of: BTreeMap<u64, String>,
    /// The port of the page.
    pub port: u16,
    pub dir: TempDir,
}

impl Hall {
    /// Opens the hall with one touchmoved: all boards have the start position, and the state directory is empty.
    pub async fn open() -> Option<Hall> {
        Hall::open_with(vec![Site::new()?], None).await
    }

    /// Opens the hall with a touchmoved at each of its machines, and one at their hub, which people use.
    pub async fn open_with_machines() -> Option<Hall> {
        let server = NatsServer::start()?;
        let sites: Vec<Site> = (0..=MACHINES).map(|_| Site::new()).collect::<Option<_>>()?;
        let files = HallFiles::of(&sites[0].state());
        files.create_dir().unwrap();
        let registry = Registry::new("open-2026", server.port(), 1 << 30, String::new()).unwrap();
        LockedRegistry::lock(&files).unwrap().save(&registry).unwrap();
        Hall::open_with(sites, Some(server)).await
    }

    async fn open_with(sites: Vec<Site>, server: Option<NatsServer>) -> Option<Hall> {
        let start = pieces(&Position::start());
        let name = |place: Place, name: String| match server {
            None => name,
            Some(_) => format!("{}_{name}", machine_name(place.machine()).replace('-', "_")),
        };
        let place = Place::Single(usize::from(FIRST_IN_ROWS) - 1);
        let spare = name(place, SPARE.to_owned());
        let mut boards = BTreeMap::from([(spare.clone(), (place, start))]);
        let mut seats = BTreeMap::new();
        for table in 1..=TABLES {
            // The order of the names is not that of the tables.
            let (local, place) = match table.checked_sub(FIRST_IN_ROWS).map(usize::from) {
                None => (format!("board_{:02}", FIRST_IN_ROWS - table), Place::Single(usize::from(table) - 1)),
                Some(index) => {
                    let ((row, first), number) = (ROWS[index % ROWS.len()], index / ROWS.len());
                    (format!("{row}_{:05}", usize::from(first) + number), Place::InRow(index % ROWS.len(), number))
                }
            };
            let name = name(place, local);
            seats.insert(table, name.clone());
            boards.insert(name, (place, start));
        }
        let in_row = usize::from(TABLES + 1 - FIRST_IN_ROWS) / ROWS.len();
        let rows = ROWS.map(|(_, first)| Chain::plugged(&(first..).take(in_row).collect::<Vec<u16>>())).into();
        let singles = (0..FIRST_IN_ROWS).map(|_| Board::plugged()).collect();
        let bus = &sites[0].bus;
        let watching = client(bus, Stream::Live).await;
        let mut hall = Hall {
            client: client(bus, Stream::Live).await,
            watcher: watching.watch().await.unwrap(),
            properties: bus.connect().await,
            sites,
            server,
            singles,
            rows,
            boards,
            spare,
            seats,
            progress: BTreeMap::new(),
            board_of: BTreeMap::new(),
            port: 0,
            dir: tempfile::tempdir().unwrap(),
        };
        hall.start(|_| true);
        hall.connected(|_| true).await;
        Some(hall)
    }

    /// Starts touchmoved at these sites.
    fn start(&mut self, is_meant: impl Fn(usize) -> bool) {
        let meant: Vec<usize> = (0..self.sites.len()).filter(|site| is_meant(*site)).collect();
        for site in &meant {
            let config = self.config(*site);
            self.sites[*site].start(&config);
        }
        meant.iter().for_each(|site| self.sites[*site].ready());
        self.port = self.sites[0].page_port();
    }

    /// The configuration of a site: its part in the hall, and the boards that are connected to it.
    fn config(&self, site: usize) -> String {
        let mut config = String::new();
        if let Some(server) = &self.server {
            let url = server.url();
            config += &match site {
                0 => format!("[hall]\nserve = true\nurl = '{url}'\n"),
                _ => format!("[hall]\nhub = '{url}'\nmachine = '{}'\n", machine_name(site)),
            };
        }
        if site == 0 {
            config += &format!("[web]\nlisten = '127.0.0.1:{}'\n", self.port);
        }
        config += "[game]\nsettle_ms = 20\nsettle_low_ms = 20\ndwell_ms = 200\nwrong_move_cost = 1\n[recordings]\non = false\n";
        let prefix = match self.server {
            None => String::new(),
            Some(_) => format!("{}_", machine_name(site).replace('-', "_")),
        };
        for (board, (place, _)) in &self.boards {
            if let (Place::Single(index), Some(name)) = (place, board.strip_prefix(&prefix)) {
                let port = self.singles[*index].path();
                config += &format!("[[board]]\nname = '{name}'\nport = '{}'\n", port.display());
            }
        }
        for (index, ((name, _), row)) in ROWS.iter().zip(&self.rows).enumerate() {
            if self.server.is_none() || Place::InRow(index, 0).machine() == site {
                config += &format!("[[board]]\nname = '{name}'\nmodel = 'dgt-bus'\nport = '{}'\n", row.path().display());
            }
        }
        config
    }

    /// The bus of the touchmoved that people use.
    pub fn bus(&self) -> &PrivateBus {
        &self.sites[0].bus
    }

    /// The state directory of the touchmoved that people use.
    pub fn state(&self) -> PathBuf {
        self.sites[0].state()
    }

    /// Whether the boards are at several machines.
    pub fn has_machines(&self) -> bool {
        self.server.is_some()
    }

    /// The board that nobody has seated.
    pub fn spare(&self) -> &str {
        &self.spare
    }

    /// Waits until these boards have reported their squares, and a game is on each.
    async fn connected(&self, is_meant: impl Fn(&str) -> bool) {
        until("all boards", async || {
            let known = self.client.snapshot().await.ok()?.boards;
            let is_ready =
                |name: &String| known.iter().any(|board| board.id == *name && board.state == "ready" && board.game.is_some());
            self.boards.keys().filter(|name| is_meant(name)).all(is_ready).then_some(())
        })
        .await;
    }

    /// The board at a table.
    pub fn board(&self, table: u16) -> &str {
        &self.seats[&table]
    }

    /// Puts a piece on a square, or removes the piece.
    fn put(&mut self, board: &str, square: Square, piece: Option<Piece>) {
        let (place, pieces) = self.boards.get_mut(board).unwrap();
        pieces[square as usize] = piece;
        match *place {
            Place::Single(index) => self.singles[index].put(&square.to_string(), piece.map_or('.', Piece::char)),
            Place::InRow(row, index) => self.rows[row].put(index, square, piece),
        }
    }

    /// Lifts the piece on a square and puts it on another.
    fn carry(&mut self, board: &str, from: Square, to: Square) {
        let piece = self.boards[board].1[from as usize];
        self.put(board, from, None);
        self.put(board, to, piece);
    }

    /// Makes the pieces stand as in this position: first those are removed that stand elsewhere.
    fn set_pieces(&mut self, board: &str, position: &Position) {
        let (before, after) = (self.boards[board].1, pieces(position));
        let differing = Square::ALL.into_iter().filter(|square| before[*square as usize] != after[*square as usize]);
        let differing: Vec<Square> = differing.collect();
        for square in &differing {
            if before[*square as usize].is_some() {
                self.put(board, *square, None);
            }
        }
        for square in differing {
            if after[square as usize].is_some() {
                self.put(board, square, after[square as usize]);
            }
        }
    }

    /// Lifts White's king before the game, or puts it back.
    pub fn hold_king(&mut self, table: u16, held: bool) {
        let board = self.board(table).to_owned();
        let king = pieces(&Position::start())[Square::E1 as usize];
        self.put(&board, Square::E1, king.filter(|_| !held));
    }

    fn make_move(&mut self, board: &str, position: &Position, mv: Move) {
        match mv {
            Move::Castle { king, rook } => {
                let (side, rank) = (CastlingSide::from_queen_side(rook < king), king.rank());
                self.carry(board, king, Square::from_coords(side.king_to_file(), rank));
                self.carry(board, rook, Square::from_coords(side.rook_to_file(), rank));
            }
            _ => {
                let after = pieces(&position.play(mv));
                let changed: Vec<Square> =
                    Square::ALL.into_iter().filter(|square| after[*square as usize] != position.piece_at(*square)).collect();
                for square in changed.iter().filter(|square| after[**square as usize].is_none()) {
                    self.put(board, *square, None);
                }
                for square in changed.iter().filter(|square| after[**square as usize].is_some()) {
                    self.put(board, *square, after[*square as usize]);
                }
            }
        }
    }

    /// The players press the clock after this number of plies. The boards of the rows have none.
    fn press(&self, table: u16, plies: usize) {
        if let (Place::Single(index), _) = &self.boards[self.board(table)] {
            let used = |moves: usize| 60 * moves as u32;
            self.singles[*index].clock(5_400 - used(plies.div_ceil(2)), 5_400 - used(plies / 2), plies.is_multiple_of(2));
        }
    }

    /// Plays the games at these tables on, all at once, up to this number of plies. The next move at a table is made when the one
    /// before is published.
    pub async fn play(&mut self, truth: &Truth, round: u16, tables: &[u16], plies: usize) {
        // The table, the number of plies that are played there, and how many it shall be.
        let mut playing: BTreeMap<String, (u16, usize, usize)> = BTreeMap::new();
        let mut moving = Vec::new();
        for table in tables {
            let (board, game) = (self.board(*table).to_owned(), &truth[&(round, *table)]);
            let (made, target) = (self.progress.get(&board).map_or(0, |known| known.plies), plies.min(game.moves.len()));
            if made < target {
                self.press(*table, made);
                moving.push(board.clone());
                playing.insert(board, (*table, made, target));
            }
        }
        loop {
            for board in std::mem::take(&mut moving) {
                let Some((table, made, _)) = playing.get_mut(&board) else { continue };
                let game = &truth[&(round, *table)];
                let (position, mv) = (game.position(*made), game.moves[*made]);
                *made += 1;
                let (table, made) = (*table, *made);
                self.make_move(&board, &position, mv);
                self.press(table, made);
            }
            if playing.is_empty() {
                return;
            }
            let board = self.next(|| missing_moves(truth, round, &playing)).await;
            let Some((_, made, target)) = playing.get(&board) else { continue };
            if self.progress[&board].plies != *made {
                continue;
            }
            if made == target {
                playing.remove(&board);
            } else {
                moving.push(board);
            }
        }
    }

    /// The players signal the results of their games at these tables with their kings.
    pub async fn signal_results(&mut self, truth: &Truth, round: u16, tables: &[u16]) {
        for table in tables {
            let (board, game) = (self.board(*table).to_owned(), &truth[&(round, *table)]);
            let position = game.position(game.moves.len());
            let [white, black] = match game.result {
                PairingResult::WhiteWins => [Square::E4, Square::D5],
                PairingResult::BlackWins => [Square::D4, Square::E5],
                _ => [Square::E4, Square::E5],
            };
            self.carry(&board, position.board().king_of(Color::White).unwrap(), white);
            self.carry(&board, position.board().king_of(Color::Black).unwrap(), black);
        }
        for table in tables {
            let board = self.board(*table).to_owned();
            let result = truth[&(round, *table)].result.game_result().map_or("", GameResult::as_str);
            while self.progress[&board].result != result {
                self.next(|| format!("the result of round {round} at table {table}: {result}")).await;
            }
        }
    }

    /// The pieces are put up again at these tables, which begins the next games.
    pub async fn set_up(&mut self, tables: &[u16]) {
        let mut before = BTreeMap::new();
        for table in tables {
            let board = self.board(*table).to_owned();
            self.set_pieces(&board, &Position::start());
            before.insert(board.clone(), self.progress[&board].game);
        }
        for (board, game) in before {
            while self.progress[&board].game == game {
                self.next(|| format!("the next game on {board}")).await;
            }
        }
    }

    /// The player whose turn it is makes an illegal move. Returns when the arbiter is alerted.
    pub async fn make_illegal_move(&mut self, table: u16, game: &TrueGame, plies: usize) {
        let board = self.board(table).to_owned();
        let (from, to) = illegal_move(&game.position(plies));
        self.carry(&board, from, to);
        self.press(table, plies + 1);
        while !self.progress[&board].alerts.iter().any(|kind| kind == "illegal_move") {
            self.next(|| "the alert about the illegal move".to_owned()).await;
        }
    }

    /// The pieces and the clock at a table are put as they were at this ply.
    pub async fn restore(&mut self, table: u16, game: &TrueGame, plies: usize) {
        let board = self.board(table).to_owned();
        self.set_position(&board, &game.position(plies)).await;
        while self.progress[&board].plies != plies {
            self.next(|| format!("the record of {plies} plies at table {table}")).await;
        }
        self.press(table, plies);
    }

    /// A position is set up on a board. Returns when touchmoved has seen it.
    pub async fn set_position(&mut self, board: &str, position: &Position) {
        self.set_pieces(board, position);
        let placement: String = pieces(position).iter().map(|piece| piece.map_or('.', Piece::char)).collect();
        until("the position", async || {
            let boards = self.client.snapshot().await.ok()?.boards;
            let is_seen =
                |placed: &BoardInfo| placed.placement == placement && (board == self.spare || placed.displaced.is_empty());
            boards.iter().find(|known| known.id == board).filter(|known| is_seen(known)).map(drop)
        })
        .await;
    }

    /// From now on the spare board is at this table.
    pub async fn exchanged(&mut self, table: u16) {
        let spare = self.spare.clone();
        let broken = self.seats.insert(table, spare.clone()).unwrap();
        let plies = self.progress[&broken].plies;
        let game = until("the game on the spare board", async || {
            let snapshot = self.client.snapshot().await.ok()?;
            let current = snapshot.boards.iter().find(|board| board.id == spare)?.game;
            snapshot.games.into_iter().find(|game| Some(game.id) == current && game.moves.len() == plies)
        })
        .await;
        self.board_of.insert(game.id, spare.clone());
        self.progress.insert(spare, Progress { game: game.id, plies, ..Progress::default() });
        if let (Place::Single(index), _) = self.boards[&broken] {
            self.singles[index].unplug();
        }
        self.boards.remove(&broken);
    }

    /// The tables of the row whose cable is out for a while.
    pub fn tables_of_loose_row(&self) -> Vec<u16> {
        let is_there = |board: &String| matches!(self.boards[board].0, Place::InRow(LOOSE_ROW, _));
        self.seats.iter().filter(|(_, board)| is_there(board)).map(|(table, _)| *table).collect()
    }

    /// touchmoved is restarted while the cable of a row is out; in a hall of machines, at the hub and at the machine of the row.
    pub async fn restart_without_row(&mut self) {
        let has_machines = self.has_machines();
        let is_meant = move |site: usize| site == 0 || has_machines && site == Place::InRow(LOOSE_ROW, 0).machine();
        let meant = self.sites.iter_mut().enumerate().filter(|(site, _)| is_meant(*site));
        meant.for_each(|(_, site)| site.stop());
        self.rows[LOOSE_ROW].unplug();
        self.start(is_meant);
        let out: Vec<String> = self.tables_of_loose_row().into_iter().map(|table| self.board(table).to_owned()).collect();
        self.connected(|name| !out.iter().any(|board| board == name)).await;
    }

    /// The cable of the row is plugged in again.
    pub async fn plug_row(&mut self) {
        self.rows[LOOSE_ROW].plug();
        self.connected(|_| true).await;
    }

    /// Waits for the next event of a game; returns its board.
    async fn next(&mut self, what: impl Fn() -> String) -> String {
        loop {
            let item = tokio::time::timeout(PATIENCE, self.watcher.next()).await;
            let changed = match item.unwrap_or_else(|_| panic!("waited in vain for {}", what())).expect("the bus") {
                WatchItem::Happened(event) => self.apply(&event).await,
                WatchItem::NewGame(game) => self.current(game).await,
                WatchItem::ServiceStarted | WatchItem::ServiceStopped => None,
            };
            if let Some(board) = changed {
                return board;
            }
        }
    }

    /// The board of a game, if no later one is known there.
    async fn current(&mut self, game: u64) -> Option<String> {
        if !self.board_of.contains_key(&game) {
            let path = names::game_path(game);
            let proxy = zbus::Proxy::new(&self.properties, names::BUS_NAME, path, names::GAME_INTERFACE).await.unwrap();
            self.board_of.insert(game, proxy.get_property("Board").await.ok()?);
        }
        let board = self.board_of[&game].clone();
        let progress = self.progress.entry(board.clone()).or_default();
        if progress.game < game {
            *progress = Progress { game, ..Progress::default() };
        }
        (progress.game == game).then_some(board)
    }

    async fn apply(&mut self, event: &WatchedEvent) -> Option<String> {
        let board = self.current(event.game?).await?;
        let progress = self.progress.get_mut(&board)?;
        let number = |name: &str| event.fields.get(name).and_then(|value| value.as_u64()).unwrap_or(0) as usize;
        let text = |name: &str| event.fields.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        match event.event.as_str() {
            "MoveMade" => progress.plies = number("ply"),
            "MovesCorrected" => progress.plies = number("from_ply") - 1 + event.fields["moves"].as_array().map_or(0, Vec::len),
            "ResultChanged" => progress.result = text("result"),
            "AlertRaised" => progress.alerts.push(text("kind")),
            _ => return None,
        }
        Some(board)
    }
}

/// The last moves at these tables, which are not published.
fn missing_moves(truth: &Truth, round: u16, playing: &BTreeMap<String, (u16, usize, usize)>) -> String {
    let missing = |(board, (table, made, _)): (&String, &(u16, usize, usize))| {
        let game = &truth[&(round, *table)];
        format!("{} of {:?} on {board} at table {table}, round {round}", game.ucis()[made - 1], game.ucis())
    };
    playing.iter().map(missing).collect::<Vec<_>>().join(", ")
}

/// A move of a piece of the side to move to an empty square that it cannot reach.
fn illegal_move(position: &Position) -> (Square, Square) {
    let own = Square::ALL.into_iter().filter(|square| {
        position.piece_at(*square).is_some_and(|piece| piece.color == position.turn() && piece.role == Role::Rook)
    });
    let empty = |square: &Square| position.piece_at(*square).is_none() && (3..5).contains(&(square.rank() as usize));
    let is_legal = |from: Square, to: Square| position.legal_moves().iter().any(|mv| mv.from() == Some(from) && mv.to() == to);
    own.flat_map(|from| Square::ALL.into_iter().filter(empty).map(move |to| (from, to)))
        .find(|(from, to)| !is_legal(*from, *to))
        .expect("a rook that can be misplaced")
}
