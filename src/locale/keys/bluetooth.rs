//! The search for boards over Bluetooth.

use super::ArgKind::Plain;
use super::MessageKey;

pub(super) const KEYS: &[MessageKey] = &[
    // Why nothing can be received, or a device cannot be reached.
    ("bluetooth-no_bus", &[("error", Plain)]),
    ("bluetooth-no_daemon", &[("package", Plain), ("command", Plain)]),
    ("bluetooth-no_answer", &[("command", Plain)]),
    ("bluetooth-denied", &[("file", Plain), ("directory", Plain), ("group", Plain)]),
    ("bluetooth-no_adapter", &[]),
    ("bluetooth-adapter_full", &[("adapter", Plain)]),
    ("bluetooth-adapter_off", &[("adapter", Plain), ("command", Plain)]),
    ("bluetooth-blocked", &[("command", Plain)]),
    ("bluetooth-out_of_range", &[("address", Plain)]),
    ("bluetooth-weak", &[("address", Plain), ("strength", Plain)]),
    ("bluetooth-lost", &[("address", Plain)]),
    ("bluetooth-device_blocked", &[("address", Plain), ("command", Plain)]),
    ("bluetooth-not_paired", &[("address", Plain), ("command", Plain)]),
    ("bluetooth-in_use", &[("address", Plain)]),
    ("bluetooth-other_device", &[("address", Plain), ("missing", Plain), ("title", Plain), ("command", Plain)]),
    (
        "bluetooth-small_mtu",
        &[("address", Plain), ("needed", Plain), ("carried", Plain), ("key", Plain), ("file", Plain), ("command", Plain)],
    ),
    ("bluetooth-no_profile", &[("title", Plain)]),
    ("bluetooth-failed", &[("address", Plain), ("reason", Plain)]),
    ("bluetooth-line_failed", &[("error", Plain)]),
    // Which board a device may be, and why.
    ("bluetooth-candidate_any", &[]),
    ("bluetooth-candidate_possible", &[("models", Plain)]),
    ("bluetooth-candidate_probable", &[("models", Plain)]),
    ("bluetooth-candidate_certain", &[("models", Plain)]),
    ("bluetooth-evidence_name", &[("name", Plain)]),
    ("bluetooth-evidence_name_begin", &[("begin", Plain)]),
    ("bluetooth-evidence_service", &[("service", Plain)]),
    ("bluetooth-evidence_shared_service", &[("service", Plain)]),
    // What came of asking it.
    ("bluetooth-identified", &[("model", Plain)]),
    ("bluetooth-identified_not", &[("models", Plain)]),
    ("bluetooth-identified_several", &[("models", Plain)]),
    // Why an order was not carried out.
    ("bluetooth-bad_address", &[("text", Plain), ("example", Plain)]),
    ("bluetooth-configured", &[("address", Plain), ("board", Plain)]),
    ("bluetooth-identifying", &[("address", Plain)]),
    ("bluetooth-no_candidate", &[("address", Plain)]),
    ("bluetooth-no_handshake", &[("address", Plain), ("models", Plain)]),
    ("bluetooth-not_needed", &[("address", Plain)]),
    ("bluetooth-not_seen", &[("address", Plain)]),
    // The page.
    ("page-bluetooth", &[]),
    ("page-bluetooth-about", &[]),
    ("page-bluetooth-add", &[("command", Plain)]),
    ("page-bluetooth-board", &[("board", Plain)]),
    ("page-bluetooth-connected", &[]),
    ("page-bluetooth-identify", &[]),
    ("page-bluetooth-identifying", &[]),
    ("page-bluetooth-none", &[]),
    ("page-bluetooth-others", &[("count", Plain)]),
    ("page-bluetooth-paired", &[]),
    ("page-bluetooth-scan", &[]),
    ("page-bluetooth-scanning", &[]),
    ("page-bluetooth-stop", &[]),
    ("page-bluetooth-strength-fair", &[]),
    ("page-bluetooth-strength-strong", &[]),
    ("page-bluetooth-strength-weak", &[]),
];
