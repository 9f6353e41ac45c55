//! Lines cut into fields.

use std::ops::Range;

use super::Field;
use crate::layout::is_space;
use crate::lines::LineReader;

/// The fields between single separators.
#[inline(always)]
pub(super) fn split_at(
    line: Range<usize>,
    cuts: impl Iterator<Item = usize>,
    fields: &mut Vec<Field>,
) {
    let mut begin = line.start;
    for at in cuts {
        // A carriage return of the line end is behind the line.
        if at >= line.end {
            break;
        }
        fields.push((begin as u32, at as u32));
        begin = at + 1;
    }
    fields.push((begin as u32, line.end as u32));
}

/// The fields between runs of spaces and tabs. `blanks` may hold controls too, which separate nothing.
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
