//! Local files that override built-in data: editions of the Laws, rulings, and messages.
//!
//! `laws/NAME.toml` replaces the edition of that name, and `laws/rulings.toml` replaces all rulings. Messages in `locale/TAG.ftl`
//! override the built-in ones of the same key. All files are read and checked before anything starts.

use crate::laws::{EDITIONS, Edition, Rulings};
use crate::locale::{Locale, Messages};
use std::io;
use std::path::{Path, PathBuf};

/// The overrides that were found.
#[derive(Default)]
pub struct Overrides {
    editions: Vec<Edition>,
    rulings: Option<Rulings>,
    messages: Vec<Messages>,
    /// Warnings about obsolete keys, one line each, beginning with the file.
    warnings: Vec<String>,
}

/// The problems of such files, one line each, beginning with the file.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct OverridesError(Vec<String>);

/// Returns the directories of these files, in increasing order of precedence: `share/touchmove` under the installation prefix of
/// this program, then `/etc/touchmove`.
pub fn override_dirs() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let share = program.as_deref().and_then(Path::parent).and_then(Path::parent).map(|prefix| prefix.join("share/touchmove"));
    share.into_iter().chain([PathBuf::from("/etc/touchmove")]).collect()
}

/// Reads all overrides and puts them into effect for this process. Must be called before anything else. Returns a warning for each
/// obsolete key, one line each, beginning with the file.
///
/// # Errors
/// Returns all problems of the files.
pub fn load() -> Result<Vec<String>, OverridesError> {
    let overrides = Overrides::read(&override_dirs())?;
    Edition::replace(overrides.editions);
    Messages::install_overrides(overrides.messages);
    if let Some(rulings) = overrides.rulings {
        rulings.replace();
    }
    Ok(overrides.warnings)
}

impl Overrides {
    /// Reads the files in these directories, given in increasing order of precedence. Files that are identical to the built-in
    /// data, and files with another extension, are ignored.
    ///
    /// # Errors
    /// Returns all problems of the files.
    pub fn read(folders: &[PathBuf]) -> Result<Overrides, OverridesError> {
        let (mut overrides, mut problems) = (Overrides::default(), Vec::new());
        for folder in folders {
            for (subfolder, extension) in [("laws", "toml"), ("locale", "ftl")] {
                let files = files(&folder.join(subfolder), extension).unwrap_or_else(|problem| {
                    problems.push(problem);
                    Vec::new()
                });
                for (path, name) in files {
                    let first_warning = overrides.warnings.len();
                    let outcome = text(&path).and_then(|text| {
                        if subfolder == "laws" {
                            overrides.read_law_file(&name, &text)
                        } else {
                            overrides.read_messages_file(&name, &text)
                        }
                    });
                    for warning in overrides.warnings.iter_mut().skip(first_warning) {
                        *warning = format!("{}: {warning}", path.display());
                    }
                    problems
                        .extend(outcome.err().into_iter().flatten().map(|problem| format!("{}: {problem}", path.display())));
                }
            }
        }
        if problems.is_empty() { Ok(overrides) } else { Err(OverridesError(problems)) }
    }

    fn read_law_file(&mut self, name: &str, text: &str) -> Result<(), Vec<String>> {
        if name == "rulings" {
            if text != Rulings::SOURCE {
                self.rulings = Some(Rulings::parse(text)?);
            }
            return Ok(());
        }
        let Some(source) = Edition::source(name) else {
            let known = EDITIONS.join(", ");
            return Err(vec![format!("there is no edition {name} to override: name the file after {known} or rulings")]);
        };
        if text != source {
            let (edition, warnings) = Edition::parse_with_warnings(name, text)?;
            self.editions.push(edition);
            self.warnings.extend(warnings);
        }
        Ok(())
    }

    fn read_messages_file(&mut self, name: &str, text: &str) -> Result<(), Vec<String>> {
        let Some(locale) = Locale::PUBLIC.into_iter().find(|locale| locale.tag() == name) else {
            let known = Locale::PUBLIC_TAGS.join(", ");
            return Err(vec![format!("there are no messages in {name}: name the file after {known}")]);
        };
        if text != locale.source() {
            self.messages.push(Messages::parse(locale, text)?);
        }
        Ok(())
    }
}

/// Returns the files in a directory with this extension, each with its name without the extension, sorted. Empty if the directory
/// does not exist.
fn files(folder: &Path, wanted: &str) -> Result<Vec<(PathBuf, String)>, String> {
    let unreadable =
        |error: io::Error| format!("{} cannot be read ({error}): make it readable for this user", folder.display());
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == wanted)
            && let Some(name) = path.file_stem().and_then(|name| name.to_str())
        {
            let name = name.to_owned();
            found.push((path, name));
        }
    }
    found.sort();
    Ok(found)
}

fn text(path: &Path) -> Result<String, Vec<String>> {
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => vec!["is not a text file in UTF-8: rewrite it".to_owned()],
        _ => vec![format!("cannot be read ({error}): make it readable for this user")],
    })
}
