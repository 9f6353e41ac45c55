//! Decoding in 32 bits beside decoding in 64 bits.

#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use spanrs_base::Rng;
use spanrs_crf::{Constraint, Decoder, Features, Sequences};

const LABELS: usize = 9;
const ATTRIBUTES: usize = 3000;

/// A number from 0 to 1.
fn unit(random: &mut Rng) -> f64 {
    random.below(1 << 52) as f64 / (1_u64 << 52) as f64
}

/// Features of all transitions, and of attributes with one, some or all labels.
fn features(random: &mut Rng) -> Features {
    let mut states = Vec::new();
    for attribute in 0..ATTRIBUTES as u32 {
        match random.below(3) {
            0 => states.push((attribute, random.below(LABELS as u64) as u32)),
            1 => states.extend([(attribute, 1), (attribute, 7)]),
            _ => states.extend((0..LABELS as u32).map(|label| (attribute, label))),
        }
    }
    let pairs: Vec<_> = (0..LABELS as u32)
        .flat_map(|from| (0..LABELS as u32).map(move |to| (from, to)))
        .collect();
    Features::listed(LABELS, ATTRIBUTES, &states, &pairs)
        .unwrap()
        .0
}

/// Sequences with a number of tokens in total.
fn sequences(tokens: usize, valued: bool, random: &mut Rng) -> Sequences {
    let mut sequences = Sequences::new(ATTRIBUTES);
    while sequences.tokens() < tokens {
        for _ in 0..1 + random.below(60) {
            let items = (0..random.below(12)).map(|_| {
                let value = if valued {
                    unit(random) * 4.0 - 2.0
                } else {
                    1.0
                };
                (random.below(ATTRIBUTES as u64) as u32, value)
            });
            sequences.token(items.collect::<Vec<_>>()).unwrap();
        }
        sequences.end();
    }
    sequences
}

/// Checks that the labels of all sequences are those in 64 bits: without flags that forbid nothing,
/// decoding may use 32 bits.
fn check(features: &Features, weights: &[f64], constraint: Option<&Constraint>, own: &Sequences) {
    let mut decoder = Decoder::of(features, weights, constraint).unwrap();
    for at in 0..own.len() {
        decoder.read(own, at);
        let labels = decoder.best();
        decoder
            .allow(&vec![true; own.sequence(at).len() * LABELS])
            .unwrap();
        assert_eq!(labels, decoder.best(), "sequence {at}");
    }
}

#[test]
fn labels_of_a_million_tokens_are_those_of_64_bits() {
    let mut random = Rng::new(1);
    let features = features(&mut random);
    let weights: Vec<f64> = (0..features.len())
        .map(|_| unit(&mut random) - 0.5)
        .collect();
    let own = sequences(1_000_000, false, &mut random);
    check(&features, &weights, None, &own);
}

#[test]
fn labels_are_those_of_64_bits_for_ties_and_extreme_weights() {
    let mut random = Rng::new(2);
    let features = features(&mut random);
    for kind in 0..5 {
        let mut weight = || {
            let (unit, step) = (unit(&mut random) - 0.5, random.below(5) as f64 - 2.0);
            match kind {
                0 => 0.5 * step,
                // Sums of tenths tie up to rounding errors.
                1 => 0.1 * step,
                2 => step + 1e-7 * unit,
                3 => unit * 1e25,
                _ => step * 1e38,
            }
        };
        let weights: Vec<f64> = (0..features.len()).map(|_| weight()).collect();
        for valued in [false, true] {
            let own = sequences(10_000, valued, &mut random);
            check(&features, &weights, None, &own);
            let allowed = |at: usize| !at.is_multiple_of(3);
            let starts = (0..LABELS).map(allowed).collect();
            let pairs = (0..LABELS * LABELS)
                .map(|at| !at.is_multiple_of(7))
                .collect();
            let ends = (0..LABELS).map(|at| allowed(at + 1)).collect();
            let constraint = Constraint::new(starts, pairs, ends).unwrap();
            check(&features, &weights, Some(&constraint), &own);
        }
    }
}
