//! Laws of gamma, limits and errors.

use proptest::prelude::*;
use spanrs_base::{Coded, Interrupted};

use crate::agreement::gamma::{Continuum, GammaError, LimitError, Options, Sampler, Unit, gamma};

/// Units of one annotator in 40 positions.
fn units() -> impl Strategy<Value = Vec<Unit>> {
    let unit = (0_u32..30, 1_u32..10, 0_u32..3).prop_map(|(start, length, category)| Unit {
        start,
        end: start + length,
        category,
    });
    prop::collection::vec(unit, 0..6)
}

fn continuum(units: Vec<Vec<Unit>>) -> Continuum {
    Continuum { units, length: 40 }
}

/// Options with few samples.
fn options() -> Options {
    Options {
        samples: Some(3),
        ..Options::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn gamma_is_at_most_1(annotators in prop::collection::vec(units(), 0..5), seed: u64) {
        for sampler in [Sampler::Shuffle, Sampler::Statistical] {
            let options = Options { seed, sampler, ..options() };
            let found = gamma(&[continuum(annotators.clone())], &options, |_| true).unwrap();
            let is_measurable = annotators.len() > 1 && annotators.iter().any(|u| !u.is_empty());
            prop_assert_eq!(found.observed.is_nan(), !is_measurable);
            if is_measurable {
                prop_assert!(found.observed >= 0.0 && found.expected >= 0.0);
                prop_assert!(found.gamma <= 1.0 || found.expected == 0.0);
                // Each unit alone is an alignment.
                let n = annotators.len() as f64;
                prop_assert!(found.observed <= n * (1.0 + 1e-12));
                prop_assert!(found.expected <= n * (1.0 + 1e-12));
            }
        }
    }

    #[test]
    fn equal_annotators_agree(own in units(), annotators in 2_usize..6, delta_empty in 0.1..3.0) {
        prop_assume!(!own.is_empty());
        let options = Options { delta_empty, ..options() };
        let found = gamma(&[continuum(vec![own; annotators])], &options, |_| true).unwrap();
        prop_assert_eq!(found.observed, 0.0);
        prop_assert!(found.gamma == 1.0 || found.expected == 0.0);
    }

    #[test]
    fn the_order_of_annotators_and_units_does_not_matter(
        annotators in prop::collection::vec(units(), 2..5),
        turn in 0_usize..5,
    ) {
        let observed = |units| gamma(&[continuum(units)], &options(), |_| true).unwrap().observed;
        let mut turned = annotators.clone();
        turned.rotate_left(turn % annotators.len());
        turned.iter_mut().for_each(|units| units.reverse());
        let (first, second) = (observed(annotators), observed(turned));
        prop_assert!((first - second).abs() < 1e-12 || first.is_nan() && second.is_nan());
    }

    #[test]
    fn gamma_is_the_same_for_any_unit_of_dissimilarity(
        annotators in prop::collection::vec(units(), 2..5),
        delta_empty in 0.1..3.0,
    ) {
        let documents = [continuum(annotators)];
        let scaled = Options { delta_empty, ..options() };
        let one = gamma(&documents, &options(), |_| true).unwrap();
        let other = gamma(&documents, &scaled, |_| true).unwrap();
        prop_assert!((one.gamma - other.gamma).abs() < 1e-9 || one.gamma.is_nan());
        let difference = one.observed * delta_empty - other.observed;
        prop_assert!(difference.abs() < 1e-9 || one.observed.is_nan());
    }
}

/// Returns documents whose units are those of each annotator with different starts.
fn documents() -> Vec<Continuum> {
    let unit = |start: u32, end: u32, category: u32| Unit {
        start,
        end,
        category,
    };
    let document = |shift: u32| {
        continuum(vec![
            vec![unit(1, 4, 0), unit(10, 12, 1), unit(11, 20, 0)],
            vec![unit(1 + shift, 4 + shift, 0), unit(11, 12, 1)],
            vec![unit(2, 5, 1), unit(9, 12, 1), unit(30, 31 + shift, 2)],
        ])
    };
    (0..7).map(document).collect()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for sampler in [Sampler::Shuffle, Sampler::Statistical] {
        let with = |threads, seed| {
            let options = Options {
                threads,
                sampler,
                seed,
                ..Options::default()
            };
            gamma(&documents(), &options, |_| true).unwrap()
        };
        assert_eq!(with(1, 5), with(2, 5));
        assert_ne!(with(1, 5).expected, with(1, 6).expected);
    }
}

#[test]
fn the_precision_determines_the_number_of_samples() {
    let with = |precision| {
        let options = Options {
            precision,
            ..Options::default()
        };
        gamma(&documents()[..1], &options, |_| true).unwrap()
    };
    assert_eq!(with(1.0).samples, 30);
    let (coarse, fine) = (with(0.02), with(0.005));
    assert!(coarse.samples > 30, "{}", coarse.samples);
    // The square of the ratio of the precisions, up to rounding.
    assert!(fine.samples.abs_diff(16 * coarse.samples) <= 16);
}

#[test]
fn a_project_without_agreement_to_measure_is_undefined() {
    let alone = continuum(vec![documents()[0].units[0].clone()]);
    for documents in [vec![], vec![alone], vec![continuum(vec![vec![]; 3])]] {
        let found = gamma(&documents, &options(), |_| true).unwrap();
        assert!(found.gamma.is_nan() && found.observed.is_nan() && found.expected.is_nan());
        assert_eq!(found.documents.len(), documents.len());
    }
}

#[test]
fn limits_are_named() {
    let documents = documents();
    let fail = |options: &Options| gamma(&documents, options, |_| true).unwrap_err();
    let few_alignments = Options {
        max_alignments: 2,
        ..options()
    };
    let error = fail(&few_alignments);
    let expected = LimitError::Alignments(2);
    assert_eq!(
        error,
        GammaError::Limit {
            document: 0,
            error: expected
        }
    );
    assert!(error.to_string().contains("increase max_alignments"));
    let few_states = Options {
        max_states: 0,
        ..options()
    };
    let error = fail(&few_states);
    assert_eq!((error.code(), error.sentence()), ("max_states", Some(0)));
}

#[test]
fn a_unit_across_very_many_others_exceeds_the_window() {
    let unit = |start: u32, length| Unit {
        start,
        end: start + length,
        category: 0,
    };
    let short = |from: u32| (0..2500).map(|at| unit(from + 40 * at, 2)).collect();
    let units = vec![short(0), short(1), vec![unit(0, 40 * 2500)]];
    let documents = [Continuum {
        units,
        length: 40 * 2500,
    }];
    let error = gamma(&documents, &options(), |_| true).unwrap_err();
    let expected = LimitError::Window(1024);
    assert_eq!(
        error,
        GammaError::Limit {
            document: 0,
            error: expected
        }
    );
}

#[test]
fn units_must_be_within_their_document() {
    for (start, end) in [(3, 3), (4, 3), (39, 41)] {
        let category = 0;
        let units = vec![
            vec![],
            vec![Unit {
                start,
                end,
                category,
            }],
        ];
        let documents = [continuum(vec![]), continuum(units)];
        let error = gamma(&documents, &options(), |_| true).unwrap_err();
        let message = format!("document 1, annotator 1: unit 0 is {start}..{end}");
        assert!(error.to_string().starts_with(&message), "{error}");
    }
}

#[test]
fn options_are_checked() {
    for (changed, name) in [
        (
            Options {
                alpha: f64::NAN,
                ..options()
            },
            "alpha",
        ),
        (
            Options {
                beta: -1.0,
                ..options()
            },
            "beta",
        ),
        (
            Options {
                delta_empty: 0.0,
                ..options()
            },
            "delta_empty",
        ),
        (
            Options {
                precision: 0.0,
                ..options()
            },
            "precision",
        ),
        (
            Options {
                pivot_distance: f64::INFINITY,
                ..options()
            },
            "pivot_distance",
        ),
        (
            Options {
                samples: Some(0),
                ..options()
            },
            "samples",
        ),
    ] {
        let error = gamma(&documents(), &changed, |_| true).unwrap_err();
        assert!(
            error.to_string().starts_with(&format!("{name} must be ")),
            "{error}"
        );
    }
}

#[test]
fn the_caller_can_stop() {
    let stopped = gamma(&documents(), &options(), |aligned| aligned < 10).unwrap_err();
    assert_eq!(stopped, GammaError::Interrupted(Interrupted));
}
