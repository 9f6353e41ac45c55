//! Detection of the scheme of a corpus.
//!
//! The evidence is the number of times each tag followed each other tag. Legality is a property of
//! tag bigrams (see the module `violation`), so these counts give the exact number of malformed
//! pairs under every scheme, in memory that does not grow with the corpus. The scheme with the
//! fewest malformed pairs is chosen; ties go to the scheme that is first in [`Scheme::all`].
//!
//! For the single sentence `I-A I-A O I-B`: IOB, IOE1 and IO have no malformed pairs; BIO has two
//! (`I` first and `I` after `O`), and so has IOE2 (`I` before `O` and `I` last). IOB is the first
//! of the schemes without malformed pairs in the order of preference.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use spanrs_base::Vocabulary;

use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::scheme::Scheme;
use crate::step::{END, OUTSIDE, UNKNOWN};
use crate::violation;

/// Side of the square table of bigram counts, which covers the first 63 tags and the border of a
/// sentence; bigrams with later tags are counted in a map.
const DENSE: usize = 64;

/// Counts of tag bigrams, from which a scheme is detected.
///
/// # Examples
///
/// ```
/// use spanrs_base::Vocabulary;
/// use spanrs_tags::{Dialect, Evidence, Scheme};
/// let mut tags = Vocabulary::new(100);
/// let ids: Vec<u32> = ["B-PER", "I-PER", "O", "B-LOC"]
///     .iter()
///     .map(|tag| tags.intern(tag).unwrap())
///     .collect();
/// let mut evidence = Evidence::default();
/// evidence.add(&ids);
/// let detection = evidence.decide(&tags, &Dialect::default()).unwrap();
/// assert_eq!((detection.scheme, detection.labelled), (Scheme::Bio, 3));
/// assert_eq!(detection.violations_of(Scheme::Bio), Some(0));
/// ```
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Counts of (before, here) at `before * DENSE + here`. Index 0 is the border of a sentence,
    /// tag `id` has index `id + 1`.
    dense: Vec<u64>,
    /// Counts of pairs with an index of at least [`DENSE`].
    sparse: BTreeMap<(u32, u32), u64>,
}

/// A detected scheme and the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Detection {
    /// The scheme with the fewest malformed pairs.
    pub scheme: Scheme,
    /// A summary for the user, such as
    /// `BIO: prefixes B I O; violations BIO 0, IOB 2, IOE1 2, IOBES 2`.
    pub statement: String,
    /// Number of malformed pairs under every scheme that was considered, fewest first. TOKEN is
    /// never considered.
    #[serde(serialize_with = "as_map")]
    pub violations: Vec<(Scheme, u64)>,
    /// Number of tokens whose tag is not `O`.
    #[serde(skip)]
    pub labelled: u64,
    /// Prefixes that occur, `O` included, in alphabetical order.
    #[serde(skip)]
    letters: Vec<&'static str>,
}

/// Returns whether the number of violations makes the scheme doubtful: more than a tenth of the
/// tags other than `O`.
///
/// # Examples
///
/// ```
/// assert!(!spanrs_tags::are_many(10, 100));
/// assert!(spanrs_tags::are_many(11, 100));
/// ```
pub fn are_many(violations: u64, labelled: u64) -> bool {
    violations * 10 > labelled
}

