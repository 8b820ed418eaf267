//! A fake Lichess server that accepts games as the real one does, and fails as the real one may.

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use touchmove::config::url::Url;

pub const TOKEN: &str = "lip_0123456789";

/// The reaction to one request.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// Ignores the request and replies with this status and header.
    Status(u16, &'static str),
    /// Ignores the request and does not reply.
    Silent,
    /// Closes the connection before the request is read.
    HangUp,
    /// Accepts the games; the reply is cut off in the middle.
    HalfAnswer,
    /// Accepts the games; the reply is delayed.
    Late(Duration),
}

/// A game as the server received it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceivedGame {
    /// SAN, and the mover's clock in seconds.
    pub moves: Vec<(String, Option<u64>)>,
    pub result: String,
    pub round: String,
}

#[derive(Default)]
struct State {
    games: BTreeMap<(String, String), ReceivedGame>,
    plan: VecDeque<Act>,
    /// The reaction to all requests after the plan.
    always: Option<Act>,
    /// The player whose games are rejected.
    refuses: Option<String>,
    requests: Vec<(Instant, String)>,
    concurrent: usize,
    max_concurrent: usize,
    errors: Vec<String>,
}

/// A running server.
#[derive(Clone)]
pub struct Fake {
    state: Arc<Mutex<State>>,
    pub port: u16,
}

