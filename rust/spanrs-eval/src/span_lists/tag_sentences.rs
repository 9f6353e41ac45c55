//! Sentences of interned tags, and the spans that they encode.

use std::ops::Range;

use spanrs_base::{Coded, ErrorClass, Interrupted, Interval, Jagged, Span, Watch};
use spanrs_tags::{Error as TagsError, Reader, Reading, SideReader};

use super::SpanLists;
use super::sides::INTERVAL;
use crate::input::{IdSlice, InputError, Sentences, bad_id};

/// Why the spans of sentences cannot be read.
///
/// # Examples
///
/// ```
/// use spanrs_eval::{ReadError, SpanLists, TagSentences};
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Refuse, Dialect::default()).unwrap();
/// let mut tags = TagSentences::default();
/// tags.push(&reader.intern_all(["O", "I-A"]).unwrap());
/// let error = SpanLists::of_tags(&tags, &tags, &reader, || false).unwrap_err();
/// assert!(matches!(error, ReadError::Tags { sentence: 0, .. }));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Ids without a tag, or an interrupt.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Malformed tags with [`Reading::Refuse`].
    #[error("sentence {sentence}: {error}")]
    Tags {
        /// Index of the sentence, 0-based.
        sentence: usize,
        /// The problem with its tags.
        error: TagsError,
    },
}

impl Coded for ReadError {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Input(error) => error.kind(),
            Self::Tags { error, .. } => error.kind(),
        }
    }

    fn sentence(&self) -> Option<usize> {
        match self {
            Self::Input(error) => error.sentence(),
            Self::Tags { sentence, .. } => Some(*sentence),
        }
    }
}

impl From<Interrupted> for ReadError {
    fn from(_: Interrupted) -> Self {
        Self::Input(InputError::Interrupted)
    }
}

/// The tag ids of all sentences of one side.
///
/// # Examples
///
/// ```
/// use spanrs_eval::{SpanLists, TagSentences};
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let mut tags = TagSentences::default();
/// tags.push(&reader.intern_all(["B-A", "I-A", "O"]).unwrap());
/// tags.push(&reader.intern_all(["O", "B-B"]).unwrap());
/// let (gold, _) = SpanLists::of_tags(&tags, &tags, &reader, || false).unwrap();
/// assert_eq!(gold.tuples(), [[("A", 0, 2)], [("B", 1, 2)]]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TagSentences(Jagged<u32>);

impl TagSentences {
    /// Adds a sentence.
    pub fn push(&mut self, ids: &[u32]) {
        self.0.push(ids.iter().copied());
    }

    /// Iterates over the sentences in order.
    pub fn sentences(&self) -> impl Iterator<Item = &[u32]> {
        self.0.rows()
    }

    /// Creates both sides from arrays of integer labels.
    ///
    /// `sentences` splits the arrays, which have equal lengths, into sentences. `numbers` maps a label to its tag id.
    /// Tokens whose gold label is `ignore` are skipped on both sides, which shifts the positions of later tokens.
    ///
    /// # Errors
    /// [`InputError::UnknownId`] for the first label that is negative or not an index into `numbers`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_eval::TagSentences;
    /// use spanrs_eval::input::Sentences;
    /// // Labels 0 to 2 have the tag ids 4, 5 and 6; the second token is ignored.
    /// let (gold, pred) = ([1_i64, -100, 2, 0], [1_i64, 0, 0, 0]);
    /// let sentences = Sentences::Lengths(&[3, 1]);
    /// let sides = TagSentences::of_ids((&gold).into(), (&pred).into(), sentences, &[4, 5, 6], -100).unwrap();
    /// assert_eq!(sides[0].sentences().collect::<Vec<_>>(), [&[5, 6][..], &[4]]);
    /// assert_eq!(sides[1].sentences().collect::<Vec<_>>(), [&[5, 4][..], &[4]]);
    /// ```
    pub fn of_ids(
        gold: IdSlice<'_>,
        pred: IdSlice<'_>,
        sentences: Sentences<'_, i64>,
        numbers: &[u32],
        ignore: i64,
    ) -> Result<[Self; 2], InputError> {
        let (mut golds, mut preds) = (Jagged::default(), Jagged::default());
        for (sentence, range) in sentences.ranges().enumerate() {
            for (token, at) in range.enumerate() {
                if gold.value(at) == ignore {
                    continue;
                }
                let place = (sentence, token);
                let tag = |side, labels| tag_of(side, place, (labels, at), numbers);
                golds.values_mut().push(tag("gold", gold)?);
                preds.values_mut().push(tag("pred", pred)?);
            }
            golds.end();
            preds.end();
        }
        Ok([golds, preds].map(Self))
    }
}

