//! `touchmovectl doctor`: finds out why no board is seen, and what to do about it.

mod bluetooth;
mod hall;
mod page;
mod probe;
mod report;
mod service;

use crate::boards::{self, BOARDS, Connection, ControlLines, Model};
use crate::config::hall::Role;
use crate::config::{BoardConfig, Config};
use crate::ctl::backup::default_state_dir;
use crate::ctl::{colours, completion};
use crate::link::rules;
use crate::link::serial::{self, Holder, OpenError};
use crate::link::watch::{self, Device, Verdict};
use crate::link::{BoardLocation, Port};
use crate::publish::dbus::Bus;
use report::{Detail, Report};
use service::Service;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Find out why no board is seen
///
/// Checks which devices are plugged in, whether they may be opened, which programs use them, whether a board answers, whether
/// touchmoved runs, and the connection to a hall. A port is opened only if no other program uses it, and if its USB id identifies a board, or it is configured,
/// or given with --port. It then sends the same greeting as touchmoved. A board over Bluetooth is connected only if its address is
/// configured and touchmoved does not read it. What is wrong is printed first, with what to do; what is
/// right is summarised in one line. Exit code 0: no fault was found; 1: a fault was found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  touchmovectl doctor                        why is no board seen?
  touchmovectl doctor --all                  every finding, also what is right
  touchmovectl doctor --port /dev/ttyUSB0    is there a board on this port?
  touchmovectl doctor --json | jq '.findings[] | select(.ok == false)'")]
pub struct Args {
    /// Check only this port
    #[arg(long, value_name = "PATH")]
    port: Option<PathBuf>,
    /// The model of the board on --port
    #[arg(long, value_name = "MODEL", default_value = "dgt", value_parser = model, add = completion::models())]
    model: &'static Model,
    /// The configuration file [default: the one that touchmoved reads]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// State directory of touchmoved, for its part in a hall [default: /var/lib/touchmove, else the user's]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// The bus: session, system, or an address [default: as configured]
    #[arg(long, value_name = "BUS")]
    bus: Option<Bus>,
    /// Print every finding, in the order of examination, also what is right and what the boards cannot know
    #[arg(long)]
    all: bool,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

fn model(name: &str) -> Result<&'static Model, String> {
    let known = || BOARDS.iter().map(|model| model.name).collect::<Vec<_>>().join(", ");
    boards::model(name).ok_or_else(|| format!("there is no model {name}: write one of {}", known()))
}

/// Runs the subcommand: examines the machine and prints the findings.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let report = super::block_on(examine(&args))?;
    if args.json {
        println!("{}", report.json());
    } else {
        let detail = if args.all { Detail::All } else { Detail::Summary };
        print!("{}", report.text(detail, colours(&std::io::stdout())));
    }
    Ok(if report.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
            Some(board) => service::add_board(&mut report, board),
            None => port(&mut report, &target, &service).await,
        }
        note_limitations(&mut report, args.model);
        return report;
    }
    let config = configuration(&mut report, args.config.as_deref());
    let state_dir = args.state_dir.clone().unwrap_or_else(default_state_dir);
    let path = args.config.clone().unwrap_or_else(Config::default_path);
    let config = hall::with_settings(&mut report, &config, &path, &state_dir);
    let targets = targets(&mut report, &config);
    modem_manager(&mut report, &targets);
    // The service is queried before any port: it may already read them, even where the user of this program may not.
    let service = Service::query(args.bus.as_ref(), &config.bus).await;
    for target in targets.iter().filter(|target| service.board(&target.node).is_none()) {
        port(&mut report, target, &service).await;
    }
    service.add_to(&mut report);
    bluetooth::examine(&mut report, &config, &service).await;
    hall::examine(&mut report, &config, &state_dir, &service).await;
    page::examine(&mut report, &config);
    livechess(&mut report, &config);
    config.warnings().into_iter().for_each(|warning| report.note("configuration", warning));
    let mut models: Vec<&'static Model> = Vec::new();
    for board in targets.iter().map(|target| &target.board).chain(bluetooth::boards(&config).map(|(board, _)| board)) {
        if !models.contains(&board.model) {
            models.push(board.model);
            note_limitations(&mut report, board.model);
        }
    }
    report
}

