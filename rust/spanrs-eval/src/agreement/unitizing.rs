//! Krippendorff's alpha for unitizing (1995, "On the reliability of unitizing continuous data";
//! 2004, "Content Analysis", section 11.6).
//!
//! Every document is a continuum: units and gaps do not extend over documents. Disagreement of
//! documents with m annotators is divided by m - 1, as in alpha for nominal data with missing
//! values, so that for one document, or for documents seen by all annotators, alpha is the
//! published one.

/// Units (start, end) of one type by one annotator: disjoint and ascending.
pub(super) type Units = [(u32, u32)];

/// Joins overlapping units; returns the number of units that were joined to another unit.
///
/// Units must be sorted. Adjacent units remain separate.
pub(super) fn join(units: &mut Vec<(u32, u32)>) -> u32 {
    let before = units.len();
    units.dedup_by(|next, kept| {
        let overlaps = next.0 < kept.1;
        if overlaps {
            kept.1 = kept.1.max(next.1);
        }
        overlaps
    });
    (before - units.len()) as u32
}

/// Calls `each` with the lengths of the gaps before, between and after units.
pub(super) fn for_each_gap(units: &Units, length: u32, mut each: impl FnMut(u32)) {
    let mut at = 0;
    for &(start, end) in units {
        if start > at {
            each(start - at);
        }
        at = end;
    }
    if length > at {
        each(length - at);
    }
}

/// Returns the sum of squared differences between the units of two annotators: for overlapping
/// units, the squared distances of their bounds; for units in gaps, their squared lengths.
pub(super) fn difference(first: &Units, second: &Units) -> f64 {
    let square = |a: u32, b: u32| f64::from(a.abs_diff(b)).powi(2);
    let alone = |units: &Units, others: &Units| {
        let mut from = 0;
        let mut total = 0.0;
        for &(start, end) in units {
            from += others[from..].partition_point(|other| other.1 <= start);
            if others.get(from).is_none_or(|other| other.0 >= end) {
                total += square(end, start);
            }
        }
        total
    };
    let mut total = alone(first, second) + alone(second, first);
    let mut from = 0;
    for &(start, end) in first {
        from += second[from..].partition_point(|other| other.1 <= start);
        for other in second[from..].iter().take_while(|other| other.0 < end) {
            total += square(start, other.0) + square(end, other.1);
        }
    }
    total
}

/// Number of gaps by length, and number of units by length; both ascending in length.
pub(super) struct Lengths<'a> {
    /// Gaps of all answers for documents without units: (length, suffix sums of number and length).
    pub answers: &'a [Suffix],
    /// Gaps between units of the type, less the lengths of the documents.
    pub gaps: &'a [Suffix],
    /// Units of the type: (length, number).
    pub units: &'a [(u32, f64)],
}

/// Sums over all gaps of a length or longer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suffix {
    /// The length.
    pub length: u32,
    /// Number of gaps.
    pub number: f64,
    /// Total length of the gaps.
    pub total: f64,
}

impl Suffix {
    /// Creates an entry for [`suffix_sums`].
    pub(super) fn new(length: u32, number: f64) -> Self {
        Self {
            length,
            number,
            total: 0.0,
        }
    }
}

/// Replaces numbers of gaps by suffix sums; lengths must be ascending.
pub(super) fn suffix_sums(gaps: &mut [Suffix]) {
    let (mut number, mut total) = (0.0, 0.0);
    for gap in gaps.iter_mut().rev() {
        number += gap.number;
        total += gap.number * f64::from(gap.length);
        (gap.number, gap.total) = (number, total);
    }
}

/// Returns the disagreement expected by chance, for `positions` positions of all annotators.
pub(super) fn expected(lengths: &Lengths<'_>, positions: f64) -> f64 {
    let units: f64 = lengths.units.iter().map(|(_, number)| number).sum();
    let mut total = 0.0;
    let mut inside = 0.0;
    for &(length, number) in lengths.units {
        let size = f64::from(length);
        let mut fits = 0.0;
        for gaps in [lengths.answers, lengths.gaps] {
            let longer = gaps.partition_point(|gap| gap.length < length);
            if let Some(gap) = gaps.get(longer) {
                fits += gap.total - gap.number * (size - 1.0);
            }
        }
        let overlapping = (units - 1.0) / 3.0 * (2.0 * size.powi(3) - 3.0 * size * size + size);
        total += number * (overlapping + size * size * fits);
        inside += number * size * (size - 1.0);
    }
    let places = positions * (positions - 1.0) - inside;
    if places > 0.0 {
        2.0 * total / places
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_units_are_joined() {
        let mut units = vec![(0, 4), (1, 2), (3, 6), (6, 8)];
        assert_eq!((join(&mut units), units), (2, vec![(0, 6), (6, 8)]));
    }

    #[test]
    fn differences_are_symmetric() {
        let (first, second) = ([(0, 2), (4, 6)], [(1, 5), (8, 9)]);
        // (0, 2) and (4, 6) overlap (1, 5); (8, 9) is in a gap.
        assert_eq!(difference(&first, &second), 1.0 + 9.0 + 9.0 + 1.0 + 1.0);
        assert_eq!(difference(&first, &second), difference(&second, &first));
    }

    #[test]
    fn gaps_have_the_length_without_units() {
        let mut gaps = Vec::new();
        for_each_gap(&[(0, 2), (2, 3), (5, 6)], 9, |gap| gaps.push(gap));
        assert_eq!(gaps, [2, 3]);
    }
}
