//! State and transition features.

use crate::corpus::{Corpus, Target};

/// The features that have a weight: (attribute, label) and (label, label) pairs.
///
/// The weight vector has the state features first, ordered by attribute, then the transition features.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    labels: usize,
    /// End offset of each attribute's labels.
    ends: Vec<usize>,
    label: Vec<u32>,
    /// `from * labels + to`, sorted.
    pairs: Vec<u32>,
}

/// Which features to generate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Generate all state features, not only those that occur.
    pub all_states: bool,
    /// Generate all transition features, not only those that occur.
    pub all_transitions: bool,
}

impl Features {
    /// Features of a corpus: those that occur with a label of positive probability, or all.
    pub fn of(corpus: &Corpus, choice: Choice) -> Self {
        let labels = corpus.labels();
        let mut states: Vec<Vec<u32>> = vec![Vec::new(); corpus.attributes()];
        let mut pairs = vec![choice.all_transitions; labels * labels];
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for at in 0..corpus.sequences() {
            possible_labels(corpus.target(at), labels, &mut rows);
            let tokens = corpus.sequence(at);
            for (token, row) in tokens.zip(&rows) {
                for (attribute, _) in corpus.items(token) {
                    let known = &mut states[attribute as usize];
                    for &label in row {
                        // A linear search is fast: most attributes have few labels.
                        if !choice.all_states && !known.contains(&label) {
                            known.push(label);
                        }
                    }
                }
            }
            for neighbours in rows.windows(2) {
                for &from in &neighbours[0] {
                    for &to in &neighbours[1] {
                        pairs[from as usize * labels + to as usize] = true;
                    }
                }
            }
        }
        if choice.all_states {
            states.fill((0..labels as u32).collect());
        }
        let (mut ends, mut label) = (Vec::new(), Vec::new());
        for mut known in states {
            known.sort_unstable();
            label.append(&mut known);
            ends.push(label.len());
        }
        let pairs = (0..)
            .zip(pairs)
            .filter_map(|(at, occurs)| occurs.then_some(at));
        Self {
            labels,
            ends,
            label,
            pairs: pairs.collect(),
        }
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Number of weights.
    pub fn len(&self) -> usize {
        self.label.len() + self.pairs.len()
    }

    /// True where there are no weights.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Offset of an attribute's first weight, and its labels. For `attributes()` it is the number of state features.
    pub fn state(&self, attribute: usize) -> (usize, &[u32]) {
        let start = if attribute == 0 {
            0
        } else {
            self.ends[attribute - 1]
        };
        let end = self.ends.get(attribute).copied().unwrap_or(start);
        (start, &self.label[start..end])
    }

    /// Number of attributes.
    pub fn attributes(&self) -> usize {
        self.ends.len()
    }

    /// Offset of the first transition weight, and the transitions as `from * labels + to`.
    pub fn pairs(&self) -> (usize, &[u32]) {
        (self.label.len(), &self.pairs)
    }
}

/// Labels of positive probability for each token of a sequence.
fn possible_labels(target: &Target, labels: usize, rows: &mut Vec<Vec<u32>>) {
    rows.clear();
    let numbers = || 0..labels as u32;
    match target {
        Target::Labels(known) => rows.extend(known.iter().map(|&label| vec![label])),
        Target::Soft(weights) => rows.extend(weights.chunks_exact(labels.max(1)).map(|row| {
            let some = numbers().zip(row).filter(|(_, p)| **p > 0.0);
            some.map(|(label, _)| label).collect()
        })),
        Target::Partial(allowed) => rows.extend(allowed.chunks_exact(labels.max(1)).map(|row| {
            let some = numbers().zip(row).filter(|(_, allowed)| **allowed);
            some.map(|(label, _)| label).collect()
        })),
    }
}
