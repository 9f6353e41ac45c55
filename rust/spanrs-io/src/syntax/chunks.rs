use std::io::Read;
use std::path::Path;

use spanrs_base::Position;

use super::format::SyntaxFormat;
use crate::error::{Code, Error, Result};
use crate::lines::Source;
use crate::open::{decompress, open_file};

/// Bytes that are read at a time.
const CHUNK: usize = 4 << 20;
/// Longest sentence.
const LONGEST: usize = 1 << 30;

/// Whole sentences of a file.
#[derive(Debug)]
pub struct SyntaxChunk {
    /// Text that ends at the end of a sentence.
    pub text: Vec<u8>,
    /// Lines of the file before it.
    pub lines_before: u64,
}

/// Reads a file in chunks of whole sentences, in memory that does not grow with the file.
pub struct SyntaxChunks {
    path: String,
    source: Source,
    format: SyntaxFormat,
    /// What was read and not given out.
    pending: Vec<u8>,
    lines: u64,
    ended: bool,
}

impl SyntaxChunks {
    /// Opens a file, decompressing gzip and zstd; the format is recognised if it is not given.
    ///
    /// # Errors
    /// [`Code::Io`], [`Code::Compression`], and [`Code::WrongFormat`] where the format is not recognised.
    pub fn open(path: &Path, format: Option<SyntaxFormat>) -> Result<Self> {
        let file = open_file(path)?;
        Self::new(&path.display().to_string(), Box::new(file), format)
    }

    /// As [`SyntaxChunks::open`], of a stream.
    ///
    /// # Errors
    /// As [`SyntaxChunks::open`].
    pub fn new(path: &str, source: Source, format: Option<SyntaxFormat>) -> Result<Self> {
        let source =
            decompress(source).map_err(|error| Error::read(Position::file(path), error))?;
        let mut chunks = Self {
            path: path.to_owned(),
            source,
            format: format.unwrap_or(SyntaxFormat::Conllu),
            pending: Vec::new(),
            lines: 0,
            ended: false,
        };
        chunks.read_more()?;
        let head = &chunks.pending;
        let wrong = |code, message: &str| Err(Error::new(code, Position::line(path, 1), message));
        if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
            return wrong(Code::Encoding, "the file is UTF-16; convert it to UTF-8");
        }
        let head = &head[..head.len().min(1 << 16)];
        if head.contains(&0) {
            return wrong(Code::Nul, "a NUL byte: not a text file");
        }
        if format.is_none() {
            // The last line of the beginning may be cut off.
            let end = memchr::memrchr(b'\n', head).map_or(head.len(), |at| at + 1);
            let head = String::from_utf8_lossy(&head[..end]);
            chunks.format = SyntaxFormat::recognise(&head, path)?;
        }
        Ok(chunks)
    }

    /// The path or name of the source.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The format, given or recognised.
    pub fn format(&self) -> SyntaxFormat {
        self.format
    }

    fn read_more(&mut self) -> Result<()> {
        let before = self.pending.len();
        let result = self
            .source
            .by_ref()
            .take(CHUNK as u64)
            .read_to_end(&mut self.pending);
        result.map_err(|error| Error::read(Position::file(&self.path), error))?;
        self.ended = self.pending.len() < before + CHUNK;
        Ok(())
    }

    /// Whole sentences; None at the end of the file.
    ///
    /// # Errors
    /// [`Code::Io`], [`Code::Compression`], and [`Code::SentenceTooLong`].
    pub fn read(&mut self) -> Result<Option<SyntaxChunk>> {
        let mut end = None;
        while !self.ended {
            end = sentence_end(&self.pending, self.format);
            if end.is_some() {
                break;
            }
            if self.pending.len() > LONGEST {
                let position = Position::line(&self.path, self.lines + 1);
                let message =
                    "a sentence of more than 1 GiB; sentences are separated by empty lines";
                return Err(Error::new(Code::SentenceTooLong, position, message));
            }
            self.read_more()?;
        }
        if self.pending.is_empty() {
            return Ok(None);
        }
        let rest = self.pending.split_off(end.unwrap_or(self.pending.len()));
        let text = std::mem::replace(&mut self.pending, rest);
        if !self.ended && self.pending.len() < CHUNK {
            self.read_more()?;
        }
        let lines_before = self.lines;
        self.lines += memchr::memchr_iter(b'\n', &text).count() as u64;
        Ok(Some(SyntaxChunk { text, lines_before }))
    }
}

/// One past the last end of a sentence in a text.
fn sentence_end(text: &[u8], format: SyntaxFormat) -> Option<usize> {
    let mut end = memchr::memrchr(b'\n', text)? + 1;
    if matches!(format, SyntaxFormat::WordTag | SyntaxFormat::Tokens) {
        return Some(end);
    }
    // The last empty line.
    loop {
        let start = memchr::memrchr(b'\n', &text[..end - 1]).map_or(0, |at| at + 1);
        if text[start..end].iter().all(u8::is_ascii_whitespace) {
            return Some(end);
        }
        if start == 0 {
            return None;
        }
        end = start;
    }
}

impl SyntaxChunk {
    /// Splits into at most `parts` chunks of similar size, of whole sentences each.
    pub fn split(&self, parts: usize, format: SyntaxFormat) -> Vec<SyntaxPart<'_>> {
        let mut all = Vec::with_capacity(parts);
        let (mut start, mut lines_before) = (0, self.lines_before);
        for part in 1..=parts {
            let wanted = self.text.len() * part / parts;
            let end = match part == parts {
                true => self.text.len(),
                false => {
                    start + sentence_end(&self.text[start..wanted.max(start)], format).unwrap_or(0)
                }
            };
            if end > start {
                let text = &self.text[start..end];
                all.push(SyntaxPart { text, lines_before });
                lines_before += memchr::memchr_iter(b'\n', text).count() as u64;
                start = end;
            }
        }
        all
    }
}

/// A part of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct SyntaxPart<'a> {
    /// Text of whole sentences.
    pub text: &'a [u8],
    /// Lines of the file before it.
    pub lines_before: u64,
}
