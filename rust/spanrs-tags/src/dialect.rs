//! The spelling of tags: how a string is split into prefix and type, and joined again.
//!
//! With the default dialect:
//!
//! | tag | prefix | type | meaning in BIO |
//! |---|---|---|---|
//! | `B-PER` | `B` | `PER` | begins a span |
//! | `B-PER-x` | `B` | `PER-x` | begins a span; split at the first separator |
//! | `B` | `B` | `_` | begins a span of the type `_` |
//! | `O` | `O` | `_` | outside |
//! | `O-PER` | `O` | `PER` | unknown prefix, because `O` has no type |
//! | `X-PER` | `X` | `PER` | unknown prefix |

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::scheme::{Prefix, Scheme};
use crate::step::{OUTSIDE, UNKNOWN};

/// The type of a prefix without type, like `B` in `B I O`. It has the type id 0 in every reader.
pub(crate) const UNTYPED: &str = "_";

/// How tags are spelt.
///
/// # Examples
///
/// ```
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let dialect = Dialect { suffix: true, separator: "_".into(), ..Dialect::default() };
/// assert_eq!(dialect.join("B", "PER"), "PER_B");
/// let mut reader = Reader::new(Scheme::Bio, Reading::Strict, dialect).unwrap();
/// let ids = reader.intern_all(["PER_B", "PER_I"]).unwrap();
/// assert_eq!(reader.spans(&ids).len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dialect {
    /// The string between prefix and type. A tag with several separators is split at the first one,
    /// or at the last one with `suffix`. [`Dialect::check`] lists the separators that are not
    /// allowed. Default: `-`.
    pub separator: String,
    /// Whether the prefix is written after the type: `PER-B`. Default: false.
    pub suffix: bool,
    /// Whether a tag without separator is a type, so that `B I` is two spans, as in iobes. If
    /// false, the default, the tag is a prefix and its type is `_`.
    pub bare_is_type: bool,
    /// Whether a tag with an unknown prefix is read as `O` and is not a violation (iobes). Default:
    /// false, which also reads the tag as `O` but reports [`crate::Kind::UnknownTag`].
    pub unknown_is_outside: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            separator: "-".to_owned(),
            suffix: false,
            bare_is_type: false,
            unknown_is_outside: false,
        }
    }
}

/// A decoded tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// Symbol in the table of the scheme: 0 for `O`, 1 + the position of the prefix, or 6 for an
    /// unknown prefix.
    pub(crate) symbol: u8,
    /// The symbol that is used when the legality of the next tag is checked; differs from `symbol`
    /// only in IOB with the iobes dialect.
    pub(crate) seen: u8,
    /// The type; `_` if neither the tag nor the dialect gives one.
    pub(crate) ty: &'a str,
}

impl Dialect {
    /// Returns the dialect of iobes: a tag without separator is a type, and a tag with an unknown
    /// prefix is read as `O`.
    pub fn iobes() -> Self {
        Self {
            bare_is_type: true,
            unknown_is_outside: true,
            ..Self::default()
        }
    }

    /// Refuses a separator that is empty or contains a prefix of any scheme or `O`, since such tags
    /// could not be split unambiguously.
    ///
    /// # Errors
    /// [`Error::BadSeparator`].
    pub fn check(&self) -> Result<()> {
        let letters = || {
            Scheme::all()
                .flat_map(|s| s.prefixes())
                .map(|p| p.letter)
                .chain(["O"])
        };
        let separator = &self.separator;
        if separator.is_empty() || letters().any(|l| !l.is_empty() && separator.contains(l)) {
            return Err(Error::BadSeparator {
                separator: separator.clone(),
            });
        }
        Ok(())
    }

    /// Returns the tag with the given prefix and type. The type `_` is omitted unless tags without
    /// separator are types, so that joining is the inverse of splitting.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_tags::Dialect;
    /// assert_eq!(Dialect::default().join("B", "PER"), "B-PER");
    /// assert_eq!(Dialect::default().join("B", "_"), "B");
    /// assert_eq!(Dialect::iobes().join("B", "_"), "B-_");
    /// ```
    pub fn join(&self, prefix: &str, ty: &str) -> String {
        match (!self.bare_is_type && ty == UNTYPED, self.suffix) {
            (true, _) => prefix.to_owned(),
            (false, false) => format!("{prefix}{}{ty}", self.separator),
            (false, true) => format!("{ty}{}{prefix}", self.separator),
        }
    }

    /// Splits a tag into prefix and type; None if there is no separator.
    fn split<'a>(&self, tag: &'a str) -> Option<(&'a str, &'a str)> {
        if self.suffix {
            tag.rsplit_once(&self.separator).map(|(ty, p)| (p, ty))
        } else {
            tag.split_once(&self.separator)
        }
    }

    /// Decodes a tag.
    ///
    /// `prefixes` are the possible prefixes, from the scheme or from seqeval's default mode. `O` is
    /// outside only if the tag has no type, or if the dialect reads unknown prefixes as outside. In
    /// [`Scheme::Token`] the whole tag is the type and only `O` is outside.
    pub(crate) fn parts<'a>(&self, tag: &'a str, scheme: Scheme, prefixes: &[Prefix]) -> Parts<'a> {
        if scheme == Scheme::Token {
            // `O` is outside in TOKEN, too, so that tokens outside spans can be written and read
            // back.
            let symbol = u8::from(tag != "O");
            let ty = if symbol == OUTSIDE { UNTYPED } else { tag };
            return Parts {
                symbol,
                seen: symbol,
                ty,
            };
        }
        let (letter, ty) = match self.split(tag) {
            Some((letter, ty)) => (letter, Some(ty)),
            None => (tag, None),
        };
        let known = prefixes.iter().position(|p| p.letter == letter);
        let symbol = match known {
            Some(at) => at as u8 + 1,
            None if letter == "O" && (ty.is_none() || self.unknown_is_outside) => OUTSIDE,
            None => UNKNOWN,
        };
        let ty = match ty {
            None if self.bare_is_type => tag,
            Some(ty) if self.bare_is_type || !ty.is_empty() => ty,
            None | Some(_) => UNTYPED,
        };
        Parts {
            symbol,
            seen: self.seen(symbol, ty, scheme),
            ty,
        }
    }

    /// Returns the symbol of a tag that is used when the legality of the next tag is checked.
    ///
    /// iobes looks only at the type of the tag before a `B` in IOB, never at its prefix: `X-PER`
    /// and `O-PER` count as spans there, and `I-O` as outside.
    fn seen(&self, symbol: u8, ty: &str, scheme: Scheme) -> u8 {
        if !(self.unknown_is_outside && scheme == Scheme::Iob) {
            return symbol;
        }
        if ty == "O" {
            OUTSIDE
        } else if symbol == OUTSIDE || symbol == UNKNOWN {
            2
        } else {
            symbol
        }
    }
}
