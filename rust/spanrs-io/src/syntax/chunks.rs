//! Blocks of whole sentences, read from a stream in bounded memory.

use std::io::Read;

use spanrs_base::Position;

use super::format::SyntaxFormat;
use crate::binary_formats::binary_format;
use crate::compression::{Input, decompress};
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Number of bytes read at a time.
const CHUNK: usize = 4 << 20;
/// Maximum number of bytes of text without the end of a sentence.
const LONGEST: usize = 1 << 30;

/// Number of bytes of raw text without a blank line after which a line end, or without line ends a space, also ends a
/// block.
const LONG_PARAGRAPH: usize = 64 << 20;

/// A block of whole sentences of a file, or a part of a block, which borrows its text.
#[derive(Clone, Copy, Debug)]
pub struct SyntaxChunk<T = Vec<u8>> {
    /// Text that ends at the end of a sentence or of the file. Not yet validated as UTF-8.
    pub text: T,
    /// Number of lines of the file before the block, for line numbers in errors.
    pub lines_before: u64,
    /// Whether this is the first block of the file that has more than white space.
    pub starts_document: bool,
    /// Number of blocks before this one in the same paragraph of raw text; 0 for a block that begins a paragraph.
    pub continues: u64,
}

impl<T> SyntaxChunk<T> {
    /// Returns a block that is a whole file.
    pub fn whole(text: T) -> Self {
        Self {
            text,
            lines_before: 0,
            starts_document: true,
            continues: 0,
        }
    }
}

/// Reads a file in blocks of whole sentences, with memory independent of the size of the file.
///
/// The reader is used by one thread; the blocks can be sent to other threads.
///
/// ```
/// use spanrs_io::{Source, SyntaxChunks, SyntaxReader, SyntaxSentence};
/// let text = "They/PRP ate/VBD\nNo/UH\n";
/// let source = Source::stream("example", Box::new(text.as_bytes()));
/// let mut chunks = SyntaxChunks::open(&source, None).unwrap();
/// let chunk = chunks.read().unwrap().unwrap();
/// let mut reader = SyntaxReader::new(&chunk.text, chunks.format(), "example", 0).unwrap();
/// let mut sentence = SyntaxSentence::default();
/// assert!(reader.read(&mut sentence).unwrap());
/// assert_eq!((sentence.words[1].form(), sentence.words[1].xpos()), ("ate", "VBD"));
/// assert!(chunks.read().unwrap().is_none());
/// ```
pub struct SyntaxChunks {
    /// Name in messages.
    path: String,
    /// The rest of the file, decompressed.
    source: Input,
    /// The format, which determines where sentences end.
    format: SyntaxFormat,
    /// Text that has been read but not returned; begins at the beginning of a sentence.
    pending: Vec<u8>,
    /// Number of lines returned.
    lines: u64,
    /// Whether the source has ended.
    ended: bool,
    /// Whether a block with more than white space has been returned.
    started: bool,
    /// Number of blocks returned of the paragraph that the next block continues.
    continued: u64,
}

impl SyntaxChunks {
    /// Opens a source, decompressing gzip and zstd. If no format is given, it is recognised from
    /// the first 64 KiB.
    ///
    /// # Errors
    /// [`Code::Io`], [`Code::Compression`]; [`Code::Encoding`] for UTF-16 and [`Code::Nul`] for a
    /// NUL byte within the first 64 KiB; [`Code::WrongFormat`] if the format is not recognised.
    pub fn open(source: &Source, format: Option<SyntaxFormat>) -> Result<Self> {
        Self::open_with(source, format, SyntaxFormat::recognise)
    }

    /// Opens a source as [`SyntaxChunks::open`] does; a format that is not given may also be
    /// recognised as raw text.
    ///
    /// # Errors
    /// Same as [`SyntaxChunks::open`].
    pub fn open_or_raw(source: &Source, format: Option<SyntaxFormat>) -> Result<Self> {
        Self::open_with(source, format, SyntaxFormat::recognise_or_raw)
    }

