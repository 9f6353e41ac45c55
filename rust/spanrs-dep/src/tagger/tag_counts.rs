//! The tags of each word in the training data: the tagdict, and the known tags of rich features.
//!
//! # Known tags and profiles
//!
//! The *known tags* of a word that occurs at least ten times are the set of its classes with at least a tenth of its
//! occurrences, in order of frequency. The *profile* of any word is the list of its up to four most frequent classes
//! with at least 5 % of the occurrences, each with the level of its share ([`SHARES`]). A word that does not occur as
//! written has the profile of its lower case form, and a lower case form that does not occur has the profile of all
//! words with this form. Sets and lists have numbers, which are the values of features.
//!
//! A word that occurs once has only its gold class in its profile. A tagger that is trained with
//! this feature trusts it more than it should for other texts. The profile of a word in training is
//! therefore computed without the current occurrence ([`HeldOutProfiles`]; leave one out), and rare
//! words need no threshold.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

use spanrs_base::Interner;

use super::rich::{Token, pack};
use super::{TaggerOptions, Tags};
use crate::feature_index::FeatureIndex;
use crate::text_hash::TextHash;

/// Minimum number of occurrences of a word with known tags.
const MIN_KNOWN_COUNT: usize = 10;
/// Maximum number of classes in a profile.
const MAX_PROFILE: usize = 4;
/// Minimum share of a class in a profile, in percent, and the lower bounds of the higher levels.
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

/// Profiles of words without one of their occurrences.
#[derive(Debug, Default)]
pub(super) struct HeldOutProfiles {
    /// Number of the profile without an occurrence with a class by [`held_out_key`]; 0 if
    /// neither the word nor its lower case form has another occurrence.
    index: FeatureIndex,
}

