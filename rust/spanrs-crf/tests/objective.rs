//! Compares the objective with enumeration, and its gradient with finite differences.
#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use proptest::prelude::*;
use spanrs_crf::{Corpus, Counts, FeatureSelection, Features, Objective, Target, TokenVectors};

const LABELS: usize = 3;
const ATTRIBUTES: usize = 5;
const COLUMNS: usize = 3;
/// By label.
const CLASS_WEIGHTS: [f64; LABELS] = [1.0, 0.25, 3.0];

type Token = (Vec<(u32, f64)>, u32, Vec<f64>, Vec<bool>);
/// Tokens, which target, weight.
type Sequence = (Vec<Token>, u8, f64);

fn sequences() -> impl Strategy<Value = Vec<Sequence>> {
    let items = prop::collection::vec((0..ATTRIBUTES as u32, -2.0..2.0), 0..4);
    let shares = prop::collection::vec(0.01..1.0, LABELS);
    let allowed = prop::collection::vec(any::<bool>(), LABELS);
    let token = (items, 0..LABELS as u32, shares, allowed);
    let tokens = prop::collection::vec(token, 0..4);
    prop::collection::vec((tokens, 0..4_u8, 0.0..3.0), 1..6)
}

/// What tokens and labels have beside attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beside {
    Nothing,
    Vectors { sparse: bool },
    ClassWeights,
    All,
}

fn beside() -> impl Strategy<Value = Beside> {
    prop_oneof![
        Just(Beside::Nothing),
        any::<bool>().prop_map(|sparse| Beside::Vectors { sparse }),
        Just(Beside::ClassWeights),
        Just(Beside::All),
    ]
}

fn corpus(sequences: &[Sequence], beside: Beside) -> Corpus {
    let mut corpus = Corpus::new(LABELS, ATTRIBUTES);
    for (tokens, kind, weight) in sequences {
        for (items, ..) in tokens {
            corpus.token(items.iter().copied()).unwrap();
        }
        let values: Vec<f32> = tokens.iter().flat_map(vector).collect();
        let columns: Vec<u32> = (0..tokens.len()).flat_map(|_| 0..COLUMNS as u32).collect();
        let ends: Vec<usize> = (1..=tokens.len()).map(|token| token * COLUMNS).collect();
        let vectors = match beside {
            Beside::Vectors { sparse: true } => Some(TokenVectors::Sparse {
                dimension: COLUMNS,
                ends: &ends,
                columns: &columns,
                values: &values,
            }),
            Beside::Vectors { sparse: false } | Beside::All => Some(TokenVectors::Full {
                dimension: COLUMNS,
                values: &values,
            }),
            Beside::Nothing | Beside::ClassWeights => None,
        };
        if let Some(vectors) = vectors {
            corpus.push_vectors(vectors).unwrap();
        }
        corpus.end_sequence(target(tokens, *kind), *weight).unwrap();
    }
    if matches!(beside, Beside::ClassWeights | Beside::All) {
        corpus.set_class_weights(&CLASS_WEIGHTS).unwrap();
    }
    corpus
}

/// The vector of a token.
fn vector((items, label, shares, _): &Token) -> [f32; COLUMNS] {
    let shares = (shares[0] * 64.0).round() as f32 / 32.0;
    [*label as f32 - 1.0, shares - 1.0, items.len() as f32 / 2.0]
}

/// The label of a token, if its target leaves no other.
fn certain(target: &Target, token: usize) -> Option<usize> {
    match target {
        Target::Labels(known) => Some(known[token] as usize),
        Target::Partial(allowed) => {
            let row = &allowed[token * LABELS..][..LABELS];
            let first = row.iter().position(|allowed| *allowed);
            first.filter(|_| row.iter().filter(|allowed| **allowed).count() == 1)
        }
        Target::Soft(_) | Target::Counts(_) => None,
    }
}

fn target(tokens: &[Token], kind: u8) -> Target {
    match kind {
        0 => Target::Labels(tokens.iter().map(|token| token.1).collect()),
        1 => Target::Soft(
            tokens
                .iter()
                .flat_map(|(_, _, shares, _)| {
                    let sum: f64 = shares.iter().sum();
                    shares.iter().map(move |share| share / sum)
                })
                .collect(),
        ),
        2 => {
            let labellings = labellings(tokens);
            let weighted = labellings
                .iter()
                .map(|(weight, labels)| (*weight, &labels[..]));
            Target::Counts(Counts::of(LABELS, tokens.len(), weighted).unwrap())
        }
        _ => Target::Partial(
            tokens
                .iter()
                .flat_map(|(_, label, _, allowed)| {
                    (0..)
                        .zip(allowed)
                        .map(|(at, allowed)| *allowed || at == *label)
                })
                .collect(),
        ),
    }
}

/// Three labellings with weights; two are equal.
fn labellings(tokens: &[Token]) -> Vec<(f64, Vec<u32>)> {
    let shifted = |by: u32| {
        tokens
            .iter()
            .map(|token| (token.1 + by) % LABELS as u32)
            .collect()
    };
    vec![(0.75, shifted(0)), (1.5, shifted(1)), (0.25, shifted(0))]
}

