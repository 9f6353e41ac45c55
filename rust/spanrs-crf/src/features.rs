//! State and transition features.

use crate::corpus::{Corpus, Target};
use crate::error::{Error, Result};
use crate::model::MAX_LABELS;

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
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeatureSelection {
    /// Generate all state features, not only those that occur.
    pub all_states: bool,
    /// Generate all transition features, not only those that occur.
    pub all_transitions: bool,
    /// Leave out features whose values, times the weights of their sequences, sum to less over the corpus.
    pub min_frequency: f64,
    /// Leave out attributes whose values, times the weights of their sequences, sum to less over the corpus.
    pub min_attribute_frequency: f64,
}

impl Features {
    /// Features from a list of them: (attribute, label) and (from, to). Returns with them the place of each weight, states
    /// first.
    ///
    /// # Errors
    /// [`Error::Label`] and [`Error::Attribute`] for ids out of range, [`Error::Duplicate`] for a feature listed twice,
    /// [`Error::Labels`] for more than [`MAX_LABELS`].
    pub fn listed(
        labels: usize,
        attributes: usize,
        states: &[(u32, u32)],
        pairs: &[(u32, u32)],
    ) -> Result<(Self, Vec<usize>)> {
        if labels > MAX_LABELS {
            return Err(Error::Labels { labels });
        }
        let known = |label: u32| match (label as usize) < labels {
            true => Ok(label),
            false => Err(Error::Label { label, labels }),
        };
        for &(attribute, label) in states {
            known(label)?;
            if attribute as usize >= attributes {
                return Err(Error::Attribute {
                    attribute,
                    attributes,
                });
            }
        }
        for &(from, to) in pairs {
            known(from)?;
            known(to)?;
        }
        let sorted = |list: &[(u32, u32)]| {
            let mut order: Vec<usize> = (0..list.len()).collect();
            order.sort_unstable_by_key(|&at| list[at]);
            let twice = order.windows(2).any(|two| list[two[0]] == list[two[1]]);
            match twice {
                true => Err(Error::Duplicate),
                false => Ok(order),
            }
        };
        let (state_order, pair_order) = (sorted(states)?, sorted(pairs)?);
        let mut ends = vec![0; attributes];
        let mut places = vec![0; states.len() + pairs.len()];
        let mut label = Vec::with_capacity(states.len());
        for (place, at) in state_order.into_iter().enumerate() {
            places[at] = place;
            label.push(states[at].1);
            ends[states[at].0 as usize] = place + 1;
        }
        let mut end = 0;
        for own in &mut ends {
            end = end.max(*own);
            *own = end;
        }
        for (place, &at) in pair_order.iter().enumerate() {
            places[states.len() + at] = states.len() + place;
        }
        let pair = |at: &usize| pairs[*at].0 * labels as u32 + pairs[*at].1;
        let pairs = pair_order.iter().map(pair).collect();
        let features = Self {
            labels,
            ends,
            label,
            pairs,
        };
        Ok((features, places))
    }

