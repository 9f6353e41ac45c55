//! Compares EM with plain training and with enumeration.

use super::*;
use crate::lbfgs::Lbfgs;
use crate::sdca::Sdca;

const LABELS: usize = 3;

/// Sequences of several lengths, one of them empty, with attributes that depend on the position.
fn corpus() -> Corpus {
    let mut corpus = Corpus::new(LABELS, 5);
    for (at, tokens) in [3, 0, 1, 2, 3].into_iter().enumerate() {
        for token in 0..tokens {
            let items = [(token as u32, 1.0), ((at + token) as u32 % 5, 0.5)];
            corpus.token(items).unwrap();
        }
        corpus
            .end_sequence(Target::Labels(vec![0; tokens]), 1.0)
            .unwrap();
    }
    corpus
}

/// All labellings of each sequence.
fn all() -> (Vec<usize>, Vec<u32>) {
    let (mut numbers, mut labels) = (Vec::new(), Vec::new());
    for tokens in [3, 0, 1, 2, 3] {
        let number = LABELS.pow(tokens);
        numbers.push(number);
        for at in 0..number {
            labels.extend((0..tokens).map(|place| (at / LABELS.pow(place) % LABELS) as u32));
        }
    }
    (numbers, labels)
}

fn crf(numbers: &[usize], labels: Vec<u32>) -> EmCrf {
    EmCrf::new(corpus(), numbers, labels, FeatureSelection::default()).unwrap()
}

fn lbfgs(c2: f64) -> Algorithm {
    let options = Lbfgs::default();
    Algorithm::Lbfgs { options, c2 }
}

/// Trains from weights of 0; returns the loss and the weights.
fn trained(crf: &EmCrf, c2: f64) -> (f64, Vec<f64>) {
    let mut weights = vec![0.0; crf.features().len()];
    let algorithm = lbfgs(c2);
    let loss = crf.train(&algorithm, 1, &mut weights, None, || false);
    (loss.unwrap(), weights)
}

fn weights(crf: &EmCrf) -> Vec<f64> {
    let mut random = spanrs_base::Rng::new(3);
    let number = |_| random.below(1000) as f64 / 500.0 - 1.0;
    (0..crf.features().len()).map(number).collect()
}

