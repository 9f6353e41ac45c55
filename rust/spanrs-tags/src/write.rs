//! Writing spans as tags.
//!
//! The prefix of each token is chosen by the [`Edge`] values of the scheme's prefixes. A prefix is
//! excluded if it contradicts the position of the token: `B` of BIO on a second token, `I` on a
//! first one. The most specific of the remaining prefixes wins: first [`Edge::Contact`], if the
//! span touches another span of its type, then [`Edge::Always`] and [`Edge::Never`], then
//! [`Edge::Auto`]. IOB therefore writes `B` if a span touches the previous span, and `I` otherwise.
//!
//! Writing takes O(n log n + t) time for n spans that cover t tokens, regardless of overlaps.

use spanrs_base::{Limits, Span, Vocabulary};

use crate::dialect::{Dialect, UNTYPED};
use crate::error::{Error, Result};
use crate::scheme::{Edge, Prefix, Scheme};

/// Writes spans as tags of one scheme.
///
/// # Examples
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_tags::{Dialect, Error, Scheme, Writer};
/// let writer = Writer::new(Scheme::Iobes, Dialect::default());
/// let span = |start, end| Span { start, end, ty: 0 };
/// let tags = writer.write(&[span(1, 3)], &["PER"], 4).unwrap();
/// assert_eq!(tags, ["O", "B-PER", "E-PER", "O"]);
///
/// let nested = [span(0, 4), span(1, 3)];
/// assert!(matches!(writer.write(&nested, &["PER"], 4), Err(Error::Overlap { .. })));
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    /// The scheme of the tags.
    scheme: Scheme,
    /// The spelling of the tags.
    dialect: Dialect,
    /// Whether overlapping and inexpressible spans are accepted, see [`Writer::overwriting`].
    overwrite: bool,
}

impl Writer {
    /// Creates a writer that refuses spans that overlap or that the scheme cannot express. The
    /// dialect is not checked; see [`Dialect::check`].
    pub fn new(scheme: Scheme, dialect: Dialect) -> Self {
        Self {
            scheme,
            dialect,
            overwrite: false,
        }
    }

    /// Accepts overlapping spans and spans that the scheme cannot express, as iobes does. Each
    /// token is assigned to the last-starting of the spans that cover the token.
    ///
    /// Among spans with the same start, the last one in the list wins.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_tags::{Dialect, Scheme, Writer};
    /// let writer = Writer::new(Scheme::Bio, Dialect::default()).overwriting();
    /// let spans = [Span { start: 0, end: 3, ty: 0 }, Span { start: 1, end: 2, ty: 1 }];
    /// assert_eq!(writer.write(&spans, &["A", "B"], 3).unwrap(), ["B-A", "B-B", "I-A"]);
    /// ```
    #[must_use]
    pub fn overwriting(mut self) -> Self {
        self.overwrite = true;
        self
    }

    /// Returns the tags of a sentence of `length` tokens.
    ///
    /// Spans may be in any order. `types` contains the names of the types, by id.
    ///
    /// # Errors
    /// - [`Error::TooMany`] if `length` exceeds [`Limits::sentence_tokens`] of the default limits.
    /// - [`Error::OutOfRange`] for a span that is empty or ends after `length`.
    /// - [`Error::BadType`] for a type that would not be read back as the same type, and for a type
    ///   id that is not an index into `types`.
    /// - [`Error::Overlap`] for spans that share a token, unless the writer is overwriting.
    /// - [`Error::NotExpressible`] for touching spans of one type in IO and spans of several tokens
    ///   in TOKEN, unless the writer is overwriting.
    pub fn write(&self, spans: &[Span], types: &[&str], length: usize) -> Result<Vec<String>> {
        let max_tokens = Limits::default().sentence_tokens;
        if length > max_tokens {
            return Err(Error::TooMany {
                what: "tokens in a sentence",
                asked: length,
                most: max_tokens,
            });
        }
        let mut tags = vec!["O".to_owned(); length];
        let prefixed_tokens = self.prefixed_tokens(spans, types, length)?;
        for (at, letter, ty) in prefixed_tokens {
            tags[at] = tag_string(self.scheme, &self.dialect, letter, types[ty as usize]);
        }
        Ok(tags)
    }

