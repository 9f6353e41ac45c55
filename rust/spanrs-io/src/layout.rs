//! How a column file is laid out, by what is asked for and by its first token line.

use spanrs_base::{Coded, ErrorClass, Named, Position};

use crate::conllu;
use crate::csv::{csv_separator, header, is_quoted_tag};
use crate::error::{Code, Error, Result};
use crate::lines::LineReader;
use crate::recognise::other_format;

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

impl Separator {
    /// The separator that a user names: `auto`, `whitespace`, `tab`, `space`, or one ASCII character other than a line
    /// break.
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
    pub fn parse(text: &str) -> std::result::Result<Self, UnknownSeparator> {
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

/// A text that [`Separator::parse`] refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("separator must be auto, whitespace, tab, space or one ASCII character, not {0:?}")]
pub struct UnknownSeparator(String);

impl Coded for UnknownSeparator {
    fn class(&self) -> ErrorClass {
        ErrorClass::Value
    }

    fn code(&self) -> &'static str {
        "unknown_separator"
    }
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

impl Comments {
    /// What a user means: no comments by no prefix or an empty one, `auto`, or a prefix.
    ///
    /// ```
    /// use spanrs_io::Comments;
    /// assert_eq!(Comments::parse(None), Comments::None);
    /// assert_eq!(Comments::parse(Some("%")), Comments::Prefix("%".into()));
    /// ```
    pub fn parse(text: Option<&str>) -> Self {
        match text {
            None | Some("") => Self::None,
            Some("auto") => Self::Auto,
            Some(prefix) => Self::Prefix(prefix.to_owned()),
        }
    }
}

/// How a file is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Columns or CoNLL-U, whichever it is; what is certainly another format is refused.
    #[default]
    Auto,
    /// One token a line, whatever it looks like.
    Columns,
    /// CoNLL-U.
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

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Its place from 0, or negative from the last.
    Index(i64),
    /// In CoNLL-U the name of a column, or else a key of MISC.
    Name(String),
}

/// Where things stand in a column file. Columns count from 0, negative ones from the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// How the file is laid out.
    pub format: Format,
    /// What stands between columns.
    pub separator: Separator,
    /// Which lines are comments.
    pub comments: Comments,
    /// Column of the tokens. In CoNLL-U, 0 means FORM, because column 0 holds ids.
    pub token: Column,
    /// Column of the tags.
    pub tag: Column,
    /// Column of a second tag, for files that hold gold and pred.
    pub second: Option<Column>,
    /// A second column that no line has is no error: [`crate::ColumnReader::has_second`] tells.
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
            second_may_lack: false,
        }
    }
}

/// What was found out from the first token line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) byte: Option<u8>,
    pub(crate) columns: usize,
    pub(crate) token: usize,
    pub(crate) tag: usize,
    pub(crate) second: usize,
    /// Columns that are empty in the first token line.
    pub(crate) empty: Vec<usize>,
    /// Of CoNLL-U; None for other files.
    pub(crate) conllu: Option<Keys>,
}

/// The keys of MISC that hold the tags, where they do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) tag: Option<String>,
    pub(crate) second: Option<String>,
}

/// A comment of CoNLL-U, whatever the number of its columns: `# newdoc`, `# newpar`, `# key = value`.
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

pub(crate) fn no_tokens(path: &str) -> Error {
    Error::new(Code::Empty, Position::file(path), "the file has no tokens")
}

/// Finds the separator and the number of columns from the lines that are in the buffer.
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
        return conllu_layout(lines, options, at, line);
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
    let resolve = |column: &Column| match column {
        Column::Index(column) => place_of(*column, columns).ok_or_else(|| {
            let message = match columns {
                1 => format!("no column {column}: the first token line has one column (column 0)"),
                _ => format!(
                    "no column {column}: the first token line has {columns} (0 to {})",
                    columns - 1
                ),
            };
            wrong(Code::NoColumn, message)
        }),
        Column::Name(name) => {
            let message = format!(
                "no column {name:?}: columns have names only in CoNLL-U; give its number, from 0"
            );
            Err(wrong(Code::NoColumn, message))
        }
    };
    let (token, tag) = (resolve(&options.token)?, resolve(&options.tag)?);
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
        refuse_csv(lines.ahead(), &fields, (byte, tag))
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

/// The fields of a line without its line end.
pub(crate) fn split(line: &[u8], separator: Option<u8>) -> Vec<&[u8]> {
    match separator {
        Some(byte) => line.split(|&b| b == byte).collect(),
        None => line
            .split(|&b| is_space(b))
            .filter(|field| !field.is_empty())
            .collect(),
    }
}

/// Refuses a header and quoted tags, by the fields of the first token line and the lines in the buffer.
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

fn place_of(column: i64, columns: usize) -> Option<usize> {
    let index = if column < 0 {
        column + columns as i64
    } else {
        column
    };
    usize::try_from(index).ok().filter(|&index| index < columns)
}

/// The layout of CoNLL-U, whose first token line is given with the number of lines before it.
fn conllu_layout(lines: &LineReader, options: &Columns, at: usize, line: &[u8]) -> Result<Layout> {
    let columns = conllu::NAMES.len();
    let wrong = |code, message| {
        let place = Position::line(lines.path(), at as u64 + 1);
        Error::new(code, place, message)
    };
    let found = line.split(|&b| b == b'\t').count();
    if found != columns {
        let message = format!("{found} columns separated by tabs; CoNLL-U has {columns}");
        return Err(wrong(Code::Ragged, message));
    }
    let resolve = |column: &Column| match column {
        // -1 is the default: use MISC if it holds tags.
        Column::Index(-1) if conllu::misc_holds_tags(lines.ahead()) => Ok((conllu::MISC, None)),
        Column::Index(column) if (0..columns as i64).contains(column) => {
            Ok((*column as usize, None))
        }
        Column::Index(column) => {
            let keys = conllu::misc_keys(lines.ahead());
            let keys = if keys.is_empty() {
                String::new()
            } else {
                format!(", or a key of MISC (found: {})", keys.join(", "))
            };
            // -1 is the default.
            let number = match column {
                -1 => String::new(),
                _ => format!(" and has no column {column} (0 to {})", columns - 1),
            };
            Err(wrong(
                Code::NoColumn,
                format!(
                    "this is CoNLL-U{number}; name the column of the tags: UPOS, XPOS, MISC{keys}; \
                     or say --format columns"
                ),
            ))
        }
        Column::Name(name) => Ok(match conllu::column(name) {
            Some(column) => (column, None),
            None => (conllu::MISC, Some(name.clone())),
        }),
    };
    let token = match &options.token {
        Column::Index(0) => conllu::FORM,
        column => resolve(column)?.0,
    };
    let (tag, tag_key) = resolve(&options.tag)?;
    let (second, second_key) = match &options.second {
        // Without a second column, use the tag column.
        Some(Column::Index(_)) if options.second_may_lack => (tag, None),
        second => second
            .as_ref()
            .map(resolve)
            .transpose()?
            .unwrap_or((0, None)),
    };
    Ok(Layout {
        byte: Some(b'\t'),
        columns,
        token,
        tag,
        second,
        empty: Vec::new(),
        conllu: Some(Keys {
            tag: tag_key,
            second: second_key,
        }),
    })
}

/// The first line in the buffer that is neither blank nor a comment nor a document, and how many lines
/// stand before it; a line that may be a comment where there is no other.
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

#[inline(always)]
pub(crate) fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// A line without its line end.
#[inline(always)]
pub(crate) fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
