//! The comment that lists the predicted columns of a sentence.
//!
//! ```text
//! # text = They ate
//! # spanrs.predicted = UPOS XPOS HEAD DEPREL
//! 1   They   they   PRON   PRP   Case=Nom   2   nsubj   _   _
//! ```
//!
//! When predictions are written into a copy of gold, the other columns (LEMMA and FEATS in the
//! example) are copied from gold and must not be scored as predictions. There is a comment for each
//! sentence, not for the file, so that the comments remain correct if files are concatenated, split
//! or shuffled.

use crate::conllu::NAMES;

/// Key of the comment.
const KEY: &str = "spanrs.predicted";

/// A set of CoNLL-U columns, from 0 (ID) to 9 (MISC).
///
/// ```
/// use spanrs_io::ColumnSet;
/// let predicted = ColumnSet::of([3, 6]);
/// assert!(predicted.contains(6) && !predicted.contains(7));
/// assert_eq!(predicted.names().collect::<Vec<_>>(), ["UPOS", "HEAD"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet(u16);

impl ColumnSet {
    /// All columns.
    pub const ALL: Self = Self((1 << NAMES.len()) - 1);

    /// Returns the set of the given columns, which must be less than 10.
    pub fn of(columns: impl IntoIterator<Item = usize>) -> Self {
        Self(columns.into_iter().fold(0, |bits, at| bits | 1 << at))
    }

    /// Returns true if the column is in the set.
    pub fn contains(self, column: usize) -> bool {
        self.0 >> column & 1 == 1
    }

    /// Returns the columns of both sets.
    #[must_use]
    pub fn union(self, columns: Self) -> Self {
        Self(self.0 | columns.0)
    }

    /// Returns the names of the columns, in the order of CoNLL-U.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let named = (0..).zip(NAMES);
        named.filter_map(move |(at, name)| self.contains(at).then_some(name))
    }

    /// Parses the comment; None for other lines. Names that are not column names are ignored.
    pub(super) fn from_comment(line: &str) -> Option<Self> {
        let (key, names) = line.strip_prefix('#')?.split_once('=')?;
        let column = |name: &str| NAMES.iter().position(|column| *column == name);
        (key.trim() == KEY).then(|| Self::of(names.split_whitespace().filter_map(column)))
    }

    /// Appends the comment with a line end.
    pub(super) fn push_comment(self, line_end: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"# ");
        out.extend_from_slice(KEY.as_bytes());
        out.extend_from_slice(b" =");
        for name in self.names() {
            out.push(b' ');
            out.extend_from_slice(name.as_bytes());
        }
        out.extend_from_slice(line_end.as_bytes());
    }
}
