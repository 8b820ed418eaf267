//! What a machine of another version has on its disk: one game, and its replies to commands.

use super::*;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, EnPassantMode, Position};
use std::time::{SystemTime, UNIX_EPOCH};

/// An event that the machine has recorded.
pub struct Recorded {
    pub wall_ms: i64,
    pub at: Instant,
    pub text: String,
}

/// What the machine has on its disk.
pub struct Journal {
    pub age: Age,
    pub epoch: Instant,
    pub epoch_wall_ms: i64,
    pub events: Vec<Recorded>,
    position: Chess,
    pub moves: usize,
    /// The replies to commands, by their ids.
    replies: BTreeMap<String, Vec<u8>>,
}

impl Journal {
    /// Begins a game.
    pub fn new(age: Age) -> Journal {
        let (position, now) = (Chess::default(), Instant::now());
        let epoch_wall_ms = unix_ms();
        let mut journal =
            Journal { age, epoch: now, epoch_wall_ms, events: Vec::new(), position, moves: 0, replies: BTreeMap::new() };
        let fen = Fen::from_position(&journal.position, EnPassantMode::Legal);
        journal
            .record(&format!(r#""event":"game_started","fen":"{fen}","chess960":518,"laws":"fide-2023","rotation":"upright""#));
        journal
    }

    fn last(&self) -> u64 {
        self.events.len() as u64
    }

    /// Records an event. `fields`: its JSON without `t` and `n`.
    fn record(&mut self, fields: &str) {
        let (at, number) = (Instant::now(), self.last() + 1);
        let t = at.duration_since(self.epoch).as_millis() as i64;
        let wall_ms = self.epoch_wall_ms + t;
        // As nobody who reads and writes JSON would write it.
        let text = match self.age {
            Age::Earlier => format!(r#"{{"t":{t},"n":{number},{fields}}}"#),
            Age::Later => format!(r#"{{ "n":{number} ,"t":{t}, {fields}, "mood":{{"é":[1.50,-0,"\u00e9"]}} }}"#),
        };
        self.events.push(Recorded { wall_ms, at, text });
    }

    /// Records a move. Returns whether there is one.
    pub fn play(&mut self, rng: &mut Rng) -> bool {
        let moves = self.position.legal_moves();
        let going_on = |mv: &&shakmaty::Move| {
            let mut after = self.position.clone();
            after.play_unchecked(**mv);
            !after.is_game_over()
        };
        let moves: Vec<&shakmaty::Move> = moves.iter().filter(going_on).collect();
        if moves.is_empty() {
            return false;
        }
        let mv = *moves[rng.below(moves.len() as u64) as usize];
        let uci = mv.to_uci(shakmaty::CastlingMode::Standard);
        let san = SanPlus::from_move_and_play_unchecked(&mut self.position, mv);
        let fen = Fen::from_position(&self.position, EnPassantMode::Legal);
        self.moves += 1;
        let ply = self.moves;
        self.record(&format!(
            r#""event":"move_made","ply":{ply},"uci":"{uci}","san":"{san}","fen":"{fen}","confidence":1.000,"alternatives":[]"#
        ));
        if self.age == Age::Later {
            self.record(&format!(r#""event":"piece_dropped" ,"height":{}.2500, "squares":["e4",null]"#, rng.below(100)));
        }
        true
    }

    /// Records a command once, and returns the reply.
    pub fn carry_out(&mut self, request: &Value, is_expired: bool) -> Vec<u8> {
        let id = request["id"].as_str().unwrap();
        if let Some(reply) = self.replies.get(id) {
            return reply.clone();
        }
        let order = &request["action"]["order"];
        let is_for_game = request["game"].is_null() || request["game"] == json!([JOURNAL, GAME]);
        let is_seen = request["seen"].as_u64().is_none_or(|seen| seen >= self.last());
        let refused = |code: &str| json!({"refused": {"code": code, "message": "the machine refuses it"}});
        let reply = match order.as_object().cloned() {
            _ if is_expired => refused("Refused"),
            _ if request["board"] != BOARD || !is_for_game => refused("NoSuchGame"),
            _ if !is_seen => refused("NotCurrent"),
            None => refused("Refused"),
            Some(mut command) => {
                let by = command.remove("by").unwrap();
                self.record(&format!(r#""event":"command","command":{},"by":{by}"#, Value::Object(command)));
                match self.age {
                    Age::Earlier => json!({"done": {"answer": "done"}}),
                    Age::Later => json!({"done": {"answer": "done", "game": [JOURNAL, GAME, self.last()], "took_ms": 3}}),
                }
            }
        };
        let message = match self.age {
            Age::Earlier => json!({"v": 1, "reply": reply}),
            Age::Later => json!({"v": 1, "reply": reply, "signature": {"by": "nobody"}}),
        };
        let message = message.to_string().into_bytes();
        self.replies.insert(id.to_owned(), message.clone());
        message
    }
}

fn unix_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

/// The texts of the first events of a game of a later version, by their numbers from 1 on.
pub fn later_texts(moves: usize) -> Vec<(i64, String)> {
    let (mut journal, mut rng) = (Journal::new(Age::Later), Rng::new(7, 7));
    for _ in 0..moves {
        journal.play(&mut rng);
    }
    journal.events.into_iter().map(|event| (event.wall_ms, event.text)).collect()
}
