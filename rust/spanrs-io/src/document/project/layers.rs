//! The annotators of a document that a format can represent.

use std::borrow::Cow;

use super::drop_marked;
use crate::document::annotated_text::{Answer, Document};
use crate::document::holds::{Answers, Holds};
use crate::document::losses::Losses;

/// Keeps the annotators that the format can represent; false if the document was skipped or
/// rejected by all its annotators and the format cannot represent this.
pub(super) fn keep_layers(
    document: &mut Cow<'_, Document>,
    holds: &Holds,
    losses: &mut Losses,
) -> bool {
    if document.layers.is_empty() {
        return true;
    }
    let least = |answer| match answer {
        Answer::Given => Answers::No,
        Answer::Empty => Answers::Empty,
        Answer::Skipped => Answers::Skipped,
        Answer::Rejected => Answers::All,
    };
    if holds.answers == Answers::Skipped {
        skip_rejected(document, losses);
    }
    let seen = |answer| matches!(answer, Answer::Given | Answer::Empty);
    if !document.layers.iter().any(|layer| seen(layer.answer)) && holds.answers < Answers::Skipped {
        losses.add("documents that were skipped or rejected", 1);
        return false;
    }
    let layers = document.layers.iter();
    let keeps: Vec<bool> = if holds.annotators {
        layers
            .map(|layer| least(layer.answer) <= holds.answers)
            .collect()
    } else {
        let first = document.layers.iter().position(|layer| seen(layer.answer));
        (0..layers.len()).map(|at| Some(at) == first).collect()
    };
    remove_layers(document, losses, &keeps);
    if !holds.annotators && !document.layers.is_empty() {
        let named = document.layers.iter().filter(|layer| layer.name.is_some());
        losses.add("names of annotators", named.count());
        document.to_mut().layers.clear();
    }
    true
}

/// Marks documents as skipped by annotators who rejected them.
fn skip_rejected(document: &mut Cow<'_, Document>, losses: &mut Losses) {
    let rejected = |answer| answer == Answer::Rejected;
    let number = document
        .layers
        .iter()
        .filter(|layer| rejected(layer.answer))
        .count();
    losses.add("rejected documents, which are written as skipped", number);
    if number > 0 {
        for layer in &mut document.to_mut().layers {
            if rejected(layer.answer) {
                layer.answer = Answer::Skipped;
            }
        }
    }
}

/// Makes the answers agree with the annotations: annotators without annotations have empty answers,
/// or are removed if the format cannot represent them, and annotators with annotations have found
/// something. Annotations may have been removed since [`keep_layers`].
pub(super) fn keep_answers(document: &mut Cow<'_, Document>, holds: &Holds, losses: &mut Losses) {
    let mut used = vec![false; document.layers.len()];
    let spans = document
        .annotations
        .iter()
        .filter(|a| !document.is_token(a));
    for layer in spans.map(|a| a.layer as usize) {
        if let Some(used) = used.get_mut(layer) {
            *used = true;
        }
    }
    let answers = document.layers.iter().zip(&used);
    let answers = answers.map(|(layer, used)| match (layer.answer, used) {
        (Answer::Given, false) => Answer::Empty,
        (Answer::Empty, true) => Answer::Given,
        (answer, _) => answer,
    });
    let answers: Vec<Answer> = answers.collect();
    let before = document.layers.iter().map(|layer| layer.answer);
    if before.eq(answers.iter().copied()) {
        return;
    }
    for (layer, &answer) in document.to_mut().layers.iter_mut().zip(&answers) {
        layer.answer = answer;
    }
    if holds.answers == Answers::No {
        let keeps = answers.iter().map(|&answer| answer != Answer::Empty);
        let keeps: Vec<bool> = keeps.collect();
        remove_layers(document, losses, &keeps);
    }
}

/// Removes the layers whose entry in `keeps` is false, with their annotations. Tokens are kept if
/// the remaining layers have none, because they are not the work of an annotator.
fn remove_layers(document: &mut Cow<'_, Document>, losses: &mut Losses, keeps: &[bool]) {
    if !keeps.contains(&false) {
        return;
    }
    for (layer, _) in document.layers.iter().zip(keeps).filter(|pair| !pair.1) {
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
    let is_kept = |layer: u32| keeps.get(layer as usize).copied().unwrap_or(true);
    let tokens = document.annotations.iter().filter(|a| document.is_token(a));
    let token_layers: Vec<u32> = tokens.map(|a| a.layer).collect();
    let kept_tokens = match token_layers.iter().any(|&layer| is_kept(layer)) {
        true => None,
        false => token_layers.first().copied(),
    };
    let mut tokens_kept = Vec::with_capacity(document.annotations.len());
    let mut spans_kept = Vec::with_capacity(document.annotations.len());
    for a in &document.annotations {
        let is_token = document.is_token(a);
        tokens_kept.push(!is_token || is_kept(a.layer) || Some(a.layer) == kept_tokens);
        if tokens_kept.last() == Some(&true) {
            spans_kept.push(is_token || is_kept(a.layer));
        }
    }
    drop_marked(
        document,
        losses,
        "tokens of annotators that are not written",
        &tokens_kept,
    );
    drop_marked(
        document,
        losses,
        "annotations by annotators that are not written",
        &spans_kept,
    );
    let document = document.to_mut();
    let numbers = keeps.iter().scan(0, |next, &keep| {
        let number = keep.then_some(*next);
        *next += u32::from(keep);
        Some(number)
    });
    let numbers: Vec<Option<u32>> = numbers.collect();
    for annotation in &mut document.annotations {
        let number = numbers.get(annotation.layer as usize).copied().flatten();
        annotation.layer = number.unwrap_or_default();
    }
    let mut keeps = keeps.iter();
    document.layers.retain(|_| *keeps.next().unwrap_or(&true));
}
