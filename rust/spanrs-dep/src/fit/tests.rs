//! Training in stages.

use super::*;
use crate::parser::ParserBuffers;
use crate::{Model, Parse, Word};

/// Sentences whose trees follow from the tags.
fn treebank() -> Treebank {
    let word = |form, upos, head, label| Word {
        form,
        upos,
        head,
        label,
        ..Word::default()
    };
    let mut treebank = Treebank::default();
    for (subject, verb, object) in [
        ("dogs", "chase", "cats"),
        ("cats", "see", "dogs"),
        ("we", "feed", "them"),
    ] {
        treebank.push([
            word(subject, "NOUN", 2, "nsubj"),
            word(verb, "VERB", 0, "root"),
            word("the", "DET", 4, "det"),
            word(object, "NOUN", 2, "obj"),
        ]);
    }
    treebank
}

fn fit(max_weights: usize, models: usize) -> Parser {
    fit_and_record(max_weights, models).0
}

/// Returns the parser, the (model, pass) of each call of the callback, and the largest number of passes that select.
fn fit_and_record(max_weights: usize, models: usize) -> (Parser, Vec<(usize, usize)>, usize) {
    let passes = Passes {
        epochs: 8,
        seed: Some(1),
        models,
        watch: || false,
    };
    let options = ParserOptions {
        max_weights,
        prune: 0.0,
        ..ParserOptions::default()
    };
    let mut calls = Vec::new();
    let after = |state: Epoch, _: &ParserTrainer| {
        calls.push((state.model, state.epoch));
        Ok(Next::Continue)
    };
    let parser = fit_parser(&treebank(), &options, passes, after).unwrap();
    (parser, calls, selection_passes(&options, passes))
}

/// Returns the bytes of a model file with this parser.
fn bytes(parser: Parser) -> Vec<u8> {
    let parser = Some(parser.into());
    let model = Model {
        parser,
        ..Model::default()
    };
    model.to_bytes().unwrap()
}

#[test]
fn parsers_have_a_maximum_number_of_weights() {
    // Every feature has at least one weight.
    let all = fit(0, 3).len();
    for limit in [all / 2, all / 4] {
        let parser = fit(limit, 3);
        assert!((1..=limit).contains(&parser.len()), "{limit} of {all}");
    }
    // A limit that is not reached changes nothing.
    assert_eq!(bytes(fit(1_000_000, 3)), bytes(fit(0, 3)));
}

#[test]
fn selected_weights_learn_to_do_without_the_others() {
    // So few that a parser that learnt with all weights and lost the others is wrong.
    let parser = fit(16, 1);
    assert!(parser.len() < fit(0, 1).len() / 2);
    let tags: (&[&str], &[&str]) = (&[], &["NOUN", "VERB", "DET", "NOUN"]);
    let sentence = Sentence {
        words: &["dogs", "chase", "the", "cats"],
        tags: Some(tags),
        root_tag: None,
    };
    let mut parse = Parse::default();
    parser.parse(&sentence, &mut ParserBuffers::default(), &mut parse);
    assert_eq!(parse.heads, [2, 0, 4, 2]);
}

/// The calls for the passes of models that are not selecting.
fn calls_of_models(models: usize) -> Vec<(usize, usize)> {
    let passes = |model| (1..=8).map(move |epoch| (model, epoch));
    (1..=models).flat_map(passes).collect()
}

#[test]
fn passes_that_select_are_reported_as_model_0() {
    let all = fit(0, 1).len();
    let (_, calls, selection) = fit_and_record(all / 2, 4);
    assert_eq!(selection, 18);
    let selecting = (1..=selection).map(|epoch| (0, epoch));
    let expected: Vec<_> = selecting.chain(calls_of_models(4)).collect();
    assert_eq!(calls, expected);
}

#[test]
fn one_model_within_the_limit_ends_the_selection() {
    let (_, calls, _) = fit_and_record(1_000_000, 4);
    let expected: Vec<_> = (1..=6)
        .map(|epoch| (0, epoch))
        .chain(calls_of_models(4))
        .collect();
    assert_eq!(calls, expected);
    let (_, calls, selection) = fit_and_record(0, 4);
    assert_eq!((calls, selection), (calls_of_models(4), 0));
}
