//! Spans and counts of NCRF++'s `utils/metric.py`, including the span ends that NCRF++ loses.
//!
//! In NCRF++, a span that is closed by the end of the sentence has no end, and therefore equals a
//! span of one token. The reading [`spanrs_tags::Reading::Ncrfpp`] keeps these ends.
//!
//! Further properties that are reproduced:
//!
//! - Tags are compared in upper case, and prefixes are searched for anywhere in them: `WEB-SITE`
//!   contains `B-`, so it begins a span of the type `WESITE`.
//! - In BIO, a span extends over any `I-` of its type; an `I-` of another type ends the span and
//!   does not begin another.
//! - In BMES, a span extends to an `E-` of any type or up to the next `B-` or `S-`, regardless of
//!   the tags in between.
//! - A span of the empty type that begins with `B-` is never reported; a single token with `S-` is.
//!
//! | tags | BIO | BMES |
//! |---|---|---|
//! | `B-A I-A` | A from 0, end lost | |
//! | `B-A O` | A [0, 0] | A from 0, end lost |
//! | `B-A M-B E-C` | | A [0, 2] |
//! | `S-A` | | A from 0, no end |

use spanrs_base::Vocabulary;

/// A span as (type, first token, last token). The last token is inclusive; None if the end was lost
/// or the span is a single token in BMES.
pub type Span = (u32, u32, Option<u32>);

/// Id of the empty type; it is the same in every [`Tags`]. Only single tokens of this type are
/// reported.
const NAMELESS: u32 = 0;

/// The effect of a tag. A type is given by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Begins a span.
    Begin(u32),
    /// Marks a span of one token.
    Single(u32),
    /// Continues a span of this type, and ends a span of any other type before this token.
    Inside(u32),
    /// Ends a span of any type, as its last token.
    End,
    /// Ends a span before this token.
    Outside,
    /// Has no effect.
    Nothing,
}

/// A prefix, and the action of its tags for a type.
type Rule = (&'static str, fn(u32) -> Action);

/// The actions of the distinct tags of a text, by tag id.
///
/// # Examples
///
/// ```
/// let mut tags = spanrs_compat::ncrfpp::Tags::new(true).unwrap();
/// for tag in ["B-PER", "I-PER", "O"] {
///     tags.push(tag).unwrap();
/// }
/// let mut spans = Vec::new();
/// tags.spans(&[0, 1, 2, 0], &mut spans);
/// let spans: Vec<_> = spans.iter().map(|s| (tags.type_name(s.0), s.1, s.2)).collect();
/// assert_eq!(spans, [("PER", 0, Some(1)), ("PER", 3, None)]);
/// ```
#[derive(Clone, Debug)]
pub struct Tags {
    /// The types; id 0 is the empty type.
    types: Vocabulary,
    /// Actions by tag id.
    actions: Vec<Action>,
    /// Whether tags are NCRF++'s BIO instead of its BMES.
    bio: bool,
}

impl Tags {
    /// Creates an empty list of tags; `bio` selects NCRF++'s BIO, else its BMES.
    ///
    /// # Errors
    /// [`spanrs_tags::Error::TooManyTags`]; none in practice.
    pub fn new(bio: bool) -> spanrs_tags::Result<Self> {
        let mut types = Vocabulary::new(usize::MAX);
        types.intern("")?;
        Ok(Self {
            types,
            actions: Vec::new(),
            bio,
        })
    }

    /// Returns the number of tags.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Returns whether there are no tags.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// Adds the tag with the next id. The tag must be in upper case, as converted by NCRF++.
    ///
    /// # Errors
    /// [`spanrs_tags::Error::TooManyTags`].
    pub fn push(&mut self, upper: &str) -> spanrs_tags::Result<()> {
        let rules: &[Rule] = match self.bio {
            true => &[("B-", Action::Begin), ("I-", Action::Inside)],
            false => &[
                ("B-", Action::Begin),
                ("S-", Action::Single),
                ("E-", |_| Action::End),
            ],
        };
        // Prefixes are searched for anywhere in the tag.
        let rule = rules.iter().find(|(prefix, _)| upper.contains(prefix));
        self.actions.push(match rule {
            Some((prefix, action)) => action(self.types.intern(&upper.replacen(prefix, "", 1))?),
            None if self.bio => Action::Outside,
            None => Action::Nothing,
        });
        Ok(())
    }

    /// Returns the name of a type.
    pub fn type_name(&self, ty: u32) -> &str {
        self.types.name(ty)
    }

    /// Replaces `found` with the spans of a sentence, in the order of their starts.
    pub fn spans(&self, ids: &[u32], found: &mut Vec<Span>) {
        found.clear();
        spans(ids.iter().map(|&id| self.actions[id as usize]), found);
    }
}

/// Appends the spans of a sentence of actions.
fn spans(actions: impl Iterator<Item = Action>, found: &mut Vec<Span>) {
    let mut open: Option<(u32, u32)> = None;
    for (at, action) in (0_u32..).zip(actions) {
        // A span of the empty type is never closed, and therefore never found.
        let close = |open: &mut Option<(u32, u32)>, found: &mut Vec<Span>, last: u32| {
            if let Some((ty, start)) = open.take()
                && ty != NAMELESS
            {
                found.push((ty, start, Some(last)));
            }
        };
        match action {
            Action::Begin(ty) => {
                close(&mut open, found, at.wrapping_sub(1));
                open = Some((ty, at));
            }
            Action::Single(ty) => {
                close(&mut open, found, at.wrapping_sub(1));
                found.push((ty, at, None));
            }
            // The empty type continues an open span of the empty type; if no span is open, it has
            // no effect.
            Action::Inside(ty) if open.map_or(NAMELESS, |(known, _)| known) == ty => {}
            Action::Inside(_) | Action::Outside => close(&mut open, found, at.wrapping_sub(1)),
            Action::End => close(&mut open, found, at),
            Action::Nothing => {}
        }
    }
    if let Some((ty, start)) = open
        && ty != NAMELESS
    {
        found.push((ty, start, None));
    }
}

/// The counts of a text, from which NCRF++ computes accuracy, precision and recall.
///
/// # Examples
///
/// ```
/// use spanrs_compat::ncrfpp::{Counts, Tags};
/// let mut tags = Tags::new(true).unwrap();
/// for tag in ["B-A", "O"] {
///     tags.push(tag).unwrap();
/// }
/// let mut counts = Counts::default();
/// counts.add(&tags, &[0, 1, 0], &[0, 1, 1]);
/// assert_eq!((counts.gold, counts.pred, counts.both), (2, 1, 1));
/// assert_eq!((counts.equal_tokens, counts.tokens), (2, 3));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Tokens with equal tags.
    pub equal_tokens: usize,
    /// Gold tokens.
    pub tokens: usize,
    /// Gold spans.
    pub gold: usize,
    /// Pred spans.
    pub pred: usize,
    /// Spans that occur on both sides; spans with lost ends are equal if they have the same start.
    pub both: usize,
    /// Work space: the gold and pred spans of a sentence.
    found: [Vec<Span>; 2],
}

