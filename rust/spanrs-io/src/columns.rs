//! Column files: one token a line, blank lines between sentences (CoNLL 2000, 2002, 2003, WNUT, ...).

use std::ops::Range;

use memchr::memchr_iter;
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
    /// Before the first token of a sentence: `# newdoc`, `# newpar` and `# key = value` as in CoNLL-U,
    /// and other lines that begin with `#` and have another number of columns than token lines, or an
    /// empty one; so a line with the token `#` is none.
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

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A token with its tags.
    Token,
    /// Nothing but white space: a sentence ends.
    Blank,
    /// Begins a document: `-DOCSTART-` or `# newdoc`.
    Document,
    /// A comment.
    Comment,
}

/// What a reader of sentences needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A token: [`ColumnReader::token`], [`ColumnReader::tag`] and [`ColumnReader::second`] hold it.
    Token,
    /// A sentence that has tokens has ended.
    Sentence,
    /// A document begins.
    Document,
}

/// A field of a line, as places in the buffer.
type Field = (u32, u32);

/// What was found out from the first token line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    byte: Option<u8>,
    columns: usize,
    token: usize,
    tag: usize,
    second: usize,
}

/// Rows of a column file.
///
/// What the last line holds is kept here until the next line is read.
pub struct ColumnReader {
    lines: LineReader,
    options: Columns,
    layout: Layout,
    whole: Range<usize>,
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
        Ok(Self {
            lines,
            options,
            layout,
            whole: 0..0,
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
    #[inline]
    pub fn line(&self) -> u64 {
        self.lines.line()
    }

    /// Bytes read so far, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.lines.bytes_read()
    }

    /// The last line with its line end; valid UTF-8 without NUL, like everything that is cut from it.
    pub fn whole(&self) -> &[u8] {
        self.lines.bytes(self.whole.clone())
    }

    #[inline(always)]
    fn field(&self, column: usize) -> &[u8] {
        match self.fields.get(column) {
            Some(&(start, end)) => self.lines.bytes(start as usize..end as usize),
            None => &[],
        }
    }

    /// False for a file of one column, which holds tags alone.
    pub fn has_tokens(&self) -> bool {
        self.layout.token != usize::MAX
    }

    /// The token of the last token line; empty in a file of one column, where it would be the tag.
    #[inline(always)]
    pub fn token(&self) -> &[u8] {
        self.field(self.layout.token)
    }

    /// The token as text.
    pub fn token_text(&self) -> &str {
        // The lines were checked when they were read, so nothing is ever replaced by "".
        std::str::from_utf8(self.token()).unwrap_or_default()
    }

    /// The tag of the last token line.
    #[inline(always)]
    pub fn tag(&self) -> &[u8] {
        self.field(self.layout.tag)
    }

    /// Where the tag stands in [`ColumnReader::whole`].
    pub fn tag_place(&self) -> Range<usize> {
        let (start, end) = self
            .fields
            .get(self.layout.tag)
            .copied()
            .unwrap_or_default();
        start as usize - self.whole.start..end as usize - self.whole.start
    }

    /// The tag in the second column of the last token line.
    #[inline(always)]
    pub fn second(&self) -> &[u8] {
        self.field(self.layout.second)
    }

    /// Prepares for following `other` with [`ColumnReader::follow`]; false where equal lines would not
    /// mean the same in both.
    pub fn can_follow(&mut self, other: &Self) -> bool {
        let alike = self.layout == other.layout && self.options == other.options;
        if alike {
            self.lines.look_at_single_lines();
        }
        alike
    }

    /// If the next line equals the line that ended the last event of `other`, byte for byte, takes it
    /// as read and answers true. The event, the token and the tag are those of `other` then.
    ///
    /// Predictions differ from gold in a few lines of a hundred; the others need not be taken apart.
    /// Only where [`ColumnReader::can_follow`] said yes and both readers stand at the same event.
    #[inline]
    pub fn follow(&mut self, other: &Self, event: Event) -> bool {
        let line = other.whole();
        let follows = match event {
            Event::Token => line.ends_with(b"\n") && self.lines.pass(line),
            Event::Sentence => line == b"\n" && self.tokens > 0 && self.lines.pass(line),
            Event::Document => false,
        };
        if follows {
            self.tokens = if event == Event::Token {
                self.tokens + 1
            } else {
                0
            };
            self.any = true;
        }
        follows
    }

    /// The next line and what it is; None at the end.
    ///
    /// # Errors
    /// [`Code::Ragged`], [`Code::SentenceTooLong`], [`Code::Empty`] at the end of a file without
    /// tokens, and those of [`LineReader::next_line`].
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<LineKind>> {
        let Some((whole, marks)) = self.lines.next_marked()? else {
            return self.end();
        };
        self.whole = whole;
        let kind = self.classify(marks)?;
        match kind {
            LineKind::Token => {
                self.tokens += 1;
                if self.tokens > self.lines.limits().sentence_tokens {
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

    #[cold]
    fn end(&self) -> Result<Option<LineKind>> {
        if self.any || self.tokens > 0 {
            return Ok(None);
        }
        Err(no_tokens(self.path()))
    }

    #[cold]
    fn sentence_too_long(&self) -> Error {
        let message = format!("the sentence has more than {} tokens", self.tokens - 1);
        Error::new(Code::SentenceTooLong, self.lines.position(), message)
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

    /// Cuts the line into fields and says what it is.
    #[inline]
    fn classify(&mut self, marks: Range<usize>) -> Result<LineKind> {
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
            && is_conllu(line)
        {
            return Ok(comment(line));
        }
        let (start, end) = (self.whole.start, self.whole.start + line.len());
        let fields = &mut self.fields;
        fields.clear();
        let lines = &self.lines;
        let blanks = lines.marks(marks).iter().map(|&at| at as usize);
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
        Ok(LineKind::Token)
    }

    /// A field is empty, as in GermEval's headings: `#`, an address, a date, nothing.
    #[cold]
    fn has_gap(&self) -> bool {
        self.options.comments == Comments::Auto
            && self.tokens == 0
            && self.fields.iter().any(|(start, end)| start == end)
    }

    /// A line that does not have the number of columns it should have.
    #[cold]
    fn odd_line(&self) -> Result<LineKind> {
        let line = trimmed(self.whole());
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

/// A comment of CoNLL-U, whatever the number of its columns: `# newdoc`, `# newpar`, `# key = value`.
fn is_conllu(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"# ") else {
        return false;
    };
    let mut words = rest.split(|&b| is_space(b)).filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(b"newdoc" | b"newpar"), ..) => true,
        (Some(_), Some(b"="), value) => value.is_some() || rest.ends_with(b"= "),
        _ => false,
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
            if is_conllu(line) {
                continue;
            }
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
    let columns = match byte {
        Some(byte) => line.split(|&b| b == byte).count(),
        None => line
            .split(|&b| is_space(b))
            .filter(|field| !field.is_empty())
            .count(),
    };
    let resolve = |column: i64| {
        let index = if column < 0 {
            column + columns as i64
        } else {
            column
        };
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
    let (token, tag) = (resolve(options.token)?, resolve(options.tag)?);
    let second = options.second.map(resolve).transpose()?;
    if columns > 1 && (token == tag || Some(token) == second) {
        let message = format!(
            "of {columns} columns, column {token} would hold both tokens and tags; name a second file, or \
             the columns of tokens and tags"
        );
        let place = Position::line(lines.path(), at as u64 + 1);
        return Err(Error::new(Code::NoColumn, place, message));
    }
    Ok(Layout {
        byte,
        columns,
        // A file of tags alone has no tokens: a column that no line has is empty.
        token: if token == tag { usize::MAX } else { token },
        tag,
        second: second.unwrap_or(0),
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

/// The fields between single separators.
#[inline(always)]
fn split_at(line: Range<usize>, cuts: impl Iterator<Item = usize>, fields: &mut Vec<Field>) {
    let mut begin = line.start;
    for at in cuts {
        // A carriage return of the line end is behind the line.
        if at >= line.end {
            break;
        }
        fields.push((begin as u32, at as u32));
        begin = at + 1;
    }
    fields.push((begin as u32, line.end as u32));
}

/// The fields between runs of spaces and tabs. `blanks` may hold controls too, which separate nothing.
#[inline(always)]
fn split_whitespace(
    lines: &LineReader,
    line: Range<usize>,
    blanks: impl Iterator<Item = usize>,
    fields: &mut Vec<Field>,
) {
    let mut begin = line.start;
    for at in blanks {
        if at >= line.end {
            break;
        }
        if is_space(lines.bytes(at..at + 1)[0]) {
            if at > begin {
                fields.push((begin as u32, at as u32));
            }
            begin = at + 1;
        }
    }
    if line.end > begin {
        fields.push((begin as u32, line.end as u32));
    }
}
