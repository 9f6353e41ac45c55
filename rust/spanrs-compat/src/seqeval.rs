//! Spans and counts of seqeval's default mode, for arbitrary tags.
//!
//! The reading [`Seqeval`](spanrs_tags::Reading::Seqeval) implements this mode for tags of the form `prefix-type`, one
//! sentence at a time. seqeval itself uses the first character of any string (with `suffix` the last) as the prefix,
//! and joins all sentences with an `O` between them. Results differ only for unusual tags: `X`, `PER`, `O-PER` or `.`
//! may end a span that began in an earlier sentence.
//!
//! # Rules
//!
//! Between two successive tags, including the `O` between sentences:
//!
//! - A span ends if the first tag is `E` or `S`; or the first is `B` or `I` and the second is `B`,
//!   `S` or `O`; or the types differ and the first tag is neither `O` nor `.`.
//! - A span begins if the second tag is `B` or `S`; or the second is `E` or `I` and the first is
//!   `E`, `S` or `O`; or the types differ and the second tag is neither `O` nor `.`.
//!
//! A span that ends starts at the last beginning, even if an earlier span has the same start. The type of a span is the
//! type of its last tag. For every other letter, including `L`, `U`, `M` and `W`, only the rules for types apply.
//!
//! # Examples
//!
//! ```
//! use spanrs_base::Vocabulary;
//! use spanrs_compat::seqeval::{EntityReader, Tokens};
//! let mut tags = Vocabulary::new(10);
//! let ids = ["B-PER", "I-PER", "O", "PER"].map(|tag| tags.intern(tag).unwrap());
//! let reader = EntityReader::new(&tags, false).unwrap();
//! let mut tokens = Tokens::default();
//! tokens.push(&ids);
//! let spans = reader.entities(&tokens);
//! let spans: Vec<_> = spans.map(|s| (reader.types().name(s.ty), s.begin, s.end)).collect();
//! // The first character of `PER` is the prefix, so its type is `ER`.
//! assert_eq!(spans, [("PER", 0, 2), ("ER", 3, 4)]);
//! ```

use spanrs_base::Vocabulary;
use spanrs_eval::SpanCounts;
use spanrs_tags::{Result, seqeval_borders};

/// Prefixes in the order of their symbols; the last symbol represents all other prefixes.
const LETTERS: [char; 7] = ['O', 'B', 'I', 'E', 'S', '.', '?'];
/// Symbol of `O`.
const OUTSIDE: u8 = 0;
/// Symbol of every letter that seqeval does not know.
const UNKNOWN: u8 = 6;
/// seqeval's name for the type of a tag without a type.
const UNTYPED: &str = "_";

/// Step bit: a span ends before this tag.
const CLOSE: u8 = 1;
/// Step bit: a span begins at this tag.
const OPEN: u8 = 2;

/// The id of the `O` that [`Tokens`] has after each sentence; no vocabulary is large enough to contain it.
const BORDER: u32 = u32::MAX;

/// The tag ids of all sentences of one side, with a separator after each sentence.
#[derive(Clone, Debug, Default)]
pub struct Tokens(Vec<u32>);

impl Tokens {
    /// Appends a sentence.
    pub fn push(&mut self, ids: &[u32]) {
        self.0.extend_from_slice(ids);
        self.0.push(BORDER);
    }

    /// Iterates over the ids, with None after each sentence.
    fn ids(&self) -> impl Iterator<Item = Option<u32>> {
        self.0.iter().map(|&id| (id != BORDER).then_some(id))
    }
}

/// A span of seqeval's default mode.
///
/// Positions continue across sentences, plus one for each separator, as in seqeval's flattened input list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity {
    /// Id of the type, see [`EntityReader::types`].
    pub ty: u32,
    /// First token, 0-based.
    pub begin: u64,
    /// One past the last token (seqeval itself returns the last token).
    pub end: u64,
}

/// Prefix and type of each tag of a vocabulary, split as in seqeval, and the rules between tags.
#[derive(Clone, Debug)]
pub struct EntityReader {
    /// The types of all tags; type 0 is `_`.
    types: Vocabulary,
    /// Symbol of the prefix and type id, by tag id.
    parts: Vec<(u8, u32)>,
    /// The step bits by [`place`].
    steps: [u8; 128],
}

