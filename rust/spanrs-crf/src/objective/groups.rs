//! Duplicate columns of the design matrix share one parameter in training.
//!
//! Text attributes are redundant: a rare word determines its prefixes, its shape and its bigrams.
//! Attributes that occur at exactly the same tokens with the same counts cannot be distinguished by
//! the training data, so their weights are equal at the minimum of a strictly convex objective.
//! [`Groups`] finds such groups, and training optimises one parameter per group and label.
//!
//! # Example
//! | token | attributes |
//! |---|---|
//! | 0 | a, b, c |
//! | 1 | a, b, d |
//! | 2 | e, c, f |
//!
//! The groups are {a, b}, {c}, {d} and {e, f}, if the attributes of each group have features with
//! the same labels.
//!
//! # Algorithm
//! Partition refinement (Paige and Tarjan 1987): begin with classes of equal label sets, and for
//! each token split every class into the attributes that occur at the token and the attributes that
//! do not. An item moves at most one attribute, so apart from sorting the attributes of each token
//! the time is linear in the number of items; memory is 4 bytes per attribute plus 16 per class.

use std::collections::HashMap;

use super::packed::code_key;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::features::Features;
use crate::simd::padded;

/// Marks the absence of a group or class.
const NONE: u32 = u32::MAX;

/// Groups of attributes that occur the same number of times at every token and have weights for the
/// same labels.
///
/// Their derivatives are equal, and the iterates of L-BFGS are sums of gradients, so if the weights
/// of a group are equal at the start they remain so. One parameter, `sqrt(n)` times the weight of
/// each of the `n` attributes, represents the group: with this scale lengths and inner products are
/// the same as for the weights, so the L2 penalty is unchanged and L-BFGS takes the same path. The
/// L1 norm is not preserved; see [`crate::train()`].
#[derive(Debug)]
pub(crate) struct Groups {
    /// The group of each attribute. Groups are numbered like the codes of the items, so that copying
    /// parameters reads and writes memory in order.
    group: Vec<u32>,
    /// The first attribute of each group, which represents the group.
    attributes: Vec<u32>,
    /// Number of attributes of each group.
    sizes: Vec<u32>,
    /// The square root of each size.
    scales: Vec<f64>,
}

impl Groups {
    /// Makes each attribute a separate group, so that parameters equal weights.
    pub(crate) fn single(features: &Features) -> Self {
        Self::numbered(0..features.attributes())
    }

    /// The coarsest groups of a corpus. Corpora with values other than 1 are not grouped, since
    /// equal columns are rare in them.
    ///
    /// # Errors
    /// Same as [`Corpus::for_each_block`].
    pub(crate) fn of(corpus: &Corpus, features: &Features) -> Result<Self> {
        if corpus.inputs().has_values() {
            return Ok(Self::single(features));
        }
        let mut partition = Partition::by_labels(features);
        let mut attributes = Vec::new();
        corpus.for_each_block(|block, _| {
            for token in 0..block.tokens() {
                attributes.extend(block.items(token).map(|(attribute, _)| attribute));
                partition.refine_by_token(&mut attributes);
            }
            Ok(())
        })?;
        let groups = Self::numbered(partition.class.into_iter().map(|class| class as usize));
        let (counts, width) = (corpus.counts()?, padded(features.labels()));
        Ok(groups.sorted_by_key(|attribute| {
            let labels = features.state(attribute).1.len();
            code_key(labels, counts[attribute], width)
        }))
    }

    /// Numbers the groups in the order of the keys of their first attributes.
    fn sorted_by_key<K: Ord>(mut self, key: impl Fn(usize) -> K) -> Self {
        let mut order: Vec<u32> = (0..self.attributes.len() as u32).collect();
        order.sort_by_cached_key(|&group| key(self.attributes[group as usize] as usize));
        let mut number = vec![NONE; order.len()];
        for (new, &old) in order.iter().enumerate() {
            number[old as usize] = new as u32;
        }
        for group in &mut self.group {
            *group = number[*group as usize];
        }
        for values in [&mut self.attributes, &mut self.sizes] {
            *values = order.iter().map(|&old| values[old as usize]).collect();
        }
        self.scales = order.iter().map(|&old| self.scales[old as usize]).collect();
        self
    }

