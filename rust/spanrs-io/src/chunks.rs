//! Reading of column files in chunks of whole sentences.
//!
//! A chunk contains the unchanged bytes of consecutive lines and the byte ranges of the selected
//! fields, so that a job can read sentences or write the same bytes with some fields replaced
//! ([`crate::Edits`]). The concatenation of all chunks is the file, including its byte order mark.
//!
//! ```text
//! # id = 1         bytes of chunk 0, sentence 0
//! EU B-ORG
//! rejects O
//!                  ends sentence 0
//! -DOCSTART- O     begins a document, sentence 1
//! ```

use std::ops::Range;

use spanrs_base::{Lines, Position};

use crate::blanks::is_space;
use crate::columns::{ColumnReader, LineKind};
use crate::conllu;
use crate::edits::Edits;
use crate::error::{Code, Error, Result};
use crate::layout::{Layout, Place};

/// Number of tokens after which a chunk ends, at the end of the sentence.
const TOKENS: usize = 1 << 14;
/// Number of bytes after which a chunk ends, at the end of the sentence, whatever the number of
/// tokens.
const BYTES: usize = 1 << 20;

/// Maximum number of bytes of an unfinished sentence: positions in a chunk are 32 bits wide, and up
/// to one buffer of the reader may be added.
const MAX_BYTES: usize = 1 << 31;

/// A byte range of a chunk, empty for a column that the file does not have.
type Field = (u32, u32);

/// Fields to store for each token in addition to its tag and the extra columns
/// ([`ColumnReader::add_column`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Select {
    /// The token.
    pub token: bool,
    /// The second tag.
    pub second: bool,
    /// The whole line.
    pub line: bool,
}

/// Reader of a column file in chunks of whole sentences. Buffers are reused for all chunks.
///
/// ```
/// use spanrs_io::{ColumnReader, Columns, LineReader, Select};
/// let text = "-DOCSTART- O\n\nEU B-ORG\nrejects O\n\nRio B-LOC\n";
/// let lines = LineReader::new("example", Box::new(text.as_bytes()), Default::default()).unwrap();
/// let rows = ColumnReader::new(lines, Columns::default()).unwrap();
/// let mut chunks = rows.chunks(Select::TOKEN);
/// let chunk = chunks.next().unwrap().unwrap();
/// let sentences: Vec<_> = chunk.sentences().collect();
/// assert_eq!((sentences.len(), sentences[0].len()), (2, 2));
/// assert_eq!((sentences[1].token(0), sentences[1].tag(0)), (&b"Rio"[..], &b"B-LOC"[..]));
/// assert_eq!((sentences[1].line(0), sentences[0].document()), (6, Some("-DOCSTART- O\n")));
/// assert_eq!(chunk.bytes(), text.as_bytes());
/// assert!(chunks.next().unwrap().is_none());
/// ```
pub struct ColumnChunks {
    rows: ColumnReader,
    /// Columns whose fields are stored for each token, in the order of `slots`.
    columns: Vec<usize>,
    slots: Slots,
    /// Number of tokens after which a chunk ends, at the end of the sentence.
    most: usize,
    /// The byte order mark, until it has been moved to the first chunk.
    byte_order_mark: Vec<u8>,
    bytes: Vec<u8>,
    /// Fields of all tokens, `slots.width` each.
    fields: Vec<Field>,
    lines: Lines,
    /// End of each sentence, in tokens.
    ends: Vec<u32>,
    /// Index of each sentence before which a document begins, with the end of its document line in
    /// `document_lines`. A sentence has at most one document line.
    documents: Vec<(u32, usize)>,
    document_lines: String,
    /// The error that follows the sentences of the last chunk.
    failed: Option<Error>,
}

/// Positions of the fields of a token in `fields`, relative to its first field.
#[derive(Clone, Copy, Debug, Default)]
struct Slots {
    /// Number of fields per token. The tag is the first field.
    width: usize,
    token: Option<usize>,
    second: Option<usize>,
    line: Option<usize>,
    /// The first extra column.
    extra: usize,
}

