//! Layout of a column file: found from the options and from the beginning of the file.
//!
//! [`sniff`] looks at the lines that are in the reader's buffer and decides, in this order:
//!
//! 1. Find the first token line: neither blank, nor a comment, nor `-DOCSTART-`.
//! 2. With [`Format::Auto`], refuse files that are certainly in another format (`recognise`).
//! 3. Decide whether the file is CoNLL-U: asked for, or the first token line looks like it
//!    (`conllu::fits`).
//! 4. With separator and format [`Separator::Auto`] and [`Format::Auto`], refuse commas and
//!    semicolons between columns.
//! 5. Take the separator asked for; automatically a tab if the first token line has one, else runs
//!    of spaces and tabs.
//! 6. Count the columns of the first token line. All token lines must have as many.
//! 7. Resolve the columns of tokens, tags and second tags against that number.
//! 8. With [`Format::Auto`], refuse a header and quoted tags (`csv`).
//!
//! Nothing is consumed. If the buffer holds no token line the answer is [`Code::Empty`], and the
//! caller reads on and asks again. Time is linear in the size of the buffer.

use spanrs_base::{Named, Position};

use crate::conllu;
use crate::csv::{csv_separator, header, is_quoted_tag};
pub use crate::error::UnknownSeparator;
use crate::error::{Code, Error, Result};
use crate::lines::LineReader;
use crate::recognise::other_format;

/// What separates the columns of a line.
///
/// ```
/// use spanrs_io::{ColumnReader, Columns, LineReader, Separator};
/// let first_token = |separator| {
///     let source = Box::new(&b"New York\tB-LOC\n"[..]);
///     let lines = LineReader::new("example", source, Default::default()).unwrap();
///     let options = Columns { separator, ..Default::default() };
///     let mut rows = ColumnReader::new(lines, options).unwrap();
///     rows.next_event().unwrap();
///     rows.token_text().to_owned()
/// };
/// assert_eq!(first_token(Separator::Auto), "New York");
/// assert_eq!(first_token(Separator::Whitespace), "New");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// A tab if the first token line has one, else runs of spaces and tabs. CoNLL-U is recognised
    /// only with this separator.
    #[default]
    Auto,
    /// Runs of spaces and tabs; those at the beginning and the end of a line separate nothing.
    Whitespace,
    /// Exactly one of this byte, so that two in a row enclose an empty field.
    Byte(u8),
}

impl Separator {
    /// Returns the separator that a user names: `auto`, `whitespace`, `tab`, `space`, or one ASCII
    /// character other than NUL and line breaks.
    ///
    /// # Errors
    /// [`UnknownSeparator`] for any other text.
    ///
    /// ```
    /// use spanrs_io::Separator;
    /// assert_eq!(Separator::parse("tab"), Ok(Separator::Byte(b'\t')));
    /// assert_eq!(Separator::parse("|"), Ok(Separator::Byte(b'|')));
    /// assert!(Separator::parse("::").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, UnknownSeparator> {
        match (text, text.as_bytes()) {
            ("auto", _) => Ok(Self::Auto),
            ("whitespace", _) => Ok(Self::Whitespace),
            ("tab", _) => Ok(Self::Byte(b'\t')),
            ("space", _) => Ok(Self::Byte(b' ')),
            (_, &[byte]) if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0) => {
                Ok(Self::Byte(byte))
            }
            _ => Err(UnknownSeparator(text.to_owned())),
        }
    }
}

/// Which lines are comments. Comments are skipped wherever events are read; they neither belong to
/// a sentence nor end one.
///
/// ```
/// use spanrs_io::{ColumnReader, Columns, Comments, LineReader};
/// let source = Box::new(&b"% any remark\na O\n% another\nb O\n"[..]);
/// let lines = LineReader::new("example", source, Default::default()).unwrap();
/// let comments = Comments::parse(Some("%"));
/// let mut rows = ColumnReader::new(lines, Columns { comments, ..Default::default() }).unwrap();
/// rows.next_event().unwrap();
/// rows.next_event().unwrap();
/// assert_eq!((rows.token(), rows.line()), (&b"b"[..], 4));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Comments {
    /// Lines before the first token of a sentence that begin with `#` and are certainly not tokens:
    /// `# newdoc`, `# newpar` and `# key = value` as in CoNLL-U, and lines with another number of
    /// columns than token lines, or with an empty field that the first token line does not have and
    /// no tag, as GermEval's headings. In CoNLL-U, every line before the first word that begins
    /// with `#`.
    ///
    /// So `#<tab>O` is a token line in a file of two columns.
    #[default]
    Auto,
    /// No line is a comment, except that CoNLL-U still skips multiword tokens and empty nodes.
    None,
    /// Lines that begin with this string, also within a sentence.
    Prefix(String),
}

