//! What is true of the day: who plays whom, with which moves and which result. It is made up, and the same each time.

use crate::core::simulate::random_games_from;
use shakmaty::{Color, Rank};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use touchmove::laws::{Move, Position};
use touchmove::round::{Pairing, PairingResult, Player};
use touchmove::simulate::pgn::SourceGame;

/// The number of playing tables, each with a board.
pub const TABLES: u16 = 60;
/// The number of rounds.
pub const ROUNDS: u16 = 3;
/// The lengths of the games, in plies.
const PLIES: [usize; 3] = [8, 10, 12];

const SURNAMES: [&str; 12] = [
    "Abel",
    "Brandt",
    "Castillo",
    "Dubois",
    "Erdős",
    "Fischer",
    "Grünwald",
    "Haddad",
    "Ibáñez",
    "Jansen",
    "Kowalska",
    "Lindqvist",
];
const FIRST_NAMES: [&str; 10] = ["Anna", "Boris", "Clara", "David", "Ewa", "Farid", "Greta", "Hugo", "Inés", "Jörg"];
const FEDERATIONS: [&str; 5] = ["NED", "ESP", "HUN", "POL", "GER"];

/// A game of the day as it should be on record.
#[derive(Clone, Debug)]
pub struct TrueGame {
    pub white: Player,
    pub black: Player,
    pub moves: Vec<Move>,
    pub result: PairingResult,
}

impl TrueGame {
    /// Returns the moves in UCI.
    pub fn ucis(&self) -> Vec<String> {
        let mut position = Position::start();
        let uci = |mv: &Move| {
            let uci = position.uci(*mv);
            position = position.play(*mv);
            uci
        };
        self.moves.iter().map(uci).collect()
    }

    /// Returns the position after this many plies.
    pub fn position(&self, plies: usize) -> Position {
        self.moves.iter().take(plies).fold(Position::start(), |position, mv| position.play(*mv))
    }
}

/// The games by round and table.
pub type Truth = BTreeMap<(u16, u16), TrueGame>;

/// Returns the player with this start number.
fn player(number: u16) -> Player {
    let index = usize::from(number - 1);
    let name = format!("{}, {}", SURNAMES[index % SURNAMES.len()], FIRST_NAMES[index / SURNAMES.len()]);
    Player {
        name,
        title: ["GM", "IM", "FM"].get(index / 15).map(|title| (*title).to_owned()),
        rating: Some(2_700 - 10 * number),
        federation: Some(FEDERATIONS[index % FEDERATIONS.len()].to_owned()),
        start_number: Some(number),
        ..Player::default()
    }
}

/// Returns the truth as it was planned: every game is played, and each table has its players.
pub fn plan() -> Truth {
    let count = u64::from(TABLES * ROUNDS);
    let mut games: Vec<SourceGame> = random_games_from(1, 12 * count, PLIES[2]).into_iter().filter(is_ordinary).collect();
    assert!(games.len() as u64 >= count, "only {} games", games.len());
    let pairings = (1..=ROUNDS).flat_map(|round| (1..=TABLES).map(move |table| (round, table)));
    let mut game = |(round, table): (u16, u16)| {
        let plies = PLIES[usize::from(table + round) % PLIES.len()];
        let moves = games.pop()?.plies.iter().take(plies).map(|ply| ply.mv).collect();
        let (one, other) = (player(table), player(TABLES + 1 + (table - 1 + 7 * (round - 1)) % TABLES));
        let (white, black) = if (table + round) % 2 == 0 { (one, other) } else { (other, one) };
        let result = [PairingResult::WhiteWins, PairingResult::BlackWins, PairingResult::Draw][usize::from(table * round) % 3];
        Some(((round, table), TrueGame { white, black, moves, result }))
    };
    pairings.map(|place| game(place).expect("a game for each pairing")).collect()
}

/// Whether a game is of full length and undecided at each length, and its kings are far from the centre, where they signal results. The
/// hands are faster than any player: a piece that moves twice in a row would seem to have moved once, with a stop on its way.
fn is_ordinary(game: &SourceGame) -> bool {
    let is_at_home = |position: &Position| {
        [(Color::White, Rank::First), (Color::Black, Rank::Eighth)]
            .into_iter()
            .all(|(color, rank)| position.board().king_of(color).is_some_and(|king| king.rank() == rank))
    };
    let mut position = game.start.clone();
    let is_calm = |mv: Move| {
        position = position.play(mv);
        is_at_home(&position) && position.ending().is_none() && !position.is_check()
    };
    let moves: Vec<Move> = game.plies.iter().map(|ply| ply.mv).collect();
    let has_stop = moves.windows(3).any(|moves| moves[2].from() == Some(moves[0].to()));
    moves.len() == PLIES[2] && !has_stop && moves.into_iter().all(is_calm)
}

/// Returns the pairings of a round as a pairing program writes them.
pub fn pairings_file(truth: &Truth, round: u16) -> String {
    let mut text = format!(
        "From the Tournament-Database of Chess-Results https://chess-results.com\nCity Open\nRound {round} on 2026/11/2{round} at 15:00\n\
         table;white_start_number;white_title;white;white_rating;white_federation;black_start_number;black_title;black;black_rating;\
         black_federation;hall\n"
    );
    for ((_, table), game) in truth.range((round, 0)..=(round, u16::MAX)) {
        let _ = writeln!(text, "{table};{};{};main hall", columns(&game.white), columns(&game.black));
    }
    text
}

fn columns(player: &Player) -> String {
    let number = |value: Option<u16>| value.map_or_else(String::new, |value| value.to_string());
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let Player { name, title, rating, federation, start_number, .. } = player;
    format!("{};{};\"{name}\";{};{}", number(*start_number), text(title), number(*rating), text(federation))
}

/// Returns a pairing with the players and the result of a game.
pub fn pairing(table: u16, game: &TrueGame) -> Pairing {
    let (white, black) = (game.white.clone(), game.black.clone());
    Pairing { table, white, black, result: Some(game.result), ..Pairing::default() }
}
