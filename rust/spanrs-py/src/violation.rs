//! Violations of a scheme as tuples.

use spanrs::tags::Violation;

/// (index, kind, previous, current, next, action)
pub(crate) type ViolationTuple = (
    u32,
    &'static str,
    Option<String>,
    String,
    Option<String>,
    &'static str,
);

pub(crate) fn violation_tuple(violation: &Violation) -> ViolationTuple {
    let Violation {
        index,
        kind,
        previous,
        current,
        next,
        action,
    } = violation.clone();
    (index, kind.name(), previous, current, next, action.phrase())
}
