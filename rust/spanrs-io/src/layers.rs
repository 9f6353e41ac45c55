//! Columns of tags beside the one that is read: layers of nested annotations, as GermEval 2014 has them.

use std::collections::BTreeSet;

use crate::layout::{Layout, is_space, trimmed};
use crate::recognise::prefixed_type;

/// Columns, other than those that are read, in which every field in `ahead` is `O` or a tag with a prefix, and
/// which share a type with the column that is read. Columns of other types are other annotations, not layers.
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
