//! Probabilities of spans, and temperatures, compared with brute-force enumeration.
#![allow(clippy::unwrap_used)] // A panic in a test helper also reports the failure.

use std::collections::BTreeMap;

use proptest::prelude::*;
use spanrs_base::{Interner, Span};
use spanrs_crf::{
    Constraint, Decoder, Error, Features, Model, Sequences, SpanTable, fit_temperature,
};

/// Labels with a type, and whether spans always begin or end at the label: the rule of all schemes.
#[derive(Clone, Debug)]
struct Scheme(Vec<(Option<u32>, bool, bool)>);

impl Scheme {
    fn table(&self) -> SpanTable {
        let types = self.0.iter().map(|(ty, ..)| *ty).collect();
        let of = |label: Option<usize>| label.map_or((None, false, false), |label| self.0[label]);
        SpanTable::new(types, |before, here| {
            let (before, here) = (of(before), of(here));
            let continues = before.0.is_some() && before.0 == here.0 && !before.2 && !here.1;
            (
                here.0.is_some() && !continues,
                before.0.is_some() && !continues,
            )
        })
    }
}

/// A model with an attribute for each token and a weight for each feature, and one sequence.
#[derive(Clone, Debug)]
struct Case {
    scheme: Scheme,
    tokens: usize,
    weights: Vec<f64>,
    allowed: Vec<bool>,
}

impl Case {
    fn labels(&self) -> usize {
        self.scheme.0.len()
    }

    fn model(&self) -> Model {
        let (labels, tokens) = (self.labels() as u32, self.tokens as u32);
        let pairs = |rows: u32| (0..rows).flat_map(move |row| (0..labels).map(move |to| (row, to)));
        let states: Vec<_> = pairs(tokens).collect();
        let steps: Vec<_> = pairs(labels).collect();
        let (features, _) = Features::listed(self.labels(), self.tokens, &states, &steps).unwrap();
        let weights = self.weights.iter().copied().cycle().take(features.len());
        let names = |n: usize| {
            let mut names: Interner<str> = Interner::default();
            (0..n).for_each(|at| {
                names.intern(&at.to_string());
            });
            names
        };
        let names = (names(self.labels()), names(self.tokens));
        let model = Model::new(names.0, names.1, features, weights.collect(), "{}".into()).unwrap();
        let flags = (0..self.labels()).map(|label| self.allowed[label]);
        let pairs = self.allowed.iter().copied().cycle().skip(5);
        let pairs = pairs.take(self.labels() * self.labels());
        let all = vec![true; self.labels()];
        let constraint = Constraint::new(flags.collect(), pairs.collect(), all).unwrap();
        model.constrained(constraint).unwrap()
    }

    fn sequences(&self) -> Sequences {
        let mut sequences = Sequences::new(self.tokens);
        (0..self.tokens as u32).for_each(|token| sequences.indicators(&[token]).unwrap());
        sequences.end();
        sequences
    }

    /// All labellings.
    fn labellings(&self) -> Vec<Vec<usize>> {
        let labels = self.labels();
        (0..labels.pow(self.tokens as u32))
            .map(|mut at| {
                let label = |_| {
                    let label = at % labels;
                    at /= labels;
                    label
                };
                (0..self.tokens).map(label).collect()
            })
            .collect()
    }
}

fn case(scale: f64) -> impl Strategy<Value = Case> {
    let label = (
        prop::option::weighted(0.8, 0_u32..2),
        any::<bool>(),
        any::<bool>(),
    );
    let labels = prop::collection::vec(label, 1..5);
    let weights = prop::collection::vec(-scale..scale, 41);
    let allowed = prop::collection::vec(prop::bool::weighted(0.8), 23);
    (labels, 1_usize..5, weights, allowed).prop_map(|(labels, tokens, weights, allowed)| Case {
        scheme: Scheme(labels),
        tokens,
        weights,
        allowed,
    })
}

