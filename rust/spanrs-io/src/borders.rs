//! Places where a column file can be cut into parts: behind blank lines.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memchr_iter;
use spanrs_base::{Limits, Position};

use crate::error::{Error, Result};
use crate::lines::{LineReader, Source};
use crate::open::{is_compressed, open_file};

/// Bytes between two borders that [`sample_borders`] keeps.
const STEP: u64 = 1 << 20;
const CHUNK: usize = 256 << 10;

/// The beginning of a line that follows a blank line: a sentence may begin there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentenceBorder {
    /// Bytes before it.
    pub offset: u64,
    /// Lines before it.
    pub line: u64,
    /// Number of borders up to it, from 1; 0 for the beginning of the file.
    pub number: u64,
}

/// The beginning of a file and a sentence border about every mebibyte; None for compressed files, and where `go_on`,
/// which is called for every chunk, returns false.
///
/// # Errors
/// [`crate::Code::Io`].
pub fn sample_borders(
    path: &Path,
    go_on: impl FnMut() -> bool,
) -> Result<Option<Vec<SentenceBorder>>> {
    let mut file = open_file(path)?;
    let failed = |error| Error::read(Position::file(&path.display().to_string()), error);
    let mut head = [0; 4];
    let filled = file.read(&mut head).map_err(failed)?;
    if is_compressed(&head[..filled]) {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut kept = vec![SentenceBorder::default()];
    let mut next = STEP;
    let keep = |border: SentenceBorder| {
        if border.offset >= next {
            kept.push(border);
            next = border.offset + STEP;
        }
        true
    };
    let whole = scan(file, SentenceBorder::default(), keep, go_on).map_err(failed)?;
    Ok(whole.then_some(kept))
}

/// The border with a number, found from an earlier border; None where the file has fewer.
///
/// # Errors
/// [`crate::Code::Io`].
pub fn find_border(
    path: &Path,
    from: SentenceBorder,
    number: u64,
) -> Result<Option<SentenceBorder>> {
    if from.number == number {
        return Ok(Some(from));
    }
    let failed = |error| Error::read(Position::file(&path.display().to_string()), error);
    let mut file = open_file(path)?;
    file.seek(SeekFrom::Start(from.offset)).map_err(failed)?;
    let mut found = None;
    let look = |border: SentenceBorder| {
        if border.number == number {
            found = Some(border);
        }
        found.is_none()
    };
    scan(file, from, look, || true).map_err(failed)?;
    Ok(found)
}

/// The lines of a part of a file, numbered as in the whole file. The part ends at `end`, or with the file.
///
/// # Errors
/// As [`LineReader::new`].
pub(crate) fn open_part(
    path: &Path,
    start: SentenceBorder,
    end: Option<SentenceBorder>,
    limits: Limits,
) -> Result<LineReader> {
    let mut file = open_file(path)?;
    let name = path.display().to_string();
    let failed = |error| Error::read(Position::file(&name), error);
    file.seek(SeekFrom::Start(start.offset)).map_err(failed)?;
    let source: Source = match end {
        Some(end) => Box::new(file.take(end.offset - start.offset)),
        None => Box::new(file),
    };
    if start.offset == 0 {
        return LineReader::new(&name, source, limits);
    }
    LineReader::part(&name, source, limits, start.line)
}

/// Calls `each` with every border after `from`, where `source` is, until it returns false. Returns false where `go_on`,
/// which is called for every chunk, ended the scan.
fn scan(
    mut source: impl Read,
    from: SentenceBorder,
    mut each: impl FnMut(SentenceBorder) -> bool,
    mut go_on: impl FnMut() -> bool,
) -> std::io::Result<bool> {
    let mut buffer = vec![0; CHUNK];
    let mut border = from;
    // Bytes of the current line in earlier chunks, of which at most the first one matters.
    let (mut begun, mut first) = (0_u64, 0);
    let mut blank_before = false;
    let mut passed = from.offset;
    loop {
        if !go_on() {
            return Ok(false);
        }
        let filled = source.read(&mut buffer)?;
        if filled == 0 {
            return Ok(true);
        }
        let mut start = 0;
        for end in memchr_iter(b'\n', &buffer[..filled]) {
            let length = begun + (end - start) as u64;
            let head = if begun > 0 { first } else { buffer[start] };
            let blank = length == 0 || (length == 1 && head == b'\r');
            if blank_before && !blank {
                border.number += 1;
                border.offset = passed + start as u64 - begun;
                if !each(border) {
                    return Ok(true);
                }
            }
            border.line += 1;
            blank_before = blank;
            start = end + 1;
            begun = 0;
        }
        if start < filled {
            if begun == 0 {
                first = buffer[start];
            }
            begun += (filled - start) as u64;
        }
        passed += filled as u64;
    }
}
