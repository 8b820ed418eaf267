//! Why a hub does not receive games: an examination of its files, its message server and its storage from outside of touchmoved.

use super::storage;
use crate::config::hall::{Hall, ServerUrl};
use crate::hall::connection::{ConnectFailure, Connection, Endpoint};
use crate::hall::finding::Finding;
use crate::hall::service::NO_HALL;
use crate::hall::setup::paths::HallFiles;
use crate::hall::setup::registry::{self, Registry};
use crate::hall::setup::server;
use crate::hall::setup::validity::Validity;
use crate::hall::subject;
use async_nats::jetstream;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use tokio_rustls::rustls::pki_types::UnixTime;

/// Examines a hub, as far as its files and its key allow. `url`: its server, as in `hall`.
pub async fn diagnose(hall: &Hall, url: &ServerUrl, state_dir: &Path) -> Vec<Finding> {
    let files = HallFiles::of(state_dir);
    let secrets = [files.registry(), hall.key_file(state_dir), files.server_key()];
    if let Some(note) = Finding::no_permission(&secrets) {
        return vec![note];
    }
    let registry = match registry::load(&files) {
        Ok(Some(registry)) => registry,
        Ok(None) => return vec![Finding::Fault(NO_HALL.to_owned())],
        Err(error) => return vec![Finding::Fault(error.to_string())],
    };
    let mut findings = vec![Finding::Good(format!("this machine is the hub of the hall {}", registry.hall))];
    if url.uses_tls() {
        findings.push(certificate(&files, &registry.hall));
    }
    let endpoint = match Endpoint::new(hall, url, state_dir, subject::HUB) {
        Ok(endpoint) => endpoint,
        // The advice for a machine does not help here.
        Err(_) => return with(findings, Finding::Fault(key_fault(&registry.hall))),
    };
    let connection = match Connection::open_once(&endpoint).await {
        Ok(connection) => connection,
        Err(failure) => return with(findings, Finding::Fault(no_connection(&failure, &files, url, &registry.hall))),
    };
    match connection.unusable() {
        Some(sentence) => findings.push(Finding::Fault(sentence)),
        None => {
            findings.push(Finding::Good(format!("the hall's server runs at {url}")));
            findings.push(storage(&connection, &registry).await);
        }
    }
    findings
}

fn with(mut findings: Vec<Finding>, finding: Finding) -> Vec<Finding> {
    findings.push(finding);
    findings
}

/// Examines whether machines accept the certificate of the server.
fn certificate(files: &HallFiles, hall: &str) -> Finding {
    let again = format!("run `sudo touchmovectl hall init --event {hall}`, which makes a new one that machines accept");
    match Validity::of_server(files, UnixTime::now()) {
        Ok(Validity::Valid) => Finding::Good("the certificate of the hall's server is valid".to_owned()),
        Ok(Validity::Ending) => Finding::Fault(format!("the certificate of the hall's server ends within 30 days: {again}")),
        Ok(Validity::Refused(reason)) => {
            Finding::Fault(format!("machines do not accept the certificate of the hall's server ({reason}): {again}"))
        }
        Err(error) => Finding::Fault(error.to_string()),
    }
}

fn key_fault(hall: &str) -> String {
    format!(
        "the hall's server does not accept the key of the hub, or there is none: run `sudo touchmovectl hall init --event {hall}`, \
         which writes its configuration again"
    )
}

/// Returns why there is no connection to the server of this machine, as a sentence that says what to do.
fn no_connection(failure: &ConnectFailure, files: &HallFiles, url: &ServerUrl, hall: &str) -> String {
    if *failure == ConnectFailure::KeyRefused(url.to_string()) {
        return key_fault(hall);
    }
    if let Err(error) = server::find().and_then(|program| server::check_version(&program)) {
        return error.to_string();
    }
    if server::running(files).is_some() {
        return failure.to_string();
    }
    let (port, unit) = (url.port(), server::UNIT);
    // Whoever listens there is not the server of the hall.
    let is_free = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok();
    match is_free {
        true => format!("the hall's server does not run: run `sudo systemctl start {unit}`, and see `journalctl -u {unit}`"),
        false => format!(
            "another program uses port {port}, so the hall's server cannot start: `sudo ss -ltnp` shows which; Debian's own nats-server \
             is stopped with `sudo systemctl disable --now nats-server`"
        ),
    }
}

/// Examines how full the storage of the server is.
async fn storage(connection: &Connection, registry: &Registry) -> Finding {
    let context = jetstream::new(connection.client().clone());
    let Ok(stream) = context.get_stream(subject::events_stream(&registry.hall)).await else {
        return Finding::Note(format!("the hall's server has no stream for {} yet, which touchmoved creates", registry.hall));
    };
    match storage::measure(&context, &stream, registry).await {
        Ok(storage) => storage::sentence(storage, &registry.hall, false)
            .map_or_else(|| Finding::Good(format!("{} % of the hall's storage is used", storage.percent())), Finding::Fault),
        Err(reason) => Finding::Fault(format!("the hall's server does not say how full it is ({reason}): try again")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_of_another_program_is_reported() {
        let other = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let port = other.local_addr().unwrap().port();
        let url: ServerUrl = format!("nats://127.0.0.1:{port}").parse().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let failure = ConnectFailure::Unreachable { url: url.to_string(), reason: "it says nothing".to_owned() };
        let sentence = no_connection(&failure, &HallFiles::of(dir.path()), &url, "open-2026");
        match server::find() {
            Ok(_) => assert!(sentence.starts_with(&format!("another program uses port {port}")), "{sentence}"),
            Err(error) => assert_eq!(sentence, error.to_string()),
        }
        let refused = ConnectFailure::KeyRefused(url.to_string());
        let sentence = no_connection(&refused, &HallFiles::of(dir.path()), &url, "open-2026");
        assert!(sentence.ends_with("`sudo touchmovectl hall init --event open-2026`, which writes its configuration again"));
    }
}
