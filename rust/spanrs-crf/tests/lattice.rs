//! Inference compared with brute-force enumeration.
#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use proptest::prelude::*;
use spanrs_crf::{Error, Lattice, PairSums, Transitions};

/// Scores of a sequence: number of labels, token scores, transition scores.
#[derive(Clone, Debug)]
struct Scores {
    labels: usize,
    tokens: Vec<Vec<f64>>,
    transitions: Vec<f64>,
}

impl Scores {
    fn lattice(&self) -> (Lattice, Transitions) {
        let transitions = Transitions::new(self.labels, self.transitions.clone()).unwrap();
        let mut lattice = Lattice::default();
        // Buffers of an earlier, larger sequence must not affect this sequence.
        lattice.reset(9, 4);
        for token in 0..9 {
            lattice.scores_mut(token).fill(7.0);
        }
        lattice.forward_backward(&Transitions::zero(4)).unwrap();
        lattice.reset(self.tokens.len(), self.labels);
        for (token, row) in self.tokens.iter().enumerate() {
            lattice.scores_mut(token).copy_from_slice(row);
        }
        (lattice, transitions)
    }

    /// All labellings that are allowed, with their scores.
    fn paths(&self) -> Vec<(Vec<usize>, f64)> {
        let mut paths = vec![(Vec::new(), 0.0)];
        for row in &self.tokens {
            let longer = paths
                .into_iter()
                .flat_map(|(path, score): (Vec<usize>, f64)| {
                    (0..self.labels).map(move |label| {
                        let step = path
                            .last()
                            .map_or(0.0, |&last| self.transitions[last * self.labels + label]);
                        let mut path = path.clone();
                        path.push(label);
                        (path, score + step + row[label])
                    })
                });
            paths = longer
                .filter(|(_, score)| *score > f64::NEG_INFINITY)
                .collect();
        }
        paths
    }

    fn log_z(&self) -> f64 {
        let paths = self.paths();
        let most = paths
            .iter()
            .map(|(_, score)| *score)
            .fold(f64::NEG_INFINITY, f64::max);
        most + paths
            .iter()
            .map(|(_, score)| (score - most).exp())
            .sum::<f64>()
            .ln()
    }
}

fn score(spread: f64) -> impl Strategy<Value = f64> {
    prop_oneof![8 => -spread..spread, 1 => Just(f64::NEG_INFINITY), 1 => Just(0.0)]
}

fn scores(spread: f64) -> impl Strategy<Value = Scores> {
    (1..4_usize, 1..6_usize).prop_flat_map(move |(labels, tokens)| {
        let row = prop::collection::vec(score(spread), labels);
        let rows = prop::collection::vec(row, tokens);
        let transitions = prop::collection::vec(score(spread), labels * labels);
        (rows, transitions).prop_map(move |(tokens, transitions)| Scores {
            labels,
            tokens,
            transitions,
        })
    })
}

fn near(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs().max(1.0)
}

fn check(scores: &Scores, tolerance: f64) -> Result<(), TestCaseError> {
    let (mut lattice, transitions) = scores.lattice();
    let paths = scores.paths();
    if paths.is_empty() {
        prop_assert_eq!(lattice.forward_backward(&transitions), Err(Error::NoPath));
        prop_assert_eq!(lattice.best(&transitions), Err(Error::NoPath));
        return Ok(());
    }
    let log_z = lattice.forward_backward(&transitions).unwrap();
    prop_assert!(
        near(log_z, scores.log_z(), tolerance),
        "{} {}",
        log_z,
        scores.log_z()
    );
    let mut sums = PairSums::new(scores.labels);
    lattice.add_pairs(&transitions, 2.0, &mut sums);
    let pairs: Vec<f64> = sums.expected_counts(&transitions).collect();
    let mut expected = vec![0.0; pairs.len()];
    let mut marginals = vec![vec![0.0; scores.labels]; scores.tokens.len()];
    for (path, score) in &paths {
        let probability = (score - log_z).exp();
        for (token, &label) in path.iter().enumerate() {
            marginals[token][label] += probability;
        }
        for pair in path.windows(2) {
            expected[pair[0] * scores.labels + pair[1]] += 2.0 * probability;
        }
    }
    for (found, expected) in pairs.iter().zip(&expected) {
        prop_assert!(
            near(*found, *expected, tolerance),
            "{:?} {:?}",
            pairs,
            expected
        );
    }
    for (token, expected) in marginals.iter().enumerate() {
        for (found, expected) in lattice.marginals(token).zip(expected) {
            prop_assert!(near(found, *expected, tolerance));
        }
    }
    check_best(&lattice, &transitions, paths, tolerance)
}

