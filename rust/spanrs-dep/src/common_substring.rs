//! The longest common substring of two words.

/// Largest product of the lengths of two texts whose longest common substring is searched, which takes time in
/// proportion to the product. Longer texts are split at their common prefix or suffix.
const MAX_CELLS: usize = 1 << 14;

/// Returns the start in `a`, the start in `b` and the length of their longest common substring; of several the first in
/// `a`, then the first in `b`. The length is 0 if no character occurs in both.
pub(crate) fn longest_common(a: &[char], b: &[char]) -> (usize, usize, usize) {
    if a.len().saturating_mul(b.len()) > MAX_CELLS {
        let pairs = a.iter().zip(b);
        let prefix = pairs.take_while(|(a, b)| a == b).count();
        let pairs = a.iter().rev().zip(b.iter().rev());
        let suffix = pairs.take_while(|(a, b)| a == b).count();
        return match prefix >= suffix {
            true => (0, 0, prefix),
            false => (a.len() - suffix, b.len() - suffix, suffix),
        };
    }
    let mut best = (0, 0, 0);
    // Length of the longest common suffix of the texts up to the current position in a and each position in b.
    let mut lengths = vec![0_usize; b.len() + 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate().rev() {
            lengths[j + 1] = if x == y { lengths[j] + 1 } else { 0 };
            let len = lengths[j + 1];
            let start = (i + 1 - len, j + 1 - len);
            if len > best.2 || len == best.2 && len > 0 && start < (best.0, best.1) {
                best = (start.0, start.1, len);
            }
        }
    }
    best
}
