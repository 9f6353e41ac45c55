//! Selection of the XML elements that are annotations.

use std::collections::HashSet;

use serde::Deserialize;

/// Selects the XML elements that are annotations. By default, all elements are annotations.
///
/// ```
/// use spanrs_io::document::{Elements, Format, Reader};
/// let declared = Some(["PER".to_owned()].into());
/// let elements = Elements { declared, overlay: true };
/// let reader = Reader { elements, ..Reader::new(Format::XmlInline) };
/// let document = &reader.read("example", b"<d><b>Dr</b> <PER>Bob</PER></d>").unwrap()[0];
/// assert_eq!(document.text, "<d><b>Dr</b> Bob</d>");
/// assert_eq!((document.annotations[0].start, document.annotations[0].end), (13, 16));
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Elements {
    /// Names of the elements that are annotations; None for all elements.
    pub declared: Option<HashSet<String>>,
    /// If true, tags of other elements, comments and processing instructions are kept in the text
    /// unchanged, and escaped characters stay escaped (`&amp;`). If false, all markup is removed.
    pub overlay: bool,
}
