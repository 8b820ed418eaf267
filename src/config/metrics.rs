//! Configuration of the metrics: see `publish::metrics`.

use super::key::{Key, Table, key, text};

/// The table `[metrics]`.
pub(super) static TABLE: Table = Table {
    name: "metrics",
    about: "Metrics of boards and games for Prometheus, on this machine only. Every user of this machine reads them with the delay\n\
            of [broadcast]; a client with a token of `touchmovectl token create` reads them live, alerts included. Grafana shows\n\
            them with /usr/share/doc/touchmove/grafana.json.",
    keys: KEYS,
};

const KEYS: &[Key] = &[key(
    "listen",
    text("a loopback address and a port, such as \"127.0.0.1:9482\", or \"\"", is_loopback),
    Some("\"\""),
    "\"127.0.0.1:9482\"",
    "The address at which http://ADDRESS:PORT/metrics is served. If omitted: none.",
)];

fn is_loopback(text: &str) -> bool {
    text.is_empty() || text.parse().is_ok_and(|address: std::net::SocketAddr| address.ip().is_loopback())
}
