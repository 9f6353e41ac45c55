//! The labels with which attributes occur, collected from a corpus.

use spanrs_base::Jagged;

/// The labels of each attribute, collected token by token. Most attributes have one label, which takes 4 bytes.
pub(crate) struct StateLabels {
    /// The only label of each attribute, [`NO_LABEL`], or [`SEVERAL`] plus an index of `several`.
    single: Vec<u32>,
    /// The labels of attributes with several, ascending, after the last label that was added: most occurrences repeat
    /// it.
    several: Vec<(u32, Vec<u32>)>,
    /// Work space.
    united: Vec<u32>,
}

/// An attribute without labels.
const NO_LABEL: u32 = u32::MAX;
/// Added to the index of an attribute with several labels.
const SEVERAL: u32 = 1 << 31;

impl StateLabels {
    pub(crate) fn new(attributes: usize) -> Self {
        Self {
            single: vec![NO_LABEL; attributes],
            several: Vec::new(),
            united: Vec::new(),
        }
    }

    /// Adds labels, which are ascending and distinct, to those of an attribute.
    pub(crate) fn add(&mut self, attribute: usize, labels: &[u32]) {
        let single = &mut self.single[attribute];
        let only = match labels {
            &[label] => Some(label),
            _ => None,
        };
        if *single == NO_LABEL && labels.is_empty() || only == Some(*single) {
            return;
        }
        if let (NO_LABEL, Some(label)) = (*single, only) {
            *single = label;
            return;
        }
        if *single == NO_LABEL || *single < SEVERAL {
            let collected = Some(*single).filter(|label| *label != NO_LABEL);
            *single = SEVERAL + self.several.len() as u32;
            self.several
                .push((NO_LABEL, collected.into_iter().collect()));
        }
        let (last, collected) = &mut self.several[(*single - SEVERAL) as usize];
        if only.is_none() || only != Some(*last) {
            union_sorted(collected, labels, &mut self.united);
        }
        *last = only.unwrap_or(NO_LABEL);
    }

    /// The labels of each attribute; all of so many labels, if the number is given, for attributes that have any.
    pub(crate) fn finish(self, all: Option<usize>) -> Jagged<u32> {
        let mut labels = Jagged::default();
        for single in self.single {
            match (single, all) {
                (NO_LABEL, _) => labels.push([]),
                (_, Some(all)) => labels.push(0..all as u32),
                (SEVERAL.., None) => {
                    let (_, collected) = &self.several[(single - SEVERAL) as usize];
                    labels.push(collected.iter().copied());
                }
                (label, None) => labels.push([label]),
            }
        }
        labels
    }
}

/// Merges the labels `more` into `known`; both are ascending and distinct. `united` is work space.
pub(crate) fn union_sorted(labels: &mut Vec<u32>, more: &[u32], united: &mut Vec<u32>) {
    if let &[label] = more {
        // Most tokens have one label, and most attributes have few labels.
        if let Err(at) = labels.binary_search(&label) {
            labels.insert(at, label);
        }
        return;
    }
    united.clear();
    let (mut left, mut right) = (&labels[..], more);
    while let (Some(&a), Some(&b)) = (left.first(), right.first()) {
        united.push(a.min(b));
        left = &left[usize::from(a <= b)..];
        right = &right[usize::from(b <= a)..];
    }
    united.extend_from_slice(left);
    united.extend_from_slice(right);
    labels.clone_from(united);
}
