//! The tokens of a document in formats that need them.

use std::borrow::Cow;
use std::ops::Range;

use super::drop_if;
use crate::document::annotated_text::Document;
use crate::document::char_index::CharIndex;
use crate::document::holds::{Holds, Text, Tokens};
use crate::document::losses::Losses;
use crate::document::tokenize::{is_line_end, lines, tokenize};

/// Removes tokens, or adds tokens to a document without tokens.
///
/// In formats that need tokens, tokens that overlap others are removed, and tokens without text,
/// unless the text consists of the tokens; there they are removed only next to another token,
/// because the beginning or the end of a span would otherwise belong to two tokens.
pub(super) fn keep_tokens(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    match holds.tokens {
        Tokens::No => drop_if(document, losses, "tokens", Document::is_token),
        Tokens::Yes => {}
        Tokens::ForRelations if document.relations.is_empty() => {}
        Tokens::ForRelations => add_missing(document),
        Tokens::Whole | Tokens::Within => {
            separate_tokens(document, losses, holds.text);
            add_missing(document);
        }
    }
}

/// Adds tokens to a document without tokens.
fn add_missing(document: &mut Cow<'_, Document>) {
    if !document.annotations.iter().any(|a| document.is_token(a)) {
        let tokens = tokenize(&document.text);
        if !tokens.is_empty() {
            document.to_mut().prepend_tokens(&tokens);
        }
    }
}

/// Removes tokens that overlap others, and tokens without text. If the text is rebuilt from lines,
/// tokens of white space have no text either; if it consists of the tokens, tokens without text are
/// removed only next to another token.
fn separate_tokens(document: &mut Cow<'_, Document>, losses: &mut Losses, text: Text) {
    let all = &document.annotations;
    let tokens = (0..all.len()).filter(|&at| document.is_token(&all[at]));
    let mut tokens: Vec<usize> = tokens.collect();
    if tokens.is_empty() {
        return;
    }
    tokens.sort_by_key(|&at| (all[at].start, all[at].end));
    let mut characters = CharIndex::new(&document.text);
    let mut is_empty = |at: usize| match text {
        Text::Lines => characters.is_blank(all[at].start, all[at].end),
        _ => all[at].start == all[at].end,
    };
    let mut last: Option<usize> = None;
    let (mut overlapping, mut empty) = (vec![false; all.len()], vec![false; all.len()]);
    for at in tokens {
        if text != Text::Tokens && is_empty(at) {
            empty[at] = true;
            continue;
        }
        if let Some(before) = last {
            let (end, start) = (all[before].end, all[at].start);
            if start == end && is_empty(at) {
                empty[at] = true;
                continue;
            }
            if start < end {
                overlapping[at] = true;
                continue;
            }
            empty[before] |= start == end && is_empty(before);
        }
        last = Some(at);
    }
    let number = |marks: &[bool]| marks.iter().filter(|mark| **mark).count();
    let counts = (number(&overlapping), number(&empty));
    if counts == (0, 0) {
        return;
    }
    losses.add("tokens that overlap others", counts.0);
    losses.add("tokens without text", counts.1);
    let keeps = overlapping
        .iter()
        .zip(&empty)
        .map(|(&one, &two)| !one && !two);
    let keeps: Vec<bool> = keeps.collect();
    let relations = document.to_mut().retain(&keeps);
    losses.add(
        "relations of annotations that are not written",
        relations.len(),
    );
}

/// The tokens of a document, which do not overlap, as (start, end), ascending. All starts and all
/// ends are distinct.
struct Bounds(Vec<(u32, u32)>);

impl Bounds {
    fn of(document: &Document) -> Self {
        let tokens = document.annotations.iter().filter(|a| document.is_token(a));
        let mut tokens: Vec<(u32, u32)> = tokens.map(|a| (a.start, a.end)).collect();
        tokens.sort_unstable();
        Self(tokens)
    }

    /// Returns the tokens that overlap a segment; tokens without text may be at its bounds.
    fn overlapping(&self, start: u32, end: u32) -> Range<usize> {
        let before = |&(from, to): &(u32, u32)| to < start || (to == start && from < start);
        let up_to = |&(from, to): &(u32, u32)| from < end || (from == end && to == end);
        let first = self.0.partition_point(before);
        first..self.0.partition_point(up_to).max(first)
    }

    /// Returns a segment without the characters between tokens at its beginning and its end; None if
    /// there is no token.
    fn clipped(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        if start >= end {
            let next = self.0.partition_point(|token| token.1 < start);
            let inside = self.0.get(next).filter(|token| token.0 <= start);
            let before = next.checked_sub(1).and_then(|before| self.0.get(before));
            let moved = before.map(|token| token.1);
            let position = inside.map(|_| start).or(moved);
            let position = position.or_else(|| Some(self.0.first()?.0))?;
            return Some((position, position));
        }
        let first = self.0.partition_point(|token| token.1 <= start);
        let last = self
            .0
            .partition_point(|token| token.0 < end)
            .checked_sub(1)?;
        let (first, last) = (self.0.get(first)?, self.0.get(last)?);
        (first.0 < end && last.1 > start).then(|| (start.max(first.0), end.min(last.1)))
    }

