//! Reduction of a document to what a format can represent.

use std::borrow::Cow;

use super::annotated_text::{Annotation, Answer, Document};
use super::holds::{Answers, Attributes, Holds, Overlap, Text, Tokens};
use super::losses::Losses;
use super::tokenize::{lines, tokenize};

/// Returns the part of a document that a format can represent; None for a document that nobody
/// annotated (skipped or rejected) if the format cannot represent this, because the text would look
/// like a text without spans. Everything else that is removed or changed is counted in `losses`.
///
/// | item | in a format without it |
/// |---|---|
/// | annotators | the first annotator of the document is kept |
/// | tokens | removed; added if the format requires tokens and the document has none |
/// | discontinuous annotations | extended over their holes |
/// | annotations that begin or end within a token | widened to whole tokens |
/// | annotations that share characters | the first to start is kept, of these the longest |
/// | attributes | removed; values become text in formats with text only |
/// | relations | removed, also if one of their annotations is removed |
/// | id | becomes the name of the document if it has none |
///
/// ```
/// use spanrs_io::document::{Document, Format, Losses, project};
/// let mut document = Document::new("Bob ate".to_owned());
/// let person = document.intern("PER");
/// document.push(person, 0, 5);
/// document.push(person, 4, 7);
/// let mut losses = Losses::default();
/// let kept = project(&document, &Format::XmlInline.holds(), &mut losses).unwrap();
/// assert_eq!(kept.annotations.len(), 1);
/// assert_eq!(losses.list()[0].kind, "annotations that cross others");
/// ```
pub fn project<'a>(
    document: &'a Document,
    holds: &Holds,
    losses: &mut Losses,
) -> Option<Cow<'a, Document>> {
    let mut kept = Cow::Borrowed(document);
    if !keep_layers(&mut kept, holds, losses) {
        return None;
    }
    keep_tokens(&mut kept, holds, losses);
    keep_pieces(&mut kept, holds, losses);
    if !holds.empty {
        drop_if(
            &mut kept,
            losses,
            "annotations without text",
            |document, a| !document.is_token(a) && a.start == a.end,
        );
    }
    if holds.tokens == Tokens::Whole {
        widen_to_tokens(&mut kept, losses);
    }
    keep_overlaps(&mut kept, holds, losses);
    keep_attributes(&mut kept, holds, losses);
    if !holds.relations && !kept.relations.is_empty() {
        losses.add("relations", kept.relations.len());
        kept.to_mut().relations.clear();
    }
    keep_names(&mut kept, holds, losses);
    if holds.text != Text::Whole {
        join_tokens(&mut kept, holds.text, losses);
    }
    Some(kept)
}

/// Removes the annotations that satisfy a condition, with their relations.
fn drop_if(
    document: &mut Cow<'_, Document>,
    losses: &mut Losses,
    kind: &str,
    condition: impl Fn(&Document, &Annotation) -> bool,
) {
    let all = document.annotations.iter();
    let keeps: Vec<bool> = all.map(|a| !condition(document, a)).collect();
    drop_marked(document, losses, kind, &keeps);
}

/// Removes the annotations whose entry in `keeps` is false, with their relations.
fn drop_marked(document: &mut Cow<'_, Document>, losses: &mut Losses, kind: &str, keeps: &[bool]) {
    let dropped = keeps.iter().filter(|keep| !**keep).count();
    if dropped > 0 {
        losses.add(kind, dropped);
        let relations = document.to_mut().retain(keeps);
        losses.add(
            "relations of annotations that are not written",
            relations.len(),
        );
    }
}

