//! Assignment of the occurrences found by one stage to mentions.
//!
//! First the largest chain is placed ([`Chain`]): mentions whose occurrences follow each other in
//! the order of the list, without overlap, between the chained mentions of earlier stages. Then
//! each other mention gets its first occurrence that overlaps nothing, or else its first occurrence
//! that no mention of the same type has.

use std::collections::{BTreeMap, HashMap, HashSet};

use spanrs_base::{Interrupted, Interval};

use super::Check;
use super::occurrences::Occurrences;

/// Start and end in characters of the text.
type Range = (u32, u32);

/// Maximum number of pairs of a mention and an occurrence among which the largest chain is
/// searched.
const PAIRS: usize = 1 << 20;

/// How much less similar than the best occurrence of a string an occurrence in a chain may be.
const TOLERANCE: f64 = 0.05;

/// A mention that has no place yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Index of the mention.
    pub(super) mention: usize,
    /// Number of its type.
    pub(super) ty: u32,
    /// Index of its string among the strings of the stage.
    pub(super) string: usize,
}

/// Returns the number of open mentions of each string.
pub(super) fn count_strings(open: &[Open], strings: usize) -> Vec<usize> {
    let mut counts = vec![0; strings];
    for open in open {
        counts[open.string] += 1;
    }
    counts
}

/// The place of a mention: the range and the index of the occurrence.
pub(super) type Placed = (Range, usize);

/// The places of all mentions.
#[derive(Debug)]
pub(super) struct Places {
    /// The range of each mention that is part of the chain.
    chained: Vec<Option<Range>>,
    covered: Coverage,
    /// Types and ranges of the placed mentions.
    used: HashSet<(u32, Range)>,
}

impl Places {
    /// Creates places for a number of mentions.
    pub(super) fn new(mentions: usize) -> Self {
        Self {
            chained: vec![None; mentions],
            covered: Coverage::default(),
            used: HashSet::new(),
        }
    }

    /// Reserves the occurrences of strings that have no more free occurrences than mentions, and
    /// removes occurrences that overlap them or a placed mention if the string has enough others.
    /// Longer strings come first.
    ///
    /// If all open mentions can be placed without overlap, no occurrence that such a placement uses
    /// is removed: a string with as many free occurrences as mentions has all of them there, so that
    /// they are not free for shorter strings.
    pub(super) fn reserve(&self, open: &[Open], strings: &[&str], occurrences: &mut [Occurrences]) {
        let counts = count_strings(open, strings.len());
        let lengths: Vec<usize> = strings.iter().map(|s| s.chars().count()).collect();
        let mut order: Vec<usize> = (0..strings.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(lengths[at]));
        let mut taken = self.covered.clone();
        for at in order {
            let ranges = &mut occurrences[at].ranges;
            let is_free = |range: &Range| !taken.overlaps(*range);
            let free: Vec<Range> = ranges.iter().copied().filter(is_free).collect();
            if free.len() <= counts[at] {
                free.iter().for_each(|&range| taken.insert(range));
            }
            if free.len() >= counts[at] {
                *ranges = free;
            }
        }
    }

    /// Assigns the occurrences of a stage to open mentions, which are ascending. Returns the place
    /// of each open mention.
    ///
    /// # Errors
    /// [`Interrupted`] if `check` requests a stop.
    pub(super) fn assign(
        &mut self,
        open: &[Open],
        strings: &[Occurrences],
        check: Check<'_>,
    ) -> Result<Vec<Option<Placed>>, Interrupted> {
        let mut interval = Interval::new(1 << 10);
        let mut placed = self.chain(open, strings);
        for (place, open) in placed.iter().zip(open) {
            if let Some((range, _)) = *place {
                self.chained[open.mention] = Some(range);
                self.covered.insert(range);
                self.used.insert((open.ty, range));
            }
        }
        let mut free = vec![0; strings.len()];
        let mut unused: HashMap<(u32, usize), usize> = HashMap::new();
        for (place, open) in placed.iter_mut().zip(open) {
            if place.is_some() {
                continue;
            }
            if interval.passes(1) {
                check()?;
            }
            let occurrences = &strings[open.string];
            let is_free = |range: Range| !self.covered.overlaps(range);
            let mut chosen = first_rank(occurrences, &mut free[open.string], is_free);
            if chosen.is_none() {
                let rank = unused.entry((open.ty, open.string)).or_default();
                let is_unused = |range: Range| !self.used.contains(&(open.ty, range));
                chosen = first_rank(occurrences, rank, is_unused);
            }
            if let Some((range, _)) = chosen {
                self.covered.insert(range);
                self.used.insert((open.ty, range));
            }
            *place = chosen;
        }
        Ok(placed)
    }

