//! Column files: one token per line, a blank line after each sentence (CoNLL 2000, 2002, 2003,
//! WNUT, CoNLL-U).
//!
//! The layout is detected from the first token line (`sniff`), and each line is classified
//! according to that layout. Ordinary token lines are recognised by their whitespace positions
//! alone; all other lines are classified by `ColumnReader::classify`.

use std::ops::Range;

use memchr::memchr_iter;

use crate::blanks::{is_space, trimmed};
use crate::conllu;
use crate::csv::is_tag;
use crate::error::{Code, Error, Result};
use crate::layers::unread_layers;
use crate::layout::{Columns, Comments, Layout, Place, is_conllu};
use crate::lines::{LineReader, LineShape};
use crate::running_numbers::tokens_are_numbers;
use crate::sniff::sniff;

mod extra;
mod fields;
mod follow;
mod keys;
mod ordinary;
mod parts;

use fields::{Field, split_at, split_whitespace};
pub use follow::{SameLine, SameLines};
use ordinary::ordinary_shape;
pub use parts::ColumnLayout;

/// Kind of a line, as returned by [`ColumnReader::next_line`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A token with its tags.
    Token,
    /// An empty line or a line of spaces and tabs; it ends the sentence.
    Blank,
    /// A line that begins a document: `-DOCSTART-` in the first field, or a comment that begins
    /// with `# newdoc`.
    Document,
    /// A comment; in CoNLL-U also a line with a multiword token or an empty node.
    Comment,
}

/// Event for readers of sentences, as returned by [`ColumnReader::next_event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A token, available from [`ColumnReader::token`], [`ColumnReader::tag`] and
    /// [`ColumnReader::second`].
    Token,
    /// A sentence with at least one token has ended. Also reported at the end of the file.
    Sentence,
    /// A document begins.
    Document,
}

/// Reader of the rows of a column file.
///
/// The fields of the last line are available until the next line is read.
///
/// ```
/// use spanrs_io::{ColumnReader, Columns, Event, LineReader};
/// let source = Box::new(&b"-DOCSTART- O\n\nEU B-ORG\n"[..]);
/// let lines = LineReader::new("example", source, Default::default()).unwrap();
/// let mut rows = ColumnReader::new(lines, Columns::default()).unwrap();
/// let events = std::iter::from_fn(|| rows.next_event().unwrap());
/// assert_eq!(events.collect::<Vec<_>>(), [Event::Document, Event::Token, Event::Sentence]);
/// ```
pub struct ColumnReader {
    lines: LineReader,
    options: Columns,
    layout: Layout,
    /// The extra columns that are read.
    extra: Vec<Place>,
    /// Shape of ordinary token lines; None if every line must be classified.
    ordinary: Option<LineShape>,
    /// Maximum number of tokens in a sentence.
    max_tokens: usize,
    /// Range of the last line in the buffer, with its line end.
    whole: Range<usize>,
    /// Fields of the last token line.
    fields: Vec<Field>,
    /// Number of tokens read so far in the current sentence.
    tokens: usize,
    /// Whether a document line has ended a sentence; the sentence is reported first, then the
    /// document.
    pending_document: bool,
    /// Whether a token has been read.
    any: bool,
    unread_layers: Vec<usize>,
    tokens_are_numbers: bool,
    /// Whether any word of a CoNLL-U file has had the key of the tag, of the second tag and of the
    /// token, in this order.
    keys_found: [bool; 3],
    /// Whether a file in which no word has the key of the tag is accepted.
    key_may_lack: bool,
    /// Keys in MISC of the first words, for messages.
    misc_keys: Vec<String>,
}

