//! nervaluate's loaders, and how nervaluate reads tags.
//!
//! nervaluate reads tags by rules that are not among the schemes and readings of `spanrs-tags`:
//! only `O` is outside; the type is the text after the first two characters; a span continues while
//! the type stays the same and no tag starts with `B`; and the first two characters must be `B-` or
//! `I-` only where a span begins, and can be anything elsewhere.
//!
//! | tags | spans |
//! |---|---|
//! | `B-A X-A` | A [0, 2): any prefix continues |
//! | `B-A I-B` | A [0, 1), B [1, 2) |
//! | `B-A B-A` | A [0, 1), A [1, 2) |
//! | `O E-A` | error: Invalid tag format: E-A |
//!
//! nervaluate's matching is implemented by [`spanrs_eval::partial::Matching::Greedy`].

use spanrs_base::{Coded, ErrorClass, Interner, Jagged, Span};
use spanrs_tags::Reader;

/// Why a loader of nervaluate rejects its input. The messages are the same as nervaluate's.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A tag at the beginning of a span that cannot begin a span.
    #[error("Invalid tag format: {0}")]
    BadTag(String),
    /// A line of CoNLL text without a second column.
    #[error("Invalid CoNLL format: line '{0}' does not contain a tab separator")]
    NoTab(String),
    /// There are too many distinct tags.
    #[error(transparent)]
    Tags(#[from] spanrs_tags::Error),
}

impl Coded for Error {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Tags(error) => error.kind(),
            _ => (ErrorClass::Value, "bad_input"),
        }
    }
}

/// Spans of a list of documents.
#[derive(Debug, Default)]
pub struct Documents {
    /// The spans of each document. Positions are token indices in the document; types are ids of
    /// `types`.
    pub spans: Jagged<Span<i64>>,
    /// Names of the types, in order of first appearance.
    pub types: Interner<str>,
}

impl Documents {
    /// Adds a span to the last document. `last` is the index of its last token, as nervaluate
    /// stores it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut documents = spanrs_compat::nervaluate::Documents::default();
    /// documents.push("PER", 0, 1);
    /// documents.end();
    /// assert_eq!(documents.spans.row(0)[0].end, 2);
    /// ```
    pub fn push(&mut self, ty: &str, start: i64, last: i64) {
        let ty = self.types.intern(ty);
        self.spans.values_mut().push(Span {
            start,
            end: last + 1,
            ty,
        });
    }

    /// Ends the last document.
    pub fn end(&mut self) {
        self.spans.end();
    }
}

/// A tag in one word: 0 for `O`, otherwise the type id plus 1, shifted left by two bits, and the
/// flags [`B`] and [`BEGINS`].
type Decoded = u32;
/// Flag: the tag starts with `B` and therefore ends a previous span.
const B: Decoded = 1;
/// Flag: the tag may begin a span.
const BEGINS: Decoded = 2;

/// Reads tags that a [`Reader`] has numbered, decoding each distinct tag once.
///
/// # Examples
///
/// ```
/// use spanrs_compat::{nervaluate::TagReader, tag_numbering};
/// let mut tags = tag_numbering().unwrap();
/// let ids = tags.intern_all(["B-PER", "I-PER", "O"]).unwrap();
/// let mut reader = TagReader::default();
/// reader.learn(&tags);
/// let mut spans = Vec::new();
/// reader.spans((0..).zip(ids), 3, &mut spans).unwrap();
/// assert_eq!((spans[0].start, spans[0].end), (0, 2));
/// ```
#[derive(Debug, Default)]
pub struct TagReader {
    /// Decoded tags by id.
    decoded: Vec<Decoded>,
    /// The types seen.
    types: Interner<str>,
    /// Whether any prefix can begin a span.
    any_prefix: bool,
}

/// The id of a tag that cannot begin a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadTag(u32);

impl BadTag {
    /// Returns the error with the name of the tag; `tags` is the reader that numbered it.
    pub fn named(self, tags: &Reader) -> Error {
        Error::BadTag(tags.tags().name(self.0).to_owned())
    }
}

impl TagReader {
    /// Creates a reader with which any prefix can begin a span.
    #[must_use]
    pub fn any_prefix() -> Self {
        Self {
            any_prefix: true,
            ..Self::default()
        }
    }

    /// Returns the types seen, in order of first appearance.
    pub fn into_types(self) -> Interner<str> {
        self.types
    }

    /// Decodes the tags that were added to `tags` since the last call. The type of a tag of at most
    /// two characters is empty.
    pub fn learn(&mut self, tags: &Reader) {
        for id in self.decoded.len()..tags.tags().len() {
            let tag = tags.tags().name(id as u32);
            if tag == "O" {
                self.decoded.push(0);
                continue;
            }
            let ty = tag.char_indices().nth(2).map_or("", |(at, _)| &tag[at..]);
            let ty = self.types.intern(ty);
            let begins = self.any_prefix || tag.starts_with("B-") || tag.starts_with("I-");
            let b = if tag.starts_with('B') { B } else { 0 };
            let begins = if begins { BEGINS } else { 0 };
            self.decoded.push((ty + 1) << 2 | b | begins);
        }
    }

