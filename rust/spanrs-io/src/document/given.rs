//! Documents made from values in memory instead of a file.

use std::collections::HashMap;

use super::annotated_text::Document;

/// An annotation before its offsets are checked: type, start, end, attributes, and the (start, end) of
/// its pieces if it is discontinuous. Offsets are in characters, the end exclusive.
pub type GivenAnnotation = (String, i64, i64, HashMap<String, String>, Vec<(i64, i64)>);

/// A relation before its ends are checked: type, and the indices of the annotations that it comes from
/// and goes to.
pub type GivenRelation = (String, i64, i64);

/// Why values are no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDocument {
    /// Offsets of an annotation or of one of its pieces that are negative or too large.
    #[error("annotation {ty} {start}-{end}: offsets count characters from 0")]
    Offsets {
        /// The type of the annotation.
        ty: String,
        /// Start of the annotation, or of its piece.
        start: i64,
        /// End of the same.
        end: i64,
    },
    /// A relation between annotations of which one is not there.
    #[error(
        "relation {ty} from annotation {from} to {to}: there are {annotations}, counted from 0"
    )]
    Ends {
        /// The type of the relation.
        ty: String,
        /// The annotation that it comes from.
        from: i64,
        /// The annotation that it goes to.
        to: i64,
        /// Number of annotations.
        annotations: usize,
    },
}

impl Document {
    /// Returns a document with these annotations and relations. `left_out` gives the reasons why
    /// others were left out.
    ///
    /// # Errors
    /// [`NoDocument`] for the first annotation with an offset outside of 0 to 2^32 - 1, or the first
    /// relation with an end that is not there.
    ///
    /// ```
    /// use spanrs_io::document::Document;
    /// let person = |start| ("PER".to_owned(), start, 3, Default::default(), vec![]);
    /// let given = |start| Document::given("Ada".to_owned(), None, vec![person(start)], vec![], vec![]);
    /// assert_eq!(given(0).unwrap().annotations.len(), 1);
    /// let error = given(-1).unwrap_err().to_string();
    /// assert_eq!(error, "annotation PER -1-3: offsets count characters from 0");
    /// ```
    pub fn given(
        text: String,
        id: Option<String>,
        annotations: Vec<GivenAnnotation>,
        relations: Vec<GivenRelation>,
        left_out: Vec<String>,
    ) -> Result<Self, NoDocument> {
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
        let annotations = document.annotations.len();
        let index = |at: i64| {
            u32::try_from(at)
                .ok()
                .filter(|&at| (at as usize) < annotations)
        };
        for (ty, from, to) in relations {
            let Some((one, other)) = index(from).zip(index(to)) else {
                return Err(NoDocument::Ends {
                    ty,
                    from,
                    to,
                    annotations,
                });
            };
            document.relate(&ty, one, other);
        }
        Ok(document.close())
    }
}

/// Returns the offsets as the type of those of documents.
fn offsets(ty: &str, start: i64, end: i64) -> Result<(u32, u32), NoDocument> {
    match (u32::try_from(start), u32::try_from(end)) {
        (Ok(start), Ok(end)) => Ok((start, end)),
        _ => Err(NoDocument::Offsets {
            ty: ty.to_owned(),
            start,
            end,
        }),
    }
}
