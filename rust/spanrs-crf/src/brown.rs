//! Hierarchical clusters of words from plain text (Brown et al. 1992).
//!
//! The clustering is a bigram model in which a word depends on its cluster, and its cluster on the
//! cluster of the previous word. Its likelihood is a constant plus the mutual information of
//! adjacent clusters, so clusters are merged where this loses the least mutual information.
//!
//! The algorithm is that of Liang (2005, section 4.2). The words enter in the order of their
//! frequency, each as a cluster of its own; if there are more than `n` clusters, the best pair is
//! merged. At last the `n` clusters are merged into one, and the path from the root to a cluster is
//! its bit string. The loss of merging is kept for each pair and updated: a merge of `s` and `t`
//! changes the loss of another pair only if the pair occurs beside `s` and beside `t`, so rare words,
//! which occur beside few clusters, take O(n) time per neighbour, and all words together
//! O(words * n^2) at most.
//!
//! The ends of sentences are a word, which is in a cluster of its own: without them, a word that only
//! begins sentences and a word that only ends sentences could be merged without loss.
//!
//! There is nothing random: pairs with equal losses are merged in the order of their places.

mod merging;

use std::collections::HashMap;

use spanrs_base::{Clock, Interner, Watch};

use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::lexicon::{Clusters, fold};
use merging::Merging;

/// Largest number of clusters: the tables take 32 bytes per pair.
const MAX_CLUSTERS: usize = 4096;

/// Options of [`Clusters::train`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrownOptions {
    /// Number of clusters, 1 to 4096; fewer if there are fewer words.
    pub clusters: usize,
    /// Minimum frequency of a word; others get no cluster.
    pub min_count: usize,
    /// Ignore case.
    pub ignore_case: bool,
}

impl Default for BrownOptions {
    fn default() -> Self {
        Self {
            clusters: 200,
            min_count: 2,
            ignore_case: false,
        }
    }
}

impl Clusters {
    /// Clusters the words of sentences by the words beside them; the first column has the tokens.
    /// The clusters are bit strings, such that clusters with a long common prefix are similar.
    ///
    /// # Errors
    /// [`Error::Option`] for numbers out of range, [`Error::Input`] if no word is frequent enough,
    /// [`Error::Interrupted`] if the watch requests a stop.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{BrownOptions, Clusters, Columns};
    /// let sentences = ["the cat sleeps", "the dog sleeps", "a cat eats", "a dog eats"];
    /// let sentences = Columns::of_tokens(sentences.map(|text| text.split(' ').collect::<Vec<_>>()));
    /// let options = BrownOptions { clusters: 3, ..BrownOptions::default() };
    /// let clusters = Clusters::train(&sentences, options, || false)?;
    /// assert_eq!(clusters.get("cat"), clusters.get("dog"));
    /// assert_ne!(clusters.get("cat"), clusters.get("the"));
    /// # Ok::<(), spanrs_crf::Error>(())
    /// ```
    pub fn train(sentences: &Columns, options: BrownOptions, watch: Watch) -> Result<Self> {
        let BrownOptions {
            clusters,
            min_count,
            ignore_case,
        } = options;
        if !(1..=MAX_CLUSTERS).contains(&clusters) {
            let message =
                format!("the number of clusters must be 1 to {MAX_CLUSTERS}, not {clusters}");
            return Err(Error::Option(message));
        }
        let mut clock = Clock::new(watch);
        let text = Text::new(sentences, min_count, ignore_case, &mut clock)?;
        let words = text.words.len() - 1;
        if words == 0 {
            let message =
                format!("no word occurs {min_count} times, so there is nothing to cluster");
            return Err(Error::Input(message));
        }
        let mut merging = Merging::new(&text, clusters.min(words));
        for word in 0..text.words.len() {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            merging.add(word);
        }
        let members = merging.members.clone();
        let paths = merging.paths(&mut clock)?;
        let clusters = members.iter().zip(&paths).skip(BOUNDARY + 1);
        let words = clusters.flat_map(|(members, path)| {
            let words = members.iter().map(|word| text.words[*word].as_str());
            words.map(move |word| (word, path))
        });
        Self::new(words, ignore_case)
    }
}

/// The word at both ends of a sentence, and its place.
const BOUNDARY: usize = 0;

/// The words of a text in the order of their frequency, and their bigrams.
struct Text {
    /// The words after [`BOUNDARY`]; equally frequent ones are in alphabetical order.
    words: Vec<String>,
    /// The words that follow each word, with their frequencies.
    next: Vec<Vec<(usize, f64)>>,
    /// The words before each word, with their frequencies.
    previous: Vec<Vec<(usize, f64)>>,
    /// Number of bigrams.
    total: f64,
}