/// Returns the tag id of the label at an index, or an error with its position.
fn tag_of(
    side: &str,
    (sentence, token): (usize, usize),
    (labels, at): (IdSlice<'_>, usize),
    numbers: &[u32],
) -> Result<u32, InputError> {
    let known = usize::try_from(labels.value(at)).ok();
    match known.and_then(|known| numbers.get(known)) {
        Some(&id) => Ok(id),
        None => Err(bad_id(
            side,
            sentence,
            token,
            labels.exact(at),
            numbers.len(),
        )),
    }
}

impl SpanLists {
    /// Reads the spans of both sides; if the tags of a sentence are equal on both sides and both sides are in one
    /// scheme, its spans are read and stored once.
    ///
    /// Sides of different lengths are read up to the end of the shorter one. The watch is called every 16,384
    /// sentences.
    ///
    /// # Errors
    /// [`ReadError::Tags`] with [`Reading::Refuse`]; [`InputError::Interrupted`] if the watch requests a stop.
    pub fn of_tags(
        gold: &TagSentences,
        pred: &TagSentences,
        reader: &Reader,
        watch: Watch,
    ) -> Result<(Self, Self), ReadError> {
        let mut all = Vec::new();
        let mut spans: Vec<Span> = Vec::new();
        let mut read = |at, side: SideReader<'_>, ids: &[u32]| -> Result<Range<u32>, ReadError> {
            if reader.reading() == Reading::Refuse {
                let checked = side.check(ids);
                checked.map_err(|error| ReadError::Tags {
                    sentence: at,
                    error,
                })?;
            }
            spans.clear();
            side.spans_into(ids, &mut spans);
            let first = all.len() as u32;
            all.extend(spans.iter().map(|span| Span {
                start: i64::from(span.start),
                end: i64::from(span.end),
                ty: span.ty,
            }));
            Ok(first..all.len() as u32)
        };
        let mut ranges = [Vec::new(), Vec::new()];
        let mut interval = Interval::new(INTERVAL);
        for (at, (gold, pred)) in gold.sentences().zip(pred.sentences()).enumerate() {
            let of_gold = read(at, reader.gold(), gold)?;
            let of_pred = if gold == pred && !reader.has_two_schemes() {
                of_gold.clone()
            } else {
                read(at, reader.pred(), pred)?
            };
            ranges[0].push(of_gold);
            ranges[1].push(of_pred);
            if interval.passes(1) && watch() {
                return Err(Interrupted.into());
            }
        }
        let types = reader.types().names().map(str::to_owned).collect();
        Ok(Self::gold_and_pred(all, None, types, ranges))
    }
}

/// Returns the spans of an array of integer labels, each with the 0-based index of its sentence.
///
/// `numbers` maps a label to its tag id. Tokens with the label `ignore` are skipped when spans are read, but counted in
/// positions, so spans refer to the given array: ignored subword tokens lie within the span around them.
///
/// # Errors
/// [`InputError::UnknownId`] for the first label without a tag; [`ReadError::Tags`] with
/// [`Reading::Refuse`].
///
/// # Examples
///
/// ```
/// use spanrs_eval::input::{Sentences, numbering};
/// use spanrs_eval::spans_of_ids;
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let numbers = numbering(&["O", "B-A", "I-A"].map(str::to_owned), &mut reader).unwrap();
/// let labels = [1_i64, -100, 2, 0];
/// let spans = spans_of_ids((&labels).into(), Sentences::Equal(1, 4), &numbers, -100, &reader).unwrap();
/// let (sentence, span) = spans[0];
/// assert_eq!((sentence, span.start, span.end), (0, 0, 3));
/// ```
pub fn spans_of_ids(
    labels: IdSlice<'_>,
    sentences: Sentences<'_>,
    numbers: &[u32],
    ignore: i64,
    reader: &Reader,
) -> Result<Vec<(usize, Span)>, ReadError> {
    let (mut ids, mut places) = (Vec::new(), Vec::new());
    let (mut all, mut spans) = (Vec::new(), Vec::new());
    for (sentence, range) in sentences.ranges().enumerate() {
        ids.clear();
        places.clear();
        spans.clear();
        for (token, at) in range.enumerate() {
            if labels.value(at) != ignore {
                ids.push(tag_of(
                    "the array",
                    (sentence, token),
                    (labels, at),
                    numbers,
                )?);
                places.push(token as u32);
            }
        }
        if reader.reading() == Reading::Refuse {
            let checked = reader.check(&ids);
            checked.map_err(|error| ReadError::Tags {
                sentence,
                error: at_places(error, &places),
            })?;
        }
        reader.spans_into(&ids, &mut spans);
        all.extend(spans.iter().map(|span| {
            let span = Span {
                start: places[span.start as usize],
                end: places[span.end as usize - 1] + 1,
                ty: span.ty,
            };
            (sentence, span)
        }));
    }
    Ok(all)
}