/// Compares the best labellings with all labellings; `paths` are all labellings with their scores.
fn check_best(
    lattice: &Lattice,
    transitions: &Transitions,
    mut paths: Vec<(Vec<usize>, f64)>,
    tolerance: f64,
) -> Result<(), TestCaseError> {
    // Ties are decided by comparing the label lists from the end.
    paths.sort_by(|(a, x), (b, y)| {
        y.total_cmp(x)
            .then_with(|| a.iter().rev().cmp(b.iter().rev()))
    });
    let found = lattice.n_best(transitions, 5).unwrap();
    prop_assert_eq!(found.len(), paths.len().min(5));
    for ((labels, score), (_, expected)) in found.iter().zip(&paths) {
        prop_assert!(near(*score, *expected, tolerance));
        prop_assert!(near(
            lattice.score(labels, transitions).unwrap(),
            *expected,
            tolerance
        ));
    }
    let distinct: std::collections::BTreeSet<_> = found.iter().map(|(labels, _)| labels).collect();
    prop_assert_eq!(distinct.len(), found.len());
    Ok(())
}

proptest! {
    // Only rare combinations of scores cause underflow.
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn sums_and_best_labellings_are_those_of_all_labellings(scores in scores(4.0)) {
        check(&scores, 1e-12)?;
    }

    #[test]
    fn scores_that_lie_far_apart_lose_nothing(scores in scores(900.0)) {
        // Log probabilities are differences of numbers in the thousands, so the tolerance is
        // larger.
        check(&scores, 1e-10)?;
    }
}

#[test]
fn ties_go_to_the_lowest_labels_from_the_end() {
    let transitions = Transitions::new(2, vec![0.0; 4]).unwrap();
    let mut lattice = Lattice::default();
    lattice.reset(2, 2);
    let labels = |n| -> Vec<Vec<usize>> {
        let found = lattice.n_best(&transitions, n).unwrap();
        found.into_iter().map(|(labels, _)| labels).collect()
    };
    assert_eq!(labels(9), [[0, 0], [1, 0], [0, 1], [1, 1]]);
    assert_eq!(labels(0), Vec::<Vec<usize>>::new());
}

#[test]
fn a_sequence_without_tokens_has_one_labelling() {
    let transitions = Transitions::new(3, vec![1.0; 9]).unwrap();
    let mut lattice = Lattice::default();
    lattice.reset(0, 3);
    assert_eq!(lattice.best(&transitions), Ok((vec![], 0.0)));
    assert_eq!(lattice.forward_backward(&transitions), Ok(0.0));
}

#[test]
fn scores_that_are_no_numbers_are_refused() {
    let bad = Transitions::new(2, vec![0.0, 0.0, f64::NAN, 0.0]).unwrap_err();
    assert_eq!(
        bad.to_string(),
        "the transition from label 1 to 0 has the score NaN"
    );
    assert!(Transitions::new(1, vec![f64::INFINITY]).is_err());
    assert!(Transitions::new(1, vec![f64::NEG_INFINITY]).is_ok());
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let of_two = Transitions::zero(2);
    let mut lattice = Lattice::default();
    lattice.reset(2, 3);
    let wrong = "expected 3 labels in the transitions, got 2";
    assert_eq!(
        lattice.forward_backward(&of_two).unwrap_err().to_string(),
        wrong
    );
    assert_eq!(lattice.best(&of_two).unwrap_err().to_string(), wrong);
    let of_three = Transitions::zero(3);
    assert_eq!(lattice.score(&[0, 2], &of_three), Ok(0.0));
    assert!(matches!(
        lattice.score(&[0], &of_three),
        Err(Error::Shape { .. })
    ));
    assert!(matches!(
        lattice.score(&[0, 3], &of_three),
        Err(Error::Label {
            label: 3,
            labels: 3
        })
    ));
    assert!(Transitions::new(2, vec![0.0; 3]).is_err());
    lattice.reset(2, 0);
    assert_eq!(lattice.best(&Transitions::zero(0)), Err(Error::NoPath));
    assert_eq!(
        lattice.forward_backward(&Transitions::zero(0)),
        Err(Error::NoPath)
    );
}

#[test]
fn many_equal_labellings_take_no_longer() {
    // A breadth-first search over ties would need 5^200 steps.
    let mut lattice = Lattice::default();
    lattice.reset(200, 5);
    let transitions = Transitions::zero(5);
    assert_eq!(lattice.best(&transitions).unwrap(), (vec![0; 200], 0.0));
    let found = lattice.n_best(&transitions, 3).unwrap();
    assert_eq!(found[0].0, vec![0; 200]);
    assert_eq!(found[1].0[0], 1);
    assert_eq!(found[2].0[0], 2);
}
