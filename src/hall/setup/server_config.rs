//! The configuration of nats-server, which follows from the registry. JSON is valid in its format.
//!
//! Permissions limit the subjects to which a client publishes, but not the subject that it names for a reply. The server sends
//! its own replies there: the acknowledgement of a stream, and with a direct get the copy of a stored message, which has a
//! header `Nats-Stream`. Whoever reads subjects of machines or of the hub must therefore discard messages with that header, or
//! with two of them if it was added by a direct get of its own, and must send replies only to subjects below the inbox of the
//! machine that asks.

use super::paths::HallFiles;
use super::registry::Registry;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Maximum size of a message, in bytes.
const MAX_PAYLOAD: u64 = 256 * 1024;
/// Maximum size of what is kept in memory alone: who is there.
const MAX_MEMORY: u64 = 64 << 20;
/// Maximum time in which a client must complete TLS and log in, in seconds. A thousand machines may come back at once.
const LOGIN_SECONDS: u32 = 20;

/// What a machine may publish, with its name in the place of MACHINE.
const MACHINE_PUBLISHES: &[&str] = &[
    "tm.v1.ev.*.MACHINE.>",
    "tm.v1.tr.*.MACHINE.>",
    "tm.v1.ask.MACHINE",
    "$KV.TM_HERE.MACHINE",
    // The last messages of its own subjects.
    "$JS.API.DIRECT.GET.*.tm.v1.ev.*.MACHINE.>",
    "$JS.API.DIRECT.GET.KV_TM_HERE.$KV.TM_HERE.MACHINE",
    "$JS.API.DIRECT.GET.KV_TM_HAVE.$KV.TM_HAVE.MACHINE",
    "$JS.API.DIRECT.GET.KV_TM_DESK.$KV.TM_DESK.MACHINE",
    "$JS.API.DIRECT.GET.KV_TM_HALL.$KV.TM_HALL.>",
];

/// What a machine may subscribe to.
const MACHINE_SUBSCRIBES: &[&str] = &[
    "_INBOX_MACHINE.>",
    "tm.v1.cmd.MACHINE",
    "$KV.TM_HERE.MACHINE",
    "$KV.TM_HAVE.MACHINE",
    "$KV.TM_DESK.MACHINE",
    "$KV.TM_HALL.>",
];

/// Returns the subject on which the holder of a code asks to join. `code_key`: the public half of the key that follows from the
/// code.
pub fn join_subject(code_key: &str) -> String {
    format!("tm.v1.join.{code_key}")
}

/// The prefix of the subjects on which the holder of a code receives replies.
pub fn join_inbox(code_key: &str) -> String {
    format!("_INBOX_join_{code_key}")
}

/// Returns the text of the file.
pub(super) fn text(files: &HallFiles, registry: &Registry) -> String {
    let path = |path: PathBuf| path.display().to_string();
    let for_machine = |patterns: &[&str], name: &str| -> Vec<String> {
        patterns.iter().map(|pattern| pattern.replace("MACHINE", name)).collect()
    };
    // A user without permissions may do everything: the hub.
    let hub = json!({ "nkey": registry.hub });
    let machines = registry.machines.iter().map(|machine| {
        let publish = for_machine(MACHINE_PUBLISHES, &machine.name);
        let subscribe = for_machine(MACHINE_SUBSCRIBES, &machine.name);
        user(&machine.key, publish, subscribe, true)
    });
    let codes = registry.pending.iter().map(|code| {
        let subscribe = vec![format!("{}.>", join_inbox(&code.key))];
        user(&code.key, vec![join_subject(&code.key)], subscribe, false)
    });
    let users: Vec<Value> = std::iter::once(hub).chain(machines).chain(codes).collect();
    let config = json!({
        "server_name": "touchmove-hall",
        // All addresses, of IPv6 too.
        "listen": format!("0.0.0.0:{}", registry.port),
        "tls": {
            "cert_file": path(files.server_certificate()),
            "key_file": path(files.server_key()),
            "timeout": LOGIN_SECONDS,
        },
        "authorization": { "timeout": LOGIN_SECONDS, "users": users },
        "jetstream": {
            "store_dir": path(files.store()),
            "max_file_store": registry.store_bytes,
            "max_memory_store": MAX_MEMORY,
        },
        "max_payload": MAX_PAYLOAD,
        "pid_file": path(files.pid_file()),
        // The journal of systemd has the time.
        "logtime": false,
    });
    format!("# Written by touchmove from machines.json: `touchmovectl hall` changes both.\n{config:#}\n")
}

/// Returns a user with these permissions. `may_reply`: it may publish one reply to each request that it receives.
fn user(key: &str, publish: Vec<String>, subscribe: Vec<String>, may_reply: bool) -> Value {
    let mut permissions = json!({ "publish": { "allow": publish }, "subscribe": { "allow": subscribe } });
    if let (Some(permissions), true) = (permissions.as_object_mut(), may_reply) {
        permissions.insert("allow_responses".to_owned(), json!({ "max": 1, "expires": "10s" }));
    }
    json!({ "nkey": key, "permissions": permissions })
}
