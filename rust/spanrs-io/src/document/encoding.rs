//! Decoding of UTF-8 files, and positions in text.

use spanrs_base::Position;

use crate::error::{Code, Error, Result};

/// Returns the bytes as text, without a byte order mark.
///
/// # Errors
/// Same as [`decoded`].
pub(super) fn utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    let text = decoded(name, bytes)?;
    Ok(text.strip_prefix('\u{FEFF}').unwrap_or(text))
}

/// Returns the bytes as text, including a byte order mark.
///
/// # Errors
/// [`Code::Encoding`] for UTF-16, and, with line and column, for bytes that are not UTF-8.
pub(super) fn decoded<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    refuse_utf16(name, bytes)?;
    utf8_from(&place(name, b""), bytes)
}

/// Rejects a file that begins with a UTF-16 byte order mark.
///
/// # Errors
/// [`Code::Encoding`].
pub(super) fn refuse_utf16(name: &str, head: &[u8]) -> Result<()> {
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        let message = "the file is UTF-16; convert it to UTF-8";
        return Err(Error::new(Code::Encoding, Position::line(name, 1), message));
    }
    Ok(())
}

/// Returns bytes as text; `from` is the position of the first byte in the file.
///
/// # Errors
/// [`Code::Encoding`] with the position of the first byte that is not UTF-8.
pub(super) fn utf8_from<'a>(from: &Position, bytes: &'a [u8]) -> Result<&'a str> {
    simdutf8::compat::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let position = behind(from, before);
        let message = format!(
            "not UTF-8: byte 0x{:02X}; convert the file to UTF-8",
            bytes[before.len()]
        );
        Error::new(Code::Encoding, position, message)
    })
}

/// Returns the position after `text`, which begins at `from`.
pub(super) fn behind(from: &Position, text: &[u8]) -> Position {
    let mut position = place(&from.path, text);
    if position.line == 1 {
        position.column += from.column - 1;
    }
    position.line += from.line - 1;
    position
}

/// Returns the position after `before`, the beginning of a file: line and column from 1, the column
/// in bytes.
pub(crate) fn place(name: &str, before: &[u8]) -> Position {
    let lines = memchr::memchr_iter(b'\n', before).count();
    let last = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    Position {
        path: name.to_owned(),
        line: lines as u64 + 1,
        column: (before.len() - last) as u64 + 1,
    }
}
