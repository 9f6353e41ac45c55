//! Detection of layers: additional tag columns that are not read, as in GermEval 2014 for nested
//! entities.
//!
//! Only one layer of such a file is scored, often without the user's knowledge. The columns are
//! reported so that the caller can warn:
//!
//! ```text
//! 1   Deutsche     B-ORG   O
//! 2   Bank         I-ORG   O
//! 3   Frankfurt    I-ORG   B-LOC
//! ```
//!
//! If the last column is read as tags, column 2 is a layer if at least one of its types, for
//! example `ORG`, also occurs in the last column.

use std::collections::BTreeSet;

use crate::blanks::{is_space, trimmed};
use crate::layout::Layout;
use crate::recognise::prefixed_type;

/// Returns the unread columns, ascending from 0, that contain tags of the same types as the tag
/// column.
///
/// In such a column, every field in `ahead` (the first lines of the file) is `O` or a tag with a
/// prefix, and at least one type is shared with the tag column. Columns with other types, such as
/// chunks next to entities, are other annotations and not layers. Lines with another number of
/// columns and lines that begin with `#` are skipped.
///
/// Time is linear in the size of `ahead`; the scan ends early once fewer than two columns can
/// contain tags.
pub(crate) fn unread_layers(ahead: &[u8], layout: &Layout) -> Vec<usize> {
    let mut types: Vec<Option<BTreeSet<&[u8]>>> = vec![Some(BTreeSet::new()); layout.columns];
    let mut fields = Vec::new();
    for line in ahead.split_inclusive(|&b| b == b'\n').map(trimmed) {
        fields.clear();
        match layout.byte {
            Some(byte) => fields.extend(line.split(|&b| b == byte)),
            None => fields.extend(line.split(|&b| is_space(b)).filter(|f| !f.is_empty())),
        }
        // All other lines are comments or blank lines between sentences.
        if fields.len() != layout.columns || line.starts_with(b"#") {
            continue;
        }
        for (field, types) in fields.iter().zip(&mut types) {
            match (types.as_mut(), prefixed_type(field)) {
                (Some(types), Some(ty)) => {
                    types.insert(ty);
                }
                (Some(_), None) if *field != b"O" => *types = None,
                _ => {}
            }
        }
        if types.iter().flatten().count() < 2 {
            return Vec::new();
        }
    }
    let read = [layout.token, layout.tag, layout.second];
    let Some(Some(own)) = types.get(layout.tag) else {
        return Vec::new();
    };
    let shares = |types: &Option<BTreeSet<&[u8]>>| {
        types.as_ref().is_some_and(|types| !types.is_disjoint(own))
    };
    (0..layout.columns)
        .filter(|at| !read.contains(at) && shares(&types[*at]))
        .collect()
}
