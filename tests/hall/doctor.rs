//! What `touchmovectl doctor` says about a hall, and servers that cannot carry one.

use super::*;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use touchmove::hall::setup::{certificates, key, server};
use touchmove::hall::subject::Bucket;

/// A finding of the doctor: whether it is good, what it says, and what to do.
pub type Finding = (Option<bool>, String, String);

/// Runs the doctor; returns its findings about the hall.
fn doctor(config: &Path, state: &Path, bus: &str) -> Vec<Finding> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchmovectl"));
    command.args(["doctor", "--json", "--bus", bus, "--config"]).arg(config).arg("--state-dir").arg(state);
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    });
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["check"] == "hall");
    findings.map(|finding| (finding["ok"].as_bool(), text(&finding["message"]), text(&finding["next"]))).collect()
}

/// Runs the doctor at a node.
pub fn doctor_at(node: &Node) -> Vec<Finding> {
    doctor(&node.config.path().join("touchmoved.toml"), node.state.path(), &node.bus.address())
}

/// Runs the doctor with this table `[hall]`, where no touchmoved runs.
fn doctor_alone(hall: &str, state: &TempDir) -> Vec<Finding> {
    let config = state.path().join("touchmoved.toml");
    std::fs::write(&config, format!("[hall]\n{hall}")).unwrap();
    doctor(&config, state.path(), "unix:path=/nonexistent/bus")
}

#[track_caller]
pub fn check(findings: &[Finding], ok: Option<bool>, message: &str, next: &str) {
    let is_it = |found: &&Finding| found.0 == ok && found.1.contains(message) && found.2.contains(next);
    assert!(findings.iter().any(|found| is_it(&found)), "missing: {ok:?} {message:?} {next:?} in {findings:#?}");
}

/// The table `[hall]` of a machine.
fn machine_config(url: &str) -> String {
    format!("hub = '{url}'\nmachine = 'pi-01'\n")
}

#[tokio::test]
async fn both_ends_of_a_hall_are_in_order() {
    let Some(server) = NatsServer::start() else { return };
    let Some(hub) = hub(&server, "").await else { return };
    let Some(machine) = Machine::start("pi-01", server.port()).await else { return };
    machine.board.play("e2", "e4");
    shown(&hub, &machine.board_at_hub(), 1).await;
    wait_equal(&hub, &machine);
    until("all events to be at the hub", async || {
        let findings = doctor_at(&machine.node);
        findings.iter().any(|(_, message, _)| message == "the hub has all games of this machine").then_some(())
    })
    .await;
    let findings = doctor_at(&machine.node);
    check(&findings, Some(true), &format!("{} accepts this machine as pi-01", server.url()), "");
    check(&findings, Some(true), "this machine is in the hall open-2026", "");
    check(&findings, Some(true), "the touchmoved of the hub answers", "");
    assert!(findings.iter().all(|(ok, ..)| *ok != Some(false)), "{findings:#?}");
    let findings = doctor_at(&hub);
    check(&findings, Some(true), "this machine is the hub of the hall open-2026", "");
    check(&findings, Some(true), &format!("the hall's server runs at {}", server.url()), "");
    check(&findings, Some(true), "0 % of the hall's storage is used", "");
}

#[tokio::test]
async fn a_machine_says_what_is_wrong_at_the_hub() {
    let Some(server) = NatsServer::start() else { return };
    let state = tempfile::tempdir().unwrap();
    let config = machine_config(&server.url());
    // No hub has ever been there.
    let findings = doctor_alone(&config, &state);
    check(&findings, Some(false), "the hub has not said the name of the hall yet", "write serve = true under [hall]");
    check(&findings, Some(false), "the hall's server answers, but the hub does not", "start touchmoved there");
    let Some(mut hub) = hub(&server, "").await else { return };
    until("the hub to answer", async || {
        let findings = doctor_alone(&config, &state);
        findings.iter().any(|(_, message, _)| message == "the touchmoved of the hub answers").then_some(())
    })
    .await;
    check(&doctor_alone(&config, &state), None, "the touchmoved of this machine is not in the hall", "");
    // Another machine has its name.
    let client = async_nats::connect(server.url()).await.unwrap();
    let presence = r#"{"v":1,"boot":"another","instance":"x","version":"0.1.0","unsent":3}"#;
    client.request(Bucket::Here.subject("pi-01"), presence.into()).await.unwrap();
    let findings = doctor_alone(&config, &state);
    check(&findings, Some(false), "another machine is connected to the hall as \"pi-01\"", "remove hall/machine.nk");
    hub.stop();
    let findings = doctor_alone(&config, &state);
    check(&findings, Some(true), "this machine is in the hall open-2026", "");
    check(&findings, Some(false), "the hall's server answers, but the hub does not", "start touchmoved there");
}

#[test]
fn a_server_that_cannot_be_reached() {
    let state = tempfile::tempdir().unwrap();
    // Nothing listens there any more.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let url = format!("nats://127.0.0.1:{port}");
    let findings = doctor_alone(&machine_config(&url), &state);
    check(&findings, Some(false), &format!("{url} refuses the connection"), "systemctl status touchmove-nats");
    // The key is missing.
    let findings = doctor_alone(&machine_config("tls://nowhere.invalid"), &state);
    check(&findings, Some(false), "the key of this machine in the hall", "touchmovectl hall join");
    // The name is not known.
    let files = HallFiles::of(state.path());
    files.create_dir().unwrap();
    key::load_or_create(&files).unwrap();
    certificates::create(&files, HALL, &["localhost".to_owned()]).unwrap();
    let findings = doctor_alone(&machine_config("tls://nowhere.invalid"), &state);
    check(&findings, Some(false), "tls://nowhere.invalid:4222 is not known in this network", "config set hall.hub");
}

