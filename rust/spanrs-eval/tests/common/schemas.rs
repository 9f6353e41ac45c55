//! Schemas for tests of counted outcomes.

use spanrs_eval::outcomes::{Criterion, Outcome, Schema};

const fn outcome(name: &'static str, weights: [f64; 3]) -> Outcome {
    Outcome { name, weights }
}

const OUTCOMES: &[Outcome] = &[
    outcome("match", [1.0, 0.0, 0.0]),
    outcome("missed", [0.0, 0.0, 1.0]),
    outcome("spurious", [0.0, 1.0, 0.0]),
];

/// Two criteria of three outcomes.
pub(crate) static SCHEMA: Schema = Schema {
    name: "test",
    criteria: &[
        Criterion {
            name: "span",
            outcomes: OUTCOMES,
        },
        Criterion {
            name: "token",
            outcomes: OUTCOMES,
        },
    ],
};
