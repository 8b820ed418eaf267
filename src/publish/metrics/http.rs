//! As much of HTTP/1.1 as one page needs: a request, an answer, the end.

use std::net::IpAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Who asks has so long, and so has who reads the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// A request is no longer, in bytes.
const LONGEST: usize = 8192;

/// Answers one request with what `page` gives, or says why not.
pub async fn answer(mut stream: TcpStream, page: impl FnOnce() -> String) {
    let talk = async {
        let request = read(&mut stream).await?;
        let answer = respond(&request, page);
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    };
    // Who went away, or is too slow, is not waited for.
    let _ = tokio::time::timeout(PATIENCE, talk).await;
}

/// The request up to the empty line; what comes without one is cut off.
async fn read(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut request = Vec::new();
    let mut chunk = [0; 1024];
    while request.len() < LONGEST && !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut chunk).await? {
            0 => break,
            count => request.extend_from_slice(chunk.get(..count).unwrap_or_default()),
        }
    }
    Ok(String::from_utf8_lossy(&request).into_owned())
}

fn respond(request: &str, page: impl FnOnce() -> String) -> String {
    let mut lines = request.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let host = lines.take_while(|line| !line.is_empty()).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim())
    });
    let (status, body) = match (method, path) {
        _ if !request.contains("\r\n\r\n") => ("400 Bad Request", "this is no request of HTTP\n".to_owned()),
        // A page of the web that was given a name for this address.
        _ if !host.is_some_and(is_here) => ("403 Forbidden", "ask by the name localhost, or by the address\n".to_owned()),
        ("GET" | "HEAD", "/metrics") => ("200 OK", page()),
        ("GET" | "HEAD", _) => ("404 Not Found", "there is /metrics only\n".to_owned()),
        _ => ("405 Method Not Allowed\r\nAllow: GET, HEAD", "GET and HEAD only\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    if method == "HEAD" { head } else { head + &body }
}

/// Whether a Host names this machine to itself.
fn is_here(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}
