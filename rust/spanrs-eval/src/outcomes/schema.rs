use spanrs_base::Named;

/// What may become of a span, or of a pair of spans, under a criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Its name in results and exports.
    pub name: &'static str,
    /// How much of a true positive, a false positive and a false negative one such outcome is.
    pub weights: [f64; 3],
}

impl Outcome {
    /// An outcome with its weights as true positive, false positive and false negative.
    pub const fn new(name: &'static str, weights: [f64; 3]) -> Self {
        Self { name, weights }
    }

    /// An outcome that is counted, and no part of precision and recall.
    pub const fn unweighted(name: &'static str) -> Self {
        Self::new(name, [0.0; 3])
    }
}

/// Which type an outcome between spans of two types counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// True positives and false negatives for the gold type, false positives for the pred type.
    Own,
    /// All for the gold type, or that of pred where there is no gold span.
    Gold,
    /// All for the pred type, or that of gold where there is no pred span.
    Pred,
}

impl Named for Axis {
    const WHAT: &'static str = "axis";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("own", Self::Own),
        ("gold", Self::Gold),
        ("pred", Self::Pred),
    ];
}

/// One question that a matcher answers about every span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// Its name in results and exports.
    pub name: &'static str,
    /// The possible answers; a [`Cell`] has the index of one. At most 256.
    pub outcomes: &'static [Outcome],
    /// True where cells have the types of their spans.
    pub typed: bool,
    /// Which type pairs of spans of different types count for.
    pub axis: Axis,
    /// The criterion that has the measures of each type, where spans of each type are matched by themselves.
    pub per_type: Option<u8>,
    /// Name of the criterion that defines support (TP + FN).
    pub support: Option<u8>,
    /// The criterion whose cells these are, where only the weights differ.
    pub cells_of: Option<u8>,
    /// Value of a measure whose denominator is 0.
    pub empty: f64,
    /// Whether types can be renamed or merged in the counts without matching again.
    pub renames: bool,
}

impl Criterion {
    /// A criterion by types, whose measures of nothing are 0.
    pub const fn new(name: &'static str, outcomes: &'static [Outcome]) -> Self {
        Self {
            name,
            outcomes,
            typed: true,
            axis: Axis::Own,
            per_type: None,
            support: None,
            cells_of: None,
            empty: 0.0,
            renames: false,
        }
    }

    /// The outcomes with nonzero weights, one term each.
    pub fn terms(&self) -> Vec<(Vec<u8>, [f64; 3])> {
        let known = (0..).zip(self.outcomes);
        let counted = known.filter(|(_, outcome)| outcome.weights != [0.0; 3]);
        counted
            .map(|(at, outcome)| (vec![at], outcome.weights))
            .collect()
    }
}

/// What tags and files are counted for besides spans; the last criterion of matchers of tags.
pub const CORPUS: Criterion = Criterion {
    typed: false,
    ..Criterion::new(
        "corpus",
        &[
            Outcome::unweighted("sentences"),
            Outcome::unweighted("tokens"),
            Outcome::unweighted("correct_tokens"),
            Outcome::unweighted("gold_labelled"),
            Outcome::unweighted("pred_labelled"),
            Outcome::unweighted("gold_violations"),
            Outcome::unweighted("pred_violations"),
            Outcome::unweighted("differing_tokens"),
            Outcome::unweighted("unaligned_files"),
        ],
    )
};

/// Index of the tokens of pred that are not `O` in [`CORPUS`].
pub(crate) const PRED_LABELLED: u8 = 4;
/// Index of the tokens that differ between two files in [`CORPUS`].
pub const DIFFERING_TOKENS: u8 = 7;
/// Index of the pairs of files in [`CORPUS`] whose tokens were not compared, because a side has none.
pub const UNALIGNED_FILES: u8 = 8;

/// The questions and answers of a matcher.
#[derive(Debug, PartialEq)]
pub struct Schema {
    /// The name of the matcher, which is part of stored counts.
    pub name: &'static str,
    /// Its criteria; a [`Cell`] has the index of one. At most 256. The first is the one results speak of unless told
    /// otherwise.
    pub criteria: &'static [Criterion],
}

impl Schema {
    /// True where a cell may be counted: its criterion and outcome exist, and it has types if they are kept.
    pub fn contains(&self, cell: &Cell) -> bool {
        let criterion = self.criteria.get(usize::from(cell.criterion));
        criterion.is_some_and(|c| {
            c.cells_of.is_none()
                && usize::from(cell.outcome) < c.outcomes.len()
                && (c.typed || (cell.gold, cell.pred) == (None, None))
        })
    }

    /// The index of a criterion.
    pub fn criterion(&self, name: &str) -> Option<u8> {
        (0..)
            .zip(self.criteria)
            .find_map(|(at, criterion)| (criterion.name == name).then_some(at))
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

impl Cell {
    /// An outcome between two types.
    pub fn new(criterion: u8, outcome: u8, gold: Option<u32>, pred: Option<u32>) -> Self {
        Self {
            criterion,
            outcome,
            gold,
            pred,
        }
    }
}