impl ColumnReader {
    /// Creates a reader of the rows of `lines`. The layout is detected from the first token line.
    ///
    /// # Errors
    /// [`Code::Empty`] for a file without token lines at its beginning; [`Code::NoColumn`],
    /// [`Code::WrongFormat`] and [`Code::Ragged`] if no layout fits; and the errors of
    /// [`LineReader::new`].
    pub fn new(mut lines: LineReader, options: Columns) -> Result<Self> {
        let layout = loop {
            match sniff(&lines, &options) {
                // Blank lines and comments may be longer than the first chunk.
                Err(error) if error.code == Code::Empty => {
                    if !lines.look_further()? {
                        return Err(error);
                    }
                }
                layout => break layout?,
            }
        };
        let ordinary = ordinary_shape(&lines, &layout, &options.comments);
        let unread_layers = unread_layers(lines.ahead(), &layout);
        let tokens_are_numbers = tokens_are_numbers(lines.ahead(), &layout);
        let misc_keys = match layout.conllu.is_some() {
            true => conllu::misc_keys(lines.ahead()),
            false => Vec::new(),
        };
        Ok(Self {
            ordinary,
            max_tokens: lines.limits().sentence_tokens,
            lines,
            options,
            layout,
            extra: Vec::new(),
            whole: 0..0,
            fields: Vec::new(),
            tokens: 0,
            pending_document: false,
            any: false,
            unread_layers,
            tokens_are_numbers,
            keys_found: [false; 3],
            key_may_lack: false,
            misc_keys,
        })
    }

    /// Returns the file name as given by the caller.
    pub fn path(&self) -> &str {
        self.lines.path()
    }

    /// Returns the number of the last line read, from 1.
    #[inline]
    pub fn line(&self) -> u64 {
        self.lines.line()
    }

