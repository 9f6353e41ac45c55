//! Which of two strings is the type.

use super::query::Query;
use super::vocabulary::is_common_type;

/// Two strings, one of which is the type.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) left: String,
    pub(super) right: String,
    /// Byte offset of the left string.
    pub(super) left_at: usize,
    pub(super) right_at: usize,
    pub(super) start: Option<u64>,
    pub(super) end: Option<u64>,
}

/// Decides where the types are: on the left (true), on the right (false), or undecidable (None).
///
/// The schema decides for a pair of which one string is in the schema. The other pairs follow the
/// pairs that the schema decides; without such pairs, the side that alone has names of common
/// schemas (`PER`, `location`) has the types. If both sides have evidence, each pair
/// decides for itself.
pub(super) struct Orientation<'a> {
    query: &'a Query,
    types_are_left: Option<bool>,
    /// True if some pair has evidence.
    pub(super) has_evidence: bool,
}

impl<'a> Orientation<'a> {
    pub(super) fn new<'p>(
        pairs: impl Iterator<Item = (&'p str, &'p str)> + Clone,
        query: &'a Query,
    ) -> Self {
        let by_schema = votes(pairs.clone(), |name| query.is_type(name));
        let votes = match by_schema {
            (0, 0) => votes(pairs, is_common_type),
            _ => by_schema,
        };
        Self {
            query,
            types_are_left: one_sided(votes),
            has_evidence: votes != (0, 0),
        }
    }

    /// Whether the left string of a pair is the type.
    pub(super) fn is_left(&self, left: &str, right: &str) -> Option<bool> {
        match (self.query.is_type(left), self.query.is_type(right)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ if self.types_are_left.is_some() => self.types_are_left,
            _ => match (is_common_type(left), is_common_type(right)) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            },
        }
    }
}

/// Number of pairs of which only the left, or only the right string has a property.
fn votes<'p>(
    pairs: impl Iterator<Item = (&'p str, &'p str)>,
    has: impl Fn(&str) -> bool,
) -> (usize, usize) {
    let mut votes = (0, 0);
    for (left, right) in pairs {
        match (has(left), has(right)) {
            (true, false) => votes.0 += 1,
            (false, true) => votes.1 += 1,
            _ => {}
        }
    }
    votes
}

fn one_sided(votes: (usize, usize)) -> Option<bool> {
    match votes {
        (0, 0) => None,
        (_, 0) => Some(true),
        (0, _) => Some(false),
        _ => None,
    }
}
