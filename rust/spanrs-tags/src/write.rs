//! Spans to tags.

use spanrs_base::{Limits, Span, Vocabulary};

use crate::dialect::{Bare, Dialect, UNTYPED};
use crate::error::{Error, Result};
use crate::scheme::{Edge, Prefix, Scheme};

/// Writes spans as tags of one scheme.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_tags::{Dialect, Scheme, Writer};
/// let writer = Writer::new(Scheme::Iobes, Dialect::default());
/// let spans = [Span { start: 1, end: 3, ty: 0 }];
/// assert_eq!(writer.write(&spans, &["PER"], 4).unwrap(), ["O", "B-PER", "E-PER", "O"]);
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    scheme: Scheme,
    dialect: Dialect,
    overwrite: bool,
}

impl Writer {
    /// A writer that refuses spans that overlap.
    pub fn new(scheme: Scheme, dialect: Dialect) -> Self {
        Self {
            scheme,
            dialect,
            overwrite: false,
        }
    }

    /// Spans may overlap, later starts write over earlier ones, and the scheme need not be able to
    /// express them (iobes).
    #[must_use]
    pub fn overwriting(mut self) -> Self {
        self.overwrite = true;
        self
    }

    /// The tags of a sentence of `length` tokens. Spans come in any order; `types` names their types.
    ///
    /// # Errors
    /// [`Error::OutOfRange`], [`Error::Overlap`], [`Error::BadType`], [`Error::NotExpressible`],
    /// [`Error::TooMany`].
    pub fn write(&self, spans: &[Span], types: &[&str], length: usize) -> Result<Vec<String>> {
        let most = Limits::default().sentence_tokens;
        if length > most {
            return Err(Error::TooMany {
                what: "tokens of a sentence",
                asked: length,
                most,
            });
        }
        let mut tags = vec!["O".to_owned(); length];
        let roles = self.roles(spans, types, length)?;
        for (at, letter, ty) in roles {
            tags[at] = tag_string(self.scheme, &self.dialect, letter, types[ty as usize]);
        }
        Ok(tags)
    }

    /// As [`Writer::write`], for spans with names of types and bounds that are not checked yet. Without a length the
    /// sentence ends with the last span.
    ///
    /// # Errors
    /// Those of [`Writer::write`]; [`Error::OutOfRange`] also for bounds beyond 32 bits.
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

    /// The prefix letter and the type of each token that lies in a span, in writing order.
    pub(crate) fn roles(
        &self,
        spans: &[Span],
        types: &[&str],
        length: usize,
    ) -> Result<Vec<(usize, &'static str, u32)>> {
        let mut sorted = spans.to_vec();
        // Stable and by start only: with `overwriting` the order of equal starts decides, as in iobes.
        sorted.sort_by_key(|span| span.start);
        for span in &sorted {
            let name = types.get(span.ty as usize).copied().unwrap_or_default();
            if span.is_empty() || span.end as usize > length {
                return Err(Error::OutOfRange {
                    span: show(name, span),
                    length,
                });
            }
            self.check_type(name)?;
        }
        // True where a span touches the one before it, which has the same type.
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

    /// The prefix for a token of a span, by the edges of the prefixes.
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

    fn check_type(&self, ty: &str) -> Result<()> {
        let reason = if ty.is_empty() && self.dialect.bare == Bare::OneType {
            "it is empty"
        } else if ty.contains(|c: char| c.is_whitespace() || c.is_control()) {
            "it has white space or control characters in it"
        } else if self.scheme == Scheme::Token && ty == "O" {
            "it would be read as outside"
        } else {
            return Ok(());
        };
        Err(Error::BadType {
            ty: ty.to_owned(),
            reason,
        })
    }

    fn check_expressible(
        &self,
        before: Option<&Span>,
        span: &Span,
        touches: bool,
        types: &[&str],
    ) -> Result<()> {
        let name = |span: &Span| show(types[span.ty as usize], span);
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

/// The tokens that lie in spans, in order, each with the number of the last span it lies in; spans are
/// sorted by start. Each span is looked at twice, however much they overlap.
fn last_spans(spans: &[Span]) -> impl Iterator<Item = (usize, usize)> {
    // Spans that have begun, by number. Those below the top are looked at when it has ended.
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

/// The tag with this prefix letter and type in a scheme.
pub(crate) fn tag_string(scheme: Scheme, dialect: &Dialect, letter: &str, ty: &str) -> String {
    if scheme == Scheme::Token {
        ty.to_owned()
    } else {
        dialect.join(letter, ty)
    }
}

/// A span as messages show it.
fn show(ty: &str, span: &Span) -> String {
    let ty = if ty.is_empty() { UNTYPED } else { ty };
    format!("{ty} [{}, {})", span.start, span.end)
}
