//! What a scorer noticed besides its counts.

use spanrs::Alignment;
use spanrs_eval::Violations;

use crate::options::{ViolationTuple, violation_tuple};

/// How the tokens of files agree, over all pairs of files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alignments {
    /// The first tokens that differ.
    pub(crate) examples: Vec<String>,
    /// Warnings about the columns of files.
    pub(crate) warnings: Vec<String>,
}

impl Alignments {
    pub(crate) fn add(&mut self, alignment: Alignment) {
        if self.examples.is_empty() {
            self.examples = alignment.examples;
        }
    }

    /// Adds warnings, each once.
    pub(crate) fn warn(&mut self, warnings: Vec<String>) {
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}

pub(crate) type Located = (u64, Vec<(u64, u64, ViolationTuple)>);

/// (how many, the first as (sentence, line, violation))
pub(crate) fn located(violations: &Violations) -> Located {
    let first = violations
        .first
        .iter()
        .map(|l| (l.sentence, l.line, violation_tuple(&l.violation)))
        .collect();
    (violations.count, first)
}