impl EntityReader {
    /// Splits every tag. With `suffix` the last character is the prefix. The empty tag, which is an
    /// error in seqeval, has an unknown prefix.
    ///
    /// # Errors
    /// [`spanrs_tags::Error::TooManyTags`].
    pub fn new(tags: &Vocabulary, suffix: bool) -> Result<Self> {
        let mut types = Vocabulary::new(usize::MAX);
        // Type 0 is the type of the `O` between sentences.
        types.intern(UNTYPED)?;
        let mut parts = Vec::with_capacity(tags.len());
        for tag in tags.names() {
            let (letter, ty) = split(tag, suffix);
            let symbol = LETTERS.iter().position(|known| Some(*known) == letter);
            let symbol = symbol.map_or(UNKNOWN, |at| at as u8);
            parts.push((symbol, types.intern(ty)?));
        }
        let mut steps = [0; 128];
        for (before, letter_before) in (0..).zip(LETTERS) {
            for (here, letter_here) in (0..).zip(LETTERS) {
                for same in [false, true] {
                    let (close, open) = seqeval_borders(letter_before, letter_here, same);
                    steps[place(before, here, same)] =
                        (u8::from(close) * CLOSE) | (u8::from(open) * OPEN);
                }
            }
        }
        Ok(Self {
            types,
            parts,
            steps,
        })
    }

    /// Returns the types of all tags.
    pub fn types(&self) -> &Vocabulary {
        &self.types
    }

    /// Iterates over the spans of all sentences, in the order of their ends.
    pub fn entities(&self, tokens: &Tokens) -> impl Iterator<Item = Entity> {
        let mut walk = Walk::new(self);
        tokens.ids().filter_map(move |id| walk.step(id))
    }

    /// Counts gold spans, pred spans and spans in both, by type id. The sentences of both sides must have the same
    /// lengths.
    ///
    /// Linear in the number of tokens; no span is stored.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::Vocabulary;
    /// use spanrs_compat::seqeval::{EntityReader, Tokens};
    /// let mut tags = Vocabulary::new(10);
    /// let ids = ["B-A", "I-A", "O"].map(|tag| tags.intern(tag).unwrap());
    /// let reader = EntityReader::new(&tags, false).unwrap();
    /// let (mut gold, mut pred) = (Tokens::default(), Tokens::default());
    /// gold.push(&[ids[0], ids[1], ids[0]]);
    /// pred.push(&[ids[0], ids[2], ids[0]]);
    /// let counts = reader.count(&gold, &pred)[reader.types().get("A").unwrap() as usize];
    /// assert_eq!((counts.gold, counts.pred, counts.tp), (2, 2, 1));
    /// ```
    pub fn count(&self, gold: &Tokens, pred: &Tokens) -> Vec<SpanCounts> {
        let mut types = vec![SpanCounts::default(); self.types.len()];
        let (mut gold_walk, mut pred_walk) = (Walk::new(self), Walk::new(self));
        for (gold, pred) in gold.ids().zip(pred.ids()) {
            // On each side at most one span ends at a step, so equal spans are found at the same step.
            let (gold, pred) = (gold_walk.step(gold), pred_walk.step(pred));
            if let Some(gold) = gold {
                let of_type = &mut types[gold.ty as usize];
                of_type.gold += 1;
                of_type.tp += u64::from(Some(gold) == pred);
            }
            if let Some(pred) = pred {
                types[pred.ty as usize].pred += 1;
            }
        }
        types
    }
}

/// State of a traversal of the tags in all sentences of one side.
#[derive(Clone, Debug)]
struct Walk<'a> {
    /// The decoded tags and the rules.
    reader: &'a EntityReader,
    /// Symbol and type of the previous tag.
    before: (u8, u32),
    /// Position where the last span began.
    begin: u64,
    /// Position of the next tag.
    at: u64,
}

impl<'a> Walk<'a> {
    /// Creates a walk before the first tag, after an `O`.
    fn new(reader: &'a EntityReader) -> Self {
        Self {
            reader,
            before: (OUTSIDE, 0),
            begin: 0,
            at: 0,
        }
    }

    /// Advances by a tag (None at the end of each sentence) and returns the span that ends before the tag.
    #[inline]
    fn step(&mut self, tag: Option<u32>) -> Option<Entity> {
        let (symbol, ty) = tag.map_or((OUTSIDE, 0), |tag| self.reader.parts[tag as usize]);
        let step = self.reader.steps[place(self.before.0, symbol, ty == self.before.1)];
        let entity = (step & CLOSE != 0).then_some(Entity {
            ty: self.before.1,
            begin: self.begin,
            end: self.at,
        });
        if step & OPEN != 0 {
            self.begin = self.at;
        }
        self.before = (symbol, ty);
        self.at += 1;
        entity
    }
}

/// Returns the index of a pair of symbols in [`EntityReader::steps`]; `same` says whether the types
/// are equal.
#[inline]
fn place(before: u8, here: u8, same: bool) -> usize {
    usize::from(before & 7) << 4 | usize::from(here & 7) << 1 | usize::from(same)
}