impl Text {
    /// Counts words and bigrams. A word that is not frequent enough separates its neighbours.
    fn new(
        sentences: &Columns,
        min_count: usize,
        ignore_case: bool,
        clock: &mut Clock,
    ) -> Result<Self> {
        let mut names = Interner::<str>::default();
        let mut frequencies: Vec<usize> = Vec::new();
        let mut tokens = Vec::with_capacity(sentences.len());
        for at in 0..sentences.len() {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            let column = sentences.columns(at).into_iter().next().unwrap_or_default();
            // An empty token, which cannot have a cluster, separates its neighbours too.
            let ids = column.into_iter().map(|token| {
                (!token.is_empty()).then(|| names.intern(&fold(token, ignore_case)) as usize)
            });
            let ids: Vec<Option<usize>> = ids.collect();
            frequencies.resize(names.len(), 0);
            ids.iter().flatten().for_each(|id| frequencies[*id] += 1);
            tokens.push(ids);
        }
        let name = |id: usize| names.name(id as u32).unwrap_or_default();
        let frequent = |id: &usize| frequencies[*id] >= min_count.max(1);
        let mut order: Vec<usize> = (0..names.len()).filter(frequent).collect();
        order.sort_unstable_by_key(|&id| (std::cmp::Reverse(frequencies[id]), name(id)));
        let mut ranks = vec![None; names.len()];
        for (rank, id) in order.iter().enumerate() {
            ranks[*id] = Some(BOUNDARY + 1 + rank);
        }
        let mut bigrams: HashMap<(usize, usize), f64> = HashMap::new();
        let mut total = 0.0;
        for ids in &tokens {
            let ranks = ids.iter().map(|id| id.and_then(|id| ranks[id]));
            let ends = std::iter::once(Some(BOUNDARY));
            let first = ends.clone().chain(ranks.clone());
            for (first, second) in first.zip(ranks.chain(ends)) {
                if let (Some(first), Some(second)) = (first, second) {
                    *bigrams.entry((first, second)).or_default() += 1.0;
                    total += 1.0;
                }
            }
        }
        let words = order.iter().map(|id| name(*id).to_owned());
        let words: Vec<String> = std::iter::once(String::new()).chain(words).collect();
        let mut text = Self {
            next: vec![Vec::new(); words.len()],
            previous: vec![Vec::new(); words.len()],
            words,
            total,
        };
        // Sums are exact, so the order of the table does not matter; sorted for readers.
        let mut bigrams: Vec<_> = bigrams.into_iter().collect();
        bigrams.sort_unstable_by_key(|(pair, _)| *pair);
        for ((first, second), count) in bigrams {
            text.next[first].push((second, count));
            text.previous[second].push((first, count));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_the_same_places_are_in_one_cluster() {
        let mut sentences = Vec::new();
        for article in ["the", "a"] {
            for noun in ["cat", "dog", "cow"] {
                for verb in ["eats", "sleeps"] {
                    sentences.push(vec![article, noun, verb]);
                }
            }
        }
        let sentences = Columns::of_tokens(sentences);
        let options = BrownOptions {
            clusters: 3,
            ..BrownOptions::default()
        };
        let clusters = Clusters::train(&sentences, options, || false).unwrap();
        let cluster = |word| clusters.get(word).unwrap();
        assert_eq!([cluster("cat"), cluster("dog")], [cluster("cow"); 2]);
        assert_eq!(cluster("the"), cluster("a"));
        assert_eq!(cluster("eats"), cluster("sleeps"));
        assert_eq!(clusters.clusters().len(), 3);
        let again = Clusters::train(&sentences, options, || false).unwrap();
        assert_eq!(again, clusters);
    }

    #[test]
    fn one_cluster_and_rare_words() {
        let sentences = Columns::of_tokens([vec!["a", "b", "A"], vec!["a", "", "a"]]);
        let train = |clusters, min_count, ignore_case| {
            let options = BrownOptions {
                clusters,
                min_count,
                ignore_case,
            };
            Clusters::train(&sentences, options, || false)
        };
        let clusters = train(1, 1, false).unwrap();
        assert_eq!(
            clusters.words().collect::<Vec<_>>(),
            ["A", "a", "b"].map(|word| (word, "0"))
        );
        let clusters = train(9, 2, true).unwrap();
        assert_eq!(clusters.words().collect::<Vec<_>>(), [("a", "0")]);
        let message = |trained: Result<Clusters>| trained.unwrap_err().to_string();
        assert!(message(train(9, 5, true)).starts_with("no word occurs 5 times"));
        assert!(message(train(0, 1, true)).starts_with("the number of clusters must be 1 to 4096"));
    }
}