fn weights(features: &Features, seed: u64) -> Vec<f64> {
    let places = 0..features.len() as u64;
    places
        // Multiples of 1/1024, which a 32-bit float represents exactly.
        .map(|at| ((at * 7919 + seed * 104_729) % 2003) as f64 / 1024.0 - 1.0)
        .collect()
}

/// The negative log-likelihood by definition, over all labellings.
fn by_definition(
    (corpus, sequences, beside): (&Corpus, &[Sequence], Beside),
    features: &Features,
    weights: &[f64],
) -> f64 {
    let mut loss = 0.0;
    for (at, (own, ..)) in sequences.iter().enumerate() {
        let tokens: Vec<usize> = corpus.sequence(at).collect();
        // For every labelling: the exponential of its score, and its weight in the target.
        let (mut all, mut observed, mut allowed) = (0.0, 0.0, 0.0);
        for number in 0..LABELS.pow(tokens.len() as u32) {
            let labels: Vec<usize> = (0..tokens.len())
                .map(|t| number / LABELS.pow(t as u32) % LABELS)
                .collect();
            let mut score = score(corpus, features, weights, &tokens, &labels);
            for (token, &label) in labels.iter().enumerate() {
                if features.dimension() > 0 {
                    let first = features.vector_weights().start + label;
                    let vector = vector(&own[token]).into_iter().enumerate();
                    let products = vector.map(|(d, x)| f64::from(x) * weights[first + d * LABELS]);
                    score += products.sum::<f64>();
                }
                let weighted = matches!(beside, Beside::ClassWeights | Beside::All);
                if weighted && certain(corpus.target(at), token) == Some(label) {
                    score -= CLASS_WEIGHTS[label].ln();
                }
            }
            all += score.exp();
            let share = share(corpus.target(at), &labels);
            observed += share * score;
            allowed += share * score.exp();
        }
        let (total, observed) = match corpus.target(at) {
            Target::Partial(_) => (1.0, allowed.ln()),
            Target::Counts(_) => (2.5, observed),
            _ => (1.0, observed),
        };
        loss += corpus.weight(at) * (total * all.ln() - observed);
    }
    loss
}

/// Score of a labelling: the sum of the weights of its features.
fn score(
    corpus: &Corpus,
    features: &Features,
    weights: &[f64],
    tokens: &[usize],
    labels: &[usize],
) -> f64 {
    let state = |(&token, &label): (&usize, &usize)| -> f64 {
        let item = |(attribute, value): (u32, f64)| {
            let (start, with_weight) = features.state(attribute as usize);
            let place = with_weight.iter().position(|&of| of as usize == label);
            place.map_or(0.0, |place| value * weights[start + place])
        };
        corpus.items(token).map(item).sum()
    };
    let (first, pairs) = features.pairs();
    let pair = |pair: &[usize]| {
        let wanted = pair[0] * LABELS + pair[1];
        let place = pairs.iter().position(|&pair| pair as usize == wanted);
        place.map_or(0.0, |place| weights[first + place])
    };
    let states: f64 = tokens.iter().zip(labels).map(state).sum();
    states + labels.windows(2).map(pair).sum::<f64>()
}

/// The weight of a labelling in a target.
fn share(target: &Target, labels: &[usize]) -> f64 {
    let product = |row: &dyn Fn(usize) -> f64| -> f64 {
        let places = labels.iter().enumerate();
        places.map(|(t, label)| row(t * LABELS + label)).product()
    };
    let equals = |gold: &[u32], by: u32| {
        let gold = gold.iter().map(|label| (label + by) as usize % LABELS);
        f64::from(u8::from(gold.eq(labels.iter().copied())))
    };
    match target {
        Target::Labels(gold) => equals(gold, 0),
        Target::Soft(rows) => product(&|place| rows[place]),
        Target::Partial(rows) => product(&|place| f64::from(u8::from(rows[place]))),
        // The weights of `labellings`.
        Target::Counts(counts) => {
            let rows = counts.labels().chunks(LABELS);
            let first: Vec<u32> = rows
                .map(|row| (0..LABELS).find(|&at| row[at] == 1.0).unwrap() as u32)
                .collect();
            equals(&first, 0) + 1.5 * equals(&first, 1)
        }
    }
}

fn evaluate(
    corpus: &Corpus,
    features: &Features,
    weights: &[f64],
    c2: f64,
    threads: usize,
    exact: bool,
) -> (f64, Vec<f64>) {
    let mut gradient = vec![f64::NAN; weights.len()];
    let mut objective = Objective::new(corpus, features, c2, threads).unwrap();
    objective.set_exact(exact);
    // State of an earlier evaluation must not affect this evaluation.
    objective
        .evaluate(&vec![0.5; weights.len()], &mut gradient)
        .unwrap();
    let loss = objective.evaluate(weights, &mut gradient).unwrap();
    (loss, gradient)
}

