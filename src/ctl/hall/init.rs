//! `touchmovectl hall init`.

use super::{Place, Yes, new_event, set};
use crate::config::hall::DEFAULT_PORT;
use crate::ctl::service::{Service, confirm, print};
use crate::hall::setup::paths::HallFiles;
use crate::hall::setup::registry::{LockedRegistry, Registry, check_name};
use crate::hall::setup::{addresses, certificates, key, server};
use crate::publish::client::ClientError;
use anyhow::bail;
use std::path::Path;
use std::process::Command;

/// Minimum space for the streams, in bytes: the games of a tournament of a thousand boards, twice.
const MIN_STORE: u64 = 512 << 20;
/// Maximum space for the streams, in bytes.
const MAX_STORE: u64 = 16 << 30;
/// The free disk space is divided by this to get the limit of the streams.
const STORE_SHARE: u64 = 2;

/// Make this machine the hub of a hall
///
/// Writes a CA, the certificate and the configuration of the message server, and the key of this machine into hall/ in the
/// state directory, and starts the server: the program of the package nats-server, with our unit touchmove-nats. If there is a
/// hall already, its machines and its CA stay: the server gets a new certificate, for the names and addresses that this machine
/// has now, and with another name another event begins, as with `hall new-event`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sudo touchmovectl hall init --event open-2026")]
pub(super) struct Args {
    /// Name of the event: lower-case letters, digits and hyphens
    #[arg(long, value_name = "NAME")]
    event: String,
    /// Port of the message server [default: 4222, or the one it has]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    #[command(flatten)]
    yes: Yes,
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    place: Place,
}

/// Runs the subcommand.
pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    check_name(&args.event)?;
    let program = server::find()?;
    let version = server::check_version(&program)?;
    let files = args.place.files();
    files.create_dir()?;
    let locked = LockedRegistry::lock(&files)?;
    let hub = key::load_or_create(&files)?.public_key();
    let registry = match locked.load()? {
        None => Registry::new(&args.event, args.port.unwrap_or(DEFAULT_PORT), store_bytes(&files)?, hub)?,
        Some(registry) => match changed(registry, &args)? {
            // The key was made anew if its file was removed.
            Some(mut registry) => {
                registry.hub = hub;
                registry
            }
            None => return Ok(print("nothing was changed\n")?),
        },
    };
    certificates::create(&files, &registry.hall, &addresses::server_names())?;
    locked.save(&registry)?;
    server::check_config(&program, &files)?;
    print(&format!(
        "This machine is the hub of the hall {}, with {} and nats-server {version}.\n",
        registry.hall,
        count(registry.machines.len(), "machine")
    ))?;
    start(&files, &program)?;
    let is_set = is_installed(&files) && serve(&args.service, &registry).await?;
    print(&next_steps(&registry, is_set))?;
    Ok(())
}

/// Whether it is the hall of the installed touchmoved.
fn is_installed(files: &HallFiles) -> bool {
    files.dir() == Path::new("/var/lib/touchmove/hall")
}

/// Sets the keys of the hub in a running touchmoved. Returns whether one runs.
async fn serve(service: &Service, registry: &Registry) -> anyhow::Result<bool> {
    let url = format!("tls://127.0.0.1:{}", registry.port);
    match set(service, &[("hall.url", &url), ("hall.serve", "true")]).await {
        Ok(()) => Ok(true),
        Err(ClientError::NotRunning { .. } | ClientError::NoBus { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns the registry of the hall that exists, with a new name or port; `None`: the user does not want to change it.
fn changed(mut registry: Registry, args: &Args) -> anyhow::Result<Option<Registry>> {
    let port = args.port.unwrap_or(registry.port);
    let mut effects = new_event::begin(&mut registry, &args.event)?.unwrap_or_default();
    if registry.port != port && !registry.machines.is_empty() {
        effects.push(format!("machines that joined at port {} have to be given port {port}", registry.port));
    }
    if !effects.is_empty() && !confirm(&format!("Change the hall? {}.", effects.join("; ")), args.yes.yes)? {
        return Ok(None);
    }
    registry.port = port;
    Ok(Some(registry))
}

/// Returns the maximum size of the streams, by the free space of the disk.
fn store_bytes(files: &HallFiles) -> anyhow::Result<u64> {
    let disk = rustix::fs::statvfs(files.dir())?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free / STORE_SHARE < MIN_STORE {
        bail!(
            "the disk of {} has only {} MB of free space: free at least {} MB",
            files.dir().display(),
            free >> 20,
            (MIN_STORE * STORE_SHARE) >> 20
        );
    }
    Ok((free / STORE_SHARE).min(MAX_STORE))
}

/// Starts the server with systemd, or prints how to start it.
fn start(files: &HallFiles, program: &Path) -> anyhow::Result<()> {
    let is_unit_usable =
        program == Path::new(server::PROGRAM) && is_installed(files) && Path::new("/run/systemd/system").is_dir();
    if !is_unit_usable {
        let config = files.server_config();
        return Ok(print(&format!(
            "Start its message server, or restart it: {} -c {}\n",
            program.display(),
            config.display()
        ))?);
    }
    // A new certificate or port needs a restart, which machines survive.
    for arguments in [["enable", server::UNIT].as_slice(), &["restart", server::UNIT]] {
        let status = Command::new("systemctl").args(arguments).status()?;
        if !status.success() {
            bail!("systemctl {} failed: see `systemctl status {}`", arguments.join(" "), server::UNIT);
        }
    }
    Ok(print(&format!("Its message server runs: {}.\n", server::UNIT))?)
}

/// Returns what remains to be done by hand. `is_set`: touchmoved has the keys already.
fn next_steps(registry: &Registry, is_set: bool) -> String {
    let url = match registry.port {
        DEFAULT_PORT => String::new(),
        port => format!("\n       url = \"tls://127.0.0.1:{port}\""),
    };
    let keys = match is_set {
        true => String::new(),
        false => {
            format!(
                "\n  * In /etc/touchmove/touchmoved.toml, below the line [hall], or with that line:\n       serve = true{url}"
            )
        }
    };
    format!(
        "Next:{keys}
  * Let touchmoved use the network, once:
       sudo install -Dm644 /usr/share/touchmove/systemd/network.conf /etc/systemd/system/touchmoved.service.d/network.conf
       sudo systemctl daemon-reload && sudo systemctl restart touchmoved
  * For each machine: sudo touchmovectl hall add NAME
"
    )
}

/// Returns a number with its noun.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
