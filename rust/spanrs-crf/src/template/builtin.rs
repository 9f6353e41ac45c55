/// The text of a built-in template.
pub(super) fn text(name: &str) -> Option<&'static str> {
    match name {
        "ner" => Some(include_str!("ner.txt")),
        "chunking" => Some(include_str!("chunking.txt")),
        "pos" => Some(include_str!("pos.txt")),
        _ => None,
    }
}