/// Checks all spans of a case against the sum over all labellings; `tolerance` is absolute.
fn check(case: &Case, temperature: f64, tolerance: f64) -> std::result::Result<(), TestCaseError> {
    let model = case.model().with_temperature(temperature).unwrap();
    let (table, sequences) = (case.scheme.table(), case.sequences());
    let mut decoder = Decoder::new(&model);
    decoder.read(&sequences, 0);
    let mut expected: BTreeMap<Span, f64> = BTreeMap::new();
    for labels in case.labellings() {
        let probability = match decoder.probability(&labels) {
            Err(Error::NoPath) => return Ok(()),
            probability => probability.unwrap(),
        };
        for span in table.spans(&labels) {
            *expected.entry(span).or_default() += probability;
        }
    }
    let marginals = decoder.marginals().unwrap();
    let best = decoder.best().unwrap();
    let probabilities = decoder.span_probabilities(&table).unwrap();
    let tokens = case.tokens as u32;
    let mut covered = vec![0.0; case.tokens];
    for ty in 0..2 {
        for start in 0..tokens {
            for end in start + 1..=tokens {
                let span = Span { start, end, ty };
                let (own, sum) = (probabilities.of(span).unwrap(), expected.get(&span));
                prop_assert!(
                    (own - sum.unwrap_or(&0.0)).abs() < tolerance,
                    "{span:?}: {own}, {sum:?}"
                );
                (start..end).for_each(|token| covered[token as usize] += own);
            }
        }
    }
    for (token, row) in marginals.chunks_exact(case.labels()).enumerate() {
        let labels = row.iter().zip(&case.scheme.0);
        let outside: f64 = labels
            .filter(|(_, (ty, ..))| ty.is_none())
            .map(|(p, _)| p)
            .sum();
        prop_assert!((covered[token] + outside - 1.0).abs() < 10.0 * tolerance);
    }
    for threshold in [1e-3, 0.11, 0.5] {
        let found = probabilities.above(threshold);
        prop_assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (span, probability) in &found {
            let own = probabilities.of(*span).unwrap();
            prop_assert!((own - probability).abs() < tolerance && own > threshold - tolerance);
        }
        let above = expected.iter().filter(|(_, p)| **p > threshold + tolerance);
        let at = |span| found.binary_search_by_key(&span, |(span, _)| *span).is_ok();
        prop_assert!(above.into_iter().all(|(span, _)| at(*span)));
    }
    // The temperature does not change the best labels.
    let untempered = case.model();
    let mut untempered = Decoder::new(&untempered);
    untempered.read(&sequences, 0);
    prop_assert_eq!(best, untempered.best().unwrap());
    Ok(())
}

