//! Stable ids: the same input gives the same UUID on every machine and after every restart.

/// Returns a UUID computed from these texts in their order, each ended by the byte `end`: version 8 (RFC 9562, 5.8), from a 128-bit
/// FNV-1a hash. It is not cryptographic and hides nothing.
pub(crate) fn stable_id(texts: &[&str], end: u8) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([end]));
    let hash = bytes.fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    uuid::Builder::from_custom_bytes(hash.to_be_bytes()).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::stable_id;

    /// Clients keep these ids.
    #[test]
    fn ids_of_earlier_versions_stay() {
        assert_eq!(stable_id(&["tournament", "Open", "Hall"], 0xff), "8e9ef2be-6d78-83ab-9fbb-03ffe6c95a88");
        assert_eq!(stable_id(&["", "Hall"], 0), "d204c3f9-d63c-84bf-adc5-d86ed4e11b74");
    }
}
