//! Modes and lanes: the criterion for correct pairs, over all spans and within each type.

use spanrs_base::Span;

/// What must agree for a pair to be correct. The discriminant is the index of the criterion in
/// [`SCHEMA`](super::SCHEMA).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Bounds and type; other pairs are incorrect.
    Strict,
    /// Bounds; other pairs are incorrect.
    Bounds,
    /// Bounds; other pairs are partial.
    Overlap,
    /// Type; other pairs are incorrect.
    Type,
}

/// Number of modes.
pub const MODES: usize = 4;

impl Mode {
    /// All modes, by index.
    pub const ALL: [Self; MODES] = [Self::Strict, Self::Bounds, Self::Overlap, Self::Type];

    /// Returns whether the pair is correct in this mode.
    pub(super) fn agrees(self, gold: &Span<i64>, pred: &Span<i64>) -> bool {
        let bounds = (gold.start, gold.end) == (pred.start, pred.end);
        match self {
            Self::Strict => bounds && gold.ty == pred.ty,
            Self::Bounds | Self::Overlap => bounds,
            Self::Type => gold.ty == pred.ty,
        }
    }
}

/// One run of the matcher: a mode, over all spans or within each type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// The mode.
    pub(super) mode: Mode,
    /// Whether only spans of equal types can be paired.
    pub(super) own_type: bool,
}

/// All lanes by index: the four modes over all spans, then the four within types.
pub(super) const LANES: [Lane; 2 * MODES] = {
    let mut lanes = [Lane {
        mode: Mode::Strict,
        own_type: false,
    }; 2 * MODES];
    let mut at = 0;
    while at < lanes.len() {
        lanes[at] = Lane {
            mode: Mode::ALL[at % MODES],
            own_type: at >= MODES,
        };
        at += 1;
    }
    lanes
};
/// The set of all lanes.
pub(super) const EVERY: u8 = u8::MAX;

/// Returns the index of a lane.
pub(super) fn lane_of(mode: Mode, by_type: bool) -> usize {
    mode as usize + if by_type { MODES } else { 0 }
}
