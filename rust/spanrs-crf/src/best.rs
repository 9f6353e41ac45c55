//! Viterbi and n-best decoding.
//!
//! With `s_t(y)` the score of label `y` at token `t` and `m(x, y)` the score of the transition from `x` to `y`, the
//! score of the best prefix that ends in `y` is
//!
//! ```text
//! best_0(y) = s_0(y),    best_t(y) = s_t(y) + max_x (best_{t-1}(x) + m(x, y))
//! ```
//!
//! [`Lattice::best`] keeps only these scores: no back pointers are stored, so the inner loop is a max-plus product of a
//! row and a matrix, which vectorises. Backtracking repeats the `labels` additions of one column per token and finds
//! the same maximum, since the sums are computed in the same order. Time `O(tokens * labels^2)`, memory
//! `O(tokens * labels)`.
//!
//! [`Lattice::n_best`] keeps the `n` best prefixes per label and token with back pointers (exact,
//! not a beam): time `O(tokens * labels * n labels log(n labels))`.
//!
//! # Ties
//! Backtracking starts at the end and takes the first of equal maxima, so ties are decided by the
//! last token first. With two labels, two tokens and all scores 0, the order of the labellings is
//!
//! | rank | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | labels | 0 0 | 1 0 | 0 1 | 1 1 |
//!
//! Labellings tie if the floating-point sums of their prefixes are equal; labellings with equal exact scores may differ
//! by a rounding error.

use crate::aligned::Aligned;
use crate::error::{Error, Result, check_len};
use crate::lattice::Lattice;
use crate::simd::{Kernel, dispatch};
use crate::transitions::Transitions;

/// Returns the index of the largest score above `f64::MIN` (the first of equal scores) and this score; index 0 and
/// `f64::MIN` if there is no such score. NaN is never larger.
fn first_largest(scores: impl Iterator<Item = f64>) -> (usize, f64) {
    let larger = |best: (usize, f64), own: (usize, f64)| if own.1 > best.1 { own } else { best };
    scores.enumerate().fold((0, f64::MIN), larger)
}

/// Largest number of prefixes kept for n-best decoding; a prefix takes 16 bytes, so they take at most 256 MiB.
const MAX_PREFIXES: usize = 1 << 24;

impl Lattice {
    /// The labelling with the largest score, and its score (Viterbi 1967). Of several labellings with this score,
    /// returns the one with the lowest last label, then the lowest second-to-last label, and so on.
    ///
    /// An empty sequence has the empty labelling with the score 0.
    ///
    /// # Errors
    /// [`Error::NoPath`] if no labelling has a finite score, or [`Error::NotFinite`] instead if a
    /// label score is NaN or positive infinity (NaN is otherwise ignored); [`Error::Shape`] if the
    /// transitions have a different number of labels.
    pub fn best(&self, transitions: &Transitions) -> Result<(Vec<usize>, f64)> {
        self.check(transitions)?;
        let Some(last) = self.tokens.checked_sub(1) else {
            return Ok((Vec::new(), 0.0));
        };
        let prefixes = dispatch(BestPrefixes(self, transitions));
        let (mut label, score) = argmax(self.row(&prefixes, last).iter().copied());
        if !score.is_finite() {
            return Err(self.no_path());
        }
        let mut labels = vec![0; self.tokens];
        for token in (1..self.tokens).rev() {
            labels[token] = label;
            // The sums equal the sums of the forward pass, so the same maximum is found.
            let before = self.row(&prefixes, token - 1).iter();
            let steps = transitions.before(label).iter().zip(before);
            label = argmax(steps.map(|(step, prefix)| prefix + step)).0;
        }
        labels[0] = label;
        Ok((labels, score))
    }

    /// The labels that CRFsuite's Viterbi search returns when scores are NaN or infinite: the first prefix with the
    /// largest score is continued, or label 0 if no score is above `f64::MIN`.
    pub(crate) fn best_by_comparison(&self, transitions: &Transitions) -> Vec<usize> {
        let mut prefixes: Vec<f64> = Vec::new();
        let mut steps: Vec<Vec<usize>> = Vec::with_capacity(self.tokens);
        for token in 0..self.tokens {
            let row = self.scores(token).iter().enumerate();
            let row = row.map(|(label, score)| match token {
                0 => (0, *score),
                _ => {
                    let sums = transitions.before(label).iter().zip(&prefixes);
                    let (from, most) = first_largest(sums.map(|(step, prefix)| prefix + step));
                    (from, most + score)
                }
            });
            let (from, sums) = row.unzip();
            steps.push(from);
            prefixes = sums;
        }
        let mut label = first_largest(prefixes.into_iter()).0;
        let mut labels = vec![0; self.tokens];
        for (own, from) in labels.iter_mut().zip(&steps).rev() {
            *own = label;
            label = from[label];
        }
        labels
    }

