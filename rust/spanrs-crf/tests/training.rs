//! Optimisers and training algorithms.
#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use spanrs_crf::{
    Algorithm, Corpus, Decoder, Error, FeatureSelection, Features, Iteration, Lbfgs, Objective,
    Online, Sdca, Sgd, Slack, Stop, Target, Update, train,
};

/// Sequences whose labels are determined by the attribute and the previous label.
fn corpus() -> Corpus {
    let mut corpus = Corpus::new(3, 12);
    let mut state = 7_u64;
    for _ in 0..60 {
        let mut labels = Vec::new();
        for token in 0..6 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let word = (state >> 33) as u32 % 10;
            corpus.token([(word, 1.0), (10 + word % 2, 0.5)]).unwrap();
            let before = labels.last().copied().unwrap_or(0);
            labels.push(if word < 5 {
                word % 3
            } else {
                (before + token) % 3
            });
        }
        corpus.end_sequence(Target::Labels(labels), 1.0).unwrap();
    }
    corpus
}

fn lbfgs(c1: f64, c2: f64) -> Algorithm {
    let options = exact(c1);
    Algorithm::Lbfgs { options, c2 }
}

fn exact(c1: f64) -> Lbfgs {
    Lbfgs {
        c1,
        epsilon: 1e-7,
        delta: 0.0,
        ..Lbfgs::default()
    }
}

fn sgd(c2: f64) -> Sgd {
    Sgd {
        c2,
        max_iterations: 60,
        period: 10,
        delta: 1e-6,
        eta: 0.1,
        rate: 2.0,
        samples: 60,
        candidates: 10,
        max_trials: 20,
        seed: 1,
    }
}

fn online(update: Update) -> Online {
    Online {
        update,
        max_iterations: 30,
        epsilon: 0.0,
        seed: 3,
    }
}

/// Features with all transitions.
fn features(corpus: &Corpus) -> Features {
    let choice = FeatureSelection {
        all_transitions: true,
        ..FeatureSelection::default()
    };
    Features::of(corpus, choice)
}

/// Trains in one thread until training stops; also returns the last loss.
fn train_to_end(
    corpus: &Corpus,
    features: &Features,
    algorithm: &Algorithm,
    weights: &mut [f64],
) -> spanrs_crf::Result<(f64, Stop)> {
    let mut loss = f64::INFINITY;
    let after = |state: Iteration, _: &[f64]| {
        loss = state.loss;
        Ok(true)
    };
    let stop = train(corpus, features, algorithm, 1, weights, || false, after)?;
    Ok((loss, stop))
}

fn fit(corpus: &Corpus, algorithm: &Algorithm) -> (Vec<f64>, f64, Stop) {
    let features = features(corpus);
    let mut weights = vec![0.0; features.len()];
    let (loss, stop) = train_to_end(corpus, &features, algorithm, &mut weights).unwrap();
    (weights, loss, stop)
}

/// The objective without the L1 penalty, and its gradient.
fn objective(corpus: &Corpus, features: &Features, c2: f64, weights: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; weights.len()];
    let mut objective = Objective::new(corpus, features, c2, 1).unwrap();
    (
        objective.evaluate(weights, &mut gradient).unwrap(),
        gradient,
    )
}

fn accuracy(corpus: &Corpus, weights: &[f64]) -> f64 {
    let features = features(corpus);
    let mut decoder = Decoder::of(&features, weights, None).unwrap();
    let mut right = 0;
    for at in 0..corpus.sequences() {
        decoder.read(corpus.inputs(), at);
        let Target::Labels(known) = corpus.target(at) else {
            unreachable!()
        };
        let pred = decoder.best().unwrap();
        right += pred
            .iter()
            .zip(known)
            .filter(|(a, b)| **a == **b as usize)
            .count();
    }
    right as f64 / corpus.tokens() as f64
}