proptest! {
    #[test]
    fn objective_and_gradient_are_those_of_the_definition(
        sequences in sequences(), all_states: bool, all_transitions: bool, seed in 0..100_u64, c2 in 0.0..1.0,
        beside in beside(),
    ) {
        let corpus = corpus(&sequences, beside);
        let features = Features::of(&corpus, FeatureSelection { all_states, all_transitions, ..FeatureSelection::default() });
        let weights = weights(&features, seed);
        let (loss, gradient) = evaluate(&corpus, &features, &weights, c2, 1, true);
        let (rounded_loss, rounded_gradient) = evaluate(&corpus, &features, &weights, c2, 1, false);
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        let definition = by_definition((&corpus, &sequences, beside), &features, &weights);
        let expected = definition + c2 * squares;
        prop_assert!((loss - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{} {}", loss, expected);
        prop_assert!((rounded_loss - loss).abs() <= 1e-5 * loss.abs().max(1.0), "{} {}", rounded_loss, loss);
        for at in 0..weights.len() {
            let step = 1.0 / 65536.0;
            let [above, below] = [step, -step].map(|step| {
                let mut moved = weights.clone();
                moved[at] += step;
                evaluate(&corpus, &features, &moved, c2, 1, true).0
            });
            let slope = (above - below) / (2.0 * step);
            for gradient in [&gradient, &rounded_gradient] {
                prop_assert!((gradient[at] - slope).abs() <= 1e-5 * slope.abs().max(1.0), "{} {}", gradient[at], slope);
            }
        }
    }

    #[test]
    fn threads_change_nothing(sequences in sequences(), seed in 0..100_u64, beside in beside()) {
        let many: Vec<Sequence> = sequences.iter().cycle().take(sequences.len() * 300).cloned().collect();
        let corpus = corpus(&many, beside);
        let features = Features::of(&corpus, FeatureSelection::default());
        let weights = weights(&features, seed);
        let one = evaluate(&corpus, &features, &weights, 0.1, 1, false);
        for threads in [2, 3, 40] {
            prop_assert_eq!(&evaluate(&corpus, &features, &weights, 0.1, threads, false), &one);
        }
    }

    #[test]
    fn a_sequence_of_weight_two_is_two_sequences(sequences in sequences(), seed in 0..100_u64) {
        let mut weighed = sequences.clone();
        let mut doubled = sequences.clone();
        weighed[0].2 = 2.0;
        doubled[0].2 = 1.0;
        doubled.push(doubled[0].clone());
        let [(a, x), (b, y)] = [weighed, doubled].map(|sequences| {
            let corpus = corpus(&sequences, Beside::All);
            let features = Features::of(&corpus, FeatureSelection::default());
            evaluate(&corpus, &features, &weights(&features, seed), 0.0, 1, true)
        });
        prop_assert!((a - b).abs() < 1e-9);
        prop_assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-5));
    }
}

#[test]
fn what_cannot_be_trained_on_is_refused() {
    let mut corpus = Corpus::new(2, 1);
    assert!(corpus.token([(0, f64::NAN)]).is_err());
    corpus.token([(0, 1.0)]).unwrap();
    assert!(corpus.end_sequence(Target::Labels(vec![2]), 1.0).is_err());
    assert_eq!(corpus.tokens(), 0);
    for (target, weight) in [
        (Target::Labels(vec![0]), f64::NAN),
        (Target::Labels(vec![0]), -1.0),
        (Target::Labels(vec![]), 1.0),
        (Target::Soft(vec![0.5, 0.6]), 1.0),
        (Target::Soft(vec![f64::NAN, 1.0]), 1.0),
        (Target::Partial(vec![false, false]), 1.0),
    ] {
        corpus.token([(0, 1.0)]).unwrap();
        assert!(corpus.end_sequence(target, weight).is_err());
    }
    assert_eq!((corpus.sequences(), corpus.tokens()), (0, 0));
    corpus.token([(0, 1.0)]).unwrap();
    corpus.end_sequence(Target::Labels(vec![1]), 1.0).unwrap();
    let features = Features::of(&corpus, FeatureSelection::default());
    let mut gradient = vec![0.0; features.len()];
    let mut objective = Objective::new(&corpus, &features, 1.0, 1).unwrap();
    assert!(objective.evaluate(&[f64::NAN], &mut gradient).is_err());
    assert!(objective.evaluate(&[0.0; 2], &mut gradient).is_err());
    assert!(objective.evaluate(&[0.0], &mut [0.0; 2]).is_err());
    let other = Corpus::new(3, 1);
    assert!(Objective::new(&other, &features, 1.0, 1).is_err());
    let mut unlabelled = Corpus::new(0, 1);
    for target in [
        Target::Labels(vec![]),
        Target::Soft(vec![]),
        Target::Partial(vec![]),
    ] {
        unlabelled.token([(0, 1.0)]).unwrap();
        assert!(unlabelled.end_sequence(target, 1.0).is_err());
    }
}