/// Replaces the indices of violations by positions that count ignored tokens.
fn at_places(mut error: TagsError, places: &[u32]) -> TagsError {
    if let TagsError::Malformed { violations, .. } = &mut error {
        for violation in violations {
            let place = places.get(violation.index as usize);
            violation.index = place.copied().unwrap_or_default();
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use spanrs_tags::{Dialect, Scheme};

    use super::*;
    use crate::input::numbering;

    fn reader(reading: Reading) -> (Reader, Vec<u32>) {
        let mut reader = Reader::new(Scheme::Bio, reading, Dialect::default()).unwrap();
        let names = ["O", "B-A", "I-A"].map(str::to_owned);
        let numbers = numbering(&names, &mut reader).unwrap();
        (reader, numbers)
    }

    #[test]
    fn spans_of_equal_sentences_are_stored_once() {
        let (reader, numbers) = reader(Reading::Conlleval);
        let (gold, pred) = ([1_i64, 2, 0, 1], [1_i64, 2, 1, -100]);
        let cut = Sentences::Lengths(&[2, 2]);
        let error =
            TagSentences::of_ids((&gold).into(), (&pred).into(), cut, &numbers, -100).unwrap_err();
        assert!(matches!(error, InputError::UnknownId { .. }));
        let pred = [1_i64, 2, 1, 0];
        let [gold, pred] =
            TagSentences::of_ids((&gold).into(), (&pred).into(), cut, &numbers, -100).unwrap();
        let (gold, pred) = SpanLists::of_tags(&gold, &pred, &reader, || false).unwrap();
        assert_eq!(gold.tuples(), [[("A", 0, 2)], [("A", 1, 2)]]);
        assert_eq!(pred.tuples(), [[("A", 0, 2)], [("A", 0, 1)]]);
        assert_eq!(gold.stored.spans.len(), 3);
    }

    #[test]
    fn a_refused_sentence_is_named() {
        let (reader, numbers) = reader(Reading::Refuse);
        let mut side = TagSentences::default();
        side.push(&[numbers[0]]);
        side.push(&[numbers[2]]);
        let error = SpanLists::of_tags(&side, &side, &reader, || false).unwrap_err();
        assert!(matches!(error, ReadError::Tags { sentence: 1, .. }));
    }

    #[test]
    fn positions_count_ignored_tokens() {
        let (reader, numbers) = reader(Reading::Conlleval);
        let labels = [-100_i64, 1, -100, 2, 0];
        let found = spans_of_ids(
            (&labels).into(),
            Sentences::Equal(1, 5),
            &numbers,
            -100,
            &reader,
        );
        let found = found.unwrap().into_iter();
        let found: Vec<_> = found.map(|(at, span)| (at, span.start, span.end)).collect();
        assert_eq!(found, [(0, 1, 4)]);
    }

    #[test]
    fn violations_count_ignored_tokens() {
        let (reader, numbers) = reader(Reading::Refuse);
        let labels = [-100_i64, 2];
        let found = spans_of_ids(
            (&labels).into(),
            Sentences::Equal(1, 2),
            &numbers,
            -100,
            &reader,
        );
        let Err(ReadError::Tags {
            error: TagsError::Malformed { violations, .. },
            ..
        }) = found
        else {
            panic!("the tags are malformed");
        };
        assert_eq!(violations[0].index, 1);
    }
}
