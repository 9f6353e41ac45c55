//! Columns of tags beside the one that is read: layers of nested annotations, as GermEval 2014 has them.

use std::collections::BTreeSet;

use crate::error::one_line;
use crate::layout::{Layout, is_space, trimmed};

/// A warning that names the layers which are not read; None where there are none.
pub(crate) fn unread_layers(path: &str, ahead: &[u8], layout: &Layout) -> Option<String> {
    let unread = other_layers(ahead, layout);
    if unread.is_empty() {
        return None;
    }
    let names = |columns: &[usize], separator| {
        let names: Vec<String> = columns.iter().map(usize::to_string).collect();
        names.join(separator)
    };
    let mut all = unread.clone();
    all.push(layout.tag);
    all.sort_unstable();
    Some(one_line(format!(
        "{path}: column{} {} tags of the same types, which are not read; spanrs score takes several columns \
         (--column {}), other commands one",
        if unread.len() == 1 { "" } else { "s" },
        names(&unread, ", ") + if unread.len() == 1 { " has" } else { " have" },
        names(&all, ","),
    )))
}

/// Columns, other than those that are read, in which every field in `ahead` is `O` or a tag with a prefix, and
/// which share a type with the column that is read. Columns of other types are other annotations, not layers.
fn other_layers(ahead: &[u8], layout: &Layout) -> Vec<usize> {
    let mut types: Vec<Option<BTreeSet<&[u8]>>> = vec![Some(BTreeSet::new()); layout.columns];
    let mut fields = Vec::new();
    // The last line may be cut.
    let lines = ahead.split_inclusive(|&b| b == b'\n');
    for line in lines.filter(|line| line.ends_with(b"\n")).map(trimmed) {
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
            match *field {
                b"O" => {}
                [
                    b'B' | b'I' | b'E' | b'S' | b'L' | b'U' | b'M' | b'W',
                    b'-',
                    ty @ ..,
                ] => {
                    if let Some(types) = types {
                        types.insert(ty);
                    }
                }
                _ => *types = None,
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
