//! Viterbi and n-best decoding.

use crate::aligned::Aligned;
use crate::error::{Error, Result, check_len};
use crate::lattice::Lattice;
use crate::simd::{Kernel, dispatch};
use crate::transitions::Transitions;

/// Most prefixes kept for n-best decoding, of 16 bytes each.
const MAX_PREFIXES: usize = 1 << 24;

impl Lattice {
    /// The labelling with the largest score, and its score (Viterbi 1967). Of equal ones it is the one whose last label
    /// is lowest, then the one before it, and so on.
    ///
    /// # Errors
    /// [`Error::NoPath`] if all are forbidden, [`Error::Shape`] if the transitions have another number of labels.
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
            // The sums are those of the forward pass, so the maximum is found again.
            let before = self.row(&prefixes, token - 1).iter();
            let steps = transitions.before(label).iter().zip(before);
            label = argmax(steps.map(|(step, prefix)| prefix + step)).0;
        }
        labels[0] = label;
        Ok((labels, score))
    }

    /// The `n` labellings with the largest scores, best first, with their scores; fewer if the sequence has fewer labellings. Ties
    /// are in the order of [`Lattice::best`].
    ///
    /// Keeps the `n` best prefixes ending in each label at each token: memory `n * tokens * labels` at most.
    ///
    /// # Errors
    /// [`Error::NoPath`] if all are forbidden, [`Error::NBest`] if there are too many prefixes to keep, [`Error::Shape`] if
    /// the transitions have another number of labels.
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
                    let mut best = merge(before, n, |from| steps[from]);
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
            .map(|row| merge(row, n, |_| 0.0))
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

    /// The score of a labelling.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of labels, [`Error::Label`] for a label that does not exist.
    pub fn score(&self, labels: &[usize], transitions: &Transitions) -> Result<f64> {
        self.check(transitions)?;
        check_len("labels of tokens", self.tokens, labels.len())?;
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

/// The first place of the largest value.
fn argmax(values: impl Iterator<Item = f64>) -> (usize, f64) {
    let better = |best: (usize, f64), own: (usize, f64)| if own.1 > best.1 { own } else { best };
    values.enumerate().fold((0, f64::NEG_INFINITY), better)
}

/// Scores of the best prefix ending in each label at each token, padded rows.
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

/// One of the best prefixes ending in a label at a token.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    score: f64,
    /// Label of the token before.
    label: u32,
    /// Place among the best prefixes that end in it.
    rank: u32,
}

/// The `n` best continuations of prefixes, which are sorted for each label; ties go to the lower label.
fn merge(before: &[Vec<Prefix>], n: usize, step: impl Fn(usize) -> f64) -> Vec<Prefix> {
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