#[test]
fn lbfgs_reaches_the_same_minimum_from_everywhere() {
    let corpus = corpus();
    let (_, loss, stop) = fit(&corpus, &lbfgs(0.0, 0.5));
    // The tolerances are below the rounding errors of derivatives.
    let stops = [Stop::Converged, Stop::Delta, Stop::LineSearch];
    assert!(stops.contains(&stop), "{stop:?}");
    let features = features(&corpus);
    let mut weights: Vec<f64> = (0..features.len())
        .map(|at| (at % 5) as f64 - 2.0)
        .collect();
    let (other, _) = train_to_end(&corpus, &features, &lbfgs(0.0, 0.5), &mut weights).unwrap();
    assert!((loss - other).abs() < 1e-6 * loss, "{loss} {other}");
}

#[test]
fn an_l1_penalty_makes_weights_zero_and_meets_its_conditions() {
    let corpus = corpus();
    let (c1, c2) = (2.0, 0.1);
    let sdca = |max_iterations| {
        Algorithm::Sdca(Sdca {
            c2,
            finish: Lbfgs {
                max_iterations,
                ..exact(c1)
            },
            ..Sdca::default()
        })
    };
    for algorithm in [lbfgs(c1, c2), sdca(usize::MAX)] {
        let (weights, ..) = fit(&corpus, &algorithm);
        let (_, gradient) = objective(&corpus, &features(&corpus), c2, &weights);
        let zeros = weights.iter().filter(|weight| **weight == 0.0).count();
        assert!(zeros > 0 && zeros < weights.len(), "{zeros}");
        for (weight, slope) in weights.iter().zip(&gradient) {
            // The subgradient contains 0 at the minimum.
            match *weight == 0.0 {
                true => assert!(slope.abs() <= c1 + 4e-3),
                false => assert!((slope + c1 * weight.signum()).abs() < 4e-3),
            }
        }
    }
    // A few iterations begin at weights of 0, so that their result is sparse too.
    for most in [1, 3, 40] {
        let Algorithm::Sdca(sdca) = sdca(most) else {
            unreachable!()
        };
        let options = sdca.finish;
        let (weights, loss, stop) = fit(&corpus, &Algorithm::Sdca(sdca));
        assert_eq!(
            (weights, loss, stop),
            fit(&corpus, &Algorithm::Lbfgs { options, c2 })
        );
    }
}

#[test]
fn all_algorithms_learn_and_repeat() {
    let corpus = corpus();
    let pa = |slack| Update::PassiveAggressive {
        slack,
        error_sensitive: true,
        averaging: true,
    };
    let arow = Update::Arow {
        variance: 1.0,
        gamma: 1.0,
    };
    let (best, ..) = fit(&corpus, &lbfgs(0.0, 0.1));
    let most = accuracy(&corpus, &best);
    let updates = [
        Update::Perceptron,
        pa(Slack::None),
        pa(Slack::Linear(1.0)),
        pa(Slack::Quadratic(1.0)),
        arow,
    ];
    let online = updates.map(|update| Algorithm::Online(online(update)));
    let sgd = Algorithm::Sgd(Sgd {
        samples: 30,
        seed: 3,
        ..sgd(0.1)
    });
    for algorithm in [lbfgs(0.1, 0.1), sgd].into_iter().chain(online) {
        let (weights, ..) = fit(&corpus, &algorithm);
        let own = accuracy(&corpus, &weights);
        assert!(own > most - 0.08, "{algorithm:?}: {own}, L-BFGS {most}");
        assert_eq!(fit(&corpus, &algorithm).0, weights, "{algorithm:?}");
    }
}

#[test]
fn gradient_descent_comes_near_the_minimum_of_lbfgs() {
    let corpus = corpus();
    let (_, least, _) = fit(&corpus, &lbfgs(0.0, 1.0));
    let sgd = Sgd {
        max_iterations: 500,
        delta: 1e-7,
        ..sgd(1.0)
    };
    let (weights, ..) = fit(&corpus, &Algorithm::Sgd(sgd));
    let (loss, _) = objective(&corpus, &features(&corpus), 1.0, &weights);
    assert!(loss < least * 1.01, "{loss} {least}");
}

