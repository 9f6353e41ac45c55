//! Hashes of substrings in constant time, and of combinations of feature values.

/// Base of the polynomial; odd.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
/// Longest substring that is hashed, in characters.
pub(super) const LONGEST: usize = 24;
/// Powers of the base.
const POWERS: [u64; LONGEST + 1] = {
    let mut powers = [1_u64; LONGEST + 1];
    let mut at = 1;
    while at <= LONGEST {
        powers[at] = powers[at - 1].wrapping_mul(BASE);
        at += 1;
    }
    powers
};

/// Returns a hash of two hashes or small numbers, which depends on their order.
#[inline(always)]
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let a = a.wrapping_mul(0xA076_1D64_78BD_642F).rotate_left(32);
    (a ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// Writes features: each is the hash of the number of its template and a value. Templates are
/// numbered in the order in which they are pushed.
#[derive(Debug)]
pub(super) struct FeatureWriter<'a> {
    /// The features.
    features: &'a mut Vec<u64>,
    /// Number of the last template.
    number: u64,
}

impl<'a> FeatureWriter<'a> {
    /// Clears the features. Templates are numbered from `first + 1`.
    #[inline(always)]
    pub(super) fn new(features: &'a mut Vec<u64>, first: u64) -> Self {
        features.clear();
        Self {
            features,
            number: first,
        }
    }

    /// Appends the feature of the next template.
    #[inline(always)]
    pub(super) fn push(&mut self, value: u64) {
        self.number += 1;
        self.features.push(mix(self.number << 32, value));
    }

    /// Appends the features of the next templates.
    #[inline(always)]
    pub(super) fn extend(&mut self, values: impl IntoIterator<Item = u64>) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

/// Polynomial hashes of the prefixes of a sequence, from which the hash of each substring follows.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefixes(Vec<u64>);

impl Prefixes {
    /// Replaces the content with the prefixes of `values`.
    pub(super) fn fill(&mut self, values: impl Iterator<Item = u32>) {
        self.0.clear();
        let mut hash = 0_u64;
        self.0.push(hash);
        self.0.extend(values.map(|value| {
            hash = push(hash, value);
            hash
        }));
    }

    /// Returns the hash of the values from `start` to `end`, exclusive; 0 if there are none or more
    /// than [`LONGEST`].
    #[inline(always)]
    pub(super) fn hash(&self, start: usize, end: usize) -> u64 {
        let len = end.saturating_sub(start);
        match POWERS.get(len) {
            Some(power) if len > 0 => {
                finish(self.0[end].wrapping_sub(self.0[start].wrapping_mul(*power)))
            }
            _ => 0,
        }
    }
}

/// Appends a value to the polynomial.
#[inline(always)]
fn push(hash: u64, value: u32) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(value) + 1)
}

/// Spreads the bits of a polynomial, so that short strings are not small numbers.
#[inline(always)]
fn finish(hash: u64) -> u64 {
    mix(hash, 1).max(1)
}

/// Returns the hash that [`Prefixes::hash`] returns for the same values; 0 if there are none or too
/// many.
pub(super) fn hash_of(values: impl Iterator<Item = u32>) -> u64 {
    let (hash, len) = values.fold((0, 0), |(hash, len), value| (push(hash, value), len + 1));
    match len {
        1..=LONGEST => finish(hash),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn substrings_have_the_hash_of_their_values(values in proptest::collection::vec(0_u32..5, 0..40)) {
            let mut prefixes = Prefixes::default();
            prefixes.fill(values.iter().copied());
            for start in 0..=values.len() {
                for end in start..=values.len() {
                    let own = &values[start..end];
                    let hash = prefixes.hash(start, end);
                    prop_assert_eq!(hash, hash_of(own.iter().copied()));
                    prop_assert_eq!(hash == 0, own.is_empty() || own.len() > LONGEST);
                }
            }
        }
    }
}
