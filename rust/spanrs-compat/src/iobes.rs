//! Reading and writing the tags of one sentence as iobes does.
//!
//! iobes reads malformed tags as conlleval does, and differs from the readings of `spanrs-tags`
//! only in its dialect ([`Dialect::iobes`]): a tag without `-` is its own type, and any unknown
//! prefix is `O`. Its functions take one sentence at a time, so [`SentenceReader`] keeps decoded
//! tags between calls.
//!
//! Writing depends only on the prefixes of an encoding ([`Prefixes`]), since users of iobes can
//! define their own encodings.
//!
//! | tags (BIO) | spans | errors |
//! |---|---|---|
//! | `B-A I-A O` | A [0, 2) | none |
//! | `O I-A I-B` | A [1, 2), B [2, 3) | Illegal Start at 1, Illegal Transition at 2 |
//! | `B I` | B [0, 1), I [1, 2) | Illegal Transition at 1 |
//! | `X-A B-A` | A [1, 2) | none |

use spanrs_base::{Span, Vocabulary};
use spanrs_tags::{Dialect, Kind, Reader, Reading, Result, Scheme};

/// Reads one sentence after another. Decoded tags are kept for the next sentence, in memory that
/// grows with the number of distinct tags.
///
/// # Examples
///
/// ```
/// use spanrs_compat::iobes::SentenceReader;
/// use spanrs_tags::{Kind, Scheme};
/// let mut reader = SentenceReader::new(Scheme::Bio).unwrap();
/// let read = reader.read(|reader, ids| {
///     ids.extend(reader.intern_all(["O", "I-PER"])?);
///     Ok::<_, spanrs_tags::Error>(())
/// });
/// assert!(read.is_ok());
/// assert_eq!(reader.types().name(reader.spans()[0].ty), "PER");
/// assert_eq!(reader.errors(), [(1, Kind::IllegalStart)]);
/// ```
#[derive(Clone, Debug)]
pub struct SentenceReader {
    /// Decodes tags in the dialect of iobes.
    reader: Reader,
    /// Tag ids of the sentence.
    ids: Vec<u32>,
    /// Spans of the sentence.
    spans: Vec<Span>,
    /// False if the sentence is known to be well-formed.
    may_have_errors: bool,
}

impl SentenceReader {
    /// Creates a reader for a scheme, without a limit on the number of tags, as in iobes.
    ///
    /// # Errors
    /// See [`Reader::with_vocabulary`]; none in practice, since the reading is defined for all
    /// schemes.
    pub fn new(scheme: Scheme) -> Result<Self> {
        let tags = Vocabulary::new(usize::MAX);
        Ok(Self {
            reader: Reader::with_vocabulary(tags, scheme, Reading::Conlleval, Dialect::iobes())?,
            ids: Vec::new(),
            spans: Vec::new(),
            may_have_errors: false,
        })
    }

    /// Reads a sentence. `fill` gets a reader for interning tags and appends the tag ids of the
    /// sentence.
    ///
    /// # Errors
    /// The errors of `fill`. After an error the sentence is empty, and the reader can be used
    /// again.
    #[inline]
    pub fn read<E>(
        &mut self,
        fill: impl FnOnce(&mut Reader, &mut Vec<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.ids.clear();
        self.spans.clear();
        self.may_have_errors = false;
        fill(&mut self.reader, &mut self.ids)?;
        if self.reader.scheme() == Scheme::Token {
            // The whole tag is the type, so types have the same numbers as tags.
            let span = |(start, &ty): (u32, &u32)| Span {
                start,
                end: start + 1,
                ty,
            };
            self.spans.extend((0..).zip(&self.ids).map(span));
        } else {
            self.may_have_errors = self.reader.spans_into(&self.ids, &mut self.spans);
        }
        Ok(())
    }

    /// Returns the number of distinct tags that are kept.
    pub fn tags(&self) -> usize {
        self.reader.tags().len()
    }

    /// Returns the number of tokens of the sentence.
    pub fn tokens(&self) -> usize {
        self.ids.len()
    }

    /// Returns the spans of the sentence, in order. Types are ids of [`SentenceReader::types`].
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the types of spans; these are whole tags for [`Scheme::Token`].
    pub fn types(&self) -> &Vocabulary {
        match self.reader.scheme() {
            Scheme::Token => self.reader.tags(),
            _ => self.reader.types(),
        }
    }

    /// Returns whether the sentence has errors.
    pub fn has_errors(&self) -> bool {
        self.may_have_errors && self.reader.count_violations(&self.ids) > 0
    }

    /// Returns the errors of the sentence as (index of the token, kind), sorted by token and then
    /// by kind.
    pub fn errors(&self) -> Vec<(usize, Kind)> {
        let mut found = Vec::new();
        if self.may_have_errors {
            let add = |at, kind| found.push((at, kind));
            self.reader.each_violation(&self.ids, add);
            found.sort();
        }
        found
    }
}

/// The role of a token in its span, which determines its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    /// The first of several tokens.
    Begin,
    /// Neither the first nor the last token.
    Inside,
    /// The last of several tokens.
    End,
    /// The only token.
    Single,
    /// The first token of a span that touches the previous span of the same type.
    Contact,
}

impl TagKind {
    /// All kinds, in order.
    pub const ALL: [Self; 5] = [
        Self::Begin,
        Self::Inside,
        Self::End,
        Self::Single,
        Self::Contact,
    ];
}

