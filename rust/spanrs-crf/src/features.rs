//! Features: which (attribute, label) and (label, label) pairs have a weight.
//!
//! A model over all pairs would have `attributes * labels` state weights, nearly all of which stay
//! at 0. CRFsuite therefore generates features only for pairs that occur in the training data, and
//! so does [`Features::of`] by default. For CoNLL-2000 with CRFsuite's chunking attributes this
//! gives 452,755 features instead of 335,674 × 22.
//!
//! # Order of the weights
//! State features come first, by attribute and then by label; transition features follow, by (from,
//! to). With two labels, attribute 0 seen with label 1, attribute 1 seen with both, and the
//! transitions 0→1 and 1→1:
//!
//! | weight | 0 | 1 | 2 | 3 | 4 |
//! |---|---|---|---|---|---|
//! | feature | (a0, 1) | (a1, 0) | (a1, 1) | 0→1 | 1→1 |
//!
//! If tokens have vectors, the weights of each column follow, (column, label), for all labels.
//!
//! The labels of the state part are the rows of a jagged array, so the weights of an attribute are
//! contiguous.

use std::ops::Range;

use spanrs_base::{Ends, Jagged};

use crate::aligned::Aligned;
use crate::corpus::{Corpus, Target};
use crate::error::{Error, MAX_LABELS, Result, check_len};
use crate::simd::padded;
use crate::state_labels::{StateLabels, union_sorted};

/// The features that have a weight, in the order of the weights.
///
/// ```
/// use spanrs_crf::{Corpus, FeatureSelection, Features, Target};
/// let mut corpus = Corpus::new(2, 2);
/// corpus.token([(0, 1.0)]).unwrap();
/// corpus.token([(1, 1.0)]).unwrap();
/// corpus.end_sequence(Target::Labels(vec![0, 1]), 1.0).unwrap();
/// let features = Features::of(&corpus, FeatureSelection::default());
/// assert_eq!(features.len(), 3);
/// assert_eq!(features.state(1), (1, &[1][..]));
/// assert_eq!(features.pairs(), (2, &[1][..]), "from * labels + to");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    /// Number of labels.
    labels: usize,
    /// Label of each state feature, by attribute; ascending and distinct within an attribute.
    states: Jagged<u32>,
    /// Transition features as `from * labels + to`, ascending and distinct.
    pairs: Vec<u32>,
    /// Number of columns of the tokens' vectors, each with a weight for all labels.
    dimension: usize,
}

/// Which features to generate. The default generates a feature for every pair that occurs, as
/// CRFsuite does.
///
/// The two thresholds may be combined; a value of 0 disables a threshold. Frequencies are sums of
/// attribute values times sequence weights, so for indicator attributes in unweighted sequences,
/// frequencies are numbers of occurrences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeatureSelection {
    /// Generate a state feature with each label for all attributes that occur, not only features
    /// that occur (CRFsuite's `feature.possible_states`).
    pub all_states: bool,
    /// Generate all `labels * labels` transition features, not only features that occur (CRFsuite's
    /// `feature.possible_transitions`).
    pub all_transitions: bool,
    /// Exclude features with a smaller frequency (CRFsuite's `feature.minfreq`). A soft or partial
    /// target counts in full for every possible label, and for every possible pair of neighbouring
    /// labels. Generated features that do not occur (`all_states`, `all_transitions`) have the
    /// frequency 0.
    pub min_frequency: f64,
    /// Exclude all state features of attributes with a smaller frequency over all labels. Applied
    /// before `min_frequency`.
    pub min_attribute_frequency: f64,
}

