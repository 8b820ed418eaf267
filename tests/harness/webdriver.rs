//! A browser for tests: Debian's Chromium, controlled over WebDriver. Only requests and answers in JSON are needed of that:
//! <https://www.w3.org/TR/webdriver2/>.

use super::{PATIENCE, installed};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The key under which an answer names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How long a script polls a condition at most, in milliseconds: a third of WebDriver's timeout for a script.
const POLL_MS: u64 = 10_000;

/// How often a start of chromedriver is tried: it chooses a port that is free in IPv4, and exits if that port is in use in IPv6.
const STARTS: usize = 5;

/// A browser with one window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// The address of its debugger.
    debugger: String,
    _profile: TempDir,
}

/// A key without a character.
pub const ENTER: &str = "\u{e007}";
pub const ESCAPE: &str = "\u{e00c}";
pub const RIGHT: &str = "\u{e014}";
pub const DOWN: &str = "\u{e015}";

/// All elements of a CSS selector, in a script.
fn all(css: &str) -> String {
    format!("[...document.querySelectorAll({})]", json!(css))
}

/// Starts chromedriver. `None` if it exits before it prints its port.
fn start_driver() -> Option<(Child, u16)> {
    let mut driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port = lines.find_map(|line| line.unwrap().split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok());
    let Some(port) = port else {
        let _ = driver.kill();
        let _ = driver.wait();
        return None;
    };
    // Its later output must be read, or it would block.
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, port))
}

impl Browser {
    /// Opens a browser that prefers dark pages. If Chromium or its driver is not installed, prints that and returns `None`.
    pub fn open() -> Option<Browser> {
        if !installed("chromedriver") || !installed("chromium") {
            return None;
        }
        let (driver, port) = (0..STARTS).find_map(|_| start_driver()).expect("chromedriver prints its port");
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Browser { driver, port, session: String::new(), debugger: String::new(), _profile: profile };
        let profile = format!("--user-data-dir={}", browser._profile.path().display());
        // As root Chromium has no sandbox; the other options prevent network traffic that is not part of the test.
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
        let debugger = session["capabilities"]["goog:chromeOptions"]["debuggerAddress"].as_str();
        browser.debugger = debugger.expect("an address").to_owned();
        browser.prefers("dark");
        Some(browser)
    }

