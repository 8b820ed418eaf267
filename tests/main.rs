//! One test binary: it links once.

mod architecture;
mod boards;
mod cli;
mod config;
mod damage;
mod dbus;
mod disk;
mod doctor;
mod games;
mod harness;
mod hub;
mod journal;
mod kill;
mod laws;
mod link;
mod messages;
mod pgn;
mod readme;
mod replay;
mod simulate;
mod table;
mod wire;
