//! Column files: one token a line, blank lines between sentences (CoNLL 2000, 2002, 2003, WNUT, ...).

use std::ops::Range;

use spanrs_base::Position;

use crate::error::{Code, Error, Result};
use crate::lines::LineReader;

/// What stands between columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// Tabs if the first token line has one, else runs of white space.
    #[default]
    Auto,
    /// Runs of spaces and tabs.
    Whitespace,
    /// Exactly one of this byte; fields may be empty.
    Byte(u8),
}

/// Which lines are comments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Comments {
    /// Lines that begin with `#` before the first token of a sentence and have another number of
    /// columns than token lines: `# sent_id = 1` is a comment, the hashtag line `#TAB O` is a token.
    #[default]
    Auto,
    /// No line.
    None,
    /// Lines that begin so, wherever they stand.
    Prefix(String),
}

/// Where things stand in a column file. Columns count from 0, negative ones from the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// What stands between columns.
    pub separator: Separator,
    /// Which lines are comments.
    pub comments: Comments,
    /// Column of the tokens.
    pub token: i64,
    /// Column of the tags.
    pub tag: i64,
    /// Column of a second tag, for files that hold gold and pred.
    pub second: Option<i64>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            separator: Separator::default(),
            comments: Comments::default(),
            token: 0,
            tag: -1,
            second: None,
        }
    }
}

/// A field of a line, as a range that [`ColumnReader::bytes`] takes.
pub type Field = Range<usize>;

/// A token line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The token; empty where it would be the tag, in a file of one column.
    pub token: Field,
    /// Its tag.
    pub tag: Field,
    /// The tag in the second column; empty where none was asked for.
    pub second: Field,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A token with its tags.
    Token(Row),
    /// Nothing but white space: a sentence ends.
    Blank,
    /// Begins a document: `-DOCSTART-` or `# newdoc`.
    Document,
    /// A comment.
    Comment,
}

/// A line with its line end, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The bytes.
    pub whole: Field,
    /// What it is.
    pub kind: LineKind,
}

/// What a reader of sentences needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A token.
    Token(Row),
    /// A sentence that has tokens has ended.
    Sentence,
    /// A document begins.
    Document,
}

/// What was found out from the first token line.
#[derive(Clone, Copy, Debug)]
struct Layout {
    byte: Option<u8>,
    columns: usize,
    token: usize,
    tag: usize,
    second: usize,
}

/// Rows of a column file.
pub struct ColumnReader {
    lines: LineReader,
    options: Columns,
    layout: Layout,
    fields: Vec<Field>,
    /// Tokens of the current sentence so far.
    tokens: usize,
    /// A document line came while a sentence was open: the sentence is reported first.
    pending_document: bool,
    any: bool,
}

impl ColumnReader {
    /// Rows of `lines`. The layout is taken from the first token line.
    ///
    /// # Errors
    /// [`Code::Empty`] for a file without token lines at its beginning, [`Code::NoColumn`].
    pub fn new(lines: LineReader, options: Columns) -> Result<Self> {
        let layout = sniff(&lines, &options)?;
        Ok(Self {
            lines,
            options,
            layout,
            fields: Vec::new(),
            tokens: 0,
            pending_document: false,
            any: false,
        })
    }

    /// The file's name as given.
    pub fn path(&self) -> &str {
        self.lines.path()
    }

    /// Number of the line read last, from 1.
    pub fn line(&self) -> u64 {
        self.lines.line()
    }

