//! Tests of random continua.

use spanrs_base::Rng;

use crate::agreement::gamma::continuum::Segment;
use crate::agreement::gamma::sampling::ContinuumSampler;
use crate::agreement::gamma::{Continuum, Sampler, Unit};

fn unit(start: u32, end: u32, category: u32) -> Unit {
    Unit {
        start,
        end,
        category,
    }
}

/// Returns the start of the only unit of each random annotator.
fn starts(continuum: &[Vec<Segment>]) -> Vec<i64> {
    continuum
        .iter()
        .map(|units| units[0].start as i64)
        .collect()
}

#[test]
fn shifts_are_uniform_and_not_close_to_each_other() {
    let document = Continuum {
        units: vec![vec![unit(5, 9, 0)]; 3],
        length: 20,
    };
    let sampler = ContinuumSampler::new(Sampler::Shuffle, &document, 1.0);
    let mut rng = Rng::new(1);
    let mut times = [0_u32; 20];
    let mut closest = i64::MAX;
    for _ in 0..10_000 {
        let starts = starts(&sampler.draw(&mut rng));
        for (at, a) in starts.iter().enumerate() {
            times[*a as usize] += 1;
            for b in &starts[..at] {
                let distance = (a - b).rem_euclid(20);
                closest = closest.min(distance.min(20 - distance));
            }
        }
    }
    assert_eq!(closest, 4);
    assert!(
        times.iter().all(|n| (1_350..1_650).contains(n)),
        "{times:?}"
    );
}

#[test]
fn shifts_are_unrestricted_if_all_are_too_close() {
    let document = Continuum {
        units: vec![vec![unit(0, 6, 0)]; 6],
        length: 10,
    };
    let sampler = ContinuumSampler::new(Sampler::Shuffle, &document, 1.0);
    let drawn = starts(&sampler.draw(&mut Rng::new(2)));
    assert!(drawn.iter().all(|start| (0..10).contains(start)));
}

#[test]
fn shuffled_annotators_have_the_units_of_one_annotator() {
    let document = Continuum {
        units: vec![vec![unit(1, 3, 7), unit(8, 12, 8)], vec![]],
        length: 30,
    };
    let sampler = ContinuumSampler::new(Sampler::Shuffle, &document, 1.0);
    let mut rng = Rng::new(3);
    for _ in 0..200 {
        let drawn = sampler.draw(&mut rng);
        assert!(drawn.iter().any(|units| !units.is_empty()));
        for units in drawn.iter().filter(|units| !units.is_empty()) {
            let [first, second] = units[..] else {
                panic!("{units:?}");
            };
            assert_eq!((first.category, second.category), (7, 8));
            assert_eq!((first.len(), second.len()), (2.0, 4.0));
            assert_eq!((second.start - first.start).rem_euclid(30.0), 7.0);
        }
    }
}

#[test]
fn statistical_continua_have_the_statistics_of_the_document() {
    let units = vec![
        vec![unit(10, 14, 0), unit(24, 26, 1), unit(40, 43, 1)],
        vec![unit(12, 15, 1)],
    ];
    let document = Continuum { units, length: 50 };
    let sampler = ContinuumSampler::new(Sampler::Statistical, &document, 1.0);
    let mut rng = Rng::new(4);
    let (mut lengths, mut second, mut total) = (0.0, 0, 0);
    for _ in 0..20_000 {
        for unit in sampler.draw(&mut rng).iter().flatten() {
            lengths += unit.len();
            second += u32::from(unit.category == 1);
            total += 1;
        }
    }
    // Lengths 4, 2, 3, 3 and categories 0, 1, 1, 1.
    let n = f64::from(total);
    assert!((lengths / n - 3.0).abs() < 0.03, "{}", lengths / n);
    assert!((f64::from(second) / n - 0.75).abs() < 0.01);
    // A normal distribution with mean 2 and deviation 1, truncated towards 0, is 1.5 on average;
    // the first annotator has at least one unit.
    let mean = n / 40_000.0;
    assert!((mean - 1.60).abs() < 0.03, "{mean}");
}