    /// Widens segments to whole tokens. Segments without a token are removed, and segments with the
    /// same tokens are joined.
    fn widened(&self, segments: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut wide: Vec<(u32, u32)> = Vec::with_capacity(segments.len());
        for &(start, end) in segments {
            let tokens = &self.0[self.overlapping(start, end)];
            let (Some(&(start, _)), Some(&(_, end))) = (tokens.first(), tokens.last()) else {
                continue;
            };
            match wide.last_mut() {
                _ if start == end => {}
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => wide.push((start, end)),
            }
        }
        wide
    }
}

/// Shortens annotations that begin or end between tokens to tokens, and removes annotations without
/// a token. An empty annotation between tokens is moved to the end of the preceding token.
pub(super) fn clip_to_tokens(document: &mut Cow<'_, Document>, losses: &mut Losses) {
    let bounds = Bounds::of(document);
    drop_if(
        document,
        losses,
        "annotations without a token",
        |document, a| !document.is_token(a) && bounds.clipped(a.start, a.end).is_none(),
    );
    let (mut shortened, mut moved) = (0, 0);
    for at in 0..document.annotations.len() {
        let annotation = document.annotations[at];
        let (start, end) = (annotation.start, annotation.end);
        let clipped = bounds.clipped(start, end).unwrap_or((start, end));
        if !document.is_token(&annotation) && clipped != (start, end) {
            *(if start < end {
                &mut shortened
            } else {
                &mut moved
            }) += 1;
            document.to_mut().set_bounds(at, &[clipped]);
        }
    }
    losses.add(
        "annotations that begin or end between tokens, shortened to tokens",
        shortened,
    );
    losses.add("empty annotations between tokens, moved to a token", moved);
}

/// Widens annotations to whole tokens, and removes annotations without a token.
pub(super) fn widen_to_tokens(document: &mut Cow<'_, Document>, losses: &mut Losses) {
    let bounds = Bounds::of(document);
    drop_if(
        document,
        losses,
        "annotations without a token",
        |document, a| !document.is_token(a) && bounds.widened(&document.segments(a)).is_empty(),
    );
    let mut widened = 0;
    for at in 0..document.annotations.len() {
        let annotation = document.annotations[at];
        if document.is_token(&annotation) {
            continue;
        }
        let segments = document.segments(&annotation);
        let wide = bounds.widened(&segments);
        if wide != segments {
            widened += 1;
            document.to_mut().set_bounds(at, &wide);
        }
    }
    losses.add("annotations that are widened to whole tokens", widened);
}

/// Replaces the text by its tokens, joined by spaces and, with [`Text::Lines`], by line feeds
/// between lines, and moves the annotations, whose bounds must be bounds of tokens.
pub(super) fn join_tokens(document: &mut Cow<'_, Document>, text: Text, losses: &mut Losses) {
    let bounds = Bounds::of(document);
    let line_starts: Vec<u32> = match text {
        Text::Lines => lines(&document.text).iter().map(|line| line.0).collect(),
        _ => Vec::new(),
    };
    let line_of = |at: u32| line_starts.partition_point(|&start| start <= at);
    let mut joined = String::with_capacity(document.text.len());
    let mut characters = document.text.chars();
    // The next character of the text, and the length of the new text.
    let (mut at, mut length) = (0, 0);
    let mut moved = Vec::with_capacity(bounds.0.len());
    let (mut line, mut outside) = (0, 0);
    for &(start, end) in &bounds.0 {
        let before = std::mem::replace(&mut line, line_of(start));
        if !moved.is_empty() {
            joined.push(if before < line { '\n' } else { ' ' });
            length += 1;
        }
        let between = characters.by_ref().take((start - at) as usize);
        outside += between.filter(|c| !c.is_whitespace()).count();
        let token = characters.by_ref().take((end - start) as usize);
        joined.extend(token.map(|c| match text {
            // A line ends only after a token.
            Text::Lines if is_line_end(c) => ' ',
            _ => c,
        }));
        moved.push((length, length + end - start));
        (at, length) = (end, length + end - start);
    }
    outside += characters.filter(|c| !c.is_whitespace()).count();
    if joined == document.text {
        return;
    }
    losses.add("characters outside of tokens", outside);
    losses.add("documents whose white space between tokens changes", 1);
    let document = document.to_mut();
    document.text = joined;
    for at in 0..document.annotations.len() {
        let segments = document.segments(&document.annotations[at]);
        let segments = segments.iter().filter_map(|&(start, end)| {
            let first = bounds
                .0
                .binary_search_by_key(&start, |token| token.0)
                .ok()?;
            let last = bounds.0.binary_search_by_key(&end, |token| token.1).ok()?;
            Some((moved[first].0, moved[last].1))
        });
        let segments: Vec<(u32, u32)> = segments.collect();
        document.set_bounds(at, &segments);
    }
}
