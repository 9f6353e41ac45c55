//! Counting sentences whose tags are converted to ids pair by pair, such as lists of strings.

use spanrs_tags::Reader;

use super::InputError;
use crate::scorer::Scorer;
use crate::tag_block::TagBlock;

/// Looks up the ids of a token's gold and pred tags. Implemented for closures.
///
/// This is a trait because a closure that is called in two places is not inlined: lists of a million tokens took 6.0
/// instead of 4.5 ms. A method can be `inline(always)`.
pub trait PairIds<T> {
    /// The error for an item that is not a tag.
    type Error;

    /// Returns the reader's ids of the gold and the pred tag of a token. Called a second time for each token of the
    /// sentence in which the number of tags exceeds [`TagBlock::TAGS`].
    ///
    /// # Errors
    /// If one of the items is not a tag, or there are too many tags.
    fn pair_ids(&mut self, reader: &mut Reader, token: T) -> Result<(u32, u32), Self::Error>;
}

impl<T, E, F: FnMut(&mut Reader, T) -> Result<(u32, u32), E>> PairIds<T> for F {
    type Error = E;

    #[inline(always)]
    fn pair_ids(&mut self, reader: &mut Reader, token: T) -> Result<(u32, u32), E> {
        self(reader, token)
    }
}

/// Counts sentences while looking up or interning their tags: in blocks if the reading and the number of tags allow
/// this, otherwise one by one.
///
/// # Examples
///
/// ```
/// use spanrs_eval::input::{InputError, PairCounter};
/// use spanrs_eval::{Exact, Scorer};
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
/// let mut counter = PairCounter::new(&mut reader, &mut scorer);
/// let mut ids = |reader: &mut Reader, (gold, pred): &(&str, &str)| -> Result<_, InputError> {
///     Ok((reader.intern(gold)?, reader.intern(pred)?))
/// };
/// counter.add([("B-A", "B-A"), ("O", "B-A")].iter(), &mut ids).unwrap();
/// counter.finish();
/// assert_eq!(scorer.counts(&reader).tag_totals().types, [[1, 2, 1]]);
/// ```
pub struct PairCounter<'a> {
    /// Interns the tags.
    reader: &'a mut Reader,
    /// Receives the counts.
    scorer: &'a mut Scorer,
    /// Sentences that have not been counted yet.
    block: TagBlock,
    /// Gold ids of a sentence that is not added to a block.
    gold: Vec<u32>,
    /// Pred ids of a sentence that is not added to a block.
    pred: Vec<u32>,
    /// Whether sentences were counted since the last call of [`PairCounter::check`].
    counted: bool,
}

impl<'a> PairCounter<'a> {
    /// Creates a counter. All sentences are counted after [`PairCounter::finish`].
    pub fn new(reader: &'a mut Reader, scorer: &'a mut Scorer) -> Self {
        Self {
            reader,
            scorer,
            block: TagBlock::default(),
            gold: Vec::new(),
            pred: Vec::new(),
            counted: false,
        }
    }

    /// Adds a sentence.
    ///
    /// # Errors
    /// The errors of `ids`; the sentence is then not added.
    #[inline(always)]
    pub fn add<T, P: PairIds<T>>(
        &mut self,
        tokens: impl ExactSizeIterator<Item = T> + Clone,
        ids: &mut P,
    ) -> Result<(), P::Error> {
        if !self.scorer.prepare_blocks(self.reader) {
            self.read_ids(tokens, ids)?;
            self.count_ids();
            return Ok(());
        }
        let (known, length) = (self.reader.tags().len(), tokens.len());
        let (gold, pred) = self.block.reserve(length);
        for ((gold, pred), token) in gold.iter_mut().zip(pred).zip(tokens.clone()) {
            match ids.pair_ids(self.reader, token) {
                Ok((of_gold, of_pred)) => (*gold, *pred) = (of_gold as u8, of_pred as u8),
                Err(error) => {
                    self.leave_blocks();
                    return Err(error);
                }
            }
        }
        if self.reader.tags().len() > known {
            if self.reader.tags().len() > TagBlock::TAGS {
                // The ids are read before anything is counted, because the watch of a matcher may run code of the
                // caller.
                let read = self.read_ids(tokens, ids);
                self.leave_blocks();
                read?;
                self.count_ids();
                return Ok(());
            }
            // The scorer must know new tags before the block is counted.
            self.scorer.prepare_blocks(self.reader);
        }
        self.block.end(length);
        if self.block.is_full() {
            self.count_block();
        }
        Ok(())
    }

    /// Replaces `gold` and `pred` by the ids of a sentence.
    fn read_ids<T, P: PairIds<T>>(
        &mut self,
        tokens: impl Iterator<Item = T>,
        ids: &mut P,
    ) -> Result<(), P::Error> {
        self.gold.clear();
        self.pred.clear();
        for token in tokens {
            let (gold, pred) = ids.pair_ids(self.reader, token)?;
            self.gold.push(gold);
            self.pred.push(pred);
        }
        Ok(())
    }

    /// Counts the block if there are too many tags for the next block. The tables for the tags of this block still
    /// exist; [`Scorer::prepare_blocks`] then drops them.
    #[cold]
    fn leave_blocks(&mut self) {
        if self.reader.tags().len() > TagBlock::TAGS {
            self.count_block();
        }
    }

    /// Counts the sentence whose ids have been read.
    fn count_ids(&mut self) {
        self.scorer
            .add(self.reader, &self.gold, &self.pred, |_, _| 0);
        self.counted = true;
    }

