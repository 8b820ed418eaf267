//! All integration tests in one binary, so that the crate is linked only once. The rooms mirror the source.

mod boards;
mod core;
mod daemon;
mod front_ends;
mod hall;
mod harness;
mod system;
