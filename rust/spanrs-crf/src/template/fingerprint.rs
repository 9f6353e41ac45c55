//! Rabin-Karp hashes: the hash of a concatenation is computed from the hashes of its parts.
//!
//! The hash of a string is the value of a polynomial whose coefficients are its bytes (plus 1). For
//! strings `s` and `t`, `hash(s t) = hash(s) * base^len(t) + hash(t)`, so the key of an attribute
//! such as `U02:in/Paris` follows from the fingerprints of `U02:`, `in`, `/` and `Paris`, each of
//! which is computed once; the key then takes one multiplication per part.
//!
//! Two hashes with different moduli are kept. The hash modulo the prime 2^61 - 1 has provable
//! collision bounds for a random base; the hash modulo 2^64 is cheap and adds bits for ordinary
//! text. The bases are fixed, so that results are reproducible; input can be crafted to collide,
//! and then an unknown attribute is taken for a known attribute.

/// The Mersenne prime 2^61 - 1: reduction takes shifts and additions.
const PRIME: u64 = (1 << 61) - 1;

/// Evaluation points, drawn once at random: a residue modulo [`PRIME`] and an odd 64-bit number.
const BASES: [u64; 2] = [1_170_603_459_210_438_261, 0x9A0E_5E12_3C6D_84B7];

/// The polynomial hashes of the bytes of a string (Karp and Rabin 1987): modulo 2^61 - 1 and modulo
/// 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Below [`PRIME`]; `u64::MAX` in [`Key::NONE`].
    pub(crate) mod_prime: u64,
    /// The hash with wrapping arithmetic. Its upper bits are better distributed than the lower
    /// ones.
    pub(crate) mod_2_64: u64,
}

/// A string that can be appended to a [`Key`]: its key, and the powers of the bases for its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    /// Key of the string.
    key: Key,
    /// The bases to the power of the length in bytes.
    powers: [u64; 2],
}

impl Key {
    /// Key of the empty string.
    pub(crate) const EMPTY: Self = Self {
        mod_prime: 0,
        mod_2_64: 0,
    };

    /// Key of a missing attribute; no string has this key.
    pub(crate) const NONE: Self = Self {
        mod_prime: u64::MAX,
        mod_2_64: 0,
    };

    /// The key of this string followed by another.
    #[inline(always)]
    pub(crate) const fn concat(self, by: &Fingerprint) -> Self {
        Self {
            mod_prime: mul_add_mod(self.mod_prime, by.powers[0], by.key.mod_prime),
            mod_2_64: self
                .mod_2_64
                .wrapping_mul(by.powers[1])
                .wrapping_add(by.key.mod_2_64),
        }
    }
}

impl Fingerprint {
    /// Sentinel for a missing value: a prefix or suffix longer than its token. Must not be
    /// concatenated.
    pub(crate) const ABSENT: Self = Self {
        key: Key::NONE,
        powers: [0, 0],
    };

    /// The fingerprint of a string, in one pass over its bytes.
    pub(crate) fn of(text: &str) -> Self {
        let mut key = Key::EMPTY;
        for byte in text.bytes() {
            key = key.concat(&Self {
                // Bytes are offset by 1 so that leading NULs change the hash.
                key: Key {
                    mod_prime: u64::from(byte) + 1,
                    mod_2_64: u64::from(byte) + 1,
                },
                powers: BASES,
            });
        }
        Self {
            key,
            powers: powers(text.len()),
        }
    }

    /// The key of the string.
    pub(crate) fn key(&self) -> Key {
        self.key
    }
}

/// Powers of the bases with exponents below 64, computed at compile time.
static POWERS: [[u64; 2]; 64] = {
    let mut powers = [[1, 1]; 64];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = product(powers[exponent - 1], BASES);
        exponent += 1;
    }
    powers
};

/// The bases to the power of an exponent; strings longer than 63 bytes take an additional
/// multiplication per 64 bytes.
fn powers(exponent: usize) -> [u64; 2] {
    let step = product(POWERS[POWERS.len() - 1], BASES);
    let rest = POWERS[exponent % POWERS.len()];
    (0..exponent / POWERS.len()).fold(rest, |power, _| product(power, step))
}

/// The products of two pairs of numbers, each modulo its own modulus.
const fn product(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    [mul_add_mod(a[0], b[0], 0), a[1].wrapping_mul(b[1])]
}

/// `a * b + c` modulo the prime; `a` and `b` are below the prime, `c` is at most the prime.
#[inline(always)]
const fn mul_add_mod(a: u64, b: u64, c: u64) -> u64 {
    let sum = a as u128 * b as u128 + c as u128;
    let folded = (sum as u64 & PRIME) + (sum >> 61) as u64;
    if folded >= PRIME {
        folded - PRIME
    } else {
        folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_parts_give_that_of_the_whole() {
        let mut random = spanrs_base::Rng::new(1);
        for _ in 0..1000 {
            let text: String = (0..random.below(200))
                .filter_map(|_| char::from_u32(random.below(0x300) as u32))
                .collect();
            let whole = Fingerprint::of(&text).key();
            for (middle, _) in text.char_indices() {
                let (left, right) = text.split_at(middle);
                let key = Fingerprint::of(left).key();
                assert_eq!(key.concat(&Fingerprint::of(right)), whole, "{text:?}");
            }
            assert!(whole.mod_prime < PRIME);
        }
    }

    #[test]
    fn products_are_those_of_wide_integers() {
        let mut random = spanrs_base::Rng::new(2);
        let extremes = [0, 1, 2, PRIME - 1, PRIME - 2];
        for round in 0..10_000 {
            let mut draw = || match round < 500 {
                true => extremes[random.below(5) as usize],
                false => random.below(PRIME),
            };
            let (a, b, c) = (draw(), draw(), draw());
            let right = (u128::from(a) * u128::from(b) + u128::from(c)) % u128::from(PRIME);
            assert_eq!(u128::from(mul_add_mod(a, b, c)), right);
        }
    }
}
