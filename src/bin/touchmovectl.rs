//! `touchmovectl`: shows boards and games, replays, simulates, and finds faults.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    touchmove::ctl::main()
}