impl Select {
    /// Selects tokens (tags are always read).
    pub const TOKEN: Self = Self {
        token: true,
        second: false,
        line: false,
    };
}

impl ColumnReader {
    /// Reads the rest of the file in chunks; `select` chooses the fields to store for each token.
    pub fn chunks(self, select: Select) -> ColumnChunks {
        self.chunks_of(select, TOKENS)
    }

    /// Same as [`ColumnReader::chunks`], with chunks that end after `tokens` tokens. For tests of
    /// chunk ends.
    pub fn chunks_of(self, select: Select, tokens: usize) -> ColumnChunks {
        let layout = self.layout_found();
        let mut columns = vec![layout.tag];
        let mut slot = |wanted: bool, column: usize| {
            wanted.then(|| {
                columns.push(column);
                columns.len() - 1
            })
        };
        let token = slot(select.token, layout.token);
        let second = slot(select.second, layout.second);
        let extra = columns.len();
        columns.extend(self.extra_places().iter().map(|place| place.column));
        let slots = Slots {
            token,
            second,
            extra,
            line: select.line.then_some(columns.len()),
            width: columns.len() + usize::from(select.line),
        };
        ColumnChunks {
            columns,
            slots,
            most: tokens,
            byte_order_mark: self.byte_order_mark().to_vec(),
            bytes: Vec::new(),
            fields: Vec::new(),
            lines: Lines::default(),
            ends: Vec::new(),
            documents: Vec::new(),
            document_lines: String::new(),
            failed: None,
            rows: self,
        }
    }
}

impl ColumnChunks {
    /// Returns the underlying row reader, which provides properties of the file.
    pub fn rows(&self) -> &ColumnReader {
        &self.rows
    }

