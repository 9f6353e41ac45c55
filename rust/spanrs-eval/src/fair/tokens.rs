//! Sets of tokens, as runs of neighbours.

use std::ops::Range;

/// Neighbouring tokens: the first, and one past the last.
pub type Run = (i64, i64);

/// The tokens of spans that do not have all tokens between their bounds, and of those that do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenSets {
    runs: Vec<Run>,
    /// One a span: its runs; None where it has all tokens between its bounds.
    of: Vec<Option<Range<u32>>>,
}

impl TokenSets {
    /// Adds a span that has all tokens between its bounds.
    pub fn push_whole(&mut self) {
        self.of.push(None);
    }

    /// Adds a span with these tokens, ascending; repetitions do not count.
    pub fn push(&mut self, bounds: Run, tokens: impl IntoIterator<Item = i64>) {
        let first = self.runs.len();
        for token in tokens {
            match self.runs[first..].last_mut() {
                Some((_, end)) if token < *end => {}
                Some((_, end)) if token == *end => *end += 1,
                _ => self.runs.push((token, token + 1)),
            }
        }
        if self.runs[first..] == [bounds] {
            self.runs.truncate(first);
            self.of.push(None);
        } else {
            self.of.push(Some(first as u32..self.runs.len() as u32));
        }
    }

    /// Adds a span with the tokens that [`TokenSets::get`] gave of another.
    pub fn push_runs(&mut self, runs: Option<&[Run]>) {
        let first = self.runs.len() as u32;
        self.runs.extend_from_slice(runs.unwrap_or_default());
        self.of
            .push(runs.map(|runs| first..first + runs.len() as u32));
    }

    /// The runs of a span; None where it has all tokens between its bounds.
    #[inline]
    pub fn get(&self, span: usize) -> Option<&[Run]> {
        let range = self.of[span].as_ref()?;
        Some(&self.runs[range.start as usize..range.end as usize])
    }

    /// Spans in it.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// True where there is none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// True where every span has all tokens between its bounds.
    pub fn all_whole(&self) -> bool {
        self.runs.is_empty() && self.of.iter().all(Option::is_none)
    }
}

/// How many tokens two sets have in common.
pub(super) fn shared(a: &[Run], b: &[Run]) -> i64 {
    // The one with fewer runs says where to look in the other.
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().map(|&run| overlapping(many, run)).sum()
}

/// How many tokens of a set lie in a run.
fn overlapping(runs: &[Run], (start, end): Run) -> i64 {
    let first = runs.partition_point(|run| run.1 <= start);
    let runs = runs[first..].iter().take_while(|run| run.0 < end);
    runs.map(|run| run.1.min(end) - run.0.max(start)).sum()
}

/// What is left of a run without the tokens of a set.
pub(super) fn without(run: Run, other: &[Run], left: &mut impl Extend<Run>) {
    let (mut start, end) = run;
    let first = other.partition_point(|o| o.1 <= start);
    for o in other[first..].iter().take_while(|o| o.0 < end) {
        if start < o.0 {
            left.extend([(start, o.0)]);
        }
        start = o.1;
    }
    if start < end {
        left.extend([(start, end)]);
    }
}

/// Takes the tokens of one set out of another, looking only at the runs that are touched.
pub(super) fn subtract(runs: &mut Vec<Run>, other: &[Run]) {
    let (Some(&(start, _)), Some(&(_, end))) = (other.first(), other.last()) else {
        return;
    };
    let from = runs.partition_point(|run| run.1 <= start);
    let to = from + runs[from..].partition_point(|run| run.0 < end);
    let mut left = Vec::new();
    for &run in &runs[from..to] {
        without(run, other, &mut left);
    }
    runs.splice(from..to, left);
}
