//! The exports, as our own readers and programs of others read them: every game, name and result is true.

use super::truth::{TABLES, TrueGame, Truth, pairing};
use crate::harness::python::Python;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use touchmove::game::words::Word;
use touchmove::laws::Position;
use touchmove::round::trf::TableOrder;
use touchmove::round::{Pairing, PairingResult, Player, Round};
use touchmove::simulate::pgn;

/// The games of a round, by table.
fn of_round(truth: &Truth, round: u16) -> impl Iterator<Item = (u16, &TrueGame)> {
    truth.range((round, 0)..=(round, u16::MAX)).map(|((_, table), game)| (*table, game))
}

/// What both of a file and of the truth is compared: table, names, result.
fn facts(pairing: &Pairing) -> (u16, &str, &str, Option<&str>) {
    (pairing.table, &pairing.white.name, &pairing.black.name, pairing.result.map(Word::word))
}

fn check_pairings(truth: &Truth, number: u16, round: &Round) {
    let expected: Vec<Pairing> = of_round(truth, number).map(|(table, game)| pairing(table, game)).collect();
    let mut pairings = round.pairings.clone();
    pairings.sort_by_key(|pairing| pairing.table);
    assert_eq!(pairings.iter().map(facts).collect::<Vec<_>>(), expected.iter().map(facts).collect::<Vec<_>>());
}

/// Checks the results of a round as a table of values.
pub fn check_results(truth: &Truth, number: u16, csv: &str) {
    let preview = Round::read_bytes(csv.as_bytes(), Some(number), &TableOrder::Unknown);
    assert_eq!(preview.errors, []);
    check_pairings(truth, number, &preview.round);
}

const TRF_SCRIPT: &str = "
import json, sys, trf
tour = trf.loads(sys.stdin.buffer.read().decode('utf-8'))
for player in tour.players:
    games = [f'{game.startrank}{game.color}{game.result}' for game in player.games]
    print(json.dumps([player.startrank, player.name, player.rating, player.points, games]))
";

/// Checks the report of the tournament: all rounds.
pub fn check_tournament(truth: &Truth, trf: &str) {
    let rounds: BTreeSet<u16> = truth.keys().map(|(round, _)| *round).collect();
    for round in &rounds {
        let tables: String =
            of_round(truth, *round).map(|(table, game)| format!("{table},{}\n", game.white.start_number.unwrap())).collect();
        let preview = Round::read_bytes(trf.as_bytes(), Some(*round), &TableOrder::read(&tables).unwrap());
        assert_eq!(preview.errors, []);
        check_pairings(truth, *round, &preview.round);
    }
    let Some(python) = Python::with("trf", "TRF_PYTHON") else { return };
    let players: BTreeMap<u64, Value> = python
        .run(TRF_SCRIPT, trf)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|player| (player[0].as_u64().unwrap(), player))
        .collect();
    assert_eq!(players.len(), 2 * usize::from(TABLES));
    for game in truth.values().filter(|game| game.white.start_number.is_some()) {
        for player in [&game.white, &game.black] {
            let number = player.start_number.unwrap();
            let (games, points) = card(truth, player);
            let expected = serde_json::json!([number, player.name, player.rating, points, games]);
            assert_eq!(players[&u64::from(number)], expected);
        }
    }
}

/// What a report has of a player: opponent, colour and result of each game, and the points.
fn card(truth: &Truth, player: &Player) -> (Vec<String>, f64) {
    let (mut games, mut points) = (Vec::new(), 0.0);
    for game in truth.values() {
        let (opponent, colour, is_white) = match player.start_number {
            number if number == game.white.start_number => (&game.black, 'w', true),
            number if number == game.black.start_number => (&game.white, 'b', false),
            _ => continue,
        };
        let (sign, score) = match (game.result, is_white) {
            (PairingResult::Draw, _) => ('=', 0.5),
            (PairingResult::WhiteWins, true) | (PairingResult::BlackWins, false) => ('1', 1.0),
            (PairingResult::WhiteWinsByForfeit, true) | (PairingResult::BlackWinsByForfeit, false) => ('+', 1.0),
            (PairingResult::WhiteWinsByForfeit | PairingResult::BlackWinsByForfeit, _) => ('-', 0.0),
            _ => ('0', 0.0),
        };
        games.push(format!("{}{colour}{sign}", opponent.start_number.unwrap()));
        points += score;
    }
    (games, points)
}

/// A game as a file has it: names, result, moves in UCI.
type FileGame = (String, String, String, Vec<String>);

const CHESS_SCRIPT: &str = "
import chess.pgn, io, json, sys
text = io.StringIO(sys.stdin.buffer.read().decode('utf-8'))
while game := chess.pgn.read_game(text):
    assert not game.errors, game.errors
    tags = [game.headers[tag] for tag in ('Round', 'White', 'Black', 'Result')]
    print(json.dumps(tags + [[move.uci() for move in game.mainline_moves()]]))
";

/// Checks the games of a round.
pub fn check_games(truth: &Truth, number: u16, text: &str) {
    let played = of_round(truth, number).filter(|(_, game)| !game.moves.is_empty());
    let expected: Vec<(String, FileGame)> = played
        .map(|(table, game)| {
            let (white, black) = (game.white.name.clone(), game.black.name.clone());
            (format!("{number}.{table}"), (white, black, game.result.word().to_owned(), game.ucis()))
        })
        .collect();
    let ours: Vec<(String, String, Vec<String>)> = pgn::read(text).games.iter().map(read_game).collect();
    let titled =
        |(_, (white, black, result, moves)): &(String, FileGame)| (format!("{white} - {black}"), result.clone(), moves.clone());
    assert_eq!(ours, expected.iter().map(titled).collect::<Vec<_>>());
    let Some(python) = Python::with("chess", "CHESS_PYTHON") else { return };
    let theirs: Vec<(String, FileGame)> = python
        .run(CHESS_SCRIPT, text)
        .lines()
        .map(|line| {
            let (round, white, black, result, moves) = serde_json::from_str(line).unwrap();
            (round, (white, black, result, moves))
        })
        .collect();
    assert_eq!(theirs, expected);
}

/// Reads a game with our own reader: title, result, moves in UCI.
fn read_game(game: &pgn::SourceGame) -> (String, String, Vec<String>) {
    let mut position: Position = game.start.clone();
    let moves = game.plies.iter().map(|ply| {
        let uci = position.uci(ply.mv);
        position = position.play(ply.mv);
        uci
    });
    let moves = moves.collect();
    (game.title.clone(), game.result.map_or("*", |result| result.as_str()).to_owned(), moves)
}