impl Counts {
    /// Adds a sentence, given by tag ids. Pred tokens after the end of gold only contribute spans.
    pub fn add(&mut self, tags: &Tags, gold: &[u32], pred: &[u32]) {
        let [gold_spans, pred_spans] = &mut self.found;
        tags.spans(gold, gold_spans);
        tags.spans(pred, pred_spans);
        self.equal_tokens += gold.iter().zip(pred).filter(|(g, p)| g == p).count();
        self.tokens += gold.len();
        self.gold += gold_spans.len();
        self.pred += pred_spans.len();
        self.both += common(gold_spans, pred_spans);
    }
}

/// Counts the spans that are in both lists, which must be sorted by start. No side has two spans
/// with the same start.
fn common(one: &[Span], other: &[Span]) -> usize {
    let mut others = other.iter().peekable();
    one.iter()
        .filter(|span| {
            while others.next_if(|other| other.1 < span.1).is_some() {}
            others.peek() == Some(span)
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tags: &[&str], bio: bool) -> Vec<(String, u32, Option<u32>)> {
        let mut read = Tags::new(bio).unwrap();
        for tag in tags {
            read.push(tag).unwrap();
        }
        let ids: Vec<u32> = (0..tags.len() as u32).collect();
        let mut found = Vec::new();
        read.spans(&ids, &mut found);
        let named = |&(ty, start, last): &Span| (read.type_name(ty).to_owned(), start, last);
        found.iter().map(named).collect()
    }

    #[test]
    fn a_span_at_the_end_of_the_sentence_loses_its_end() {
        let found = read(&["B-PER", "I-PER", "B-LOC"], true);
        let expected = [("PER".to_owned(), 0, Some(1)), ("LOC".to_owned(), 2, None)];
        assert_eq!(found, expected);
        assert_eq!(read(&["S-LOC"], false), [("LOC".to_owned(), 0, None)]);
    }

    #[test]
    fn prefixes_are_found_anywhere_in_a_tag() {
        assert_eq!(read(&["WEB-SITE"], true), [("WESITE".to_owned(), 0, None)]);
    }

    #[test]
    fn a_lost_end_counts_as_a_match() {
        let mut tags = Tags::new(true).unwrap();
        for tag in ["B-PER", "I-PER", "O"] {
            tags.push(tag).unwrap();
        }
        let mut counts = Counts::default();
        // On both sides, the end of the PER span from the second token on is lost.
        counts.add(&tags, &[2, 0, 1], &[2, 0, 1]);
        counts.add(&tags, &[0, 2], &[0, 1]);
        assert_eq!((counts.equal_tokens, counts.tokens), (4, 5));
        assert_eq!((counts.gold, counts.pred, counts.both), (2, 2, 1));
    }
}
