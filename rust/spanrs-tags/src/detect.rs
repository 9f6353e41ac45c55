//! Which scheme are these tags in?

use std::collections::BTreeMap;

use spanrs_base::Vocabulary;

use crate::dialect::Dialect;
use crate::error::{Error, Result};
use crate::scheme::Scheme;
use crate::table::{END, OUTSIDE, UNKNOWN};
use crate::violation;

/// Side of the square table that counts pairs of the first tags; later tags go to a map.
const DENSE: usize = 64;

/// How often each tag followed each: all that detection looks at, in memory that does not grow with
/// the corpus.
#[derive(Clone, Debug)]
pub struct Evidence {
    // Place 0 stands for the border of a sentence, tag `id` for place `id + 1`.
    dense: Vec<u64>,
    rest: BTreeMap<(u32, u32), u64>,
}

/// A scheme, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The scheme that explains the tags with the fewest violations.
    pub scheme: Scheme,
    /// Violations under every scheme that was considered, best first.
    pub violations: Vec<(Scheme, u64)>,
    /// Tags other than `O`, each as often as it occurs.
    pub labelled: u64,
    /// Prefixes that occur.
    letters: Vec<&'static str>,
    /// One sentence for people.
    pub statement: String,
}

/// True where violations are so many that the scheme is in doubt: more than a tenth of the tags other than `O`.
pub fn are_many(violations: u64, labelled: u64) -> bool {
    violations * 10 > labelled
}

impl Detection {
    /// The scheme that is expected, where the tags do not clearly contradict it; else the one that was detected.
    pub fn scheme_or(&self, expected: Option<Scheme>) -> Scheme {
        let expected = expected.filter(|expected| !self.contradicts(*expected));
        expected.unwrap_or(self.scheme)
    }

    /// False where there was no tag but `O`, so there is no evidence for any scheme.
    pub fn is_decided(&self) -> bool {
        self.labelled > 0
    }

    /// True where tags that were expected to be in a scheme are clearly in another one.
    ///
    /// They violate the detected scheme at no more than a hundredth of the tags other than `O`. They have a prefix
    /// that the expected scheme lacks, or violate it at more than a tenth of these tags and at least
    /// [`Detection::ENOUGH`] times. BIO, IOB and IO are never told apart here: malformed BIO looks like IOB.
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

    /// Violations that are enough evidence against a scheme which has all prefixes.
    pub const ENOUGH: u64 = 10;

    /// Violations under a scheme; None for one that was not considered.
    pub fn violations_of(&self, scheme: Scheme) -> Option<u64> {
        let mut considered = self.violations.iter();
        considered.find(|(of, _)| *of == scheme).map(|(_, n)| *n)
    }
}

impl Default for Evidence {
    fn default() -> Self {
        Self {
            dense: vec![0; DENSE * DENSE],
            rest: BTreeMap::new(),
        }
    }
}

impl Evidence {
    /// Adds a sentence.
    pub fn add(&mut self, ids: &[u32]) {
        let mut before = 0;
        for here in ids.iter().map(|id| id + 1).chain([0]) {
            if (before as usize) < DENSE && (here as usize) < DENSE {
                self.dense[before as usize * DENSE + here as usize] += 1;
            } else {
                *self.rest.entry((before, here)).or_default() += 1;
            }
            before = here;
        }
    }

    /// Violations of `scheme`, and tags other than `O`; `tags` is the vocabulary of the ids that were added.
    pub fn check(&self, tags: &Vocabulary, scheme: Scheme, dialect: &Dialect) -> (u64, u64) {
        let outside = tags.get("O");
        let labelled = self
            .pairs()
            .filter(|(_, here, _)| *here > 0 && Some(here - 1) != outside)
            .map(|(.., n)| n)
            .sum();
        match scheme {
            // Every tag is one of TOKEN.
            Scheme::Token => (0, labelled),
            scheme => (self.violations(tags, scheme, dialect), labelled),
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let dense = self
            .dense
            .iter()
            .enumerate()
            .map(|(at, &n)| ((at / DENSE) as u32, (at % DENSE) as u32, n));
        let rest = self
            .rest
            .iter()
            .map(|(&(before, here), &n)| (before, here, n));
        dense.chain(rest).filter(|(.., n)| *n > 0)
    }

    /// The scheme with the fewest violations; among equals the one that stands first in
    /// [`Scheme::all`]. TOKEN, which no tag violates, must be asked for by name.
    ///
    /// # Errors
    /// [`Error::NoScheme`] where most tags other than `O` have a prefix of no scheme.
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
        // Stable: equals keep the order of preference.
        violations.sort_by_key(|(_, n)| *n);
        let statement = state(&violations, spanlike, &letters);
        Ok(Detection {
            scheme: violations[0].0,
            violations,
            labelled: spanlike,
            letters: letters.keys().filter(|l| !l.is_empty()).copied().collect(),
            statement,
        })
    }

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
            // One wrong pair counts once, however many names it has, so that schemes compare.
            count += if set == violation::NONE { 0 } else { n };
        }
        count
    }
}

/// How often each prefix letter occurs; the empty letter stands for tags no scheme knows.
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

/// The prefix of a tag; None where no scheme knows it.
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

/// The most frequent tags whose prefix no scheme knows; among equals in the order of their names.
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

fn state(
    violations: &[(Scheme, u64)],
    spanlike: u64,
    letters: &BTreeMap<&'static str, u64>,
) -> String {
    let (best, fewest) = violations[0];
    if spanlike == 0 {
        return format!("{}: assumed, there is no tag but O", best.name());
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