    /// Reads the next chunk; None at the end of the file. A chunk ends at the end of a sentence or
    /// of the file and has about 16,384 tokens, or about 1 MiB if lines are long.
    ///
    /// # Errors
    /// Same as [`ColumnReader::next_line`]. The sentences before an error are returned first.
    #[allow(clippy::should_implement_trait)] // A chunk borrows from the reader.
    pub fn next(&mut self) -> Result<Option<Chunk<'_>>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.begin();
        let result = self.fill();
        if let Err(error) = result {
            // The unfinished sentence is not returned.
            let tokens = self.ends.last().map_or(0, |&end| end as usize);
            self.fields.truncate(tokens * self.slots.width);
            if self.ends.is_empty() {
                return Err(error);
            }
            self.failed = Some(error);
        }
        let is_empty = self.bytes.is_empty();
        Ok((!is_empty).then_some(Chunk {
            bytes: &self.bytes,
            fields: &self.fields,
            slots: self.slots,
            lines: &self.lines,
            ends: &self.ends,
            documents: &self.documents,
            document_lines: &self.document_lines,
            layout: self.rows.layout_found(),
            extra: self.rows.extra_places(),
        }))
    }

    /// Clears the last chunk. A document line after its last sentence belongs to the next chunk.
    fn begin(&mut self) {
        let behind = match self.documents.last() {
            Some(&(sentence, _)) => sentence as usize == self.ends.len(),
            None => false,
        };
        let start = match self.documents.len().checked_sub(2) {
            Some(before) => self.documents[before].1,
            None => 0,
        };
        self.documents.clear();
        if behind {
            self.document_lines.drain(..start);
            self.documents.push((0, self.document_lines.len()));
        } else {
            self.document_lines.clear();
        }
        self.fields.clear();
        self.lines.clear();
        self.ends.clear();
        self.bytes.clear();
        self.bytes.append(&mut self.byte_order_mark);
    }

    /// Reads lines until the chunk is full.
    ///
    /// Lines are copied from the buffer of the reader in runs: at the end of the chunk, and before
    /// the reader moves its buffer. `from` is the offset in the buffer of the first byte that has
    /// not been copied.
    fn fill(&mut self) -> Result<()> {
        let mut from = self.rows.next_offset();
        let mut open = 0;
        loop {
            if self.rows.is_at_end_of_buffer() {
                self.copy_from(from);
                from = 0;
                if self.bytes.len() > MAX_BYTES {
                    let message = "the sentence has more than 2 GiB";
                    let place = Position::line(self.rows.path(), self.rows.line());
                    return Err(Error::new(Code::SentenceTooLong, place, message));
                }
            }
            let kind = match self.rows.next_line() {
                Ok(Some(kind)) => kind,
                Ok(None) => {
                    if open > 0 {
                        self.end_sentence();
                    }
                    return Ok(());
                }
                Err(error) => {
                    self.copy_from(from);
                    return Err(error);
                }
            };
            match kind {
                LineKind::Token => {
                    self.push_token(from);
                    open += 1;
                    continue;
                }
                LineKind::Comment => continue,
                LineKind::Blank | LineKind::Document => {}
            }
            let ended = open > 0;
            if ended {
                self.end_sentence();
                open = 0;
            }
            if kind == LineKind::Document {
                self.begin_document();
            }
            let len = self.bytes.len() + self.rows.next_offset() - from;
            if ended && (self.fields.len() >= self.most * self.slots.width || len >= BYTES) {
                self.copy_from(from);
                return Ok(());
            }
        }
    }

    /// Copies the lines that have been read, starting at offset `from` of the reader's buffer.
    fn copy_from(&mut self, from: usize) {
        let run = self.rows.buffered(from..self.rows.next_offset());
        self.bytes.extend_from_slice(run);
    }

    /// Stores the fields of the last token line read.
    #[inline]
    fn push_token(&mut self, from: usize) {
        let token = self.fields.len() / self.slots.width;
        self.lines.push(token, self.rows.line());
        let shift = (self.bytes.len() as u32).wrapping_sub(from as u32);
        let moved = |(start, end): Field| (start.wrapping_add(shift), end.wrapping_add(shift));
        let fields = self.rows.fields();
        for &column in &self.columns {
            let field = fields.get(column);
            self.fields
                .push(field.map_or((0, 0), |&field| moved(field)));
        }
        if self.slots.line.is_some() {
            let line = self.rows.line_range();
            self.fields
                .push(moved((line.start as u32, line.end as u32)));
        }
    }

    /// Ends the current sentence.
    fn end_sentence(&mut self) {
        self.ends
            .push((self.fields.len() / self.slots.width) as u32);
    }

    /// Records that a document begins with the last line read.
    fn begin_document(&mut self) {
        let sentence = self.ends.len() as u32;
        if self
            .documents
            .last()
            .is_some_and(|&(before, _)| before == sentence)
        {
            self.documents.pop();
            let start = self.documents.last().map_or(0, |&(_, end)| end);
            self.document_lines.truncate(start);
        }
        // The line was validated when it was read, so the default is never used.
        let line = std::str::from_utf8(self.rows.whole()).unwrap_or_default();
        self.document_lines.push_str(line);
        self.documents.push((sentence, self.document_lines.len()));
    }
}

/// Consecutive whole sentences of a column file, with all lines before, between and after these
/// sentences.
#[derive(Clone, Copy)]
pub struct Chunk<'a> {
    bytes: &'a [u8],
    fields: &'a [Field],
    slots: Slots,
    lines: &'a Lines,
    ends: &'a [u32],
    documents: &'a [(u32, usize)],
    document_lines: &'a str,
    layout: &'a Layout,
    extra: &'a [Place],
}

impl<'a> Chunk<'a> {
    /// Returns the bytes of the lines, with their line ends.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the number of tokens.
    pub fn tokens(&self) -> usize {
        self.fields.len() / self.slots.width
    }

