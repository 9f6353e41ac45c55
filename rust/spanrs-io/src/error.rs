use spanrs_base::{Coded, ErrorClass, Position};

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The operating system refused: missing file, directory, permission.
    Io,
    /// Bytes that are not UTF-8.
    Encoding,
    /// A NUL byte: not a text file, or UTF-16 without a mark.
    Nul,
    /// A carriage return within a line.
    CarriageReturn,
    /// A file of another format.
    WrongFormat,
    /// A line longer than the limit.
    LineTooLong,
    /// A sentence longer than the limit.
    SentenceTooLong,
    /// A line with another number of columns than the first.
    Ragged,
    /// A line of a span file that says no span.
    BadSpan,
    /// A column that no line has.
    NoColumn,
    /// No token in the whole file.
    Empty,
    /// Compressed data that is damaged or ends too early.
    Compression,
    /// A document that is not what its format says.
    BadDocument,
    /// A document of a later version of its format.
    LaterVersion,
    /// XML that declares entities of its own.
    Entities,
    /// Compressed data that expands more than the limit.
    Expansion,
    /// A document larger than the limit.
    DocumentTooLong,
    /// Elements within one another, more than the limit.
    TooDeep,
}

impl Code {
    /// The code as programs see it.
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

    /// True where a limit was reached, and nothing else is wrong.
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

/// What is wrong with a file, where, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{position}: {message}")]
pub struct Error {
    /// For programs.
    pub code: Code,
    /// Where.
    pub position: Position,
    /// For people; one line, without the place.
    pub message: String,
    /// What the operating system said, for [`Code::Io`].
    pub source: Option<std::io::Error>,
}

/// The result of this crate's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Coded for Error {
    fn class(&self) -> ErrorClass {
        match self.code.is_limit() {
            true => ErrorClass::Limit,
            false => ErrorClass::Format,
        }
    }

    fn code(&self) -> &'static str {
        self.code.name()
    }

    fn position(&self) -> Option<Position> {
        Some(self.position.clone())
    }
}

impl Error {
    /// An error at a place.
    pub fn new(code: Code, position: Position, message: impl Into<String>) -> Self {
        Self {
            code,
            position,
            message: one_line(message.into()),
            source: None,
        }
    }

    /// What the operating system said when a file was opened.
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

    /// What the operating system (or a decompressor above it) said while reading.
    pub(crate) fn read(position: Position, source: std::io::Error) -> Self {
        use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
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

/// Longest message, in characters.
const MESSAGE: usize = 1000;

/// A message as one line of bounded length, whatever it quotes of a file: control characters are escaped and
/// the end of a long message is cut off.
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
