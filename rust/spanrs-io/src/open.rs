//! Opening files and taking off compression.
//!
//! Compression is recognised by the first bytes of the data and never by the name of the file, so
//! that standard input and renamed files work. Decompression is streamed: a reader of lines or
//! chunks holds no more than its own buffer, whatever the size of the expanded data.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use spanrs_base::{Limits, Position};

use crate::error::{Error, Result};
use crate::lines::{LineReader, Source};

/// First bytes of a gzip member (RFC 1952, ID1 and ID2).
const GZIP: &[u8] = &[0x1F, 0x8B];
/// First bytes of a zstd frame (RFC 8878, magic number 0xFD2FB528, little endian).
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// Opens a file for reading lines, decompressing gzip and zstd.
///
/// # Errors
/// [`crate::Code::Io`] where the operating system refuses or the path is a directory; then as
/// [`LineReader::new`].
///
/// # Examples
/// ```
/// let error = spanrs_io::open("/no/such/file".as_ref(), Default::default()).err().unwrap();
/// assert_eq!(error.code, spanrs_io::Code::Io);
/// assert_eq!(error.to_string(), "/no/such/file: no such file");
/// ```
pub fn open(path: &Path, limits: Limits) -> Result<LineReader> {
    let file = open_file(path)?;
    let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut lines = LineReader::new(&path.display().to_string(), Box::new(file), limits)?;
    lines.regular_file = is_regular.then(|| path.to_owned());
    Ok(lines)
}

/// Opens a file that is not a directory. Opening a directory succeeds on Unix, and only reading
/// from it would fail.
///
/// # Errors
/// [`crate::Code::Io`] with the path as place.
pub(crate) fn open_file(path: &Path) -> Result<File> {
    let failed = |error| Error::open(Position::file(&path.display().to_string()), error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// Returns true where the data begins as gzip or zstd does; at least the first four bytes are
/// needed.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || bytes.starts_with(ZSTD)
}

/// Wraps a source in a decompressor if its first bytes are those of gzip or zstd; other sources are
/// passed on unchanged.
///
/// At most four bytes are read ahead and put back in front. All members of a gzip file and all
/// frames of a zstd file are read, as files that were concatenated have several.
///
/// # Errors
/// Those of reading the first bytes. Damaged data is reported later, by reading from the returned
/// source.
pub(crate) fn decompress(mut source: Source) -> std::io::Result<Source> {
    let mut head = Vec::with_capacity(4);
    source.by_ref().take(4).read_to_end(&mut head)?;
    let (gzip, zstd) = (head.starts_with(GZIP), head.starts_with(ZSTD));
    let whole = Cursor::new(head).chain(source);
    Ok(if gzip {
        Box::new(flate2::read::MultiGzDecoder::new(whole))
    } else if zstd {
        Box::new(zstd::stream::read::Decoder::new(whole)?)
    } else {
        Box::new(whole)
    })
}
