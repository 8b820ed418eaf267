//! How strongly a device is received.

/// How strongly a device is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignalStrength {
    /// Connections often fail.
    Weak,
    /// In between.
    Fair,
    /// As in the same room.
    Strong,
}

/// Strength at or below which a connection often fails, in dBm.
const WEAK_DBM: i16 = -85;
/// Strength from which a device is near, in dBm.
const STRONG_DBM: i16 = -65;

impl SignalStrength {
    /// Returns the strength of a device that is received with this power, in dBm.
    pub fn from_dbm(rssi: i16) -> SignalStrength {
        match rssi {
            ..=WEAK_DBM => SignalStrength::Weak,
            STRONG_DBM.. => SignalStrength::Strong,
            _ => SignalStrength::Fair,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_have_limits() {
        let strengths = [-120, -85, -84, -66, -65, 4].map(SignalStrength::from_dbm);
        let [weak, fair, strong] = [SignalStrength::Weak, SignalStrength::Fair, SignalStrength::Strong];
        assert_eq!(strengths, [weak, weak, fair, fair, strong, strong]);
    }
}
