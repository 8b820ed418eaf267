//! Tests of touchmoved: boards come and go, the journal, full disks, power cuts, and random faults.

pub(crate) mod bluetooth;
pub(crate) mod chaos;
pub(crate) mod continuations;
// It compares with libudev, which a static program does not have.
#[cfg(not(target_feature = "crt-static"))]
pub(crate) mod devices;
pub(crate) mod disk;
pub(crate) mod exchange;
pub(crate) mod hub;
pub(crate) mod journal;
pub(crate) mod kill;
pub(crate) mod plugs;
pub(crate) mod powercut;
pub(crate) mod replay;
pub(crate) mod seats;
pub(crate) mod soak;
pub(crate) mod time_of_day;
pub(crate) mod upgrade;
pub(crate) mod wiring_test;
