//! Sentence borders: positions after blank lines at which a column file can be cut into parts.
//!
//! Gold and pred are cut at borders with the same number. If both files have the same sentences,
//! these borders are at the same place in the corpus, although their byte offsets differ with the
//! lengths of the tags. First the borders of gold are sampled about every mebibyte
//! ([`sample_borders`]); then the border with the same number is located in pred ([`find_border`]).
//!
//! ```text
//! offset  line            number
//! 0       0    EU B-ORG   0  (beginning of the file)
//! 9       1
//! 10      2    says O     1
//! ```
//!
//! Only empty lines (`\n`, `\r\n`) count as borders. For the reader, lines of spaces and tabs also
//! end sentences, but not every sentence end has to be a possible cut. Finding borders takes one
//! pass over the bytes with a search for two consecutive line feeds, and memory for one chunk of
//! 256 KiB.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter};
use spanrs_base::{Limits, Position};

use crate::compression::Input;
use crate::compression::is_compressed;
use crate::error::{Error, Result};
use crate::lines::LineReader;
use crate::source::open_file;

/// Minimum number of bytes between two borders that [`sample_borders`] returns.
const STEP: u64 = 1 << 20;
/// Number of bytes read at a time.
const CHUNK: usize = 256 << 10;

/// The beginning of a non-blank line that follows a blank line, where a sentence may begin. The
/// default is the beginning of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentenceBorder {
    /// Number of bytes before the border in the stored file.
    pub offset: u64,
    /// Number of lines before the border; the line at the border has number `line + 1`.
    pub line: u64,
    /// Number of the border, from 1; 0 for the beginning of the file.
    pub number: u64,
}

/// Returns the beginning of the file and a sentence border about every mebibyte, ascending. The
/// scan ends at the first border at or after the offset `until`.
///
/// Returns None for compressed files, which cannot be read from the middle, and if `go_on`, which
/// is called before every chunk, returns false.
///
/// # Errors
/// [`crate::Code::Io`].
///
/// # Examples
/// ```
/// let path = std::env::temp_dir().join(format!("spanrs-borders-{}", std::process::id()));
/// std::fs::write(&path, "a O\n\n".repeat(500_000)).unwrap();
/// let borders = spanrs_io::sample_borders(&path, u64::MAX, || true).unwrap().unwrap();
/// assert_eq!(borders.len(), 3);
/// assert_eq!((borders[1].offset, borders[1].number), (1_048_580, 209_716));
/// std::fs::remove_file(&path).unwrap();
/// ```
pub fn sample_borders(
    path: &Path,
    until: u64,
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
        border.offset < until
    };
    let whole = scan(file, SentenceBorder::default(), keep, go_on).map_err(failed)?;
    Ok(whole.then_some(kept))
}

/// Returns the border with the given number, or None if the file has fewer borders. The search
/// starts at `from`, an earlier border or the border itself.
///
/// # Errors
/// [`crate::Code::Io`].
///
/// # Examples
/// ```
/// use spanrs_io::{SentenceBorder, find_border};
/// let path = std::env::temp_dir().join(format!("spanrs-border-{}", std::process::id()));
/// std::fs::write(&path, "EU B-ORG\n\nsays O\n").unwrap();
/// let border = find_border(&path, SentenceBorder::default(), 1).unwrap();
/// assert_eq!(border, Some(SentenceBorder { offset: 10, line: 2, number: 1 }));
/// std::fs::remove_file(&path).unwrap();
/// ```
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

/// Opens the lines of a part of a file, numbered as in the whole file. The part ends at `end` or at
/// the end of the file. Only a part at the beginning of the file may be compressed or have a byte
/// order mark.
///
/// # Errors
/// [`crate::Code::Io`], and the errors of [`LineReader::new`].
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
    let source: Input = match end {
        Some(end) => Box::new(file.take(end.offset - start.offset)),
        None => Box::new(file),
    };
    if start.offset == 0 {
        return LineReader::new(&name, source, limits);
    }
    LineReader::part(&name, source, limits, start.line)
}

