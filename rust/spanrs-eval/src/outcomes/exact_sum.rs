//! Sums of floating-point numbers that do not depend on their order.

/// Returns the correctly rounded sum of finite numbers, independent of their order; the algorithm
/// of Python's `math.fsum`.
///
/// Source: Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic" (sums as expansions).
pub(super) fn exact_sum(terms: &[f64]) -> f64 {
    // Non-overlapping partial sums in increasing magnitude; their exact sum is the result.
    let mut parts: Vec<f64> = Vec::new();
    for &term in terms {
        let (mut sum, mut kept) = (term, 0);
        for at in 0..parts.len() {
            let (high, low) = two_sum(sum, parts[at]);
            sum = high;
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
        }
        parts.truncate(kept);
        parts.push(sum);
    }
    let Some(mut sum) = parts.pop() else {
        return 0.0;
    };
    while let Some(part) = parts.pop() {
        let (high, low) = two_sum(sum, part);
        sum = high;
        if low != 0.0 {
            // A tie in rounding is broken by the sign of the next partial sum.
            let beyond = parts
                .last()
                .is_some_and(|next| (*next < 0.0) == (low < 0.0));
            let doubled = 2.0 * low;
            if beyond && (high + doubled) - high == doubled {
                sum = high + doubled;
            }
            break;
        }
    }
    sum
}

/// Returns the rounded sum of two numbers and its rounding error (Dekker's Fast2Sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let (large, small) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    let sum = large + small;
    (sum, small - (sum - large))
}
