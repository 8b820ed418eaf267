//! The core that a process uses, its processor time, and its memory.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::path::PathBuf;
use std::time::Duration;

/// Leaves the first core to the process that is measured, if there are others. Programs that are started from here inherit it.
pub fn leave_first_core() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores > 1 {
        let others = (1..cores).fold(CpuSet::new(), |mut set, core| {
            set.set(core);
            set
        });
        let _ = sched_setaffinity(None, &others);
    }
}

/// The threads of a process.
fn threads(pid: u32) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(format!("/proc/{pid}/task")).expect("the process runs").flatten().map(|task| task.path())
}

/// Keeps all threads of a process, and those that they start, on the first core.
pub fn pin_to_first_core(pid: u32) {
    let mut first = CpuSet::new();
    first.set(0);
    for thread in threads(pid) {
        let number = thread.file_name().and_then(|name| name.to_str()?.parse().ok()).and_then(Pid::from_raw);
        // A thread may have ended.
        let _ = sched_setaffinity(number, &first);
    }
}

/// The processor time of a process, with threads that have ended; a tick is a hundredth of a second (proc(5)).
pub fn processor_time(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

/// The resident memory of a process, in kB.
pub fn memory_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect("its memory")
}
