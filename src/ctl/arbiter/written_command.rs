//! A command as it was written, whose plies and moves depend on the game.

use crate::ctl::moves::MoveList;
use crate::game::Command;
use crate::game::command::{ArgumentKind, CommandSpec};
use crate::wire::command_from_value;
use serde_json::{Map, Value};

/// A command with its arguments: plies and moves are texts as people write them.
#[derive(Clone, Debug)]
pub(super) struct WrittenCommand {
    /// Which command it is.
    pub(super) spec: &'static CommandSpec,
    /// Its fields, as JSON.
    pub(super) fields: Map<String, Value>,
}

impl WrittenCommand {
    /// Returns the command for the game with these moves: plies as numbers, moves in UCI.
    ///
    /// # Errors
    /// A ply is not in the game, or a move is not legal; the message says what to write.
    pub(super) fn resolve(mut self, moves: &MoveList) -> Result<Command, String> {
        // A move without a ply is the next one.
        let mut at = moves.len() + 1;
        for field in self.spec.fields {
            let Some(text) = self.fields.get(field.name).and_then(Value::as_str) else { continue };
            let value = match field.argument.kind {
                ArgumentKind::Ply(least) => {
                    at = moves.find(text)?;
                    if at < least {
                        return Err(format!("there is no ply {at}: White's first move is ply {least}"));
                    }
                    at.into()
                }
                ArgumentKind::Move => moves.parse_move(at, text)?.into(),
                // The service judges a move that is not legal.
                ArgumentKind::IntendedMove => {
                    moves.parse_move(at, text).or_else(|error| moves.parse_any_move(at, text).ok_or(error))?.into()
                }
                _ => continue,
            };
            self.fields.insert(field.name.to_owned(), value);
        }
        self.fields.insert("do".to_owned(), self.spec.word.into());
        command_from_value(&Value::Object(self.fields)).map_err(|error| error.to_string())
    }
}
