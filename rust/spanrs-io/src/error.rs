//! The error type of the readers: a code for programs, a place, and a message for people.
//!
//! Every reader of this crate reports the first problem of a file and stops. The [`Code`] is the
//! stable part, which tests and callers compare; the wording of the message may change. Messages
//! end with advice wherever there is an obvious remedy, and quote at most a bounded part of the
//! file, because they are shown on terminals and written to logs.
//!
//! | situation | code | place |
//! |---|---|---|
//! | the path is a directory | [`Code::Io`] | file |
//! | byte 0xFF in line 7 | [`Code::Encoding`] | line and column |
//! | three columns, then two | [`Code::Ragged`] | line |
//! | a key of MISC that no word has | [`Code::NoColumn`] | file, since it is known at its end |

use spanrs_base::{Coded, ErrorClass, Position};

use crate::compression::TooExpanded;

/// What is wrong with a file: the category of an [`Error`].
///
/// A code names the kind of problem and not the reader that found it, so that a caller can treat,
/// say, all limits alike ([`Code::is_limit`]). In Python the code is the attribute `code` of the
/// exception, by its [`Code::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The operating system refused: missing file, directory, permission, failing device.
    /// [`Error::source`] holds its answer.
    Io,
    /// Bytes that are not UTF-8, or a file that begins with the byte order mark of UTF-16.
    Encoding,
    /// A NUL byte: not a text file, or UTF-16 without a byte order mark. Parquet, Arrow and saved
    /// counts, which are told by their first bytes, are refused with this code as well.
    Nul,
    /// A carriage return that is not part of a line end (CR LF), as in files of old Macintosh
    /// systems.
    CarriageReturn,
    /// A file that is certainly in another format than the reader's: JSON read as columns, CSV with
    /// quoted tags, a header. [`crate::SyntaxReader`] uses it for every line that its format does
    /// not allow.
    WrongFormat,
    /// A line longer than `Limits::line_bytes`.
    LineTooLong,
    /// A sentence with more tokens than `Limits::sentence_tokens`, or, for [`crate::SyntaxChunks`],
    /// of more than 1 GiB.
    SentenceTooLong,
    /// A line with another number of columns than the first token line, or than the format has: 4
    /// in a span file, 10 in CoNLL-U.
    Ragged,
    /// A line of a span file with four columns that do not describe a span: an empty type, a bound
    /// that is no number from 1, an end before the beginning, a token outside of the bounds.
    BadSpan,
    /// A column that does not exist, a column used for two purposes, or a key of MISC that no word
    /// has.
    NoColumn,
    /// No token in the whole file.
    Empty,
    /// Data compressed with gzip or zstd that is damaged or ends too early.
    Compression,
    /// A document that is not what its format says, a task file that is none, or a document without
    /// the annotator asked for.
    BadDocument,
    /// A document of a later version of its format, such as MAT-JSON 3.
    LaterVersion,
    /// XML whose document type has an internal subset, in which entities can be declared that
    /// expand without bound.
    Entities,
    /// Compressed data that expands more than `Limits::expansion` times.
    Expansion,
    /// A document of more bytes than `Limits::document_bytes`, or a task whose aliases would take
    /// too much memory.
    DocumentTooLong,
    /// More elements within one another than `Limits::nesting`, or than a task file may have.
    TooDeep,
}

impl Code {
    /// Returns the code as programs see it: lower case with underscores, unchanged between
    /// versions.
    ///
    /// ```
    /// use spanrs_io::Code;
    /// assert_eq!(Code::Ragged.name(), "ragged_columns");
    /// assert_eq!(Code::Nul.name(), "nul_byte");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Io => "io",
            Self::Encoding => "encoding",
            Self::Nul => "nul_byte",
            Self::CarriageReturn => "carriage_return",
            Self::WrongFormat => "wrong_format",
            Self::LineTooLong => "line_too_long",
            Self::SentenceTooLong => "sentence_too_long",
            Self::Ragged => "ragged_columns",
            Self::BadSpan => "bad_span",
            Self::NoColumn => "no_column",
            Self::Empty => "empty",
            Self::Compression => "compression",
            Self::BadDocument => "bad_document",
            Self::LaterVersion => "later_version",
            Self::Entities => "entities",
            Self::Expansion => "expansion",
            Self::DocumentTooLong => "document_too_long",
            Self::TooDeep => "too_deep",
        }
    }

    /// Returns true where a limit was reached and nothing else is known to be wrong with the file.
    ///
    /// A caller that trusts the file can raise the limit and read it again. In Python these errors
    /// are `LimitError`.
    ///
    /// ```
    /// use spanrs_io::Code;
    /// assert!(Code::LineTooLong.is_limit());
    /// assert!(!Code::Encoding.is_limit());
    /// ```
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Self::LineTooLong
                | Self::SentenceTooLong
                | Self::Expansion
                | Self::DocumentTooLong
                | Self::TooDeep
        )
    }
}

