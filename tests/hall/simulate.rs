//! `touchmovectl simulate --hall`: a hall on this computer, with faults, and the comparison at its end.

use crate::harness::installed;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long the simulation may take: many times as long as it usually does.
const LIMIT: Duration = Duration::from_secs(240);
/// How long it may take to end after a signal.
const END_LIMIT: Duration = Duration::from_secs(30);

/// Waits until a process has ended; `None`: it did not end in time.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    None
}

/// Waits until the simulation has ended. One that takes too long is ended: with the first signal it compares the journals, with the
/// second it stops what it has started.
fn finish(child: &mut Child) -> ExitStatus {
    if let Some(status) = wait(child, LIMIT) {
        return status;
    }
    for _ in 0..2 {
        let _ = kill_process(Pid::from_child(child), Signal::TERM);
        if wait(child, END_LIMIT).is_some() {
            panic!("the simulation did not end within {} s", LIMIT.as_secs());
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("the simulation did not end after two signals");
}

#[test]
fn a_simulated_hall_loses_nothing() {
    let has_server = std::env::var_os("TOUCHMOVE_NATS_SERVER").is_some() || installed("nats-server");
    if !has_server || !installed("dbus-daemon") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (output, errors) = (dir.path().join("output"), dir.path().join("errors"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_touchmovectl"))
        .args(["simulate", "--hall", "2", "--boards", "1", "--hands", "clean", "--speed", "10", "--seed", "3"])
        .args(["--fault", "kill-machine,cut", "--every", "3", "--minutes", "0.3", "--dir"])
        .arg(dir.path().join("hall"))
        .stdin(Stdio::null())
        .stdout(File::create(&output).unwrap())
        .stderr(File::create(&errors).unwrap())
        .spawn()
        .unwrap();
    let status = finish(&mut child);
    let [output, errors] = [output, errors].map(|file| std::fs::read_to_string(file).unwrap());
    assert!(status.success(), "{status}\n{output}\n{errors}");
    assert!(output.contains("touchmovectl status --bus"), "{output}");
    assert!(output.contains("pi-01: ") || output.contains("pi-02: "), "there was no fault:\n{output}");
    assert!(output.contains("events of 2 machines are in the journal of the hub: equal, once and in order."), "{output}");
}

#[test]
fn a_hall_needs_an_empty_directory() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine"), "").unwrap();
    if std::env::var_os("TOUCHMOVE_NATS_SERVER").is_none() && !installed("nats-server") {
        return;
    }
    let refused = Command::new(env!("CARGO_BIN_EXE_touchmovectl"))
        .args(["simulate", "--hall", "1", "--minutes", "0.1", "--dir"])
        .arg(dir.path())
        .output()
        .unwrap();
    assert!(!refused.status.success());
    let errors = String::from_utf8(refused.stderr).unwrap();
    assert!(errors.contains("is not empty: name a directory"), "{errors}");
}
