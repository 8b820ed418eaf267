//! One gzip stream for each client, made of segments that are compressed once for all clients (RFC 1951, RFC 1952).
//!
//! A segment refers to no bytes before it and ends at a byte boundary, so segments in any order are a valid deflate stream. A
//! client therefore needs no compressor of its own, which would use a quarter of a megabyte: only the checksum of what it was sent.

use axum::body::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// The header: deflate, no name, no time, any system.
const HEADER: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// The last block of a deflate stream: it is empty.
const LAST_BLOCK: &[u8] = &[3, 0];

/// A part of a gzip stream.
pub(super) struct Segment {
    bytes: Bytes,
    checksum: Crc,
}

impl Segment {
    /// Compresses a part of a stream.
    pub(super) fn compress(text: &[u8]) -> Segment {
        let mut checksum = Crc::new();
        checksum.update(text);
        let mut compressor = Compress::new(Compression::default(), false);
        let mut bytes = Vec::with_capacity(text.len() / 3 + 64);
        loop {
            let rest = text.get(compressor.total_in() as usize..).unwrap_or_default();
            let status = compressor.compress_vec(rest, &mut bytes, FlushCompress::Sync);
            // With space left, everything was written. Compression from memory does not fail.
            if bytes.len() < bytes.capacity() || !matches!(status, Ok(Status::Ok)) {
                break;
            }
            bytes.reserve(bytes.len().max(64));
        }
        Segment { bytes: bytes.into(), checksum }
    }
}

/// The gzip stream of one client.
#[derive(Default)]
pub(super) struct GzipStream {
    checksum: Crc,
}

impl GzipStream {
    /// Begins a stream with this segment; returns its first bytes.
    pub(super) fn begin(&mut self, first: &Segment) -> Bytes {
        [HEADER, &self.append(first)].concat().into()
    }

    /// Appends a segment; returns its bytes.
    pub(super) fn append(&mut self, segment: &Segment) -> Bytes {
        self.checksum.combine(&segment.checksum);
        segment.bytes.clone()
    }

    /// Ends the stream; returns its last bytes.
    pub(super) fn end(&self) -> Bytes {
        [LAST_BLOCK, &self.checksum.sum().to_le_bytes(), &self.checksum.amount().to_le_bytes()].concat().into()
    }
}

/// Compresses a complete body.
pub(super) fn gzip(text: &[u8]) -> Bytes {
    let mut stream = GzipStream::default();
    [stream.begin(&Segment::compress(text)), stream.end()].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn gunzip(bytes: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(bytes).read_to_end(&mut text).expect("a complete stream with its checksum");
        text
    }

    #[test]
    fn clients_that_receive_different_segments_decompress_what_they_were_sent() {
        let cards = "{\"board\":\"b_1\"}\n".repeat(5_000);
        // Incompressible, so that the output is longer than the input.
        let noise: Vec<u8> = (0..70_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let texts = [cards.as_bytes(), b"change", b"", &noise, b"x"];
        let segments = texts.map(Segment::compress);
        for order in [&[0_usize, 1, 2, 3, 4][..], &[1, 4, 4], &[3], &[2, 0, 3, 0]] {
            let (mut stream, mut bytes, mut expected) = (GzipStream::default(), Vec::new(), Vec::new());
            for (index, segment) in order.iter().enumerate() {
                let one = &segments[*segment];
                bytes.extend_from_slice(&if index == 0 { stream.begin(one) } else { stream.append(one) });
                expected.extend_from_slice(texts[*segment]);
                // Everything that was sent can be decompressed before anything follows.
                let mut read = vec![0; expected.len()];
                flate2::read::GzDecoder::new(&bytes[..]).read_exact(&mut read).expect("a flushed segment");
                assert!(read == expected);
            }
            bytes.extend_from_slice(&stream.end());
            assert!(gunzip(&bytes) == expected);
        }
        assert!(gunzip(&gzip(cards.as_bytes())) == cards.as_bytes());
    }
}
