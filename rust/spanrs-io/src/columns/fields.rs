//! Splitting of a line into fields at precomputed positions.
//!
//! Fields are pairs of positions in the reader's buffer, not slices, so that they can be stored
//! next to the buffer. The vector of fields is reused for all lines.
//!
//! | line | single tabs | runs of spaces and tabs |
//! |---|---|---|
//! | `a<tab>O` | `a`, `O` | `a`, `O` |
//! | `a<tab><tab>O` | `a`, nothing, `O` | `a`, `O` |
//! | `New York<tab>O` | `New York`, `O` | `New`, `York`, `O` |
//! | `<tab>O` | nothing, `O` | `O` |

use std::ops::Range;

use crate::blanks::is_space;
use crate::lines::LineReader;

/// A field of a line, as start and end in the buffer.
pub(super) type Field = (u32, u32);

/// Appends the fields between single separators; `cuts` contains the positions of the separators in
/// ascending order. Cuts at or after `line.end` are ignored. Two adjacent cuts enclose an empty
/// field; there is always at least one field.
#[inline(always)]
pub(super) fn split_at(
    line: Range<usize>,
    cuts: impl Iterator<Item = usize>,
    fields: &mut Vec<Field>,
) {
    let mut begin = line.start;
    for at in cuts {
        // The carriage return of the line end is after the line.
        if at >= line.end {
            break;
        }
        fields.push((begin as u32, at as u32));
        begin = at + 1;
    }
    fields.push((begin as u32, line.end as u32));
}

/// Appends the fields between runs of spaces and tabs. `blanks` contains the whitespace positions
/// of the line in ascending order, possibly with positions of other control characters, which do
/// not separate fields. No field is empty.
#[inline(always)]
pub(super) fn split_whitespace(
    lines: &LineReader,
    line: Range<usize>,
    blanks: impl Iterator<Item = usize>,
    fields: &mut Vec<Field>,
) {
    let mut begin = line.start;
    for at in blanks {
        if at >= line.end {
            break;
        }
        if is_space(lines.bytes(at..at + 1)[0]) {
            if at > begin {
                fields.push((begin as u32, at as u32));
            }
            begin = at + 1;
        }
    }
    if line.end > begin {
        fields.push((begin as u32, line.end as u32));
    }
}
