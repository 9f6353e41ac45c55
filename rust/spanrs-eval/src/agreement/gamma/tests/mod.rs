//! Tests of the best alignment against enumeration of all alignments.

mod laws;
mod sampling;

use spanrs_base::{Rng, Workers};

use super::best::{best_disorder, component_disorder, priced_disorder};
use super::components::components;
use super::continuum::Segment;
use super::dissimilarity::Dissimilarity;
use super::effort::{Effort, SearchLimits};
use super::error::{AlignError, LimitError};
use super::frontier::{Bounds, least_disorder};
use super::unitary::enumerate;

/// Returns the sum of the disorders of the best alignment, with limits.
fn best(
    units: &[Vec<Segment>],
    by: &Dissimilarity,
    limits: SearchLimits,
) -> Result<f64, AlignError> {
    let mut workers = Workers::new(|_| true);
    let mut worker = workers.single();
    best_disorder(units, by, &mut Effort::new(&mut worker, limits))
}

const LIMITS: SearchLimits = SearchLimits {
    alignments: 1 << 20,
    states: 1 << 20,
};

/// Returns the disorder of a unitary alignment by its definition: the mean over all pairs of
/// annotators, where a pair with an empty unit counts 1.
fn disorder(tuple: &[Option<Segment>], by: &Dissimilarity) -> f64 {
    let mut sum = 0.0;
    for (at, a) in tuple.iter().enumerate() {
        for b in &tuple[..at] {
            sum += match (a, b) {
                (Some(a), Some(b)) => by.of(a, b),
                _ => 1.0,
            };
        }
    }
    by.unscaled(sum)
}

/// Returns the smallest sum of disorders over all alignments of the units from `at` on: the unit
/// joins any earlier unitary alignment without a unit of its annotator, or forms a new one.
fn enumerate_all(
    units: &[(usize, Segment)],
    tuples: &mut Vec<Vec<Option<Segment>>>,
    by: &Dissimilarity,
) -> f64 {
    let [(annotator, segment), rest @ ..] = units else {
        return tuples.iter().map(|tuple| disorder(tuple, by)).sum();
    };
    let mut alone = vec![None; by.annotators];
    alone[*annotator] = Some(*segment);
    tuples.push(alone);
    let mut least = enumerate_all(rest, tuples, by);
    tuples.pop();
    for at in 0..tuples.len() {
        if tuples[at][*annotator].is_none() {
            tuples[at][*annotator] = Some(*segment);
            least = least.min(enumerate_all(rest, tuples, by));
            tuples[at][*annotator] = None;
        }
    }
    least
}

/// Draws the units of annotators in `length` positions.
fn random_units(
    rng: &mut Rng,
    annotators: usize,
    most: u64,
    length: u64,
    longest: u64,
) -> Vec<Vec<Segment>> {
    let mut units = vec![Vec::new(); annotators];
    for of_annotator in &mut units {
        for _ in 0..rng.below(most + 1) {
            let start = rng.below(length) as f64;
            of_annotator.push(Segment {
                start,
                end: start + 1.0 + rng.below(longest) as f64,
                category: rng.below(2) as u32,
            });
        }
    }
    units
}

#[test]
fn the_alignment_is_the_best_of_all() {
    let mut rng = Rng::new(1);
    let settings = [
        (1.0, 1.0, 1.0),
        (3.0, 1.0, 1.0),
        (0.5, 2.0, 0.3),
        (0.0, 1.0, 1.0),
    ];
    for case in 0..600 {
        let annotators = 2 + case % 4;
        let most = [4, 4, 3, 2][case % 4];
        let (length, longest) = [(8, 4), (30, 5), (200, 6), (40, 40)][case / 4 % 4];
        let (alpha, beta, empty) = settings[case / 16 % 4];
        let by = Dissimilarity::new(alpha, beta, empty, annotators);
        let units = random_units(&mut rng, annotators, most, length, longest);
        let mut flat = Vec::new();
        for (annotator, segments) in units.iter().enumerate() {
            flat.extend(segments.iter().map(|&segment| (annotator, segment)));
        }
        let expected = enumerate_all(&flat, &mut Vec::new(), &by);
        let found = best(&units, &by, LIMITS).unwrap();
        assert!(
            (found - expected).abs() < 1e-12,
            "{case}: {found} {expected} {units:?}"
        );
    }
}

#[test]
fn every_method_finds_the_best_alignment() {
    let mut rng = Rng::new(2);
    let mut workers = Workers::new(|_| true);
    let mut worker = workers.single();
    let mut effort = Effort::new(&mut worker, LIMITS);
    let mut compared = [0; 2];
    for case in 0..400 {
        let annotators = 3 + case % 5;
        let by = Dissimilarity::new(1.0 + (case % 3) as f64, 1.0, 1.0, annotators);
        let units = random_units(&mut rng, annotators, 4, 40, 1 + case as u64 % 12);
        for component in components(&units, &by) {
            let direct = component_disorder(&component, &by, &mut effort).unwrap();
            let all = enumerate(&component, &by, None, None, &mut effort).unwrap();
            for (method, all) in [all, None].into_iter().enumerate() {
                let found = priced_disorder(&component, &by, all, &mut effort).unwrap();
                assert!(
                    (found - direct).abs() < 1e-12,
                    "{case} {method}: {found} {direct}"
                );
                compared[method] += component.len();
            }
        }
    }
    assert!(compared.iter().all(|&units| units > 3_000), "{compared:?}");
}

#[test]
fn the_number_of_stored_states_is_limited() {
    let by = Dissimilarity::new(1.0, 1.0, 1.0, 5);
    let units = random_units(&mut Rng::new(3), 5, 9, 10, 9);
    let mut workers = Workers::new(|_| true);
    let mut worker = workers.single();
    let mut effort = Effort::new(&mut worker, LIMITS);
    let all = components(&units, &by);
    let [component] = &all[..] else {
        panic!("{} components", all.len());
    };
    let alignments = enumerate(component, &by, None, None, &mut effort);
    let alignments = alignments.unwrap().unwrap();
    let bounds = Bounds {
        reduced: &alignments.disorders,
        gap: f64::INFINITY,
    };
    effort.limits.states = 20;
    let error = least_disorder(&alignments, bounds, &by, &mut effort).unwrap_err();
    assert_eq!(error, LimitError::States(20).into());
}
