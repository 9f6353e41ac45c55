//! Documents made from values in memory instead of a file.

use std::collections::HashMap;

use super::annotated_text::Document;

/// An annotation before its offsets are checked: type, start, end, attributes, and the (start, end) of
/// its pieces if it is discontinuous. Offsets are in characters, the end exclusive.
pub type GivenAnnotation = (String, i64, i64, HashMap<String, String>, Vec<(i64, i64)>);

/// Offsets of an annotation or of one of its pieces that are negative or too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{ty} {start}-{end}: offsets count characters from 0")]
pub struct BadOffsets {
    /// The type of the annotation.
    pub ty: String,
    /// Start of the annotation, or of its piece.
    pub start: i64,
    /// End of the same.
    pub end: i64,
}

impl Document {
    /// Returns a document with these annotations. `left_out` gives the reasons why others were left out.
    ///
    /// # Errors
    /// [`BadOffsets`] for the first annotation with an offset outside of 0 to 2^32 - 1.
    ///
    /// ```
    /// use spanrs_io::document::Document;
    /// let person = |start| ("PER".to_owned(), start, 3, Default::default(), vec![]);
    /// let document = Document::given("Ada".to_owned(), None, vec![person(0)], vec![]).unwrap();
    /// assert_eq!(document.annotations.len(), 1);
    /// let error = Document::given("Ada".to_owned(), None, vec![person(-1)], vec![]).unwrap_err();
    /// assert_eq!(error.to_string(), "PER -1-3: offsets count characters from 0");
    /// ```
    pub fn given(
        text: String,
        id: Option<String>,
        annotations: Vec<GivenAnnotation>,
        left_out: Vec<String>,
    ) -> Result<Self, BadOffsets> {
        let mut document = Self::new(text);
        document.id = id;
        for why in left_out {
            document.leave_out(|| why);
        }
        for (ty, start, end, attributes, pieces) in annotations {
            let (start, end) = offsets(&ty, start, end)?;
            let pieces: Result<Vec<_>, _> = pieces
                .into_iter()
                .map(|(start, end)| offsets(&ty, start, end))
                .collect();
            let id = document.intern(&ty);
            document.push(id, start, end);
            document.set_pieces(&pieces?);
            let mut attributes: Vec<_> = attributes.into_iter().collect();
            attributes.sort_unstable();
            for (name, value) in attributes {
                document.add_attribute(&name, value);
            }
        }
        Ok(document.close())
    }
}

/// Returns the offsets as the type of those of documents.
fn offsets(ty: &str, start: i64, end: i64) -> Result<(u32, u32), BadOffsets> {
    match (u32::try_from(start), u32::try_from(end)) {
        (Ok(start), Ok(end)) => Ok((start, end)),
        _ => Err(BadOffsets {
            ty: ty.to_owned(),
            start,
            end,
        }),
    }
}
