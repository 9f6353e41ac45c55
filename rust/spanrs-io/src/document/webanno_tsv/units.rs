//! Sentences, tokens and parts of tokens for writing WebAnno TSV.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::annotated_text::{Annotation, Document};
use super::super::losses::Losses;
use super::super::tokenize::lines;

/// The lines of a file that is written.
#[derive(Default)]
pub(super) struct Units {
    /// Tokens, each followed by its parts.
    pub(super) units: Vec<Unit>,
    pub(super) sentences: Vec<Sentence>,
    /// Units by index of the annotation; none for tokens and annotations that are not written.
    of_annotations: Vec<Vec<usize>>,
    /// Units by index of the annotation, for tokens.
    of_tokens: BTreeMap<usize, usize>,
}

/// A token or a part of a token.
pub(super) struct Unit {
    /// First character.
    pub(super) start: u32,
    /// One past the last character.
    pub(super) end: u32,
    /// Number of the sentence, of the token in the sentence, and of the part of the token, which is
    /// 0 for the token itself.
    number: [usize; 3],
    /// Annotations by index, ordered by their first units, then as in the document.
    pub(super) annotations: Vec<usize>,
}

/// A sentence.
pub(super) struct Sentence {
    /// First character.
    pub(super) start: u32,
    /// Tokens and parts of tokens.
    pub(super) units: Range<usize>,
}

/// A token, and the annotations that it has in common with others.
struct Token {
    start: u32,
    end: u32,
    /// Parts of the token that are the beginning, the end, or all of an annotation: start, and end
    /// in descending order.
    parts: Vec<(u32, std::cmp::Reverse<u32>)>,
}

/// The bounds of an annotation and the tokens that it overlaps.
#[derive(Clone)]
struct Placed {
    start: u32,
    end: u32,
    tokens: Range<usize>,
}

impl Units {
    /// Divides a document into tokens and parts of tokens.
    pub(super) fn new(document: &Document, losses: &mut Losses) -> Self {
        let (mut tokens, indexes) = tokens(document, losses);
        let mut placed: Vec<Option<Placed>> = Vec::with_capacity(document.annotations.len());
        for annotation in &document.annotations {
            placed.push(match document.is_token(annotation) {
                true => None,
                false => place(annotation, &tokens),
            });
        }
        for placed in placed.iter().flatten() {
            for at in placed.tokens.clone() {
                let (start, end) = segment(placed, &tokens[at]);
                let token = &mut tokens[at];
                if (start, end) != (token.start, token.end) {
                    token.parts.push((start, std::cmp::Reverse(end)));
                }
            }
        }
        let mut units = Self {
            of_annotations: vec![Vec::new(); document.annotations.len()],
            ..Self::default()
        };
        let first_units = units.add(document, &mut tokens);
        units.of_tokens = indexes
            .into_iter()
            .map(|(at, token)| (at, first_units[token]))
            .collect();
        units.assign(&placed, &tokens, &first_units);
        units
    }

    /// Adds the tokens with their parts, and returns the index of the unit of each token.
    fn add(&mut self, document: &Document, tokens: &mut [Token]) -> Vec<usize> {
        let lines = lines(&document.text);
        let (mut line, mut previous) = (0, None);
        let (mut number, mut first_units) = (0, Vec::with_capacity(tokens.len()));
        for token in tokens {
            while lines.get(line).is_some_and(|&(_, end)| end <= token.start) {
                line += 1;
            }
            if previous.replace(line) != Some(line) {
                number = 0;
                let (start, at) = (token.start, self.units.len());
                self.sentences.push(Sentence {
                    start,
                    units: at..at,
                });
            }
            number += 1;
            let sentence = self.sentences.len();
            first_units.push(self.units.len());
            token.parts.sort_unstable();
            token.parts.dedup();
            let whole = (token.start, std::cmp::Reverse(token.end));
            for (part, &(start, end)) in std::iter::once(&whole).chain(&token.parts).enumerate() {
                self.units.push(Unit {
                    start,
                    end: end.0,
                    number: [sentence, number, part],
                    annotations: Vec::new(),
                });
            }
            let after = self.units.len();
            if let Some(sentence) = self.sentences.last_mut() {
                sentence.units.end = after;
            }
        }
        first_units
    }

