//! Counting sentences a block at a time.
//!
//! The histogram of tag bigrams is evaluated once per document, in time proportional to the square of the number of
//! tags. Documents with fewer tokens are walked sentence by sentence instead.
//!
//! | sentences of a block | counted by |
//! |---|---|
//! | of a document with fewer tokens than pairs of tags, if counts are kept by document | the walk, one by one |
//! | with violations, if the reading decides by bigrams in well-formed sentences only | the walk, one by one |
//! | all others | the histogram |
//!
//! In the second case the sentences are located first and overwritten with borders, which have no spans, so that the
//! histogram of the document can be counted in one pass; the sentences and tokens of these borders are then subtracted.
//!
//! Matchers other than the exact one also compare the sentences whose sides differ. If the histogram reports violations
//! and more positions are to be kept, the violations are located by reading the tags again; this happens only for the
//! first few violations of a corpus.

use std::ops::Range;

use spanrs_tags::Reader;

use super::{Fast, Scorer};
use crate::side::Side;
use crate::tag_block::{DocumentPart, TagBlock, ids};

impl Scorer {
    /// Adds the sentences of a block and clears it. `line_of` receives the side, the 0-based index of the sentence in
    /// the block and the 0-based index of the token in the sentence.
    ///
    /// Requires that [`Scorer::prepare_blocks`] has returned true for the current tags of the
    /// reader.
    #[inline]
    pub fn add_block(
        &mut self,
        reader: &Reader,
        block: &mut TagBlock,
        line_of: impl Fn(Side, u64, u32) -> u64,
    ) {
        self.add_block_and(reader, block, line_of, |_| ());
    }

    /// Same as [`Scorer::add_block`]; calls `meanwhile` at intervals with the range of tokens of a document that has
    /// just been counted, so that the caller can prefetch the following tokens while the memory bus is idle.
    #[inline]
    pub(crate) fn add_block_and(
        &mut self,
        reader: &Reader,
        block: &mut TagBlock,
        line_of: impl Fn(Side, u64, u32) -> u64,
        meanwhile: impl Fn(Range<usize>),
    ) {
        // For a document with fewer tokens than pairs of tags, evaluating the tables costs more than counting the
        // sentences one by one. Without tables, all documents are counted this way.
        let few = match self.fast {
            Fast::Bigrams(_) if self.has_documents() => reader.tags().len().pow(2),
            Fast::Bigrams(_) => 0,
            _ => usize::MAX,
        };
        for number in 0..block.close() {
            let part = block.document(number);
            let ends = part.ends.map(|name| name.map(str::to_owned));
            if part.tokens() < few {
                for (at, (gold, pred)) in (part.first as u64..).zip(part.both()) {
                    self.add_sentence(reader, [ids(gold), ids(pred)], |side, token| {
                        line_of(side, at, token)
                    });
                }
            } else {
                self.add_part_of_block(reader, part, &line_of, &meanwhile);
            }
            if let Some(name) = ends {
                self.end_document(reader, name.as_deref());
            }
        }
        block.clear();
    }

    /// Counts the sentences of one document, or of the part that is in the block, from tag bigrams.
    ///
    /// The steps are: malformed sentences are walked and overwritten if necessary; sentences whose sides differ are
    /// compared by the matcher, unless the matcher counts tags; the rest is counted by the histogram; violations in the
    /// histogram are located as long as positions are kept.
    #[inline]
    fn add_part_of_block(
        &mut self,
        reader: &Reader,
        mut part: DocumentPart<'_>,
        line_of: impl Fn(Side, u64, u32) -> u64,
        meanwhile: impl Fn(Range<usize>),
    ) {
        let end = self.sentences + part.sentences() as u64;
        let first = part.first as u64;
        let (sentences, tokens) = self.add_malformed(reader, &mut part, &line_of);
        if !self.counts_tags {
            for (gold, pred) in part.both() {
                let equal = self.compares_equal_sides && !DocumentPart::is_blank(gold);
                if equal || gold != pred {
                    self.compare(reader, [ids(gold), ids(pred)]);
                }
            }
        }
        let Fast::Bigrams(fast) = &mut self.fast else {
            return;
        };
        let found = fast.count(part.gold, part.pred, part.sentences(), meanwhile);
        fast.discount(sentences, tokens);
        for (side, count) in [Side::Gold, Side::Pred].into_iter().zip(found) {
            if count == 0 {
                continue;
            }
            let (bytes, violations) = match side {
                Side::Gold => (&*part.gold, &mut self.gold),
                Side::Pred => (&*part.pred, &mut self.pred),
            };
            if violations.first.len() < self.keep {
                let sentences = part.ranges().map(|range| ids(&bytes[range]).collect());
                let line = |sentence, token| line_of(side, first + sentence, token);
                violations.locate(reader, sentences, self.sentences, self.keep, line);
            }
            violations.count += count;
            match side {
                Side::Gold => self.tags.corpus.gold_violations += count,
                Side::Pred => self.tags.corpus.pred_violations += count,
            }
        }
        self.sentences = end;
    }

    /// If the tables are valid only for well-formed sentences, walks the sentences with violations and overwrites them
    /// in the block with borders. Returns the numbers of these sentences and of their tokens, which the histogram will
    /// count again.
    ///
    /// The positions come from [`TagBigramCounter::malformed`](crate::tag_bigrams::TagBigramCounter::malformed); a
    /// position at the first tag of a sentence may belong to the end of the previous sentence, so both sentences are
    /// walked.
    fn add_malformed(
        &mut self,
        reader: &Reader,
        part: &mut DocumentPart<'_>,
        line_of: impl Fn(Side, u64, u32) -> u64,
    ) -> (u64, u64) {
        let Fast::Bigrams(fast) = &mut self.fast else {
            return (0, 0);
        };
        if !fast.only_well_formed() {
            return (0, 0);
        }
        let mut places = std::mem::take(&mut self.buffers.malformed);
        places.clear();
        fast.malformed(part.gold, part.pred, &mut places);
        places.sort_unstable();
        let before = self.sentences;
        let (mut sentences, mut tokens, mut next) = (0, 0, 0);
        for (number, range) in part.ranges().enumerate() {
            if next == places.len() {
                break;
            }
            // A position at the first tag of the next sentence may refer to the end of this sentence.
            while places.get(next).is_some_and(|&place| place < range.start) {
                next += 1;
            }
            if places.get(next).is_none_or(|&place| place > range.end) {
                continue;
            }
            let sides = [&part.gold[range.clone()], &part.pred[range.clone()]];
            self.sentences = before + number as u64;
            let in_block = (part.first + number) as u64;
            self.add_sentence(reader, sides.map(ids), |side, token| {
                line_of(side, in_block, token)
            });
            (sentences, tokens) = (sentences + 1, tokens + range.len() as u64);
            part.blank(range);
        }
        self.sentences = before;
        self.buffers.malformed = places;
        (sentences, tokens)
    }
}
