//! Jagged arrays: rows of different lengths in one vector, and the ends of the rows.
//!
//! Row `at` begins where row `at - 1` ends. A row costs 8 bytes in addition to its values, and all
//! rows together need two allocations.
//!
//! | rows | values | ends |
//! |---|---|---|
//! | `[7, 8]`, `[]`, `[9]` | 7, 8, 9 | 2, 2, 3 |

use std::ops::Range;

/// Ends of consecutive rows in one or several vectors of values. Rows are numbered from 0; the end
/// of a row is exclusive and equal to the start of the next row.
///
/// # Examples
///
/// ```
/// use spanrs_base::Ends;
/// let mut ends = Ends::of_lengths([2, 0]);
/// ends.push(3);
/// assert_eq!(ends.ranges().collect::<Vec<_>>(), [0..2, 2..2, 2..3]);
/// assert_eq!((ends.len(), ends.total(), ends.row_of(2)), (3, 3, 2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends(Vec<usize>);

impl Ends {
    /// Creates rows from their lengths. A sum beyond `usize::MAX` becomes `usize::MAX`.
    pub fn of_lengths(lengths: impl IntoIterator<Item = usize>) -> Self {
        let ends = lengths.into_iter().scan(0_usize, |end, length| {
            *end = end.saturating_add(length);
            Some(*end)
        });
        Self(ends.collect())
    }

    /// Creates rows from ends that are not trusted; None unless the ends are in non-decreasing
    /// order and the last one is `total` (`total` is 0 if there are no rows).
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::Ends;
    /// assert_eq!(Ends::checked(vec![1, 3], 3), Some(Ends::of_lengths([1, 2])));
    /// assert!(Ends::checked(vec![1, 3], 4).is_none());
    /// assert!(Ends::checked(vec![3, 1], 1).is_none());
    /// ```
    pub fn checked(ends: Vec<usize>, total: usize) -> Option<Self> {
        let ends = Self(ends);
        (ends.0.is_sorted() && ends.total() == total).then_some(ends)
    }

    /// Reserves capacity for at least `rows` more rows.
    pub fn reserve(&mut self, rows: usize) {
        self.0.reserve(rows);
    }

    /// Appends a row that ends at `end`, which must not be less than [`Ends::total`].
    #[inline]
    pub fn push(&mut self, end: usize) {
        debug_assert!(end >= self.total(), "rows must be in order");
        self.0.push(end);
    }

    /// Returns the number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of values in all rows: the end of the last row, or 0 if there are no
    /// rows.
    #[inline]
    pub fn total(&self) -> usize {
        self.0.last().copied().unwrap_or_default()
    }

    /// Returns the start of a row; for `row == len`, the start of the next row to be appended.
    ///
    /// # Panics
    /// If `row` is greater than [`Ends::len`].
    #[inline]
    pub fn start(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.0[row - 1] }
    }

    /// Returns the range of value indices of a row.
    ///
    /// # Panics
    /// If `row` is not less than [`Ends::len`].
    #[inline]
    pub fn range(&self, row: usize) -> Range<usize> {
        self.start(row)..self.0[row]
    }

    /// Iterates over the rows as ranges of value indices.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<usize>> + Clone {
        let mut start = 0;
        self.0.iter().map(move |&end| {
            let range = start..end;
            start = end;
            range
        })
    }

    /// Returns the row of a value by binary search, or [`Ends::len`] for an index beyond the last
    /// row.
    pub fn row_of(&self, index: usize) -> usize {
        self.0.partition_point(|&end| end <= index)
    }

    /// Returns the ends (exclusive).
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }

    /// Keeps the first `rows` rows.
    pub fn truncate(&mut self, rows: usize) {
        self.0.truncate(rows);
    }

    /// Removes all rows but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Rows of values, stored in one vector.
///
/// Values may be appended to a row before the row is ended: values after the end of the last row
/// belong to the *open* row, which [`Jagged::end`] ends.
///
/// # Examples
///
/// ```
/// use spanrs_base::Jagged;
/// let mut rows = Jagged::default();
/// rows.push([7, 8]);
/// rows.values_mut().push(9);
/// rows.end();
/// assert_eq!(rows.rows().collect::<Vec<_>>(), [&[7, 8][..], &[9]]);
/// assert_eq!((rows.row(1), rows.get(2)), (&[9][..], None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jagged<T> {
    /// Values of all rows, followed by the values of the open row.
    values: Vec<T>,
    /// Ends of the rows in `values`.
    ends: Ends,
}

