//! `touchmovectl`: see boards and games, replay, simulate, find out what is wrong.

fn main() -> std::process::ExitCode {
    touchmove::ctl::main()
}