    /// Returns the tags of a sentence for spans given as type names and unchecked bounds.
    ///
    /// Without a length the sentence ends with the last span. See [`Writer::write`].
    ///
    /// # Errors
    /// The errors of [`Writer::write`]; [`Error::OutOfRange`] also for bounds that are negative or
    /// do not fit 32 bits.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_tags::{Dialect, Scheme, Writer};
    /// let writer = Writer::new(Scheme::Bio, Dialect::default());
    /// let spans = [("PER".to_owned(), 1, 3)];
    /// assert_eq!(writer.write_named(&spans, None).unwrap(), ["O", "B-PER", "I-PER"]);
    /// let spans = [("PER".to_owned(), -1, 3)];
    /// assert!(writer.write_named(&spans, None).is_err());
    /// ```
    pub fn write_named(
        &self,
        spans: &[(String, i64, i64)],
        length: Option<usize>,
    ) -> Result<Vec<String>> {
        let most = i64::from(u32::MAX);
        let last = spans.iter().map(|span| span.2).max().unwrap_or(0);
        let length = length.unwrap_or(last.clamp(0, most) as usize);
        let mut types = Vocabulary::new(usize::MAX);
        let mut numbered = Vec::with_capacity(spans.len());
        for (ty, start, end) in spans {
            if *start < 0 || end <= start || *end > most {
                return Err(Error::OutOfRange {
                    span: format!("{ty} [{start}, {end})"),
                    length,
                });
            }
            numbered.push(Span {
                start: *start as u32,
                end: *end as u32,
                ty: types.intern(ty)?,
            });
        }
        let names: Vec<_> = types.names().collect();
        self.write(&numbered, &names, length)
    }

    /// Returns (index of the token, prefix letter, type) for each token that lies in a span, in the
    /// order of the tokens.
    ///
    /// # Errors
    /// Same as [`Writer::write`], without the limit on the number of tokens.
    pub(crate) fn prefixed_tokens(
        &self,
        spans: &[Span],
        types: &[&str],
        length: usize,
    ) -> Result<Vec<(usize, &'static str, u32)>> {
        let mut sorted = spans.to_vec();
        // A stable sort by start only: with `overwriting`, spans with equal starts keep their
        // order, as in iobes.
        sorted.sort_by_key(|span| span.start);
        for span in &sorted {
            let name = type_name(types, span)?;
            if span.is_empty() || span.end as usize > length {
                return Err(Error::OutOfRange {
                    span: display_span(name, span),
                    length,
                });
            }
            self.check_type(name)?;
        }
        // True for each span that touches the previous span and has the same type.
        let mut touches = Vec::with_capacity(sorted.len() + 1);
        for (at, span) in sorted.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| &sorted[at]);
            let same = before.is_some_and(|b| b.end == span.start && b.ty == span.ty);
            if !self.overwrite {
                self.check_expressible(before, span, same, types)?;
            }
            touches.push(same);
        }
        touches.push(false);
        let role = |token: usize, at: usize| {
            let span = &sorted[at];
            let first = token == span.start as usize;
            let last = token + 1 == span.end as usize;
            let letter = self.letter(first, last, first && touches[at], last && touches[at + 1]);
            (token, letter, span.ty)
        };
        Ok(last_spans(&sorted)
            .map(|(token, at)| role(token, at))
            .collect())
    }

    /// Returns the prefix for a token of a span.
    ///
    /// `first` and `last` are true if the token is the first and the last of its span, `touches`
    /// and `touched` if a span of the same type ends directly before and begins directly after the
    /// span.
    fn letter(&self, first: bool, last: bool, touches: bool, touched: bool) -> &'static str {
        let rank = |edge: Edge, is_border: bool, contact: bool| match (edge, is_border) {
            (Edge::Contact, _) => {
                if contact {
                    Some(3)
                } else {
                    None
                }
            }
            (Edge::Always, true) => Some(2),
            (Edge::Never, false) => Some(2),
            (Edge::Auto, _) => Some(1),
            (Edge::Always, false) | (Edge::Never, true) => None,
        };
        let score =
            |p: &Prefix| Some(rank(p.begins, first, touches)? + rank(p.ends, last, touched)?);
        self.scheme
            .prefixes()
            .iter()
            .filter_map(|p| Some((score(p)?, p.letter)))
            .max_by_key(|(score, _)| *score)
            .map_or("", |(_, letter)| letter)
    }

    /// Refuses types that would not be read back: empty types (which the dialect reads as `_`),
    /// types with white space or control characters, and `O` in TOKEN.
    fn check_type(&self, ty: &str) -> Result<()> {
        let reason = if ty.is_empty() && !self.dialect.bare_is_type {
            "it is empty"
        } else if ty.contains(|c: char| c.is_whitespace() || c.is_control()) {
            "it contains white space or control characters"
        } else if self.scheme == Scheme::Token && ty == "O" {
            "it would be read as a token outside spans"
        } else {
            return Ok(());
        };
        Err(Error::BadType {
            ty: ty.to_owned(),
            reason,
        })
    }

    /// Refuses a span that overlaps the previous span in the order of starts, or that the scheme
    /// cannot express.
    fn check_expressible(
        &self,
        before: Option<&Span>,
        span: &Span,
        touches: bool,
        types: &[&str],
    ) -> Result<()> {
        let name = |span: &Span| display_span(types[span.ty as usize], span);
        if let Some(before) = before
            && before.end > span.start
        {
            return Err(Error::Overlap {
                first: name(before),
                second: name(span),
            });
        }
        let reason = match self.scheme {
            Scheme::Io if touches => "it touches a span of the same type",
            Scheme::Token if span.len() > 1 => "it is longer than one token",
            _ => return Ok(()),
        };
        Err(Error::NotExpressible {
            scheme: self.scheme,
            span: name(span),
            reason,
        })
    }
}

