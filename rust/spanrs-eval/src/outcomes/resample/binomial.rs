//! Binomial random numbers.

use spanrs_base::Rng;

/// Expected number of successes from which on rejection is faster than inversion, and below which
/// the hat function of [`by_rejection`] is not proved to be an upper bound.
const REJECTION: f64 = 10.0;

/// Returns the number of successes among `n` trials with probability `p` each, from 0 to 1.
///
/// The distribution is exact up to the rounding of f64. Small means use inversion (algorithm BINV
/// of Kachitvichyanukul and Schmeiser 1988, "Binomial random variate generation"), other means use
/// transformed rejection (algorithm BTRS of Hörmann 1993, "The generation of binomial random
/// variates"), which takes constant time.
pub(super) fn binomial(n: u64, p: f64, rng: &mut Rng) -> u64 {
    if p > 0.5 {
        return n - binomial(n, 1.0 - p, rng);
    }
    match n as f64 * p < REJECTION {
        true => by_inversion(n, p, rng),
        false => by_rejection(n, p, rng),
    }
}

/// Returns a uniform number from 0 (inclusive) to 1 (exclusive), a multiple of 2^-53.
fn uniform(rng: &mut Rng) -> f64 {
    (rng.draw() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Adds probabilities from 0 on until they exceed a uniform number; `p` is at most 0.5 and `n * p`
/// small.
fn by_inversion(n: u64, p: f64, rng: &mut Rng) -> u64 {
    let odds = p / (1.0 - p);
    let none = (n as f64 * (-p).ln_1p()).exp();
    loop {
        let (mut left, mut probability) = (uniform(rng), none);
        for successes in 0..=n {
            if left < probability {
                return successes;
            }
            left -= probability;
            probability *= odds * (n - successes) as f64 / (successes + 1) as f64;
        }
        // The probabilities did not add up to 1 because of rounding: draw again.
    }
}

/// Transformed rejection with a squeeze; `p` is at most 0.5 and `n * p` at least [`REJECTION`].
///
/// Variable names are from the paper.
fn by_rejection(n: u64, p: f64, rng: &mut Rng) -> u64 {
    let trials = n as f64;
    let spq = (trials * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * spq;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let c = trials * p + 0.5;
    let v_r = 0.92 - 4.2 / b;
    loop {
        let u = uniform(rng) - 0.5;
        let v = uniform(rng);
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + c).floor();
        if us >= 0.07 && v <= v_r {
            return k as u64;
        }
        if !(0.0..=trials).contains(&k) {
            continue;
        }
        let alpha = (2.83 + 5.1 / b) * spq;
        let m = ((trials + 1.0) * p).floor();
        let bound = log_ratio(trials, p, k, m);
        if (v * alpha / (a / (us * us) + b)).ln() <= bound {
            return k as u64;
        }
    }
}

/// Returns the logarithm of the probability of `k` successes over that of `m`.
fn log_ratio(n: f64, p: f64, k: f64, m: f64) -> f64 {
    let r = p / (1.0 - p);
    (m + 0.5) * ((m + 1.0) / (r * (n - m + 1.0))).ln()
        + (n + 1.0) * ((n - m + 1.0) / (n - k + 1.0)).ln()
        + (k + 0.5) * (r * (n - k + 1.0) / (k + 1.0)).ln()
        + stirling(m)
        + stirling(n - m)
        - stirling(k)
        - stirling(n - k)
}

/// Returns the error of Stirling's approximation of `ln(k!)` around `k + 1`: by the series of
/// Hörmann 1993, which is exact to 1e-9, for `k` of 10 or more, and by definition for smaller `k`.
fn stirling(k: f64) -> f64 {
    let x = k + 1.0;
    if k < 10.0 {
        let log_factorial: f64 = (2..=k as u32).map(|i| f64::from(i).ln()).sum();
        let half_log_2_pi = 0.918_938_533_204_672_7;
        return log_factorial - (half_log_2_pi + (k + 0.5) * x.ln() - x);
    }
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the probability of each number of successes, by recursion from the mode.
    fn probabilities(n: u64, p: f64) -> Vec<f64> {
        let mode = ((n + 1) as f64 * p).min(n as f64) as usize;
        let mut found = vec![0.0; n as usize + 1];
        found[mode] = 1.0;
        for k in mode..n as usize {
            found[k + 1] = found[k] * (n as usize - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
        }
        for k in (1..=mode).rev() {
            found[k - 1] = found[k] * k as f64 / (n as usize - k + 1) as f64 * (1.0 - p) / p;
        }
        let sum: f64 = found.iter().sum();
        found.iter().map(|n| n / sum).collect()
    }

    #[test]
    fn numbers_have_the_binomial_distribution() {
        const DRAWS: usize = 200_000;
        // Covers both algorithms and their border, probabilities below and above one half, and
        // large numbers.
        for (n, p) in [
            (1, 0.3),
            (7, 0.5),
            (30, 0.1),
            (21, 0.5),
            (40, 0.25),
            (100, 0.1),
            (99, 0.1),
            (60, 0.9),
            (1_000, 0.03),
            (5_000, 0.5),
            (100_000, 0.000_32),
            (1_000_000, 0.001),
        ] {
            let mut rng = Rng::part(5, n);
            let exact = probabilities(n, p);
            let mut drawn = vec![0_u32; exact.len()];
            for _ in 0..DRAWS {
                drawn[binomial(n, p, &mut rng) as usize] += 1;
            }
            // Chi-square over bins of at least 20 expected draws.
            let (mut chi, mut bins, mut expected, mut seen) = (0.0, 0, 0.0, 0.0);
            for (p, &drawn) in exact.iter().zip(&drawn) {
                expected += p * DRAWS as f64;
                seen += f64::from(drawn);
                if expected >= 20.0 {
                    chi += (seen - expected).powi(2) / expected;
                    bins += 1;
                    (expected, seen) = (0.0, 0.0);
                }
            }
            let freedom = f64::from(bins - 1).max(1.0);
            // Five standard deviations of the chi-square distribution.
            assert!(
                chi <= freedom + 5.0 * (2.0 * freedom).sqrt(),
                "{n} {p}: {chi} of {freedom}"
            );
        }
    }

    #[test]
    fn the_ratio_is_that_of_the_probabilities() {
        for (n, p) in [(20, 0.5), (100, 0.3), (1_000, 0.02)] {
            let exact = probabilities(n, p);
            let mode = ((n + 1) as f64 * p).floor();
            for (k, probability) in exact.iter().enumerate().filter(|(_, p)| **p > 1e-200) {
                let ratio = (probability / exact[mode as usize]).ln();
                let computed = log_ratio(n as f64, p, k as f64, mode);
                assert!(
                    (computed - ratio).abs() < 1e-8,
                    "{n} {p} {k}: {computed} {ratio}"
                );
            }
        }
    }

    #[test]
    fn certain_outcomes_are_certain() {
        let mut rng = Rng::new(1);
        for n in [0, 1, 50, 1 << 40] {
            assert_eq!(binomial(n, 0.0, &mut rng), 0);
            assert_eq!(binomial(n, 1.0, &mut rng), n);
        }
    }
}
