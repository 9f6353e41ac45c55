//! Hashes of strings that are put together from pieces without building the string.

/// The hash of a piece of text: a polynomial of its bytes modulo 2^64.
///
/// Features of the published models are strings such as `wt-wt ate/VBD pizza/NN`. Equal strings have equal hashes however
/// they are split into pieces, so weights can be looked up by the hash of the string alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextHash {
    pub(crate) hash: u64,
    /// The base to the power of the length.
    pub(crate) power: u64,
}

/// Odd, so that powers never become 0.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

impl TextHash {
    pub(crate) const EMPTY: Self = Self { hash: 0, power: 1 };

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

    pub(crate) fn of_bytes(bytes: impl Iterator<Item = u8>) -> Self {
        bytes.fold(Self::EMPTY, Self::push)
    }

    #[inline(always)]
    const fn push(self, byte: u8) -> Self {
        Self {
            hash: self.hash.wrapping_mul(BASE).wrapping_add(byte as u64 + 1),
            power: self.power.wrapping_mul(BASE),
        }
    }

    /// The hash of this text followed by another.
    #[inline(always)]
    pub(crate) const fn then(self, next: Self) -> Self {
        Self {
            hash: self.hash.wrapping_mul(next.power).wrapping_add(next.hash),
            power: self.power.wrapping_mul(next.power),
        }
    }

    /// The hash of this text followed by another; the result cannot be continued.
    #[inline(always)]
    pub(crate) const fn end(self, last: Self) -> u64 {
        self.hash.wrapping_mul(last.power).wrapping_add(last.hash)
    }

    pub(crate) const fn value(self) -> u64 {
        self.hash
    }

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