/// Iterates over the tokens that lie in spans, in order, each with the index of the last span that
/// covers the token. `spans` is sorted by start.
///
/// The spans that have begun are on a stack, the last one on top. Ended spans below the top are
/// removed when they reach the top, so each span is pushed and popped once.
fn last_spans(spans: &[Span]) -> impl Iterator<Item = (usize, usize)> {
    // Indices of the spans that have begun. Spans below the top are examined only after the top has
    // ended.
    let mut open: Vec<usize> = Vec::new();
    let (mut next, mut token) = (0, 0);
    std::iter::from_fn(move || {
        while open.last().is_some_and(|&at| spans[at].end <= token) {
            open.pop();
        }
        if open.is_empty() {
            token = token.max(spans.get(next)?.start);
        }
        while spans.get(next).is_some_and(|span| span.start <= token) {
            open.push(next);
            next += 1;
        }
        token += 1;
        Some((token as usize - 1, *open.last()?))
    })
}

/// Returns the tag with the given prefix letter and type; in TOKEN the tag is the type.
pub(crate) fn tag_string(scheme: Scheme, dialect: &Dialect, letter: &str, ty: &str) -> String {
    if scheme == Scheme::Token {
        ty.to_owned()
    } else {
        dialect.join(letter, ty)
    }
}

/// Returns the name of the type of a span.
///
/// # Errors
/// [`Error::BadType`] if the type id is not an index into `types`.
fn type_name<'a>(types: &[&'a str], span: &Span) -> Result<&'a str> {
    let name = types.get(span.ty as usize).copied();
    name.ok_or_else(|| Error::BadType {
        ty: format!("#{}", span.ty),
        reason: "no type has this id",
    })
}

/// Formats a span for messages: `PER [0, 2)`.
fn display_span(ty: &str, span: &Span) -> String {
    let ty = if ty.is_empty() { UNTYPED } else { ty };
    format!("{ty} [{}, {})", span.start, span.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_without_a_type_are_refused_in_every_dialect() {
        let span = Span {
            start: 0,
            end: 1,
            ty: 1,
        };
        for bare_is_type in [false, true] {
            let dialect = Dialect {
                bare_is_type,
                ..Dialect::default()
            };
            for writer in [
                Writer::new(Scheme::Bio, dialect.clone()),
                Writer::new(Scheme::Token, dialect).overwriting(),
            ] {
                let error = writer.write(&[span], &["A"], 1).unwrap_err();
                let message = "type \"#1\" cannot be written in a tag: no type has this id";
                assert_eq!(error.to_string(), message);
            }
        }
    }
}
