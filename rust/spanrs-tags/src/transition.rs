//! Which tag may follow which.

use crate::dialect::{Dialect, UNTYPED};
use crate::error::{Error, Result};
use crate::scheme::Scheme;
use crate::table::{END, OUTSIDE, UNKNOWN};
use crate::violation;

/// Tags a matrix of transitions may have; its size is their square.
const MOST: usize = 1 << 13;

/// Every tag of a scheme over the given types: `O`, then all prefixes of the first type, and so on.
///
/// ```
/// use spanrs_tags::{tags_of, Dialect, Scheme};
/// assert_eq!(tags_of(Scheme::Bio, &["A", "B"], &Dialect::default()), ["O", "B-A", "I-A", "B-B", "I-B"]);
/// assert_eq!(tags_of(Scheme::Token, &["NN", "VB"], &Dialect::default()), ["NN", "VB"]);
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

/// Whether each tag may follow each: row and column `i` are tag `i`, row `n` is the start of a sentence
/// and column `n` its end, so the matrix is (n + 1) by (n + 1), row by row.
///
/// Source: iobes' `transitions_legality`; nothing may precede a start or follow an end, so these have no
/// column and no row.
///
/// # Errors
/// [`Error::UnknownTag`] for a tag the scheme does not know, unless the dialect reads it as `O`;
/// [`Error::TooMany`], [`Error::BadSeparator`].
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
    if tags.len() > MOST {
        return Err(Error::TooMany {
            what: "tags of a matrix of transitions",
            asked: tags.len(),
            most: MOST,
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
        // iobes calls any tag legal behind a tag it does not know, `O` behind one never ends a span.
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
