//! Names that a format cannot represent: replaced characters, and names that occur twice.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::annotated_text::Document;
use super::losses::Losses;
use super::tokenize::is_line_end;

/// Replaces white space and line ends by `_`; an empty name becomes `_`.
pub(super) fn word(name: &str) -> Cow<'_, str> {
    let blank = |c: char| c.is_whitespace() || is_line_end(c);
    match name {
        "" => Cow::Borrowed("_"),
        name if name.contains(blank) => Cow::Owned(name.replace(blank, "_")),
        name => Cow::Borrowed(name),
    }
}

/// Returns the metadata of a document for a format in which each name occurs at most once. The
/// names in `reserved` have another meaning in the format; metadata with these names get the suffix
/// `_`.
pub(super) fn distinct_metadata<'a>(
    document: &'a Document,
    reserved: &[&str],
    losses: &mut Losses,
) -> Vec<(Cow<'a, str>, &'a Value)> {
    let mut kept = Vec::with_capacity(document.metadata.len());
    let mut names: HashSet<Cow<'_, str>> = HashSet::new();
    let (mut renamed, mut twice) = (0, 0);
    for (name, value) in &document.metadata {
        let mut name = Cow::Borrowed(name.as_str());
        if reserved.contains(&&*name) {
            renamed += 1;
            name += "_";
        }
        if names.insert(name.clone()) {
            kept.push((name, value));
        } else {
            twice += 1;
        }
    }
    losses.add(
        "metadata with the name of a field of the format, renamed",
        renamed,
    );
    losses.add("metadata with the same name as other metadata", twice);
    kept
}

/// Counts the attributes of the annotations of a document that have the name of another attribute
/// of the same annotation.
pub(super) const TWICE: &str = "attributes with the same name as another of the annotation";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        assert_eq!(word("a b\u{A0}c\n\u{1C}d"), "a_b_c__d");
        assert_eq!(
            (&*word(""), &*word("\u{e9}t\u{e9}:1")),
            ("_", "\u{e9}t\u{e9}:1")
        );
    }

    #[test]
    fn metadata_have_distinct_names() {
        let mut document = Document::default();
        for name in ["a", "id", "a", "id_"] {
            document.metadata.push((name.to_owned(), Value::Null));
        }
        let mut losses = Losses::default();
        let kept = distinct_metadata(&document, &["id"], &mut losses);
        let names: Vec<&str> = kept.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["a", "id_"]);
        let numbers: Vec<u64> = losses.list().iter().map(|loss| loss.number).collect();
        assert_eq!(numbers, [1, 2]);
    }
}
