//! Clusters of words.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use spanrs_base::Interner;

use super::gazetteer::{ascending, fold, is_ascending};
use crate::error::{Error, Result};
use crate::template::push_lower;

/// The cluster of each word, as a string: a bit string of Brown et al. (1992), whose prefixes are
/// clusters of clusters, or the number of a class. Immutable.
///
/// # Examples
/// ```
/// use spanrs_crf::Clusters;
/// let clusters = Clusters::new([("London", "0110"), ("Paris", "0111"), ("the", "10")], false)?;
/// assert_eq!(clusters.get("Paris"), Some("0111"));
/// assert_eq!(clusters.get("paris"), None);
/// # Ok::<(), spanrs_crf::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clusters {
    /// The words, ascending; in lower case if case is ignored.
    pub(super) words: Interner<str>,
    /// The distinct clusters, ascending.
    pub(super) clusters: Interner<str>,
    /// The cluster of each word.
    pub(super) word_clusters: Vec<u32>,
    /// Whether case is ignored.
    pub(super) ignore_case: bool,
}

impl PartialEq for Clusters {
    fn eq(&self, other: &Self) -> bool {
        self.ignore_case == other.ignore_case
            && self.words.names().eq(other.words.names())
            && self.clusters.names().eq(other.clusters.names())
            && self.word_clusters == other.word_clusters
    }
}

impl Eq for Clusters {}

impl Clusters {
    /// The clusters of words. A word may be repeated with the same cluster.
    ///
    /// # Errors
    /// [`Error::Input`] if there are no words, for a word or cluster that is empty, and for a word
    /// with two clusters.
    pub fn new<W: AsRef<str>, C: AsRef<str>>(
        words: impl IntoIterator<Item = (W, C)>,
        ignore_case: bool,
    ) -> Result<Self> {
        let mut all = BTreeMap::new();
        for (word, cluster) in words {
            let (word, cluster) = (word.as_ref(), cluster.as_ref());
            if word.is_empty() || cluster.is_empty() {
                let message = format!("the word {word:?} with the cluster {cluster:?} is empty");
                return Err(Error::Input(message));
            }
            let cluster = cluster.to_owned();
            match all.entry(fold(word, ignore_case)) {
                Entry::Vacant(entry) => drop(entry.insert(cluster)),
                Entry::Occupied(before) if *before.get() == cluster => (),
                Entry::Occupied(before) => {
                    return Err(Error::Input(two_clusters(
                        word,
                        (before.get(), &cluster),
                        ignore_case,
                    )));
                }
            }
        }
        if all.is_empty() {
            return Err(Error::Input("clusters need at least one word".to_owned()));
        }
        let (words, clusters) = (ascending(all.keys()), ascending(all.values()));
        let numbers = all.values().filter_map(|cluster| clusters.get(cluster));
        let word_clusters = numbers.collect();
        Self::of_parts((words, clusters), word_clusters, ignore_case)
    }

    /// Clusters of their parts, which are checked.
    ///
    /// # Errors
    /// [`Error::Input`] for lengths or numbers that do not match, and for another order.
    pub(super) fn of_parts(
        (words, clusters): (Interner<str>, Interner<str>),
        word_clusters: Vec<u32>,
        ignore_case: bool,
    ) -> Result<Self> {
        let is_valid = !words.is_empty()
            && word_clusters.len() == words.len()
            && is_ascending(&words)
            && is_ascending(&clusters)
            && word_clusters
                .iter()
                .all(|number| (*number as usize) < clusters.len());
        match is_valid {
            true => Ok(Self {
                words,
                clusters,
                word_clusters,
                ignore_case,
            }),
            false => Err(Error::Input(
                "the words of clusters are not in order or out of range".to_owned(),
            )),
        }
    }

    /// The cluster of a word.
    pub fn get(&self, word: &str) -> Option<&str> {
        match self.ignore_case {
            true => self.get_folded(&fold(word, true)),
            false => self.get_folded(word),
        }
    }

    /// Same as [`Clusters::get`]; `buffer` is work space.
    pub(crate) fn get_with(&self, word: &str, buffer: &mut String) -> Option<&str> {
        if !self.ignore_case {
            return self.get_folded(word);
        }
        buffer.clear();
        push_lower(buffer, word);
        self.get_folded(buffer)
    }

    /// The cluster of a stored word.
    fn get_folded(&self, word: &str) -> Option<&str> {
        let word = self.words.get(word)?;
        self.clusters.name(self.word_clusters[word as usize])
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// False: there is at least one word.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether case is ignored.
    pub fn ignore_case(&self) -> bool {
        self.ignore_case
    }

    /// The distinct clusters, in alphabetical order.
    pub fn clusters(&self) -> impl ExactSizeIterator<Item = &str> {
        self.clusters.names()
    }

    /// Words and their clusters, in the order of the words.
    pub fn words(&self) -> impl Iterator<Item = (&str, &str)> {
        let clusters = self.word_clusters.iter();
        let clusters = clusters.map(|&cluster| self.clusters.name(cluster).unwrap_or_default());
        self.words.names().zip(clusters)
    }
}

/// The message for a word with two clusters.
pub(super) fn two_clusters(word: &str, (before, now): (&str, &str), ignore_case: bool) -> String {
    let advice = match ignore_case {
        true => "; if its other spelling is another word, do not ignore case",
        false => "",
    };
    format!("the word {word:?} has the cluster {now:?}, but before {before:?}{advice}")
}