/// The prefixes of an encoding.
///
/// # Examples
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_compat::iobes::Prefixes;
/// let [begin, inside, end, single] = ["B", "I", "E", "S"].map(str::to_owned);
/// let iobes = Prefixes { begin, inside, end, single, contact: None };
/// let mut tags = vec!["O".to_owned(); 4];
/// let spans = [Span { start: 0, end: 3, ty: 0 }, Span { start: 3, end: 4, ty: 0 }];
/// let written = iobes.write(&spans, |token, _, kind| {
///     tags[token] = iobes.tag(kind, "A");
///     Ok::<_, ()>(())
/// });
/// assert!(written.is_ok());
/// assert_eq!(tags, ["B-A", "I-A", "E-A", "S-A"]);
/// ```
#[derive(Clone, Debug)]
pub struct Prefixes {
    /// Prefix of [`TagKind::Begin`].
    pub begin: String,
    /// Prefix of [`TagKind::Inside`].
    pub inside: String,
    /// Prefix of [`TagKind::End`].
    pub end: String,
    /// Prefix of [`TagKind::Single`].
    pub single: String,
    /// Prefix of [`TagKind::Contact`], such as `B` in IOB; None if such tokens are not marked.
    pub contact: Option<String>,
}

impl Prefixes {
    /// Returns the tag of a kind and a type, joined by `-`.
    pub fn tag(&self, kind: TagKind, ty: &str) -> String {
        let prefix = match kind {
            TagKind::Begin => &self.begin,
            TagKind::Inside => &self.inside,
            TagKind::End => &self.end,
            TagKind::Single => &self.single,
            TagKind::Contact => self.contact.as_ref().unwrap_or(&self.begin),
        };
        format!("{prefix}-{ty}")
    }

    /// Calls `set` with the index of the token, the type and the kind of each tag of the spans,
    /// which must be sorted by start and not empty. If spans overlap, tags of later spans overwrite
    /// tags of earlier spans.
    ///
    /// The first token of a span that touches the previous span of the same type is
    /// [`TagKind::Contact`] if the encoding has such a prefix, even if it is the only token.
    ///
    /// # Errors
    /// The errors of `set`.
    #[inline]
    pub fn write<E>(
        &self,
        spans: &[Span],
        mut set: impl FnMut(usize, u32, TagKind) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut before: Option<&Span> = None;
        for span in spans {
            let (first, last) = (span.start as usize, span.end as usize - 1);
            let touches = before.is_some_and(|b| b.end == span.start && b.ty == span.ty);
            let opening = match touches && self.contact.is_some() {
                true => TagKind::Contact,
                false if first == last => TagKind::Single,
                false => TagKind::Begin,
            };
            set(first, span.ty, opening)?;
            for token in first + 1..last {
                set(token, span.ty, TagKind::Inside)?;
            }
            if first < last {
                set(last, span.ty, TagKind::End)?;
            }
            before = Some(span);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn read(reader: &mut SentenceReader, tags: &[&str]) {
        let read = reader.read(|reader, ids| {
            ids.extend(reader.intern_all(tags.iter().copied())?);
            Ok::<_, spanrs_tags::Error>(())
        });
        read.unwrap();
    }

    #[test]
    fn bare_tags_are_their_own_type() {
        let mut reader = SentenceReader::new(Scheme::Bio).unwrap();
        read(&mut reader, &["B", "I", "O"]);
        let spans = reader.spans().iter();
        let spans: Vec<_> = spans
            .map(|s| (reader.types().name(s.ty), s.start, s.end))
            .collect();
        assert_eq!(spans, [("B", 0, 1), ("I", 1, 2)]);
    }

    #[test]
    fn errors_are_those_of_the_last_sentence() {
        let mut reader = SentenceReader::new(Scheme::Bio).unwrap();
        read(&mut reader, &["O", "I-A"]);
        assert!(reader.has_errors());
        assert_eq!(reader.errors().first().map(|(at, _)| *at), Some(1));
        read(&mut reader, &["B-A", "I-A"]);
        assert!(!reader.has_errors() && reader.errors().is_empty());
    }

    #[test]
    fn every_token_is_a_span_of_its_tag_under_token() {
        let mut reader = SentenceReader::new(Scheme::Token).unwrap();
        read(&mut reader, &["A", "O", "A"]);
        let types: Vec<_> = reader.spans().iter().map(|s| s.ty).collect();
        assert_eq!(types, [0, 1, 0]);
        assert_eq!(reader.types().name(1), "O");
    }

    #[test]
    fn a_span_that_touches_one_of_its_type_begins_with_contact() {
        let prefixes = |contact: Option<&str>| Prefixes {
            begin: "I".to_owned(),
            inside: "I".to_owned(),
            end: "I".to_owned(),
            single: "I".to_owned(),
            contact: contact.map(str::to_owned),
        };
        let span = |start, end| Span { start, end, ty: 0 };
        let written = |prefixes: Prefixes| {
            let mut tags = vec!["O".to_owned(); 5];
            let Ok(()) = prefixes.write(&[span(0, 2), span(2, 5)], |at, _, kind| {
                tags[at] = prefixes.tag(kind, "A");
                Ok::<_, Infallible>(())
            });
            tags.join(" ")
        };
        assert_eq!(written(prefixes(Some("B"))), "I-A I-A B-A I-A I-A");
        assert_eq!(written(prefixes(None)), "I-A I-A I-A I-A I-A");
    }
}
