//! Detection of layers: columns of tags beside the one that is read, as GermEval 2014 has them for
//! nested entities.
//!
//! A user who scores such a file scores one layer only, usually without knowing. The columns are
//! reported so that the caller can warn:
//!
//! ```text
//! 1   Deutsche     B-ORG   O
//! 2   Bank         I-ORG   O
//! 3   Frankfurt    I-ORG   B-LOC
//! ```
//!
//! Reading the last column as tags, column 2 is a layer as soon as one of its types, here `ORG`,
//! occurs in the last column as well.

use std::collections::BTreeSet;

use crate::blanks::{is_space, trimmed};
use crate::layout::Layout;
use crate::recognise::prefixed_type;

/// Returns the columns, ascending from 0, that hold tags of the same types as the column that is
/// read, and are not read.
///
/// In such a column every field of `ahead`, the beginning of the file in whole lines, is `O` or a
/// tag with a prefix, and at least one type is shared with the column of tags. Columns of other
/// types, such as chunks beside entities, are other annotations and not layers. Lines with another
/// number of columns and lines that begin with `#` are skipped.
///
/// Time is linear in the size of `ahead`; the scan ends early once fewer than two columns can hold
/// tags.
pub(crate) fn unread_layers(ahead: &[u8], layout: &Layout) -> Vec<usize> {
    let mut types: Vec<Option<BTreeSet<&[u8]>>> = vec![Some(BTreeSet::new()); layout.columns];
    let mut fields = Vec::new();
    for line in ahead.split_inclusive(|&b| b == b'\n').map(trimmed) {
        fields.clear();
        match layout.byte {
            Some(byte) => fields.extend(line.split(|&b| b == byte)),
            None => fields.extend(line.split(|&b| is_space(b)).filter(|f| !f.is_empty())),
        }
        // Other lines are comments, and blank lines between sentences.
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
