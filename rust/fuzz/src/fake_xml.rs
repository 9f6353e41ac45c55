//! Fuzz target for text with tags that look like XML.

use spanrs_io::document::Format;

use crate::documents::{check_nesting, read, summary};

/// Asserts that the text without tags is a subsequence of the file, that a file without annotations
/// is all text, that only files with `<` or invalid UTF-8 are rejected, and that annotations nest.
pub fn run(data: &[u8]) {
    let Ok(documents) = read(Format::FakeXmlInline, data) else {
        assert!(data.contains(&b'<') || std::str::from_utf8(data).is_err());
        return;
    };
    let [document] = &documents[..] else {
        panic!("a file must be one document");
    };
    let source = std::str::from_utf8(data).unwrap_or_default();
    let source = source.strip_prefix('\u{FEFF}').unwrap_or(source);
    let mut rest = source.chars();
    assert!(document.text.chars().all(|c| rest.any(|other| other == c)));
    if document.annotations.is_empty() {
        assert_eq!(document.text, source);
    }
    let rows = summary(document).rows;
    check_nesting(&rows);
}
