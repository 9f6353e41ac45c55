//! Kinds of pairs of annotations.

use super::annotation::Annotation;

/// The kind of a pair of annotations, or of an unpaired annotation.
///
/// A pair is a match or exactly one of seven kinds of clashes. The kind is defined from the point
/// of view of one side: an overmark for one side is an undermark for the other. Covering includes
/// sharing a bound. The values are outcomes of the criterion [`TAG`](super::TAG).
///
/// | this | other | kind of this |
/// |---|---|---|
/// | `PER` 0..9 | `PER` 0..9 | match |
/// | `PER` 0..9 | `LOC` 0..9 | tagclash |
/// | `PER` 0..9 | `PER` 2..9 | overmark |
/// | `PER` 2..9 | `LOC` 0..9 | tagplusundermark |
/// | `PER` 0..5 | `PER` 2..9 | overlap |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Equal labels and bounds.
    Match,
    /// An unpaired gold annotation.
    Missing,
    /// An unpaired pred annotation.
    Spurious,
    /// Equal bounds, different labels.
    TagClash,
    /// Equal labels; covers the other annotation.
    Overmark,
    /// Equal labels; is covered by the other annotation.
    Undermark,
    /// Equal labels; neither annotation covers the other.
    Overlap,
    /// Different labels; covers the other annotation.
    TagPlusOvermark,
    /// Different labels; is covered by the other annotation.
    TagPlusUndermark,
    /// Different labels; neither annotation covers the other.
    TagPlusOverlap,
}

impl Kind {
    /// Number of kinds of clashes: all kinds except match, missing and spurious.
    pub const CLASHES: usize = 7;

    /// Returns the kind of `this` in relation to `other`. The two must overlap or have equal
    /// bounds; the result is never missing or spurious.
    pub(super) fn between(this: &Annotation, other: &Annotation) -> Self {
        let same_label = this.ty == other.ty;
        let (starts, ends) = (this.start.cmp(&other.start), this.end.cmp(&other.end));
        let covers = starts.is_le() && ends.is_ge();
        let covered = starts.is_ge() && ends.is_le();
        match (covers, covered, same_label) {
            (true, true, true) => Self::Match,
            (true, true, false) => Self::TagClash,
            (true, false, true) => Self::Overmark,
            (true, false, false) => Self::TagPlusOvermark,
            (false, true, true) => Self::Undermark,
            (false, true, false) => Self::TagPlusUndermark,
            (false, false, true) => Self::Overlap,
            (false, false, false) => Self::TagPlusOverlap,
        }
    }

    /// Returns the kind of an outcome of the criterion [`TAG`](super::TAG), for pairs and for
    /// clashes of one side.
    ///
    /// `outcome` must be below 24; the next outcome, `elements`, has no kind.
    ///
    /// ```
    /// use spanrs_eval::mat::{Kind, SCHEMA};
    /// let outcomes = SCHEMA.criteria[0].outcomes;
    /// assert_eq!((outcomes[4].name, Kind::of_outcome(4)), ("overmark", Kind::Overmark));
    /// assert_eq!((outcomes[18].name, Kind::of_outcome(18)), ("pred_overmark", Kind::Overmark));
    /// ```
    pub fn of_outcome(outcome: u8) -> Self {
        const ALL: [Kind; 3 + Kind::CLASHES] = [
            Kind::Match,
            Kind::Missing,
            Kind::Spurious,
            Kind::TagClash,
            Kind::Overmark,
            Kind::Undermark,
            Kind::Overlap,
            Kind::TagPlusOvermark,
            Kind::TagPlusUndermark,
            Kind::TagPlusOverlap,
        ];
        let first = Self::TagClash as usize;
        match usize::from(outcome).checked_sub(first) {
            None => ALL[usize::from(outcome)],
            Some(clash) => ALL[first + clash % Self::CLASHES],
        }
    }

    /// Returns MATScore's name, as in the column `type` of its table of details.
    pub fn name(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Missing => "missing",
            Self::Spurious => "spurious",
            Self::TagClash => "tagclash",
            Self::Overmark => "overmark",
            Self::Undermark => "undermark",
            Self::Overlap => "overlap",
            Self::TagPlusOvermark => "tagplusovermark",
            Self::TagPlusUndermark => "tagplusundermark",
            Self::TagPlusOverlap => "tagplusoverlap",
        }
    }
}
