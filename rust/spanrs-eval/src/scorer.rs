use spanrs_tags::{Reader, SideReader, Violation};

use crate::counts::Counts;
use crate::exact::{self, Seen};
use crate::fair::{FairCounts, TagMatcher, TypeFilter};
use crate::tag_bigrams::TagBigramCounter;
use crate::tag_block::{TagBlock, ids};

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What is right.
    Gold,
    /// What is scored.
    Pred,
}

/// A violation and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Sentence, from 0.
    pub sentence: u64,
    /// Line of the file, from 1; 0 where there is no file.
    pub line: u64,
    /// The violation.
    pub violation: Violation,
}

/// The violations of one side: all counted, the first ones kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// How many there are.
    pub count: u64,
    /// The first ones, in order.
    pub first: Vec<Located>,
}

#[derive(Clone, Debug)]
enum Fast {
    Unknown,
    Never,
    Pairs(TagBigramCounter),
}

/// Scores sentence after sentence, in memory that does not grow with their number.
///
/// All sentences are ids of one reader, which may grow between them.
///
/// With rows a document asked for, it also keeps one [`Counts`] for each.
#[derive(Clone, Debug)]
pub struct Scorer {
    /// What the documents that have ended came to.
    ended: Counts,
    /// What was counted since the last document ended.
    counts: Counts,
    /// Counts faster, where the reading allows it; made at the first sentence.
    fast: Fast,
    /// Where a single sentence becomes a block.
    block: TagBlock,
    /// Matches fairly as well, where that is asked for.
    fair: Option<TagMatcher>,
    rows: Option<Vec<Counts>>,
    sentences: u64,
    gold: Violations,
    pred: Violations,
    keep: usize,
}

impl Scorer {
    /// A scorer that keeps the first `keep` violations of each side.
    pub fn new(keep: usize) -> Self {
        Self {
            ended: Counts::default(),
            counts: Counts::default(),
            fast: Fast::Unknown,
            block: TagBlock::default(),
            fair: None,
            rows: None,
            sentences: 0,
            gold: Violations::default(),
            pred: Violations::default(),
            keep,
        }
    }

    /// Keeps the counts of each document too.
    #[must_use]
    pub fn by_document(mut self) -> Self {
        self.rows = Some(Vec::new());
        self
    }

    /// Matches fairly, too: [`Scorer::fair`] gives what it came to.
    #[must_use]
    pub fn with_fair(mut self, filter: TypeFilter) -> Self {
        self.fair = Some(TagMatcher::new(filter));
        self
    }

    /// Adds a sentence. `gold` and `pred` are ids of `reader` and have the same length; `line_of` gives
    /// the line of a token on a side, and is asked only where something is wrong.
    #[inline]
    pub fn add(
        &mut self,
        reader: &Reader,
        gold: &[u32],
        pred: &[u32],
        line_of: impl Fn(Side, u32) -> u64,
    ) {
        debug_assert_eq!(gold.len(), pred.len());
        if self.takes_blocks(reader) {
            let mut block = std::mem::take(&mut self.block);
            let (g, p) = block.room(gold.len());
            for ((g, p), (gold, pred)) in g.iter_mut().zip(p).zip(gold.iter().zip(pred)) {
                (*g, *p) = (*gold as u8, *pred as u8);
            }
            block.end(gold.len());
            self.add_block(reader, &mut block, |side, _, token| line_of(side, token));
            self.block = block;
            return;
        }
        self.add_sentence(reader, gold, pred, line_of);
    }

    /// Adds a sentence without the tables.
    fn add_sentence(
        &mut self,
        reader: &Reader,
        gold: &[u32],
        pred: &[u32],
        line_of: impl Fn(Side, u32) -> u64,
    ) {
        let seen = exact::count(&mut self.counts, reader, gold, pred);
        if let Some(fair) = &mut self.fair
            && (gold != pred || reader.has_two_schemes())
        {
            fair.add(reader, gold, pred, &mut self.counts.fair);
        }
        let (gold_reader, pred_reader) = (reader.gold(), reader.pred());
        if seen.gold || !gold_reader.walk_sees_violations() {
            let line = |token| line_of(Side::Gold, token);
            self.gold
                .add(gold_reader, gold, self.sentences, self.keep, line);
        }
        if seen.pred || !pred_reader.walk_sees_violations() {
            let line = |token| line_of(Side::Pred, token);
            self.pred
                .add(pred_reader, pred, self.sentences, self.keep, line);
        }
        self.sentences += 1;
    }

    /// True where sentences may be added a block at a time: the reading allows it, the sides are in one
    /// scheme, and the reader has no more than [`TagBlock::TAGS`] tags.
    #[inline]
    pub fn takes_blocks(&mut self, reader: &Reader) -> bool {
        if let Fast::Pairs(fast) = &mut self.fast
            && fast.fits(reader)
        {
            return true;
        }
        !matches!(self.fast, Fast::Never) && self.find_fast(reader)
    }

    #[cold]
    fn find_fast(&mut self, reader: &Reader) -> bool {
        // There never was one, or there are too many tags for it by now.
        self.flush(reader);
        self.fast = if reader.has_two_schemes() {
            Fast::Never
        } else {
            TagBigramCounter::new(reader).map_or(Fast::Never, Fast::Pairs)
        };
        matches!(self.fast, Fast::Pairs(_))
    }

