//! Reduction of a document to what a format can represent.

mod layers;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;

use serde_json::Value;

use super::annotated_text::{Annotation, Document, Relation};
use super::holds::{Holds, Ids, Overlap, Relations, Text, Tokens, Values};
use super::losses::Losses;
use super::{bioc, pubtator};
use layers::{keep_answers, keep_layers};
use tokens::{clip_to_tokens, join_tokens, keep_tokens, widen_to_tokens};

/// Returns the part of a document that a format can represent; None for a document that nobody
/// annotated (skipped or rejected) if the format cannot represent this, because the text would look
/// like a text without spans. Everything else that is removed or changed is counted in `losses`.
///
/// | item | in a format without it |
/// |---|---|
/// | annotators | the first annotator of the document is kept, with tokens of any annotator |
/// | annotators without annotations | get an empty answer, or are removed |
/// | annotators with annotations and an empty answer | get the answer `given` |
/// | tokens | removed; added if the format requires tokens and the document has none |
/// | tokens that overlap others | removed if the format requires tokens |
/// | tokens that cross annotations | removed if the format requires nested annotations |
/// | discontinuous annotations | extended over their holes |
/// | annotations that begin or end within a token | widened to whole tokens |
/// | annotations that begin or end between tokens | shortened to tokens, if the format requires tokens |
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
        drop_empty(&mut kept, losses);
    }
    match holds.tokens {
        Tokens::Whole => widen_to_tokens(&mut kept, losses),
        Tokens::Within => clip_to_tokens(&mut kept, losses),
        Tokens::No | Tokens::Yes | Tokens::ForRelations => {}
    }
    keep_overlaps(&mut kept, holds, losses);
    keep_answers(&mut kept, holds, losses);
    keep_attributes(&mut kept, holds, losses);
    keep_relations(&mut kept, holds, losses);
    keep_names(&mut kept, holds, losses);
    match holds.text {
        Text::Whole => {}
        Text::OneBreak => pubtator::keep_one_break(&mut kept, losses),
        Text::Tokens | Text::Lines => join_tokens(&mut kept, holds.text, losses),
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

/// Extends discontinuous annotations over their holes; tokens are never discontinuous.
fn keep_pieces(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    let mut holes = 0;
    for at in 0..document.annotations.len() {
        let annotation = document.annotations[at];
        if holds.discontinuous && !document.is_token(&annotation) {
            continue;
        }
        let pieces = document.pieces(&annotation).len();
        if pieces > 0 {
            holes += usize::from(pieces > 1);
            let bounds = (annotation.start, annotation.end);
            document.to_mut().set_bounds(at, &[bounds]);
        }
    }
    losses.add("holes in annotations", holes);
}

/// Removes annotations without text, and pieces without text.
fn drop_empty(document: &mut Cow<'_, Document>, losses: &mut Losses) {
    let is_empty = |&(start, end): &(u32, u32)| start == end;
    drop_if(
        document,
        losses,
        "annotations without text",
        |document, a| {
            let pieces = document.pieces(a);
            let whole = (a.start, a.end);
            !document.is_token(a)
                && (is_empty(&whole) || (!pieces.is_empty() && pieces.iter().all(is_empty)))
        },
    );
    let mut removed = 0;
    for at in 0..document.annotations.len() {
        let mut pieces = document.pieces(&document.annotations[at]).to_vec();
        let before = pieces.len();
        pieces.retain(|piece| !is_empty(piece));
        if pieces.len() < before {
            removed += before - pieces.len();
            document.to_mut().set_bounds(at, &pieces);
        }
    }
    losses.add("pieces without text", removed);
}

/// Removes annotations that overlap others, for each annotator. Where annotations must be nested,
/// tokens that cross other annotations are removed.
fn keep_overlaps(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    let kind = match holds.overlap {
        Overlap::Any => return,
        Overlap::Nested => "annotations that cross others",
        Overlap::No => "annotations that share characters with others",
    };
    let with_tokens = holds.overlap == Overlap::Nested;
    let spans: Vec<usize> = (0..document.annotations.len())
        .filter(|&at| !document.is_token(&document.annotations[at]))
        .collect();
    let keeps = without_overlaps(document, spans, holds.overlap);
    drop_marked(document, losses, kind, &keeps);
    if with_tokens {
        let all = (0..document.annotations.len()).collect();
        let keeps = without_overlaps(document, all, holds.overlap);
        drop_marked(document, losses, "tokens that cross annotations", &keeps);
    }
}

/// Returns for each annotation whether it is kept if overlaps are removed among the annotations
/// with the indices `order`: the first to start is kept, of these the longest, but never a token
/// that crosses another annotation.
fn without_overlaps(document: &Document, mut order: Vec<usize>, overlap: Overlap) -> Vec<bool> {
    let all = &document.annotations;
    order.sort_by_key(|&at| (all[at].layer, all[at].start, std::cmp::Reverse(all[at].end)));
    let mut keeps = vec![true; all.len()];
    // Indices of the annotations around the current one, innermost last.
    let mut open: Vec<usize> = Vec::new();
    let mut layer = 0;
    for at in order {
        let Annotation {
            start,
            end,
            layer: own,
            ..
        } = all[at];
        if own != layer {
            open.clear();
            layer = own;
        }
        // An empty annotation at the end of another annotation is nested in it.
        let at_end = |last: u32| overlap == Overlap::Nested && start == end && last == end;
        let ends = |last: u32| last <= start && !at_end(last);
        while let Some(&last) = open.last() {
            let crosses = end > all[last].end && overlap == Overlap::Nested;
            if !ends(all[last].end) {
                if !(crosses && document.is_token(&all[last]) && !document.is_token(&all[at])) {
                    break;
                }
                keeps[last] = false;
            }
            open.pop();
        }
        match open.last() {
            Some(_) if overlap == Overlap::No => keeps[at] = false,
            Some(&last) if end > all[last].end => keeps[at] = false,
            _ => open.push(at),
        }
    }
    keeps
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
        Values::Typed => return,
        Values::No => {
            losses.add("attributes of annotations", with);
            document.to_mut().clear_attributes();
            return;
        }
        Values::Concepts => {
            let all = document.annotations.iter();
            let others = |a| {
                document
                    .attributes(a)
                    .filter(|(name, _)| !pubtator::is_held(name))
            };
            let dropped = all.map(|a| others(a).count()).sum();
            losses.add("attributes other than identifier and mentions", dropped);
            if dropped > 0 {
                document.to_mut().retain_attributes(pubtator::is_held);
            }
        }
        Values::Text | Values::Flags => {}
    }
    let keeps_true = holds.attributes == Values::Flags;
    let all = document.annotations.iter();
    let changed = all.map(|a| document.typed_attributes(a, keeps_true)).sum();
    if changed > 0 {
        document.to_mut().attributes_to_text(keeps_true);
        losses.add("attribute values that are written as text", changed);
    }
}