impl Comments {
    /// Returns what a user names: `auto`, a prefix, or no comments by None or an empty string.
    pub fn parse(text: Option<&str>) -> Self {
        match text {
            None | Some("") => Self::None,
            Some("auto") => Self::Auto,
            Some(prefix) => Self::Prefix(prefix.to_owned()),
        }
    }
}

/// How a file is laid out.
///
/// ```
/// use spanrs_io::{Code, ColumnReader, Columns, Format, LineReader};
/// let read = |format| {
///     let source = Box::new(&b"{\"text\": \"Bob\"}\n"[..]);
///     let lines = LineReader::new("example", source, Default::default())?;
///     ColumnReader::new(lines, Columns { format, ..Default::default() })
/// };
/// assert_eq!(read(Format::Auto).err().map(|error| error.code), Some(Code::WrongFormat));
/// assert!(read(Format::Columns).is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// CoNLL-U if the first token line looks like it, else columns. A file that is certainly in
    /// another format is refused.
    #[default]
    Auto,
    /// One token a line, whatever it looks like: neither CoNLL-U nor other formats are recognised,
    /// and no header is refused.
    Columns,
    /// CoNLL-U: ten columns separated by tabs. [`Separator`] is not used.
    Conllu,
}

impl Named for Format {
    const WHAT: &'static str = "format";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("auto", Self::Auto),
        ("columns", Self::Columns),
        ("conllu", Self::Conllu),
    ];
}

/// Reference to a column, by position or name.
///
/// | column | 3 columns | CoNLL-U |
/// |---|---|---|
/// | `Index(0)` as token | 0 | FORM |
/// | `Index(2)` as tag | 2 | LEMMA |
/// | `Index(-1)` as tag | 2 | MISC if it holds tags, else an error |
/// | `Index(-2)` as tag | 1 | an error |
/// | `Name("upos")` as tag | an error | UPOS |
/// | `Name("NER")` as tag | an error | the value of the key in MISC |
///
/// ```
/// use spanrs_io::{Column, ColumnReader, Columns, LineReader};
/// let word = "1\tBob\t_\tPROPN\t_\t_\t0\troot\t_\tNER=B-PER\n";
/// let tag = |name: &str| {
///     let source = Box::new(word.as_bytes());
///     let lines = LineReader::new("example", source, Default::default()).unwrap();
///     let tag = Column::Name(name.to_owned());
///     let mut rows = ColumnReader::new(lines, Columns { tag, ..Default::default() }).unwrap();
///     rows.next_event().unwrap();
///     String::from_utf8(rows.tag().to_vec()).unwrap()
/// };
/// assert_eq!((tag("upos"), tag("NER")), ("PROPN".to_owned(), "B-PER".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Position from 0; negative positions count from the last column, which is -1.
    ///
    /// In CoNLL-U, 0 means FORM as the column of tokens, and -1 as the column of tags means MISC if
    /// that column holds tags.
    Index(i64),
    /// In CoNLL-U the name of a column in any case (`upos`), or else a key of MISC, in which case
    /// matters (`NER`). Other files have no names.
    Name(String),
}