proptest! {
    #[test]
    fn probabilities_are_sums_over_all_labellings(
        case in case(3.0),
        temperature in prop::sample::select(vec![1.0, 0.4, 2.5]),
    ) {
        check(&case, temperature, 1e-10)?;
    }

    #[test]
    fn probabilities_in_the_log_domain_are_sums_too(case in case(400.0)) {
        check(&case, 1.0, 1e-9)?;
    }

    #[test]
    fn a_temperature_divides_all_scores(case in case(3.0), temperature in 0.1_f64..10.0) {
        let mut divided = case.clone();
        divided.weights.iter_mut().for_each(|weight| *weight /= temperature);
        let (hot, divided) = (case.model().with_temperature(temperature).unwrap(), divided.model());
        prop_assert_eq!(hot.temperature(), temperature);
        let sequences = case.sequences();
        let [mut hot, mut divided] = [&hot, &divided].map(Decoder::new);
        hot.read(&sequences, 0);
        divided.read(&sequences, 0);
        let (Ok(log_z), Ok(expected)) = (hot.log_z(), divided.log_z()) else {
            return Ok(());
        };
        prop_assert!((log_z - expected).abs() < 1e-9);
        let [own, other] = [&mut hot, &mut divided].map(|decoder| decoder.marginals().unwrap());
        prop_assert!(own.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-9));
        let [own, other] = [&mut hot, &mut divided].map(|decoder| decoder.n_best(3).unwrap());
        prop_assert!(own.iter().zip(&other).all(|(a, b)| (a.1 - b.1).abs() < 1e-9));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_temperature_is_that_of_the_labellings(case in case(3.0), temperature in 0.3_f64..3.0) {
        // Every labelling counts by its probability at a temperature, here as copies.
        let model = case.model().with_temperature(temperature).unwrap();
        let sequences = case.sequences();
        let mut decoder = Decoder::new(&model);
        decoder.read(&sequences, 0);
        let mut gold = Vec::new();
        for labels in case.labellings() {
            let Ok(probability) = decoder.probability(&labels) else {
                return Ok(());
            };
            if let Some(scores) = decoder.labelled_scores(&labels).unwrap() {
                gold.extend(vec![scores; (200.0 * probability).round() as usize]);
            }
        }
        prop_assume!(!gold.is_empty());
        let fitted = fit_temperature(&model, &gold, 2, || false).unwrap();
        prop_assert_eq!(fitted, fit_temperature(&case.model(), &gold, 1, || false).unwrap());
        let loss = |temperature: f64| {
            let model = case.model().with_temperature(temperature).unwrap();
            let mut decoder = Decoder::new(&model);
            decoder.read(&sequences, 0);
            let probabilities = case.labellings().into_iter().map(|labels| {
                let copies = gold.iter().filter(|gold| gold.labels() == labels).count();
                (copies, decoder.probability(&labels).unwrap())
            });
            let losses = probabilities.filter(|(copies, _)| *copies > 0);
            losses.map(|(copies, p)| -(copies as f64) * p.ln()).sum::<f64>()
        };
        let least = loss(fitted);
        prop_assert!(least <= loss(temperature) + 1e-6 * least.abs() + 1e-9);
    }
}

#[test]
fn spans_outside_of_the_sequence_are_refused() {
    let case = Case {
        scheme: Scheme(vec![(None, false, false), (Some(0), false, false)]),
        tokens: 2,
        weights: vec![0.0],
        allowed: vec![true; 9],
    };
    let (model, sequences, table) = (case.model(), case.sequences(), case.scheme.table());
    let mut decoder = Decoder::new(&model);
    decoder.read(&sequences, 0);
    let probabilities = decoder.span_probabilities(&table).unwrap();
    for (start, end) in [(0, 3), (1, 1), (2, 1), (-1, 1), (i64::MIN, i64::MAX)] {
        let refused = probabilities.of(Span { start, end, ty: 0 }).unwrap_err();
        assert!(refused.to_string().contains("2 tokens"), "{refused}");
    }
    let unknown = Span {
        start: 0_u32,
        end: 1,
        ty: u32::MAX,
    };
    assert_eq!(probabilities.of(unknown), Ok(0.0));
    let other = SpanTable::new(vec![None], |_, _| (false, false));
    assert!(matches!(
        decoder.span_probabilities(&other),
        Err(Error::Shape { .. })
    ));
}

#[test]
fn long_sequences_take_linear_time() {
    // A span continues with the probability 1/2: none of more than ten tokens reaches the threshold.
    let case = Case {
        scheme: Scheme(vec![(None, false, false), (Some(0), false, false)]),
        tokens: 1,
        weights: vec![0.0],
        allowed: vec![true; 9],
    };
    let model = case.model();
    let mut sequences = Sequences::new(1);
    (0..100_000).for_each(|_| sequences.indicators(&[0]).unwrap());
    sequences.end();
    let mut decoder = Decoder::new(&model);
    decoder.read(&sequences, 0);
    let table = case.scheme.table();
    let found = decoder.span_probabilities(&table).unwrap().above(0.01);
    assert!(found.iter().all(|(span, _)| span.len() <= 5));
    assert!(found.len() > 399_000);
}