impl Fake {
    pub async fn start() -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let fake = Fake { state: Arc::default(), port };
        let serving = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let fake = serving.clone();
                tokio::spawn(async move {
                    // A client may close the connection.
                    let _ = fake.serve(stream).await;
                });
            }
        });
        fake
    }

    pub fn url(&self) -> Url {
        format!("http://127.0.0.1:{}", self.port).parse().unwrap()
    }

    pub fn plan(&self, acts: &[Act]) {
        self.state.lock().unwrap().plan.extend(acts);
    }

    pub fn always(&self, act: Option<Act>) {
        self.state.lock().unwrap().always = act;
    }

    pub fn refuse(&self, player: Option<&str>) {
        self.state.lock().unwrap().refuses = player.map(str::to_owned);
    }

    pub fn games(&self) -> BTreeMap<(String, String), ReceivedGame> {
        self.state.lock().unwrap().games.clone()
    }

    /// The time and the request line of all requests.
    pub fn requests(&self) -> Vec<(Instant, String)> {
        self.state.lock().unwrap().requests.clone()
    }

    /// Whether the whole plan is done.
    pub fn plan_is_done(&self) -> bool {
        self.state.lock().unwrap().plan.is_empty()
    }

    /// Panics if an invalid game was ever sent, or requests overlapped.
    pub fn assert_no_errors(&self) {
        let state = self.state.lock().unwrap();
        assert_eq!(state.errors, Vec::<String>::new());
        assert_eq!(state.max_concurrent, 1, "requests at once");
    }

    async fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await?);
        }
        let head = String::from_utf8(head).unwrap();
        let header = |name: &str| {
            let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
        let act = {
            let mut state = self.state.lock().unwrap();
            state.requests.push((Instant::now(), line.clone()));
            state.plan.pop_front().or(state.always)
        };
        if let Some(Act::HangUp) = act {
            return Ok(());
        }
        let length = header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        if header("authorization") != Some(format!("Bearer {TOKEN}")) {
            return answer(&mut stream, 401, "", r#"{"error":"No such token"}"#).await;
        }
        if let Some(id) = line.strip_prefix("GET /api/broadcast/-/-/") {
            let (status, body) = match id {
                "NoRound1" => (404, r#"{"error":"Not found"}"#.to_owned()),
                id => (200, serde_json::json!({"tour": {"name": "City Open"}, "round": {"id": id, "name": "Round 1"}, "study": {"writeable": id != "ReadOnly"}}).to_string()),
            };
            return answer(&mut stream, status, "", &body).await;
        }
        let is_push = line.starts_with("POST /api/broadcast/round/") && line.ends_with("/push");
        match act {
            _ if !is_push => answer(&mut stream, 404, "", "").await,
            Some(Act::Status(status, header)) => answer(&mut stream, status, header, r#"{"error":"not now"}"#).await,
            Some(Act::Silent) => stream.read_u8().await.map(drop),
            _ => {
                {
                    let mut state = self.state.lock().unwrap();
                    state.concurrent += 1;
                    state.max_concurrent = state.max_concurrent.max(state.concurrent);
                }
                let reply = self.take(&String::from_utf8(body).unwrap());
                tokio::task::yield_now().await;
                self.state.lock().unwrap().concurrent -= 1;
                if let Some(Act::Late(delay)) = act {
                    tokio::time::sleep(delay).await;
                }
                if let Some(Act::HalfAnswer) = act {
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", reply.len());
                    return stream.write_all(format!("{head}{}", &reply[..reply.len() / 2]).as_bytes()).await;
                }
                answer(&mut stream, 200, "", &reply).await
            }
        }
    }

    /// Reads games; returns the reply.
    fn take(&self, text: &str) -> String {
        let mut state = self.state.lock().unwrap();
        let games: Vec<&str> = text.split("\n\n[Event ").collect();
        if games.len() > 100 {
            state.errors.push(format!("{} games", games.len()));
        }
        let mut replies = Vec::new();
        for game in games {
            let (head, moves) = game.split_once("\n\n").unwrap_or((game, ""));
            let tag = |name: &str| {
                let line = head.lines().find_map(|line| line.strip_prefix(&format!("[{name} \"")));
                line.and_then(|line| line.strip_suffix("\"]")).unwrap_or_default().to_owned()
            };
            let (white, black) = (tag("White"), tag("Black"));
            let tags = serde_json::json!({"White": white, "Black": black, "Event": "x"});
            if [&white, &black].iter().any(|name| ["", "?", "bye"].contains(&name.as_str())) {
                state.errors.push(format!("a game of {white} and {black}"));
            }
            let read = read(moves, &tag("FEN"));
            match read {
                _ if state.refuses.as_ref() == Some(&white) => {
                    replies.push(serde_json::json!({"tags": tags, "error": "Cannot find the\nchapter"}));
                }
                Err(error) => {
                    state.errors.push(format!("{white} - {black}: {error}"));
                    replies.push(serde_json::json!({"tags": tags, "error": error}));
                }
                Ok(moves) => {
                    replies.push(serde_json::json!({"tags": tags, "moves": moves.len()}));
                    state.games.insert((white, black), ReceivedGame { moves, result: tag("Result"), round: tag("Round") });
                }
            }
        }
        serde_json::json!({ "games": replies }).to_string()
    }
}

async fn answer(stream: &mut TcpStream, status: u16, header: &str, body: &str) -> std::io::Result<()> {
    let header = if header.is_empty() { String::new() } else { format!("{header}\r\n") };
    let head = format!("HTTP/1.1 {status} x\r\n{header}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).await
}

/// The moves of a game from this position, or from the start position if it is empty. Each move must be legal.
pub fn read(text: &str, fen: &str) -> Result<Vec<(String, Option<u64>)>, String> {
    let mut position = match fen {
        "" => Chess::default(),
        fen => {
            let fen: Fen = fen.parse().map_err(|_| format!("{fen} is no position"))?;
            fen.into_position(CastlingMode::Standard).map_err(|error| error.to_string())?
        }
    };
    let mut moves: Vec<(String, Option<u64>)> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix('{') {
            let (comment, after) = comment.split_once('}').ok_or("a comment without an end")?;
            if let (Some(last), Some((_, clock))) = (moves.last_mut(), comment.split_once("[%clk ")) {
                let clock = clock.split(']').next().unwrap_or_default();
                last.1 = Some(clock.split(':').fold(0, |sum, part| sum * 60 + part.parse::<u64>().unwrap()));
            }
            rest = after.trim_start();
            continue;
        }
        let (word, after) = rest.split_once([' ', '\n']).unwrap_or((rest, ""));
        rest = after.trim_start();
        if word.ends_with('.') || ["*", "1-0", "0-1", "1/2-1/2"].contains(&word) {
            continue;
        }
        let san: SanPlus = word.parse().map_err(|_| format!("{word} is no move"))?;
        let played = san.san.to_move(&position).map_err(|_| format!("Illegal move {word}"))?;
        position = position.play(played).map_err(|_| format!("Illegal move {word}"))?;
        moves.push((word.to_owned(), None));
    }
    Ok(moves)
}