    /// Makes pages believe that the system prefers these colours, and no motion.
    pub fn prefers(&self, colours: &str) {
        let features =
            json!([{"name": "prefers-color-scheme", "value": colours}, {"name": "prefers-reduced-motion", "value": "reduce"}]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Makes the processor so many times slower.
    #[allow(dead_code)] // for benches
    pub fn slow_down(&self, times: u32) {
        self.cdp("Emulation.setCPUThrottlingRate", json!({ "rate": times }));
    }

    /// Loads everything from the server from now on.
    pub fn without_cache(&self) {
        self.cdp("Network.enable", json!({}));
        self.cdp("Network.setCacheDisabled", json!({"cacheDisabled": true}));
    }

    /// Loads no addresses that match this pattern from now on.
    pub fn block(&self, pattern: &str) {
        self.cdp("Network.enable", json!({}));
        self.cdp("Network.setBlockedURLs", json!({"urls": [pattern]}));
    }

    /// The address of its debugger, which accepts more than WebDriver.
    #[allow(dead_code)] // for benches
    pub fn debugger(&self) -> &str {
        &self.debugger
    }

    /// Sets the size of the window, in CSS pixels.
    pub fn size(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.cdp("Emulation.setDeviceMetricsOverride", size);
    }

    /// Goes to this address.
    pub fn go(&self, url: &str) {
        self.command("POST", "url", json!({ "url": url }));
    }

    /// Runs this script before those of each page that is loaded from now on.
    pub fn before_load(&self, script: &str) {
        self.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    }

    /// Runs a script and returns its result.
    pub fn js(&self, script: &str) -> Value {
        self.command("POST", "execute/sync", json!({"script": script, "args": []}))
    }

    /// Waits until this condition is true in the page. The page polls it, so that waiting costs nothing here.
    #[track_caller]
    pub fn until(&self, name: &str, condition: &str) {
        assert!(self.becomes_true(condition), "waited in vain for: {name}");
    }

    /// Waits until an element of this CSS selector is visible and contains this text.
    #[track_caller]
    pub fn shows(&self, css: &str, text: &str) {
        let seen = format!("{}.some(one => one.checkVisibility() && one.textContent.includes({}))", all(css), json!(text));
        assert!(self.becomes_true(&seen), "{css} never shows {text:?}, but {:?}", self.text(css));
    }

    /// Waits until no element of this CSS selector is visible.
    #[track_caller]
    pub fn hides(&self, css: &str) {
        let hidden = format!("!{}.some(one => one.checkVisibility())", all(css));
        assert!(self.becomes_true(&hidden), "{css} still shows {:?}", self.text(css));
    }

    /// Returns whether this condition becomes true within [`PATIENCE`]. It may read elements that the page does not have yet.
    fn becomes_true(&self, condition: &str) -> bool {
        let script = format!(
            "const [end, done] = [Date.now() + {POLL_MS}, arguments[0]];
             (function poll() {{
                 let is = false;
                 try {{ is = Boolean({condition}); }} catch (error) {{ if (!(error instanceof TypeError)) throw error; }}
                 is || Date.now() > end ? done(is) : setTimeout(poll, 20);
             }})();"
        );
        let attempts = PATIENCE.as_millis() as u64 / POLL_MS;
        (0..attempts).any(|_| self.command("POST", "execute/async", json!({"script": script, "args": []})) == true)
    }

    /// The texts of the elements of this CSS selector.
    pub fn text(&self, css: &str) -> String {
        self.js(&format!("return {}.map(one => one.textContent).join(' | ')", all(css))).as_str().unwrap_or_default().to_owned()
    }

    /// Clicks on the first element of this CSS selector, as a mouse does, as soon as it is visible.
    #[track_caller]
    pub fn click(&self, css: &str) {
        self.until(css, &format!("document.querySelector({})?.checkVisibility()", json!(css)));
        self.command("POST", &format!("element/{}/click", self.element(css)), json!({}));
    }

    /// Chooses a file in the input of this CSS selector.
    #[track_caller]
    pub fn choose_file(&self, css: &str, file: &Path) {
        let text = file.to_str().expect("a path");
        self.command("POST", &format!("element/{}/value", self.element(css)), json!({ "text": text }));
    }

    /// Sets the value of the first input or select element of this CSS selector, as if a user had.
    #[track_caller]
    pub fn set(&self, css: &str, value: &str) {
        let script = "const one = document.querySelector(CSS);
             one.value = VALUE;
             one.dispatchEvent(new Event('change', { bubbles: true }));
             return one.value";
        let now = self.js(&script.replace("CSS", &json!(css).to_string()).replace("VALUE", &json!(value).to_string()));
        assert_eq!(now, value, "{css}");
    }

    /// The first element of this CSS selector.
    #[track_caller]
    fn element(&self, css: &str) -> String {
        let found = self.command("POST", "element", json!({"using": "css selector", "value": css}));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("no {css}: {found}")).to_owned()
    }

    /// Types this text into the element that has the focus.
    pub fn keys(&self, text: &str) {
        let strokes: Vec<Value> = text
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})))
            .collect();
        self.command("POST", "actions", json!({"actions": [{"type": "key", "id": "keys", "actions": strokes}]}));
    }

    /// The window as a PNG, in base64.
    pub fn screenshot(&self) -> String {
        self.command("GET", "screenshot", Value::Null).as_str().expect("a picture").to_owned()
    }

    /// The messages that the page wrote to its console, and those about its security policy.
    pub fn console(&self) -> Vec<String> {
        let lines = self.command("POST", "se/log", json!({"type": "browser"}));
        let line = |line: &Value| line["message"].as_str().unwrap_or_default().to_owned();
        lines.as_array().expect("lines").iter().map(line).collect()
    }

    fn cdp(&self, command: &str, params: Value) {
        self.command("POST", "goog/cdp/execute", json!({"cmd": command, "params": params}));
    }

    /// Sends a command of this session.
    #[track_caller]
    fn command(&self, method: &str, path: &str, body: Value) -> Value {
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
        // Chromium exits when its session ends. If the test has failed already, errors are ignored.
        if !std::thread::panicking() && !self.session.is_empty() {
            self.command("DELETE", "window", Value::Null);
        } else if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let head = format!("DELETE /session/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0", self.session);
            let _ = stream.write_all(format!("{head}\r\n\r\n").as_bytes());
            let _ = stream.read(&mut [0; 64]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
