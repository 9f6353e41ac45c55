//! The two sides of an evaluation.

/// One of the two sides of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The gold side.
    Gold,
    /// The pred side.
    Pred,
}

impl Side {
    /// Returns `gold` or `pred`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gold => "gold",
            Self::Pred => "pred",
        }
    }
}
