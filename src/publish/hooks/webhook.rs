//! Posts a message for an alert in the format of ntfy (docs.ntfy.sh/publish): the text is the body; title, priority and tags are
//! headers.

use super::notice::AlertNotification;
use crate::config::url::Url;
use crate::publish::http::request::{self, Request};
use hyper::Method;
use std::fmt::Write;
use std::time::Duration;

/// Posts the message once.
///
/// # Errors
/// Returns a sentence that says why it was not accepted.
pub(super) async fn post_once(url: &Url, notice: &AlertNotification, timeout: Duration) -> Result<(), String> {
    let response = request::send(url, message(notice), timeout).await.map_err(|error| error.to_string())?;
    match response.status {
        200..=299 => Ok(()),
        401 | 403 => Err(format!("{} does not let touchmove post there (status {})", url.host(), response.status)),
        404 => Err(format!("{} has no such address (status 404)", url.host())),
        status => Err(format!("{} rejected the alert (status {status})", url.host())),
    }
}

/// Formats the message for ntfy.
pub(super) fn message(notice: &AlertNotification) -> Request {
    let mut text = String::new();
    if !notice.players.is_empty() {
        let _ = writeln!(text, "{}", notice.players);
    }
    text.push_str(&notice.sentence);
    if !notice.articles.is_empty() {
        let _ = write!(text, " ({})", notice.articles);
    }
    for act in &notice.required {
        let _ = write!(text, "\n– {act}");
    }
    let (priority, tag) = if notice.is_notice { ("default", "eyes") } else { ("high", "warning") };
    let headers = vec![
        ("Title", encode_header_value(&format!("{} · {}", notice.place, notice.heading))),
        ("Priority", priority.to_owned()),
        ("Tags", format!("{tag},{}", notice.kind)),
    ];
    Request { method: Method::POST, path: None, headers, text }
}

/// Encodes a header value; if it is not ASCII, by RFC 2047 in encoded words of at most 75 characters.
fn encode_header_value(text: &str) -> String {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return text.to_owned();
    }
    let (begin, end, max_len) = ("=?UTF-8?Q?", "?=", 75);
    let mut words = vec![begin.to_owned()];
    for letter in text.chars() {
        let mut bytes = [0; 4];
        let letter: String = match letter {
            letter if letter.is_ascii_alphanumeric() => letter.to_string(),
            letter => letter.encode_utf8(&mut bytes).bytes().map(|byte| format!("={byte:02X}")).collect(),
        };
        if words.last().is_some_and(|word| word.len() + letter.len() + end.len() > max_len) {
            words.push(begin.to_owned());
        }
        if let Some(word) = words.last_mut() {
            word.push_str(&letter);
        }
    }
    words.iter().map(|word| format!("{word}{end}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::encode_header_value;

    #[test]
    fn titles_in_any_script() {
        assert_eq!(encode_header_value("7: illegal move"), "7: illegal move");
        assert_eq!(encode_header_value("7 · 违例"), "=?UTF-8?Q?7=20=C2=B7=20=E8=BF=9D=E4=BE=8B?=");
        let long = encode_header_value(&"例".repeat(20));
        assert!(long.split(' ').all(|word| word.len() <= 75 && word.starts_with("=?UTF-8?Q?=E4=BE=8B")), "{long}");
        assert_eq!(long.matches("=E4=BE=8B").count(), 20);
    }
}
