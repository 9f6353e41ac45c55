//! Decompression of gzip and zstd.
//!
//! Compression is recognised by the first bytes of the data and never by the name of the file, so
//! that standard input and renamed files work. Decompression is streamed: a reader of lines or
//! chunks holds no more than its own buffer, whatever the size of the expanded data.

use std::io::{Cursor, Error, Read, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spanrs_base::Limits;

/// A stream of bytes, compressed or not. It is moved to the thread that reads.
pub type Input = Box<dyn Read + Send>;

/// First bytes of a gzip member (RFC 1952, ID1 and ID2).
const GZIP: &[u8] = &[0x1F, 0x8B];
/// First bytes of a zstd frame (RFC 8878, magic number 0xFD2FB528, little endian).
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// Returns true where the data begins as gzip or zstd does; at least the first four bytes are
/// needed.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    Compression::of(bytes).is_some()
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
pub(crate) fn decompress(input: Input) -> Result<Input> {
    let (compression, input) = recognise(input)?;
    match compression {
        Some(compression) => compression.decoder(input),
        None => Ok(input),
    }
}

/// Decompresses as [`decompress`], and refuses data that expands more than `expansion` times and
/// beyond [`Limits::EXPANSION_FREE`]. `size` is the number of compressed bytes if it is known;
/// otherwise those that were read so far count.
///
/// # Errors
/// As [`decompress`]. Reading from the returned input fails with [`TooExpanded`] at the limit.
pub(crate) fn decompress_within(
    input: Input,
    size: Option<u64>,
    expansion: usize,
) -> Result<Input> {
    let (compression, input) = recognise(input)?;
    let Some(compression) = compression else {
        return Ok(input);
    };
    let compressed = Arc::new(AtomicU64::new(size.unwrap_or_default()));
    let counted: Input = match size {
        Some(_) => input,
        None => Box::new(Counted {
            input,
            bytes: Arc::clone(&compressed),
        }),
    };
    Ok(Box::new(Expanding {
        input: compression.decoder(counted)?,
        compressed,
        expanded: 0,
        most: expansion as u64,
    }))
}

/// A compression that is recognised.
enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// Returns the compression whose data begins with these bytes, of which four are needed.
    fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(GZIP) {
            Some(Self::Gzip)
        } else if head.starts_with(ZSTD) {
            Some(Self::Zstd)
        } else {
            None
        }
    }

    /// Wraps a compressed input in its decompressor.
    fn decoder(self, input: Input) -> Result<Input> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(input)),
            Self::Zstd => Box::new(zstd::stream::read::Decoder::new(input)?),
        })
    }
}

/// Returns the compression that the first bytes of an input show, and the input from its beginning.
fn recognise(mut input: Input) -> Result<(Option<Compression>, Input)> {
    let mut head = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut head)?;
    let compression = Compression::of(&head);
    Ok((compression, Box::new(Cursor::new(head).chain(input))))
}

/// Why decompression ended at a limit.
#[derive(Debug, thiserror::Error)]
#[error(
    "the compressed data expands more than {0} times, the limit; raise it (--max_expansion), or \
     decompress the file if it is trusted"
)]
pub(crate) struct TooExpanded(u64);

/// An input whose bytes are counted.
struct Counted {
    input: Input,
    bytes: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.input.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Decompressed data, which must not be too many times as long as the compressed data.
struct Expanding {
    /// The decompressed data.
    input: Input,
    /// Number of compressed bytes.
    compressed: Arc<AtomicU64>,
    /// Number of decompressed bytes that were read.
    expanded: u64,
    /// Maximum ratio of the two.
    most: u64,
}

impl Read for Expanding {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.input.read(buffer)?;
        self.expanded += read as u64;
        let compressed = self.compressed.load(Ordering::Relaxed);
        let most = compressed.saturating_mul(self.most);
        if self.expanded > most.max(Limits::EXPANSION_FREE as u64) {
            return Err(Error::other(TooExpanded(self.most)));
        }
        Ok(read)
    }
}