fn configuration(report: &mut Report, given: Option<&Path>) -> Config {
    let path = given.map_or_else(Config::default_path, Path::to_path_buf);
    match Config::load(&path) {
        Ok(config) if path.exists() => {
            report.good("configuration", format!("{} is valid", path.display()));
            config
        }
        Ok(config) if given.is_some() => {
            report.bad("configuration", format!("{} does not exist", path.display()), "name the file that touchmoved reads");
            config
        }
        Ok(config) => {
            report.good("configuration", "there is no configuration file, and none is needed");
            config
        }
        Err(error) => {
            report.bad(
                "configuration",
                error.to_string(),
                "correct it: touchmoved does not start with an invalid configuration",
            );
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
            "pages such as lichess.org connect to ws://{address}/api/v1.0: browsers based on Chromium ask the user whether the page \
             may access this machine (Local Network Access), and the page finds no board until the user allows it, in the prompt or \
             under Site settings"
        ),
    );
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
        // A hub needs no board of its own.
        report_unused(report, &ports, !targets.is_empty() || matches!(config.hall.role, Role::Hub { .. }));
    } else {
        let places: Vec<BoardLocation> = config.boards.iter().map(|board| board.place.clone()).collect();
        for (board, node) in config.boards.iter().zip(watch::assign(&places, &ports)) {
            match node {
                Some(node) => {
                    let port = ports.iter().find(|port| port.node == node);
                    let name = port.map_or_else(|| node.display().to_string(), described);
                    report.good("device", format!("{name}: configured as {}", board.name));
                    targets.push(ProbeTarget { board: board.clone(), node });
                }
                None if matches!(board.place, BoardLocation::Bluetooth(_)) => {}
                None => {
                    report.bad(
                        "device",
                        format!("board {} is not plugged in: there is no {}", board.name, board.place),
                        "plug it in and switch it on, or correct its [[board]] in the configuration",
                    );
                    note_other_devices(report, &ports);
                }
            }
        }
    }
    targets
}

/// Reports what is plugged in but not used, and why, if no board is configured. It is a fault if no other board was found.
fn report_unused(report: &mut Report, ports: &[Device], found: bool) {
    let driverless = watch::portless_boards().unwrap_or_default();
    for device in &driverless {
        report.bad(
            "device",
            format!("USB device {} is a {}, but it has no serial port", device.ids, device.model.title),
            "its kernel driver is missing: run `sudo modprobe cdc_acm`, and check `sudo dmesg`",
        );
    }
    let mut nothing_found = driverless.is_empty();
    for port in ports {
        let Verdict::MaybeBoard(models) = port.verdict() else { continue };
        nothing_found = false;
        let titles: Vec<&str> = models.iter().map(|model| model.title).collect();
        let message = format!(
            "{} may be a {}: it is not used, because other devices contain the same adapter",
            described(port),
            titles.join(" or a ")
        );
        let next = how_to_use(port, &models);
        if found { report.note("device", format!("{message}; {next}")) } else { report.bad("device", message, next) }
    }
    if nothing_found && !found {
        report.bad(
            "device",
            "no board is plugged in: no USB device of this machine is a known board",
            "plug the board in and switch it on; if it still is not found, try another cable (some only charge) and another\n\
             socket, and check `sudo dmesg` for messages of the kernel. A board on an RS-232 port must be configured:\n\
             [[board]] name, port",
        );
        note_other_devices(report, ports);
    }
}