/// Options of a [`crate::ColumnReader`]: which columns hold tokens and tags, and how lines are cut.
///
/// The default reads the first column as tokens and the last one as tags.
///
/// ```
/// use spanrs_io::{Column, Columns, ColumnReader, LineReader, Separator};
/// let (separator, tag) = (Separator::Byte(b','), Column::Index(1));
/// let options = Columns { separator, tag, ..Default::default() };
/// let text = "Bob,B-PER,x\n,O,\n";
/// let lines = LineReader::new("example", Box::new(text.as_bytes()), Default::default()).unwrap();
/// let mut rows = ColumnReader::new(lines, options).unwrap();
/// rows.next_event().unwrap();
/// assert_eq!((rows.token(), rows.tag()), (&b"Bob"[..], &b"B-PER"[..]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// How the file is laid out.
    pub format: Format,
    /// What separates columns.
    pub separator: Separator,
    /// Which lines are comments.
    pub comments: Comments,
    /// Column of the tokens. In CoNLL-U, 0 means FORM, because column 0 holds the ids. In a file of
    /// one column that column holds the tags, and there are no tokens.
    pub token: Column,
    /// Column of the tags.
    pub tag: Column,
    /// Column of a second tag on each line: pred beside gold, or the part of speech.
    pub second: Option<Column>,
    /// No column of tags is read, and [`Columns::tag`] is not used. A file of one column then holds
    /// tokens.
    pub untagged: bool,
    /// Accepts a second column that the file does not have; [`crate::ColumnReader::has_second`]
    /// tells. CoNLL-U then never has one by position.
    pub second_may_lack: bool,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            format: Format::default(),
            separator: Separator::default(),
            comments: Comments::default(),
            token: Column::Index(0),
            tag: Column::Index(-1),
            second: None,
            untagged: false,
            second_may_lack: false,
        }
    }
}

/// The layout that [`sniff`] found, with all columns resolved to positions from 0.
///
/// For the default options and the first token line `EU NNP B-ORG`, `byte` is None, `columns` is 3,
/// `token` is 0, `tag` is 2, `second` is 0 and `empty` has nothing. With `B-ORG` alone `columns` is
/// 1, `tag` is 0 and there are no tokens.
///
/// Two files can be read in step, line for line, only if their layouts are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The separator; None for runs of spaces and tabs.
    pub(crate) byte: Option<u8>,
    /// Number of fields of every token line, at least 1.
    pub(crate) columns: usize,
    /// Column of the tokens; `usize::MAX` in a file of tags alone, so that the field of the token
    /// is always empty.
    pub(crate) token: usize,
    /// Column of the tags, below `columns`; `usize::MAX` if none is read.
    pub(crate) tag: usize,
    /// Column of the second tags. Equal to `tag` where it may lack and does; 0 where none was asked
    /// for.
    pub(crate) second: usize,
    /// Columns that are empty in the first token line, ascending; other empty fields may tell a
    /// heading from a token line.
    pub(crate) empty: Vec<usize>,
    /// Keys of CoNLL-U; None for other files.
    pub(crate) conllu: Option<Keys>,
}

/// A column, or in CoNLL-U a key of MISC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Position of the column, from 0.
    pub(crate) column: usize,
    /// The key; None for the whole field.
    pub(crate) key: Option<String>,
}

/// The keys of MISC that hold tokens and tags in CoNLL-U; None where a column does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    /// Key of the tokens, such as `Translit`.
    pub(crate) token: Option<String>,
    /// Key of the tags, such as `NER`.
    pub(crate) tag: Option<String>,
    /// Key of the second tags.
    pub(crate) second: Option<String>,
}

