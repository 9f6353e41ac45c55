//! Decompression of gzip and zstd.
//!
//! Compression is detected from the first bytes of the data and never from the file name, so that
//! standard input and renamed files work. Decompression is streamed: a reader of lines or chunks
//! needs no memory beyond its own buffer, whatever the size of the decompressed data.

use std::io::{Cursor, Error, Read, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spanrs_base::Limits;

/// A stream of bytes, compressed or not, which can be moved to the reading thread.
pub type Input = Box<dyn Read + Send>;

/// First bytes of a gzip member (RFC 1952, ID1 and ID2).
const GZIP: &[u8] = &[0x1F, 0x8B];
/// First bytes of a zstd frame (RFC 8878, magic number 0xFD2FB528, little endian).
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// Returns true if the data begins with a gzip or zstd header; `bytes` must contain at least the
/// first four bytes.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    Compression::of(bytes).is_some()
}

/// Wraps an input in a decompressor if it begins with a gzip or zstd header; other inputs are
/// returned unchanged.
///
/// At most four bytes are read ahead and then prepended again. All members of a gzip file and all
/// frames of a zstd file are read, because concatenated files have several.
///
/// # Errors
/// Errors of reading the first bytes. Damaged data is reported later, when the returned input is
/// read.
pub(crate) fn decompress(input: Input) -> Result<Input> {
    let (compression, input) = recognise(input)?;
    match compression {
        Some(compression) => compression.decoder(input),
        None => Ok(input),
    }
}

/// Same as [`decompress`], but rejects data that expands to more than `expansion` times its
/// compressed size and to more than [`Limits::EXPANSION_FREE`] bytes. `size` is the number of
/// compressed bytes, if known; otherwise the number of compressed bytes read so far is used.
///
/// # Errors
/// Same as [`decompress`]. Reading from the returned input fails with [`TooExpanded`] at the limit.
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

/// A supported compression format.
enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// Detects the compression format from the first four bytes of the data.
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
    #[cfg(feature = "compression")]
    fn decoder(self, input: Input) -> Result<Input> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(input)),
            Self::Zstd => Box::new(zstd::stream::read::Decoder::new(input)?),
        })
    }

    /// Refuses a compressed input.
    #[cfg(not(feature = "compression"))]
    fn decoder(self, _: Input) -> Result<Input> {
        let name = match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        };
        let message = format!(
            "the file is compressed with {name}: decompress it, or enable the feature \"compression\" of spanrs"
        );
        Err(Error::new(std::io::ErrorKind::Unsupported, message))
    }
}

/// Detects the compression format of an input; returns the format and the input, positioned at its
/// beginning.
fn recognise(mut input: Input) -> Result<(Option<Compression>, Input)> {
    let mut head = Vec::with_capacity(4);
    input.by_ref().take(4).read_to_end(&mut head)?;
    let compression = Compression::of(&head);
    Ok((compression, Box::new(Cursor::new(head).chain(input))))
}

/// Error: decompression stopped at the limit.
#[derive(Debug, thiserror::Error)]
#[error(
    "the compressed data expands more than {0} times, the limit; raise the limit (--max_expansion), or \
     decompress the file if you trust it"
)]
pub(crate) struct TooExpanded(u64);

/// An input that counts the bytes read.
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

/// Decompressed data with a limit on the ratio of decompressed to compressed bytes.
struct Expanding {
    /// The decompressed data.
    input: Input,
    /// Number of compressed bytes.
    compressed: Arc<AtomicU64>,
    /// Number of decompressed bytes read.
    expanded: u64,
    /// Maximum ratio of decompressed to compressed bytes.
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
