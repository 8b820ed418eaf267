//! A trace of Chromium's main thread: what it does in each frame.
//!
//! Events and categories are those of the timeline of Chromium's developer tools, which has no specification.

use super::Figures;
use super::harness::PATIENCE;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::client_async_with_config;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// The recorded categories.
const CATEGORIES: &str = "devtools.timeline,disabled-by-default-devtools.timeline,v8,disabled-by-default-v8.gc";
/// The events that are scripting, style or layout.
const WORK: &[&str] = &[
    "EvaluateScript",
    "EventDispatch",
    "FireAnimationFrame",
    "FunctionCall",
    "IntersectionObserverController::computeIntersections",
    "Layout",
    "MajorGC",
    "MinorGC",
    "RunMicrotasks",
    "TimerFire",
    "UpdateLayoutTree",
    "V8.GCScavenger",
    "v8.callFunction",
    "v8.evaluateModule",
    "v8.run",
];

/// What the main thread of the page did.
pub struct MainThread {
    /// The times of scripting, style and layout: begin and end, in microseconds.
    work: Vec<(u64, u64)>,
    /// When each frame was complete, except for its pixels.
    frames: Vec<u64>,
    /// The durations of tasks.
    tasks: Vec<u64>,
}

impl MainThread {
    /// Traces the browser with this debugger address for some time.
    pub async fn trace(address: &str, lasts: Duration) -> MainThread {
        let version = get(address, "/json/version").await;
        let url = version["webSocketDebuggerUrl"].as_str().expect("an address of the browser").to_owned();
        let stream = TcpStream::connect(address).await.expect("the browser listens");
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let mut socket = client_async_with_config(url, stream, Some(config)).await.expect("a WebSocket").0;
        let call = |id: u32, method: &str, params: Value| {
            Message::text(json!({"id": id, "method": method, "params": params}).to_string())
        };
        let start = json!({"transferMode": "ReportEvents", "traceConfig": {"includedCategories": CATEGORIES.split(',').collect::<Vec<_>>()}});
        socket.send(call(1, "Tracing.start", start)).await.expect("the browser listens");
        tokio::time::sleep(lasts).await;
        socket.send(call(2, "Tracing.end", json!({}))).await.expect("the browser listens");
        let mut events = Vec::new();
        loop {
            let message = tokio::time::timeout(PATIENCE, socket.next()).await.expect("the trace in time");
            let text = message.expect("the end of the trace").expect("a message").into_text().expect("text");
            let mut message: Value = serde_json::from_str(&text).expect("JSON");
            assert!(message.get("error").is_none(), "{message}");
            match message["method"].as_str() {
                Some("Tracing.dataCollected") => {
                    if let Value::Array(part) = message["params"]["value"].take() {
                        events.extend(part);
                    }
                }
                Some("Tracing.tracingComplete") => return MainThread::of(&events),
                _ => {}
            }
        }
    }

    /// Finds the main thread that did most.
    fn of(events: &[Value]) -> MainThread {
        let thread = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
        let mut threads: BTreeMap<_, MainThread> = BTreeMap::new();
        for event in events.iter().filter(|event| event["args"]["name"] == "CrRendererMain") {
            threads.insert(thread(event), MainThread { work: Vec::new(), frames: Vec::new(), tasks: Vec::new() });
        }
        for event in events {
            let (Some(main), Some(name), Some(at)) =
                (threads.get_mut(&thread(event)), event["name"].as_str(), event["ts"].as_u64())
            else {
                continue;
            };
            let lasted = event["dur"].as_u64().unwrap_or(0);
            match name {
                "BeginCommitCompositorFrame" => main.frames.push(at),
                "RunTask" => main.tasks.push(lasted),
                _ if WORK.contains(&name) => main.work.push((at, at + lasted)),
                _ => {}
            }
        }
        let mut main = threads.into_values().max_by_key(|main| main.work.len()).expect("the trace has a main thread");
        main.work.sort_unstable();
        main.frames.sort_unstable();
        main
    }

    /// The time of scripting, style and layout for each frame: since the one before was complete. Frames for which nothing was done are
    /// left out.
    pub fn frames(&self) -> Figures {
        let mut frames: BTreeMap<usize, u64> = BTreeMap::new();
        let mut until = 0;
        for (begin, end) in &self.work {
            // Events contain others.
            let begin = (*begin).max(until);
            if *end > begin {
                *frames.entry(self.frames.partition_point(|at| *at <= begin)).or_default() += end - begin;
                until = *end;
            }
        }
        let mut figures = Figures::default();
        frames.into_values().for_each(|us| figures.add(Duration::from_micros(us)));
        figures
    }

    /// All tasks.
    pub fn tasks(&self) -> Figures {
        let mut figures = Figures::default();
        self.tasks.iter().for_each(|us| figures.add(Duration::from_micros(*us)));
        figures
    }
}

/// Requests JSON over HTTP.
async fn get(address: &str, path: &str) -> Value {
    let mut stream = TcpStream::connect(address).await.expect("the browser listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("the browser listens");
    // Chromium does not close the connection.
    let mut answer = Vec::new();
    loop {
        let byte = stream.read_u8().await.expect("an answer");
        answer.push(byte);
        let text = String::from_utf8_lossy(&answer);
        if let Some((_, body)) = text.split_once("\r\n\r\n")
            && let Ok(value) = serde_json::from_str(body)
        {
            return value;
        }
    }
}
