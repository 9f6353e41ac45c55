//! Corpora whose labels and attributes are numbered as they are read.

use spanrs_base::Interner;

use crate::corpus::{Corpus, Target};
use crate::error::{Error, Result};
use crate::model::MAX_LABELS;

/// Supervision of a token.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenTarget {
    /// One label.
    Label(u32),
    /// Any label.
    Open,
    /// One of several labels.
    Allowed(Vec<u32>),
    /// A distribution over labels.
    Shares(Vec<(u32, f64)>),
}

impl TokenTarget {
    /// A distribution over labels.
    ///
    /// # Errors
    /// [`Error::Distribution`] of this token if shares are not between 0 and 1 or do not sum to 1.
    pub fn shares(shares: Vec<(u32, f64)>, token: usize) -> Result<Self> {
        let sum: f64 = shares.iter().map(|(_, share)| share).sum();
        let in_range = shares
            .iter()
            .all(|(_, share)| (0.0..=1.0 + 1e-9).contains(share));
        // NaN fails the comparison.
        match in_range && (sum - 1.0).abs() <= 1e-6 {
            true => Ok(Self::Shares(shares)),
            false => Err(Error::Distribution { token }),
        }
    }
}

/// A corpus under construction, with the names of its labels and attributes.
#[derive(Clone, Debug)]
pub struct NamedCorpus {
    /// Names of the labels.
    pub labels: Interner<str>,
    /// Names of the attributes.
    pub attributes: Interner<str>,
    corpus: Corpus,
    /// Sequences with targets that are not one label for each token; their rows need the final number of labels.
    open: Vec<(usize, Vec<TokenTarget>)>,
}

impl Default for NamedCorpus {
    fn default() -> Self {
        Self {
            labels: Interner::default(),
            attributes: Interner::default(),
            corpus: Corpus::new(1, 0),
            open: Vec::new(),
        }
    }
}

impl NamedCorpus {
    /// Number of sequences.
    pub fn sequences(&self) -> usize {
        self.corpus.sequences()
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.corpus.tokens()
    }

    /// Adds a sequence: the (attribute, value) pairs of its tokens, a target for each token, and its weight.
    ///
    /// # Errors
    /// [`Error`] for attributes, targets or a weight that do not fit; the sequence is not added.
    pub fn push(
        &mut self,
        tokens: Vec<Vec<(u32, f64)>>,
        targets: Vec<TokenTarget>,
        weight: f64,
    ) -> Result<()> {
        self.corpus.grow(self.labels.len(), self.attributes.len());
        for items in tokens {
            self.corpus
                .token(items)
                .inspect_err(|_| self.corpus.discard())?;
        }
        let labels = targets.iter().map(|target| match target {
            TokenTarget::Label(label) => Some(*label),
            _ => None,
        });
        let known: Option<Vec<u32>> = labels.collect();
        let is_open = known.is_none();
        let target = Target::Labels(known.unwrap_or_else(|| vec![0; targets.len()]));
        self.corpus.end_sequence(target, weight)?;
        if is_open {
            self.open.push((self.corpus.sequences() - 1, targets));
        }
        Ok(())
    }

    /// Checks the number of labels and sets the targets that are not one label for each token.
    ///
    /// # Errors
    /// [`Error::Labels`]; those of [`Corpus::set_target`], with the index of the sequence.
    pub fn close(&mut self) -> Result<(), (Error, Option<usize>)> {
        let labels = self.labels.len();
        if labels > MAX_LABELS {
            return Err((Error::Labels { labels }, None));
        }
        for (at, targets) in self.open.drain(..) {
            let set = self.corpus.set_target(at, target_of(&targets, labels));
            set.map_err(|error| (error, Some(at)))?;
        }
        Ok(())
    }

    /// The corpus, and the names of its labels and attributes.
    pub fn into_parts(self) -> (Corpus, Interner<str>, Interner<str>) {
        (self.corpus, self.labels, self.attributes)
    }
}

/// The target of a sequence that has open labels: soft if a token has a distribution, else partial.
fn target_of(targets: &[TokenTarget], labels: usize) -> Target {
    if targets
        .iter()
        .any(|target| matches!(target, TokenTarget::Shares(_)))
    {
        let mut rows = vec![0.0; targets.len() * labels];
        for (row, target) in rows.chunks_exact_mut(labels).zip(targets) {
            match target {
                TokenTarget::Label(label) => row[*label as usize] = 1.0,
                TokenTarget::Open => row.fill(1.0 / labels as f64),
                TokenTarget::Allowed(some) => {
                    for label in some {
                        row[*label as usize] = 1.0 / some.len() as f64;
                    }
                }
                TokenTarget::Shares(shares) => {
                    for (label, share) in shares {
                        row[*label as usize] += share;
                    }
                }
            }
        }
        return Target::Soft(rows);
    }
    let mut rows = vec![false; targets.len() * labels];
    for (row, target) in rows.chunks_exact_mut(labels.max(1)).zip(targets) {
        match target {
            TokenTarget::Label(label) => row[*label as usize] = true,
            TokenTarget::Allowed(some) => some.iter().for_each(|&at| row[at as usize] = true),
            _ => row.fill(true),
        }
    }
    Target::Partial(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(targets: Vec<TokenTarget>) -> Corpus {
        let mut corpus = NamedCorpus::default();
        let _ = ["A", "B"].map(|name| corpus.labels.intern(name));
        let tokens = vec![Vec::new(); targets.len()];
        corpus.push(tokens, targets, 1.0).unwrap();
        corpus.labels.intern("C");
        corpus.push(Vec::new(), Vec::new(), 1.0).unwrap();
        corpus.close().unwrap();
        corpus.into_parts().0
    }

    #[test]
    fn open_labels_allow_labels_that_come_later() {
        let corpus = corpus(vec![TokenTarget::Open, TokenTarget::Allowed(vec![0, 1])]);
        let expected = vec![true, true, true, true, true, false];
        assert_eq!(corpus.target(0), &Target::Partial(expected));
    }

    #[test]
    fn one_distribution_makes_the_sequence_soft() {
        let shares = TokenTarget::shares(vec![(0, 0.25), (1, 0.75)], 0).unwrap();
        let corpus = corpus(vec![shares, TokenTarget::Label(1)]);
        let expected = vec![0.25, 0.75, 0.0, 0.0, 1.0, 0.0];
        assert_eq!(corpus.target(0), &Target::Soft(expected));
    }

    #[test]
    fn shares_that_are_no_distribution_are_refused() {
        for share in [f64::NAN, -0.5, 0.5, 1.5] {
            let error = TokenTarget::shares(vec![(0, share)], 3).unwrap_err();
            assert_eq!(error, Error::Distribution { token: 3 });
        }
    }

    #[test]
    fn a_refused_sequence_leaves_no_tokens() {
        let mut corpus = NamedCorpus::default();
        corpus.labels.intern("A");
        corpus.attributes.intern("a");
        let tokens = vec![vec![(0, 1.0)], vec![(0, f64::NAN)]];
        let targets = vec![TokenTarget::Label(0); 2];
        assert!(corpus.push(tokens, targets.clone(), 1.0).is_err());
        assert!(corpus.push(vec![Vec::new(); 2], targets, -1.0).is_err());
        assert_eq!((corpus.sequences(), corpus.tokens()), (0, 0));
    }
}
