//! Stable names: the same input gives the same UUID on every machine and after every restart.

/// Returns a UUID computed from these words in their order: version 8 (RFC 9562, 5.8), from a 128-bit FNV-1a hash. It is not
/// cryptographic and hides nothing.
pub fn uuid_of_words(words: &[&str]) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let bytes = words.iter().flat_map(|word| word.bytes().chain([0xff]));
    let hash = bytes.fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let hash = hash & !(0xf << 76) | 8 << 76;
    let hash = hash & !(0x3 << 62) | 2 << 62;
    let hex = format!("{hash:032x}");
    let part = |range| hex.get(range).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0..8), part(8..12), part(12..16), part(16..20), part(20..32))
}