    /// Returns the places of the largest chain.
    fn chain(&self, open: &[Open], strings: &[Occurrences]) -> Vec<Option<Placed>> {
        let slices = self.slices(open, strings);
        let mut chain = Chain::default();
        for (open, slice) in open.iter().zip(&slices) {
            let occurrences = &strings[open.string];
            let best = occurrences.similarities.iter().copied().fold(0.0, f64::max);
            for at in slice.clone() {
                let range = occurrences.ranges[at];
                let similarity = occurrences.similarities.get(at).copied().unwrap_or(best);
                if similarity >= best - TOLERANCE && !self.covered.overlaps(range) {
                    chain.push(range, at);
                }
            }
            chain.end_mention();
        }
        chain.longest()
    }

    /// Returns the indices of the occurrences of each open mention between the chained mentions
    /// before and after the mention.
    ///
    /// If there are more than [`PAIRS`] indices, each mention gets the same number of occurrences;
    /// those of the n-th mention with a string begin at the n-th occurrence.
    fn slices(&self, open: &[Open], strings: &[Occurrences]) -> Vec<std::ops::Range<usize>> {
        let mut ceilings = vec![u32::MAX; open.len()];
        let (mut ceiling, mut unseen) = (u32::MAX, self.chained.len());
        for (open, slot) in open.iter().zip(&mut ceilings).rev() {
            let after = &self.chained[open.mention..unseen];
            ceiling = after.iter().flatten().next().map_or(ceiling, |next| next.0);
            unseen = open.mention;
            *slot = ceiling;
        }
        let (mut floor, mut seen, mut pairs) = (0, 0, 0);
        let mut slices = Vec::with_capacity(open.len());
        for (open, ceiling) in open.iter().zip(ceilings) {
            let before = &self.chained[seen..open.mention];
            floor = before
                .iter()
                .flatten()
                .next_back()
                .map_or(floor, |last| last.1);
            seen = open.mention;
            let ranges = &strings[open.string].ranges;
            let start = ranges.partition_point(|range| range.0 < floor);
            let end = ranges.partition_point(|range| range.1 <= ceiling);
            pairs += end.saturating_sub(start);
            slices.push(start..end.max(start));
        }
        if pairs > PAIRS {
            limit_slices(&mut slices, open, strings.len());
        }
        slices
    }
}

/// Limits the number of occurrences per mention.
fn limit_slices(slices: &mut [std::ops::Range<usize>], open: &[Open], strings: usize) {
    let width = (PAIRS / open.len()).max(1);
    // The slice of the previous mention with the string, and the number of mentions with it.
    let mut repeats = vec![(0..0, 0); strings];
    for (slice, open) in slices.iter_mut().zip(open) {
        let (previous, repeat) = &mut repeats[open.string];
        *repeat = if *previous == *slice { *repeat + 1 } else { 0 };
        *previous = slice.clone();
        let start = (slice.start + *repeat)
            .min(slice.end.saturating_sub(width))
            .max(slice.start);
        *slice = start..slice.end.min(start + width);
    }
}