    /// The `n` labellings with the largest scores, best first, with their scores; fewer if the sequence has fewer
    /// labellings that are not forbidden. Ties are ordered as in [`Lattice::best`].
    ///
    /// Keeps at most `n` prefixes for each label of each token, so memory is up to
    /// `n * tokens * labels` prefixes. An empty sequence has one labelling.
    ///
    /// # Errors
    /// [`Error::NoPath`] if all labellings are forbidden, or [`Error::NotFinite`] instead if a
    /// label score is NaN; [`Error::NBest`] if more than 2^24 prefixes would be kept,
    /// [`Error::Shape`] if the transitions have a different number of labels.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Lattice, Transitions};
    /// let lattice = Lattice::of(2, &[1.0, 0.0, 0.0, 0.5]).unwrap();
    /// let best = lattice.n_best(&Transitions::zero(2), 3).unwrap();
    /// assert_eq!(best, [(vec![0, 1], 1.5), (vec![0, 0], 1.0), (vec![1, 1], 0.5)]);
    /// ```
    pub fn n_best(&self, transitions: &Transitions, n: usize) -> Result<Vec<(Vec<usize>, f64)>> {
        self.check(transitions)?;
        if self.tokens == 0 {
            return Ok([(Vec::new(), 0.0)].into_iter().take(n).collect());
        }
        let mut kept = 0;
        let mut rows: Vec<Vec<Vec<Prefix>>> = Vec::with_capacity(self.tokens);
        for token in 0..self.tokens {
            let scores = self.scores(token).iter().enumerate();
            let row = scores.map(|(label, &own)| match rows.last() {
                None => vec![Prefix {
                    score: own,
                    label: 0,
                    rank: 0,
                }],
                Some(before) => {
                    let steps = transitions.before(label);
                    let mut best = best_continuations(before, n, |from| steps[from]);
                    best.iter_mut().for_each(|prefix| prefix.score += own);
                    best
                }
            });
            let row = row.map(|mut prefixes| {
                prefixes.retain(|prefix| prefix.score > f64::NEG_INFINITY);
                prefixes
            });
            rows.push(row.collect());
            kept += rows.last().map_or(0, |row| row.iter().map(Vec::len).sum());
            if kept > MAX_PREFIXES {
                return Err(Error::NBest { n });
            }
        }
        let ends = rows
            .last()
            .map(|row| best_continuations(row, n, |_| 0.0))
            .unwrap_or_default();
        if ends.is_empty() && n > 0 {
            return Err(self.no_path());
        }
        let path = |end: Prefix| {
            let mut labels = vec![0; self.tokens];
            let (mut label, mut rank) = (end.label, end.rank);
            for token in (0..self.tokens).rev() {
                labels[token] = label as usize;
                let prefix = rows[token][label as usize][rank as usize];
                (label, rank) = (prefix.label, prefix.rank);
            }
            (labels, end.score)
        };
        Ok(ends.into_iter().map(path).collect())
    }

    /// The score of a labelling: its label scores, summed in the order of the tokens, plus its
    /// transition scores. Negative infinity if it is forbidden.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many labels as tokens or if the transitions have
    /// a different number of labels, [`Error::Label`] for a label out of range.
    pub fn score(&self, labels: &[usize], transitions: &Transitions) -> Result<f64> {
        self.check(transitions)?;
        check_len("token labels", self.tokens, labels.len())?;
        if let Some(&label) = labels.iter().find(|label| **label >= self.labels) {
            return Err(Error::Label {
                label: u32::try_from(label).unwrap_or(u32::MAX),
                labels: self.labels,
            });
        }
        let states = labels.iter().enumerate();
        let states: f64 = states
            .map(|(token, &label)| self.scores(token)[label])
            .sum();
        let pairs = labels.windows(2);
        let pairs = pairs.map(|pair| transitions.score(pair[0], pair[1]));
        Ok(states + pairs.sum::<f64>())
    }
}

/// The first index of the largest value, and the value; (0, negative infinity) if all values are
/// negative infinity or NaN.
fn argmax(values: impl Iterator<Item = f64>) -> (usize, f64) {
    let better = |best: (usize, f64), own: (usize, f64)| if own.1 > best.1 { own } else { best };
    values.enumerate().fold((0, f64::NEG_INFINITY), better)
}

/// The forward pass: scores of the best prefix ending in each label at each token, as padded rows.
/// The lattice has at least one token.
struct BestPrefixes<'a>(&'a Lattice, &'a Transitions);

impl Kernel for BestPrefixes<'_> {
    type Output = Aligned<f64>;

    #[inline(always)]
    fn call(self) -> Aligned<f64> {
        let Self(lattice, transitions) = self;
        let width = lattice.width;
        let mut best = Aligned::new(lattice.tokens * width);
        best[..width].copy_from_slice(&lattice.scores[..width]);
        for token in 1..lattice.tokens {
            let (before, row) = best.split_at_mut(token * width);
            let row = &mut row[..width];
            let before = &before[(token - 1) * width..];
            transitions.steps().max_plus(before, row);
            for (best, own) in row.iter_mut().zip(&lattice.scores[token * width..]) {
                *best += own;
            }
        }
        best
    }
}

/// One of the best prefixes that end in a label at a token. The label itself is given by the position of the prefix in
/// the table.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    /// Score of the prefix, including its last token.
    score: f64,
    /// Label of the previous token; 0 at the first token.
    label: u32,
    /// Rank among the best prefixes that end in `label` at the previous token, from 0.
    rank: u32,
}

/// The `n` best one-token continuations of prefixes into one label.
///
/// `before` contains the prefixes of each label, best first; `step` is the score of the transition from a label. Equal
/// scores are ordered by label, then by rank, since the sort is stable.
fn best_continuations(
    before: &[Vec<Prefix>],
    n: usize,
    step: impl Fn(usize) -> f64,
) -> Vec<Prefix> {
    let mut all: Vec<Prefix> = Vec::new();
    for (label, prefixes) in before.iter().enumerate() {
        let step = step(label);
        let prefixes = prefixes.iter().take(n).enumerate();
        all.extend(prefixes.map(|(rank, prefix)| Prefix {
            score: prefix.score + step,
            label: label as u32,
            rank: rank as u32,
        }));
    }
    // The sort is stable.
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    all.truncate(n);
    all.shrink_to_fit();
    all
}
