use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use spanrs_base::{Limits, Position};

use crate::error::{Error, Result};
use crate::lines::{LineReader, Source};

const GZIP: &[u8] = &[0x1F, 0x8B];
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// Opens a file for reading lines, decompressing gzip and zstd.
///
/// # Errors
/// [`crate::Code::Io`] where the system refuses, among them a directory; then as [`LineReader::new`].
pub fn open(path: &Path, limits: Limits) -> Result<LineReader> {
    let file = open_file(path)?;
    LineReader::new(&path.display().to_string(), Box::new(file), limits)
}

/// Opens a file that is no directory.
pub(crate) fn open_file(path: &Path) -> Result<File> {
    let failed = |error| Error::open(Position::file(&path.display().to_string()), error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// True where the first bytes say gzip or zstd.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP) || bytes.starts_with(ZSTD)
}

/// The source with gzip or zstd taken off, as its first bytes tell; names and endings do not matter, so
/// that standard input and renamed files work.
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
