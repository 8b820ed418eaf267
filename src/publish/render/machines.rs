//! The machines of a hall as operators see them at its hub: on D-Bus, on the page and in the metrics.

use crate::daemon::hub::{MachineView, State};
use crate::game::json::{word, words as word_list};
use crate::game::words::words;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// Largest number of events for each board of a machine that may be on their way to the hub. More of them are a backlog.
const MAX_UNSENT_PER_BOARD: u64 = 10;
/// Smallest amount of free disk space that needs no attention, in bytes.
const MIN_FREE_BYTES: u64 = 500_000_000;
/// Temperature from which a processor needs attention, in tenths of a degree Celsius: from there on a Raspberry Pi slows down.
const HIGH_TEMPERATURE: i64 = 800;

/// A machine of the hall. This is also the transmitted JSON, which docs/web.md describes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachineReport {
    /// Its name.
    pub name: String,
    /// Whether it is there.
    #[serde(with = "word")]
    pub state: MachineState,
    /// What needs attention, the most urgent first.
    #[serde(with = "word_list")]
    pub attention: Vec<Attention>,
    /// Its version of touchmove; empty: not known.
    pub version: String,
    /// How long ago it was last heard, in milliseconds; `None`: not since touchmoved was started at the hub.
    pub heard_ago_ms: Option<u64>,
    /// The number of its events that are not on disk at the hub.
    pub unsent: u64,
    /// Free disk space, in bytes.
    pub free_bytes: Option<u64>,
    /// Temperature of its processor, in degrees Celsius.
    pub temperature: Option<f64>,
    /// How far its clock is ahead of the hub's, in milliseconds.
    pub clock_offset_ms: Option<i64>,
    /// Its health problems, as sentences.
    pub problems: Vec<String>,
    /// A sentence if something is wrong with its name or its games.
    pub alarm: Option<String>,
    /// The number of its boards that the hub knows.
    pub boards: usize,
}

/// Whether a machine is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineState {
    /// It was heard within the last [`MachineView::MAX_SILENCE_MS`].
    There,
    /// It was heard, but not within that time, and it did not say that it leaves.
    Silent,
    /// It has said that it leaves.
    Left,
    /// It was not heard since touchmoved was started at the hub.
    Unheard,
}

/// A reason why a machine needs attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attention {
    /// It is silent.
    Silent,
    /// Something is wrong with its name or its games.
    Alarm,
    /// It has health problems.
    Problems,
    /// Many of its events are not at the hub.
    Unsent,
    /// Its version is not that of the hub.
    Version,
    /// Its disk is nearly full.
    Disk,
    /// Its processor is hot.
    Temperature,
    /// Its clock differs from the hub's.
    Clock,
}

words! {
    MachineState { There = "there", Silent = "silent", Left = "left", Unheard = "unheard" }
    Attention {
        Silent = "silent",
        Alarm = "alarm",
        Problems = "problems",
        Unsent = "unsent",
        Version = "version",
        Disk = "disk",
        Temperature = "temperature",
        Clock = "clock",
    }
}

impl MachineReport {
    /// Reports on all machines of the hall: those that have been silent longest first, then others that need attention. `now`: on the
    /// steady clock.
    pub fn all(state: &State, now: i64) -> Vec<MachineReport> {
        let machines = state.machines.iter().filter(|(_, view)| !view.is_removed);
        let mut reports: Vec<MachineReport> = machines.map(|(name, view)| MachineReport::new(name, view, now)).collect();
        // The sort is stable: otherwise machines stay in the order of their names.
        reports.sort_by_key(|report| match report.state {
            MachineState::Silent => (0, Reverse(report.heard_ago_ms)),
            _ if !report.attention.is_empty() => (1, Reverse(None)),
            MachineState::Unheard => (2, Reverse(None)),
            MachineState::There => (3, Reverse(None)),
            MachineState::Left => (4, Reverse(None)),
        });
        reports
    }

