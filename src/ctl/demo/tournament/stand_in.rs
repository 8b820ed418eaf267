//! A small HTTP server in place of Lichess, and of a program that supports LiveChess: it shows what both receive from touchmoved.
//!
//! | request | reply |
//! |---|---|
//! | `GET /` | the games that were pushed, for people |
//! | `GET /round/{id}.pgn` | the games of a round, as they were pushed last |
//! | `GET /livechess` | a client of the LiveChess server |
//! | `POST /api/broadcast/round/{id}/push` | as that of Lichess: each game, with the number of its moves or an error |
//! | `GET /api/broadcast/-/-/{id}` | as that of Lichess: what the round is |

mod received;

use super::field::EVENT;
use axum::extract::{Path, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use received::Received;
use serde_json::json;
use std::fmt::Write;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;

/// The client of the LiveChess server.
const LIVECHESS: &str = include_str!("stand_in/livechess.html");
/// What stands for the address of the LiveChess server there.
const LIVECHESS_ADDRESS: &str = "{livechess}";
/// The head of the page with the received games. It is loaded again and again, so it needs no script.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"2\">\n\
                    <meta name=\"viewport\" content=\"width=device-width\">\n<title>Received games</title>\n<style>\n\
                    body { font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 60rem; padding: 0 1rem; }\n\
                    table { border-collapse: collapse; width: 100%; }\n\
                    td, th { border-bottom: 1px solid #8888; padding: 0.2rem 0.5rem; text-align: left; }\n\
                    </style>\n</head>\n<body>\n";

/// The server. It ends when this is dropped.
pub(super) struct StandIn {
    received: Arc<Mutex<Received>>,
    /// Its port on this computer.
    pub(super) port: u16,
    serving: tokio::task::JoinHandle<io::Result<()>>,
}

/// The state that all requests share.
#[derive(Clone)]
struct Site {
    received: Arc<Mutex<Received>>,
    /// What a push has in `Authorization`.
    authorization: Arc<str>,
    /// The client of the LiveChess server, with its address.
    livechess: Arc<str>,
}

impl StandIn {
    /// Starts the server. `token`: the token that a push needs; `livechess`: the address of the LiveChess server.
    pub(super) async fn start(token: &str, livechess: &str) -> io::Result<StandIn> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let received = Arc::<Mutex<Received>>::default();
        let site = Site {
            received: Arc::clone(&received),
            authorization: format!("Bearer {token}").into(),
            livechess: LIVECHESS.replace(LIVECHESS_ADDRESS, livechess).into(),
        };
        let router = Router::new()
            .route("/", get(index))
            .route("/round/{file}", get(games))
            .route("/livechess", get(livechess_client))
            .route("/api/broadcast/round/{id}/push", post(push))
            .route("/api/broadcast/-/-/{id}", get(round))
            .with_state(site);
        let serving = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(StandIn { received, port, serving })
    }

    /// Returns the number of games and of pushes that it has received.
    pub(super) fn counts(&self) -> (usize, u64) {
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        (received.games(), received.pushes())
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn index(State(site): State<Site>) -> Html<String> {
    let received = site.received.lock().unwrap_or_else(PoisonError::into_inner);
    let mut page = HEAD.to_owned();
    let _ = write!(
        page,
        "<h1>What Lichess would have received</h1>\n<p>This page stands in for lichess.org. touchmoved pushes all games of a round \
         whenever one has changed, with the delay of the public. <a href=\"/livechess\">What a LiveChess client sees</a></p>\n"
    );
    if received.rounds.is_empty() {
        page.push_str("<p>Nothing yet: the first moves arrive when they are public.</p>\n");
    }
    for (id, round) in received.rounds.iter().rev() {
        let _ = write!(
            page,
            "<h2>{id}: {} pushes</h2>\n<p><a href=\"/round/{id}.pgn\">The games as PGN</a></p>\n<table>\n<tr><th>White<th>Black\
             <th>Moves<th>Last move<th>Result</tr>\n",
            round.pushes,
            id = escaped(id),
        );
        for game in &round.games {
            let _ = writeln!(
                page,
                "<tr><td>{}<td>{}<td>{}<td>{}<td>{}</tr>",
                escaped(&game.white),
                escaped(&game.black),
                game.plies.div_ceil(2),
                escaped(game.error.as_deref().unwrap_or(&game.last_move)),
                escaped(&game.result)
            );
        }
        page.push_str("</table>\n");
    }
    page.push_str("</body>\n</html>\n");
    Html(page)
}

async fn games(State(site): State<Site>, Path(file): Path<String>) -> Response {
    let received = site.received.lock().unwrap_or_else(PoisonError::into_inner);
    match file.strip_suffix(".pgn").and_then(|id| received.rounds.get(id)) {
        Some(round) => ([(CONTENT_TYPE, "text/plain; charset=utf-8")], round.text.clone()).into_response(),
        None => (StatusCode::NOT_FOUND, "nothing was received for this round\n").into_response(),
    }
}

async fn livechess_client(State(site): State<Site>) -> Html<String> {
    Html(site.livechess.to_string())
}

async fn push(State(site): State<Site>, Path(id): Path<String>, headers: HeaderMap, text: String) -> Response {
    if !site.knows(&headers) {
        return unknown_token();
    }
    let mut received = site.received.lock().unwrap_or_else(PoisonError::into_inner);
    Json(json!({ "games": received.push(&id, &text) })).into_response()
}

async fn round(State(site): State<Site>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    if !site.knows(&headers) {
        return unknown_token();
    }
    Json(json!({"tour": {"name": EVENT}, "round": {"id": id, "name": id}, "study": {"writeable": true}})).into_response()
}

impl Site {
    fn knows(&self, headers: &HeaderMap) -> bool {
        headers.get(AUTHORIZATION).is_some_and(|value| value.as_bytes() == self.authorization.as_bytes())
    }
}

fn unknown_token() -> Response {
    (StatusCode::UNAUTHORIZED, Json(json!({"error": "No such token"}))).into_response()
}

/// Returns a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