    /// Makes groups from the class of each attribute; classes are at most the number of attributes.
    /// Groups are numbered in the order of their first attributes.
    fn numbered(classes: impl ExactSizeIterator<Item = usize>) -> Self {
        let mut number = vec![NONE; classes.len() + 1];
        let (mut group, mut attributes, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for (attribute, class) in classes.enumerate() {
            if number[class] == NONE {
                number[class] = attributes.len() as u32;
                attributes.push(attribute as u32);
                sizes.push(0);
            }
            sizes[number[class] as usize] += 1;
            group.push(number[class]);
        }
        let scales = sizes.iter().map(|&size| f64::from(size).sqrt()).collect();
        Self {
            group,
            attributes,
            sizes,
            scales,
        }
    }

    /// The first attribute of each group.
    pub(crate) fn attributes(&self) -> &[u32] {
        &self.attributes
    }

    /// Number of attributes of a group.
    pub(crate) fn size(&self, group: usize) -> u32 {
        self.sizes[group]
    }

    /// The square root of the size of a group: the weight of each attribute is the parameter
    /// divided by this root.
    pub(crate) fn scale(&self, group: usize) -> f64 {
        self.scales[group]
    }

    /// Features of the groups, with a group in place of each attribute; transitions are unchanged.
    pub(crate) fn features(&self, features: &Features) -> Features {
        features.select(&self.attributes)
    }

    /// Parameters from weights. `own` are the features of the groups. Weights that differ within a
    /// group are replaced by their mean, which gives the same scores.
    pub(crate) fn to_parameters(
        &self,
        features: &Features,
        weights: &[f64],
        own: &Features,
    ) -> Vec<f64> {
        let mut parameters = vec![0.0; own.len()];
        for (attribute, &group) in self.group.iter().enumerate() {
            let scale = self.scale(group as usize);
            let (start, labels) = features.state(attribute);
            let (first, _) = own.state(group as usize);
            let sums = parameters[first..].iter_mut();
            for (sum, weight) in sums.zip(&weights[start..][..labels.len()]) {
                *sum += weight / scale;
            }
        }
        let (first, _) = own.pairs();
        parameters[first..].copy_from_slice(&weights[features.pairs().0..]);
        parameters
    }

    /// Writes the weights of all attributes from the parameters of their groups. `own` are the
    /// features of the groups.
    pub(crate) fn to_weights(
        &self,
        features: &Features,
        parameters: &[f64],
        own: &Features,
        weights: &mut [f64],
    ) {
        for (attribute, &group) in self.group.iter().enumerate() {
            let scale = self.scale(group as usize);
            let (start, _) = features.state(attribute);
            let (first, labels) = own.state(group as usize);
            let known = &parameters[first..][..labels.len()];
            for (weight, parameter) in weights[start..].iter_mut().zip(known) {
                *weight = parameter / scale;
            }
        }
        let (first, _) = own.pairs();
        weights[features.pairs().0..].copy_from_slice(&parameters[first..]);
    }
}

/// Disjoint classes of attributes, refined token by token.
struct Partition {
    /// The class of each attribute.
    class: Vec<u32>,
    /// Number of attributes in each class; 0 if the class is free.
    sizes: Vec<u32>,
    /// For each class, the class to which members last moved, and the number of that refinement.
    target: Vec<(u32, u32)>,
    /// Classes without attributes, which can be reused.
    free: Vec<u32>,
    /// Number of refinements so far.
    refined: u32,
}

impl Partition {
    /// The initial partition: attributes with features for the same labels form a class.
    fn by_labels(features: &Features) -> Self {
        let (mut known, mut sizes) = (HashMap::new(), Vec::new());
        let class = (0..features.attributes()).map(|attribute| {
            let labels = features.state(attribute).1;
            let class = *known.entry(labels).or_insert_with(|| {
                sizes.push(0);
                sizes.len() as u32 - 1
            });
            sizes[class as usize] += 1;
            class
        });
        Self {
            class: class.collect(),
            target: vec![(NONE, 0); sizes.len()],
            sizes,
            free: Vec::new(),
            refined: 0,
        }
    }