impl Features {
    /// Features from lists of (attribute, label) and (from, to) pairs in any order, as in a model
    /// file of another tool.
    ///
    /// Also returns the index of the weight of each pair: first for `states`, then for `pairs`. To
    /// reorder weights, write the weight of list entry `i` to `places[i]`.
    ///
    /// Takes `O(n log n)` time for `n` features, and memory proportional to the number of
    /// attributes.
    ///
    /// # Errors
    /// [`Error::Labels`] for more than [`MAX_LABELS`] labels, [`Error::Label`] and
    /// [`Error::Attribute`] for numbers out of range, [`Error::Duplicate`] for a pair listed twice.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Features;
    /// let (features, places) = Features::listed(2, 2, &[(1, 0), (0, 1)], &[(0, 1)]).unwrap();
    /// assert_eq!(places, [1, 0, 2]);
    /// assert_eq!(features.state_weight(1, 0), Some(1));
    /// assert_eq!(features.pair_weight(1, 1), None);
    /// ```
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
        let mut lengths = vec![0; attributes];
        let mut places = vec![0; states.len() + pairs.len()];
        let mut label = Vec::with_capacity(states.len());
        for (place, at) in state_order.into_iter().enumerate() {
            places[at] = place;
            label.push(states[at].1);
            lengths[states[at].0 as usize] += 1;
        }
        for (place, &at) in pair_order.iter().enumerate() {
            places[states.len() + at] = states.len() + place;
        }
        let pair = |at: &usize| pairs[*at].0 * labels as u32 + pairs[*at].1;
        let pairs = pair_order.iter().map(pair).collect();
        let features = Self {
            labels,
            states: Jagged::new(label, Ends::of_lengths(lengths)),
            pairs,
            dimension: 0,
        };
        Ok((features, places))
    }

    /// The features of a corpus: the pairs that occur, or all pairs, except rare pairs.
    ///
    /// A state feature occurs if the attribute occurs at a token for which the target gives the
    /// label a positive probability or count, or allows the label. A transition occurs between two
    /// such labels of neighbouring tokens, even if no single labelling in [`Target::Counts`]
    /// contains the pair. An [open](crate::TokenTarget::Open) token therefore generates features
    /// with all labels. Pairs in sequences with weight 0 also occur, unless a threshold excludes
    /// them.
    ///
    /// Takes time proportional to the number of items times the number of possible labels, plus
    /// `labels^2` per pair of open tokens.
    ///
    /// For a corpus with items in a file use [`Features::read`]: reading can fail, and there are no features then.
    pub fn of(corpus: &Corpus, selection: FeatureSelection) -> Self {
        Self::read(corpus, selection).unwrap_or_default()
    }

    /// Same as [`Features::of`], also for a corpus with items in a file.
    ///
    /// # Errors
    /// [`Error::Spill`] if the file cannot be read, or has changed; [`Error::Features`] for more than `u32::MAX` weights
    /// of vectors.
    pub fn read(corpus: &Corpus, selection: FeatureSelection) -> Result<Self> {
        let labels = corpus.labels();
        let dense = corpus.inputs().dimension().saturating_mul(labels);
        if u32::try_from(dense).is_err() {
            return Err(Error::Features { features: dense });
        }
        let mut states = StateLabels::new(corpus.attributes());
        let mut pairs = vec![selection.all_transitions; labels * labels];
        let mut rows: Vec<Vec<u32>> = Vec::new();
        corpus.for_each_block(|block, first| {
            for at in 0..block.len() {
                possible_labels(corpus.target(first + at), labels, &mut rows);
                for (token, row) in block.sequence(at).zip(&rows) {
                    for (attribute, _) in block.items(token) {
                        states.add(attribute as usize, row);
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
            Ok(())
        })?;
        let pairs = (0..)
            .zip(pairs)
            .filter_map(|(at, occurs)| occurs.then_some(at));
        let features = Self {
            labels,
            states: states.finish(selection.all_states.then_some(labels)),
            pairs: pairs.collect(),
            dimension: corpus.inputs().dimension(),
        };
        let features = match selection.min_attribute_frequency > 0.0 {
            true => features.of_frequent_attributes(corpus, selection.min_attribute_frequency)?,
            false => features,
        };
        match selection.min_frequency > 0.0 {
            true => features.frequent(corpus, selection.min_frequency),
            // Excludes features whose values sum to NaN or negative infinity.
            false if corpus.inputs().has_non_finite() => features.frequent(corpus, f64::MIN),
            false => Ok(features),
        }
    }

    /// Checks that the features have as many labels and attributes as a corpus.
    ///
    /// # Errors
    /// [`Error::Shape`] otherwise.
    pub(crate) fn check(&self, corpus: &Corpus) -> Result<()> {
        check_len("labels in the features", corpus.labels(), self.labels())?;
        let attributes = corpus.attributes();
        check_len("attributes in the features", attributes, self.attributes())?;
        match corpus.tokens() {
            0 => Ok(()),
            _ => check_len(
                "columns of dense rows",
                self.dimension,
                corpus.inputs().dimension(),
            ),
        }
    }

    /// Drops the state features of attributes whose values, times sequence weights, sum to less
    /// than `least`. Transitions are kept.
    ///
    /// # Errors
    /// Same as [`Features::read`].
    fn of_frequent_attributes(self, corpus: &Corpus, least: f64) -> Result<Self> {
        let mut sums = vec![0.0; self.attributes()];
        corpus.for_each_block(|block, first| {
            for at in 0..block.len() {
                for token in block.sequence(at) {
                    for (attribute, value) in block.items(token) {
                        sums[attribute as usize] += value * corpus.weight(first + at);
                    }
                }
            }
            Ok(())
        })?;
        let mut kept = vec![true; self.len()];
        for (attribute, _) in sums.iter().enumerate().filter(|(_, sum)| **sum < least) {
            let (start, labels) = self.state(attribute);
            kept[start..start + labels.len()].fill(false);
        }
        Ok(self.keep(|place| kept[place]))
    }

    /// Drops features whose frequency in a corpus is below `least`; see
    /// [`FeatureSelection::min_frequency`].
    ///
    /// # Errors
    /// Same as [`Features::read`].
    fn frequent(self, corpus: &Corpus, least: f64) -> Result<Self> {
        let mut sums = vec![0.0; self.len()];
        let mut rows = Vec::new();
        corpus.for_each_block(|block, first| {
            for at in 0..block.len() {
                let weight = corpus.weight(first + at);
                possible_labels(corpus.target(first + at), self.labels, &mut rows);
                for (token, row) in block.sequence(at).zip(&rows) {
                    for (attribute, value) in block.items(token) {
                        for &label in row {
                            if let Some(place) = self.state_weight(attribute, label) {
                                sums[place] += value * weight;
                            }
                        }
                    }
                }
                for neighbours in rows.windows(2) {
                    for &from in &neighbours[0] {
                        for &to in &neighbours[1] {
                            if let Some(place) = self.pair_weight(from as usize, to as usize) {
                                sums[place] += weight;
                            }
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(self.keep(|place| sums[place] >= least))
    }

    /// Features from the arrays in a model file, which are not trusted: ends of each attribute's
    /// labels, the labels, and the transitions as `from * labels + to`.
    ///
    /// # Errors
    /// [`Error::File`] unless ends and transitions ascend, labels ascend within each attribute, the
    /// last end is the number of labels listed, and all labels are in range.
    pub(crate) fn from_parts(
        labels: usize,
        ends: Vec<usize>,
        label: Vec<u32>,
        pairs: Vec<u32>,
    ) -> Result<Self> {
        let ascending = |values: &[u32]| values.windows(2).all(|two| two[0] < two[1]);
        let right = ascending(&pairs)
            && pairs.iter().all(|&pair| (pair as usize) < labels * labels)
            && label.iter().all(|&label| (label as usize) < labels);
        let states = Ends::checked(ends, label.len()).map(|ends| Jagged::new(label, ends));
        match states.filter(|states| right && states.rows().all(ascending)) {
            Some(states) => Ok(Self {
                labels,
                states,
                pairs,
                dimension: 0,
            }),
            None => Err(Error::File {
                message: "features are not sorted, or have labels out of range".into(),
            }),
        }
    }

    /// The state features of some attributes, renumbered in the order given, and all transition
    /// features.
    pub(crate) fn select(&self, attributes: &[u32]) -> Self {
        let mut states = Jagged::default();
        for &attribute in attributes {
            states.push(self.state(attribute as usize).1.iter().copied());
        }
        Self {
            labels: self.labels,
            states,
            pairs: self.pairs.clone(),
            dimension: self.dimension,
        }
    }

    /// The features whose weight index passes the test. All attributes keep their numbers, even
    /// attributes without features. Weights of vectors are kept.
    pub(crate) fn keep(&self, test: impl Fn(usize) -> bool) -> Self {
        let (mut states, labels) = (Jagged::default(), self.state_labels());
        for range in self.states.ends().ranges() {
            states.push(range.filter(|&at| test(at)).map(|at| labels[at]));
        }
        let pairs = self.pairs.iter().enumerate();
        let pairs = pairs.filter(|(at, _)| test(labels.len() + at));
        Self {
            labels: self.labels,
            states,
            pairs: pairs.map(|(_, &pair)| pair).collect(),
            dimension: self.dimension,
        }
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Number of features, which is the number of weights.
    pub fn len(&self) -> usize {
        self.vector_weights().end
    }

    /// True if there are no features.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index of an attribute's first weight, and the labels of its weights, ascending. For
    /// `attribute == self.attributes()` the index is the number of state features and there are no
    /// labels.
    ///
    /// # Panics
    /// If `attribute` is above [`Features::attributes`].
    pub fn state(&self, attribute: usize) -> (usize, &[u32]) {
        let start = self.states.ends().start(attribute);
        (start, self.states.get(attribute).unwrap_or_default())
    }

    /// The labels of the state features of each attribute, in the order of the weights.
    pub(crate) fn states(&self) -> &Jagged<u32> {
        &self.states
    }

    /// The labels of all state features, in the order of the weights.
    pub(crate) fn state_labels(&self) -> &[u32] {
        self.states.values()
    }

    /// Index of the weight of a state feature; `None` if the pair has no weight. Binary search.
    ///
    /// # Panics
    /// If `attribute` is above [`Features::attributes`].
    pub fn state_weight(&self, attribute: u32, label: u32) -> Option<usize> {
        let (start, known) = self.state(attribute as usize);
        known.binary_search(&label).ok().map(|at| start + at)
    }

    /// Index of the weight of a transition feature; `None` if the pair has no weight. Binary
    /// search. Both labels must be below [`Features::labels`].
    pub fn pair_weight(&self, from: usize, to: usize) -> Option<usize> {
        let pair = (from * self.labels + to) as u32;
        let at = self.pairs.binary_search(&pair).ok()?;
        Some(self.state_labels().len() + at)
    }

    /// Adds the weights of an attribute, times `value`, to a row of label scores; `row` must have
    /// at least `labels` entries.
    #[inline]
    pub(crate) fn add_scores(&self, weights: &[f64], attribute: u32, value: f64, row: &mut [f64]) {
        let (start, known) = self.state(attribute as usize);
        for (label, weight) in known.iter().zip(&weights[start..]) {
            row[*label as usize] += value * weight;
        }
    }

    /// Transition weights as a dense table, row-major (from, to); 0 for transitions without a
    /// feature. `weights` are all weights of the model.
    pub fn pair_scores(&self, weights: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; self.labels * self.labels];
        for (&pair, weight) in self.pairs.iter().zip(&weights[self.state_labels().len()..]) {
            scores[pair as usize] = *weight;
        }
        scores
    }

    /// The features with weights for vectors of so many columns.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Features;
    /// let (features, _) = Features::listed(2, 1, &[(0, 1)], &[(0, 1)]).unwrap();
    /// let features = features.with_dimension(3);
    /// assert_eq!((features.len(), features.vector_weights()), (8, 2..8));
    /// ```
    #[must_use]
    pub fn with_dimension(mut self, dimension: usize) -> Self {
        self.dimension = dimension;
        self
    }

    /// Number of columns of the tokens' vectors; 0 if tokens have none.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Indices of the weights of the vectors, row-major (column, label).
    pub fn vector_weights(&self) -> Range<usize> {
        let first = self.state_labels().len() + self.pairs.len();
        first..first + self.dimension * self.labels
    }

    /// The weights of the columns of vectors, in padded rows (column, label).
    pub(crate) fn padded_vector_weights(&self, weights: &[f64]) -> Aligned<f64> {
        let width = padded(self.labels);
        let mut rows = Aligned::new(self.dimension * width);
        let weights = weights[self.vector_weights()].chunks_exact(self.labels.max(1));
        for (row, weights) in rows.chunks_exact_mut(width).zip(weights) {
            row[..weights.len()].copy_from_slice(weights);
        }
        rows
    }

    /// The features of both, with the numbers of labels, attributes and columns of `self`, which are at least those of
    /// `other`.
    ///
    /// # Panics
    /// If `other` has more labels or attributes.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Features;
    /// let (known, _) = Features::listed(1, 1, &[(0, 0)], &[(0, 0)]).unwrap();
    /// let (new, _) = Features::listed(2, 2, &[(0, 1), (1, 0)], &[(1, 0)]).unwrap();
    /// let both = new.united(&known);
    /// assert_eq!(both.state(0).1, [0, 1]);
    /// assert_eq!(both.pairs(), (3, &[0, 2][..]));
    /// ```
    #[must_use]
    pub fn united(&self, other: &Self) -> Self {
        let (mut states, mut work) = (Jagged::default(), Vec::new());
        for attribute in 0..self.attributes() {
            let mut own = self.state(attribute).1.to_vec();
            if attribute < other.attributes() {
                union_sorted(&mut own, other.state(attribute).1, &mut work);
            }
            states.push(own);
        }
        let before = other.labels.max(1);
        let renumbered = |&pair: &u32| {
            let (from, to) = (pair as usize / before, pair as usize % before);
            (from * self.labels + to) as u32
        };
        let mut pairs = self.pairs.clone();
        union_sorted(
            &mut pairs,
            &other.pairs.iter().map(renumbered).collect::<Vec<_>>(),
            &mut work,
        );
        Self {
            labels: self.labels,
            states,
            pairs,
            dimension: self.dimension.max(other.dimension),
        }
    }

    /// Number of attributes, with or without features.
    pub fn attributes(&self) -> usize {
        self.states.len()
    }

    /// Index of the first transition weight, and the transition features as `from * labels + to`,
    /// ascending.
    pub fn pairs(&self) -> (usize, &[u32]) {
        (self.state_labels().len(), &self.pairs)
    }
}

/// For each row of `labels` values, the labels with a positive value, ascending.
fn positive_labels(values: &[f64], labels: usize) -> impl Iterator<Item = Vec<u32>> {
    values.chunks_exact(labels.max(1)).map(|row| {
        let some = (0..).zip(row).filter(|(_, value)| **value > 0.0);
        some.map(|(label, _)| label).collect()
    })
}

/// Replaces `rows` with the possible labels of each token of a sequence, ascending: labels with
/// positive probability or count, or labels that are allowed.
fn possible_labels(target: &Target, labels: usize, rows: &mut Vec<Vec<u32>>) {
    rows.clear();
    let numbers = || 0..labels as u32;
    match target {
        Target::Labels(known) => rows.extend(known.iter().map(|&label| vec![label])),
        Target::Soft(weights) => rows.extend(positive_labels(weights, labels)),
        Target::Counts(counts) => rows.extend(positive_labels(counts.labels(), labels)),
        Target::Partial(allowed) => rows.extend(allowed.chunks_exact(labels.max(1)).map(|row| {
            let some = numbers().zip(row).filter(|(_, allowed)| **allowed);
            some.map(|(label, _)| label).collect()
        })),
    }
}