#[test]
fn probabilities_of_all_labellings_sum_to_1_and_give_best_and_marginals() {
    let (numbers, labels) = all();
    let crf = crf(&numbers, labels);
    let weights = weights(&crf);
    let logs = crf.log_likelihoods(&weights, 1, || false).unwrap();
    assert_eq!(logs, crf.log_likelihoods(&weights, 2, || false).unwrap());
    let best = crf.best(&weights, None, 1, || false).unwrap();
    let marginals = crf.marginals(&weights, None, 1, || false).unwrap();
    let (mut first, mut token) = (0, 0);
    for (at, number) in numbers.iter().enumerate() {
        let own = &logs[first..first + number];
        let sum: f64 = own.iter().map(|log| log.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        let tokens = crf.corpus().sequence(at).len();
        let labellings: Vec<&[u32]> = crf.labellings(at).collect();
        let most = (0..*number)
            .max_by(|a, b| own[*a].total_cmp(&own[*b]))
            .unwrap();
        let known: Vec<u32> = best[token..token + tokens]
            .iter()
            .map(|l| *l as u32)
            .collect();
        assert_eq!(labellings[most], known);
        for place in 0..tokens {
            let pairs = labellings.iter().zip(own);
            let with_1 = pairs.filter(|(labels, _)| labels[place] == 1);
            let share: f64 = with_1.map(|(_, log)| log.exp()).sum();
            assert!((marginals[(token + place) * LABELS + 1] - share).abs() < 1e-12);
        }
        (first, token) = (first + number, token + tokens);
    }
}

#[test]
fn weights_of_0_and_inactive_sequences_are_left_out() {
    let (numbers, labels) = all();
    let mut crf = crf(&numbers, labels);
    let mut given = vec![0.0; numbers.iter().sum()];
    // Only the first labelling of the last sequence counts.
    given[numbers[..4].iter().sum::<usize>()] = 2.0;
    crf.set_weights(&given).unwrap();
    let (loss, first) = trained(&crf, 0.1);
    crf.set_weights(&vec![1.0; given.len()]).unwrap();
    let pairs = [2.0, 0., 0., 0., 0., 0., 0., 0., 0.];
    crf.set_expected(4, &[1.0, 0.0, 0.0].repeat(3), &pairs)
        .unwrap();
    crf.set_active(&[false, false, false, false, true]).unwrap();
    let (half_loss, half) = trained(&crf, 0.05);
    // Half the weight with half the penalty.
    assert!((loss - 2.0 * half_loss).abs() < 1e-6);
    assert!(first.iter().zip(&half).all(|(a, b)| (a - b).abs() < 1e-3));
}

#[test]
fn labellings_replace_expected_counts() {
    let (numbers, labels) = all();
    let given: Vec<f64> = (0..numbers.iter().sum())
        .map(|at| (at % 5) as f64)
        .collect();
    let [mut fresh, mut used] = [(); 2].map(|()| crf(&numbers, labels.clone()));
    let pairs = [2.0, 0., 0., 0., 0., 0., 0., 0., 0.];
    used.set_expected(0, &[1.0, 0.0, 0.0].repeat(3), &pairs)
        .unwrap();
    for crf in [&mut fresh, &mut used] {
        crf.set_weights(&given).unwrap();
    }
    assert_eq!(trained(&fresh, 0.1), trained(&used, 0.1));
}

#[test]
fn training_is_that_of_the_same_labels() {
    let numbers = [1, 1, 1, 1, 1];
    let labels: Vec<u32> = (0..9).map(|at| at % 3).collect();
    let (_, mine) = trained(&crf(&numbers, labels.clone()), 0.1);
    let mut plain = corpus();
    for at in 0..5 {
        let tokens = plain.sequence(at);
        plain
            .set_target(at, Target::Labels(labels[tokens].to_vec()))
            .unwrap();
    }
    let features = Features::of(&plain, FeatureSelection::default());
    let mut theirs = vec![0.0; features.len()];
    let algorithm = lbfgs(0.1);
    let weights = &mut theirs;
    let after = |_, _: &[f64]| Ok(true);
    train(&plain, &features, &algorithm, 1, weights, || false, after).unwrap();
    assert!(mine.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-3));
}

/// The objective at some weights: the loss of all labellings, and the penalty.
fn objective(crf: &EmCrf, given: &[f64], weights: &[f64], c2: f64) -> f64 {
    let logs = crf.log_likelihoods(weights, 1, || false).unwrap();
    let loss: f64 = logs
        .iter()
        .zip(given)
        .map(|(log, weight)| -log * weight)
        .sum();
    loss + c2 * weights.iter().map(|weight| weight * weight).sum::<f64>()
}

