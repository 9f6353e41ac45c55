//! Annotated documents.

use serde::{Deserialize, Serialize};

/// A unit: a span of a document with a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Index of the first position.
    pub start: u32,
    /// Index after the last position; greater than `start`.
    pub end: u32,
    /// Number of the category; only equality matters.
    pub category: u32,
}

/// A document with the units of its annotators.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continuum {
    /// The units of each annotator who saw the document, in any order. The list of an annotator who
    /// marked nothing is empty.
    pub units: Vec<Vec<Unit>>,
    /// Number of positions of the document.
    pub length: u32,
}

/// A unit at a real-valued position, as in random continua.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    /// Start.
    pub(super) start: f64,
    /// End, greater than `start`.
    pub(super) end: f64,
    /// Number of the category.
    pub(super) category: u32,
}

impl Segment {
    /// Length, greater than 0.
    pub(super) fn len(&self) -> f64 {
        self.end - self.start
    }

    /// Twice the centre.
    pub(super) fn doubled_centre(&self) -> f64 {
        self.start + self.end
    }
}

impl From<&Unit> for Segment {
    fn from(unit: &Unit) -> Self {
        Self {
            start: f64::from(unit.start),
            end: f64::from(unit.end),
            category: unit.category,
        }
    }
}

impl Continuum {
    /// Number of units of all annotators.
    pub(super) fn total(&self) -> usize {
        self.units.iter().map(Vec::len).sum()
    }

    /// Returns the mean number of units per annotator; NaN without annotators.
    pub fn mean_units(&self) -> f64 {
        self.total() as f64 / self.units.len() as f64
    }

    /// Returns whether gamma may be defined: at least two annotators and one unit.
    pub(super) fn is_measurable(&self) -> bool {
        self.units.len() >= 2 && self.total() > 0
    }

    /// Returns the units of each annotator as segments.
    pub(super) fn segments(&self) -> Vec<Vec<Segment>> {
        let of_annotator = |units: &Vec<Unit>| units.iter().map(Segment::from).collect();
        self.units.iter().map(of_annotator).collect()
    }
}