/// The first problem of a file: what is wrong, where, and what to do about it.
///
/// Displayed as `path:line:column: message`, without the parts of the place that are unknown.
///
/// ```
/// use spanrs_base::Position;
/// use spanrs_io::{Code, Error};
/// let error = Error::new(Code::Ragged, Position::line("a.conll", 3), "2 columns");
/// assert_eq!(error.to_string(), "a.conll:3: 2 columns");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{position}: {message}")]
pub struct Error {
    /// The category of the problem, for programs.
    pub code: Code,
    /// Where it was found. Lines and columns count from 1, columns in bytes; 0 means that the
    /// problem is not that of one line or of one column.
    pub position: Position,
    /// Description and advice, for people: one line without the place, of at most 1000 quoted
    /// characters, control characters escaped.
    pub message: String,
    /// The error of the operating system, for [`Code::Io`]; None for all other codes.
    pub source: Option<std::io::Error>,
}

/// The result of this crate's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Coded for Error {
    fn kind(&self) -> (ErrorClass, &'static str) {
        let class = match self.code.is_limit() {
            true => ErrorClass::Limit,
            false => ErrorClass::Format,
        };
        (class, self.code.name())
    }

    fn position(&self) -> Option<Position> {
        Some(self.position.clone())
    }
}

impl Error {
    /// Creates an error at a place.
    ///
    /// Control characters of the message are escaped and all beyond 1000 characters is replaced by
    /// `...`, so that it is one line of bounded length whatever it quotes of a hostile file.
    ///
    /// ```
    /// use spanrs_base::Position;
    /// use spanrs_io::{Code, Error};
    /// let error = Error::new(Code::BadDocument, Position::file("d.xml"), "<a\n> is open");
    /// assert_eq!(error.message, "<a\\n> is open");
    /// ```
    pub fn new(code: Code, position: Position, message: impl Into<String>) -> Self {
        Self {
            code,
            position,
            message: one_line(message.into()),
            source: None,
        }
    }

    /// Translates the error of the operating system from opening a file: [`Code::Io`] with a short
    /// message for the usual causes.
    pub(crate) fn open(position: Position, source: std::io::Error) -> Self {
        let message = match source.kind() {
            std::io::ErrorKind::NotFound => "no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            std::io::ErrorKind::IsADirectory => "is a directory; name a file".to_owned(),
            _ => source.to_string(),
        };
        Self {
            code: Code::Io,
            position,
            message,
            source: Some(source),
        }
    }

    /// Translates an error from reading: damaged compressed data is [`Code::Compression`], data that
    /// expands too much [`Code::Expansion`], all else [`Code::Io`].
    ///
    /// The decompressors report damage as error kinds that reading a plain file does not have, and
    /// without a number of the operating system; both have to hold.
    pub(crate) fn read(position: Position, source: std::io::Error) -> Self {
        use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
        if let Some(limit) = source
            .get_ref()
            .and_then(|e| e.downcast_ref::<TooExpanded>())
        {
            return Self::new(Code::Expansion, position, limit.to_string());
        }
        // The decompressors report damaged data as these kinds; the system calls behind a plain file
        // never do.
        if matches!(
            source.kind(),
            InvalidData | InvalidInput | UnexpectedEof | Other
        ) && source.raw_os_error().is_none()
        {
            let message = format!("the compressed data is damaged or cut off ({source})");
            return Self::new(Code::Compression, position, message);
        }
        Self::open(position, source)
    }
}

/// A text that [`crate::Separator::parse`] refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("separator must be auto, whitespace, tab, space or one ASCII character, not {0:?}")]
pub struct UnknownSeparator(pub(crate) String);

impl Coded for UnknownSeparator {
    fn kind(&self) -> (ErrorClass, &'static str) {
        (ErrorClass::Value, "unknown_separator")
    }
}

/// Number of characters of a message that are kept.
const MESSAGE: usize = 1000;

/// Makes a message one line of bounded length, whatever it quotes of a file: control characters are
/// escaped (`\n`, `\u{85}`), and `...` replaces all beyond the first [`MESSAGE`] characters.
/// Messages that need neither are returned without copying.
pub(crate) fn one_line(message: String) -> String {
    if message.len() <= MESSAGE && !message.contains(char::is_control) {
        return message;
    }
    let mut line = String::new();
    let mut characters = message.chars();
    for c in characters.by_ref().take(MESSAGE) {
        match c.is_control() {
            true => line.extend(c.escape_default()),
            false => line.push(c),
        }
    }
    if characters.next().is_some() {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_of_bounded_length() {
        let message =
            |message: &str| Error::new(Code::BadDocument, Position::file("d"), message).message;
        assert_eq!(message("</\nA\u{85}> is open"), "</\\nA\\u{85}> is open");
        assert_eq!(message(&"\u{e9}".repeat(1000)), "\u{e9}".repeat(1000));
        assert_eq!(message(&"a".repeat(1001)), "a".repeat(1000) + "...");
    }
}