/// Returns the key of a word, given by its hash, and a class.
fn held_out_key(word: u64, class: u32) -> u64 {
    word ^ (u64::from(class) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl HeldOutProfiles {
    /// Replaces the profiles of tokens, which are padded by two, with those of the other occurrences
    /// of the words in the training data. Words whose class is not in the training data keep theirs.
    pub(super) fn replace(&self, gold: &[u32], tokens: &mut [Token]) {
        for (token, class) in tokens.iter_mut().skip(2).zip(gold) {
            if let Some(profile) = self.index.find(held_out_key(token.word, *class)) {
                token.profile = u64::from(profile);
            }
        }
    }
}

/// Numbers of sets or lists, from 1, in the order of their first use. From the 65,535th on they
/// share a number.
struct Numbers<T>(HashMap<T, u32>);

impl<T: Eq + Hash> Numbers<T> {
    /// Returns the number of an item.
    fn of(&mut self, item: T) -> u32 {
        let next = (self.0.len() as u32 + 1).min(u32::from(u16::MAX) - 1);
        *self.0.entry(item).or_insert(next)
    }
}

/// Counts of classes by text.
#[derive(Default)]
struct TextCounts {
    texts: Interner<str>,
    /// The classes of each text with their counts, in the order of their first occurrence.
    counts: Vec<Vec<(u32, usize)>>,
}

impl TextCounts {
    /// Adds occurrences of a text.
    fn add(&mut self, text: &str, class: u32, n: usize) {
        let at = self.texts.intern(text) as usize;
        self.counts
            .resize(self.counts.len().max(at + 1), Vec::new());
        match self.counts[at].iter_mut().find(|known| known.0 == class) {
            Some(known) => known.1 += n,
            None => self.counts[at].push((class, n)),
        }
    }

    /// Returns the counts of a text; None if it does not occur.
    fn get(&self, text: &str) -> Option<&[(u32, usize)]> {
        let at = self.texts.get(text)?;
        self.counts.get(at as usize).map(Vec::as_slice)
    }

    /// Iterates over texts and counts in the order of their first occurrence.
    fn each(&self) -> impl Iterator<Item = (&str, &[(u32, usize)])> {
        self.texts
            .names()
            .zip(self.counts.iter().map(Vec::as_slice))
    }
}

/// Returns the profile for the counts of a word's classes, without one occurrence of a class if this
/// is given; empty if there are no occurrences.
fn profile(counts: &[(u32, usize)], without: Option<u32>) -> Vec<(u32, usize)> {
    let others = counts
        .iter()
        .map(|&(class, n)| (class, n - usize::from(without == Some(class))));
    let mut counts: Vec<(u32, usize)> = others.filter(|(_, n)| *n > 0).collect();
    let total: usize = counts.iter().map(|(_, n)| n).sum();
    counts.sort_unstable_by_key(|&(class, n)| (Reverse(n), class));
    let level = |n: usize| {
        let shares = SHARES.iter().filter(|share| n * 100 >= total * **share);
        shares.count()
    };
    let levels = counts.into_iter().map(|(class, n)| (class, level(n)));
    levels
        .filter(|(_, level)| *level > 0)
        .take(MAX_PROFILE)
        .collect()
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

    /// Returns the numbers of the sets of known tags by word.
    fn known_sets(&self, class: impl Fn(u32) -> u32) -> Vec<(&str, u32)> {
        let mut sets = Numbers(HashMap::new());
        let frequent = self.each().filter(|(.., total)| *total >= MIN_KNOWN_COUNT);
        let number = |(word, counts, total): (_, &[(u32, usize)], usize)| {
            let mut set: Vec<_> = counts.iter().filter(|(_, n)| n * 10 >= total).collect();
            set.sort_by_key(|(id, n)| (Reverse(*n), class(*id)));
            let set: Vec<u32> = set.iter().map(|(id, _)| class(*id)).collect();
            (word, sets.of(set))
        };
        frequent.map(number).collect()
    }

    /// Returns the counts of the classes of each word by its text, and of all words with the same
    /// lower case form by this form, in the order of their first occurrence.
    fn by_text(&self, class: impl Fn(u32) -> u32) -> [TextCounts; 2] {
        let [mut written, mut lower] = [TextCounts::default(), TextCounts::default()];
        for (word, counts, _) in self.each() {
            for (class, n) in counts.iter().map(|&(id, n)| (class(id), n)) {
                written.add(word, class, n);
                lower.add(&word.to_lowercase(), class, n);
            }
        }
        [written, lower]
    }

    /// Returns the packed numbers of known tags and profile for each word, unless they are those of
    /// its lower case form, and for each lower case form; and the profiles without one occurrence of
    /// each class.
    pub(super) fn known_tags(
        &self,
        class: impl Fn(u32) -> u32,
    ) -> (Vec<(String, u32)>, HeldOutProfiles) {
        let sets: HashMap<&str, u32> = self.known_sets(&class).into_iter().collect();
        let [written, lower] = self.by_text(&class);
        let mut profiles = Numbers(HashMap::new());
        let mut entries: HashMap<&str, u32> = HashMap::new();
        let mut known_tags = Vec::new();
        for (text, pooled) in lower.each() {
            let counts = written.get(text).unwrap_or(pooled);
            let set = sets.get(text).copied().unwrap_or_default();
            let entry = pack(set, profiles.of(profile(counts, None)));
            entries.insert(text, entry);
            known_tags.push((text.to_owned(), entry));
        }
        let mut held_out = HeldOutProfiles::default();
        for (text, counts) in written.each() {
            let lower_text = text.to_lowercase();
            let of_lower = entries.get(lower_text.as_str()).copied();
            if lower_text != text {
                let set = sets.get(text).copied().unwrap_or_default();
                let entry = pack(set, profiles.of(profile(counts, None)));
                if of_lower != Some(entry) {
                    known_tags.push((text.to_owned(), entry));
                }
            }
            for &(class, _) in counts {
                let mut others = profile(counts, Some(class));
                if others.is_empty() {
                    others = match written.get(&lower_text).filter(|_| lower_text != text) {
                        Some(counts) => profile(counts, None),
                        None => profile(lower.get(&lower_text).unwrap_or_default(), Some(class)),
                    };
                }
                let number = match others.is_empty() {
                    true => 0,
                    false => profiles.of(others),
                };
                let key = held_out_key(TextHash::of(text).value(), class);
                held_out.index.insert(key, number);
            }
        }
        (known_tags, held_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagger::rich::unpack;
    use crate::tagger::{Lexicon, rich};

    /// Counts of words with XPOS.
    fn counts(words: &[(&str, &str, usize)]) -> TagCounts {
        let tags = |xpos: &str| Tags {
            xpos: xpos.to_owned(),
            upos: String::new(),
        };
        let all: Vec<(&str, Tags)> = words
            .iter()
            .flat_map(|&(word, xpos, n)| vec![(word, tags(xpos)); n])
            .collect();
        TagCounts::of([all.iter().map(|(word, tags)| (*word, tags))].into_iter())
    }

    #[test]
    fn profiles_have_levels_of_shares() {
        let of = |counts: &[(u32, usize)]| profile(counts, None);
        assert_eq!(of(&[(1, 1)]), [(1, 5)]);
        assert_eq!(of(&[(1, 40), (2, 60)]), [(2, 3), (1, 2)]);
        assert_eq!(of(&[(3, 1), (2, 1)]), [(2, 2), (3, 2)], "ties by class");
        assert_eq!(of(&[(3, 4), (2, 96)]), [(2, 4)], "4 % is too little");
        let many = [(5, 1), (4, 1), (3, 1), (2, 1), (1, 1)];
        assert_eq!(of(&many), [(1, 1), (2, 1), (3, 1), (4, 1)]);
        assert_eq!(of(&[(1, 0)]), []);
    }

    #[test]
    fn profiles_in_training_are_those_of_the_other_occurrences() {
        let words = [
            ("run", "VB", 2),
            ("run", "NN", 1),
            ("Run", "NN", 1),
            ("OX", "NN", 1),
            ("Up", "VB", 1),
            ("UP", "NN", 1),
        ];
        let (known, held_out) = counts(&words).known_tags(|id| id);
        assert!(known.iter().all(|(word, _)| word != "OX"), "that of ox");
        let lexicon = Lexicon::new(&known);
        let words = ["run", "run", "Run", "OX", "Up", "RUN", "ox", "run"];
        let words = words.into_iter();
        let mut tokens = Vec::new();
        rich::padded(words, &lexicon.index, rich::TEMPLATES, &mut tokens);
        let profiles =
            |tokens: &[Token]| -> Vec<u64> { tokens[2..].iter().map(|t| t.profile).collect() };
        let before = profiles(&tokens);
        // Classes by first occurrence: VB is 0, NN is 1, and 7 is unknown.
        held_out.replace(&[0, 1, 1, 1, 0, 1, 7], &mut tokens);
        let after = profiles(&tokens);
        let [run, run_noun, capital, ox, up, _, _, _, 0, 0] = after[..] else {
            panic!("padding has no profile");
        };
        let (only_verb, only_noun) = (before[4], before[2]);
        assert_ne!(only_verb, only_noun);
        assert_eq!(before[5], before[0], "RUN does not occur, so that of run");
        assert_eq!(before[6], only_noun, "ox occurs as OX only");
        assert_eq!(run_noun, only_verb);
        assert!(
            ![only_verb, only_noun, before[0]].contains(&run),
            "one VB and one NN"
        );
        assert_eq!(capital, before[0], "no other Run");
        assert_eq!(ox, 0, "OX does not occur elsewhere");
        assert_eq!(up, only_noun, "no other Up and no up, so that of UP");
        assert_eq!(
            after[5..8],
            before[5..8],
            "no occurrence with this class, or no class"
        );
    }

    #[test]
    fn only_frequent_words_have_known_tags() {
        let words = [
            ("A", "X", 9),
            ("A", "Y", 1),
            ("b", "X", 9),
            ("c", "X", 91),
            ("c", "Y", 9),
        ];
        let (known, _) = counts(&words).known_tags(|id| id);
        let known: Vec<(&str, u64)> = known
            .iter()
            .map(|(word, number)| (word.as_str(), unpack(*number).0))
            .collect();
        let expected = [("a", 0), ("b", 0), ("c", 2), ("A", 1)];
        assert_eq!(known, expected, "9 % are not in the set of c");
    }
}
