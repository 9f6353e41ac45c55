//! The beam search against the greedy parser and brute force, and its training.

use proptest::prelude::*;
use spanrs_base::Rng;

use super::*;
use crate::arc_hybrid::State;
use crate::parser::ParserFeatures;
use crate::parser::{Parser, ParserBuffers, ParserOptions, ParserTrainer};
use crate::sentence::{ROOT, Sentence};
use crate::weights::MAX_CLASSES;
use crate::{Error, Model, Parse};

/// Words, heads and labels.
type Tree = (Vec<&'static str>, Vec<u32>, Vec<u32>);

/// Returns a random projective tree with a single root: the result of random moves.
fn random_tree(words: usize, labels: u64, rng: &mut Rng) -> Tree {
    const FORMS: [&str; 5] = ["a", "b", "c", "d", "e"];
    let forms = (0..words).map(|_| FORMS[rng.below(5) as usize]).collect();
    let mut state = State::default();
    state.start(words, true);
    while !state.is_final() {
        let moves = [Move::Shift, Move::Right, Move::Left];
        let valid: Vec<Move> = moves
            .into_iter()
            .filter(|&one| state.is_valid(one))
            .collect();
        state.apply(
            valid[rng.below(valid.len() as u64) as usize],
            rng.below(labels) as u32,
        );
    }
    (
        forms,
        state.conll_heads().collect(),
        state.labels[1..=words].to_vec(),
    )
}

fn trainer(labels: u32, beam: usize) -> ParserTrainer {
    let names = (0..labels).map(|label| format!("label{label}")).collect();
    let arcs = (0..labels).flat_map(|label| [(label, false, false), (label, true, false)]);
    let options = ParserOptions {
        beam,
        templates: Some(
            "S0.w N0.w\nS1.w S0.w\nN1.w\nS0l.l S0vr\nS1r.w d0n\nN0sl d01\nS1r2.w\nN0ll.l\n".into(),
        ),
        ..ParserOptions::default()
    };
    ParserTrainer::new(names, arcs, &options).unwrap()
}

fn sentence<'a>(words: &'a [&'a str]) -> Sentence<'a> {
    Sentence {
        words,
        tags: None,
        root_tag: None,
    }
}

/// Returns a greedy parser with weights from random trees.
fn random_parser(labels: u32, rng: &mut Rng) -> Parser {
    let mut trainer = trainer(labels, 1);
    for _ in 0..20 {
        let words = 1 + rng.below(7) as usize;
        let (words, heads, labels) = random_tree(words, u64::from(labels), rng);
        trainer.train_one(&sentence(&words), &heads, &labels, true);
    }
    trainer.finish(trainer.averages()).unwrap()
}

/// Returns the classes that a beam search chooses, and their score.
fn search(parser: &Parser, words: &[&str], width: usize) -> (Vec<u32>, i64) {
    let mut parser = parser.clone();
    parser.setup.beam = width;
    let mut buffers = ParserBuffers::default();
    parser.start([(sentence(words).tokens(), ROOT)], &mut buffers);
    let ParserFeatures::Templates(templates) = &parser.setup.features else {
        unreachable!()
    };
    parser.run_beam(templates, &mut buffers);
    (buffers.classes, buffers.search.best_score())
}

/// Returns the greatest score of all sequences of moves from a state.
fn brute_force(parser: &Parser, state: &State, tokens: &Tokens) -> i64 {
    if state.is_final() {
        return 0;
    }
    let mut lookup = Lookup::default();
    let setup = &parser.setup;
    setup.extract(
        state,
        tokens,
        &mut TemplateBuffers::default(),
        &mut lookup.features,
    );
    parser.weights.prefetch(&mut lookup);
    parser.weights.find(&mut lookup);
    let mut scores = [0; MAX_CLASSES];
    let scores = parser.weights.sums(&lookup, &mut scores);
    let sequences = setup
        .ranges_of(setup.allowed(state))
        .flatten()
        .map(|class| {
            let mut next = state.clone();
            setup.apply_all(&mut next, &[class as u32]);
            i64::from(scores[class]) + brute_force(parser, &next, tokens)
        });
    sequences.max().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_beam_of_one_is_the_greedy_parser(seed in any::<u64>(), words in 0_usize..12) {
        let mut rng = Rng::new(seed);
        let parser = random_parser(3, &mut rng);
        let (words, ..) = random_tree(words, 3, &mut rng);
        let mut greedy = Parse::default();
        parser.parse(&sentence(&words), &mut ParserBuffers::default(), &mut greedy);
        let mut state = State::default();
        state.start(words.len(), true);
        parser.setup.apply_all(&mut state, &search(&parser, &words, 1).0);
        prop_assert!(state.is_final());
        prop_assert_eq!(state.conll_heads().collect::<Vec<_>>(), greedy.heads);
        prop_assert_eq!(&state.labels[1..=words.len()], &greedy.labels[..]);
    }

    #[test]
    fn a_beam_without_limit_finds_the_best_sequence(seed in any::<u64>(), words in 1_usize..=4) {
        let mut rng = Rng::new(seed);
        let parser = random_parser(2, &mut rng);
        let (words, ..) = random_tree(words, 2, &mut rng);
        let mut buffers = ParserBuffers::default();
        parser.start([(sentence(&words).tokens(), ROOT)], &mut buffers);
        let start = &buffers.group.sentences()[0];
        let best = brute_force(&parser, &start.state, &start.tokens);
        prop_assert_eq!(search(&parser, &words, 100_000).1, best);
        prop_assert!(search(&parser, &words, 1).1 <= best);
    }
}

#[test]
fn long_sentences_and_files() {
    let mut rng = Rng::new(7);
    let mut trainer = trainer(2, 4);
    let names: Vec<String> = ('a'..='z').map(String::from).collect();
    let mut names = names.iter().map(String::as_str);
    // All words differ, so that the gold sequences can be learnt.
    let trees: Vec<_> = (2..7)
        .map(|words| {
            let (_, heads, labels) = random_tree(words, 2, &mut rng);
            let words: Vec<&str> = names.by_ref().take(words).collect();
            (words, heads, labels)
        })
        .collect();
    let mut correct = 0;
    for _ in 0..200 {
        let learn = |(words, heads, labels): &(Vec<&str>, Vec<u32>, Vec<u32>)| {
            trainer.train_one(&sentence(words), heads, labels, true).1
        };
        correct = trees.iter().map(learn).sum();
    }
    let words: usize = trees.iter().map(|tree| tree.0.len()).sum();
    assert_eq!(correct, words, "the sentences are learnt");

    let parser = trainer.finish(trainer.averages()).unwrap();
    let model = Model {
        parser: Some(parser.into()),
        ..Model::default()
    };
    let bytes = model.to_bytes().unwrap();
    let again = Model::from_bytes(&bytes).unwrap().parser.unwrap();
    assert_eq!(again.beam(), 4);
    // Memory is shared between items; a copy of the state for each item would take minutes.
    let (words, ..) = random_tree(20_000, 2, &mut rng);
    let parses = [model.parser.as_ref().unwrap(), &again].map(|parser| {
        let mut parse = Parse::default();
        parser.parse(&sentence(&words), &mut ParserBuffers::default(), &mut parse);
        parse
    });
    assert_eq!(parses[0], parses[1]);
    assert_eq!(
        crate::check_tree(&parses[0].heads, crate::Roots::One),
        Ok(())
    );
}

#[test]
fn widths_have_limits() {
    for (beam, templates) in [
        (0, Some("S0.w\n".to_owned())),
        (65, Some("S0.w\n".to_owned())),
        (2, None),
    ] {
        let options = ParserOptions {
            beam,
            templates,
            ..ParserOptions::default()
        };
        let trainer = ParserTrainer::new(Vec::new(), std::iter::empty(), &options);
        assert!(matches!(trainer, Err(Error::Training(message)) if message.starts_with("beam")));
    }
}
