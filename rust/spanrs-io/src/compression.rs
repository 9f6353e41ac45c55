//! Decompression of gzip and zstd.
//!
//! Compression is recognised by the first bytes of the data and never by the name of the file, so
//! that standard input and renamed files work. Decompression is streamed: a reader of lines or
//! chunks holds no more than its own buffer, whatever the size of the expanded data.

use std::io::{Cursor, Read};

/// A stream of bytes, compressed or not. It is moved to the thread that reads.
pub type Input = Box<dyn Read + Send>;

/// First bytes of a gzip member (RFC 1952, ID1 and ID2).
const GZIP: &[u8] = &[0x1F, 0x8B];
/// First bytes of a zstd frame (RFC 8878, magic number 0xFD2FB528, little endian).
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// Returns true where the data begins as gzip or zstd does; at least the first four bytes are
/// needed.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || bytes.starts_with(ZSTD)
}

/// Wraps an input in a decompressor if its first bytes are those of gzip or zstd; other inputs are
/// passed on unchanged.
///
/// At most four bytes are read ahead and put back in front. All members of a gzip file and all
/// frames of a zstd file are read, as files that were concatenated have several.
///
/// # Errors
/// Those of reading the first bytes. Damaged data is reported later, by reading from the returned
/// input.
pub(crate) fn decompress(mut input: Input) -> std::io::Result<Input> {
    let mut head = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut head)?;
    let (gzip, zstd) = (head.starts_with(GZIP), head.starts_with(ZSTD));
    let whole = Cursor::new(head).chain(input);
    Ok(if gzip {
        Box::new(flate2::read::MultiGzDecoder::new(whole))
    } else if zstd {
        Box::new(zstd::stream::read::Decoder::new(whole)?)
    } else {
        Box::new(whole)
    })
}
