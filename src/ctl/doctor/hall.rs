//! The findings about this machine's part in a hall.

use super::report::Report;
use super::service::Service;
use crate::config::Config;
use crate::config::hall::Role;
use crate::config::settings::SETTINGS_FILE;
use crate::ctl::status::machines::needs;
use crate::daemon::live_config::StartConfig;
use crate::hall::finding::Finding;
use crate::hall::service::HEALTH_KINDS;
use crate::hall::{machine, receiver};
use std::fs::File;
use std::io;
use std::path::Path;

/// What was examined.
const CHECK: &str = "hall";
/// The kinds of health problems that an examination from outside finds as well.
const EXAMINED: &[&str] =
    &[machine::HALL_AWAY, machine::HALL_COPY, machine::HALL_VERSION, receiver::HALL_SERVER, receiver::HALL_STORAGE];

/// Returns a configuration with the settings of the state directory over it, as touchmoved uses it: `touchmovectl hall join` changes
/// these. Reports settings that cannot be used. `path`: the configuration file.
pub(super) fn with_settings(report: &mut Report, config: &Config, path: &Path, state_dir: &Path) -> Config {
    let settings = state_dir.join(SETTINGS_FILE);
    if File::open(&settings).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
        report.note(
            "configuration",
            format!(
                "only root and touchmoved may read {}: run `sudo touchmovectl doctor` to examine it, too",
                settings.display()
            ),
        );
        return config.clone();
    }
    // Without the file, its defaults are used.
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let start = StartConfig::new(config.clone(), path, text, state_dir);
    if let Some(sentence) = start.ignored {
        report.bad("configuration", sentence, "see `touchmovectl config`");
    }
    start.config
}

/// Examines the part of this machine in a hall, if it has one.
pub(super) async fn examine(report: &mut Report, config: &Config, state_dir: &Path, service: &Service) {
    let hall = &config.hall;
    let findings = match &hall.role {
        Role::None => return,
        Role::Machine { hub, machine } => machine::diagnosis::diagnose(hall, hub, machine, state_dir).await,
        Role::Hub { server, .. } => receiver::diagnosis::diagnose(hall, server, state_dir).await,
    };
    for finding in findings {
        match finding {
            Finding::Good(sentence) => report.good(CHECK, sentence),
            Finding::Note(sentence) => report.note(CHECK, sentence),
            Finding::Fault(sentence) => add_fault(report, &sentence),
        }
    }
    let problems = service.health_problems().iter().filter(|(kind, _)| HEALTH_KINDS.contains(&kind.as_str()));
    for (_, sentence) in problems.filter(|(kind, _)| !EXAMINED.contains(&kind.as_str())) {
        add_fault(report, sentence);
    }
    for machine in service.machines().iter().filter(|machine| !machine.attention.is_empty()) {
        report.bad(CHECK, format!("machine {} needs attention", machine.name), needs(machine));
    }
}

/// Adds a sentence that says what to do after its last colon.
fn add_fault(report: &mut Report, sentence: &str) {
    let (message, next) = sentence.rsplit_once(": ").unwrap_or((sentence, "see docs/hall.md"));
    report.bad(CHECK, message, next);
}
