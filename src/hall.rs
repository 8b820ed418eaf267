//! The hall: many machines with boards, whose games one of them, the hub, shows. They exchange messages through a NATS server
//! at the hub.

pub mod setup;
pub mod subject;
