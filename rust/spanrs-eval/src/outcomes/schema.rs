/// What may become of a span, or of a pair of spans, under a criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Its name in results and exports.
    pub name: &'static str,
    /// How much of a true positive, a false positive and a false negative one such outcome is.
    pub weights: [f64; 3],
}

/// One question that a matcher answers about every span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// Its name in results and exports.
    pub name: &'static str,
    /// The possible answers; a [`Cell`] has the index of one. At most 256.
    pub outcomes: &'static [Outcome],
}

/// The questions and answers of a matcher.
#[derive(Debug, PartialEq)]
pub struct Schema {
    /// The name of the matcher, which is part of stored counts.
    pub name: &'static str,
    /// Its criteria; a [`Cell`] has the index of one. At most 256.
    pub criteria: &'static [Criterion],
}

impl Schema {
    /// True where the criterion and the outcome of a cell exist.
    pub fn contains(&self, cell: &Cell) -> bool {
        let criterion = self.criteria.get(usize::from(cell.criterion));
        criterion.is_some_and(|c| usize::from(cell.outcome) < c.outcomes.len())
    }
}

/// An outcome between a gold type and a pred type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Index of the criterion in its [`Schema`].
    pub criterion: u8,
    /// Index of the outcome in its [`Criterion`].
    pub outcome: u8,
    /// Type of the gold span, by number; None where there is no gold span or its type does not matter.
    pub gold: Option<u32>,
    /// Type of the pred span, likewise.
    pub pred: Option<u32>,
}