fn as_map<S: Serializer>(
    pairs: &[(Scheme, u64)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
}

impl Detection {
    /// Returns the detection with the scheme of [`Detection::scheme_or`].
    pub fn expecting(mut self, expected: Option<Scheme>) -> Self {
        self.scheme = self.scheme_or(expected);
        self
    }

    /// Returns `expected`, or the detected scheme if `expected` is None or the tags contradict it
    /// (see [`Detection::contradicts`]).
    pub fn scheme_or(&self, expected: Option<Scheme>) -> Scheme {
        let expected = expected.filter(|expected| !self.contradicts(*expected));
        expected.unwrap_or(self.scheme)
    }

    /// Returns whether there is any evidence: false if every tag is `O`, in which case the first
    /// scheme of [`Scheme::all`] is assumed.
    pub fn is_decided(&self) -> bool {
        self.labelled > 0
    }

    /// Returns whether tags that were expected to be in the scheme `expected` are clearly in
    /// another one.
    ///
    /// All of these conditions must hold:
    ///
    /// - The detected scheme has fewer malformed pairs than `expected`, and at most one malformed
    ///   pair per hundred tags other than `O`.
    /// - A prefix occurs that `expected` does not have; or the number of malformed pairs under
    ///   `expected` is more than a tenth of the number of tags other than `O` and at least
    ///   [`Detection::ENOUGH`].
    /// - At most one of the two schemes is BIO, IOB or IO: malformed BIO looks like IOB, so these
    ///   three are never distinguished.
    pub fn contradicts(&self, expected: Scheme) -> bool {
        const ALIKE: [Scheme; 3] = [Scheme::Bio, Scheme::Iob, Scheme::Io];
        let violations = |scheme| self.violations_of(scheme).unwrap_or_default();
        let known = |letter: &&str| {
            *letter == "O" || expected.prefixes().iter().any(|p| p.letter == *letter)
        };
        !(ALIKE.contains(&expected) && ALIKE.contains(&self.scheme))
            && violations(self.scheme) < violations(expected)
            && violations(self.scheme) * 100 <= self.labelled
            && (!self.letters.iter().all(known)
                || are_many(violations(expected), self.labelled)
                    && violations(expected) >= Self::ENOUGH)
    }

    /// Minimum number of malformed pairs that count as evidence against a scheme in which all
    /// prefixes exist.
    pub const ENOUGH: u64 = 10;

    /// Returns the number of malformed pairs under a scheme; None if the scheme was not considered.
    pub fn violations_of(&self, scheme: Scheme) -> Option<u64> {
        let mut considered = self.violations.iter();
        considered.find(|(of, _)| *of == scheme).map(|(_, n)| *n)
    }
}

impl Default for Evidence {
    fn default() -> Self {
        Self {
            dense: vec![0; DENSE * DENSE],
            sparse: BTreeMap::new(),
        }
    }
}

impl Evidence {
    /// Adds a sentence. Ids are from the vocabulary that is passed to [`Evidence::decide`]; an
    /// empty sentence adds the pair of start and end, which is legal in every scheme.
    pub fn add(&mut self, ids: &[u32]) {
        let mut before = 0;
        for here in ids.iter().map(|id| id + 1).chain([0]) {
            if (before as usize) < DENSE && (here as usize) < DENSE {
                self.dense[before as usize * DENSE + here as usize] += 1;
            } else {
                *self.sparse.entry((before, here)).or_default() += 1;
            }
            before = here;
        }
    }

    /// Adds the evidence of other sentences, with ids of the same vocabulary.
    ///
    /// # Examples
    /// ```
    /// use spanrs_base::Vocabulary;
    /// use spanrs_tags::{Dialect, Evidence, Scheme};
    /// let mut tags = Vocabulary::new(100);
    /// let ids = ["I-PER", "O"].map(|tag| tags.intern(tag).unwrap());
    /// let (mut one, mut other) = (Evidence::default(), Evidence::default());
    /// one.add(&ids);
    /// other.add(&ids);
    /// one.merge(&other);
    /// assert_eq!(one.check(&tags, Scheme::Bio, &Dialect::default()), (2, 2));
    /// ```
    pub fn merge(&mut self, other: &Self) {
        for (n, more) in self.dense.iter_mut().zip(&other.dense) {
            *n += more;
        }
        for (pair, n) in &other.sparse {
            *self.sparse.entry(*pair).or_default() += n;
        }
    }

    /// Returns the number of malformed pairs under `scheme` and the number of tags other than `O`.
    ///
    /// `tags` is the vocabulary of the ids that were added. The first number is 0 for TOKEN, in
    /// which every tag is legal.
    pub fn check(&self, tags: &Vocabulary, scheme: Scheme, dialect: &Dialect) -> (u64, u64) {
        let outside = tags.get("O");
        let labelled = self
            .pairs()
            .filter(|(_, here, _)| *here > 0 && Some(here - 1) != outside)
            .map(|(.., n)| n)
            .sum();
        match scheme {
            // Every tag is legal in TOKEN.
            Scheme::Token => (0, labelled),
            scheme => (self.violations(tags, scheme, dialect), labelled),
        }
    }

    /// Iterates over (index before, index here, count) for the pairs that occur.
    fn pairs(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let dense = self
            .dense
            .iter()
            .enumerate()
            .map(|(at, &n)| ((at / DENSE) as u32, (at % DENSE) as u32, n));
        let sparse = self
            .sparse
            .iter()
            .map(|(&(before, here), &n)| (before, here, n));
        dense.chain(sparse).filter(|(.., n)| *n > 0)
    }

    /// Chooses the scheme with the fewest malformed pairs; ties go to the first one in
    /// [`Scheme::all`].
    ///
    /// TOKEN, which no tag violates, is never chosen. Takes time proportional to the number of
    /// distinct pairs times the number of schemes.
    ///
    /// # Errors
    /// [`Error::NoScheme`] if more than half of the tags other than `O` have a prefix that no
    /// scheme has.
    pub fn decide(&self, tags: &Vocabulary, dialect: &Dialect) -> Result<Detection> {
        let mut uses = vec![0_u64; tags.len()];
        for (_, here, n) in self.pairs() {
            if here > 0 {
                uses[here as usize - 1] += n;
            }
        }
        let tokens: u64 = uses.iter().sum();
        let letters = letters_of(tags, &uses, dialect);
        let outside: u64 = tags.get("O").map_or(0, |id| uses[id as usize]);
        let strange: u64 = letters
            .iter()
            .filter(|(l, _)| l.is_empty())
            .map(|(_, n)| n)
            .sum();
        let spanlike = tokens - outside;
        if strange * 2 > spanlike {
            return Err(Error::NoScheme {
                strange,
                labelled: spanlike,
                examples: strange_tags(tags, &uses, dialect),
            });
        }
        let mut violations: Vec<_> = Scheme::all()
            .filter(|scheme| *scheme != Scheme::Token)
            .map(|scheme| (scheme, self.violations(tags, scheme, dialect)))
            .collect();
        // The sort is stable: schemes with equal counts keep the order of preference.
        violations.sort_by_key(|(_, n)| *n);
        let statement = statement(&violations, spanlike, &letters);
        Ok(Detection {
            scheme: violations[0].0,
            violations,
            labelled: spanlike,
            letters: letters.keys().filter(|l| !l.is_empty()).copied().collect(),
            statement,
        })
    }

    /// Counts the malformed pairs under a scheme.
    fn violations(&self, tags: &Vocabulary, scheme: Scheme, dialect: &Dialect) -> u64 {
        let prefixes = scheme.prefixes();
        let decoded: Vec<_> = tags
            .names()
            .map(|tag| dialect.parts(tag, scheme, prefixes))
            .collect();
        let mut count = 0;
        for (before, here, n) in self.pairs() {
            let before = (before as usize).checked_sub(1).map(|at| decoded[at]);
            let here = (here as usize).checked_sub(1).map(|at| decoded[at]);
            let same = matches!((before, here), (Some(b), Some(h)) if b.ty == h.ty);
            let set = violation::between(
                prefixes,
                before.map_or(OUTSIDE, |p| p.symbol),
                here.map_or(END, |p| p.symbol),
                same,
            );
            // A malformed pair counts once, regardless of its number of violations, so that counts
            // of schemes are comparable.
            count += if set == violation::NONE { 0 } else { n };
        }
        count
    }
}

/// Returns the number of occurrences of each prefix; the empty string is the key of tags whose
/// prefix no scheme has.
fn letters_of(tags: &Vocabulary, uses: &[u64], dialect: &Dialect) -> BTreeMap<&'static str, u64> {
    let mut letters = BTreeMap::new();
    for (tag, n) in tags.names().zip(uses) {
        if *n > 0 {
            *letters
                .entry(letter_of(tag, dialect).unwrap_or_default())
                .or_default() += n;
        }
    }
    letters
}