/// Calls `each` with every border after `from` until `each` returns false. `source` must be
/// positioned at `from`. Returns false if `go_on`, which is called before every chunk, ended the
/// scan.
///
/// Searching for pairs of line feeds is many times faster than splitting the file into lines.
/// Single bytes are inspected only in chunks with carriage returns, at the beginning of a chunk
/// whose predecessor ends with a line feed, and within runs of blank lines. `state` carries the
/// line state from one chunk to the next, so the borders do not depend on the sizes of the reads; a
/// test compares the borders with those found line by line.
///
/// Line feeds are counted in bulk, up to each border and to the end of each chunk.
fn scan(
    mut source: impl Read,
    from: SentenceBorder,
    mut each: impl FnMut(SentenceBorder) -> bool,
    mut go_on: impl FnMut() -> bool,
) -> std::io::Result<bool> {
    let pairs = Finder::new(b"\n\n");
    let mut chunk = vec![0; CHUNK];
    let mut state = LineState::default();
    let mut border = from;
    let mut passed = from.offset;
    loop {
        if !go_on() {
            return Ok(false);
        }
        let filled = source.read(&mut chunk)?;
        if filled == 0 {
            return Ok(true);
        }
        let bytes = &chunk[..filled];
        let every_line = memchr(b'\r', bytes).is_some() || state.returned;
        let (mut at, mut counted) = (0, 0);
        while at < filled {
            let near_blank = state.blank_before || (state.empty && bytes[at] == b'\n');
            if !(every_line || near_blank) {
                let Some(pair) = pairs.find(&bytes[at..]) else {
                    state.empty = bytes[filled - 1] == b'\n';
                    break;
                };
                at += pair + 2;
                state = LineState::after_blank();
                continue;
            }
            if state.begins_sentence(bytes[at]) {
                border.line += memchr_iter(b'\n', &bytes[counted..at]).count() as u64;
                counted = at;
                border.number += 1;
                border.offset = passed + at as u64 - u64::from(state.returns_before);
                if !each(border) {
                    return Ok(true);
                }
            }
            state.step(bytes[at]);
            at += 1;
        }
        border.line += memchr_iter(b'\n', &bytes[counted..]).count() as u64;
        passed += filled as u64;
    }
}

/// Line state of a scan: a small automaton over line feeds, carriage returns and all other bytes.
///
/// At most one of `empty` and `returned` is true; if both are false, the current line has other
/// bytes.
///
/// | current line | `\n` | `\r` | other byte |
/// |---|---|---|---|
/// | empty | line is blank | becomes returned | begins a sentence if `blank_before` |
/// | returned | line is blank | begins a sentence if `blank_before` | begins a sentence if `blank_before` |
/// | other bytes | line is not blank | nothing | nothing |
///
/// After a line feed the current line is empty, and `blank_before` indicates whether the previous
/// line was blank.
#[derive(Clone, Copy, Debug)]
struct LineState {
    /// Whether the current line has no bytes so far.
    empty: bool,
    /// Whether the current line consists of a single carriage return so far.
    returned: bool,
    /// Whether the previous line is blank and the current line may be blank.
    blank_before: bool,
    /// Number of carriage returns (0 or 1) in the current line before the first byte that shows
    /// that the line is not blank. The border is before the carriage return.
    returns_before: u8,
}

impl Default for LineState {
    fn default() -> Self {
        Self {
            empty: true,
            returned: false,
            blank_before: false,
            returns_before: 0,
        }
    }
}

impl LineState {
    /// Returns the state after two consecutive line feeds: at the beginning of a line that follows
    /// a blank line.
    fn after_blank() -> Self {
        Self {
            blank_before: true,
            ..Self::default()
        }
    }

    /// Returns true if `byte` shows that the current line is not blank and the previous line is
    /// blank. Must be called before [`LineState::step`] with the same byte.
    fn begins_sentence(&mut self, byte: u8) -> bool {
        self.returns_before = u8::from(self.returned);
        let may_be_blank = self.empty || self.returned;
        let blank = byte == b'\n' || (self.empty && byte == b'\r');
        self.blank_before && may_be_blank && !blank
    }

    /// Advances the state by one byte.
    fn step(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.blank_before = self.empty || self.returned;
                (self.empty, self.returned) = (true, false);
            }
            b'\r' if self.empty => (self.empty, self.returned) = (false, true),
            _ => (self.empty, self.returned, self.blank_before) = (false, false, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the borders line by line.
    fn by_lines(text: &str) -> Vec<SentenceBorder> {
        let (mut found, mut border, mut blank_before) =
            (Vec::new(), SentenceBorder::default(), false);
        for line in text.split_inclusive('\n') {
            let blank = matches!(line, "\n" | "\r\n");
            if blank_before && !blank && line != "\r" {
                border.number += 1;
                found.push(border);
            }
            blank_before = blank;
            border.offset += line.len() as u64;
            border.line += 1;
        }
        found
    }

    /// A reader that returns a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            let (now, later) = self.0.split_at(n);
            buffer[..n].copy_from_slice(now);
            self.0 = later;
            Ok(n)
        }
    }

    #[test]
    fn borders_are_those_of_the_lines() {
        let mut rng = spanrs_base::Rng::new(5);
        for _ in 0..20_000 {
            let returns = rng.below(2);
            let text: String = (0..rng.below(24))
                .map(|_| ['\n', '\n', 'a', 'b', '\r'][rng.below(4 + returns) as usize])
                .collect();
            for step in [1, 2, 3, 7, 100] {
                let mut found = Vec::new();
                let keep = |border| {
                    found.push(border);
                    true
                };
                let source = Slow(text.as_bytes(), step);
                let whole = scan(source, SentenceBorder::default(), keep, || true);
                assert!(whole.is_ok_and(|whole| whole));
                assert_eq!(found, by_lines(&text), "{text:?} by {step}");
            }
        }
    }
}