#[test]
fn threads_train_the_same_model() {
    let corpus = corpus();
    let features = features(&corpus);
    let weights = [1, 2, 5].map(|threads| {
        let mut weights = vec![0.0; features.len()];
        let after = |_, _: &[f64]| Ok(true);
        let algorithm = lbfgs(0.0, 0.1);
        train(
            &corpus,
            &features,
            &algorithm,
            threads,
            &mut weights,
            || false,
            after,
        )
        .unwrap();
        weights
    });
    assert_eq!(weights[0], weights[1]);
    assert_eq!(weights[0], weights[2]);
}

#[test]
fn training_stops_when_asked_and_keeps_the_weights() {
    let corpus = corpus();
    let features = Features::of(&corpus, FeatureSelection::default());
    let mut weights = vec![0.0; features.len()];
    let algorithm = lbfgs(0.0, 0.1);
    let stop = |after: fn(Iteration) -> spanrs_crf::Result<bool>, weights: &mut [f64]| {
        let after = |state, _: &[f64]| after(state);
        train(&corpus, &features, &algorithm, 1, weights, || false, after)
    };
    let stopped = stop(|state| Ok(state.iteration < 3), &mut weights);
    assert_eq!(stopped, Ok(Stop::Asked));
    assert!(weights.iter().any(|weight| *weight != 0.0));
    let kept = weights.clone();
    let stopped = stop(|_| Err(Error::Interrupted), &mut weights);
    assert_eq!(stopped, Err(Error::Interrupted));
    assert_ne!(weights, kept, "the last accepted weights");
}

#[test]
fn distributions_are_refused_by_online_algorithms() {
    let mut corpus = Corpus::new(2, 1);
    corpus.token([(0, 1.0)]).unwrap();
    corpus
        .end_sequence(Target::Soft(vec![0.5, 0.5]), 1.0)
        .unwrap();
    let features = Features::of(&corpus, FeatureSelection::default());
    let mut weights = vec![0.0; features.len()];
    let algorithm = Algorithm::Online(online(Update::Perceptron));
    let stop = train_to_end(&corpus, &features, &algorithm, &mut weights);
    assert!(matches!(stop, Err(Error::Target { .. })));
}

#[test]
fn partial_labels_train_perceptrons() {
    let mut corpus = Corpus::new(2, 2);
    for (attribute, label) in [(0, 0), (1, 1)] {
        for _ in 0..2 {
            corpus.token([(attribute, 1.0)]).unwrap();
        }
        let mut allowed = vec![true; 4];
        allowed[1 - label] = false;
        corpus.end_sequence(Target::Partial(allowed), 1.0).unwrap();
    }
    let features = Features::of(&corpus, FeatureSelection::default());
    let mut weights = vec![0.0; features.len()];
    let algorithm = Algorithm::Online(online(Update::Perceptron));
    train_to_end(&corpus, &features, &algorithm, &mut weights).unwrap();
    let mut decoder = Decoder::of(&features, &weights, None).unwrap();
    for (at, label) in [(0, 0), (1, 1)] {
        decoder.read(corpus.inputs(), at);
        assert_eq!(decoder.best().unwrap()[0], label);
    }
}