/// Returns the prefix of a tag; None if no scheme has the prefix.
fn letter_of(tag: &str, dialect: &Dialect) -> Option<&'static str> {
    let mut schemes = Scheme::all().filter(|scheme| *scheme != Scheme::Token);
    schemes.find_map(
        |scheme| match dialect.parts(tag, scheme, scheme.prefixes()).symbol {
            OUTSIDE => Some("O"),
            UNKNOWN => None,
            symbol => scheme.prefixes().get(symbol as usize - 1).map(|p| p.letter),
        },
    )
}

/// Returns the three most frequent tags with a prefix that no scheme has, cut to 40 characters
/// each; ties are resolved by the order of the names.
fn strange_tags(tags: &Vocabulary, uses: &[u64], dialect: &Dialect) -> Vec<String> {
    const SHOWN: usize = 3;
    let used = tags.names().zip(uses).filter(|(_, n)| **n > 0);
    let mut strange: Vec<_> = used
        .filter(|(tag, _)| letter_of(tag, dialect).is_none())
        .collect();
    strange.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let shown = strange.iter().take(SHOWN);
    shown
        .map(|(tag, _)| tag.chars().take(40).collect())
        .collect()
}

/// Formats [`Detection::statement`]: the best scheme, the prefixes, and the violations of the best
/// four schemes.
fn statement(
    violations: &[(Scheme, u64)],
    spanlike: u64,
    letters: &BTreeMap<&'static str, u64>,
) -> String {
    let (best, fewest) = violations[0];
    if spanlike == 0 {
        return format!("{}: assumed, because all tags are O", best.name());
    }
    let seen: Vec<_> = letters.keys().filter(|l| !l.is_empty()).copied().collect();
    let mut text = format!(
        "{}: prefixes {}; violations {} {fewest}",
        best.name(),
        seen.join(" "),
        best.name()
    );
    for (scheme, n) in violations.iter().skip(1).take(3) {
        text += &format!(", {} {n}", scheme.name());
    }
    text
}
