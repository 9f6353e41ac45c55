//! Options of column files, and the layout that is found with them.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use spanrs_base::{Limits, Named, serde_by_name};

use crate::blanks::is_space;
pub use crate::error::UnknownSeparator;

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

impl<'de> Deserialize<'de> for Separator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// Which lines are comments. Comments are skipped wherever events are read; they neither belong to
/// a sentence nor end one.
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
    /// Returns the comments that a user names: `auto`, `none` (or nothing), or a prefix.
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

serde_by_name!(Format);

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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    /// Maximum length of a line in bytes; that of [`Limits`] if None. Only used where a file is
    /// opened with these options, because a reader of lines has its own limits.
    pub line_bytes: Option<usize>,
    /// No column of tags is read, and [`Columns::tag`] is not used. A file of one column then holds
    /// tokens.
    #[serde(skip)]
    pub untagged: bool,
    /// Accepts a second column that the file does not have; [`crate::ColumnReader::has_second`]
    /// tells. CoNLL-U then never has one by position.
    #[serde(skip)]
    pub second_may_lack: bool,
}

impl Columns {
    /// The limits of a file with these options.
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

/// The layout that `sniff` found, with all columns resolved to positions from 0.
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
