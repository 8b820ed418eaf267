//! `touchmovectl bluetooth scan`.

use crate::ctl::service::{print, print_json};
use crate::link::bluetooth::{Confidence, Device, Guess, Objects, Radio, Unavailable, nearby};
use serde_json::json;
use std::fmt::Write;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Interval between looks at what was heard.
const LISTEN_POLL_INTERVAL: Duration = Duration::from_millis(300);

/// Show the boards that are near, how strongly they are received, and why they may be boards
///
/// It listens to what devices advertise. It connects to no device, and writes nothing to any. A board that is connected to a telephone
/// or another computer does not advertise itself, and is not shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  touchmovectl bluetooth scan\n  touchmovectl bluetooth scan --all --seconds 20")]
pub(super) struct Args {
    /// How long to listen
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=120))]
    seconds: u64,
    /// Show also devices that are no known boards
    #[arg(long)]
    all: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let objects = listen(Duration::from_secs(args.seconds), |_| false).await?;
    let near = nearby(&objects);
    if args.json {
        let devices: Vec<serde_json::Value> = near.iter().map(|(device, guess)| to_json(device, guess.as_ref())).collect();
        return print_json(&devices);
    }
    Ok(print(&describe(&near, args.all))?)
}

/// Scans for this time, or until `is_enough` accepts what BlueZ knows, and returns that.
pub(super) async fn listen(time: Duration, is_enough: impl Fn(&Objects) -> bool) -> Result<Objects, Unavailable> {
    let radio = Radio::default();
    let bluez = radio.bluez().await?;
    let objects = bluez.objects().await?;
    let adapters: Vec<&str> = objects.usable_adapters()?.iter().map(|adapter| adapter.path.as_str()).collect();
    let scan = radio.scan(&bluez, &adapters).await?;
    let end = Instant::now() + time;
    let heard = loop {
        // Before the scan ends: then BlueZ forgets how strongly devices were received.
        let heard = bluez.objects().await;
        if Instant::now() >= end || heard.as_ref().map_or(true, &is_enough) {
            break heard;
        }
        sleep_until(end.min(Instant::now() + LISTEN_POLL_INTERVAL)).await;
    };
    scan.stop().await;
    heard
}

fn to_json(device: &Device, guess: Option<&Guess>) -> serde_json::Value {
    let models: Vec<&str> = guess.map(|guess| guess.models.iter().map(|model| model.name).collect()).unwrap_or_default();
    json!({
        "address": device.address.to_string(),
        "name": device.name,
        "rssi": device.rssi,
        "connected": device.is_connected,
        "paired": device.is_paired,
        "services": device.services,
        "models": models,
        "certain": guess.is_some_and(|guess| guess.confidence == Confidence::Certain),
        "reason": guess.map(|guess| guess.evidence.to_string()),
    })
}

/// Describes what is near: two lines for each device.
fn describe(near: &[(&Device, Option<Guess>)], all: bool) -> String {
    let mut text = String::new();
    let shown = |entry: &&(&Device, Option<Guess>)| all || entry.1.is_some();
    for (device, guess) in near.iter().filter(shown) {
        let strength = match device.rssi {
            Some(rssi) => format!("{rssi} dBm"),
            None if device.is_connected => "connected".to_owned(),
            None => "near".to_owned(),
        };
        let name = device.name.as_deref().unwrap_or("(no name)");
        let _ = writeln!(text, "{}  {strength:>9}  {name}", device.address);
        let Some(guess) = guess else { continue };
        let titles: Vec<&str> = guess.models.iter().map(|model| model.title).collect();
        let titles = titles.join(" or ");
        let _ = match guess.confidence {
            Confidence::Possible if titles.is_empty() => writeln!(text, "    may be a board: {}", guess.evidence),
            Confidence::Possible => writeln!(text, "    perhaps {titles}: {}", guess.evidence),
            Confidence::Probable => writeln!(text, "    probably {titles}: {}", guess.evidence),
            Confidence::Certain => writeln!(text, "    {titles}: {}", guess.evidence),
        };
    }
    let others = near.iter().filter(|entry| !shown(entry)).count();
    if near.iter().filter(shown).count() == 0 {
        text += "no board is near: switch it on, and end its connection to a telephone or another computer\n";
    }
    if others > 0 {
        let _ = writeln!(text, "{others} other devices are near: --all shows them");
    }
    text += "nothing was written to any device, and nothing was changed\n";
    if let Some((device, _)) = near.iter().find(|(_, guess)| guess.is_some()) {
        let _ = writeln!(text, "to use a board: sudo touchmovectl bluetooth add {}", device.address);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(address: &str, name: &str, rssi: Option<i16>) -> Device {
        Device {
            path: format!("/org/bluez/hci0/dev_{}", address.replace(':', "_")),
            address: address.parse().unwrap(),
            name: Some(name.to_owned()),
            is_received: rssi.is_some(),
            rssi,
            services: Vec::new(),
            is_connected: false,
            is_resolved: false,
            is_paired: false,
            is_blocked: false,
        }
    }

    #[test]
    fn boards_come_first_and_others_are_counted() {
        let objects = Objects {
            devices: vec![
                device("AA:BB:CC:DD:EE:01", "a telephone", Some(-30)),
                device("AA:BB:CC:DD:EE:02", "Chessnut Air", Some(-70)),
                device("AA:BB:CC:DD:EE:03", "Chessnut Pro", Some(-50)),
                // Known, and not near.
                device("AA:BB:CC:DD:EE:04", "Chessnut Go", None),
            ],
            ..Objects::default()
        };
        let near = nearby(&objects);
        let probably = "    probably Chessnut Air, Air+, Pro, Go: its name begins with \"Chessnut\"; names can be changed\n";
        assert_eq!(
            describe(&near, false),
            format!(
                "AA:BB:CC:DD:EE:03    -50 dBm  Chessnut Pro\n{probably}AA:BB:CC:DD:EE:02    -70 dBm  Chessnut Air\n{probably}\
                 1 other devices are near: --all shows them\nnothing was written to any device, and nothing was changed\n\
                 to use a board: sudo touchmovectl bluetooth add AA:BB:CC:DD:EE:03\n"
            )
        );
        let all = describe(&near, true);
        assert!(all.contains("AA:BB:CC:DD:EE:01    -30 dBm  a telephone\n") && !all.contains("--all"), "{all}");
        let of_unknown_strength = Device { is_received: true, ..objects.devices[3].clone() };
        let text = describe(&[(&of_unknown_strength, None)], true);
        assert!(text.starts_with("AA:BB:CC:DD:EE:04       near  Chessnut Go\n"), "{text}");
        let none = describe(&[], false);
        assert!(none.starts_with("no board is near") && none.contains("nothing was written"), "{none}");
    }
}