    /// Adds the sentences of a block, and clears it. `line_of` gets the side, the sentence in the block
    /// and the token. Only where [`Scorer::takes_blocks`].
    #[inline]
    pub fn add_block(
        &mut self,
        reader: &Reader,
        block: &mut TagBlock,
        line_of: impl Fn(Side, u64, u32) -> u64,
    ) {
        block.close();
        if self.rows.is_some() && block.tokens() < reader.tags().len().pow(2) {
            // The tables are read out after each document, which costs more than to do without them.
            for (at, (gold, pred)) in (0..).zip(block.both()) {
                self.add_sentence(reader, &ids(gold), &ids(pred), |side, token| {
                    line_of(side, at, token)
                });
            }
        } else if let Fast::Pairs(fast) = &mut self.fast {
            if let Some(fair) = &mut self.fair {
                fair.add_block(reader, block, &mut self.counts.fair);
            }
            let seen = fast.count(block);
            if seen != Seen::default() {
                let (gold, pred) = block.sides();
                for (side, bytes, violations) in [
                    (Side::Gold, gold, &mut self.gold),
                    (Side::Pred, pred, &mut self.pred),
                ] {
                    let count = fast.violations(bytes);
                    if count > 0 && violations.first.len() < self.keep {
                        let sentences = block.sentences_of(bytes).map(ids);
                        let line = |sentence, token| line_of(side, sentence, token);
                        violations.locate(reader, sentences, self.sentences, self.keep, line);
                    }
                    violations.count += count;
                }
            }
            self.sentences += block.sentences();
        }
        block.clear();
    }

    /// An empty scorer that counts in the same way with the same reader, for [`Scorer::add_part`].
    #[must_use]
    pub fn part(&mut self, reader: &Reader) -> Self {
        self.flush(reader);
        let mut part = Self::new(self.keep);
        part.fair.clone_from(&self.fair);
        // To learn what stands between tags costs more than to count a document.
        part.fast = std::mem::replace(&mut self.fast, Fast::Unknown);
        if self.rows.is_some() {
            part.by_document()
        } else {
            part
        }
    }

    /// From now on the reader is another one, in which the types that were counted have the ids they had.
    pub fn change_reader(&mut self, before: &Reader) {
        self.flush(before);
        self.fast = Fast::Unknown;
    }

    /// Adds what a part has counted with `reader`. The types that were counted before must have the same
    /// ids there.
    pub fn add_part(&mut self, mut part: Self, reader: &Reader) {
        self.flush(reader);
        part.flush(reader);
        self.fast = std::mem::replace(&mut part.fast, Fast::Unknown);
        for row in part.rows.iter().flatten() {
            self.counts.merge(row);
            self.end_document(reader);
        }
        if self.rows.is_none() {
            self.counts.merge(&part.ended);
        }
        self.counts.merge(&part.counts);
        self.gold.append(part.gold, self.sentences, self.keep);
        self.pred.append(part.pred, self.sentences, self.keep);
        self.sentences += part.sentences;
    }

    /// Brings what was counted the fast way into the counts.
    fn flush(&mut self, reader: &Reader) {
        if let Fast::Pairs(fast) = &mut self.fast {
            fast.take(&mut self.counts, reader.types().len());
        }
    }

    /// Ends the current document. A document without sentences is none.
    pub fn end_document(&mut self, reader: &Reader) {
        self.flush(reader);
        if self.counts.sentences == 0 {
            return;
        }
        let counts = std::mem::take(&mut self.counts);
        self.ended.merge(&counts);
        if let Some(rows) = &mut self.rows {
            rows.push(counts);
        }
    }

    /// What was counted in all, with the reader of all sentences.
    pub fn counts(&mut self, reader: &Reader) -> Counts {
        self.flush(reader);
        let mut all = self.ended.clone();
        all.merge(&self.counts);
        all
    }

    /// What fair matching made of counts of this scorer; None where it was not asked for.
    pub fn fair(&self, counts: &Counts, reader: &Reader) -> Option<FairCounts> {
        Some(self.fair.as_ref()?.all(counts, reader))
    }

    /// One row a document that has ended; empty unless they were asked for.
    pub fn documents(&self) -> &[Counts] {
        self.rows.as_deref().unwrap_or_default()
    }

    /// The violations of a side.
    pub fn violations(&self, side: Side) -> &Violations {
        match side {
            Side::Gold => &self.gold,
            Side::Pred => &self.pred,
        }
    }
}

impl Violations {
    /// Adds those of sentences that come behind `sentences` others.
    fn append(&mut self, other: Self, sentences: u64, keep: usize) {
        self.count += other.count;
        let room = keep.saturating_sub(self.first.len());
        self.first
            .extend(other.first.into_iter().take(room).map(|mut located| {
                located.sentence += sentences;
                located
            }));
    }

    /// Keeps the first ones of some sentences, the first of which is number `sentence`, without counting.
    #[cold]
    fn locate(
        &mut self,
        reader: &Reader,
        sentences: impl Iterator<Item = Vec<u32>>,
        sentence: u64,
        keep: usize,
        line_of: impl Fn(u64, u32) -> u64,
    ) {
        for (at, ids) in (0..).zip(sentences) {
            for violation in reader.violations(&ids) {
                if self.first.len() == keep {
                    return;
                }
                self.first.push(Located {
                    sentence: sentence + at,
                    line: line_of(at, violation.index),
                    violation,
                });
            }
        }
    }

    /// Adds those of a sentence.
    #[cold]
    pub fn add(
        &mut self,
        reader: SideReader<'_>,
        ids: &[u32],
        sentence: u64,
        keep: usize,
        line_of: impl Fn(u32) -> u64,
    ) {
        if self.first.len() >= keep {
            self.count += reader.count_violations(ids);
            return;
        }
        for violation in reader.violations(ids) {
            self.count += 1;
            if self.first.len() < keep {
                self.first.push(Located {
                    sentence,
                    line: line_of(violation.index),
                    violation,
                });
            }
        }
    }
}
