//! The tags of each word in the training data: the tagdict, and the known tags of rich features.
//!
//! # Known tags
//!
//! The known tags of a word are its up to four most frequent classes with at least 5 % of its
//! occurrences, each with the level of its share ([`SHARES`]). Equal lists have the same number,
//! which is the value of a feature.
//!
//! A word that occurs once has only its gold class as a known tag. A tagger that is trained with
//! this feature trusts it more than it should for other texts, so the known tags of a word in
//! training are computed without the current occurrence ([`HeldOutTags`]; leave one out), and rare
//! words need no threshold.

use std::cmp::Reverse;
use std::collections::HashMap;

use spanrs_base::Interner;

use super::rich::Token;
use super::{TaggerOptions, Tags};
use crate::feature_index::FeatureIndex;
use crate::text_hash::TextHash;

/// Maximum number of known tags of a word.
const MAX_KNOWN: usize = 4;
/// Minimum share of a known tag, in percent, and lower bounds of the levels 1 to 4 of shares.
const SHARES: [usize; 5] = [5, 30, 60, 85, 98];

/// Counts of each pair of tags for each word.
#[derive(Default)]
pub(super) struct TagCounts {
    words: Interner<str>,
    /// For each word the ids of its tags with their counts, in the order of their first occurrence.
    counts: Vec<Vec<(u32, usize)>>,
    /// Distinct tags by id, in the order of their first occurrence.
    pub(super) tags: Vec<Tags>,
}

/// Known tags of a word without one of its occurrences, by word and class of this occurrence.
#[derive(Debug, Default)]
pub(super) struct HeldOutTags {
    /// Number of the list of known tags plus 1, or 0 if the word has no other occurrence, by
    /// [`held_out_key`].
    index: FeatureIndex,
    /// Number of the list of known tags of each word by the hash of its text.
    all: FeatureIndex,
}

/// Returns the key of a word, given by its hash, and a class.
fn held_out_key(word: u64, class: u32) -> u64 {
    (word ^ u64::from(class).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_mul(0xA076_1D64_78BD_642F)
}

impl HeldOutTags {
    /// Replaces the known tags of tokens, which are padded by two, with those of the other
    /// occurrences of the words in the training data. As in prediction, a word without other
    /// occurrences as written has the known tags of its lower case form. Words whose class is not
    /// in the training data keep their known tags.
    pub(super) fn replace_tags(&self, gold: &[u32], tokens: &mut [Token]) {
        for (token, class) in tokens.iter_mut().skip(2).zip(gold) {
            let Some(tags) = self.index.find(held_out_key(token.word, *class)) else {
                continue;
            };
            token.tags = match tags {
                0 if token.word != token.lower => self
                    .all
                    .find(token.lower)
                    .map_or(0, |tags| u64::from(tags) + 1),
                tags => u64::from(tags),
            };
        }
    }
}

/// Numbers of lists of known tags, in the order of their first use.
#[derive(Default)]
struct KnownTagLists(HashMap<Vec<(u32, usize)>, u32>);

impl KnownTagLists {
    /// Returns the number of the list for the counts of a word's classes; None if there are none.
    fn number(&mut self, counts: impl Iterator<Item = (u32, usize)>) -> Option<u32> {
        let mut counts: Vec<(u32, usize)> = counts.filter(|(_, n)| *n > 0).collect();
        let total: usize = counts.iter().map(|(_, n)| n).sum();
        counts.sort_unstable_by_key(|&(class, n)| (Reverse(n), class));
        let level = |n: usize| {
            SHARES
                .iter()
                .filter(|share| n * 100 >= total * **share)
                .count()
        };
        let frequent = counts.into_iter().map(|(class, n)| (class, level(n)));
        let list: Vec<_> = frequent
            .filter(|(_, level)| *level > 0)
            .take(MAX_KNOWN)
            .collect();
        let next = self.0.len() as u32;
        (total > 0).then(|| *self.0.entry(list).or_insert(next))
    }
}

impl TagCounts {
    /// Counts the tags of all words.
    pub(super) fn of<'a, S>(sentences: impl Iterator<Item = S>) -> Self
    where
        S: IntoIterator<Item = (&'a str, &'a Tags)>,
    {
        let mut all = Self::default();
        let mut ids: HashMap<&Tags, u32> = HashMap::new();
        for (word, tags) in sentences.flat_map(IntoIterator::into_iter) {
            let id = *ids.entry(tags).or_insert_with(|| {
                all.tags.push(tags.clone());
                all.tags.len() as u32 - 1
            });
            let word = all.words.intern(word) as usize;
            all.counts
                .resize(all.counts.len().max(word + 1), Vec::new());
            let counts = &mut all.counts[word];
            match counts.iter_mut().find(|(tags, _)| *tags == id) {
                Some((_, n)) => *n += 1,
                None => counts.push((id, 1)),
            }
        }
        all
    }

    /// Iterates over the words, the counts of their tags, and the sums of these counts.
    fn each(&self) -> impl Iterator<Item = (&str, &[(u32, usize)], usize)> {
        self.words.names().zip(&self.counts).map(|(word, counts)| {
            let total = counts.iter().map(|(_, n)| n).sum();
            (word, counts.as_slice(), total)
        })
    }

    /// Returns the words that almost always have the same tags, with their class.
    pub(super) fn tagdict(
        &self,
        options: &TaggerOptions,
        class: impl Fn(u32) -> u32,
    ) -> Vec<(String, u32)> {
        let mut tagdict = Vec::new();
        for (word, counts, total) in self.each() {
            // Of tags with equal counts, the first to occur.
            let most = counts.iter().rev().max_by_key(|(_, n)| *n);
            if let Some(&(id, n)) = most
                && total >= options.min_count
                && n as f64 / total as f64 >= options.min_share
            {
                tagdict.push((word.to_owned(), class(id)));
            }
        }
        tagdict
    }

    /// Returns the number of the list of known tags for each word, and the same without one
    /// occurrence of each class.
    pub(super) fn known_tags(
        &self,
        class: impl Fn(u32) -> u32,
    ) -> (Vec<(String, u32)>, HeldOutTags) {
        let (mut known_tags, mut held_out) = (Vec::new(), HeldOutTags::default());
        let mut lists = KnownTagLists::default();
        for (word, counts, _) in self.each() {
            let hash = TextHash::of(word).value();
            let classes = counts.iter().map(|&(id, n)| (class(id), n));
            if let Some(number) = lists.number(classes.clone()) {
                known_tags.push((word.to_owned(), number));
                held_out.all.insert(hash, number);
            }
            for (own, _) in classes.clone() {
                let rest = classes
                    .clone()
                    .map(|(class, n)| (class, n - usize::from(class == own)));
                let number = lists.number(rest).map_or(0, |number| number + 1);
                held_out.index.insert(held_out_key(hash, own), number);
            }
        }
        (known_tags, held_out)
    }
}
