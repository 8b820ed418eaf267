//! The metrics with their types and help texts.

/// The type of a metric in Prometheus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A value that goes up and down.
    Gauge,
    /// A count since touchmoved was started.
    Counter,
    /// Cumulative counts of values up to each bucket's upper bound.
    Histogram,
}

/// Each metric with its type and help text, in the order of the output.
pub const METRICS: [(&str, MetricKind, &str); 22] = [
    ("touchmove_info", MetricKind::Gauge, "The version of touchmoved; always 1."),
    (
        "touchmove_board_state",
        MetricKind::Gauge,
        "1 for the current state of the connection to a board, 0 for the other states.",
    ),
    ("touchmove_board_frames_total", MetricKind::Counter, "Messages from a board that its protocol defines; with a token."),
    (
        "touchmove_board_bytes_total",
        MetricKind::Counter,
        "Bytes read from a board or written to it, by direction; with a token.",
    ),
    ("touchmove_board_errors_total", MetricKind::Counter, "Messages from a board that its protocol does not define."),
    ("touchmove_board_losses_total", MetricKind::Counter, "How often the link to a board was lost."),
    ("touchmove_board_battery_percent", MetricKind::Gauge, "Charge of the battery of a board that reports it; with a token."),
    ("touchmove_games_total", MetricKind::Counter, "Games that started; without a token only public games."),
    ("touchmove_moves_total", MetricKind::Counter, "Moves that were published as made; without a token only in public."),
    ("touchmove_corrections_total", MetricKind::Counter, "Corrections of published moves; without a token only in public."),
    (
        "touchmove_alerts_total",
        MetricKind::Counter,
        "Alerts that were raised, by kind; with a token, those that its role is told of.",
    ),
    (
        "touchmove_alerts",
        MetricKind::Gauge,
        "Alerts that are open in the game on a board; with a token, those that its role is told of.",
    ),
    (
        "touchmove_trouble",
        MetricKind::Gauge,
        "Current health problems of the service, by kind; with a token also those that reveal play.",
    ),
    (
        "touchmove_publication_delay_seconds",
        MetricKind::Histogram,
        "Time from an event to its publication, by stream: broadcast, and with a token live.",
    ),
    ("touchmove_configured_delay_seconds", MetricKind::Gauge, "Delay of everything that is public."),
    ("touchmove_configured_delay_plies", MetricKind::Gauge, "Plies that must follow a move before the move is public."),
    ("touchmove_machine_up", MetricKind::Gauge, "1 for a machine of the hall that is there, 0 for others; with a token."),
    ("touchmove_machine_heard_seconds", MetricKind::Gauge, "Time since a machine of the hall was last heard; with a token."),
    (
        "touchmove_machine_unsent_events",
        MetricKind::Gauge,
        "Events of a machine of the hall that are not on disk at the hub; with a token.",
    ),
    ("touchmove_machine_free_bytes", MetricKind::Gauge, "Free disk space of a machine of the hall; with a token."),
    (
        "touchmove_machine_temperature_celsius",
        MetricKind::Gauge,
        "Temperature of the processor of a machine of the hall; with a token.",
    ),
    (
        "touchmove_machine_clock_offset_seconds",
        MetricKind::Gauge,
        "How far the clock of a machine of the hall is ahead of the hub's; with a token.",
    ),
];
