//! A sentence that is being tagged: its words, the tags so far, and the scores of uncertain words.

use super::{published, rich};
use crate::turns::Steps;
use crate::weights::Lookup;

/// A sentence that is being tagged.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaggerSentence {
    /// The words for published features, with two padding tokens on each side; word `i` is at
    /// `i + 2`.
    pub(super) published: Vec<published::Token>,
    /// The words for rich features, padded in the same way.
    pub(crate) rich: Vec<rich::Token>,
    /// Number of words, without padding.
    pub(super) len: usize,
    /// The classes of the words tagged so far; its length is the index of the next word.
    pub(crate) tags: Vec<u32>,
    /// Increasing indices of the words whose classes are uncertain.
    pub(super) uncertain: Vec<u32>,
    /// Scores of the classes for each of these words.
    pub(super) first_scores: Vec<i32>,
    /// Features of the next word.
    pub(super) lookup: Lookup,
}

/// Maximum number of scores of uncertain words of a sentence: for 100 classes, those of 10,000 uncertain words.
const MAX_SCORES: usize = 1 << 20;

impl Steps for TaggerSentence {
    fn lookup(&mut self) -> &mut Lookup {
        &mut self.lookup
    }
}

impl TaggerSentence {
    /// Returns the features of the next word, which have been extracted.
    pub(super) fn features(&self) -> &[u64] {
        &self.lookup.features
    }

    /// Keeps the scores of the word that was tagged last, if there is another class whose score is less than `margin`
    /// below the score of its class. Uncertain words after [`MAX_SCORES`] scores keep their class, so that memory does
    /// not grow with the length of sentences times the number of classes.
    #[inline]
    pub(super) fn note_uncertain(&mut self, scores: &[i32], class: u32, margin: i32) {
        let least = i64::from(scores[class as usize]) - i64::from(margin);
        let near = scores.iter().filter(|&&score| i64::from(score) > least);
        let has_room = self.first_scores.len() + scores.len() <= MAX_SCORES;
        if near.count() > 1 && has_room {
            self.uncertain.push(self.tags.len() as u32 - 1);
            self.first_scores.extend_from_slice(scores);
        }
    }

    /// Removes the last uncertain word, adds its kept scores to `scores`, and returns its index.
    #[inline]
    pub(super) fn add_first_scores(&mut self, scores: &mut [i32]) -> Option<usize> {
        let at = self.uncertain.pop()?;
        let rest = self.first_scores.len().saturating_sub(scores.len());
        for (score, first) in scores.iter_mut().zip(&self.first_scores[rest..]) {
            *score = score.saturating_add(*first);
        }
        self.first_scores.truncate(rest);
        Some(at as usize)
    }
}
