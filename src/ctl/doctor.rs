//! `touchmovectl doctor`: finds out why no board is seen, and what to do about it.

mod ask;
mod report;
mod service;

use crate::boards::{self, BOARDS, Connection, ControlLines, Model};
use crate::config::{BoardConfig, Config};
use crate::ctl::colours;
use crate::link::rules;
use crate::link::serial::{self, Holder, OpenError};
use crate::link::watch::{self, Device, Verdict};
use crate::link::{BoardLocation, Port};
use crate::publish::dbus::Bus;
use ask::ProbeResult;
use report::Report;
use service::Service;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Find out why no board is seen
///
/// Looks at what is plugged in, whether it may be opened, who has it, whether a board answers, and whether touchmoved runs.
/// A port is opened only if nobody has it and its USB id says that it is a board, or it is configured, or given with --port;
/// what is sent then is what touchmoved sends when it greets a board. Ends with 0 when all is well, with 1 when not.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl doctor                        why is no board seen?
  touchmovectl doctor --port /dev/ttyUSB0    is there a board on this port?
  touchmovectl doctor --json | jq '.findings[] | select(.ok == false)'")]
pub struct Args {
    /// Look at this port and at nothing else
    #[arg(long, value_name = "PATH")]
    port: Option<PathBuf>,
    /// The model of the board on --port
    #[arg(long, value_name = "MODEL", default_value = "dgt", value_parser = model)]
    model: &'static Model,
    /// The configuration [default: as touchmoved finds it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The bus: session, system, or an address [default: as configured]
    #[arg(long, value_name = "BUS")]
    bus: Option<Bus>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

fn model(name: &str) -> Result<&'static Model, String> {
    let known = || BOARDS.iter().map(|model| model.name).collect::<Vec<_>>().join(", ");
    boards::model(name).ok_or_else(|| format!("there is no model {name}: known are {}", known()))
}