/// Keeps the annotators that the format can represent; false if there is none left although the
/// document has annotators.
fn keep_layers(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) -> bool {
    if document.layers.is_empty() {
        return true;
    }
    let least = |answer| match answer {
        Answer::Given => Answers::No,
        Answer::Empty => Answers::Empty,
        Answer::Skipped | Answer::Rejected => Answers::All,
    };
    let seen = |answer| matches!(answer, Answer::Given | Answer::Empty);
    if !document.layers.iter().any(|layer| seen(layer.answer)) && holds.answers < Answers::All {
        losses.add("documents that were skipped or rejected", 1);
        return false;
    }
    let keeps: Vec<bool> = if holds.annotators {
        let layers = document.layers.iter();
        layers
            .map(|layer| least(layer.answer) <= holds.answers)
            .collect()
    } else {
        let first = document.layers.iter().position(|layer| seen(layer.answer));
        (0..document.layers.len())
            .map(|at| Some(at) == first)
            .collect()
    };
    let dropped = document.layers.iter().zip(&keeps).filter(|pair| !pair.1);
    for (layer, _) in dropped.clone() {
        losses.add(
            match layer.answer {
                Answer::Given => "annotators other than the first of a document",
                Answer::Empty => "annotators who found nothing in a document",
                Answer::Skipped | Answer::Rejected => {
                    "annotators who skipped or rejected a document"
                }
            },
            1,
        );
    }
    if dropped.count() > 0 {
        let of_kept = document.annotations.iter();
        let of_kept: Vec<bool> = of_kept
            .map(|a| keeps.get(a.layer as usize).copied().unwrap_or(true))
            .collect();
        drop_marked(
            document,
            losses,
            "annotations by annotators that are not written",
            &of_kept,
        );
        let document = document.to_mut();
        let mut numbers = keeps.iter().scan(0, |next, &keep| {
            let number = *next;
            *next += u32::from(keep);
            Some(number)
        });
        let numbers: Vec<u32> = numbers.by_ref().collect();
        for annotation in &mut document.annotations {
            annotation.layer = numbers[annotation.layer as usize];
        }
        let mut keeps = keeps.iter();
        document.layers.retain(|_| *keeps.next().unwrap_or(&true));
    }
    if !holds.annotators {
        let named = document.layers.iter().filter(|layer| layer.name.is_some());
        losses.add("names of annotators", named.count());
        document.to_mut().layers.clear();
    }
    true
}

/// Removes tokens, or adds tokens to a document without tokens.
fn keep_tokens(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    match holds.tokens {
        Tokens::No => drop_if(document, losses, "tokens", Document::is_token),
        Tokens::Yes => {}
        Tokens::Whole | Tokens::Within => {
            if !document.annotations.iter().any(|a| document.is_token(a)) {
                let tokens = tokenize(&document.text);
                document.to_mut().prepend_tokens(&tokens);
            }
        }
    }
}

/// Extends discontinuous annotations over their holes.
fn keep_pieces(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    let all = document.annotations.iter().enumerate();
    let holed: Vec<usize> = all
        .filter(|(_, a)| !document.pieces(a).is_empty())
        .map(|(at, _)| at)
        .collect();
    if !holds.discontinuous && !holed.is_empty() {
        losses.add("holes in annotations", holed.len());
        let document = document.to_mut();
        for at in holed {
            let Annotation { start, end, .. } = document.annotations[at];
            document.set_bounds(at, &[(start, end)]);
        }
    }
}

/// The tokens of a document: first characters, and the characters after the last ones, ascending.
struct Bounds {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Bounds {
    fn of(document: &Document) -> Self {
        let tokens = document.annotations.iter().filter(|a| document.is_token(a));
        let mut tokens: Vec<(u32, u32)> = tokens.map(|a| (a.start, a.end)).collect();
        tokens.sort_unstable();
        tokens.dedup();
        let (starts, ends) = tokens.into_iter().unzip();
        Self { starts, ends }
    }