/// Returns two ways to assign an adapter to touchmove.
fn how_to_use(port: &Device, models: &[&'static Model]) -> String {
    let Some(model) = models.first() else { return String::new() };
    let ids = port.ids.map(|ids| ids.to_string()).unwrap_or_default();
    let selector = match &port.serial {
        Some(serial) => format!("serial = {serial:?}"),
        None => format!("usb = {ids:?}"),
    };
    let config = Config::default_path();
    let mut next = format!(
        "if it is your board, add this to {}:\n    [[board]]\n    name = \"board_1\"\n    model = {:?}\n    {selector}\n",
        config.display(),
        model.name
    );
    if let Some(line) = rules::local_line(port, model) {
        let file = rules::LOCAL_FILE;
        next += &format!("or add this to {file}, run `sudo udevadm control --reload`, and plug it in again:\n    {line}\n");
    }
    if models.len() > 1 {
        let names: Vec<&str> = models.iter().map(|model| model.name).collect();
        next += &format!("with the model of your board, one of: {}\n", names.join(", "));
    }
    next + &format!("To try it now: touchmovectl doctor --model {} --port {}", model.name, port.node.display())
}

fn note_other_devices(report: &mut Report, ports: &[Device]) {
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
                "ModemManager (pid {pid}) is running and may open {} as a modem. To prevent this, add this line to\n\
                 /etc/udev/rules.d/70-touchmove-local.rules and plug the board in again:\n    \
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
    let path = target.node.display().to_string();
    let is_file = target.board.model.connection == Connection::Matrix;
    let holder = if is_file { Ok(None) } else { serial::check_port(&target.node).map(|()| serial::holder(&target.node)) };
    let opened = match holder {
        Err(error) => Err(error),
        Ok(Some(holder)) => Err(OpenError::Busy { port: target.node.clone(), holder: Some(holder) }),
        Ok(None) => Port::open(&target.node, target.board.model.connection, target.board.control).await,
    };
    let mut port = match opened {
        Ok(port) => port,
        Err(OpenError::Busy { holder, .. }) => return report_holder(report, &path, holder),
        Err(OpenError::NoPermission { group, .. }) => {
            let message = format!("no permission to open {path}: it belongs to group {group}");
            // Devices of group root are accessible to nobody else, whoever runs touchmoved.
            if group != "root" && service.is_system_service() {
                let advice = "the service touchmoved reads the boards, so you do not need this permission; for the state of this board,\n\
                           run `touchmovectl list` or `systemctl status touchmoved`";
                return report.note("permission", format!("{message}: {advice}"));
            }
            return report.bad("permission", message, access_advice(&group));
        }
        Err(OpenError::Other { reason, .. }) if is_file => {
            return report.bad("port", format!("{path}: {reason}"), "see docs/matrix.md for the format of this file");
        }
        Err(error) => {
            let text = error.to_string();
            let (message, next) = text.split_once(": ").unwrap_or((&text, "see `sudo dmesg` for messages of the kernel"));
            return report.bad("port", message, next);
        }
    };
    report.good("permission", format!("{path} can be opened, and no other program uses it"));
    let result = probe::probe(&mut port, target.board.model).await;
    let advice = match target.board.control {
        ControlLines::Asserted => {
            "check that the board is switched on, its cable is plugged in at both ends, and this is its port; a board on\n\
             RS-232 may need control_lines = \"cleared\" in its [[board]]"
        }
        ControlLines::Cleared => {
            "check that the board is switched on, its cable is plugged in at both ends, and this is its port; it may need\n\
             control_lines = \"asserted\" in its [[board]]"
        }
    };
    probe::add_result(report, &path, target.board.model.title, result, advice);
}

/// Returns what to do to get access to a device of this group.
fn access_advice(group: &str) -> String {
    match group {
        "root" => format!(
            "only root may use it, because no udev rule assigns it to another group. Copy udev/70-touchmove.rules of touchmove into\n\
             /etc/udev/rules.d, run `sudo groupadd -f {0}`, `sudo usermod -aG {0} $USER` and `sudo udevadm control --reload`,\n\
             then log out and in again, and plug the board in again",
            rules::GROUP
        ),
        _ => serial::join_group_hint(group),
    }
}

fn report_holder(report: &mut Report, path: &str, holder: Option<Holder>) {
    match holder {
        Some(holder) if holder.name == "touchmoved" => report.good("permission", format!("{path} is read by {holder}")),
        holder => {
            let program = holder.as_ref().map_or_else(|| "another program".to_owned(), Holder::to_string);
            report.bad("holder", format!("{path} is in use by {program}"), serial::release_hint(&holder));
        }
    }
}

fn note_limitations(report: &mut Report, model: &Model) {
    for limitation in model.all_limitations() {
        report.limitation("cannot", format!("a {} cannot know {limitation}", model.title));
    }
}
