//! Transition matrices: which tag may follow which, for constrained decoding and validation of
//! models.

use crate::dialect::{Dialect, UNTYPED};
use crate::error::{Error, Result};
use crate::scheme::Scheme;
use crate::step::{END, OUTSIDE, UNKNOWN};
use crate::violation;

/// Maximum number of tags in a transition matrix. The matrix then has 64 Mi entries, the square of
/// this number.
const MAX_TAGS: usize = 1 << 13;

/// Returns every tag of a scheme over the given types: `O`, then all prefixes of the first type,
/// then of the second and so on. In TOKEN the tags are the types.
///
/// # Examples
///
/// ```
/// use spanrs_tags::{tags_of, Dialect, Scheme};
/// let dialect = Dialect::default();
/// assert_eq!(tags_of(Scheme::Bio, &["A", "B"], &dialect), ["O", "B-A", "I-A", "B-B", "I-B"]);
/// assert_eq!(tags_of(Scheme::Token, &["NN", "VB"], &dialect), ["NN", "VB"]);
/// ```
pub fn tags_of(scheme: Scheme, types: &[&str], dialect: &Dialect) -> Vec<String> {
    if scheme == Scheme::Token {
        return types.iter().map(|&ty| ty.to_owned()).collect();
    }
    let mut tags = vec!["O".to_owned()];
    for ty in types {
        tags.extend(scheme.prefixes().iter().map(|p| dialect.join(p.letter, ty)));
    }
    tags
}

/// Returns for each pair of tags whether the second may follow the first, as a matrix in row-major
/// order.
///
/// Row and column `i` are `tags[i]`, row `n` is the start of a sentence and column `n` its end; the
/// matrix is (n + 1) by (n + 1). The start has no column and the end has no row, because nothing
/// precedes a start or follows an end. The last entry (start, end) is true: a sentence may be
/// empty.
///
/// The result equals iobes' `transitions_legality`. Time and memory are O(n²).
///
/// # Errors
/// - [`Error::UnknownTag`] for a tag that does not belong to the scheme, unless the dialect reads
///   the tag as `O`.
/// - [`Error::TooMany`] for more than 8192 tags.
/// - [`Error::BadSeparator`], see [`Dialect::check`].
///
/// # Examples
///
/// ```
/// use spanrs_tags::{legal, Dialect, Scheme};
/// let may = legal(Scheme::Bio, &["O", "B-A", "I-A"], &Dialect::default()).unwrap();
/// assert!(!may[0 * 4 + 2], "O, then I-A");
/// assert!(may[1 * 4 + 2], "B-A, then I-A");
/// assert!(!may[3 * 4 + 2], "I-A first in a sentence");
/// ```
pub fn legal(scheme: Scheme, tags: &[&str], dialect: &Dialect) -> Result<Vec<bool>> {
    dialect.check()?;
    if tags.len() > MAX_TAGS {
        return Err(Error::TooMany {
            what: "tags in a transition matrix",
            asked: tags.len(),
            most: MAX_TAGS,
        });
    }
    let prefixes = scheme.prefixes();
    let mut decoded = Vec::with_capacity(tags.len());
    for &tag in tags {
        let parts = dialect.parts(tag, scheme, prefixes);
        if parts.symbol == UNKNOWN && !dialect.unknown_is_outside {
            return Err(Error::UnknownTag {
                tag: tag.to_owned(),
                scheme,
            });
        }
        decoded.push(parts);
    }
    let between = |before, here, same| {
        violation::between(prefixes, before, here, same) & !violation::UNKNOWN_TAG
            == violation::NONE
    };
    let mut may = Vec::with_capacity((tags.len() + 1) * (tags.len() + 1));
    for before in &decoded {
        // In iobes, transitions from and to unknown tags are legal.
        may.extend(decoded.iter().map(|here| {
            dialect.unknown_is_outside && (before.symbol == UNKNOWN || here.symbol == UNKNOWN)
                || between(before.symbol, here.symbol, before.ty == here.ty)
        }));
        may.push(between(before.symbol, END, false));
    }
    may.extend(
        decoded
            .iter()
            .map(|here| between(OUTSIDE, here.symbol, here.ty == UNTYPED)),
    );
    may.push(true);
    Ok(may)
}