#[test]
fn keys_and_certificates_that_are_not_accepted() {
    let (hub, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [hub_files, files] = [&hub, &state].map(|dir| HallFiles::of(dir.path()));
    for files in [&hub_files, &files] {
        files.create_dir().unwrap();
    }
    certificates::create(&hub_files, HALL, &["127.0.0.1".to_owned()]).unwrap();
    let public = key::load_or_create(&files).unwrap().public_key();
    let extra = format!(
        "tls {{ cert_file: {:?}, key_file: {:?} }}\nauthorization {{ users: [ {{ nkey: {public} }} ] }}\n",
        hub_files.server_certificate(),
        hub_files.server_key()
    );
    let Some(server) = NatsServer::start_with(&extra, None) else { return };
    let url = format!("tls://127.0.0.1:{}", server.port());
    let config = machine_config(&url);
    std::fs::copy(hub_files.ca(), files.ca()).unwrap();
    check(&doctor_alone(&config, &state), Some(true), &format!("{url} accepts this machine as pi-01"), "");
    std::fs::remove_file(files.key()).unwrap();
    key::load_or_create(&files).unwrap();
    let findings = doctor_alone(&config, &state);
    check(&findings, Some(false), &format!("{url} does not accept the key of this machine"), "touchmovectl hall add");
    // A CA of its own.
    std::fs::remove_file(files.ca()).unwrap();
    certificates::create(&files, HALL, &["127.0.0.1".to_owned()]).unwrap();
    let findings = doctor_alone(&config, &state);
    check(&findings, Some(false), &format!("the certificate of {url} is not from the CA of this hall"), "check the address");
}

#[test]
fn a_hub_without_its_files_or_its_server() {
    let state = tempfile::tempdir().unwrap();
    // A program that says nothing, where the server should be.
    let other = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let port = other.local_addr().unwrap().port();
    let config = format!("serve = true\nurl = 'nats://127.0.0.1:{port}'\n");
    let findings = doctor_alone(&config, &state);
    check(&findings, Some(false), "this machine is to be the hub of a hall, and there is none", "touchmovectl hall init");
    let files = HallFiles::of(state.path());
    files.create_dir().unwrap();
    let registry = Registry::new(HALL, port, 1 << 30, String::new()).unwrap();
    LockedRegistry::lock(&files).unwrap().save(&registry).unwrap();
    let secure = doctor_alone(&format!("serve = true\nurl = 'tls://127.0.0.1:{port}'\n"), &state);
    check(&secure, Some(false), "this machine is not the hub of a hall", "touchmovectl hall init");
    check(
        &secure,
        Some(false),
        "the hall's server does not accept the key of the hub, or there is none",
        "hall init --event open-2026",
    );
    if server::find().is_err() {
        check(&doctor_alone(&config, &state), Some(false), "there is no nats-server", "sudo apt install nats-server");
        return;
    }
    let findings = doctor_alone(&config, &state);
    check(&findings, Some(false), &format!("another program uses port {port}"), "sudo ss -ltnp");
    drop(other);
    let findings = doctor_alone(&config, &state);
    check(&findings, Some(false), "the hall's server does not run", "sudo systemctl start touchmove-nats");
}

/// Starts a server that says this of itself, and knows no more of the protocol than PING; returns its port.
fn fake_server(version: &str, has_jetstream: bool) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let info = format!(
        "INFO {{\"server_id\":\"fake\",\"version\":\"{version}\",\"proto\":1,\"host\":\"127.0.0.1\",\"port\":{port},\
         \"headers\":true,\"max_payload\":1048576,\"jetstream\":{has_jetstream}}}\r\n"
    );
    std::thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            let info = info.clone();
            std::thread::spawn(move || {
                let mut writer = connection.try_clone().unwrap();
                let _ = writer.write_all(info.as_bytes());
                for line in BufReader::new(connection).lines().map_while(Result::ok) {
                    if line.starts_with("PING") && writer.write_all(b"PONG\r\n").is_err() {
                        return;
                    }
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn servers_that_cannot_carry_a_hall_are_refused_at_both_ends() {
    let cases = [
        ("2.8.4", true, "nats-server 2.8.4, and 2.9.0 or later is needed", "install the package nats-server"),
        ("2.10.27", false, "the hall's server has no JetStream", "start touchmove-nats at the hub"),
    ];
    for (version, has_jetstream, sentence, advice) in cases {
        let port = fake_server(version, has_jetstream);
        let Some(machine) = Machine::start("pi-01", port).await else { return };
        problem(&machine.node, "hall_away", Some(sentence)).await;
        check(&doctor_at(&machine.node), Some(false), sentence, advice);
        let Some(hub) = hub_at(port, "", 1 << 30).await else { return };
        problem(&hub, "hall_server", Some(sentence)).await;
        check(&doctor_at(&hub), Some(false), sentence, advice);
    }
}
