//! The combined dissimilarity of two units (Mathet et al. 2015, section 4).

use super::continuum::Segment;

/// Dissimilarity of units and disorder of unitary alignments, for a fixed number of annotators.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dissimilarity {
    /// Weight of the positional dissimilarity.
    alpha: f64,
    /// Weight of the categorical dissimilarity.
    beta: f64,
    /// Dissimilarity of a unit and the empty unit, and of two empty units.
    pub(super) empty: f64,
    /// Number of annotators.
    pub(super) annotators: usize,
    /// Number of pairs of annotators.
    pub(super) pairs: f64,
}

impl Dissimilarity {
    /// Creates the dissimilarity for `annotators` annotators, at least 2.
    pub(super) fn new(alpha: f64, beta: f64, empty: f64, annotators: usize) -> Self {
        let pairs = (annotators * annotators.saturating_sub(1) / 2) as f64;
        Self {
            alpha,
            beta,
            empty,
            annotators,
            pairs,
        }
    }

    /// Returns the dissimilarity of two units (equations for `d_pos-sporadic`, `d_cat` and
    /// `d_combi` in section 4.3 and 4.4).
    pub(super) fn of(&self, a: &Segment, b: &Segment) -> f64 {
        let distance = (a.start - b.start).abs() + (a.end - b.end).abs();
        let ratio = distance / (a.len() + b.len());
        let category = if a.category == b.category { 0.0 } else { 1.0 };
        (self.alpha * ratio * ratio + self.beta * category) * self.empty
    }

    /// Returns the reduction of the total disorder if two units are in the same unitary alignment
    /// rather than in two, not counting the unitary alignment that is saved: the difference between
    /// the dissimilarity of the empty unit and that of the units, over the number of pairs. It may
    /// be negative.
    ///
    /// With this benefit b, a unitary alignment has the disorder `empty - sum of b over its pairs
    /// of units`, because every pair that contains an empty unit has the dissimilarity `empty`.
    pub(super) fn benefit(&self, a: &Segment, b: &Segment) -> f64 {
        (self.empty - self.of(a, b)) / self.pairs
    }

    /// Smallest benefit of two units that may be the only link between two parts of a unitary
    /// alignment of an optimal alignment.
    ///
    /// Splitting a unitary alignment into two parts increases the disorder by `empty + sum of b`
    /// over the pairs that are separated, so one of these pairs has `b > -empty`.
    pub(super) fn least_link(&self) -> f64 {
        -self.empty
    }

    /// Smallest benefit of two units in a unitary alignment of an optimal alignment.
    ///
    /// Separating one of the two units from all others would increase the disorder, and each other
    /// pair that is separated has a benefit of at most `empty / pairs`.
    pub(super) fn least_benefit(&self) -> f64 {
        let others = self.annotators.saturating_sub(2) as f64;
        -self.empty * (1.0 + others / self.pairs)
    }

    /// Returns the distance between the centres of two units with a total length of `length` above
    /// which their benefit is less than `benefit`.
    ///
    /// The sum of the distances of the starts and of the ends is at least twice the distance of the
    /// centres.
    pub(super) fn farthest(&self, benefit: f64, length: f64) -> f64 {
        if self.alpha == 0.0 {
            return f64::INFINITY;
        }
        let most = 1.0 - benefit * self.pairs / self.empty;
        // The factor covers rounding.
        (most / self.alpha).sqrt() * length / 2.0 * (1.0 + 1e-9)
    }
}
