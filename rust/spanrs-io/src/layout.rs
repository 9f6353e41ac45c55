//! Options of column files, and the detected layout.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use spanrs_base::{Limits, Named, serde_by_name};

use crate::blanks::is_space;
pub use crate::error::UnknownSeparator;

/// Separator of the columns of a line.
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
    /// A tab if the first token line has one, otherwise runs of spaces and tabs. CoNLL-U is
    /// recognised only with this separator.
    #[default]
    Auto,
    /// Runs of spaces and tabs; runs at the beginning and the end of a line are ignored.
    Whitespace,
    /// A single byte, so that two consecutive separators enclose an empty field.
    Byte(u8),
}

impl Separator {
    /// Parses a separator given by a user: `auto`, `whitespace`, `tab`, `space`, or one ASCII
    /// character other than NUL and line breaks.
    ///
    /// # Errors
    /// [`UnknownSeparator`] for any other string.
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

impl<'de> Deserialize<'de> for Separator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// Selects the lines that are comments. Readers of events skip comments, which neither belong to a
/// sentence nor end one.
///
/// ```
/// use spanrs_io::{ColumnReader, Columns, Comments, LineReader};
/// let source = Box::new(&b"% any remark\na O\n% another\nb O\n"[..]);
/// let lines = LineReader::new("example", source, Default::default()).unwrap();
/// let comments = Comments::parse("%");
/// let mut rows = ColumnReader::new(lines, Columns { comments, ..Default::default() }).unwrap();
/// rows.next_event().unwrap();
/// rows.next_event().unwrap();
/// assert_eq!((rows.token(), rows.line()), (&b"b"[..], 4));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Comments {
    /// Lines before the first token of a sentence that begin with `#` and are certainly not tokens:
    /// `# newdoc`, `# newpar` and `# key = value` as in CoNLL-U, lines with a different number of
    /// columns than token lines, and lines that have no tag and are empty in a column that is not
    /// empty in the first token line, such as GermEval's headings. In CoNLL-U, every line that
    /// begins with `#` before the first word of a sentence.
    ///
    /// Therefore `#<tab>O` is a token line in a file with two columns.
    #[default]
    Auto,
    /// No comments; in CoNLL-U, multiword tokens and empty nodes are still skipped.
    None,
    /// Lines that begin with this string, even within a sentence.
    Prefix(String),
}

impl Comments {
    /// Parses the comments given by a user: `auto`, `none` (or an empty string), or a prefix.
    pub fn parse(text: &str) -> Self {
        match text {
            "" | "none" => Self::None,
            "auto" => Self::Auto,
            prefix => Self::Prefix(prefix.to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for Comments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::parse(&String::deserialize(deserializer)?))
    }
}

/// Format of a column file.
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
    /// CoNLL-U if the first token line looks like CoNLL-U, otherwise columns. A file that is
    /// certainly in another format is rejected.
    #[default]
    Auto,
    /// One token per line, without detection: CoNLL-U and other formats are not recognised, and
    /// headers are not rejected.
    Columns,
    /// CoNLL-U: ten columns separated by tabs. [`Separator`] is ignored.
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

serde_by_name!(Format);

/// Reference to a column, by position or name.
///
/// | column | 3 columns | CoNLL-U |
/// |---|---|---|
/// | `Index(0)` as token | 0 | FORM |
/// | `Index(2)` as tag | 2 | LEMMA |
/// | `Index(-1)` as tag | 2 | MISC if it contains tags, otherwise an error |
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
    /// that column contains tags.
    Index(i64),
    /// In CoNLL-U, a column name, ignoring case (`upos`), or otherwise a case-sensitive key of MISC
    /// (`NER`). Columns in other files have no names.
    Name(String),
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Index(index) => serializer.serialize_i64(*index),
            Self::Name(name) => serializer.serialize_str(name),
        }
    }
}

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IndexOrName;

        impl<'de> Visitor<'de> for IndexOrName {
            type Value = Column;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a column index (from 0) or, in CoNLL-U, a column name")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, _: A) -> Result<Column, A::Error> {
                Err(de::Error::custom(
                    "one column of tags is expected; several are layers of nested annotations, which spanrs.score \
                     (spanrs score) reads",
                ))
            }

            fn visit_i64<E: de::Error>(self, index: i64) -> Result<Column, E> {
                Ok(Column::Index(index))
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Column, E> {
                Ok(Column::Name(name.to_owned()))
            }
        }

        deserializer.deserialize_any(IndexOrName)
    }
}

