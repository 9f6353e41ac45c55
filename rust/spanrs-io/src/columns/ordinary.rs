//! Which lines of a layout are ordinary, so that they need not be taken apart with care.
//!
//! How `ColumnReader` classifies a line, in this order:
//!
//! 1. An ordinary token line (`LineShape`): fields lie between whitespace positions.
//! 2. A line with the comment prefix asked for: comment, or document if it begins with `# newdoc`.
//! 3. A line of spaces and tabs only: blank.
//! 4. With automatic comments, before the first token of a sentence, a line that begins with `#`,
//!    in CoNLL-U or of the form `# key = value`: comment or document.
//! 5. A line whose first field is `-DOCSTART-`, whatever the number of its columns: document.
//! 6. A line with another number of columns than the first token line, or with a `#`, no tag and an
//!    unexpected empty field: comment if it begins with `#` before the first token of a sentence
//!    and comments are automatic, else an error.
//! 7. In CoNLL-U by its id: word, skipped, or an error.
//! 8. Everything else is a token line.
//!
//! Step 1 may come first because an ordinary line begins with neither `#`, `-` nor the prefix.
//!
//! Following. A reader of pred can follow that of gold if both have the same layout and options,
//! and the file is not CoNLL-U. Then equal bytes are equal lines with equal fields, provided that
//! both readers are at the same place of a sentence: comments are recognised only before its first
//! token. Three levels are tried, each for the lines that the one before leaves:
//!
//! | level | lines | cost for pred |
//! |---|---|---|
//! | `ColumnReader::follow_lines` | runs of ordinary lines | one comparison of up to 4 KiB of bytes |
//! | `ColumnReader::follow` | any token line or empty line | a comparison, or what is left of the last one |
//! | `ColumnReader::next_event` | lines that differ | whitespace of the line, splitting |
//!
//! A reader that follows indexes whitespace a line at a time, as most lines are never split.

use crate::blanks::{split, trimmed};
use crate::layout::{Columns, Comments, Layout, is_conllu};
use crate::lines::{LineReader, LineShape};

/// Returns the shape of ordinary token lines in a file of this layout; None if every line must be
/// looked at.
///
/// That is the case in CoNLL-U, where ids decide; with an empty comment prefix, with which every
/// line is a comment; and with separators above the space, such as commas, whose positions are not
/// indexed.
pub(super) fn ordinary_shape(
    lines: &LineReader,
    layout: &Layout,
    comments: &Comments,
) -> Option<LineShape> {
    if layout.conllu.is_some() {
        return None;
    }
    let comment = match comments {
        // Every line may be a comment where the prefix is empty.
        Comments::Prefix(prefix) => *prefix.as_bytes().first()?,
        Comments::Auto | Comments::None => b'#',
    };
    let separators = match layout.byte {
        None => [b' ', b'\t'],
        Some(byte) if byte <= b' ' => [byte; 2],
        Some(_) => return None,
    };
    Some(LineShape {
        separators,
        columns: layout.columns,
        crlf: lines.has_crlf(),
        comment,
    })
}

/// Returns true for a line between two sentences that is certainly a comment and does not begin a
/// document.
///
/// False for lines that have to be looked at in their context; `line` has its line end.
pub(super) fn is_plain_comment(line: &[u8], layout: &Layout, options: &Columns) -> bool {
    let line = trimmed(line);
    match &options.comments {
        Comments::None => false,
        _ if line.starts_with(b"# newdoc") => false,
        Comments::Prefix(prefix) => line.starts_with(prefix.as_bytes()),
        Comments::Auto => {
            line.starts_with(b"#")
                && (is_conllu(line) || split(line, layout.byte).len() != layout.columns)
        }
    }
}