    /// Features of a corpus: those that occur with a label of positive probability, or all.
    pub fn of(corpus: &Corpus, selection: FeatureSelection) -> Self {
        let labels = corpus.labels();
        // The labels of each attribute, ascending.
        let mut states: Vec<Vec<u32>> = match selection.all_states {
            true => Vec::new(),
            false => vec![Vec::new(); corpus.attributes()],
        };
        let mut united = Vec::new();
        let mut pairs = vec![selection.all_transitions; labels * labels];
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for at in 0..corpus.sequences() {
            possible_labels(corpus.target(at), labels, &mut rows);
            let tokens = match selection.all_states {
                true => 0..0,
                false => corpus.sequence(at),
            };
            for (token, row) in tokens.zip(&rows) {
                for (attribute, _) in corpus.items(token) {
                    union_sorted(&mut states[attribute as usize], row, &mut united);
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
        let (mut ends, mut label) = (Vec::with_capacity(corpus.attributes()), Vec::new());
        for mut known in states {
            label.append(&mut known);
            ends.push(label.len());
        }
        while ends.len() < corpus.attributes() {
            label.extend(0..labels as u32);
            ends.push(label.len());
        }
        let pairs = (0..)
            .zip(pairs)
            .filter_map(|(at, occurs)| occurs.then_some(at));
        let features = Self {
            labels,
            ends,
            label,
            pairs: pairs.collect(),
        };
        let features = match selection.min_attribute_frequency > 0.0 {
            true => features.of_frequent_attributes(corpus, selection.min_attribute_frequency),
            false => features,
        };
        match selection.min_frequency > 0.0 {
            true => features.frequent(corpus, selection.min_frequency),
            false => features,
        }
    }

    /// Keeps the features of attributes whose values sum to at least `least` in a corpus.
    fn of_frequent_attributes(self, corpus: &Corpus, least: f64) -> Self {
        let mut sums = vec![0.0; self.attributes()];
        for at in 0..corpus.sequences() {
            for token in corpus.sequence(at) {
                for (attribute, value) in corpus.items(token) {
                    sums[attribute as usize] += value * corpus.weight(at);
                }
            }
        }
        let mut kept = vec![true; self.len()];
        for (attribute, _) in sums.iter().enumerate().filter(|(_, sum)| **sum < least) {
            let (start, labels) = self.state(attribute);
            kept[start..start + labels.len()].fill(false);
        }
        self.keep(|place| kept[place])
    }

    /// Keeps the features whose values sum to at least `least` in a corpus.
    fn frequent(self, corpus: &Corpus, least: f64) -> Self {
        let mut sums = vec![0.0; self.len()];
        let mut rows = Vec::new();
        for at in 0..corpus.sequences() {
            possible_labels(corpus.target(at), self.labels, &mut rows);
            for (token, row) in corpus.sequence(at).zip(&rows) {
                for (attribute, value) in corpus.items(token) {
                    for &label in row {
                        if let Some(place) = self.state_weight(attribute, label) {
                            sums[place] += value * corpus.weight(at);
                        }
                    }
                }
            }
            for neighbours in rows.windows(2) {
                for &from in &neighbours[0] {
                    for &to in &neighbours[1] {
                        if let Some(place) = self.pair_weight(from as usize, to as usize) {
                            sums[place] += corpus.weight(at);
                        }
                    }
                }
            }
        }
        self.keep(|place| sums[place] >= least)
    }

    /// Features from the ends of each attribute's labels, the labels, and the transitions as `from * labels + to`.
    ///
    /// # Errors
    /// [`Error::File`] if they are not ascending and within their ranges.
    pub(crate) fn from_parts(
        labels: usize,
        ends: Vec<usize>,
        label: Vec<u32>,
        pairs: Vec<u32>,
    ) -> Result<Self> {
        let ascending = |values: &[u32]| values.windows(2).all(|two| two[0] < two[1]);
        let mut start = 0;
        let mut right = ascending(&pairs)
            && pairs.iter().all(|&pair| (pair as usize) < labels * labels)
            && label.iter().all(|&label| (label as usize) < labels)
            && ends.last().copied().unwrap_or_default() == label.len();
        for &end in &ends {
            right = right && label.get(start..end).is_some_and(ascending);
            start = end;
        }
        match right {
            true => Ok(Self {
                labels,
                ends,
                label,
                pairs,
            }),
            false => Err(Error::File {
                message: "features are not in order, or of labels that do not exist".into(),
            }),
        }
    }

    /// The features of some attributes, which are numbered anew in this order, and all transitions.
    pub(crate) fn select(&self, attributes: &[u32]) -> Self {
        let (mut ends, mut label) = (Vec::with_capacity(attributes.len()), Vec::new());
        for &attribute in attributes {
            label.extend_from_slice(self.state(attribute as usize).1);
            ends.push(label.len());
        }
        Self {
            labels: self.labels,
            ends,
            label,
            pairs: self.pairs.clone(),
        }
    }

    /// The features whose weight's index passes a test.
    pub(crate) fn keep(&self, test: impl Fn(usize) -> bool) -> Self {
        let (mut ends, mut label, mut start) = (Vec::new(), Vec::new(), 0);
        for &end in &self.ends {
            label.extend((start..end).filter(|&at| test(at)).map(|at| self.label[at]));
            ends.push(label.len());
            start = end;
        }
        let pairs = self.pairs.iter().enumerate();
        let pairs = pairs.filter(|(at, _)| test(self.label.len() + at));
        Self {
            labels: self.labels,
            ends,
            label,
            pairs: pairs.map(|(_, &pair)| pair).collect(),
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

    /// The labels of all state features.
    pub(crate) fn state_labels(&self) -> &[u32] {
        &self.label
    }

    /// Index of the weight of a state feature.
    pub fn state_weight(&self, attribute: u32, label: u32) -> Option<usize> {
        let (start, known) = self.state(attribute as usize);
        known.binary_search(&label).ok().map(|at| start + at)
    }

    /// Index of the weight of a transition feature.
    pub fn pair_weight(&self, from: usize, to: usize) -> Option<usize> {
        let pair = (from * self.labels + to) as u32;
        let at = self.pairs.binary_search(&pair).ok()?;
        Some(self.label.len() + at)
    }

    /// Adds the weights of an attribute, times `value`, to a row of label scores.
    #[inline]
    pub(crate) fn add_scores(&self, weights: &[f64], attribute: u32, value: f64, row: &mut [f64]) {
        let (start, known) = self.state(attribute as usize);
        for (label, weight) in known.iter().zip(&weights[start..]) {
            row[*label as usize] += value * weight;
        }
    }

    /// Dense transition scores, row-major; 0 for transitions without a feature.
    pub fn pair_scores(&self, weights: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; self.labels * self.labels];
        for (&pair, weight) in self.pairs.iter().zip(&weights[self.label.len()..]) {
            scores[pair as usize] = *weight;
        }
        scores
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

/// Adds ascending labels to ascending labels.
fn union_sorted(known: &mut Vec<u32>, more: &[u32], united: &mut Vec<u32>) {
    if let &[label] = more {
        // Most tokens have one label, and most attributes few.
        if let Err(at) = known.binary_search(&label) {
            known.insert(at, label);
        }
        return;
    }
    united.clear();
    let (mut left, mut right) = (&known[..], more);
    while let (Some(&a), Some(&b)) = (left.first(), right.first()) {
        united.push(a.min(b));
        left = &left[usize::from(a <= b)..];
        right = &right[usize::from(b <= a)..];
    }
    united.extend_from_slice(left);
    united.extend_from_slice(right);
    known.clone_from(united);
}

/// The labels of each row whose values are positive.
fn positive(values: &[f64], labels: usize) -> impl Iterator<Item = Vec<u32>> {
    values.chunks_exact(labels.max(1)).map(|row| {
        let some = (0..).zip(row).filter(|(_, value)| **value > 0.0);
        some.map(|(label, _)| label).collect()
    })
}

/// Labels of positive probability for each token of a sequence, ascending.
fn possible_labels(target: &Target, labels: usize, rows: &mut Vec<Vec<u32>>) {
    rows.clear();
    let numbers = || 0..labels as u32;
    match target {
        Target::Labels(known) => rows.extend(known.iter().map(|&label| vec![label])),
        Target::Soft(weights) => rows.extend(positive(weights, labels)),
        Target::Counts(counts) => rows.extend(positive(counts.labels(), labels)),
        Target::Partial(allowed) => rows.extend(allowed.chunks_exact(labels.max(1)).map(|row| {
            let some = numbers().zip(row).filter(|(_, allowed)| **allowed);
            some.map(|(label, _)| label).collect()
        })),
    }
}
