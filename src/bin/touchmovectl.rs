//! `touchmovectl`: see boards and games, replay, simulate, find out what is wrong.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    touchmove::ctl::main()
}
