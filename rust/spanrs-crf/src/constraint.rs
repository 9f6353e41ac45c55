//! Constraints on decoding: which transitions between labels are allowed.

use crate::error::{Result, check_len};
use crate::transitions::Transitions;

/// Which labels may begin a sequence, follow each other and end one.
///
/// A constraint made from a tag scheme guarantees legal output: decoding sets the scores of
/// everything else to negative infinity, so the model is restricted to legal labellings.
///
/// ```
/// use spanrs_crf::Constraint;
/// // O, B-x, I-x: I-x cannot begin a sequence or follow O. Last row: start; last column: end.
/// let table = [
///     true, true, false, true, // O
///     true, true, true, true, // B-x
///     true, true, true, true, // I-x
///     true, true, false, true, // start
/// ];
/// let constraint = Constraint::of_table(3, &table).unwrap();
/// let pairs = [true, true, false, true, true, true, true, true, true];
/// let same = Constraint::new(vec![true, true, false], pairs.to_vec(), vec![true; 3]);
/// assert_eq!(constraint, same.unwrap());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Whether each label may be the first of a sequence.
    pub(crate) starts: Vec<bool>,
    /// Whether each transition is allowed, row-major (from, to).
    pairs: Vec<bool>,
    /// Whether each label may be the last of a sequence.
    pub(crate) ends: Vec<bool>,
}

impl Constraint {
    /// A constraint from flags by label; `pairs` is row-major (from label, to label).
    ///
    /// # Errors
    /// [`crate::Error::Shape`] unless `starts` and `ends` have a flag per label and `pairs` has a
    /// flag per pair of labels.
    pub fn new(starts: Vec<bool>, pairs: Vec<bool>, ends: Vec<bool>) -> Result<Self> {
        check_len("last-label flags", starts.len(), ends.len())?;
        check_len("transition flags", starts.len() * ends.len(), pairs.len())?;
        Ok(Self {
            starts,
            pairs,
            ends,
        })
    }

    /// A constraint from one table of `labels + 1` rows and columns: entry (from, to) allows a
    /// transition, the last row is the start of a sequence and the last column its end. The entry
    /// from start to end is not used.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if the table does not have `(labels + 1)^2` entries.
    pub fn of_table(labels: usize, flags: &[bool]) -> Result<Self> {
        let size = (labels + 1) * (labels + 1);
        check_len("transition flags", size, flags.len())?;
        let (rows, starts) = flags.split_at(labels * (labels + 1));
        let rows = rows.chunks_exact(labels + 1);
        let pairs = rows.clone().flat_map(|row| &row[..labels]).copied();
        let ends = rows.map(|row| row[labels]).collect();
        Self::new(starts[..labels].to_vec(), pairs.collect(), ends)
    }

    /// Makes transitions from scores, row-major (from, to); forbidden transitions get negative
    /// infinity.
    ///
    /// # Errors
    /// Same as [`Transitions::new`]; [`crate::Error::Shape`] if the constraint has a different
    /// number of labels.
    pub(crate) fn apply(&self, mut scores: Vec<f64>) -> Result<Transitions> {
        check_len(
            "transition scores under a constraint",
            self.pairs.len(),
            scores.len(),
        )?;
        for (score, allowed) in scores.iter_mut().zip(&self.pairs) {
            *score = if *allowed { *score } else { f64::NEG_INFINITY };
        }
        Transitions::new(self.starts.len(), scores)
    }
}
