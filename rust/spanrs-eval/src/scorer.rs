use spanrs_tags::{Reader, Violation};

use crate::counts::Counts;
use crate::exact::{self, Seen};
use crate::pairs::PairCounter;

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
    Pairs(PairCounter),
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
        let pairs = gold.iter().copied().zip(pred.iter().copied());
        self.add_pairs(reader, pairs, line_of);
    }

    /// As [`Scorer::add`], for ids that come in pairs.
    #[inline]
    pub fn add_pairs(
        &mut self,
        reader: &Reader,
        pairs: impl Iterator<Item = (u32, u32)> + Clone,
        line_of: impl Fn(Side, u32) -> u64,
    ) {
        let seen = if let Fast::Pairs(fast) = &mut self.fast
            && fast.fits(reader)
        {
            fast.count(reader, pairs.clone())
        } else if let Fast::Never = self.fast {
            exact::count(&mut self.counts, reader, pairs.clone())
        } else {
            self.first(reader, pairs.clone())
        };
        self.sentences += 1;
        if seen != Seen::default() || !reader.walk_sees_violations() {
            let (gold, pred): (Vec<u32>, Vec<u32>) = pairs.unzip();
            self.add_violations(reader, seen, &gold, &pred, &line_of);
        }
    }

    /// Finds out whether there is a faster way; then counts a sentence.
    #[cold]
    fn first(&mut self, reader: &Reader, pairs: impl Iterator<Item = (u32, u32)>) -> Seen {
        if matches!(self.fast, Fast::Unknown)
            && let Some(mut fast) = PairCounter::new(reader)
        {
            let seen = fast.count(reader, pairs);
            self.fast = Fast::Pairs(fast);
            return seen;
        }
        // There never was one, or there are too many tags by now.
        self.settle(reader);
        self.fast = Fast::Never;
        exact::count(&mut self.counts, reader, pairs)
    }

    /// An empty scorer that counts in the same way, for [`Scorer::add_part`].
    #[must_use]
    pub fn part(&self) -> Self {
        let part = Self::new(self.keep);
        if self.rows.is_some() {
            part.by_document()
        } else {
            part
        }
    }

    /// Adds what a part has counted with `reader`. The types that were counted before must have the same
    /// ids there.
    pub fn add_part(&mut self, mut part: Self, reader: &Reader) {
        self.settle(reader);
        part.settle(reader);
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
    fn settle(&mut self, reader: &Reader) {
        if let Fast::Pairs(fast) = &mut self.fast {
            fast.take(reader, &mut self.counts);
        }
    }

    #[cold]
    fn add_violations(
        &mut self,
        reader: &Reader,
        seen: Seen,
        gold: &[u32],
        pred: &[u32],
        line_of: &dyn Fn(Side, u32) -> u64,
    ) {
        let blind = !reader.walk_sees_violations();
        let at = self.sentences - 1;
        if seen.gold || blind {
            let line = |token| line_of(Side::Gold, token);
            self.gold.add(reader, gold, at, self.keep, line);
        }
        if seen.pred || blind {
            let line = |token| line_of(Side::Pred, token);
            self.pred.add(reader, pred, at, self.keep, line);
        }
    }

    /// Ends the current document. A document without sentences is none.
    pub fn end_document(&mut self, reader: &Reader) {
        self.settle(reader);
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
        self.settle(reader);
        let mut all = self.ended.clone();
        all.merge(&self.counts);
        all
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

    /// Adds those of a sentence.
    #[cold]
    pub fn add(
        &mut self,
        reader: &Reader,
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
