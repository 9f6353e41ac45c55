//! The evaluation that FairEval's `compare_spans` returns: counts of errors overall, per label and
//! as a confusion matrix.
//!
//! [`spanrs_eval::fair`] does the matching; this module arranges its counts. The caller numbers labels from 0.
//!
//! | error | bounds | label |
//! |---|---|---|
//! | LE | equal | different |
//! | BES, BEL, BEO | the pred span is smaller, larger, or overlaps otherwise | equal |
//! | BE | any of these three | equal |
//! | LBE | different, overlapping | different |
//!
//! The confusion matrix has targets (gold) in rows and systems (pred) in columns. As in FairEval, fair true positives
//! are not included; boundary errors are on the diagonal, and false negatives and positives in the column and row for
//! the absence of a label.

use std::collections::BTreeMap;

use spanrs_base::Span;
use spanrs_eval::fair::{FAIR, Kind, TRADITIONAL};
use spanrs_eval::outcomes::{Cell, Counts};
use spanrs_eval::{Event, Events};

/// Counts of one label: traditional TP, FP, FN; fair TP, FP, FN; BES, BEL, BEO.
pub type LabelRow = [u64; 9];

/// An error between two labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelError {
    /// Labelling error: equal bounds, different labels.
    Le,
    /// Labelling and boundary error: different bounds and labels.
    Lbe,
}

impl LabelError {
    /// Returns the name of the error in FairEval.
    pub fn name(self) -> &'static str {
        match self {
            Self::Le => "LE",
            Self::Lbe => "LBE",
        }
    }
}

/// An error, the label of the target (gold), the label of the system (pred), and the number of occurrences.
pub type ErrorPair = (LabelError, u32, u32, u64);

/// Counts by label and by pair of labels.
///
/// # Examples
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_compat::faireval::{ErrorCounts, LabelError};
/// use spanrs_eval::{Events, Matcher, MatcherOptions, Pair, Spans};
/// let options = MatcherOptions { name: "fair".to_owned(), ..Default::default() };
/// let (gold, pred) = ([Span { start: 0, end: 2, ty: 0 }], [Span { start: 0, end: 2, ty: 1 }]);
/// let mut events = Events::default();
/// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
/// options.build().unwrap().compare(&pair, &mut events).unwrap();
/// let counts = ErrorCounts::of_events(&events, &gold, &pred, 2);
/// assert_eq!(counts.pairs().collect::<Vec<_>>(), [(LabelError::Le, 0, 1, 1)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ErrorCounts {
    /// By label.
    rows: Vec<LabelRow>,
    /// Errors between labels, by (error, gold label, pred label).
    pairs: BTreeMap<(LabelError, u32, u32), u64>,
}

impl ErrorCounts {
    /// Creates counts of 0 for `labels` labels.
    fn new(labels: usize) -> Self {
        Self {
            rows: vec![LabelRow::default(); labels],
            pairs: BTreeMap::new(),
        }
    }

    /// Counts the events of one sentence. Types of the spans are label numbers below `labels`.
    pub fn of_events(
        events: &Events,
        gold: &[Span<i64>],
        pred: &[Span<i64>],
        labels: usize,
    ) -> Self {
        let mut counts = Self::new(labels);
        for event in &events.0 {
            let cell = Cell {
                criterion: event.criterion,
                outcome: event.outcome,
                gold: event.gold.map(|at| gold[at as usize].ty),
                pred: event.pred.map(|at| pred[at as usize].ty),
            };
            counts.add(&cell, 1);
        }
        counts
    }

    /// Converts the counts of a corpus; the number of a label is its index in `labels`. Types that are not listed are
    /// omitted.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_compat::faireval::ErrorCounts;
    /// use spanrs_eval::{MatcherOptions, Pair, Scorer, Spans};
    /// let options = MatcherOptions { name: "fair".to_owned(), ..Default::default() };
    /// let mut scorer = Scorer::new(options.build().unwrap(), 0);
    /// let (mut types, name) = (scorer.type_cells(), |_| "PER".to_owned());
    /// let (gold, pred) = ([Span { start: 0, end: 3, ty: 0 }], [Span { start: 0, end: 2, ty: 0 }]);
    /// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
    /// scorer.add_spans(&pair, &mut types, &name).unwrap();
    /// let counts = ErrorCounts::of_counts(scorer.span_counts(), &["PER".to_owned()]);
    /// // Traditionally a false positive and a false negative, one boundary error (BES) in fair counting.
    /// assert_eq!(counts.rows(), [[0, 1, 1, 0, 0, 0, 1, 0, 0]]);
    /// ```
    pub fn of_counts(counts: &Counts, labels: &[String]) -> Self {
        let numbers: BTreeMap<&str, u32> = labels.iter().map(String::as_str).zip(0..).collect();
        let number = |ty: Option<u32>| ty.and_then(|ty| numbers.get(counts.type_name(ty)).copied());
        let mut found = Self::new(labels.len());
        for (id, cell) in (0..).zip(counts.cells()) {
            let cell = Cell {
                gold: number(cell.gold),
                pred: number(cell.pred),
                ..*cell
            };
            found.add(&cell, counts.total(id));
        }
        found
    }

