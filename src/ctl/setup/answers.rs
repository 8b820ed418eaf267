//! What the user wants: by options, by questions on a terminal, or as it is.

use super::boards::{self, BoardAnswer};
use super::machine::Machine;
use super::{Args, keys::WantedKey};
use crate::ctl::service::print;
use crate::laws::{EDITIONS, LawsWord, TimeClass};
use anyhow::bail;
use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// The port of the page, if the user gives no other.
const DEFAULT_PORT: u16 = 8064;

/// Where the page listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListenAnswer {
    /// Nowhere: there is no page.
    Nowhere,
    /// There.
    At(SocketAddr),
}

impl Default for ListenAnswer {
    /// All addresses of the machine. IPv6 is left out: every hall has IPv4, and the addresses of private networks are known there.
    fn default() -> ListenAnswer {
        ListenAnswer::At(SocketAddr::from((Ipv4Addr::UNSPECIFIED, DEFAULT_PORT)))
    }
}

impl FromStr for ListenAnswer {
    type Err = String;

    fn from_str(text: &str) -> Result<ListenAnswer, String> {
        if text == "none" {
            return Ok(ListenAnswer::Nowhere);
        }
        let address: SocketAddr =
            text.parse().map_err(|_| "write an address with a port such as 0.0.0.0:8064, or none".to_owned())?;
        if address.port() == 0 {
            return Err("write the port, such as 0.0.0.0:8064".to_owned());
        }
        Ok(ListenAnswer::At(address))
    }
}

/// The answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// Name of the event; `None`: it stays.
    pub event: Option<String>,
    /// Place of the event; `None`: it stays.
    pub place: Option<String>,
    /// Edition of the Laws; `None`: it stays.
    pub laws: Option<String>,
    /// Time class; `None`: it stays.
    pub time_class: Option<String>,
    /// Supervision; `None`: it stays.
    pub supervision: Option<String>,
    /// Where the page listens.
    pub listen: ListenAnswer,
    /// The boards to name.
    pub boards: Vec<BoardAnswer>,
    /// The user of this machine who is to be an arbiter; `None`: nobody.
    pub user: Option<String>,
    /// The name of the login.
    pub login: String,
}

/// Fills in the answers.
///
/// # Errors
/// Answers contradict one another, or the terminal cannot be read.
pub(super) fn ask(machine: &mut Machine, args: &Args) -> anyhow::Result<()> {
    let configured = machine.config.web.listen.map(ListenAnswer::At);
    let invoker = std::env::var("SUDO_USER").ok().filter(|user| !user.is_empty() && user != "root");
    machine.answers = Answers {
        event: args.event.clone(),
        place: args.place.clone(),
        laws: args.laws.clone(),
        time_class: args.time_class.clone(),
        supervision: args.supervision.clone(),
        listen: args.listen.or(configured).unwrap_or_default(),
        boards: args.boards.clone(),
        user: args.user.clone().or_else(|| invoker.clone().filter(|_| machine.is_running())),
        login: args.login.clone().or(invoker).unwrap_or_else(|| "administrator".to_owned()),
    };
    if io::stdin().is_terminal() && !args.yes && !args.dry_run {
        ask_on_terminal(machine, args)?;
    }
    check(machine)
}

fn ask_on_terminal(machine: &mut Machine, args: &Args) -> anyhow::Result<()> {
    print("Press Enter to keep what is in brackets.\n")?;
    let tags = machine.config.tags.clone();
    if args.event.is_none() {
        machine.answers.event = question("Name of the event", &tags.event)?;
    }
    if args.place.is_none() {
        machine.answers.place = question("Its place", &tags.site)?;
    }
    let laws = machine.config.laws();
    if args.laws.is_none() {
        machine.answers.laws = choice("Edition of the Laws", &EDITIONS, &laws.edition.name)?;
    }
    if args.time_class.is_none() {
        let classes = ["standard", "rapid", "blitz"];
        machine.answers.time_class = choice("Time class", &classes, laws.class.word())?;
    }
    let class = machine.answers.time_class.clone().unwrap_or_else(|| laws.class.word().to_owned());
    if args.supervision.is_none() && class != TimeClass::Standard.word() {
        let current = if laws.class == TimeClass::Standard { "full" } else { laws.supervision.word() };
        let chosen = choice("Is each game watched and recorded (full), or not (limited)", &["full", "limited"], current)?;
        machine.answers.supervision = chosen.or_else(|| Some(current.to_owned()));
    }
    let asked = boards::ask(machine, |text, models| choice(text, models, "no"))?;
    machine.answers.boards.extend(asked);
    print("\n")?;
    Ok(())
}

/// Asks for a text; `None`: it stays.
fn question(text: &str, current: &str) -> anyhow::Result<Option<String>> {
    print(&format!("{text} [{current}]: "))?;
    let mut answer = String::new();
    if io::stdin().read_line(&mut answer)? == 0 {
        bail!("the input has ended: nothing was changed");
    }
    Ok(Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty()))
}

/// Asks for one of these words until it is one; `None`: it stays.
fn choice(text: &str, words: &[&str], current: &str) -> anyhow::Result<Option<String>> {
    loop {
        match question(&format!("{text}: {}", words.join(", ")), current)? {
            None => return Ok(None),
            Some(answer) if words.contains(&answer.as_str()) || answer == current => return Ok(Some(answer)),
            Some(answer) => print(&format!("{answer:?} is none of them.\n"))?,
        }
    }
}

/// Checks that the answers go together.
fn check(machine: &Machine) -> anyhow::Result<()> {
    let answers = &machine.answers;
    let class = answers.time_class.as_deref().unwrap_or(machine.config.laws().class.word());
    let is_known = answers.supervision.is_some() || machine.config.laws().class != TimeClass::Standard;
    if class != TimeClass::Standard.word() && !is_known {
        bail!(
            "the regulations of a {class} event say how its games are supervised: add --supervision full or --supervision limited"
        );
    }
    Ok(())
}

/// Returns the keys of the event that the answers want.
pub(super) fn event_keys(answers: &Answers) -> Vec<WantedKey> {
    let wanted = |key, answer: &Option<String>| answer.as_deref().map(|text| WantedKey::text("pgn", key, text));
    [wanted("event", &answers.event), wanted("site", &answers.place)].into_iter().flatten().collect()
}

/// Returns the keys of the Laws that the answers want.
pub(super) fn laws_keys(answers: &Answers) -> Vec<WantedKey> {
    let wanted = |key, answer: Option<&str>| answer.map(|text| WantedKey::text("laws", key, text));
    let class = answers.time_class.as_deref();
    let supervision = match (class, answers.supervision.as_deref()) {
        // Standard games have no limited supervision.
        (Some("standard"), None) => Some(WantedKey::absent("laws", "supervision")),
        (_, supervision) => wanted("supervision", supervision),
    };
    [wanted("edition", answers.laws.as_deref()), wanted("time_class", class), supervision].into_iter().flatten().collect()
}
