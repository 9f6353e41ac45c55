//! Corpora whose items are in a temporary file give the results of corpora in memory.
#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use std::path::Path;

use proptest::prelude::*;
use spanrs_crf::{
    Algorithm, Corpus, Error, FeatureSelection, Features, Lbfgs, Objective, Online, Sdca, Target,
    TokenVectors, Update, train,
};

const LABELS: usize = 3;
const ATTRIBUTES: usize = 12;

/// What the tokens of a corpus have.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Whether values are other than 1.
    valued: bool,
    /// Number of columns of their vectors.
    dimension: usize,
    sparse: bool,
    /// Labels, distributions or sets of allowed labels.
    targets: u8,
    class_weights: bool,
}

fn kinds() -> impl Strategy<Value = Kind> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (flags, 0..3_usize, 0..3_u8).prop_map(
        |((valued, sparse, class_weights), dimension, targets)| Kind {
            valued,
            dimension,
            sparse,
            targets,
            class_weights,
        },
    )
}

/// The same sequences in any corpus.
fn filled(mut corpus: Corpus, kind: Kind, sequences: usize, seed: u64) -> Corpus {
    let mut random = spanrs_base::Rng::new(seed);
    for _ in 0..sequences {
        let tokens = random.below(40);
        let mut labels = Vec::new();
        let (mut values, mut columns, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..tokens {
            let label = random.below(LABELS as u64) as u32;
            labels.push(label);
            let items: Vec<(u32, f64)> = (0..random.below(5))
                .map(|_| {
                    let attribute = random.below(ATTRIBUTES as u64 - 3) as u32 + label;
                    let value = if kind.valued {
                        random.below(5) as f64 / 2.0
                    } else {
                        1.0
                    };
                    (attribute, value)
                })
                .collect();
            corpus.token(items).unwrap();
            for column in 0..kind.dimension as u32 {
                values.push(random.below(9) as f32 / 4.0 - 1.0);
                columns.push(column);
            }
            ends.push(values.len());
        }
        let dimension = kind.dimension;
        if dimension > 0 {
            let vectors = match kind.sparse {
                true => TokenVectors::Sparse {
                    dimension,
                    ends: &ends,
                    columns: &columns,
                    values: &values,
                },
                false => TokenVectors::Full {
                    dimension,
                    values: &values,
                },
            };
            corpus.push_vectors(vectors).unwrap();
        }
        let weight = 0.5 * random.below(4) as f64;
        corpus
            .end_sequence(target(labels, kind.targets), weight)
            .unwrap();
    }
    if kind.class_weights {
        corpus.set_class_weights(&[0.5, 1.0, 2.0]).unwrap();
    }
    corpus
}

/// A target that allows the labels.
fn target(labels: Vec<u32>, kind: u8) -> Target {
    let rows = labels.iter().flat_map(|label| {
        (0..LABELS as u32).map(move |other| (*label == other, (label + 1) % 3 == other))
    });
    match kind {
        0 => Target::Labels(labels),
        1 => Target::Soft(
            rows.map(|(right, next)| match (right, next) {
                (true, _) => 0.75,
                (_, true) => 0.25,
                _ => 0.0,
            })
            .collect(),
        ),
        _ => Target::Partial(rows.map(|(right, next)| right || next).collect()),
    }
}

fn empty() -> Corpus {
    Corpus::new(LABELS, ATTRIBUTES)
}

fn spilled(bytes: usize) -> Corpus {
    empty().spilled_above(bytes, &std::env::temp_dir(), || false)
}

fn trained(corpus: Corpus, algorithm: &Algorithm, threads: usize) -> (Vec<f64>, Vec<u64>) {
    let features = Features::read(&corpus, FeatureSelection::default()).unwrap();
    let (mut weights, mut losses) = (vec![0.0; features.len()], Vec::new());
    let after = |state: spanrs_crf::Iteration, _: &[f64]| {
        losses.push(state.loss.to_bits());
        Ok(state.iteration < 30)
    };
    train(
        corpus,
        &features,
        algorithm,
        threads,
        &mut weights,
        || false,
        after,
    )
    .unwrap();
    (weights, losses)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn objectives_are_equal(kind in kinds(), sequences in 1..120_usize, seed in 0..1000_u64) {
        let memory = filled(empty(), kind, sequences, seed);
        let file = filled(spilled(0), kind, sequences, seed);
        prop_assert_eq!(file.is_spilled(), memory.tokens() > 0);
        prop_assert_eq!((file.tokens(), file.sequences()), (memory.tokens(), memory.sequences()));
        for min_frequency in [0.0, 2.0] {
            let selection = FeatureSelection { min_frequency, min_attribute_frequency: min_frequency, ..Default::default() };
            let features = Features::read(&file, selection).unwrap();
            prop_assert_eq!(&features, &Features::of(&memory, selection));
            let weights: Vec<f64> = (0..features.len()).map(|at| (at % 7) as f64 / 8.0 - 0.4).collect();
            let evaluate = |corpus: &Corpus, threads: usize| {
                let mut gradient = vec![0.0; features.len()];
                let mut objective = Objective::new(corpus, &features, 0.1, threads).unwrap();
                let loss = objective.evaluate(&weights, &mut gradient).unwrap();
                objective.set_exact(true);
                (loss, gradient.clone(), objective.evaluate(&weights, &mut gradient).unwrap(), gradient)
            };
            let expected = evaluate(&memory, 1);
            for threads in [1, 2, 5] {
                prop_assert_eq!(&evaluate(&file, threads), &expected);
            }
        }
    }

    #[test]
    fn trained_weights_are_equal(kind in kinds(), sequences in 1..120_usize, seed in 0..1000_u64) {
        for algorithm in [
            Algorithm::Lbfgs { options: Lbfgs::default(), c2: 0.1 },
            Algorithm::Lbfgs { options: Lbfgs { c1: 0.2, ..Lbfgs::default() }, c2: 0.1 },
            Algorithm::Sdca(Sdca::default()),
        ] {
            let expected = trained(filled(empty(), kind, sequences, seed), &algorithm, 1);
            for (bytes, threads) in [(0, 1), (0, 2), (1000, 1)] {
                let file = filled(spilled(bytes), kind, sequences, seed);
                prop_assert_eq!(&trained(file, &algorithm, threads), &expected);
            }
        }
    }
}

#[test]
fn small_corpora_remain_in_memory() {
    let kind = Kind {
        valued: false,
        dimension: 0,
        sparse: false,
        targets: 0,
        class_weights: false,
    };
    assert!(!filled(spilled(1 << 20), kind, 50, 1).is_spilled());
    assert!(filled(spilled(1 << 10), kind, 50, 1).is_spilled());
}

#[test]
fn what_needs_memory_is_refused() {
    let kind = Kind {
        valued: true,
        dimension: 0,
        sparse: false,
        targets: 0,
        class_weights: false,
    };
    let corpus = filled(spilled(0), kind, 20, 1);
    let features = Features::read(&corpus, FeatureSelection::default()).unwrap();
    let mut weights = vec![0.0; features.len()];
    let online = Algorithm::Online(Online {
        update: Update::Perceptron,
        max_iterations: 3,
        epsilon: 0.0,
        seed: 1,
    });
    let refused = train(
        &corpus,
        &features,
        &online,
        1,
        &mut weights,
        || false,
        |_, _| Ok(true),
    );
    assert!(matches!(refused, Err(Error::Option(_))));
    let mut nowhere = empty().spilled_above(0, Path::new("no/such/directory"), || false);
    nowhere.token([(0, 1.0)]).unwrap();
    let refused = nowhere.end_sequence(Target::Labels(vec![0]), 1.0);
    assert!(matches!(refused, Err(Error::Spill(_))), "{refused:?}");
}
