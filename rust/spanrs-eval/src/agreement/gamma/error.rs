//! Errors.

use spanrs_base::{Coded, ErrorClass, Interrupted};

/// Why gamma was not computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GammaError {
    /// A unit that is empty or exceeds its document.
    #[error(
        "document {document}, annotator {annotator}: unit {unit} is {start}..{end}, but units have \
         at least one position and end at most at {length}, the length of the document"
    )]
    Unit {
        /// Index of the document.
        document: usize,
        /// Index of the annotator in the document.
        annotator: usize,
        /// Index of the unit among those of the annotator.
        unit: usize,
        /// Start of the unit.
        start: u32,
        /// End of the unit, exclusive.
        end: u32,
        /// Length of the document.
        length: u32,
    },
    /// An option with a value out of range.
    #[error("{option} must be {expected}, not {value}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// The valid values.
        expected: &'static str,
        /// The value.
        value: f64,
    },
    /// A document that is too difficult to align.
    #[error("document {document}: {error}")]
    Limit {
        /// Index of the document.
        document: usize,
        /// The limit.
        error: LimitError,
    },
    /// The caller requested a stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// A limit of the search for the best alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Too many unitary alignments may belong to the best alignment.
    #[error(
        "more than {0} unitary alignments are possible for a group of nearby units; increase \
         max_alignments, or measure fewer annotators"
    )]
    Alignments(usize),
    /// Too many states in the search for the best alignment.
    #[error(
        "the search for the best alignment needs more than {0} states; increase max_states, or \
         measure fewer annotators"
    )]
    States(usize),
    /// Units that can be aligned are too far apart in the order of the units.
    #[error(
        "more than {0} units are between two units that can be aligned; split the document, or \
         remove units that span most of it"
    )]
    Window(usize),
}

/// Why a continuum was not aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlignError {
    /// A limit.
    Limit(LimitError),
    /// The caller requested a stop.
    Interrupted(Interrupted),
}

impl AlignError {
    /// Adds the index of the document.
    pub(super) fn in_document(self, document: usize) -> GammaError {
        match self {
            Self::Limit(error) => GammaError::Limit { document, error },
            Self::Interrupted(error) => error.into(),
        }
    }
}

impl From<Interrupted> for AlignError {
    fn from(error: Interrupted) -> Self {
        Self::Interrupted(error)
    }
}

impl From<LimitError> for AlignError {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

impl Coded for GammaError {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Unit { .. } => (ErrorClass::Value, "unit"),
            Self::Option { .. } => (ErrorClass::Value, "option"),
            Self::Limit { error, .. } => match error {
                LimitError::Alignments(_) => (ErrorClass::Limit, "max_alignments"),
                LimitError::States(_) => (ErrorClass::Limit, "max_states"),
                LimitError::Window(_) => (ErrorClass::Limit, "alignment_window"),
            },
            Self::Interrupted(error) => error.kind(),
        }
    }

    fn sentence(&self) -> Option<usize> {
        match self {
            Self::Unit { document, .. } | Self::Limit { document, .. } => Some(*document),
            _ => None,
        }
    }
}
