//! How long the battery of a board lasts, judged by how its charge has fallen so far.

use crate::boards::{Battery, Millis};

/// Smallest fall of the charge from which a rate is derived, in percent.
const MIN_FALL: u8 = 3;
/// Shortest time from which a rate is derived, in milliseconds.
const MIN_TIME: Millis = 5 * 60_000;
/// Longest time between two readings during which the board counts as switched on, in milliseconds.
const MAX_INTERVAL: Millis = 30 * 60_000;
/// A rise of the charge up to this is noise, in percent.
const NOISE: u8 = 1;

/// The charge of a battery while it is discharged.
#[derive(Clone, Debug, Default)]
pub(super) struct BatteryTrend {
    /// The first reading since the battery was charged, or since the board was switched on.
    first: Option<(Millis, u8)>,
    /// The last reading.
    last: (Millis, u8),
}

impl BatteryTrend {
    /// Takes a reading, and returns the minutes until the battery is empty, if that is known by now.
    pub(super) fn minutes_left(&mut self, now: Millis, battery: Battery) -> Option<u32> {
        let (last_at, last) = std::mem::replace(&mut self.last, (now, battery.percent));
        let goes_on = battery.charging != Some(true)
            && battery.percent <= last.saturating_add(NOISE)
            && now <= last_at.saturating_add(MAX_INTERVAL);
        let (since, from) = *match &mut self.first {
            Some(first) if goes_on => first,
            first => first.insert((now, battery.percent)),
        };
        let (fall, time) = (from.saturating_sub(battery.percent), now.saturating_sub(since));
        if fall < MIN_FALL || time < MIN_TIME {
            return None;
        }
        let left = time.saturating_mul(Millis::from(battery.percent)) / Millis::from(fall);
        u32::try_from(left / 60_000).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Millis = 60_000;

    fn check(readings: &[(Millis, u8, Option<bool>)], expect: Option<u32>) {
        let mut trend = BatteryTrend::default();
        let minutes = readings
            .iter()
            .map(|&(minute, percent, charging)| trend.minutes_left(minute * MINUTE, Battery { percent, charging }));
        assert_eq!(minutes.last().flatten(), expect, "{readings:?}");
    }

    #[test]
    fn the_time_left_follows_from_the_rate() {
        check(&[(0, 20, None), (10, 16, None), (20, 12, None), (30, 8, None)], Some(20));
        // Too short, or too little.
        check(&[(0, 8, None)], None);
        check(&[(0, 20, None), (4, 8, None)], None);
        check(&[(0, 10, None), (20, 8, None)], None);
        // A charger was plugged in; the board was switched off.
        check(&[(0, 20, None), (10, 9, Some(false)), (20, 12, Some(true)), (30, 11, Some(false))], None);
        check(&[(0, 20, None), (10, 9, None), (20, 60, None), (30, 59, None)], None);
        check(&[(0, 20, None), (500, 8, None)], None);
        // Noise.
        check(&[(0, 20, None), (10, 15, None), (20, 16, None), (30, 10, None)], Some(30));
        check(&[(0, 20, None), (20, 0, None)], Some(0));
    }
}
