//! Tests of the programs, the installed files, and the documents. The scripts in this folder are not part of `make test`.

pub(crate) mod architecture;
pub(crate) mod bluetooth;
pub(crate) mod book;
pub(crate) mod cli;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod installation;
pub(crate) mod manual;
pub(crate) mod messages;
pub(crate) mod policies;
pub(crate) mod readme;
pub(crate) mod rules;
pub(crate) mod setup;
pub(crate) mod status;