    /// Appends the spans of a sentence of `length` tokens to `spans`. `tags` yields (index of the
    /// token, tag id) in ascending order; omitted tokens belong to the surrounding span, if any.
    ///
    /// # Errors
    /// [`BadTag`] for the first tag that would begin a span but has another prefix. Earlier spans
    /// have been appended.
    #[inline]
    pub fn spans(
        &self,
        tags: impl Iterator<Item = (usize, u32)>,
        length: usize,
        spans: &mut Vec<Span<i64>>,
    ) -> Result<(), BadTag> {
        // The open span: its type, from 1 as in decoded tags, or 0, and its start.
        let (mut open, mut start) = (0, 0);
        let mut close = |open: u32, start: usize, end: usize| {
            spans.push(Span {
                start: start as i64,
                end: end as i64,
                ty: open - 1,
            });
        };
        for (at, id) in tags {
            let tag = self.decoded[id as usize];
            let ty = tag >> 2;
            if ty == open && tag & B == 0 {
                continue;
            }
            if open != 0 {
                close(open, start, at);
            }
            if ty != 0 && tag & BEGINS == 0 {
                return Err(BadTag(id));
            }
            (open, start) = (ty, at);
        }
        if open != 0 {
            close(open, start, length);
        }
        Ok(())
    }
}

/// Reads text with columns separated by tabs, the tag in the second column, and documents separated
/// by empty lines. Lines of only white space within a document are tokens without a tag.
///
/// # Errors
/// [`Error`] for the first invalid tag or line in the text.
///
/// # Examples
///
/// ```
/// use spanrs_compat::nervaluate::read_conll;
/// let documents = read_conll("Ada\tB-PER\nruns\tO\n\nParis\tB-LOC\n").unwrap();
/// assert_eq!(documents.spans.ends().as_slice(), [1, 2]);
/// assert_eq!(documents.types.names().collect::<Vec<_>>(), ["PER", "LOC"]);
/// assert_eq!(
///     read_conll("Ada B-PER").unwrap_err().to_string(),
///     "Invalid CoNLL format: line 'Ada B-PER' does not contain a tab separator"
/// );
/// ```
pub fn read_conll(text: &str) -> Result<Documents, Error> {
    let mut documents = Documents::default();
    let (mut tags, mut reader) = (crate::tag_numbering()?, TagReader::default());
    let mut places = Vec::new();
    if text.is_empty() {
        return Ok(documents);
    }
    // Text that contains only white space has one document.
    for document in text.trim_end_matches(is_space).split("\n\n") {
        places.clear();
        let (mut lines, mut bad_line) = (0, None);
        for (at, line) in document.split('\n').enumerate() {
            lines = at + 1;
            if line.trim_matches(is_space).is_empty() {
                continue;
            }
            let Some(tag) = line.split('\t').nth(1) else {
                bad_line = Some(line);
                break;
            };
            places.push((at, tags.intern(tag)?));
        }
        reader.learn(&tags);
        // An invalid tag before the line without a tab is the first error.
        reader
            .spans(places.iter().copied(), lines, documents.spans.values_mut())
            .map_err(|bad| bad.named(&tags))?;
        if let Some(line) = bad_line {
            return Err(Error::NoTab(line.to_owned()));
        }
        documents.end();
    }
    documents.types = reader.into_types();
    Ok(documents)
}

/// Returns whether a character is white space for Python's `str.strip`: Unicode white space and
/// four control characters.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Result<Vec<(String, i64, i64)>, String> {
        let documents = read_conll(text).map_err(|error| error.to_string())?;
        let name = |ty| documents.types.name(ty).unwrap().to_owned();
        let spans = documents.spans.values().iter();
        Ok(spans.map(|s| (name(s.ty), s.start, s.end)).collect())
    }

    #[test]
    fn a_span_continues_under_any_prefix_of_its_type() {
        let expected = [("A".to_owned(), 0, 2), ("A".to_owned(), 2, 3)];
        assert_eq!(spans("x\tB-A\ny\tX-A\nz\tB-A\n").unwrap(), expected);
    }

    #[test]
    fn only_b_and_i_begin_a_span() {
        assert_eq!(spans("x\tE-A").unwrap_err(), "Invalid tag format: E-A");
    }

    #[test]
    fn a_bad_tag_is_reported_before_a_later_line_without_a_tab() {
        assert_eq!(spans("x\tE-A\ny").unwrap_err(), "Invalid tag format: E-A");
        let message = "Invalid CoNLL format: line 'y' does not contain a tab separator";
        assert_eq!(spans("x\tB-A\ny").unwrap_err(), message);
    }

    #[test]
    fn blank_lines_are_places_without_a_tag() {
        assert_eq!(
            spans("x\tB-A\n \ny\tI-A").unwrap(),
            [("A".to_owned(), 0, 3)]
        );
    }

    #[test]
    fn an_empty_text_has_no_documents() {
        let documents = |text| read_conll(text).unwrap().spans.len();
        assert_eq!(["", " \n", "x\tO\n\ny\tO\n"].map(documents), [0, 1, 2]);
    }

    #[test]
    fn any_prefix_can_begin_a_span_if_asked() {
        let mut tags = crate::tag_numbering().unwrap();
        let id = tags.intern("X-A").unwrap();
        let mut reader = TagReader::any_prefix();
        reader.learn(&tags);
        let mut spans = Vec::new();
        reader.spans([(0, id)].into_iter(), 1, &mut spans).unwrap();
        assert_eq!(spans.len(), 1);
    }
}