#[test]
fn sweeps_continue_where_the_last_training_stopped() {
    let (numbers, labels) = all();
    let mut crf = crf(&numbers, labels);
    let c2 = 0.5;
    let sdca = Sdca {
        c2,
        ..Sdca::default()
    };
    let algorithm = Algorithm::Sdca(sdca);
    let mut state = EmState::default();
    let mut found = vec![0.0; crf.features().len()];
    let (mut state_of_two, mut found_by_two) = (EmState::default(), found.clone());
    let mut given = vec![1.0; numbers.iter().sum()];
    for factor in [3, 5, 7] {
        for (at, weight) in given.iter_mut().enumerate() {
            *weight = (at * factor % 4) as f64;
        }
        crf.set_weights(&given).unwrap();
        let state = Some(&mut state);
        let loss = crf.train(&algorithm, 1, &mut found, state, || false);
        let of_two = Some(&mut state_of_two);
        let loss_of_two = crf.train(&algorithm, 2, &mut found_by_two, of_two, || false);
        assert_eq!((&loss, &found), (&loss_of_two, &found_by_two));
        let (least, best) = trained(&crf, c2);
        let reached = objective(&crf, &given, &found, c2);
        assert!((objective(&crf, &given, &best, c2) - least).abs() < 1e-6 * least);
        // The gap is an estimate, and dual variables have 16 bits.
        assert!(reached < least * 1.005, "{reached} {least}");
        assert!((loss.unwrap() - least).abs() < 0.01 * least);
    }
    assert!(state.0.is_some());
    // Other weights, and other sequences: the state is not used.
    for active in [[true; 5], [true, true, false, true, true]] {
        crf.set_active(&active).unwrap();
        let mut other = found.clone();
        other[0] += 1.0;
        crf.train(&algorithm, 1, &mut other, Some(&mut state), || false)
            .unwrap();
        assert!(state.0.is_none());
        let owners = numbers.iter().zip(active);
        let mut used = given.iter().copied();
        let used: Vec<f64> = owners
            .flat_map(|(number, active)| {
                let own: Vec<f64> = used.by_ref().take(*number).collect();
                own.into_iter()
                    .map(move |weight| if active { weight } else { 0.0 })
            })
            .collect();
        let (least, _) = trained(&crf, c2);
        let reached = objective(&crf, &used, &other, c2);
        assert!(reached < least * (1.0 + 1e-4), "{reached} {least}");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let selection = FeatureSelection::default();
    assert!(EmCrf::new(corpus(), &[1], vec![0; 3], selection).is_err());
    assert!(EmCrf::new(corpus(), &[1; 5], vec![0; 8], selection).is_err());
    assert!(EmCrf::new(corpus(), &[1; 5], vec![3; 9], selection).is_err());
    let mut crf = EmCrf::new(corpus(), &[1; 5], vec![0; 9], selection).unwrap();
    assert!(crf.set_weights(&[1.0; 4]).is_err());
    assert!(crf.set_weights(&[-1.0; 5]).is_err());
    assert!(crf.set_active(&[true]).is_err());
    assert!(crf.set_expected(2, &[0.5, 0.0, 0.0], &[0.0; 9]).is_err());
    assert!(EmCrf::new(corpus(), &[usize::MAX; 5], vec![0; 9], selection).is_err());
    let (sequence, sequences) = (5, 5);
    let error = Error::Sequence {
        sequence,
        sequences,
    };
    assert_eq!(crf.set_expected(5, &[], &[0.0; 9]), Err(error.clone()));
    assert_eq!(crf.set_all_expected(&[5], &[], &[]), Err((error, 5)));
    let message = |labels: usize, pairs: usize| {
        let (labels, pairs) = (vec![1.0 / 3.0; labels], vec![0.0; pairs]);
        let mut crf = EmCrf::new(corpus(), &[1; 5], vec![0; 9], selection).unwrap();
        let refused = crf.set_all_expected(&[2, 0], &labels, &pairs);
        let (error, at) = refused.unwrap_err();
        (error.to_string(), at)
    };
    assert_eq!(message(4, 18), ("expected 9 label counts, got 1".into(), 0));
    assert_eq!(
        message(12, 8),
        ("expected 9 transition counts, got 8".into(), 2)
    );
    assert!(crf.log_likelihoods(&[], 1, || false).is_err());
}

#[test]
fn rare_attributes_are_left_out() {
    let selection = FeatureSelection {
        all_states: true,
        min_attribute_frequency: 2.0,
        ..FeatureSelection::default()
    };
    let crf = EmCrf::new(corpus(), &[1; 5], vec![0; 9], selection).unwrap();
    let mut counts = [0.0; 5];
    for token in 0..crf.corpus().tokens() {
        crf.corpus()
            .items(token)
            .for_each(|(attribute, value)| counts[attribute as usize] += value);
    }
    for (attribute, count) in counts.into_iter().enumerate() {
        let labels = if count >= 2.0 { LABELS } else { 0 };
        assert_eq!(crf.features().state(attribute).1.len(), labels);
    }
}
