//! Compressed answers, and streams with only the changed fields of cards.

use super::Site;
use crate::harness::{PATIENCE, until};
use flate2::write::GzDecoder;
use serde_json::{Map, Value};
use std::io::{Read, Write};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// An answer in gzip that is read as it arrives.
struct Compressed {
    head: String,
    stream: BufReader<TcpStream>,
    decoder: GzDecoder<Vec<u8>>,
    /// How much of the decoded text was returned.
    read: usize,
}

impl Compressed {
    async fn get(port: u16, path: &str) -> Compressed {
        let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap());
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: deflate, gzip\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).await.unwrap() > 0, "{head}");
        }
        let head = head.to_ascii_lowercase();
        assert!(head.contains(" 200 ") && head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"));
        Compressed { head, stream, decoder: GzDecoder::new(Vec::new()), read: 0 }
    }

    /// Reads one chunk. Returns false at the end.
    async fn next_chunk(&mut self) -> bool {
        let mut line = String::new();
        timeout(PATIENCE, self.stream.read_line(&mut line)).await.expect("a chunk in time").unwrap();
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        if size > 0 {
            self.stream.read_exact(&mut chunk).await.unwrap();
            self.decoder.write_all(&chunk[..size]).unwrap();
            self.decoder.flush().unwrap();
        }
        size > 0
    }

    /// The next server-sent event with data: its name, id and data.
    async fn next_event(&mut self) -> Option<(String, String, Value)> {
        loop {
            let text = String::from_utf8(self.decoder.get_ref()[self.read..].to_vec()).expect("whole characters");
            if let Some((event, _)) = text.split_once("\n\n") {
                self.read += event.len() + 2;
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
                if let Ok(data) = serde_json::from_str(&field("data: "))
                    && field("event: ") != "alive"
                {
                    return Some((field("event: "), field("id: "), data));
                }
            } else if !self.next_chunk().await {
                return None;
            }
        }
    }
}

/// Merges changed fields into a card.
fn merge(card: &mut Map<String, Value>, changed: Map<String, Value>) {
    for (name, now) in changed {
        match (card.get_mut(&name), now) {
            (Some(Value::Object(then)), Value::Object(now)) => merge(then, now),
            (_, now) => drop(card.insert(name, now)),
        }
    }
}

#[tokio::test]
async fn a_page_receives_only_changed_fields_compressed() {
    let Some(mut site) = Site::open("").await else { return };
    site.hall.board.clock(5400, 5400, true);
    site.hall.play("e2", "e4", "e4").await;
    let state = until("the move", async || {
        let state = site.get("/api/state").await;
        (state["boards"][0]["game"]["ply"] == 1).then_some(state)
    })
    .await;
    let mut compressed = Compressed::get(site.port, "/api/state").await;
    let length: usize = compressed.head.split_once("content-length: ").unwrap().1.lines().next().unwrap().parse().unwrap();
    let mut bytes = vec![0; length];
    compressed.stream.read_exact(&mut bytes).await.unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    let same: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&same["incarnation"], same["boards"].as_array().unwrap().len()), (&state["incarnation"], 1));

    // From the state on, a page receives nothing twice, and no card as a whole.
    let path = format!("/api/events?cards=changes&after={}", same["seq"].as_str().unwrap());
    let mut events = Compressed::get(site.port, &path).await;
    let mut card = same["boards"][0].as_object().unwrap().clone();
    let mut last_id = String::new();
    for (from, to, san) in [("e7", "e5", "e5"), ("g1", "f3", "Nf3")] {
        site.hall.play(from, to, san).await;
        while !card["game"]["last_sans"].to_string().contains(san) {
            let (event, id, data) = events.next_event().await.expect("a change");
            let Value::Object(mut data) = data else { panic!("{data}") };
            assert_eq!((event.as_str(), data.remove("previous").as_ref()), ("change", card.get("seq")), "{data:?}");
            let game = data.get("game").unwrap_or(&Value::Null);
            assert!(game.get("white").is_none() && data.get("model").is_none(), "unchanged: {data:?}");
            merge(&mut card, data);
            last_id = id;
        }
    }
    let now = site.get("/api/state").await;
    if now["seq"] == last_id.as_str() {
        assert_eq!(now["boards"][0], Value::Object(card));
    }

    // A client that reconnects is sent the rest; one with the number of another run is sent everything.
    let mut anew = Compressed::get(site.port, "/api/events?cards=changes&after=elsewhen-3").await;
    assert_eq!(anew.next_event().await.unwrap().0, "incarnation");
    assert_eq!(anew.next_event().await.unwrap().0, "card");

    // The stream ends with its checksum.
    assert!(site.hall.daemon.terminate().success());
    while events.next_event().await.is_some() {}
    events.decoder.finish().expect("a complete stream");
}