/// Attributes that occur together share a parameter in training; the minimum is the same as for the objective without
/// sharing.
#[test]
fn attributes_that_occur_together_get_equal_weights_at_the_minimum() {
    let mut corpus = Corpus::new(3, 7);
    let mut random = spanrs_base::Rng::new(5);
    for _ in 0..40 {
        let labels: Vec<u32> = (0..4).map(|_| random.below(3) as u32).collect();
        for &label in &labels {
            let noisy = match random.below(4) {
                0 => random.below(3) as u32,
                _ => label,
            };
            // Attributes 0 and 3, 1 and 4, 2 and 5 occur together; 6 is a bias.
            let items = [noisy, 3 + noisy, 6].map(|attribute| (attribute, 1.0));
            corpus.token(items).unwrap();
        }
        corpus.end_sequence(Target::Labels(labels), 1.0).unwrap();
    }
    let features = Features::of(&corpus, FeatureSelection::default());
    for start in [0.0, 1.0] {
        // Initial weights that differ within a group.
        let mut weights: Vec<f64> = (0..features.len()).map(|at| start * at as f64).collect();
        let options = Lbfgs {
            epsilon: 1e-9,
            delta: 0.0,
            ..Lbfgs::default()
        };
        let algorithm = Algorithm::Lbfgs { options, c2: 0.3 };
        train_to_end(&corpus, &features, &algorithm, &mut weights).unwrap();
        for attribute in 0..3 {
            let (first, labels) = features.state(attribute);
            let (second, others) = features.state(attribute + 3);
            assert_eq!(labels, others);
            let own = &weights[first..][..labels.len()];
            assert_eq!(own, &weights[second..][..labels.len()]);
        }
        let (_, gradient) = objective(&corpus, &features, 0.3, &weights);
        // Derivatives of tokens have 32 bits.
        assert!(
            gradient.iter().all(|slope| slope.abs() < 2e-3),
            "{gradient:?}"
        );
    }
}

#[test]
fn features_of_another_corpus_are_refused() {
    let corpus = corpus();
    let (sgd, online) = (sgd(1.0), online(Update::Perceptron));
    for (labels, attributes) in [(2, 12), (3, 11), (4, 12)] {
        let features = Features::listed(labels, attributes, &[(0, 0)], &[]);
        let (features, _) = features.unwrap();
        for algorithm in [
            lbfgs(0.0, 1.0),
            Algorithm::Sgd(sgd),
            Algorithm::Online(online),
        ] {
            let refused = train_to_end(&corpus, &features, &algorithm, &mut [0.0]);
            assert!(matches!(refused, Err(Error::Shape { .. })));
        }
        let done = |_, _: &[f64]| Ok(true);
        let direct = sgd.train(&corpus, &features, &mut [0.0], || false, done);
        assert!(matches!(direct, Err(Error::Shape { .. })));
    }
    let features = Features::of(&corpus, FeatureSelection::default());
    let done = |_, _: &[f64]| Ok(true);
    let direct = online.train(&corpus, &features, &mut [], || false, done);
    assert!(matches!(
        direct,
        Err(Error::Shape {
            what: "weights",
            ..
        })
    ));
}

#[test]
fn gradient_descent_learns_from_one_sequence() {
    let losses = |empty: usize, c2: f64| {
        let mut corpus = Corpus::new(2, 2);
        for attribute in [0, 1, 0, 1] {
            corpus.token([(attribute, 1.0)]).unwrap();
        }
        let target = Target::Labels(vec![0, 1, 0, 1]);
        corpus.end_sequence(target, 1.0).unwrap();
        for _ in 0..empty {
            corpus.end_sequence(Target::Labels(vec![]), 1.0).unwrap();
        }
        let features = Features::of(&corpus, FeatureSelection::default());
        let mut weights = vec![0.0; features.len()];
        let sgd = Algorithm::Sgd(Sgd {
            max_iterations: 1000,
            samples: 1000,
            ..sgd(c2)
        });
        let loss = |weights: &[f64]| objective(&corpus, &features, c2, weights).0;
        let start = loss(&weights);
        let [by_sgd, least] = [sgd, lbfgs(0.0, c2)].map(|algorithm| {
            train_to_end(&corpus, &features, &algorithm, &mut weights).unwrap();
            loss(&weights)
        });
        [start, by_sgd, least]
    };
    for (empty, c2) in [(0, 0.1), (3, 0.1), (0, 1.0), (0, 0.0)] {
        let [start, own, least] = losses(empty, c2);
        let most = least + 0.05 * (start - least);
        assert!(own < most, "{empty} {c2}: {start}, {own}, {least}");
    }
}
