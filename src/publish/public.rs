//! What the public page is made of: documents for programs, pages without scripts, and images, all from the delayed view.
//!
//! The page of `[web]` serves them, and `[publish_static]` writes the same as files. `docs/public-api.json` describes the documents;
//! each is a type here, in the file of its name.
//!
//! **Invariants:** Of players, only the fields of [`PublicPlayer`] are published, whatever the pairings contain. Everything is read from
//! the [`DelayedView`](crate::daemon::DelayedView). No I/O.

mod board_svg;
mod change;
mod event;
mod game;
mod html;
mod opening;
mod options;
mod path;
mod pgn;
mod player;
mod round;
mod site;
mod standings;
mod table;
mod tournament;

pub(super) use html::preferred_language;
pub(super) use options::PublicOptions;
pub(super) use path::{PublicPath, View};
pub(super) use site::{Document, PageForm, render, seq_of};
pub(super) use tournament::PublicTournament;
