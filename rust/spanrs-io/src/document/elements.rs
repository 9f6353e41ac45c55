//! The choice of the XML elements that are annotations.

use std::collections::HashSet;

use serde::Deserialize;

/// Which elements of XML are annotations. The default is all of them.
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
    /// The tags of other elements stay in the text as they are written, as do comments and
    /// processing instructions; otherwise they are removed. With it, characters that XML escapes
    /// stay escaped (`&amp;`).
    pub overlay: bool,
}