/// Options of a [`crate::ColumnReader`]: the columns of tokens and tags, and how lines are split.
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Columns {
    /// Format of the file.
    pub format: Format,
    /// Separator of the columns.
    pub separator: Separator,
    /// Lines that are comments.
    pub comments: Comments,
    /// Column of the tokens. In CoNLL-U, 0 means FORM, because column 0 contains the ids. In a file
    /// with a single column, that column contains the tags, and there are no tokens.
    pub token: Column,
    /// Column of the tags.
    pub tag: Column,
    /// Column of a second tag on each line: pred in addition to gold, or the part of speech.
    pub second: Option<Column>,
    /// Maximum length of a line in bytes; None for the default of [`Limits`]. Used only if a file
    /// is opened with these options, because a [`crate::LineReader`] has its own limits.
    pub line_bytes: Option<usize>,
    /// If true, no column of tags is read, and [`Columns::tag`] is ignored. A single column then
    /// contains tokens.
    #[serde(skip)]
    pub untagged: bool,
    /// Accepts a file without the second column; [`crate::ColumnReader::has_second`] then returns
    /// false. In CoNLL-U, a second column given by position is then always treated as missing.
    #[serde(skip)]
    pub second_may_lack: bool,
}

impl Columns {
    /// Returns the limits for a file with these options.
    pub fn limits(&self) -> Limits {
        let limits = Limits::default();
        Limits {
            line_bytes: self.line_bytes.unwrap_or(limits.line_bytes),
            ..limits
        }
    }
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
            line_bytes: None,
            untagged: false,
            second_may_lack: false,
        }
    }
}

/// The layout detected by `sniff`, with all columns resolved to positions from 0.
///
/// For the default options and the first token line `EU NNP B-ORG`, `byte` is None, `columns` is 3,
/// `token` is 0, `tag` is 2, `second` is 0 and `empty` is empty. For the line `B-ORG`, `columns` is
/// 1, `tag` is 0 and there are no tokens.
///
/// Two files can be read in parallel, line by line, only if their layouts are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The separator; None for runs of spaces and tabs.
    pub(crate) byte: Option<u8>,
    /// Number of fields in each token line, at least 1.
    pub(crate) columns: usize,
    /// Column of the tokens; `usize::MAX` in a file that contains only tags, so that the token
    /// field is always empty.
    pub(crate) token: usize,
    /// Column of the tags, less than `columns`; `usize::MAX` if no tags are read.
    pub(crate) tag: usize,
    /// Column of the second tags. Equal to `tag` if the column may be missing and is missing; 0 if
    /// no second column was requested.
    pub(crate) second: usize,
    /// Columns that are empty in the first token line, ascending; other empty fields may
    /// distinguish a heading from a token line.
    pub(crate) empty: Vec<usize>,
    /// Keys of MISC in CoNLL-U; None for other files.
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

/// The keys of MISC whose values are the tokens and tags in CoNLL-U; None if a whole column is
/// read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    /// Key of the tokens, such as `Translit`.
    pub(crate) token: Option<String>,
    /// Key of the tags, such as `NER`.
    pub(crate) tag: Option<String>,
    /// Key of the second tags.
    pub(crate) second: Option<String>,
}

/// Returns true for a CoNLL-U comment that cannot be a token line, whatever its number of columns:
/// `# newdoc`, `# newpar`, `# key = value`. `line` does not include the line end.
///
/// A key without a value counts as a comment if a space follows the equals sign (`# text = `),
/// because `# = ` with two fields is a comment, whereas `# O` and `# x =` may be a token with its
/// tags.
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

/// Resolves a column, which may be given relative to the last column, to a position from 0.
///
/// In a file with 3 columns, -1 is column 2; 3 and -4 do not exist.
///
/// # Errors
/// A message if there is no such column.
pub(crate) fn place_of(column: &Column, columns: usize) -> Result<usize, String> {
    let column = match column {
        Column::Index(column) => *column,
        Column::Name(name) => {
            return Err(format!(
                "no column {name:?}: columns have names only in CoNLL-U; pass the column index, from 0"
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
                "no column {column}: the first token line has {columns} columns (0 to {})",
                columns - 1
            ),
        })
}
