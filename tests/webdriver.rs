//! A browser of the test's own: Debian's Chromium, driven over WebDriver. What is needed of that is a request and an answer, both
//! JSON: <https://www.w3.org/TR/webdriver2/>.

use crate::harness::{PATIENCE, installed};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The key under which an answer names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A script looks so long at a time, in milliseconds: a third of what WebDriver gives it.
const LOOK_MS: u64 = 10_000;

/// chromedriver is started so often: it takes a port that is free in IPv4, and ends where that one is taken in IPv6.
const STARTS: usize = 5;

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

/// Keys that have no sign of their own.
pub const ENTER: &str = "\u{e007}";
pub const ESCAPE: &str = "\u{e00c}";
pub const RIGHT: &str = "\u{e014}";

/// All elements of a CSS selector, in a script.
fn all(css: &str) -> String {
    format!("[...document.querySelectorAll({})]", json!(css))
}

/// Starts chromedriver; `None`: it ended before it said its port.
fn start_driver() -> Option<(Child, u16)> {
    let mut driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port = told.find_map(|line| line.unwrap().split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok());
    let Some(port) = port else {
        let _ = driver.kill();
        let _ = driver.wait();
        return None;
    };
    // What it says later has to go somewhere.
    std::thread::spawn(move || told.for_each(drop));
    Some((driver, port))
}

impl Browser {
    /// One that asks for dark pages; `None`, said so, if Chromium or its driver is not installed.
    pub fn open() -> Option<Browser> {
        if !installed("chromedriver") || !installed("chromium") {
            return None;
        }
        let (driver, port) = (0..STARTS).find_map(|_| start_driver()).expect("chromedriver says its port");
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        let profile = format!("--user-data-dir={}", browser._profile.path().display());
        // As root Chromium has no sandbox; the others keep it from looking for what is no part of the test.
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            &profile,
        ];
        let session = browser.call(
            "POST",
            "/session",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": arguments, "prefs": {"intl": {"accept_languages": "en"}}},
                "goog:loggingPrefs": {"browser": "ALL"},
            }}}),
        );
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        let features =
            json!([{"name": "prefers-color-scheme", "value": "dark"}, {"name": "prefers-reduced-motion", "value": "reduce"}]);
        browser.cdp("Emulation.setEmulatedMedia", json!({ "features": features }));
        Some(browser)
    }

    /// The window has this size, in CSS pixels.
    pub fn size(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.cdp("Emulation.setDeviceMetricsOverride", size);
    }

    /// Goes to this address.
    pub fn go(&self, url: &str) {
        self.ask("POST", "url", json!({ "url": url }));
    }

    /// What a script returns.
    pub fn js(&self, script: &str) -> Value {
        self.ask("POST", "execute/sync", json!({"script": script, "args": []}))
    }

    /// Waits until this is true in the page. It is looked at there, so that waiting costs nothing here.
    #[track_caller]
    pub fn until(&self, what: &str, condition: &str) {
        assert!(self.comes(condition), "waited in vain for: {what}");
    }

    /// Waits until an element of this CSS selector can be seen and says this.
    #[track_caller]
    pub fn shows(&self, css: &str, text: &str) {
        let seen = format!("{}.some(one => one.checkVisibility() && one.textContent.includes({}))", all(css), json!(text));
        assert!(self.comes(&seen), "{css} never says {text:?}, but {:?}", self.text(css));
    }

    /// Waits until no element of this CSS selector can be seen.
    #[track_caller]
    pub fn hides(&self, css: &str) {
        let gone = format!("!{}.some(one => one.checkVisibility())", all(css));
        assert!(self.comes(&gone), "{css} still says {:?}", self.text(css));
    }

    /// Whether this becomes true within [`PATIENCE`].
    fn comes(&self, condition: &str) -> bool {
        let look = format!(
            "const [end, done] = [Date.now() + {LOOK_MS}, arguments[0]];
             (function look() {{
                 const is = Boolean({condition});
                 is || Date.now() > end ? done(is) : setTimeout(look, 20);
             }})();"
        );
        let looks = PATIENCE.as_millis() as u64 / LOOK_MS;
        (0..looks).any(|_| self.ask("POST", "execute/async", json!({"script": look, "args": []})) == true)
    }

    /// What elements of this CSS selector say.
    pub fn text(&self, css: &str) -> String {
        self.js(&format!("return {}.map(one => one.textContent).join(' | ')", all(css))).as_str().unwrap_or_default().to_owned()
    }

    /// Clicks on the first element of this CSS selector, as a mouse does.
    #[track_caller]
    pub fn click(&self, css: &str) {
        let found = self.ask("POST", "element", json!({"using": "css selector", "value": css}));
        let element = found[ELEMENT].as_str().unwrap_or_else(|| panic!("no {css}: {found}")).to_owned();
        self.ask("POST", &format!("element/{element}/click"), json!({}));
    }

    /// Types this, wherever the focus is.
    pub fn keys(&self, text: &str) {
        let strokes: Vec<Value> = text
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})))
            .collect();
        self.ask("POST", "actions", json!({"actions": [{"type": "key", "id": "keys", "actions": strokes}]}));
    }

    /// The window as a PNG, in base64.
    pub fn screenshot(&self) -> String {
        self.ask("GET", "screenshot", Value::Null).as_str().expect("a picture").to_owned()
    }

    /// What the page wrote to its console, and what its policy refused.
    pub fn console(&self) -> Vec<String> {
        let lines = self.ask("POST", "se/log", json!({"type": "browser"}));
        let line = |line: &Value| line["message"].as_str().unwrap_or_default().to_owned();
        lines.as_array().expect("lines").iter().map(line).collect()
    }

    fn cdp(&self, command: &str, params: Value) {
        self.ask("POST", "goog/cdp/execute", json!({"cmd": command, "params": params}));
    }

    /// Something of this session.
    #[track_caller]
    fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        self.call(method, &format!("/session/{}/{path}", self.session), &body)
    }

    #[track_caller]
    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}", self.port, body.len());
        stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        for line in reader.by_ref().lines() {
            let line = line.unwrap().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            length = line.strip_prefix("content-length:").map_or(length, |length| length.trim().parse().unwrap());
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).unwrap();
        let mut answer: Value = serde_json::from_slice(&answer).unwrap();
        let value = answer["value"].take();
        assert!(value.get("error").is_none(), "{method} {path}: {value}");
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium ends with its session; a test that has failed already says why.
        if !std::thread::panicking() && !self.session.is_empty() {
            self.ask("DELETE", "window", Value::Null);
        } else if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let head = format!("DELETE /session/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0", self.session);
            let _ = stream.write_all(format!("{head}\r\n\r\n").as_bytes());
            let _ = stream.read(&mut [0; 64]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