    /// Returns the number of bytes read so far, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.lines.bytes_read()
    }

    /// Returns the last line with its line end. The line and all of its fields are valid UTF-8
    /// without NUL.
    pub fn whole(&self) -> &[u8] {
        self.lines.bytes(self.whole.clone())
    }

    /// Returns the detected layout.
    pub(crate) fn layout_found(&self) -> &Layout {
        &self.layout
    }

    /// Returns the fields of the last token line, as ranges of the buffer.
    #[inline(always)]
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the range of the last line in the buffer, without its line end.
    pub(crate) fn line_range(&self) -> Range<usize> {
        let start = self.whole.start;
        start..start + trimmed(self.whole()).len()
    }

    /// Returns the offset of the next line in the buffer.
    #[inline(always)]
    pub(crate) fn next_offset(&self) -> usize {
        self.lines.next_offset()
    }

    /// Returns true if reading the next line moves the buffer; the line then begins at offset 0.
    #[inline(always)]
    pub(crate) fn is_at_end_of_buffer(&self) -> bool {
        self.lines.ahead().is_empty()
    }

    /// Returns a range of the buffer. Ranges are valid until the next line is read.
    pub fn buffered(&self, range: Range<usize>) -> &[u8] {
        self.lines.bytes(range)
    }

    /// Returns a field of the last token line; empty if there is no such column.
    #[inline(always)]
    fn field(&self, column: usize) -> &[u8] {
        match self.fields.get(column) {
            Some(&(start, end)) => self.lines.bytes(start as usize..end as usize),
            None => &[],
        }
    }

    /// Returns false for a file with a single column, which contains only tags.
    pub fn has_tokens(&self) -> bool {
        self.layout.token != usize::MAX
    }

    /// Returns the token of the last token line; empty in a file with a single column, `_` if a
    /// CoNLL-U line specifies none.
    #[inline(always)]
    pub fn token(&self) -> &[u8] {
        let field = self.field(self.layout.token);
        match &self.layout.conllu {
            None => field,
            Some(keys) => conllu::token(field, keys.token.as_deref()),
        }
    }

    /// Returns the token as text.
    pub fn token_text(&self) -> &str {
        // The lines were validated when they were read, so the default is never used.
        std::str::from_utf8(self.token()).unwrap_or_default()
    }

    /// Returns the tag of the last token line; `O` if a CoNLL-U line specifies none.
    #[inline(always)]
    pub fn tag(&self) -> &[u8] {
        let field = self.field(self.layout.tag);
        match &self.layout.conllu {
            None => field,
            Some(keys) => conllu::tag(field, keys.tag.as_deref()),
        }
    }

    /// Returns the byte order mark before the first line; empty if there is none.
    pub fn byte_order_mark(&self) -> &'static [u8] {
        self.lines.byte_order_mark()
    }

    /// Returns true if the file is CoNLL-U.
    pub fn is_conllu(&self) -> bool {
        self.layout.conllu.is_some()
    }

    /// Returns the range of the tag in [`ColumnReader::whole`]; None if a CoNLL-U line specifies
    /// none.
    pub fn tag_place(&self) -> Option<Range<usize>> {
        let &(start, end) = self.fields.get(self.layout.tag)?;
        let start = start as usize - self.whole.start;
        let end = end as usize - self.whole.start;
        let Some(keys) = &self.layout.conllu else {
            return Some(start..end);
        };
        let place = conllu::tag_place(self.field(self.layout.tag), keys.tag.as_deref())?;
        Some(start + place.start..start + place.end)
    }

    /// Returns the columns, from 0, that contain tags of the same types as the tag column in the
    /// first lines of the file, such as layers of nested annotations.
    pub fn unread_layers(&self) -> &[usize] {
        &self.unread_layers
    }

    /// Returns true if the token column contains running numbers (1, 2, 3, ...) in the first lines.
    pub fn tokens_are_numbers(&self) -> bool {
        self.tokens_are_numbers
    }

    /// Returns the column of the tokens, from 0; None in a file that contains only tags.
    pub fn token_column(&self) -> Option<usize> {
        self.has_tokens().then_some(self.layout.token)
    }

    /// Returns the column of the tags, from 0.
    pub fn tag_column(&self) -> usize {
        self.layout.tag
    }

    /// Returns true if the requested second column is neither the token column nor the tag column.
    /// In CoNLL-U, keys of MISC count as separate columns.
    pub fn has_second(&self) -> bool {
        let Layout {
            token, tag, second, ..
        } = self.layout;
        match &self.layout.conllu {
            Some(keys) if keys.second.is_some() => {
                keys.second != keys.token && keys.second != keys.tag
            }
            _ => ![token, tag].contains(&second),
        }
    }

    /// Returns the second tag of the last token line.
    #[inline(always)]
    pub fn second(&self) -> &[u8] {
        let field = self.field(self.layout.second);
        match &self.layout.conllu {
            None => field,
            Some(keys) => conllu::tag(field, keys.second.as_deref()),
        }
    }

    /// Reads the next line and returns its kind; None at the end of the file.
    ///
    /// # Errors
    /// [`Code::Ragged`], [`Code::SentenceTooLong`] and the errors of [`LineReader::new`]; at the
    /// end of the file, [`Code::Empty`] if the file has no tokens and [`Code::NoColumn`] if no word
    /// has a requested key.
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<LineKind>> {
        let kind = if self.take_ordinary() {
            LineKind::Token
        } else {
            let Some((whole, whitespace)) = self.lines.next_line()? else {
                // The last line is no longer available, and the buffer may have moved.
                self.whole = 0..0;
                return self.end();
            };
            self.whole = whole;
            self.classify(whitespace)?
        };
        match kind {
            LineKind::Token => {
                self.tokens += 1;
                if self.tokens > self.max_tokens {
                    return Err(self.sentence_too_long());
                }
            }
            LineKind::Blank | LineKind::Document => {
                self.any |= self.tokens > 0;
                self.tokens = 0;
            }
            LineKind::Comment => {}
        }
        Ok(Some(kind))
    }

    /// Reads the next line if it is an ordinary token line, as nearly all lines are.
    #[inline(always)]
    fn take_ordinary(&mut self) -> bool {
        let Some(shape) = self.ordinary else {
            return false;
        };
        let Some((whole, whitespace)) = self.lines.next_ordinary(shape) else {
            return false;
        };
        let mut begin = whole.start as u32;
        self.fields.clear();
        for &at in self.lines.whitespace(whitespace) {
            self.fields.push((begin, at));
            begin = at + 1;
        }
        self.whole = whole;
        true
    }

    #[cold]
    fn sentence_too_long(&self) -> Error {
        let message = format!("the sentence has more than {} tokens", self.tokens - 1);
        Error::new(Code::SentenceTooLong, self.lines.position(), message)
    }

    /// Reads to the next token, end of a sentence or beginning of a document; None at the end of
    /// the file.
    ///
    /// # Errors
    /// Same as [`ColumnReader::next_line`].
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event>> {
        if std::mem::take(&mut self.pending_document) {
            return Ok(Some(Event::Document));
        }
        loop {
            let open = self.tokens > 0;
            match self.next_line()? {
                Some(LineKind::Token) => return Ok(Some(Event::Token)),
                Some(LineKind::Blank) if open => return Ok(Some(Event::Sentence)),
                Some(LineKind::Document) => {
                    self.pending_document = open;
                    return Ok(Some(if open {
                        Event::Sentence
                    } else {
                        Event::Document
                    }));
                }
                Some(LineKind::Blank | LineKind::Comment) => {}
                None => {
                    self.any = true;
                    self.tokens = 0;
                    return Ok(open.then_some(Event::Sentence));
                }
            }
        }
    }

    /// Splits the last line into fields and returns the kind of the line; `whitespace` is the index
    /// range of its whitespace positions.
    #[inline]
    fn classify(&mut self, whitespace: Range<usize>) -> Result<LineKind> {
        let line = trimmed(self.lines.bytes(self.whole.clone()));
        if let Comments::Prefix(prefix) = &self.options.comments
            && line.starts_with(prefix.as_bytes())
        {
            return Ok(comment(line));
        }
        if line.is_empty() || is_space(line[0]) && line.iter().all(|&b| is_space(b)) {
            return Ok(LineKind::Blank);
        }
        if line[0] == b'#'
            && self.tokens == 0
            && self.options.comments == Comments::Auto
            && (self.is_conllu() || is_conllu(line))
        {
            return Ok(comment(line));
        }
        let (start, end) = (self.whole.start, self.whole.start + line.len());
        let fields = &mut self.fields;
        fields.clear();
        let lines = &self.lines;
        let blanks = lines.whitespace(whitespace).iter().map(|&at| at as usize);
        match self.layout.byte {
            None => split_whitespace(lines, start..end, blanks, fields),
            Some(byte) if byte <= b' ' => {
                let cuts = blanks.filter(|&at| lines.bytes(at..at + 1)[0] == byte);
                split_at(start..end, cuts, fields);
            }
            Some(byte) => {
                split_at(
                    start..end,
                    memchr_iter(byte, line).map(|at| start + at),
                    fields,
                );
            }
        }
        if line[0] == b'-' && self.field(0) == b"-DOCSTART-" {
            return Ok(LineKind::Document);
        }
        if self.fields.len() != self.layout.columns || line[0] == b'#' && self.has_gap() {
            return self.odd_line();
        }
        if self.layout.conllu.is_some() {
            return self.conllu_line();
        }
        Ok(LineKind::Token)
    }

    /// Returns true if the line has no tag and an empty field that is not empty in the first token
    /// line, as in GermEval's headings: `#`, an address, a date, an empty field.
    #[cold]
    fn has_gap(&self) -> bool {
        let is_gap =
            |(at, (start, end)): (usize, &Field)| start == end && !self.layout.empty.contains(&at);
        self.options.comments == Comments::Auto
            && self.tokens == 0
            && !is_tag(self.tag())
            && self.fields.iter().enumerate().any(is_gap)
    }

    /// Returns the kind of a line with an unexpected number of columns: a comment, or the error
    /// [`Code::Ragged`].
    #[cold]
    fn odd_line(&self) -> Result<LineKind> {
        let line = trimmed(self.whole());
        if self.options.comments == Comments::Auto && self.tokens == 0 && line.starts_with(b"#") {
            return Ok(comment(line));
        }
        let (n, columns) = (self.fields.len(), self.layout.columns);
        let message = format!(
            "{n} column{} where the first token line has {columns}; separator: {}{}",
            if n == 1 { "" } else { "s" },
            match self.layout.byte {
                Some(b'\t') => "tab".to_owned(),
                Some(byte) => format!("{:?}", char::from(byte)),
                None => "white space".to_owned(),
            },
            match self.layout.byte {
                Some(b',' | b';') if line.contains(&b'"') =>
                    "; CSV quotation marks are not supported; separate columns with tabs",
                _ => "",
            }
        );
        Err(Error::new(Code::Ragged, self.lines.position(), message))
    }
}

/// Returns the kind of a comment, which may begin a document.
fn comment(line: &[u8]) -> LineKind {
    if line.starts_with(b"# newdoc") {
        LineKind::Document
    } else {
        LineKind::Comment
    }
}