    fn new(name: &str, view: &MachineView, now: i64) -> MachineReport {
        let state = match view.heard_at {
            _ if view.has_left => MachineState::Left,
            None => MachineState::Unheard,
            Some(_) if view.is_there(now) => MachineState::There,
            Some(_) => MachineState::Silent,
        };
        MachineReport {
            name: name.to_owned(),
            state,
            attention: attention(view, state, now),
            version: view.version.clone(),
            heard_ago_ms: view.heard_at.map(|heard| u64::try_from(now.saturating_sub(heard)).unwrap_or(0)),
            unsent: view.unsent,
            free_bytes: view.free_bytes,
            temperature: view.temperature.map(|tenths| tenths as f64 / 10.0),
            clock_offset_ms: view.clock_offset_ms,
            problems: view.problems.clone(),
            alarm: view.alarm.clone().or_else(|| view.has_copy(now).then(|| copy_sentence(name))),
            boards: view.boards.len(),
        }
    }
}

/// Returns what needs attention. What a machine that is away last said of its disk, heat and clock is out of date; its events
/// that are not at the hub are still on its disk.
fn attention(view: &MachineView, state: MachineState, now: i64) -> Vec<Attention> {
    let is_there = state == MachineState::There;
    let max_unsent = MAX_UNSENT_PER_BOARD.saturating_mul(view.boards.len().max(1) as u64);
    let reasons = [
        (Attention::Silent, state == MachineState::Silent),
        (Attention::Alarm, view.alarm.is_some() || view.has_copy(now)),
        (Attention::Problems, is_there && !view.problems.is_empty()),
        (Attention::Unsent, view.unsent > max_unsent),
        (Attention::Version, is_there && view.version != env!("CARGO_PKG_VERSION")),
        (Attention::Disk, is_there && view.free_bytes.is_some_and(|free| free < MIN_FREE_BYTES)),
        (Attention::Temperature, is_there && view.temperature.is_some_and(|tenths| tenths >= HIGH_TEMPERATURE)),
        (
            Attention::Clock,
            is_there && view.clock_offset_ms.is_some_and(|ms| ms.unsigned_abs() > MachineView::MAX_CLOCK_OFFSET_MS),
        ),
    ];
    reasons.into_iter().filter(|(_, applies)| *applies).map(|(reason, _)| reason).collect()
}