/// Runs the subcommand: examines the machine and prints the findings.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let report = super::block_on(examine(&args))?;
    if args.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.text(colours(&std::io::stdout())));
    }
    Ok(if report.is_well() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A port that a board is on, or should be on.
struct ProbeTarget {
    board: BoardConfig,
    node: PathBuf,
}

async fn examine(args: &Args) -> Report {
    let mut report = Report::default();
    if let Some(path) = &args.port {
        let place = BoardLocation::Port(path.clone());
        let target = ProbeTarget { board: BoardConfig::new("--port".into(), args.model, place), node: path.clone() };
        let service = Service::query(args.bus.as_ref(), "auto").await;
        match service.board(path) {
            Some(board) => service::tell(&mut report, board),
            None => port(&mut report, &target, &service).await,
        }
        note_limitations(&mut report, args.model);
        return report;
    }
    let config = configuration(&mut report, args.config.as_deref());
    let targets = targets(&mut report, &config);
    modem_manager(&mut report, &targets);
    // The service is queried before any port: it may already read them, even where the user of this program may not.
    let service = Service::query(args.bus.as_ref(), &config.bus).await;
    for target in targets.iter().filter(|target| service.board(&target.node).is_none()) {
        port(&mut report, target, &service).await;
    }
    service.tell(&mut report);
    livechess(&mut report, &config);
    let mut models: Vec<&'static Model> = Vec::new();
    for target in targets {
        if !models.contains(&target.board.model) {
            models.push(target.board.model);
            note_limitations(&mut report, target.board.model);
        }
    }
    report
}

fn configuration(report: &mut Report, given: Option<&Path>) -> Config {
    let path = given.map_or_else(Config::default_path, Path::to_path_buf);
    match Config::load(&path) {
        Ok(config) if path.exists() => {
            report.good("configuration", format!("{} is right", path.display()));
            config
        }
        Ok(config) if given.is_some() => {
            report.bad("configuration", format!("{} does not exist", path.display()), "give the file that touchmoved reads");
            config
        }
        Ok(config) => {
            report.good("configuration", "there is no configuration file, and none is needed");
            config
        }
        Err(error) => {
            report.bad("configuration", error.to_string(), "put this right: touchmoved does not start with it");
            Config::default()
        }
    }
}

/// Notes what only the user of a browser can see: the browser asks before a page of the internet may connect to this machine.
fn livechess(report: &mut Report, config: &Config) {
    let Some(address) = config.livechess.listen else { return };
    // If it listens on every address, pages of this machine find it by the name `localhost`.
    let address = if address.ip().is_unspecified() { format!("localhost:{}", address.port()) } else { address.to_string() };
    report.note(
        "livechess",
        format!(
            "pages such as lichess.org look for ws://{address}/api/v1.0: Chromium and its relatives ask whether the page may reach \
             this machine (Local Network Access), and it finds no board until that is allowed, in the prompt or under Site settings"
        ),
    );
    config.warnings().into_iter().for_each(|warning| report.note("livechess", warning));
}

/// Returns the ports to examine, and reports what is missing.
fn targets(report: &mut Report, config: &Config) -> Vec<ProbeTarget> {
    let ports = match watch::list() {
        Ok(ports) => ports,
        Err(error) => {
            report.bad("device", format!("the serial ports cannot be listed ({error})"), "check that /sys is mounted");
            Vec::new()
        }
    };
    let mut targets = Vec::new();
    if config.boards.is_empty() {
        for (port, model) in watch::boards_to_serve(&ports) {
            report.good("device", format!("{}: {}", described(port), model.title));
            let place = BoardLocation::AnyOfModel(model);
            targets.push(ProbeTarget { board: BoardConfig::new(model.name.into(), model, place), node: port.node.clone() });
        }
        not_used(report, &ports, !targets.is_empty());
    } else {
        let places: Vec<BoardLocation> = config.boards.iter().map(|board| board.place.clone()).collect();
        for (board, node) in config.boards.iter().zip(watch::assign(&places, &ports)) {
            match node {
                Some(node) => {
                    let port = ports.iter().find(|port| port.node == node);
                    let what = port.map_or_else(|| node.display().to_string(), described);
                    report.good("device", format!("{what}: configured as {}", board.name));
                    targets.push(ProbeTarget { board: board.clone(), node });
                }
                None => {
                    report.bad(
                        "device",
                        format!("board {} is not plugged in: there is no {}", board.name, board.place),
                        "plug it in and switch it on, or correct its [[board]] in the configuration",
                    );
                    others(report, &ports);
                }
            }
        }
    }
    targets
}

/// Reports what is plugged in but not used, and why, if no board is configured. It is a fault if no other board was found.
fn not_used(report: &mut Report, ports: &[Device], found: bool) {
    let driverless = watch::portless_boards().unwrap_or_default();
    for device in &driverless {
        report.bad(
            "device",
            format!("USB device {} is a {}, but it has no serial port", device.ids, device.model.title),
            "its kernel driver is missing: run `sudo modprobe cdc_acm`, and look at `sudo dmesg`",
        );
    }
    let mut nothing = driverless.is_empty();
    for port in ports {
        let Verdict::MaybeBoard(models) = port.verdict() else { continue };
        nothing = false;
        let titles: Vec<&str> = models.iter().map(|model| model.title).collect();
        let what = format!(
            "{} may be a {}: it is not used, because that adapter sits in other devices too",
            described(port),
            titles.join(" or a ")
        );
        let next = how_to_use(port, &models);
        if found { report.note("device", format!("{what}; {next}")) } else { report.bad("device", what, next) }
    }
    if nothing && !found {
        report.bad(
            "device",
            "no board is plugged in: no USB device here is known as one",
            "plug the board in and switch it on; if it is, try another cable (some only charge) and socket, and look at\n\
             `sudo dmesg` for what the kernel says. A board on an RS-232 port is configured: [[board]] name, port",
        );
        others(report, ports);
    }
}

/// Returns two ways to assign an adapter to touchmove.
fn how_to_use(port: &Device, models: &[&'static Model]) -> String {
    let Some(model) = models.first() else { return String::new() };
    let ids = port.ids.map(|ids| ids.to_string()).unwrap_or_default();
    let which = match &port.serial {
        Some(serial) => format!("serial = {serial:?}"),
        None => format!("usb = {ids:?}"),
    };
    let config = Config::default_path();
    let mut next = format!(
        "if it is your board, write this into {}:\n    [[board]]\n    name = \"board_1\"\n    model = {:?}\n    {which}\n",
        config.display(),
        model.name
    );
    if let Some(line) = rules::local_line(port, model) {
        let file = rules::LOCAL_FILE;
        next += &format!("or this into {file}, run `sudo udevadm control --reload`, and plug it in anew:\n    {line}\n");
    }
    if models.len() > 1 {
        let names: Vec<&str> = models.iter().map(|model| model.name).collect();
        next += &format!("with the word for your board: {}\n", names.join(", "));
    }
    next + &format!("To try it now: touchmovectl doctor --model {} --port {}", model.name, port.node.display())
}

fn others(report: &mut Report, ports: &[Device]) {
    for port in ports {
        report.note("device", format!("there is also {}", described(port)));
    }
}

fn described(port: &Device) -> String {
    let mut text = port.node.display().to_string();
    let ids = port.ids.map(|ids| format!("USB {ids}"));
    let serial = port.serial.as_ref().map(|serial| format!("serial number {serial}"));
    let details: Vec<String> = [ids, port.title.clone(), serial, port.driver.clone()].into_iter().flatten().collect();
    if !details.is_empty() {
        text += &format!(" ({})", details.join(", "));
    }
    text
}

/// Notes that ModemManager may open a board: it opens anything that looks like a modem and writes to it.
fn modem_manager(report: &mut Report, targets: &[ProbeTarget]) {
    let Some(pid) = serial::find_process("ModemManager") else { return };
    let ports = watch::list().unwrap_or_default();
    for port in ports.iter().filter(|port| !port.modem_manager_ignores) {
        let Some(ids) = port.ids.filter(|_| targets.iter().any(|target| target.node == port.node)) else { continue };
        report.note(
            "modem_manager",
            format!(
                "ModemManager (pid {pid}) runs and may take {} for a modem. To keep it away, write into\n\
                 /etc/udev/rules.d/70-touchmove-local.rules and plug the board in anew:\n    \
                 ATTRS{{idVendor}}==\"{:04x}\", ATTRS{{idProduct}}==\"{:04x}\", ENV{{ID_MM_DEVICE_IGNORE}}=\"1\"",
                port.node.display(),
                ids.vendor,
                ids.product
            ),
        );
    }
}

/// Examines whether the port can be opened and a board answers on it.
async fn port(report: &mut Report, target: &ProbeTarget, service: &Service) {
    let shown = target.node.display().to_string();
    let is_file = target.board.model.connection == Connection::Matrix;
    let looked = if is_file { Ok(None) } else { serial::check_port(&target.node).map(|()| serial::holder(&target.node)) };
    let opened = match looked {
        Err(error) => Err(error),
        Ok(Some(holder)) => Err(OpenError::Busy { port: target.node.clone(), holder: Some(holder) }),
        Ok(None) => Port::open(&target.node, target.board.model.connection, target.board.control).await,
    };
    let mut port = match opened {
        Ok(port) => port,
        Err(OpenError::Busy { holder, .. }) => return report_holder(report, &shown, holder),
        Err(OpenError::NoPermission { group, .. }) => {
            let what = format!("no permission to open {shown}: it belongs to group {group}");
            // Devices of group root are accessible to nobody else, whoever runs touchmoved.
            if group != "root" && service.is_system_service() {
                let why = "boards are read by the service touchmoved, and you need not be able to; what it says of this one shows\n\
                           `touchmovectl list`, or `systemctl status touchmoved`";
                return report.note("permission", format!("{what}: {why}"));
            }
            return report.bad("permission", what, access_advice(&group));
        }
        Err(OpenError::Other { reason, .. }) if is_file => {
            return report.bad("port", format!("{shown}: {reason}"), "docs/matrix.md says what stands in this file");
        }
        Err(error) => {
            let text = error.to_string();
            let (what, next) = text.split_once(": ").unwrap_or((&text, "see `sudo dmesg` for what the kernel says"));
            return report.bad("port", what, next);
        }
    };
    report.good("permission", format!("{shown} can be opened, and nobody else has it"));
    let title = target.board.model.title;
    match ask::probe(&mut port, target.board.model).await {
        ProbeResult::Board { about, pieces } => {
            let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
            report.good("answer", format!("a {title} answers on {shown}{about}; it sees {pieces} pieces"));
        }
        ProbeResult::OtherModel(why) => {
            let what = format!("what answers on {shown} is no {title}");
            report.bad("answer", what, why);
        }
        ProbeResult::Nonsense(count) => report.bad(
            "answer",
            format!("something answers on {shown}, but not as a {title} does ({count} bytes that make no sense)"),
            "check that it is the right port and model; a board that is just being switched on needs some seconds",
        ),
        ProbeResult::Nothing => report.bad(
            "answer",
            format!("nothing answers on {shown} as a {title} does"),
            match target.board.control {
                ControlLines::Asserted => {
                    "check that the board is switched on, its cable is plugged in at both ends, and this is its port; a board on\n\
                     RS-232 may want control_lines = \"cleared\" in its [[board]]"
                }
                ControlLines::Cleared => {
                    "check that the board is switched on, its cable is plugged in at both ends, and this is its port; it may want\n\
                     control_lines = \"asserted\" in its [[board]]"
                }
            },
        ),
        ProbeResult::Gone => report.bad("answer", format!("{shown} went away while being asked"), "plug the board in again"),
    }
}

/// Returns what to do to get access to a device of this group.
fn access_advice(group: &str) -> String {
    match group {
        "root" => format!(
            "no group but root's may use it, because no udev rule gives it to one. Copy udev/70-touchmove.rules of touchmove into\n\
             /etc/udev/rules.d, run `sudo groupadd -f {0}`, `sudo usermod -aG {0} $USER` and `sudo udevadm control --reload`,\n\
             then log out and in again, and plug the board in anew",
            rules::GROUP
        ),
        _ => serial::join_group_hint(group),
    }
}

fn report_holder(report: &mut Report, shown: &str, holder: Option<Holder>) {
    match holder {
        Some(holder) if holder.name == "touchmoved" => report.good("permission", format!("{shown} is read by {holder}")),
        holder => {
            let who = holder.as_ref().map_or_else(|| "another program".to_owned(), Holder::to_string);
            report.bad("holder", format!("{shown} is in use by {who}"), serial::release_hint(&holder));
        }
    }
}

fn note_limitations(report: &mut Report, model: &Model) {
    for cannot in model.all_limitations() {
        report.note("cannot", format!("a {} cannot know {cannot}", model.title));
    }
}