    /// Adds a cell of the fair matcher, which occurs `n` times.
    fn add(&mut self, cell: &Cell, n: u64) {
        let column = match (cell.criterion, cell.outcome) {
            (TRADITIONAL, outcome) => outcome,
            (FAIR, outcome) if outcome <= Kind::Fn as u8 => 3 + outcome,
            (FAIR, outcome) if outcome == Kind::Le as u8 => {
                return self.add_pair(LabelError::Le, cell, n);
            }
            (FAIR, outcome) if outcome == Kind::Lbe as u8 => {
                return self.add_pair(LabelError::Lbe, cell, n);
            }
            (FAIR, outcome) => 6 + outcome - Kind::Bes as u8,
            _ => return,
        };
        if let Some(label) = cell.gold.or(cell.pred) {
            self.rows[label as usize][usize::from(column)] += n;
        }
    }

    /// Adds an error between two labels.
    fn add_pair(&mut self, error: LabelError, cell: &Cell, n: u64) {
        if let (Some(gold), Some(pred)) = (cell.gold, cell.pred) {
            *self.pairs.entry((error, gold, pred)).or_default() += n;
        }
    }

    /// Returns the counts of each label.
    pub fn rows(&self) -> &[LabelRow] {
        &self.rows
    }

    /// Iterates over the errors between labels, sorted by error, gold label and pred label.
    pub fn pairs(&self) -> impl Iterator<Item = ErrorPair> {
        let pairs = self.pairs.iter();
        pairs.map(|(&(error, gold, pred), &n)| (error, gold, pred, n))
    }
}

/// Iterates over the indices of the unpaired spans, in pred or in gold.
///
/// `events` must be the events of one sentence. The spans are in the same order as in FairEval's lists after matching:
/// by length, and for equal lengths in the given order.
pub fn unpaired(events: &Events, of_pred: bool) -> impl Iterator<Item = u32> {
    let kind = if of_pred { Kind::Fp } else { Kind::Fn } as u8;
    let events = events.of(FAIR).filter(move |event| event.outcome == kind);
    events.filter_map(|event: &Event| event.gold.or(event.pred))
}

/// The label in whose row an LE or LBE is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The label of the target (gold).
    Target,
    /// The label of the system (pred).
    System,
    /// No row; such errors are only counted overall.
    Neither,
}

impl Focus {
    /// Returns the focus with a given name in FairEval's configuration, or [`Focus::Neither`] for unknown names, as in
    /// FairEval.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_compat::faireval::Focus;
    /// assert_eq!(Focus::from_name("target"), Focus::Target);
    /// assert_eq!(Focus::from_name("both"), Focus::Neither);
    /// ```
    pub fn from_name(name: &str) -> Self {
        match name {
            "target" => Self::Target,
            "system" => Self::System,
            _ => Self::Neither,
        }
    }
}

/// Names of the traditional counts, in order.
pub const TRADITIONAL_NAMES: [&str; 3] = ["TP", "FP", "FN"];
/// Names of the fair counts, in order.
pub const FAIR_NAMES: [&str; 9] = ["TP", "FP", "FN", "LE", "BE", "BEO", "BES", "BEL", "LBE"];

/// Traditional and fair counts, in the order of their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Counts in the order of [`TRADITIONAL_NAMES`].
    pub traditional: [u64; 3],
    /// Counts in the order of [`FAIR_NAMES`].
    pub fair: [u64; 9],
}

impl Table {
    /// Arranges the counts of a label; errors between labels are 0 until they are added.
    fn of(row: &LabelRow) -> Self {
        let [exact_tp, exact_fp, exact_fn, tp, fp, fn_, bes, bel, beo] = *row;
        let be = bes + bel + beo;
        Self {
            traditional: [exact_tp, exact_fp, exact_fn],
            fair: [tp, fp, fn_, 0, be, beo, bes, bel, 0],
        }
    }

    /// Adds an error between labels.
    fn add_label_error(&mut self, error: LabelError, n: u64) {
        let column = match error {
            LabelError::Le => 3,
            LabelError::Lbe => 8,
        };
        self.fair[column] += n;
    }
}

/// An evaluation in FairEval's layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Counts over all labels.
    pub overall: Table,
    /// Counts by label.
    pub per_label: Vec<Table>,
    /// Confusion of target labels (rows) and system labels (columns), with a row and a column for
    /// the absence of a label.
    pub confusion: Vec<Vec<u64>>,
}

/// Error: a pair has a label without a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a pair has a label without a row")]
pub struct UnknownLabel;