    /// Separates attributes that occur at a token from the other attributes of their classes, and
    /// then by the number of occurrences at the token. `token` is consumed: it is sorted and
    /// emptied.
    ///
    /// Attributes are refined by "occurs at least once", then by "occurs at least twice" and so on.
    fn refine_by_token(&mut self, token: &mut Vec<u32>) {
        token.sort_unstable();
        let mut repeated = Vec::new();
        while !token.is_empty() {
            repeated.clear();
            let twice = token.windows(2).filter(|two| two[0] == two[1]);
            repeated.extend(twice.map(|two| two[0]));
            token.dedup();
            self.refine(token);
            std::mem::swap(token, &mut repeated);
        }
    }

    /// Separates distinct attributes from the other attributes of their classes. A class with one
    /// attribute does not change; a class whose members all leave is freed.
    fn refine(&mut self, attributes: &[u32]) {
        self.refined += 1;
        for &attribute in attributes {
            let class = self.class[attribute as usize];
            let from = class as usize;
            let to = match self.target[from] {
                (to, refined) if refined == self.refined => to,
                _ if self.sizes[from] == 1 => continue,
                _ => self.add(from),
            };
            self.class[attribute as usize] = to;
            self.sizes[from] -= 1;
            self.sizes[to as usize] += 1;
            if self.sizes[from] == 0 {
                self.target[from] = (NONE, 0);
                self.free.push(class);
            }
        }
    }

    /// An empty class for the members of class `from` that are separated from it in this
    /// refinement.
    fn add(&mut self, from: usize) -> u32 {
        let to = self.free.pop().unwrap_or_else(|| {
            self.sizes.push(0);
            self.target.push((NONE, 0));
            self.sizes.len() as u32 - 1
        });
        self.target[from] = (to, self.refined);
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Target;
    use crate::features::FeatureSelection;

    /// Groups of the attributes of tokens, as sorted lists of attributes.
    fn groups(tokens: &[&[u32]], labels: &[u32]) -> Vec<Vec<u32>> {
        let mut corpus = Corpus::new(3, 8);
        for token in tokens {
            corpus.token(token.iter().map(|&at| (at, 1.0))).unwrap();
        }
        corpus
            .end_sequence(Target::Labels(labels.to_vec()), 1.0)
            .unwrap();
        let features = Features::of(&corpus, FeatureSelection::default());
        let found = Groups::of(&corpus, &features).unwrap();
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); found.attributes.len()];
        for (attribute, &group) in found.group.iter().enumerate() {
            if !features.state(attribute).1.is_empty() {
                lists[group as usize].push(attribute as u32);
            }
        }
        lists.retain(|list| !list.is_empty());
        lists.sort();
        lists
    }

    #[test]
    fn attributes_of_the_same_tokens_are_a_group() {
        let tokens: [&[u32]; 3] = [&[0, 1, 2], &[0, 1, 3], &[4, 2, 5]];
        assert_eq!(
            groups(&tokens, &[0, 1, 0]),
            [vec![0, 1], vec![2], vec![3], vec![4, 5]]
        );
    }

    #[test]
    fn attributes_that_occur_twice_differ_from_those_that_occur_once() {
        let tokens: [&[u32]; 2] = [&[0, 1, 1, 2, 3, 3], &[4, 4, 4, 5, 5, 5]];
        assert_eq!(
            groups(&tokens, &[0, 0]),
            [vec![0, 2], vec![1, 3], vec![4, 5]]
        );
    }

    #[test]
    fn groups_are_those_with_equal_lists_of_tokens() {
        let mut random = spanrs_base::Rng::new(3);
        for _ in 0..200 {
            let tokens: Vec<Vec<u32>> = (0..1 + random.below(6))
                .map(|_| {
                    (0..random.below(9))
                        .map(|_| random.below(8) as u32)
                        .collect()
                })
                .collect();
            let slices: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
            let labels: Vec<u32> = tokens.iter().map(|_| random.below(3) as u32).collect();
            let mut expected: std::collections::BTreeMap<Vec<usize>, Vec<u32>> = Default::default();
            for attribute in 0..8 {
                let counts = slices
                    .iter()
                    .map(|token| token.iter().filter(|&&own| own == attribute).count());
                let counts: Vec<usize> = counts.collect();
                if counts.iter().any(|&count| count > 0) {
                    expected.entry(counts).or_default().push(attribute);
                }
            }
            let mut expected: Vec<_> = expected.into_values().collect();
            expected.sort();
            assert_eq!(groups(&slices, &labels), expected, "{tokens:?}");
        }
    }
}
