//! How a tag string is split into prefix and type.

use crate::error::{Error, Result};
use crate::scheme::{Prefix, Scheme};
use crate::table::{OUTSIDE, UNKNOWN};

/// The type of a prefix that stands alone, like `B` in `B I O`.
pub(crate) const UNTYPED: &str = "_";

/// What a tag without separator is a span of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bare {
    /// `B` and `I` are spans of the one type `_`, so `B I` is one span.
    #[default]
    OneType,
    /// `B` is of type `B` and `I` of type `I`, so `B I` is two spans (iobes).
    WholeTag,
}

/// How tags are spelt.
///
/// ```
/// use spanrs_tags::Dialect;
/// let dialect = Dialect { suffix: true, ..Dialect::default() };
/// assert_eq!(dialect.join("B", "PER"), "PER-B");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between prefix and type; the first one counts (the last one with `suffix`).
    pub separator: String,
    /// The prefix stands behind the type: `PER-B`.
    pub suffix: bool,
    /// What a tag without separator is a span of.
    pub bare: Bare,
    /// An unknown prefix is `O` and no violation (iobes).
    pub unknown_is_outside: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            separator: "-".to_owned(),
            suffix: false,
            bare: Bare::OneType,
            unknown_is_outside: false,
        }
    }
}

/// One tag after splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// Symbol of the scheme's table.
    pub(crate) symbol: u8,
    /// The symbol that a tag after this one sees when legality is asked.
    pub(crate) seen: u8,
    pub(crate) ty: &'a str,
}

impl Dialect {
    /// The dialect of iobes: bare tags are their own type, unknown prefixes are `O`.
    pub fn iobes() -> Self {
        Self {
            bare: Bare::WholeTag,
            unknown_is_outside: true,
            ..Self::default()
        }
    }

    /// Refuses a separator that is empty or holds a letter of a prefix.
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

    /// The tag made of a prefix and a type.
    pub fn join(&self, prefix: &str, ty: &str) -> String {
        match (self.bare == Bare::OneType && ty == UNTYPED, self.suffix) {
            (true, _) => prefix.to_owned(),
            (false, false) => format!("{prefix}{}{ty}", self.separator),
            (false, true) => format!("{ty}{}{prefix}", self.separator),
        }
    }

    /// Prefix and type of a tag; both are None where there is no separator.
    fn split<'a>(&self, tag: &'a str) -> Option<(&'a str, &'a str)> {
        if self.suffix {
            tag.rsplit_once(&self.separator).map(|(ty, p)| (p, ty))
        } else {
            tag.split_once(&self.separator)
        }
    }

    pub(crate) fn parts<'a>(&self, tag: &'a str, scheme: Scheme, prefixes: &[Prefix]) -> Parts<'a> {
        if scheme == Scheme::Token {
            // `O` is outside there too: gaps can be written, and read back.
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
        let ty = match (self.bare, ty) {
            (Bare::WholeTag, None) => tag,
            (Bare::WholeTag, Some(ty)) => ty,
            (Bare::OneType, None | Some("")) => UNTYPED,
            (Bare::OneType, Some(ty)) => ty,
        };
        Parts {
            symbol,
            seen: self.seen(symbol, ty, scheme),
            ty,
        }
    }

    /// iobes asks only for the type of the tag before a `B` in IOB, never for its prefix: `X-PER` and
    /// `O-PER` count as spans there, and `I-O` as outside.
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
