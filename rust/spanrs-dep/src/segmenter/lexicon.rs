//! What the training data says about tokens: whether they are known, how they are written within
//! sentences, and how often they start sentences.

use std::collections::HashMap;

use crate::feature_index::FeatureIndex;

/// Facts about known tokens ([`TokenCounts::facts`]) by the hash of the folded form.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexicon(FeatureIndex);

/// Counts of a token in the training data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TokenCounts {
    /// Occurrences.
    pub(super) all: u32,
    /// Occurrences at the start of a sentence.
    pub(super) starts: u32,
    /// Occurrences at the end of a sentence.
    pub(super) ends: u32,
    /// Occurrences within sentences with a capital letter first.
    pub(super) capitals: u32,
}

/// Returns a logarithmic bucket from 0 to 7 of a share.
fn bucket(part: u32, all: u32) -> u16 {
    let (part, all) = (f64::from(part) + 0.1, f64::from(all) + 1.0);
    let share = part / all;
    [0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9]
        .iter()
        .filter(|limit| share > **limit)
        .count() as u16
}

impl TokenCounts {
    /// Returns the facts in 11 bits, from the lowest: frequency (2 bits), share of capitals within
    /// sentences, share of sentence ends, share of sentence starts (3 bits each).
    fn facts(&self) -> u16 {
        let inner = self.all - self.starts;
        bucket(self.starts, self.all) << 8
            | bucket(self.ends, self.all) << 5
            | bucket(self.capitals, inner) << 2
            | match self.all {
                0..=3 => 0,
                4..=15 => 1,
                16..=99 => 2,
                _ => 3,
            }
    }
}

impl Lexicon {
    /// Makes a lexicon of the tokens that occur at least `min_count` times.
    pub(super) fn of_counts(counts: &HashMap<u64, TokenCounts>, min_count: u32) -> Self {
        let known = counts
            .iter()
            .filter(|(hash, counts)| **hash != 0 && counts.all >= min_count);
        let mut entries: Vec<(u64, u16)> = known
            .map(|(hash, counts)| (*hash, counts.facts()))
            .collect();
        entries.sort_unstable();
        Self::new(entries)
    }

    /// Makes a lexicon of entries that are sorted by hash.
    pub(super) fn new(entries: Vec<(u64, u16)>) -> Self {
        let entries = entries.into_iter();
        Self(FeatureIndex::of(
            entries.map(|(hash, facts)| (hash, facts.into())),
        ))
    }

    /// Makes a lexicon of entries of a file; None if lookups would be slow ([`FeatureIndex::checked`]).
    pub(super) fn checked(entries: &[(u64, u16)]) -> Option<Self> {
        let entries = entries.iter();
        FeatureIndex::checked(entries.map(|&(hash, facts)| (hash, facts.into()))).map(Self)
    }

    /// The entries, sorted by hash.
    pub(super) fn entries(&self) -> Vec<(u64, u16)> {
        let mut entries = Vec::new();
        self.0
            .each(|hash, facts| entries.push((hash, facts as u16)));
        entries.sort_unstable();
        entries
    }

    /// Returns 1 for a known token, otherwise 0.
    #[inline]
    pub(super) fn known(&self, hash: u64) -> u64 {
        u64::from(hash != 0 && self.0.find(hash).is_some())
    }

    /// Returns the facts about a token plus 1; 0 if it is unknown.
    #[inline]
    pub(super) fn facts(&self, hash: u64) -> u64 {
        match self.0.find(hash) {
            Some(facts) if hash != 0 => u64::from(facts) + 1,
            _ => 0,
        }
    }
}
