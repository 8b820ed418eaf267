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
    let own = Overrides::read(&override_dirs())?;
    Edition::replace(own.editions);
    Messages::install_overrides(own.messages);
    if let Some(rulings) = own.rulings {
        rulings.replace();
    }
    Ok(own.warnings)
}

impl Overrides {
    /// Reads the files in these directories, given in increasing order of precedence. Files that are identical to the built-in
    /// data, and files with another extension, are ignored.
    ///
    /// # Errors
    /// Returns all problems of the files.
    pub fn read(folders: &[PathBuf]) -> Result<Overrides, OverridesError> {
        let (mut own, mut problems) = (Overrides::default(), Vec::new());
        for folder in folders {
            for (below, ending) in [("laws", "toml"), ("locale", "ftl")] {
                let files = files(&folder.join(below), ending).unwrap_or_else(|problem| {
                    problems.push(problem);
                    Vec::new()
                });
                for (path, name) in files {
                    let about = own.warnings.len();
                    let outcome = text(&path).and_then(|text| {
                        if below == "laws" { own.read_law_file(&name, &text) } else { own.read_messages_file(&name, &text) }
                    });
                    for warning in own.warnings.iter_mut().skip(about) {
                        *warning = format!("{}: {warning}", path.display());
                    }
                    problems
                        .extend(outcome.err().into_iter().flatten().map(|problem| format!("{}: {problem}", path.display())));
                }
            }
        }
        if problems.is_empty() { Ok(own) } else { Err(OverridesError(problems)) }
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
            return Err(vec![format!(
                "there is no edition {name} to take the place of: name the file after {known} or rulings"
            )]);
        };
        if text != source {
            let (edition, warnings) = Edition::parse_with_warnings(name, text)?;
            self.editions.push(edition);
            self.warnings.extend(warnings);
        }
        Ok(())
    }

    fn read_messages_file(&mut self, name: &str, text: &str) -> Result<(), Vec<String>> {
        let Some(locale) = Locale::ALL.into_iter().find(|locale| locale.tag() == name) else {
            let known = Locale::ALL.map(Locale::tag).join(", ");
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
fn files(folder: &Path, ending: &str) -> Result<Vec<(PathBuf, String)>, String> {
    let unreadable = |why: io::Error| format!("{} cannot be read ({why}): make it readable for this user", folder.display());
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(unreadable(why)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == ending)
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
    std::fs::read_to_string(path).map_err(|why| match why.kind() {
        io::ErrorKind::InvalidData => vec!["is not a text file in UTF-8: write it anew".to_owned()],
        _ => vec![format!("cannot be read ({why}): make it readable for this user")],
    })
}