impl<T> Default for Jagged<T> {
    fn default() -> Self {
        let (values, ends) = (Vec::new(), Ends::default());
        Self { values, ends }
    }
}

impl<T> Jagged<T> {
    /// Creates rows from their values and ends, without an open row.
    ///
    /// # Panics
    /// If the last row does not end at the last value.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::{Ends, Jagged};
    /// let rows = Jagged::new(vec![7, 8, 9], Ends::of_lengths([2, 1]));
    /// assert_eq!(rows.row(1), [9]);
    /// ```
    pub fn new(values: Vec<T>, ends: Ends) -> Self {
        assert_eq!(
            values.len(),
            ends.total(),
            "the last row must end at the last value"
        );
        Self { values, ends }
    }

    /// Appends values to the open row and ends the row.
    #[inline]
    pub fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.values.extend(row);
        self.end();
    }

    /// Returns the vector of values, so that values can be appended to the open row. The values of
    /// ended rows must not be removed.
    #[inline]
    pub fn values_mut(&mut self) -> &mut Vec<T> {
        &mut self.values
    }

    /// Ends the open row, which may be empty.
    #[inline]
    pub fn end(&mut self) {
        self.ends.push(self.values.len());
    }

    /// Removes all rows, including the open row.
    pub fn clear(&mut self) {
        self.values.clear();
        self.ends.clear();
    }

    /// Returns the number of rows, excluding the open row.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether no row has ended.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a row.
    ///
    /// # Panics
    /// If `row` is not less than [`Jagged::len`].
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[self.ends.range(row)]
    }

    /// Returns a row, or None if there is no such row.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&[T]> {
        (row < self.len()).then(|| self.row(row))
    }

    /// Iterates over the rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        self.ends.ranges().map(|range| &self.values[range])
    }

    /// Returns the values of all rows, including the open row.
    #[inline]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the ends of the rows in [`Jagged::values`].
    #[inline]
    pub fn ends(&self) -> &Ends {
        &self.ends
    }

    /// Returns the values and the ends of the rows.
    pub fn into_parts(self) -> (Vec<T>, Ends) {
        (self.values, self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_the_row_that_has_its_index() {
        let ends = Ends::of_lengths([0, 3, 0, 0, 2, 0]);
        let rows: Vec<usize> = (0..ends.total()).map(|at| ends.row_of(at)).collect();
        assert_eq!(rows, [1, 1, 1, 4, 4]);
        assert_eq!(ends.row_of(5), ends.len());
        for (row, range) in ends.ranges().enumerate() {
            assert_eq!(ends.range(row), range);
        }
        assert_eq!(
            (ends.start(6), ends.as_slice()),
            (5, &[0, 3, 3, 3, 5, 5][..])
        );
    }

    #[test]
    fn lengths_beyond_the_address_space_saturate() {
        let ends = Ends::of_lengths([1, usize::MAX, 1]);
        assert_eq!(ends.as_slice(), [1, usize::MAX, usize::MAX]);
    }

    #[test]
    fn rows_can_be_removed_at_the_end() {
        let mut ends = Ends::of_lengths([1, 2]);
        ends.truncate(1);
        assert_eq!(ends, Ends::of_lengths([1]));
        ends.clear();
        assert_eq!((ends.total(), ends.is_empty()), (0, true));
        assert_eq!(Ends::checked(Vec::new(), 0), Some(ends));
        assert_eq!(Ends::checked(Vec::new(), 1), None);
    }

    #[test]
    fn the_open_row_is_no_row() {
        let mut rows = Jagged::new(vec![1], Ends::of_lengths([0, 1]));
        rows.values_mut().extend([2, 3]);
        assert_eq!(rows.rows().collect::<Vec<_>>(), [&[][..], &[1]]);
        rows.end();
        assert_eq!((rows.len(), rows.get(2)), (3, Some(&[2, 3][..])));
        assert_eq!((rows.values(), rows.ends().total()), (&[1, 2, 3][..], 3));
    }
}
