//! Templates that are compiled into the library from the text files in this directory.

/// The text of a built-in template; `None` for unknown names. [`super::Template::BUILTIN`] lists
/// the names.
pub(super) fn text(name: &str) -> Option<&'static str> {
    match name {
        "ner" => Some(include_str!("ner.txt")),
        "chunking" => Some(include_str!("chunking.txt")),
        "pos" => Some(include_str!("pos.txt")),
        _ => None,
    }
}