    /// Iterates over the sentences.
    pub fn sentences(self) -> impl ExactSizeIterator<Item = ChunkSentence<'a>> {
        let mut documents = self.documents.iter().peekable();
        let (mut start, mut line_start) = (0, 0);
        self.ends.iter().enumerate().map(move |(at, &end)| {
            let tokens = start..end as usize;
            start = end as usize;
            let begins = documents.next_if(|&&(sentence, _)| sentence as usize == at);
            let document = begins.map(|&(_, end)| {
                let line = &self.document_lines[line_start..end];
                line_start = end;
                line
            });
            ChunkSentence {
                chunk: self,
                tokens,
                document,
            }
        })
    }
}

/// A sentence of a chunk. Tokens are numbered from 0.
#[derive(Clone)]
pub struct ChunkSentence<'a> {
    chunk: Chunk<'a>,
    /// Index range of the tokens of the sentence in the chunk.
    tokens: Range<usize>,
    /// The document line before the sentence, if there is one.
    document: Option<&'a str>,
}

impl<'a> ChunkSentence<'a> {
    /// Returns the number of tokens, which is at least 1.
    #[allow(clippy::len_without_is_empty)] // No sentence is empty.
    #[inline]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the last document line between the previous sentence and this one, with its line
    /// end; None if there is none.
    pub fn document(&self) -> Option<&'a str> {
        self.document
    }

    /// Returns the line number of a token in the file, from 1.
    pub fn line(&self, token: usize) -> u64 {
        self.chunk.lines.of((self.tokens.start + token) as u32)
    }

    /// Returns the range of a field in [`Chunk::bytes`].
    #[inline(always)]
    fn range(&self, token: usize, slot: usize) -> Range<usize> {
        let field = (self.tokens.start + token) * self.chunk.slots.width + slot;
        let (start, end) = self.chunk.fields[field];
        start as usize..end as usize
    }

    /// Returns a field; empty if the file has no such column.
    #[inline(always)]
    fn field(&self, token: usize, slot: usize) -> &'a [u8] {
        &self.chunk.bytes[self.range(token, slot)]
    }

    /// Returns a token: empty in a file that contains only tags, `_` if a CoNLL-U line specifies
    /// none. Empty if tokens are not selected.
    #[inline]
    pub fn token(&self, token: usize) -> &'a [u8] {
        let Some(slot) = self.chunk.slots.token else {
            return b"";
        };
        let field = self.field(token, slot);
        match &self.chunk.layout.conllu {
            None => field,
            Some(keys) => conllu::token(field, keys.token.as_deref()),
        }
    }

    /// Same as [`ChunkSentence::token`], as text.
    pub fn token_text(&self, token: usize) -> &'a str {
        // The lines were validated when they were read, so the default is never used.
        std::str::from_utf8(self.token(token)).unwrap_or_default()
    }

    /// Returns the tag of a token; `O` if a CoNLL-U line specifies none.
    #[inline]
    pub fn tag(&self, token: usize) -> &'a [u8] {
        let field = self.field(token, 0);
        match &self.chunk.layout.conllu {
            None => field,
            Some(keys) => conllu::tag(field, keys.tag.as_deref()),
        }
    }

    /// Same as [`ChunkSentence::tag`], as text.
    pub fn tag_text(&self, token: usize) -> &'a str {
        // The lines were validated when they were read, so the default is never used.
        std::str::from_utf8(self.tag(token)).unwrap_or_default()
    }

    /// Returns the second tag of a token, as [`ChunkSentence::tag`] does. Empty if second tags are
    /// not selected.
    #[inline]
    pub fn second(&self, token: usize) -> &'a [u8] {
        let Some(slot) = self.chunk.slots.second else {
            return b"";
        };
        let field = self.field(token, slot);
        match &self.chunk.layout.conllu {
            None => field,
            Some(keys) => conllu::tag(field, keys.second.as_deref()),
        }
    }

    /// Returns the value of an extra column; `extra` is its index in the order of addition. None if
    /// the word does not have the key (CoNLL-U).
    #[inline]
    pub fn extra(&self, token: usize, extra: usize) -> Option<&'a [u8]> {
        let field = self.field(token, self.chunk.slots.extra + extra);
        match &self.chunk.extra[extra].key {
            None => Some(field),
            key => conllu::tag_place(field, key.as_deref()).map(|place| &field[place]),
        }
    }

    /// Returns the tag in an extra column; None if a CoNLL-U line specifies none.
    pub fn extra_tag(&self, token: usize, extra: usize) -> Option<&'a str> {
        let field = self.field(token, self.chunk.slots.extra + extra);
        let place = match self.chunk.layout.conllu {
            None => 0..field.len(),
            Some(_) => conllu::tag_place(field, self.chunk.extra[extra].key.as_deref())?,
        };
        // The lines were validated when they were read, so the default is never used.
        Some(std::str::from_utf8(&field[place]).unwrap_or_default())
    }

    /// Returns the range of the tag in [`Chunk::bytes`]; None if a CoNLL-U line specifies none.
    pub fn tag_range(&self, token: usize) -> Option<Range<usize>> {
        let range = self.range(token, 0);
        let Some(keys) = &self.chunk.layout.conllu else {
            return Some(range);
        };
        let place = conllu::tag_place(self.field(token, 0), keys.tag.as_deref())?;
        Some(range.start + place.start..range.start + place.end)
    }

    /// Returns the value of an extra column as text; empty if the word does not have the key
    /// (CoNLL-U).
    pub fn extra_text(&self, token: usize, extra: usize) -> &'a str {
        let value = self.extra(token, extra).unwrap_or_default();
        // The lines were validated when they were read, so the default is never used.
        std::str::from_utf8(value).unwrap_or_default()
    }

    /// Returns the range of the whole field of an extra column in [`Chunk::bytes`].
    pub fn extra_range(&self, token: usize, extra: usize) -> Range<usize> {
        self.range(token, self.chunk.slots.extra + extra)
    }

    /// Replaces the values of extra columns of a token. `values` contains (index of the extra
    /// column, value) pairs in ascending order of the columns. Setting a key of MISC keeps all
    /// other keys; the value `O` does not add a missing key.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn set_extra(
        &self,
        token: usize,
        values: &[(usize, &[u8])],
        edits: &mut Edits<'_>,
    ) -> std::io::Result<()> {
        let column = |&(extra, _): &(usize, &[u8])| self.chunk.extra[extra].column;
        for values in values.chunk_by(|a, b| column(a) == column(b)) {
            let range = self.extra_range(token, values[0].0);
            if let [(extra, value)] = *values
                && self.chunk.extra[extra].key.is_none()
            {
                edits.replace(range, value)?;
                continue;
            }
            let mut field = self.chunk.bytes[range.clone()].to_vec();
            for &(extra, value) in values {
                match &self.chunk.extra[extra].key {
                    None => field = value.to_vec(),
                    Some(key) => conllu::set_key(&mut field, key, value),
                }
            }
            edits.replace(range, &field)?;
        }
        Ok(())
    }

    /// Returns the end of the line of a token in [`Chunk::bytes`], excluding the line end and
    /// preceding spaces and tabs. Lines must be selected.
    pub fn trimmed_end(&self, token: usize) -> usize {
        let range = self.line_range(token);
        let line = self.chunk.bytes[range.clone()].iter();
        range.end - line.rev().take_while(|&&byte| is_space(byte)).count()
    }

    /// Returns the range of the line of a token in [`Chunk::bytes`], without its line end. Empty if
    /// lines are not selected.
    pub fn line_range(&self, token: usize) -> Range<usize> {
        self.chunk
            .slots
            .line
            .map_or(0..0, |slot| self.range(token, slot))
    }
}
