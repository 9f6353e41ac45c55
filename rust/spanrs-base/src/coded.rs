use std::fmt;

use crate::Position;
use crate::interrupt::Interrupted;

/// Error classes; each binding maps a class to an exception type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// A malformed or damaged file, or malformed stored data.
    Format,
    /// Tags, spans or counts that cannot be used together.
    Scheme,
    /// Gold and pred with different sentences or tokens.
    Alignment,
    /// Input that exceeds a limit.
    Limit,
    /// An invalid model, model file or model input.
    Model,
    /// An argument with a wrong value.
    Value,
    /// An argument of a wrong type.
    Type,
    /// The caller requested a stop.
    Interrupted,
}

/// An error with a class and a stable code, so that programs can distinguish errors.
///
/// ```
/// use spanrs_base::{Coded, ErrorClass, Named};
/// # #[derive(Clone, Copy, Debug, PartialEq)]
/// # enum Side { Gold }
/// # impl Named for Side {
/// #     const WHAT: &'static str = "side";
/// #     const NAMES: &'static [(&'static str, Self)] = &[("gold", Self::Gold)];
/// # }
/// let error = Side::from_name("middle").unwrap_err();
/// assert_eq!(error.class(), ErrorClass::Value);
/// assert_eq!(error.code(), "unknown_name");
/// ```
pub trait Coded: fmt::Display {
    /// Returns the class and the code.
    fn kind(&self) -> (ErrorClass, &'static str);

    /// Returns the class.
    fn class(&self) -> ErrorClass {
        self.kind().0
    }

    /// Returns a short name of the error, which does not change between releases.
    fn code(&self) -> &'static str {
        self.kind().1
    }

    /// Returns the index, from 0, of the sentence or document in memory.
    fn sentence(&self) -> Option<usize> {
        None
    }

    /// Returns the position in a file. The path is empty for text that is not from a file.
    fn position(&self) -> Option<Position> {
        None
    }
}

impl Coded for Interrupted {
    fn kind(&self) -> (ErrorClass, &'static str) {
        (ErrorClass::Interrupted, "interrupted")
    }
}