impl Evaluation {
    /// Arranges counts.
    ///
    /// `rows` contains the counts of each label and `pairs` the errors between labels. `nothing` is the index in the
    /// confusion matrix for the absence of a label: the number of labels, or the number of the label `_`, which
    /// FairEval cannot distinguish from the absence of a label.
    ///
    /// # Errors
    /// [`UnknownLabel`] if a pair has a label that is not an index into `rows`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_compat::faireval::{Evaluation, Focus, LabelError};
    /// // One label with a traditional FP and FN, which are one boundary error (BES) in fair counting.
    /// let rows = [[0, 1, 1, 0, 0, 0, 1, 0, 0]];
    /// let none = std::iter::empty::<(LabelError, u32, u32, u64)>();
    /// let evaluation = Evaluation::new(&rows, none, 1, Focus::Target).unwrap();
    /// assert_eq!(evaluation.overall.traditional, [0, 1, 1]);
    /// assert_eq!(evaluation.overall.fair, [0, 0, 0, 0, 1, 0, 1, 0, 0]);
    /// assert_eq!(evaluation.confusion, [[1, 0], [0, 0]]);
    /// ```
    pub fn new(
        rows: &[LabelRow],
        pairs: impl Iterator<Item = ErrorPair>,
        nothing: usize,
        focus: Focus,
    ) -> Result<Self, UnknownLabel> {
        let size = rows.len().max(nothing + 1);
        let mut total = LabelRow::default();
        let mut confusion = vec![vec![0; size]; size];
        for (label, row) in rows.iter().enumerate() {
            for (sum, n) in total.iter_mut().zip(row) {
                *sum += n;
            }
            let [.., fp, fn_, bes, bel, beo] = *row;
            confusion[label][label] += bes + bel + beo;
            confusion[label][nothing] += fn_;
            confusion[nothing][label] += fp;
        }
        let mut evaluation = Self {
            overall: Table::of(&total),
            per_label: rows.iter().map(Table::of).collect(),
            confusion,
        };
        for (error, target, system, n) in pairs {
            let (target, system) = (target as usize, system as usize);
            if target.max(system) >= rows.len() {
                return Err(UnknownLabel);
            }
            evaluation.overall.add_label_error(error, n);
            evaluation.confusion[target][system] += n;
            let label = match focus {
                Focus::Target => target,
                Focus::System => system,
                Focus::Neither => continue,
            };
            evaluation.per_label[label].add_label_error(error, n);
        }
        Ok(evaluation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [LabelRow; 2] = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 0, 1, 0, 0, 1, 0, 0, 0]];

    #[test]
    fn rows_are_laid_out_and_summed() {
        let evaluation = Evaluation::new(&ROWS, [].into_iter(), 2, Focus::Target).unwrap();
        assert_eq!(evaluation.per_label[0].traditional, [1, 2, 3]);
        assert_eq!(evaluation.per_label[0].fair, [4, 5, 6, 0, 24, 9, 7, 8, 0]);
        assert_eq!(evaluation.overall.traditional, [1, 2, 4]);
        let confusion = [vec![24, 0, 6], vec![0, 0, 1], vec![5, 0, 0]];
        assert_eq!(evaluation.confusion, confusion);
    }

    #[test]
    fn an_error_between_labels_counts_for_the_label_in_focus() {
        let pairs = [(LabelError::Le, 0, 1, 2), (LabelError::Lbe, 1, 0, 3)];
        for (focus, le, lbe) in [
            (Focus::Target, [2, 0], [0, 3]),
            (Focus::System, [0, 2], [3, 0]),
            (Focus::from_name("none"), [0, 0], [0, 0]),
        ] {
            let evaluation = Evaluation::new(&ROWS, pairs.into_iter(), 2, focus).unwrap();
            let column = |at: usize| [0, 1].map(|label| evaluation.per_label[label].fair[at]);
            assert_eq!((column(3), column(8)), (le, lbe));
            let overall = evaluation.overall.fair;
            assert_eq!((overall[3], overall[8]), (2, 3));
            assert_eq!(evaluation.confusion[0][1], 2);
        }
    }

    #[test]
    fn a_label_named_as_nothing_shares_its_cells() {
        let evaluation = Evaluation::new(&ROWS, [].into_iter(), 1, Focus::Target).unwrap();
        assert_eq!(evaluation.confusion, [vec![24, 6], vec![5, 1]]);
    }

    #[test]
    fn a_pair_of_an_unknown_label_is_an_error() {
        let pairs = [(LabelError::Le, 0, 2, 1)];
        let laid_out = Evaluation::new(&ROWS, pairs.into_iter(), 2, Focus::Target);
        assert_eq!(laid_out, Err(UnknownLabel));
    }

    #[test]
    fn events_are_counted_by_label() {
        let span = |ty| Span {
            start: 0,
            end: 1,
            ty,
        };
        let events = Events(vec![
            Event::new(TRADITIONAL, 2, Some(0), None),
            Event::new(FAIR, Kind::Le as u8, Some(0), Some(0)),
            Event::new(FAIR, Kind::Fp as u8, None, Some(1)),
        ]);
        let counts = ErrorCounts::of_events(&events, &[span(0)], &[span(1), span(1)], 2);
        assert_eq!(counts.rows()[0], [0, 0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(counts.rows()[1], [0, 0, 0, 0, 1, 0, 0, 0, 0]);
        let pairs: Vec<_> = counts.pairs().collect();
        assert_eq!(pairs, [(LabelError::Le, 0, 1, 1)]);
        assert_eq!(unpaired(&events, true).collect::<Vec<_>>(), [1]);
        assert_eq!(unpaired(&events, false).count(), 0);
    }
}