/// Splits a tag into letter and type. Characters between the letter and the first `-` (with
/// `suffix`, the last) are skipped.
fn split(tag: &str, suffix: bool) -> (Option<char>, &str) {
    let mut rest = tag.chars();
    let (letter, ty) = if suffix {
        let letter = rest.next_back();
        let rest = rest.as_str();
        (letter, rest.rsplit_once('-').map_or(rest, |(ty, _)| ty))
    } else {
        let letter = rest.next();
        let rest = rest.as_str();
        (letter, rest.split_once('-').map_or(rest, |(_, ty)| ty))
    };
    (letter, if ty.is_empty() { UNTYPED } else { ty })
}

/// Confusion of tokens between `O` and all other tags, as in seqeval's `performance_measure`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenOutcomes {
    /// Equal tags other than `O`.
    pub tp: u64,
    /// Different tags, where the pred tag is not `O`.
    pub fp: u64,
    /// Different tags, where the pred tag is `O`.
    pub fn_: u64,
    /// `O` on both sides.
    pub tn: u64,
}

impl TokenOutcomes {
    /// Counts tokens up to the end of the shorter side. `outside` is the id of `O`, or None if no
    /// tag is `O`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_compat::seqeval::TokenOutcomes;
    /// // O, B-A, I-A against O, B-A, O.
    /// let counts = TokenOutcomes::count(Some(0), &[0, 1, 2], &[0, 1, 0]);
    /// assert_eq!((counts.tp, counts.fp, counts.fn_, counts.tn), (1, 0, 1, 1));
    /// ```
    pub fn count(outside: Option<u32>, gold: &[u32], pred: &[u32]) -> Self {
        let mut counts = Self::default();
        for (gold, pred) in gold.iter().zip(pred) {
            let (is_outside, equal) = (Some(*pred) == outside, gold == pred);
            counts.tp += u64::from(equal && !is_outside);
            counts.fp += u64::from(!equal && !is_outside);
            counts.fn_ += u64::from(!equal && is_outside);
            counts.tn += u64::from(equal && is_outside);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(tags: &[&str]) -> Vocabulary {
        let mut vocabulary = Vocabulary::new(10);
        for tag in tags {
            vocabulary.intern(tag).unwrap();
        }
        vocabulary
    }

    #[test]
    fn the_first_character_is_the_prefix() {
        assert_eq!(split("B-PER", false), (Some('B'), "PER"));
        assert_eq!(split("BX-PER-LOC", false), (Some('B'), "PER-LOC"));
        assert_eq!(split("PER", false), (Some('P'), "ER"));
        assert_eq!(split("日本-B", true), (Some('B'), "日本"));
        assert_eq!(split("A-PERB", true), (Some('B'), "A"));
        assert_eq!(split("B-", false), (Some('B'), "_"));
        assert_eq!(split("", true), (None, "_"));
    }

    #[test]
    fn a_span_may_reach_over_the_end_of_a_sentence() {
        let reader = EntityReader::new(&vocabulary(&["B-PER", "X", "X-LOC"]), false).unwrap();
        let mut tokens = Tokens::default();
        tokens.push(&[0]);
        tokens.push(&[1, 2]);
        let spans: Vec<_> = reader
            .entities(&tokens)
            .map(|span| (reader.types().name(span.ty), span.begin, span.end))
            .collect();
        assert_eq!(spans, [("PER", 0, 1), ("_", 0, 3), ("LOC", 3, 4)]);
    }

    #[test]
    fn equal_spans_are_counted_by_type() {
        let reader = EntityReader::new(&vocabulary(&["O", "B-A", "I-A", "B-B"]), false).unwrap();
        let (mut gold, mut pred) = (Tokens::default(), Tokens::default());
        gold.push(&[1, 2, 0, 3]);
        pred.push(&[1, 2, 0, 1]);
        let counts = reader.count(&gold, &pred);
        let of = |name| {
            let counts = counts[reader.types().get(name).unwrap() as usize];
            (counts.gold, counts.pred, counts.tp)
        };
        assert_eq!((of("A"), of("B")), ((1, 2, 1), (1, 0, 0)));
    }

    #[test]
    fn tokens_are_compared_up_to_the_end_of_the_shorter_side() {
        let counts = TokenOutcomes::count(Some(0), &[0, 1, 1, 2], &[0, 1, 0]);
        let expected = TokenOutcomes {
            tp: 1,
            fp: 0,
            fn_: 1,
            tn: 1,
        };
        assert_eq!(counts, expected);
    }
}
