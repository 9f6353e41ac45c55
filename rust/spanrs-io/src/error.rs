//! The error type of the readers: a code for programs, a position, and a message for users.
//!
//! Every reader of this crate reports the first problem in a file and stops. The [`Code`] is stable
//! and can be compared by tests and callers; the wording of the message may change. Messages end
//! with advice if there is an obvious remedy, and quote only a bounded part of the file, because
//! they are shown on terminals and written to logs.
//!
//! | situation | code | position |
//! |---|---|---|
//! | the path is a directory | [`Code::Io`] | file |
//! | byte 0xFF in line 7 | [`Code::Encoding`] | line and column |
//! | three columns, then two | [`Code::Ragged`] | line |
//! | a key of MISC that no word has | [`Code::NoColumn`] | file, because this is known only at the end |

use spanrs_base::{Coded, ErrorClass, Position};

use crate::compression::TooExpanded;

/// The category of an [`Error`].
///
/// A code identifies the kind of problem and not the reader that found it, so that a caller can,
/// for example, treat all limits alike ([`Code::is_limit`]). In Python, the attribute `code` of the
/// exception is the [`Code::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// An error of the operating system: missing file, directory, permission, failing device.
    /// [`Error::source`] contains the original error.
    Io,
    /// Bytes that are not UTF-8, or a file that begins with a UTF-16 byte order mark.
    Encoding,
    /// A NUL byte: not a text file, or UTF-16 without a byte order mark. Parquet files, Arrow files,
    /// models and saved counts, which are recognised by their first bytes, are also rejected with
    /// this code.
    Nul,
    /// A carriage return that is not part of a line end (CR LF), as in files of old Macintosh
    /// systems.
    CarriageReturn,
    /// A file that is certainly in another format: JSON read as columns, CSV with quoted tags, a
    /// header. [`crate::SyntaxReader`] uses this code for every line that violates the format.
    WrongFormat,
    /// A line longer than `Limits::line_bytes`.
    LineTooLong,
    /// A sentence with more tokens than `Limits::sentence_tokens`, or, in [`crate::SyntaxChunks`],
    /// with more than 1 GiB.
    SentenceTooLong,
    /// A line whose number of columns differs from the first token line or from the format: 4 in a
    /// span file, 10 in CoNLL-U.
    Ragged,
    /// A line of a span file with four columns that do not describe a span: an empty type, a
    /// boundary that is not a number from 1, an end before the beginning, a token outside of the
    /// boundaries.
    BadSpan,
    /// A column that does not exist, a column used for two purposes, or a key of MISC that no word
    /// has.
    NoColumn,
    /// A file without tokens.
    Empty,
    /// Damaged or truncated gzip or zstd data.
    Compression,
    /// A document that violates its format, an invalid task file, or a document without the
    /// requested annotator.
    BadDocument,
    /// A document that cannot be written in a format.
    BadValue,
    /// A document in a later version of its format, such as MAT-JSON 3.
    LaterVersion,
    /// XML whose document type has an internal subset, which may declare entities that expand
    /// without bound.
    Entities,
    /// Compressed data that expands to more than `Limits::expansion` times its size.
    Expansion,
    /// A document with more bytes than `Limits::document_bytes`, or a task whose aliases would take
    /// too much memory.
    DocumentTooLong,
    /// Elements nested more deeply than `Limits::nesting`, or than allowed in a task file.
    TooDeep,
}

impl Code {
    /// Returns the name of the code for programs, in lower case with underscores. Names do not
    /// change between versions.
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
            Self::BadValue => "bad_value",
            Self::LaterVersion => "later_version",
            Self::Entities => "entities",
            Self::Expansion => "expansion",
            Self::DocumentTooLong => "document_too_long",
            Self::TooDeep => "too_deep",
        }
    }

    /// Returns true if a limit was exceeded; the file may otherwise be valid.
    ///
    /// A caller that trusts the file can raise the limit and read the file again. In Python these
    /// errors are `LimitError`.
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

/// The first problem in a file: category, position, and a message with advice.
///
/// Displayed as `path:line:column: message`, without the unknown parts of the position.
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
    /// Position of the problem. Lines and columns count from 1, columns in bytes; 0 means that the
    /// problem does not belong to a single line or column.
    pub position: Position,
    /// Description and advice for users: one line without the position, at most 1000 characters,
    /// with control characters escaped.
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
    /// Creates an error at a position.
    ///
    /// Control characters in the message are escaped and everything after the first 1000 characters
    /// is replaced by `...`, so that the message is one line of bounded length even if it quotes a
    /// hostile file.
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

    /// Converts an operating system error from opening a file to [`Code::Io`], with a short message
    /// for common causes.
    pub(crate) fn open(position: Position, source: std::io::Error) -> Self {
        let message = match source.kind() {
            std::io::ErrorKind::NotFound => "no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            std::io::ErrorKind::IsADirectory => {
                "is a directory; pass the path of a file".to_owned()
            }
            _ => source.to_string(),
        };
        Self {
            code: Code::Io,
            position,
            message,
            source: Some(source),
        }
    }

    /// Converts a read error: [`Code::Compression`] for damaged compressed data,
    /// [`Code::Expansion`] for data that expands too much, [`Code::Io`] for everything else.
    ///
    /// The decompressors report damage with error kinds that do not occur when a plain file is
    /// read, and without an operating system error number; both conditions are checked.
    pub(crate) fn read(position: Position, source: std::io::Error) -> Self {
        use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof, Unsupported};
        if let Some(limit) = source
            .get_ref()
            .and_then(|e| e.downcast_ref::<TooExpanded>())
        {
            return Self::new(Code::Expansion, position, limit.to_string());
        }
        if source.kind() == Unsupported && source.raw_os_error().is_none() {
            // Refused, because the feature `compression` is off.
            return Self::new(Code::Compression, position, source.to_string());
        }
        // The decompressors report damaged data with these kinds; system calls on a plain file
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

/// Error: a string that [`crate::Separator::parse`] does not accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("separator must be auto, whitespace, tab, space or one ASCII character, not {0:?}")]
pub struct UnknownSeparator(pub(crate) String);

impl Coded for UnknownSeparator {
    fn kind(&self) -> (ErrorClass, &'static str) {
        (ErrorClass::Value, "unknown_separator")
    }
}

/// Maximum number of characters in a message.
const MESSAGE: usize = 1000;

/// Limits a message to one line of bounded length, even if it quotes a hostile file: control
/// characters are escaped (`\n`, `\u{85}`), and `...` replaces everything after the first
/// [`MESSAGE`] characters. Messages that need no change are returned without copying.
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