/// Removes relations, or moves them to the annotations that represent their concepts.
fn keep_relations(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    if document.relations.is_empty() || holds.relations == Relations::Yes {
        return;
    }
    if holds.relations == Relations::No {
        losses.add("relations", document.relations.len());
        document.to_mut().relations.clear();
        return;
    }
    let first = pubtator::first_with_identifier(document);
    let moved = |at: u32| {
        let annotation = document.annotations.get(at as usize)?;
        first
            .get(pubtator::identifier(document, annotation)?)
            .copied()
    };
    let ends: Vec<Option<(u32, u32)>> = document
        .relations
        .iter()
        .map(|relation| moved(relation.from).zip(moved(relation.to)))
        .collect();
    let of_same = document.relations.iter().zip(&ends);
    let unchanged = |(relation, ends): (&Relation, &Option<(u32, u32)>)| {
        *ends == Some((relation.from, relation.to))
    };
    if of_same.clone().all(unchanged) {
        return;
    }
    let missing = ends.iter().filter(|ends| ends.is_none()).count();
    let other = of_same.filter(|pair| !unchanged(*pair)).count() - missing;
    losses.add("relations of annotations without an identifier", missing);
    losses.add(
        "relations that move to the first annotation with the same identifier",
        other,
    );
    let document = document.to_mut();
    let relations = std::mem::take(&mut document.relations);
    document.relations = relations
        .into_iter()
        .zip(ends)
        .filter_map(|(relation, ends)| {
            let (from, to) = ends?;
            Some(Relation {
                from,
                to,
                ..relation
            })
        })
        .collect();
}

/// Keeps the id, the name and the metadata that the format can represent.
fn keep_names(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    let has_metadata = holds.metadata != Values::No;
    if !has_metadata && !document.metadata.is_empty() {
        losses.add("documents with metadata", 1);
        document.to_mut().metadata.clear();
    }
    // The structure of BioC documents is not an infon, and is kept as it is.
    let is_typed =
        |(name, value): &(String, Value)| !value.is_string() && !bioc::is_structure(name);
    let typed = document
        .metadata
        .iter()
        .filter(|fact| is_typed(fact))
        .count();
    if holds.metadata == Values::Text && typed > 0 {
        losses.add("metadata values that are written as text", typed);
        for fact in &mut document.to_mut().metadata {
            if is_typed(fact) {
                fact.1 = Value::String(fact.1.to_string());
            }
        }
    }
    if document.id.as_deref() == Some("") {
        document.to_mut().id = None;
    }
    if document.name.as_deref() == Some("") {
        document.to_mut().name = None;
    }
    if holds.id == Ids::No && document.id.is_some() {
        losses.add("ids of documents", 1);
        document.to_mut().id = None;
    }
    // The name of a file is the name of its document.
    let in_file_name = holds.id == Ids::FileName;
    match (&document.id, &document.name) {
        (Some(_), None) if in_file_name => {
            let document = document.to_mut();
            document.name = document.id.take();
        }
        (Some(id), Some(name)) if in_file_name => {
            losses.add("ids of documents", usize::from(id != name));
            document.to_mut().id = None;
        }
        (None, Some(_)) if holds.id == Ids::Yes && !has_metadata => {
            let document = document.to_mut();
            document.id = document.name.take();
        }
        (id, Some(name)) if !in_file_name && !has_metadata => {
            let same = id.as_ref() == Some(name);
            losses.add("names of documents", usize::from(!same));
            document.to_mut().name = None;
        }
        _ => {}
    }
}
