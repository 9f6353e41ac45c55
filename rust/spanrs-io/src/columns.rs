//! Column files: one token on a line, a blank line after each sentence (CoNLL 2000, 2002, 2003,
//! WNUT, CoNLL-U).
//!
//! The layout is found at the first token line (`sniff`), and each line is classified against it.
//! Ordinary token lines are taken by their whitespace positions alone; all others go through
//! `ColumnReader::classify`.

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

/// Kind of a line, as [`ColumnReader::next_line`] reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A token with its tags.
    Token,
    /// Nothing but spaces and tabs, or nothing: the sentence ends.
    Blank,
    /// Begins a document: `-DOCSTART-` in the first field, or a comment that begins with `#
    /// newdoc`.
    Document,
    /// A comment; in CoNLL-U also the line of a multiword token or an empty node.
    Comment,
}

/// What a reader of sentences needs to know, as [`ColumnReader::next_event`] reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A token: [`ColumnReader::token`], [`ColumnReader::tag`] and [`ColumnReader::second`] hold it.
    Token,
    /// A sentence with at least one token has ended. Reported at the end of the file too.
    Sentence,
    /// A document begins.
    Document,
}

/// Reader of the rows of a column file.
///
/// The fields of the last line are held until the next line is read.
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
    /// Shape of ordinary token lines; None if every line has to be looked at.
    ordinary: Option<LineShape>,
    /// Number of tokens that a sentence may have.
    max_tokens: usize,
    /// The last line in the buffer, with its line end.
    whole: Range<usize>,
    /// Fields of the last token line.
    fields: Vec<Field>,
    /// Number of tokens of the current sentence so far.
    tokens: usize,
    /// A document line ended a sentence: the sentence is reported first.
    pending_document: bool,
    /// The file is known to have a token.
    any: bool,
    unread_layers: Vec<usize>,
    tokens_are_numbers: bool,
    /// Whether a word of CoNLL-U had the keys of the tag, the second tag and the token.
    keys_found: [bool; 3],
    /// A file in which no word has the key of the tag is accepted.
    key_may_lack: bool,
    /// Keys of MISC of the first words, for messages.
    misc_keys: Vec<String>,
}

impl ColumnReader {
    /// Creates a reader of the rows of `lines`. The layout is taken from the first token line.
    ///
    /// # Errors
    /// [`Code::Empty`] for a file without token lines at its beginning; [`Code::NoColumn`],
    /// [`Code::WrongFormat`] and [`Code::Ragged`] where no layout fits; those of
    /// [`LineReader::new`].
    pub fn new(mut lines: LineReader, options: Columns) -> Result<Self> {
        let layout = loop {
            match sniff(&lines, &options) {
                // There may be blank lines and comments for longer than the first chunk.
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

    /// Returns the file's name as given.
    pub fn path(&self) -> &str {
        self.lines.path()
    }

    /// Returns the number of the line read last, from 1.
    #[inline]
    pub fn line(&self) -> u64 {
        self.lines.line()
    }

    /// Returns the number of bytes read so far, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.lines.bytes_read()
    }

    /// Returns the last line with its line end; valid UTF-8 without NUL, like everything that is
    /// cut from it.
    pub fn whole(&self) -> &[u8] {
        self.lines.bytes(self.whole.clone())
    }

    /// Returns the layout that was found.
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

    /// Returns true if the buffer is moved when the next line is read, which then begins at offset
    /// 0.
    #[inline(always)]
    pub(crate) fn is_at_end_of_buffer(&self) -> bool {
        self.lines.ahead().is_empty()
    }

    /// Returns a range of the buffer that was handed out, while no further line is read.
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

    /// Returns false for a file of one column, which holds tags alone.
    pub fn has_tokens(&self) -> bool {
        self.layout.token != usize::MAX
    }

    /// Returns the token of the last token line; empty in a file of one column, `_` where CoNLL-U
    /// does not specify one.
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
        // The lines were checked when they were read, so nothing is ever replaced by "".
        std::str::from_utf8(self.token()).unwrap_or_default()
    }

    /// Returns the tag of the last token line; `O` where CoNLL-U does not specify one.
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

    /// Returns true for CoNLL-U.
    pub fn is_conllu(&self) -> bool {
        self.layout.conllu.is_some()
    }

    /// Returns the range of the tag in [`ColumnReader::whole`]; None where CoNLL-U does not specify
    /// one.
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

    /// Returns the columns, from 0, with tags of the same types as the column that is read, such as
    /// layers of nested annotations, found in the first lines of the file.
    pub fn unread_layers(&self) -> &[usize] {
        &self.unread_layers
    }

    /// Returns true if the first lines have running numbers (1, 2, 3, ...) in the column that is
    /// read as tokens.
    pub fn tokens_are_numbers(&self) -> bool {
        self.tokens_are_numbers
    }

    /// Returns the column of the tokens, from 0; None in a file of tags alone.
    pub fn token_column(&self) -> Option<usize> {
        self.has_tokens().then_some(self.layout.token)
    }

    /// Returns the column of the tags, from 0.
    pub fn tag_column(&self) -> usize {
        self.layout.tag
    }

    /// Returns true if the second column, which must have been asked for, is neither that of the
    /// tokens nor that of the tags. In CoNLL-U, keys of MISC are columns of their own.
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

    /// Reads the next line and returns its kind; None at the end.
    ///
    /// # Errors
    /// [`Code::Ragged`], [`Code::SentenceTooLong`], those of [`LineReader::new`]; at the end of the
    /// file [`Code::Empty`] if it has no tokens, [`Code::NoColumn`] if no word has the key asked
    /// for.
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<LineKind>> {
        let kind = if self.take_ordinary() {
            LineKind::Token
        } else {
            let Some((whole, whitespace)) = self.lines.next_line()? else {
                // There is no last line any more, and the buffer may have moved.
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

    /// Takes the next line if it is an ordinary token line, as nearly all are.
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

    /// Reads on to the next token, end of a sentence or beginning of a document; None at the end.
    ///
    /// # Errors
    /// As [`ColumnReader::next_line`].
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

    /// Splits the last line into fields and returns its kind; `whitespace` is the index range of
    /// its whitespace positions.
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

    /// Returns true if there is no tag and a field is empty that is not empty in the first token
    /// line, as in GermEval's headings: `#`, an address, a date, nothing.
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
                    "; quotation marks of CSV are not supported, write tabs between columns",
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
