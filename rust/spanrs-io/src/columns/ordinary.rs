//! The lines of a layout that need not be taken apart with care.

use crate::layout::{Columns, Comments, Layout, is_conllu, split, trimmed};
use crate::lines::{LineReader, LineShape};

/// What ordinary token lines look like; None where every line must be looked at.
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

/// True where a line between two sentences is certainly a comment that begins no document. False for lines that are to
/// be looked at with their context.
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
