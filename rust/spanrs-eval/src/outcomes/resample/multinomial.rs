//! Resamples of many documents, drawn by group instead of by document.
//!
//! The counts of the groups of equal documents have a multinomial distribution, from which they are
//! drawn exactly: the counts of frequent groups one after the other as binomial numbers of the
//! remaining draws (Davis 1993, "The computer generation of multinomial random variates"), and the
//! documents of rare groups one by one. A corpus of a million sentences has few frequent groups and
//! few documents in rare groups.

use spanrs_base::Rng;

use super::binomial::binomial;
use super::bounded_integers::BoundedIntegers;
use super::systems::Groups;

/// Minimum size of a frequent group: one binomial variate costs about as much as drawing this many
/// documents.
const FREQUENT: u64 = 32;

/// Draws as many documents as the corpus has, with replacement.
pub(super) struct Multinomial {
    /// Frequent groups, with their numbers of documents.
    frequent: Vec<(u32, u64)>,
    /// The group of each document in a rare group.
    rare: Vec<u32>,
    /// Number of documents.
    documents: u64,
}

impl Multinomial {
    /// Prepares to draw documents from these groups; there must be fewer than 2^32 documents.
    pub(super) fn new(groups: &Groups) -> Self {
        let sizes = groups.sizes();
        let is_rare = |group: &&u32| sizes[**group as usize] < FREQUENT;
        Self {
            frequent: (0..)
                .zip(sizes.iter().copied())
                .filter(|(_, size)| *size >= FREQUENT)
                .collect(),
            rare: groups
                .of_documents
                .iter()
                .filter(is_rare)
                .copied()
                .collect(),
            documents: groups.of_documents.len() as u64,
        }
    }

    /// Adds the number of times each group was drawn to `times`.
    pub(super) fn draw(&self, rng: &mut Rng, times: &mut [u32]) {
        let (mut draws, mut documents) = (self.documents, self.documents);
        for &(group, size) in &self.frequent {
            let drawn = binomial(draws, size as f64 / documents as f64, rng);
            times[group as usize] += drawn as u32;
            draws -= drawn;
            documents -= size;
        }
        if !self.rare.is_empty() {
            for at in BoundedIntegers::new(rng, self.rare.len() as u32).take(draws as usize) {
                times[self.rare[at as usize] as usize] += 1;
            }
        }
    }
}