    /// Counts the sentences of the block.
    fn count_block(&mut self) {
        self.scorer
            .add_block(self.reader, &mut self.block, |_, _, _| 0);
        self.counted = true;
    }

    /// Ends the current document.
    #[inline]
    pub fn end_document(&mut self, name: Option<&str>) {
        if self.scorer.prepare_blocks(self.reader) {
            self.block.end_document(name);
        } else {
            self.scorer.end_document(self.reader, name);
        }
    }

    /// Returns whether sentences were counted since the last call; counting may have called a watch.
    ///
    /// # Errors
    /// [`InputError::Unmatched`] if the matcher refused spans, [`InputError::Interrupted`] if its watch requests a
    /// stop.
    #[inline]
    pub fn check(&mut self) -> Result<bool, InputError> {
        let counted = std::mem::take(&mut self.counted);
        if counted {
            self.scorer.check()?;
        }
        Ok(counted)
    }

    /// Counts the sentences that have not been counted yet.
    pub fn finish(mut self) {
        self.count_block();
    }
}

#[cfg(test)]
mod tests {
    use spanrs_tags::{Dialect, Reading, Scheme};

    use super::*;
    use crate::Exact;

    fn parts(reading: Reading) -> (Reader, Scorer) {
        let reader = Reader::new(Scheme::Bio, reading, Dialect::default()).unwrap();
        (reader, Scorer::new(Box::new(Exact::default()), 0))
    }

    #[test]
    fn blocks_and_single_sentences_count_the_same() {
        // The number of tags grows: the first sentences are counted in blocks, the last ones individually.
        let tag = |ty: usize| {
            format!(
                "{}-{}",
                if ty.is_multiple_of(3) { "I" } else { "B" },
                ty % 290
            )
        };
        let sentence = |at: usize| -> Vec<(String, String)> {
            let pairs = (0..4).map(|more| (tag(at + more), tag(at + 2 * more / 3)));
            pairs.collect()
        };
        let sentences: Vec<_> = (0..600).map(sentence).collect();
        for reading in [Reading::Conlleval, Reading::Strict, Reading::Discard] {
            let (mut reader, mut scorer) = parts(reading);
            let mut counter = PairCounter::new(&mut reader, &mut scorer);
            for (at, sentence) in sentences.iter().enumerate() {
                let mut ids = |reader: &mut Reader, (gold, pred): &(String, String)| {
                    Ok::<_, InputError>((reader.intern(gold)?, reader.intern(pred)?))
                };
                counter.add(sentence.iter(), &mut ids).unwrap();
                assert!(
                    !counter.check().unwrap() || at > 100,
                    "the first sentences are counted in blocks"
                );
            }
            counter.finish();
            let (mut other, mut single) = parts(reading);
            for sentence in &sentences {
                let ids = |side: fn(&(String, String)) -> &String, reader: &mut Reader| {
                    reader.intern_all(sentence.iter().map(|pair| side(pair).as_str()))
                };
                let gold = ids(|pair| &pair.0, &mut other).unwrap();
                let pred = ids(|pair| &pair.1, &mut other).unwrap();
                single.add(&other, &gold, &pred, |_, _| 0);
            }
            let totals = |reader: &Reader, scorer: &mut Scorer| {
                let counts = scorer.counts(reader);
                let names: Vec<_> = reader.types().names().map(str::to_owned).collect();
                let of = |name: &String| {
                    counts
                        .type_number(name)
                        .map(|ty| counts.tag_totals().types[ty as usize])
                };
                let mut all: Vec<_> = names.iter().map(|name| (name.clone(), of(name))).collect();
                all.sort();
                (
                    all,
                    counts.tag_totals().equal_tokens,
                    counts.tag_totals().violations,
                )
            };
            assert_eq!(totals(&reader, &mut scorer), totals(&other, &mut single));
            assert_eq!(scorer.position(), single.position());
        }
    }

    #[test]
    fn a_refused_tag_leaves_the_sentence_out() {
        let (mut reader, mut scorer) = parts(Reading::Conlleval);
        let mut counter = PairCounter::new(&mut reader, &mut scorer);
        let mut ids = |reader: &mut Reader, token: i32| match token {
            0 => Ok((reader.intern("O").unwrap_or(0), 0)),
            _ => Err("no tag"),
        };
        let refused = counter.add([0, 1].into_iter(), &mut ids);
        assert_eq!(refused, Err("no tag"));
        counter.finish();
        assert_eq!(scorer.position(), (0, 0));
    }

    #[test]
    fn sentences_around_a_refused_one_with_many_tags_are_counted() {
        let (mut reader, mut scorer) = parts(Reading::Conlleval);
        let mut counter = PairCounter::new(&mut reader, &mut scorer);
        let mut ids = |reader: &mut Reader, tag: &String| {
            let id = reader.intern(tag).map_err(|_| "too many")?;
            if tag == "x" {
                Err("no tag")
            } else {
                Ok((id, id))
            }
        };
        let many: Vec<String> = (0..200).map(|at| format!("B-{at}")).collect();
        let bad = [&many[..], &["x".to_owned()]].concat();
        counter.add(many[..2].iter(), &mut ids).unwrap();
        assert_eq!(counter.add(bad.iter(), &mut ids), Err("no tag"));
        counter.end_document(Some("one"));
        counter.add(many[..1].iter(), &mut ids).unwrap();
        counter.finish();
        assert_eq!(scorer.position(), (2, 1));
        let counts = scorer.counts(&reader);
        assert_eq!(counts.tag_totals().equal_tokens, 3);
    }
}
