//! Hashes of concatenated strings, computed without building the strings.
//!
//! Features of the published models are strings such as `wt-wt ate/VBD pizza/NN`. Their weights are
//! looked up by a hash of the string, and the hash of a concatenation is computed from the hashes
//! of its pieces: a polynomial hash is a homomorphism from concatenation to affine maps. With the
//! bytes b1...bn, the base B and all arithmetic modulo 2^64,
//!
//! ```text
//! hash(b1...bn) = (b1 + 1) B^(n-1) + (b2 + 1) B^(n-2) + ... + (bn + 1)
//! hash(x y)     = hash(x) B^len(y) + hash(y)
//! ```
//!
//! The hash of a word is computed once per sentence, and the hash of a feature takes one
//! multiplication and one addition per piece.
//!
//! Distinct feature strings have distinct hashes with overwhelming probability, except for
//! adversarial input: polynomials modulo 2^64 have known collisions (Thue–Morse strings of a few
//! thousand bytes). A collision makes two features share their weights and has no other effect.

/// The hash of a piece of text, and the power of the base by which the hash of a preceding text is
/// multiplied.
///
/// Equal strings have equal hashes, regardless of how they are split into pieces; the empty text
/// has hash 0. Bytes count as 1 to 256, so that NUL bytes at the start of a text change its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextHash {
    /// The polynomial of the bytes modulo 2^64.
    pub(crate) hash: u64,
    /// The base to the power of the number of bytes, modulo 2^64; always odd.
    pub(crate) power: u64,
}

/// Base of the polynomial. Odd, so that its powers never become 0 modulo 2^64.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

impl TextHash {
    /// The hash of the empty text.
    pub(crate) const EMPTY: Self = Self { hash: 0, power: 1 };

    /// Hashes a string; constants are hashed at compile time.
    pub(crate) const fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut all = Self::EMPTY;
        let mut at = 0;
        while at < bytes.len() {
            all = all.push(bytes[at]);
            at += 1;
        }
        all
    }

    /// Hashes bytes that are computed on the fly, such as the bytes of a word in lower case.
    pub(crate) fn of_bytes(bytes: impl Iterator<Item = u8>) -> Self {
        bytes.fold(Self::EMPTY, Self::push)
    }

    /// Appends a byte.
    #[inline(always)]
    pub(crate) const fn push(self, byte: u8) -> Self {
        Self {
            hash: self.hash.wrapping_mul(BASE).wrapping_add(byte as u64 + 1),
            power: self.power.wrapping_mul(BASE),
        }
    }

    /// Returns the hash of this text followed by another text, in constant time. Associative, with
    /// [`Self::EMPTY`] as neutral element.
    #[inline(always)]
    pub(crate) const fn then(self, next: Self) -> Self {
        Self {
            hash: self.hash.wrapping_mul(next.power).wrapping_add(next.hash),
            power: self.power.wrapping_mul(next.power),
        }
    }

    /// Returns the hash of this text followed by the last piece. Saves the multiplication for the
    /// power, so the result cannot be extended.
    #[inline(always)]
    pub(crate) const fn end(self, last: Self) -> u64 {
        self.hash.wrapping_mul(last.power).wrapping_add(last.hash)
    }

    /// Returns only the hash, the key of a feature.
    pub(crate) const fn value(self) -> u64 {
        self.hash
    }

    /// Returns true for the empty text, which has the power 1 and the hash 0; another text with
    /// both values is very unlikely.
    pub(crate) const fn is_empty(self) -> bool {
        self.hash == 0 && self.power == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_do_not_depend_on_the_pieces() {
        let whole = TextHash::of("w=they ate");
        for at in 0..=10 {
            let (a, b) = "w=they ate".split_at(at);
            let joined = TextHash::of(a).then(TextHash::of(b));
            assert_eq!(joined, whole);
            assert_eq!(TextHash::of(a).end(TextHash::of(b)), whole.value());
        }
        assert_ne!(TextHash::of("a\0"), TextHash::of("a"));
        assert!(TextHash::of("").is_empty());
    }
}
