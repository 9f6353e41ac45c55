use super::Annotation;

/// What a pair of annotations is, or an annotation without a partner. The seven kinds of clashes are seen
/// from one side: what is an overmark for one is an undermark for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Same label, same span.
    Match,
    /// Gold without pred.
    Missing,
    /// Pred without gold.
    Spurious,
    /// Same span, other label.
    TagClash,
    /// Same label; covers the other.
    Overmark,
    /// Same label; is covered by the other.
    Undermark,
    /// Same label; neither covers the other.
    Overlap,
    /// Other label; covers the other.
    TagPlusOvermark,
    /// Other label; is covered by the other.
    TagPlusUndermark,
    /// Other label; neither covers the other.
    TagPlusOverlap,
}

impl Kind {
    /// How many kinds of clashes there are.
    pub const CLASHES: usize = 7;

    /// What `this` is to `other`, which it overlaps.
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

    /// The kind of an outcome of annotations, whichever sides it is counted for.
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

    /// MATScore's word.
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
