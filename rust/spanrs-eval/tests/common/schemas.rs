//! Schemas for tests of counted outcomes.

use spanrs_eval::outcomes::{Criterion, Outcome, Schema};

const OUTCOMES: &[Outcome] = &[
    Outcome::new("match", [1.0, 0.0, 0.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

/// Two criteria with three outcomes.
pub(crate) static SCHEMA: Schema = Schema {
    name: "test",
    criteria: &[
        Criterion::new("span", OUTCOMES),
        Criterion::new("token", OUTCOMES),
    ],
};
