//! `touchmovectl board NAME --write`: writes what a wiring test has found into the configuration.

use crate::boards::Connection;
use crate::config::BoardConfig;
use crate::config::wiring_change::set_key;
use crate::ctl::config_file::{Change, ConfigFile, Place, changed_lines};
use crate::ctl::service::print;
use crate::link::BoardLocation;
use crate::link::matrix::Wiring;
use crate::publish::render::wiring_test::ChangeReport;
use anyhow::{Context, bail};
use std::path::Path;

const OTHER_FORM: &str = "the file has a form that this program does not change: edit it by hand";

/// Shows the changes, asks whether to make them, and makes them. Which file describes the matrix is read from the configuration.
///
/// # Errors
/// The board is not configured, the result would not be valid, or it cannot be written.
pub(super) fn write_changes(place: &Place, board: &str, changes: &[ChangeReport]) -> anyhow::Result<()> {
    if changes.is_empty() {
        return Ok(print("there is nothing to write\n")?);
    }
    let file = place.read()?;
    let configured = file.config.boards.iter().find(|one| one.name == board).with_context(|| {
        format!("the configuration file has no [[board]] with name = \"{board}\": write one, as `touchmovectl doctor` shows it")
    })?;
    let (of_matrix, of_board): (Vec<&ChangeReport>, Vec<&ChangeReport>) =
        changes.iter().partition(|change| change.file.is_some());
    if !of_matrix.is_empty() {
        write_wiring(place, wiring_file(configured)?, &of_matrix)?;
    }
    if !of_board.is_empty() {
        write_board(place, &file, board, &of_board)?;
    }
    Ok(())
}

fn wiring_file(board: &BoardConfig) -> anyhow::Result<&Path> {
    match (&board.place, board.model.connection) {
        (BoardLocation::Port(path), Connection::Matrix) => Ok(path),
        _ => bail!("board {} is not a matrix in the configuration: restart touchmoved, and test the board again", board.name),
    }
}

fn write_wiring(place: &Place, path: &Path, changes: &[&ChangeReport]) -> anyhow::Result<()> {
    let before = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut text = before.clone();
    for change in changes {
        text = set_key(&text, None, &change.table, &change.key, &change.value).context(OTHER_FORM)?;
    }
    Wiring::parse(&text).map_err(|error| anyhow::anyhow!("{} would not be valid: {error}", path.display()))?;
    if text == before {
        return Ok(print("there is nothing to write\n")?);
    }
    place.write(path, &text, &changed_lines(&before, &text), &[])
}

fn write_board(place: &Place, file: &ConfigFile, board: &str, changes: &[&ChangeReport]) -> anyhow::Result<()> {
    let mut text = file.text.clone();
    for change in changes {
        text = set_key(&text, Some(board), &change.table, &change.key, &change.value).context(OTHER_FORM)?;
    }
    if text == file.text {
        return Ok(print("there is nothing to write\n")?);
    }
    let lines = changed_lines(&file.text, &text);
    place.change(file, &Change { text, lines, boards: file.config.boards.len() }, &[])
}
