//! All matchers of tags and spans.

use spanrs_eval::{Exact, Matcher, characters, fair, partial};

/// Creates a matcher by number: 0 exact, 1 fair, 2 greedy partial, 3 optimal partial, 4 characters.
pub(crate) fn matcher(number: usize) -> Box<dyn Matcher> {
    use partial::Matching::{Greedy, Optimal};
    match number {
        0 => Box::new(Exact::default()),
        1 => Box::new(fair::Matcher::default()),
        2 => Box::new(partial::Matcher::new(Greedy, 1.0)),
        3 => Box::new(partial::Matcher::new(Optimal, 1.0)),
        _ => Box::new(characters::Matcher::new(0.6)),
    }
}
