//! What a command would do, and the question whether it should.

use crate::ctl::language;
use crate::ctl::service::print;
use crate::game::Command;
use crate::publish::client::{Client, ClientError, CommandPreview};
use std::io::{self, BufRead, IsTerminal};

/// Whether the user is asked before something that was played or decided goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub(super) struct Confirmation {
    /// Do not ask before moves are removed, a result is withdrawn, or a command is undone
    #[arg(long, short)]
    pub(super) yes: bool,
}

/// What the user decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// To carry the command out if nothing has happened in the game after this event.
    Proceed {
        /// The number of the event.
        seen: u64,
    },
    /// Not to carry it out.
    Cancel,
}

/// Prints what a command would do to a game, and asks whether to do it if something that was played or decided would go.
///
/// # Errors
/// The command would be refused; or nobody can be asked, and play has gone on since the alert.
pub(super) async fn confirm(
    client: &Client,
    game: u64,
    command: &Command,
    Confirmation { yes }: Confirmation,
) -> anyhow::Result<Decision> {
    let preview = client.preview(game, command, language::locale()).await?;
    let proceed = Decision::Proceed { seen: preview.number };
    if yes || !preview.asks {
        return Ok(proceed);
    }
    if io::stdin().is_terminal() {
        print(&format!("{}{}? [y/N] ", describe(&preview), preview.action))?;
        let mut reply = String::new();
        io::stdin().lock().read_line(&mut reply)?;
        return Ok(if is_yes(&reply) { proceed } else { Decision::Cancel });
    }
    if preview.removes && preview.plies_since_alert > 0 {
        let effects = preview.lines.join("; ");
        let sentence =
            format!("nothing was changed, because play has gone on since the alert; add --yes if that is meant: {effects}");
        return Err(ClientError::Refused(sentence).into());
    }
    Ok(proceed)
}

/// Returns the lines of a preview, with the moves.
fn describe(preview: &CommandPreview) -> String {
    let mut text = preview.lines.iter().fold(String::new(), |text, line| text + line + "\n");
    for (sign, moves) in [('-', &preview.removed), ('+', &preview.added)] {
        if !moves.is_empty() {
            text.push_str(&format!("  {sign} {moves}\n"));
        }
    }
    text
}

fn is_yes(reply: &str) -> bool {
    ["y", "yes"].contains(&reply.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_lists_effects_and_moves() {
        let preview = CommandPreview {
            lines: vec!["removes 2 moves (both players'), from White's move 6 on, 6.Nf3".to_owned(), "clears it".to_owned()],
            removed: "6.Nf3 Nc6".to_owned(),
            ..CommandPreview::default()
        };
        let expected = "removes 2 moves (both players'), from White's move 6 on, 6.Nf3\nclears it\n  - 6.Nf3 Nc6\n";
        assert_eq!(describe(&preview), expected);
    }

    #[test]
    fn only_yes_is_yes() {
        assert!(["y\n", "Yes\n", "YES"].into_iter().all(is_yes));
        assert!(!["", "\n", "n\n", "yeah\n", "ja\n"].into_iter().any(is_yes));
    }
}