    /// Bytes read so far, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.lines.bytes_read()
    }

    /// The bytes of a field of the last line; valid UTF-8 without NUL.
    #[inline(always)]
    pub fn bytes(&self, field: Field) -> &[u8] {
        self.lines.bytes(field)
    }

    /// The field as text.
    pub fn text(&self, field: Field) -> &str {
        // The lines were checked when they were read, so nothing is ever replaced by "".
        std::str::from_utf8(self.bytes(field)).unwrap_or_default()
    }

    /// The next line and what it is; None at the end.
    ///
    /// # Errors
    /// [`Code::Ragged`], [`Code::SentenceTooLong`], [`Code::Empty`] at the end of a file without
    /// tokens, and those of [`LineReader::next_line`].
    pub fn next_line(&mut self) -> Result<Option<Line>> {
        let Some(whole) = self.lines.next_line()? else {
            if self.any {
                return Ok(None);
            }
            return Err(no_tokens(self.path()));
        };
        let kind = self.classify(whole.clone())?;
        match kind {
            LineKind::Token(_) => {
                self.any = true;
                self.tokens += 1;
                if self.tokens > self.lines.limits().sentence_tokens {
                    let message = format!("the sentence has more than {} tokens", self.tokens - 1);
                    let place = self.lines.position();
                    return Err(Error::new(Code::SentenceTooLong, place, message));
                }
            }
            LineKind::Blank | LineKind::Document => self.tokens = 0,
            LineKind::Comment => {}
        }
        Ok(Some(Line { whole, kind }))
    }

    /// The next token, end of a sentence or beginning of a document; None at the end.
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
            let Some(line) = self.next_line()? else {
                self.tokens = 0;
                return Ok(open.then_some(Event::Sentence));
            };
            match line.kind {
                LineKind::Token(row) => return Ok(Some(Event::Token(row))),
                LineKind::Blank if open => return Ok(Some(Event::Sentence)),
                LineKind::Document if open => {
                    self.pending_document = true;
                    return Ok(Some(Event::Sentence));
                }
                LineKind::Document => return Ok(Some(Event::Document)),
                LineKind::Blank | LineKind::Comment => {}
            }
        }
    }

    #[inline]
    fn classify(&mut self, whole: Field) -> Result<LineKind> {
        let line = trimmed(self.lines.bytes(whole.clone()));
        if let Comments::Prefix(prefix) = &self.options.comments
            && line.starts_with(prefix.as_bytes())
        {
            return Ok(comment(line));
        }
        if line.is_empty() || is_space(line[0]) && line.iter().all(|&b| is_space(b)) {
            return Ok(LineKind::Blank);
        }
        split(line, whole.start, self.layout.byte, &mut self.fields);
        let first = self.lines.bytes(self.fields[0].clone());
        if first.first() == Some(&b'-') && first == b"-DOCSTART-" {
            return Ok(LineKind::Document);
        }
        if self.fields.len() != self.layout.columns {
            return self.odd_line(whole);
        }
        let field = |at: usize| self.fields[at].clone();
        Ok(LineKind::Token(Row {
            // A file of tags alone has no tokens to compare.
            token: if self.layout.token == self.layout.tag {
                0..0
            } else {
                field(self.layout.token)
            },
            tag: field(self.layout.tag),
            second: match self.options.second {
                Some(_) => field(self.layout.second),
                None => 0..0,
            },
        }))
    }

    /// A line that does not have the number of columns it should have.
    #[cold]
    fn odd_line(&self, whole: Field) -> Result<LineKind> {
        let line = trimmed(self.lines.bytes(whole));
        if self.options.comments == Comments::Auto && self.tokens == 0 && line.starts_with(b"#") {
            return Ok(comment(line));
        }
        let (n, columns) = (self.fields.len(), self.layout.columns);
        let message = format!(
            "{n} column{} where the first token line has {columns}; separator: {}",
            if n == 1 { "" } else { "s" },
            match self.layout.byte {
                Some(b'\t') => "tab".to_owned(),
                Some(byte) => format!("{:?}", char::from(byte)),
                None => "white space".to_owned(),
            }
        );
        Err(Error::new(Code::Ragged, self.lines.position(), message))
    }
}

fn comment(line: &[u8]) -> LineKind {
    if line.starts_with(b"# newdoc") {
        LineKind::Document
    } else {
        LineKind::Comment
    }
}

fn no_tokens(path: &str) -> Error {
    Error::new(Code::Empty, Position::file(path), "the file has no tokens")
}

/// Finds the separator and the number of columns from the lines that are in the buffer.
fn sniff(lines: &LineReader, options: &Columns) -> Result<Layout> {
    let mut fallback = None;
    let mut found = None;
    for (at, line) in lines.ahead().split(|&b| b == b'\n').enumerate() {
        let line = trimmed(line);
        let marked = match &options.comments {
            Comments::Prefix(prefix) => line.starts_with(prefix.as_bytes()),
            Comments::Auto => false,
            Comments::None => false,
        };
        let blank = line.iter().all(|&b| is_space(b));
        if marked || blank || line.starts_with(b"-DOCSTART-") {
            continue;
        }
        if line.starts_with(b"#") && options.comments == Comments::Auto {
            fallback.get_or_insert((at, line));
            continue;
        }
        found = Some((at, line));
        break;
    }
    let Some((at, line)) = found.or(fallback) else {
        return Err(no_tokens(lines.path()));
    };
    let byte = match options.separator {
        Separator::Byte(byte) => Some(byte),
        Separator::Auto if line.contains(&b'\t') => Some(b'\t'),
        Separator::Auto | Separator::Whitespace => None,
    };
    let mut fields = Vec::new();
    split(line, 0, byte, &mut fields);
    let columns = fields.len();
    let resolve = |column: i64| {
        let index = if column < 0 { column + columns as i64 } else { column };
        usize::try_from(index)
            .ok()
            .filter(|&index| index < columns)
            .ok_or_else(|| {
                let message = format!(
                    "no column {column}: the first token line has {columns} (0 to {})",
                    columns - 1
                );
                let place = Position::line(lines.path(), at as u64 + 1);
                Error::new(Code::NoColumn, place, message)
            })
    };
    Ok(Layout {
        byte,
        columns,
        token: resolve(options.token)?,
        tag: resolve(options.tag)?,
        second: options.second.map_or(Ok(0), resolve)?,
    })
}

#[inline(always)]
fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// A line without its line end.
#[inline(always)]
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The fields of a line; `start` is where the line stands in the buffer.
#[inline]
fn split(line: &[u8], start: usize, byte: Option<u8>, fields: &mut Vec<Field>) {
    fields.clear();
    let mut begin = 0;
    if let Some(byte) = byte {
        for (at, &b) in line.iter().enumerate() {
            if b == byte {
                fields.push(start + begin..start + at);
                begin = at + 1;
            }
        }
        fields.push(start + begin..start + line.len());
        return;
    }
    let mut inside = false;
    for (at, &b) in line.iter().enumerate() {
        let blank = is_space(b);
        if inside && blank {
            fields.push(start + begin..start + at);
            inside = false;
        } else if !inside && !blank {
            begin = at;
            inside = true;
        }
    }
    if inside {
        fields.push(start + begin..start + line.len());
    }
}