    /// Opens a source with a function that recognises the format.
    fn open_with(
        source: &Source,
        format: Option<SyntaxFormat>,
        recognise: fn(&str, &str) -> Result<SyntaxFormat>,
    ) -> Result<Self> {
        let (path, source) = (source.name(), source.open()?);
        let source =
            decompress(source).map_err(|error| Error::read(Position::file(path), error))?;
        let mut chunks = Self {
            path: path.to_owned(),
            source,
            format: format.unwrap_or(SyntaxFormat::Conllu),
            pending: Vec::new(),
            lines: 0,
            ended: false,
            started: false,
            continued: 0,
        };
        chunks.read_more()?;
        let head = &chunks.pending;
        let wrong = |code, message: &str| Err(Error::new(code, Position::line(path, 1), message));
        if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
            return wrong(Code::Encoding, "the file is UTF-16; convert it to UTF-8");
        }
        if let Some(message) = binary_format(head) {
            return wrong(Code::Nul, message);
        }
        let head = &head[..head.len().min(1 << 16)];
        if head.contains(&0) {
            return wrong(Code::Nul, "a NUL byte: not a text file");
        }
        if format == Some(SyntaxFormat::Raw) && is_conllu(head) {
            return wrong(
                Code::WrongFormat,
                "this is CoNLL-U, not raw text; omit --format and --lines",
            );
        }
        if format.is_none() {
            // The last line of the beginning may be truncated.
            let end = memchr::memrchr(b'\n', head).map_or(head.len(), |at| at + 1);
            let head = String::from_utf8_lossy(&head[..end]);
            chunks.format = recognise(&head, path)?;
        }
        Ok(chunks)
    }

    /// Returns the path or name of the source.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the format, given or recognised.
    pub fn format(&self) -> SyntaxFormat {
        self.format
    }

    /// Appends up to [`CHUNK`] bytes to the pending text; fewer bytes mean that the source has
    /// ended.
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

    /// Reads the next block of whole sentences; None at the end of the file. Blocks have about 4 to
    /// 8 MiB, unless a sentence is longer; the last block may be shorter and need not end with a
    /// line end.
    ///
    /// # Errors
    /// [`Code::Io`], [`Code::Compression`], and [`Code::SentenceTooLong`] for more than 1 GiB
    /// without the end of a sentence.
    pub fn read(&mut self) -> Result<Option<SyntaxChunk>> {
        let (mut end, mut is_cut) = (None, false);
        while !self.ended {
            end = sentence_end(&self.pending, self.format);
            if end.is_none()
                && self.format == SyntaxFormat::Raw
                && self.pending.len() > LONG_PARAGRAPH
            {
                let space = || memchr::memrchr(b' ', &self.pending).map(|at| at + 1);
                end = line_end(&self.pending).or_else(space);
                is_cut = end.is_some();
            }
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
        let starts_document = !self.started && !text.trim_ascii().is_empty();
        self.started |= starts_document;
        let continues = self.continued;
        self.continued = if is_cut { continues + 1 } else { 0 };
        Ok(Some(SyntaxChunk {
            text,
            lines_before,
            starts_document,
            continues,
        }))
    }
}

/// Returns true if the first line that is not a comment has the ten columns of CoNLL-U.
fn is_conllu(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    first.is_some_and(|line| {
        line.starts_with(b"1") && line.split(|byte| *byte == b'\t').count() == 10
    })
}

/// Returns the offset after the last complete sentence in a text: after the last line feed if a
/// sentence is a line, otherwise after the last blank line. None if there is no such position. A
/// line of spaces and tabs is also blank.
///
/// The text is searched from its end, so time is usually proportional to the length of one
/// sentence.
///
/// | text | CoNLL-U | tokens |
/// |---|---|---|
/// | `a b\nc d\n\ne` | 9 | 9 |
/// | `a b\nc d\ne` | none | 8 |
/// | `a b` | none | none |
fn sentence_end(text: &[u8], format: SyntaxFormat) -> Option<usize> {
    let mut end = line_end(text)?;
    if matches!(format, SyntaxFormat::WordTag | SyntaxFormat::Tokens) {
        return Some(end);
    }
    // Search backwards for the last blank line.
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

/// Returns the offset after the last line feed.
fn line_end(text: &[u8]) -> Option<usize> {
    Some(memchr::memrchr(b'\n', text)? + 1)
}

impl<T: AsRef<[u8]>> SyntaxChunk<T> {
    /// Splits the block into at most `parts` parts of similar size, each of whole sentences;
    /// `parts` is at least 1.
    ///
    /// The parts are consecutive without gaps. A part ends at the last sentence end at or before an
    /// even share, so the result depends only on the text and on `parts`. Fewer parts are returned
    /// if there are fewer sentences.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::{SyntaxChunk, SyntaxFormat};
    /// let whole = SyntaxChunk::whole(b"a b\nc\nd e f\n".to_vec());
    /// let chunk = SyntaxChunk { lines_before: 7, ..whole };
    /// let parts = chunk.split(2, SyntaxFormat::Tokens);
    /// assert_eq!(parts[0].text, b"a b\nc\n");
    /// assert_eq!((parts[1].text, parts[1].lines_before), (&b"d e f\n"[..], 9));
    /// ```
    pub fn split(&self, parts: usize, format: SyntaxFormat) -> Vec<SyntaxChunk<&[u8]>> {
        let whole = self.text.as_ref();
        let mut all = Vec::with_capacity(parts);
        let (mut start, mut lines_before) = (0, self.lines_before);
        for part in 1..=parts {
            let wanted = whole.len() * part / parts;
            let end = match part == parts {
                true => whole.len(),
                false => {
                    start + sentence_end(&whole[start..wanted.max(start)], format).unwrap_or(0)
                }
            };
            if end > start {
                let text = &whole[start..end];
                let is_first = start == 0;
                all.push(SyntaxChunk {
                    text,
                    lines_before,
                    starts_document: is_first && self.starts_document,
                    continues: if is_first { self.continues } else { 0 },
                });
                lines_before += memchr::memchr_iter(b'\n', text).count() as u64;
                start = end;
            }
        }
        all
    }
}
