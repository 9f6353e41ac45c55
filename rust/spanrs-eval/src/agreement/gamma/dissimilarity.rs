//! The combined dissimilarity of two units (Mathet et al. 2015, section 4).

use super::continuum::Segment;

/// Dissimilarity of units and disorder of unitary alignments, for a fixed number of annotators.
///
/// Dissimilarities are divided by that of the empty unit, and disorders are multiplied by the
/// number of pairs of annotators, so that the disorder of equal units is exactly 0.
/// [`Self::unscaled`] returns disorders as defined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dissimilarity {
    /// Weight of the positional dissimilarity.
    alpha: f64,
    /// Weight of the categorical dissimilarity.
    beta: f64,
    /// Dissimilarity of the empty unit and any unit.
    empty: f64,
    /// Number of annotators.
    pub(super) annotators: usize,
    /// Number of pairs of annotators, which is the scaled disorder of a unitary alignment of one
    /// unit.
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

    /// Returns the scaled dissimilarity of two units (`d_combi` with `d_pos-sporadic` and a
    /// categorical dissimilarity of 0 or 1; sections 4.3 and 4.4).
    pub(super) fn of(&self, a: &Segment, b: &Segment) -> f64 {
        let distance = (a.start - b.start).abs() + (a.end - b.end).abs();
        let ratio = distance / (a.len() + b.len());
        let category = if a.category == b.category { 0.0 } else { 1.0 };
        self.alpha * ratio * ratio + self.beta * category
    }

    /// Returns a disorder as defined in the paper.
    pub(super) fn unscaled(&self, disorder: f64) -> f64 {
        disorder / self.pairs * self.empty
    }

    /// Returns the difference between the dissimilarity of the empty unit and that of two units,
    /// which may be negative.
    ///
    /// Every pair that contains an empty unit has the dissimilarity of the empty unit, so the
    /// disorder of a unitary alignment is `pairs` minus the sum of the benefits of its pairs of
    /// units.
    pub(super) fn benefit(&self, a: &Segment, b: &Segment) -> f64 {
        1.0 - self.of(a, b)
    }

    /// Smallest benefit of two units that may be the only link between two parts of a unitary
    /// alignment of an optimal alignment.
    ///
    /// Splitting a unitary alignment into two parts increases the disorder by `pairs` and the
    /// benefits of the pairs that are separated, so one of these benefits is above `-pairs`.
    pub(super) fn least_link(&self) -> f64 {
        -self.pairs
    }

    /// Smallest benefit of two units in a unitary alignment of an optimal alignment.
    ///
    /// Separating one of the two units from all others would increase the disorder, and each other
    /// pair that is separated has a benefit of at most 1.
    pub(super) fn least_benefit(&self) -> f64 {
        -self.pairs - self.annotators.saturating_sub(2) as f64
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
        // The factor covers rounding.
        ((1.0 - benefit) / self.alpha).sqrt() * length / 2.0 * (1.0 + 1e-9)
    }
}