/// Returns true for a comment of CoNLL-U that cannot be a token line, whatever the number of its
/// columns: `# newdoc`, `# newpar`, `# key = value`. `line` is without its line end.
///
/// A key without value counts if a blank follows the equals sign (`# text = `), because `# = ` with
/// two fields is a comment while `# O` and `# x =` may be a token with its tags.
pub(crate) fn is_conllu(line: &[u8]) -> bool {
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

/// The error for a file without token lines.
pub(crate) fn no_tokens(path: &str) -> Error {
    Error::new(Code::Empty, Position::file(path), "the file has no tokens")
}

/// Finds the layout from the lines that are in the buffer; the module describes the steps.
///
/// | first token line | options | layout |
/// |---|---|---|
/// | `EU NNP B-ORG` | default | white space, 3 columns, token 0, tag 2 |
/// | `New York<tab>B-LOC` | default | tab, 2 columns |
/// | `New York<tab>B-LOC` | `Separator::Whitespace` | white space, 3 columns |
/// | `B-ORG` | default | 1 column, tags alone |
/// | `EU,B-ORG` | default | refused: name the separator |
/// | `EU,B-ORG` | `Separator::Byte(b',')` | comma, 2 columns |
/// | `EU NNP B-ORG` | token -1 | refused: one column for tokens and tags |
/// | `EU NNP B-ORG` | second 7 | refused, unless it may lack |
/// | `EU NNP "B-ORG"` | default | refused: a tag in quotation marks |
///
/// # Errors
/// - [`Code::Empty`] if the buffer has no token line; more of the file may have one.
/// - [`Code::WrongFormat`] for another format, for CSV, and for a header.
/// - [`Code::NoColumn`] for a column that the first token line does not have, for a name outside of
///   CoNLL-U, and where the tokens would stand in the column of a tag although there are several
///   columns.
/// - [`Code::Ragged`] for CoNLL-U whose first word does not have ten columns.
pub(crate) fn sniff(lines: &LineReader, options: &Columns) -> Result<Layout> {
    let Some((at, line)) = first_token_line(lines, options) else {
        return Err(no_tokens(lines.path()));
    };
    if options.format == Format::Auto
        && let Some((format, advice)) = other_format(lines.ahead(), lines.is_whole())
    {
        let message = format!(
            "this is {format}, not a file with one token a line; {advice}, or say --format columns"
        );
        return Err(Error::new(
            Code::WrongFormat,
            Position::file(lines.path()),
            message,
        ));
    }
    let wrong = |code, message| {
        let place = Position::line(lines.path(), at as u64 + 1);
        Error::new(code, place, message)
    };
    let plain = options.separator == Separator::Auto && options.format == Format::Auto;
    if options.format == Format::Conllu || plain && conllu::fits(lines.ahead()) {
        return conllu::layout(lines, options, at, line);
    }
    if plain && let Some(separator) = csv_separator(lines.ahead()) {
        let message = format!(
            "the columns are separated by `{separator}`: name the separator (--separator \"{separator}\")"
        );
        return Err(wrong(Code::WrongFormat, message));
    }
    let byte = match options.separator {
        Separator::Byte(byte) => Some(byte),
        Separator::Auto if line.contains(&b'\t') => Some(b'\t'),
        Separator::Auto | Separator::Whitespace => None,
    };
    let fields = split(line, byte);
    let columns = fields.len();
    let resolve = |column: &Column| {
        place_of(column, columns).map_err(|message| wrong(Code::NoColumn, message))
    };
    let token = resolve(&options.token)?;
    let tag = match options.untagged {
        true => usize::MAX,
        false => resolve(&options.tag)?,
    };
    let second = match options.second.as_ref().map(resolve) {
        Some(Err(_)) if options.second_may_lack => Some(tag),
        second => second.transpose()?,
    };
    if columns > 1 && (token == tag || Some(token) == second) {
        let message = format!(
            "of {columns} columns, column {token} would hold both tokens and {}; name the columns of tokens and \
             tags (--token-column, --column). One file with gold and pred has three columns or more",
            if token == tag {
                "tags"
            } else {
                "the tags of pred, or parts of speech (--pos-column)"
            },
        );
        return Err(wrong(Code::NoColumn, message));
    }
    if options.format == Format::Auto {
        // Without tags the last column is judged, unless that holds the tokens.
        let last = if token + 1 == columns { 0 } else { columns - 1 };
        let judged = if options.untagged { last } else { tag };
        refuse_csv(lines.ahead(), &fields, (byte, judged))
            .map_err(|message| wrong(Code::WrongFormat, message))?;
    }
    Ok(Layout {
        byte,
        columns,
        // A file of tags alone has no tokens: a column that no line has is empty.
        token: if token == tag { usize::MAX } else { token },
        tag,
        second: second.unwrap_or(0),
        empty: (0..columns).filter(|&at| fields[at].is_empty()).collect(),
        conllu: None,
    })
}

/// Splits a line without its line end into fields; None as separator means runs of spaces and tabs.
/// For the first lines of a file only: [`crate::ColumnReader`] splits at positions that are indexed
/// in advance.
pub(crate) fn split(line: &[u8], separator: Option<u8>) -> Vec<&[u8]> {
    match separator {
        Some(byte) => line.split(|&b| b == byte).collect(),
        None => line
            .split(|&b| is_space(b))
            .filter(|field| !field.is_empty())
            .collect(),
    }
}

/// Refuses quoted tags and a header, judged by the fields of the first token line and the lines in
/// the buffer.
///
/// `separator` is that of the layout and `tag` the column of the tags. Rows with another number of
/// columns, `-DOCSTART-` and GermEval's headings are not looked at.
///
/// # Errors
/// The message of the error, for the place of the first token line.
fn refuse_csv(
    ahead: &[u8],
    first: &[&[u8]],
    (separator, tag): (Option<u8>, usize),
) -> Result<(), String> {
    if is_quoted_tag(first[tag]) {
        return Err(format!(
            "the tag {} has quotation marks: quoted cells of CSV are not supported; write the file without \
             quotation marks, with tabs between columns",
            String::from_utf8_lossy(first[tag])
        ));
    }
    let lines = ahead.split(|&b| b == b'\n').map(trimmed);
    let mut rows = lines.map(|line| split(line, separator)).filter(|fields| {
        // Headings of GermEval begin with `#` and have an empty field.
        let heading = fields.first() == Some(&&b"#"[..]) && fields.iter().any(|f| f.is_empty());
        fields.len() == first.len() && fields[0] != b"-DOCSTART-" && !heading
    });
    // A header may begin with `#`, and looks like a comment then.
    let Some(top) = rows.next() else {
        return Ok(());
    };
    match header(&top, tag, rows.map(|fields| fields[tag])) {
        None => Ok(()),
        Some(names) => Err(format!(
            "the first line looks like a header ({names}), not like a token with its tag; remove it, or say \
             --format columns"
        )),
    }
}

/// Resolves a column, which may count from the last, to a position from 0.
///
/// -1 of 3 columns is 2; 3 and -4 do not exist.
///
/// # Errors
/// A message if there is no such column.
pub(crate) fn place_of(column: &Column, columns: usize) -> Result<usize, String> {
    let column = match column {
        Column::Index(column) => *column,
        Column::Name(name) => {
            return Err(format!(
                "no column {name:?}: columns have names only in CoNLL-U; give its number, from 0"
            ));
        }
    };
    let from_start = match column {
        ..0 => column + columns as i64,
        0.. => column,
    };
    let place = usize::try_from(from_start).ok();
    place
        .filter(|&place| place < columns)
        .ok_or_else(|| match columns {
            1 => format!("no column {column}: the first token line has one column (column 0)"),
            _ => format!(
                "no column {column}: the first token line has {columns} (0 to {})",
                columns - 1
            ),
        })
}

/// Returns the first line in the buffer that is neither blank nor a comment nor a document line,
/// without its line end, and the number of lines before it.
///
/// With [`Comments::Auto`] a line that begins with `#` may be a token or a comment, which only the
/// number of columns would tell. The first such line is returned only if no other line qualifies.
///
/// | lines | first token line |
/// |---|---|
/// | `# id = 1`, `a O` | `a O` |
/// | `# O`, `a O` | `a O`, although `#` is a token |
/// | `-DOCSTART- O`, blank, `# O` | `# O`, as there is no other |
/// | `# id = 1` | none |
fn first_token_line<'a>(lines: &'a LineReader, options: &Columns) -> Option<(usize, &'a [u8])> {
    let mut fallback = None;
    for (at, line) in lines.ahead().split(|&b| b == b'\n').enumerate() {
        let line = trimmed(line);
        let marked = match &options.comments {
            Comments::Prefix(prefix) => line.starts_with(prefix.as_bytes()),
            Comments::Auto | Comments::None => false,
        };
        let blank = line.iter().all(|&b| is_space(b));
        if marked || blank || line.starts_with(b"-DOCSTART-") {
            continue;
        }
        if !line.starts_with(b"#") || options.comments != Comments::Auto {
            return Some((at, line));
        }
        // Word lines of CoNLL-U never begin with `#`.
        if !is_conllu(line) && options.format != Format::Conllu {
            fallback.get_or_insert((at, line));
        }
    }
    fallback
}

/// Returns true for the bytes that separate columns and make up blank lines: space and tab.
#[inline(always)]
pub(crate) fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Returns a line without its line end, LF or CR LF. At the end of a file, a single CR is a line
/// end too.
#[inline(always)]
pub(crate) fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
