//! Ordinary lines of a layout, which can be read without full classification.
//!
//! `ColumnReader` classifies a line in this order:
//!
//! 1. An ordinary token line (`LineShape`): fields are between whitespace positions.
//! 2. A line with the requested comment prefix: comment, or document if it begins with `# newdoc`.
//! 3. A line that is empty or consists of spaces and tabs: blank.
//! 4. With automatic comments, before the first token of a sentence, a line that begins with `#` in
//!    CoNLL-U, or a line of the form `# key = value` in other files: comment or document.
//! 5. A line whose first field is `-DOCSTART-`, with any number of columns: document.
//! 6. A line with a different number of columns than the first token line, or with a `#`, no tag
//!    and an unexpected empty field: comment if comments are automatic and the line begins with `#`
//!    and precedes the first token of a sentence, otherwise an error.
//! 7. In CoNLL-U, a line is classified by its id: token, skipped, or an error.
//! 8. Everything else is a token line.
//!
//! Step 1 can be first because an ordinary line does not begin with `#`, `-` or the prefix.
//!
//! Following: the reader of pred can follow the reader of gold if both have the same layout and
//! options and the files are not CoNLL-U. Equal bytes are then equal lines with equal fields,
//! provided that both readers are at the same position in a sentence, because comments are
//! recognised only before its first token. Three levels are tried in order:
//!
//! | level | lines | cost for pred |
//! |---|---|---|
//! | `ColumnReader::follow_lines` | runs of ordinary lines | one comparison of up to 4 KiB of bytes |
//! | `ColumnReader::follow` | any token line or empty line | a comparison, or part of the previous one |
//! | `ColumnReader::next_event` | lines that differ | whitespace of the line, splitting |
//!
//! A following reader indexes whitespace one line at a time, because most lines are never split.

use crate::blanks::{split, trimmed};
use crate::layout::{Columns, Comments, Layout, is_conllu};
use crate::lines::{LineReader, LineShape};

/// Returns the shape of ordinary token lines in a file of this layout; None if every line must be
/// classified.
///
/// Every line must be classified in CoNLL-U, where the kind depends on the id; with an empty
/// comment prefix, which makes every line a comment; and with separators whose byte value is
/// greater than that of the space, such as commas, whose positions are not indexed.
pub(super) fn ordinary_shape(
    lines: &LineReader,
    layout: &Layout,
    comments: &Comments,
) -> Option<LineShape> {
    if layout.conllu.is_some() {
        return None;
    }
    let comment = match comments {
        // With an empty prefix, every line is a comment.
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
/// Returns false for lines whose kind depends on the context; `line` includes its line end.
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
