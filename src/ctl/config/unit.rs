//! `touchmovectl config unit`: what systemd must allow the service so that it can do what the configuration file says.

use crate::config::Config;
use crate::config::secret::untrusted_reason;
use crate::config::unit::UnitDropIns;
use crate::ctl::service::print;
use anyhow::{Context, bail};
use std::io;
use std::path::{Path, PathBuf};

/// Print what the unit allows the service by the configuration file: to listen and to send
///
/// The service may neither listen nor send until its configuration file says where or what for. The package has a generator, which
/// runs this whenever systemd reads its units: at boot and with `systemctl daemon-reload`. A file that users other than root can change
/// allows nothing, and settings that were changed while touchmoved runs do not count.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  touchmovectl config unit")]
pub(super) struct Args {
    /// The configuration file
    #[arg(long, value_name = "FILE", default_value = "/etc/touchmove/touchmoved.toml")]
    config: PathBuf,
    /// Write the drop-ins into this directory, as the generator does, instead of printing them
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
}

/// Runs the subcommand.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let drop_ins = UnitDropIns::of(&trusted_config(&args.config)?);
    match &args.write {
        Some(dir) => write(&drop_ins, dir),
        None => Ok(print(&describe(&drop_ins))?),
    }
}

/// Reads a configuration file that only root, or this user, can change; one that does not exist is empty.
fn trusted_config(path: &Path) -> anyhow::Result<Config> {
    match untrusted_reason(path) {
        Ok(None) => {}
        Ok(Some(reason)) => bail!("{} decides what the service may do, but {reason}", path.display()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
    Ok(Config::load(path)?)
}

fn describe(drop_ins: &UnitDropIns) -> String {
    let one = |(name, text): (&str, Option<&str>)| match text {
        Some(text) => format!("# touchmoved.service.d/{name}\n{text}\n"),
        None => format!("# touchmoved.service.d/{name}: none\n"),
    };
    drop_ins.files().into_iter().map(one).collect()
}

fn write(drop_ins: &UnitDropIns, dir: &Path) -> anyhow::Result<()> {
    for (name, text) in drop_ins.files() {
        let path = dir.join(name);
        let written = match text {
            Some(text) => std::fs::create_dir_all(dir).and_then(|()| std::fs::write(&path, text)),
            None => match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        };
        written.with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}