/// Advances `rank` to the first occurrence that is accepted, and returns it. Occurrences that are
/// not accepted once must never be accepted later.
fn first_rank(
    occurrences: &Occurrences,
    rank: &mut usize,
    accepts: impl Fn(Range) -> bool,
) -> Option<Placed> {
    while let Some((at, range)) = occurrences.at_rank(*rank) {
        if accepts(range) {
            return Some((range, at));
        }
        *rank += 1;
    }
    None
}

/// Finds the largest chain: mentions in order with one occurrence each, such that each occurrence
/// begins at or after the end of the previous one.
///
/// Among the largest chains, the chain with the lexicographically smallest list of mentions is
/// chosen, then the one with the smallest list of ends. As in patience sorting, the mentions are
/// processed from the last to the first, and for each length the largest start of a chain of this
/// length is kept; `k` pairs of mentions and occurrences take `O(k log k)` time.
#[derive(Debug, Default)]
struct Chain {
    /// The candidates of all mentions, ascending by end for each mention, with their indices.
    candidates: Vec<Placed>,
    /// For each mention the number of candidates of this and earlier mentions.
    ends: Vec<usize>,
}

impl Chain {
    /// Adds a candidate to the current mention.
    fn push(&mut self, range: Range, at: usize) {
        self.candidates.push((range, at));
    }

    /// Ends the candidates of the current mention.
    fn end_mention(&mut self) {
        self.ends.push(self.candidates.len());
    }

    /// Returns the places of the mentions in the largest chain.
    fn longest(&self) -> Vec<Option<Placed>> {
        let lengths = self.lengths();
        let mut left = lengths.iter().copied().max().unwrap_or(0);
        let (mut begin, mut floor) = (0, 0);
        let mut places = vec![None; self.ends.len()];
        for (place, &end) in places.iter_mut().zip(&self.ends) {
            if left == 0 {
                break;
            }
            // The candidate with the smallest end has the longest chain after it.
            let candidates = &self.candidates[begin..end];
            let first = candidates.partition_point(|(range, _)| range.0 < floor);
            if let Some(&candidate) = candidates.get(first)
                && lengths[begin + first] >= left
            {
                *place = Some(candidate);
                floor = candidate.0.1;
                left -= 1;
            }
            begin = end;
        }
        places
    }

    /// Returns the number of mentions in the largest chain that begins with each candidate.
    fn lengths(&self) -> Vec<usize> {
        let mut lengths = vec![0; self.candidates.len()];
        // Largest start of a chain of each length, from 1; descending.
        let mut starts: Vec<u32> = Vec::new();
        let mut end = self.candidates.len();
        for mention in (0..self.ends.len()).rev() {
            let begin = mention.checked_sub(1).map_or(0, |before| self.ends[before]);
            // Ascending ends: the start of a candidate precedes the ends of the later ones, which
            // therefore do not continue in the same mention.
            let candidates = &self.candidates[begin..end];
            for (&((start, stop), _), length) in candidates.iter().zip(&mut lengths[begin..end]) {
                let after = starts.partition_point(|&start| start >= stop);
                *length = after + 1;
                match starts.get_mut(after) {
                    Some(largest) => *largest = start.max(*largest),
                    None => starts.push(start),
                }
            }
            end = begin;
        }
        lengths
    }
}

/// The characters that are covered by placed mentions, as disjoint ranges: end by start.
#[derive(Clone, Debug, Default)]
struct Coverage(BTreeMap<u32, u32>);

impl Coverage {
    /// Returns true if a range has a covered character.
    fn overlaps(&self, (start, end): Range) -> bool {
        let before = self.0.range(..end).next_back();
        before.is_some_and(|(_, &stop)| stop > start)
    }

    /// Covers a range.
    fn insert(&mut self, (mut start, mut end): Range) {
        while let Some((&begin, &stop)) = self.0.range(..=end).next_back() {
            if stop < start {
                break;
            }
            self.0.remove(&begin);
            start = start.min(begin);
            end = end.max(stop);
        }
        self.0.insert(start, end);
    }
}