/// Returns a sentence about two machines of one name.
fn copy_sentence(name: &str) -> String {
    format!(
        "two machines are connected as \"{name}\", and only one of them sends its games: if the card of one is a copy of the other's, \
         remove hall/machine.nk in the state directory of the copy, and let it join with a name of its own"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::hub::BoardId;
    use serde_json::json;

    const NOW: i64 = 1_000_000;

    /// A machine with one board that was heard a second ago and needs no attention.
    fn well() -> MachineView {
        MachineView {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            heard_at: Some(NOW - 1000),
            unsent: 10,
            free_bytes: Some(500_000_000),
            temperature: Some(799),
            clock_offset_ms: Some(-1000),
            boards: [BoardId::new("pi_01_dgt")].into(),
            ..MachineView::default()
        }
    }

    fn reports(machines: impl IntoIterator<Item = (&'static str, MachineView)>) -> Vec<MachineReport> {
        let machines = machines.into_iter().map(|(name, view)| (name.to_owned(), view)).collect();
        MachineReport::all(&State { machines, ..State::default() }, NOW)
    }

    #[test]
    fn a_machine_is_reported_as_json() {
        let view = MachineView { temperature: Some(512), problems: vec!["no room".to_owned()], ..well() };
        let reported = reports([("pi-01", view), ("pi-02", MachineView::default())]);
        let expected = json!([
            {"name": "pi-01", "state": "there", "attention": ["problems"], "version": env!("CARGO_PKG_VERSION"), "heard_ago_ms": 1000,
             "unsent": 10, "free_bytes": 500_000_000, "temperature": 51.2, "clock_offset_ms": -1000, "problems": ["no room"],
             "alarm": null, "boards": 1},
            {"name": "pi-02", "state": "unheard", "attention": [], "version": "", "heard_ago_ms": null, "unsent": 0,
             "free_bytes": null, "temperature": null, "clock_offset_ms": null, "problems": [], "alarm": null, "boards": 0},
        ]);
        assert_eq!(serde_json::to_value(&reported).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Vec<MachineReport>>(expected).unwrap(), reported);
    }

    #[test]
    fn late_machines_come_first() {
        let heard = |ago: i64| MachineView { heard_at: Some(NOW - ago), ..well() };
        let ordered = reports([
            ("a-there", well()),
            ("b-left", MachineView { has_left: true, ..heard(90_000) }),
            ("c-silent", heard(15_000)),
            ("d-unheard", MachineView::default()),
            ("e-silent", heard(60_000)),
            ("f-hot", MachineView { temperature: Some(800), ..well() }),
            ("g-there", heard(14_999)),
        ]);
        let names: Vec<&str> = ordered.iter().map(|report| report.name.as_str()).collect();
        assert_eq!(names, ["e-silent", "c-silent", "f-hot", "d-unheard", "a-there", "g-there", "b-left"]);
    }

    #[test]
    fn a_machine_that_was_removed_is_not_reported() {
        let removed = MachineView { is_removed: true, alarm: Some("a copied card".to_owned()), ..well() };
        assert!(!removed.is_there(NOW));
        assert_eq!(reports([("pi-01", removed), ("pi-02", well())]).len(), 1);
    }

    #[test]
    fn each_figure_beyond_its_limit_needs_attention() {
        let of = |view: MachineView| reports([("pi", view)]).remove(0).attention;
        assert_eq!(of(well()), []);
        assert_eq!(of(MachineView { unsent: 11, ..well() }), [Attention::Unsent]);
        let second = BoardId::new("pi_01_other");
        let two_boards = MachineView { boards: well().boards.into_iter().chain([second]).collect(), ..well() };
        assert_eq!(of(MachineView { unsent: 20, ..two_boards }), []);
        assert_eq!(of(MachineView { version: "0.0.0".to_owned(), ..well() }), [Attention::Version]);
        assert_eq!(of(MachineView { free_bytes: Some(499_999_999), ..well() }), [Attention::Disk]);
        assert_eq!(of(MachineView { temperature: Some(800), ..well() }), [Attention::Temperature]);
        assert_eq!(of(MachineView { clock_offset_ms: Some(1001), ..well() }), [Attention::Clock]);
        assert_eq!(of(MachineView { clock_offset_ms: Some(-1001), ..well() }), [Attention::Clock]);
        assert_eq!(of(MachineView { alarm: Some("a copied card".to_owned()), ..well() }), [Attention::Alarm]);
    }

    #[test]
    fn a_copied_card_is_an_alarm_as_long_as_it_is_heard() {
        let copied = |ago: i64| reports([("pi-01", MachineView { copied_at: Some(NOW - ago), ..well() })]).remove(0);
        let reported = copied(14_999);
        assert_eq!(reported.attention, [Attention::Alarm]);
        assert!(reported.alarm.is_some_and(|sentence| sentence.starts_with("two machines are connected as \"pi-01\"")));
        assert_eq!((copied(15_000).attention, copied(15_000).alarm), (vec![], None));
    }

    #[test]
    fn what_a_machine_said_before_it_went_away_is_out_of_date() {
        let bad =
            MachineView { temperature: Some(900), free_bytes: Some(0), version: "0.0.0".to_owned(), unsent: 99, ..well() };
        let left = MachineView { has_left: true, ..bad.clone() };
        let silent = MachineView { heard_at: Some(0), ..bad };
        let reported = reports([("left", left), ("silent", silent)]);
        let attention: Vec<&[Attention]> = reported.iter().map(|report| &report.attention[..]).collect();
        assert_eq!(attention, [&[Attention::Silent, Attention::Unsent][..], &[Attention::Unsent][..]]);
    }
}