    /// Assigns the annotations to the units.
    fn assign(&mut self, placed: &[Option<Placed>], tokens: &[Token], first_units: &[usize]) {
        let unit = |placed: &Placed, at: usize| {
            let token = &tokens[at];
            let (start, end) = segment(placed, token);
            let part = token.parts.binary_search(&(start, std::cmp::Reverse(end)));
            // The token itself precedes its parts.
            first_units[at] + part.map_or(0, |part| part + 1)
        };
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (at, placed) in placed.iter().enumerate() {
            if let Some(placed) = placed {
                order.push((unit(placed, placed.tokens.start), at));
            }
        }
        order.sort_unstable();
        for (_, annotation) in order {
            if let Some(placed) = &placed[annotation] {
                for at in placed.tokens.clone() {
                    let unit = unit(placed, at);
                    self.of_annotations[annotation].push(unit);
                    self.units[unit].annotations.push(annotation);
                }
            }
        }
    }

    /// Returns the units of an annotation, in order.
    pub(super) fn of(&self, annotation: usize) -> &[usize] {
        self.of_annotations
            .get(annotation)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns the unit of a token, given by the index of its annotation.
    pub(super) fn row_of_token(&self, annotation: usize) -> Option<usize> {
        self.of_tokens.get(&annotation).copied()
    }

    /// Writes the number of a unit: `1-2`, or `1-2.1`.
    pub(super) fn write_number(&self, unit: usize, out: &mut Vec<u8>) {
        let [sentence, token, part] = self.units[unit].number;
        let number = match part {
            0 => format!("{sentence}-{token}"),
            part => format!("{sentence}-{token}.{part}"),
        };
        out.extend_from_slice(number.as_bytes());
    }
}

/// Returns the tokens of a document in order, and the token of each annotation that is a token.
/// Tokens that are empty or overlap a preceding token are not written.
fn tokens(document: &Document, losses: &mut Losses) -> (Vec<Token>, Vec<(usize, usize)>) {
    let all = document.annotations.iter().enumerate();
    let mut all: Vec<_> = all.filter(|(_, a)| document.is_token(a)).collect();
    all.sort_by_key(|(_, a)| (a.start, a.end));
    let (mut tokens, mut indexes) = (Vec::<Token>::with_capacity(all.len()), Vec::new());
    for (at, &Annotation { start, end, .. }) in all {
        if start >= end || tokens.last().is_some_and(|last| last.end > start) {
            losses.add("tokens that are empty or overlap others", 1);
            continue;
        }
        if document
            .attributes(&document.annotations[at])
            .next()
            .is_some()
        {
            losses.add("attributes of tokens", 1);
        }
        indexes.push((at, tokens.len()));
        let parts = Vec::new();
        tokens.push(Token { start, end, parts });
    }
    (tokens, indexes)
}

/// Returns the tokens that an annotation overlaps, and its bounds without the characters between
/// tokens at its beginning and its end. None for an annotation that does not overlap a token. An
/// empty annotation between tokens is moved to the end of the preceding token, as in WebAnno.
fn place(annotation: &Annotation, tokens: &[Token]) -> Option<Placed> {
    let &Annotation { start, end, .. } = annotation;
    if start >= end {
        let next = tokens.partition_point(|token| token.end < start);
        let inside = tokens.get(next).filter(|token| token.start <= start);
        let (at, position) = match (inside, next.checked_sub(1)) {
            (Some(_), _) => (next, start),
            (None, Some(previous)) => (previous, tokens[previous].end),
            (None, None) => (0, tokens.first()?.start),
        };
        let (start, end, tokens) = (position, position, at..at + 1);
        return Some(Placed { start, end, tokens });
    }
    let first = tokens.partition_point(|token| token.end <= start);
    let last = tokens.partition_point(|token| token.start < end);
    if first >= last {
        return None;
    }
    let bounds = (
        start.max(tokens[first].start),
        end.min(tokens[last - 1].end),
    );
    let (start, end) = bounds;
    let tokens = first..last;
    Some(Placed { start, end, tokens })
}

/// Returns the part of an annotation within a token.
fn segment(placed: &Placed, token: &Token) -> (u32, u32) {
    (placed.start.max(token.start), placed.end.min(token.end))
}
