//! Whether the kernel blocks radios.

use std::fs;
use std::path::Path;

/// Where the kernel lists the radios of this machine.
const RADIOS: &str = "/sys/class/rfkill";

/// Returns whether rfkill blocks a Bluetooth radio of this machine: older versions of BlueZ do not say so.
pub(super) fn is_blocked() -> bool {
    blocks_bluetooth(Path::new(RADIOS))
}

fn blocks_bluetooth(radios: &Path) -> bool {
    let Ok(entries) = fs::read_dir(radios) else { return false };
    entries.flatten().any(|radio| {
        let read = |name: &str| fs::read_to_string(radio.path().join(name)).unwrap_or_default();
        read("type").trim() == "bluetooth" && ["soft", "hard"].iter().any(|kind| read(kind).trim() == "1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_of_bluetooth_count() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!blocks_bluetooth(&dir.path().join("missing")));
        let radio = |name: &str, kind: &str, soft: &str, hard: &str| {
            let radio = dir.path().join(name);
            fs::create_dir_all(&radio).unwrap();
            for (file, text) in [("type", kind), ("soft", soft), ("hard", hard)] {
                fs::write(radio.join(file), format!("{text}\n")).unwrap();
            }
        };
        radio("rfkill0", "wlan", "1", "1");
        radio("rfkill1", "bluetooth", "0", "0");
        assert!(!blocks_bluetooth(dir.path()));
        radio("rfkill1", "bluetooth", "0", "1");
        assert!(blocks_bluetooth(dir.path()));
        radio("rfkill1", "bluetooth", "1", "0");
        assert!(blocks_bluetooth(dir.path()));
    }
}