    /// Returns the range of the tokens that overlap a segment.
    fn overlapping(&self, start: u32, end: u32) -> std::ops::Range<usize> {
        let first = self.ends.partition_point(|&token_end| token_end <= start);
        let last = self
            .starts
            .partition_point(|&token_start| token_start < end);
        first..last.max(first)
    }
}

/// Widens annotations to whole tokens, and removes annotations without a token.
fn widen_to_tokens(document: &mut Cow<'_, Document>, losses: &mut Losses) {
    let bounds = Bounds::of(document);
    drop_if(
        document,
        losses,
        "annotations without a token",
        |document, a| {
            let tokens = |&(start, end): &(u32, u32)| bounds.overlapping(start, end);
            !document.is_token(a) && document.segments(a).iter().all(|s| tokens(s).is_empty())
        },
    );
    let mut widened = 0;
    for at in 0..document.annotations.len() {
        let annotation = document.annotations[at];
        let segments = document.segments(&annotation);
        let wide = |&(start, end): &(u32, u32)| {
            let tokens = bounds.overlapping(start, end);
            let wide = bounds
                .starts
                .get(tokens.start)
                .zip(bounds.ends[..tokens.end].last());
            (!tokens.is_empty())
                .then_some(wide)
                .flatten()
                .map(|(&start, &end)| (start, end))
        };
        let wide: Vec<(u32, u32)> = segments.iter().filter_map(wide).collect();
        if !document.is_token(&annotation) && wide != segments {
            widened += 1;
            document.to_mut().set_bounds(at, &wide);
        }
    }
    losses.add("annotations that are widened to whole tokens", widened);
}

/// Removes annotations that overlap others, for each annotator.
fn keep_overlaps(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    let kind = match holds.overlap {
        Overlap::Any => return,
        Overlap::Nested => "annotations that cross others",
        Overlap::No => "annotations that share characters with others",
    };
    let mut order: Vec<usize> = (0..document.annotations.len()).collect();
    if holds.overlap == Overlap::No {
        order.retain(|&at| !document.is_token(&document.annotations[at]));
    }
    order.sort_by_key(|&at| {
        let a = &document.annotations[at];
        (a.layer, a.start, std::cmp::Reverse(a.end))
    });
    let mut keeps = vec![true; document.annotations.len()];
    let mut open: Vec<u32> = Vec::new();
    let mut layer = 0;
    for at in order {
        let Annotation {
            start,
            end,
            layer: own,
            ..
        } = document.annotations[at];
        if own != layer {
            open.clear();
            layer = own;
        }
        // An empty annotation at the end of another annotation is nested in it.
        while open
            .last()
            .is_some_and(|&last| last <= start && !(start == end && last == end))
        {
            open.pop();
        }
        match open.last() {
            Some(_) if holds.overlap == Overlap::No => keeps[at] = false,
            Some(&last) if end > last => keeps[at] = false,
            _ => open.push(end),
        }
    }
    drop_marked(document, losses, kind, &keeps);
}

/// Removes attributes, or replaces their values by text.
fn keep_attributes(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    let all = document.annotations.iter();
    let with = all
        .filter(|a| document.attributes(a).next().is_some())
        .count();
    if with == 0 {
        return;
    }
    match holds.attributes {
        Attributes::Typed => {}
        Attributes::No => {
            losses.add("attributes of annotations", with);
            document.to_mut().clear_attributes();
        }
        text => {
            let keeps_true = text == Attributes::Flags;
            if document.has_typed_attributes(keeps_true) {
                let changed = document.to_mut().attributes_to_text(keeps_true);
                losses.add("attribute values that are written as text", changed);
            }
        }
    }
}

/// Keeps the id, the name and the metadata that the format can represent.
fn keep_names(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    if !holds.metadata && !document.metadata.is_empty() {
        losses.add("documents with metadata", 1);
        document.to_mut().metadata.clear();
    }
    // The name of a file is the name of its document.
    let in_file_name = !holds.id;
    match (&document.id, &document.name) {
        (Some(_), None) if in_file_name => {
            let document = document.to_mut();
            document.name = document.id.take();
        }
        (Some(id), Some(name)) if in_file_name => {
            losses.add("ids of documents", usize::from(id != name));
            document.to_mut().id = None;
        }
        (None, Some(_)) if !in_file_name && !holds.metadata => {
            let document = document.to_mut();
            document.id = document.name.take();
        }
        (Some(id), Some(name)) if !holds.metadata => {
            losses.add("names of documents", usize::from(id != name));
            document.to_mut().name = None;
        }
        _ => {}
    }
}

/// Replaces the text by its tokens, joined by spaces and, with [`Text::Lines`], by line feeds between
/// lines, and moves the annotations, whose bounds must be bounds of tokens.
fn join_tokens(document: &mut Cow<'_, Document>, text: Text, losses: &mut Losses) {
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
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let mut line = 0;
    for (&start, &end) in bounds.starts.iter().zip(&bounds.ends) {
        let before = std::mem::replace(&mut line, line_of(start));
        if !starts.is_empty() {
            joined.push(if before < line { '\n' } else { ' ' });
            length += 1;
        }
        starts.push(length);
        // Tokens may overlap in damaged files; characters are not repeated.
        if start > at {
            characters.nth((start - at) as usize - 1);
            at = start;
        }
        let size = end.saturating_sub(at);
        joined.extend(characters.by_ref().take(size as usize));
        (at, length) = (at + size, length + size);
        ends.push(length);
    }
    if joined == document.text {
        return;
    }
    losses.add("documents whose white space between tokens changes", 1);
    let document = document.to_mut();
    document.text = joined;
    for at in 0..document.annotations.len() {
        let segments = document.segments(&document.annotations[at]);
        let moved = segments.iter().filter_map(|&(start, end)| {
            let first = bounds.starts.binary_search(&start).ok()?;
            let last = bounds.ends.binary_search(&end).ok()?;
            Some((starts[first], ends[last]))
        });
        let moved: Vec<(u32, u32)> = moved.collect();
        document.set_bounds(at, &moved);
    }
}
