//! Which scheme are these tags in?

use std::collections::BTreeMap;

use spanrs_base::Vocabulary;

use crate::dialect::Dialect;
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
    /// False where there was no tag but `O`, so that nothing speaks for any scheme.
    pub decided: bool,
    /// One sentence for people.
    pub statement: String,
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
    /// [`Scheme::all`]. TOKEN, which no tag violates, is considered only where most tags other than `O`
    /// have a prefix of no scheme.
    pub fn decide(&self, tags: &Vocabulary, dialect: &Dialect) -> Detection {
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
            let statement = format!(
                "TOKEN: {strange} of {spanlike} tags other than O have a prefix of no scheme"
            );
            return Detection {
                scheme: Scheme::Token,
                violations: vec![(Scheme::Token, 0)],
                decided: true,
                statement,
            };
        }
        let mut violations: Vec<_> = Scheme::all()
            .filter(|scheme| *scheme != Scheme::Token)
            .map(|scheme| (scheme, self.violations(tags, scheme, dialect)))
            .collect();
        // Stable: equals keep the order of preference.
        violations.sort_by_key(|(_, n)| *n);
        let statement = state(&violations, spanlike, &letters);
        Detection {
            scheme: violations[0].0,
            violations,
            decided: spanlike > 0,
            statement,
        }
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
        let known = Scheme::all()
            .filter(|s| *s != Scheme::Token)
            .find_map(
                |scheme| match dialect.parts(tag, scheme, scheme.prefixes()).symbol {
                    OUTSIDE => Some("O"),
                    UNKNOWN => None,
                    symbol => scheme.prefixes().get(symbol as usize - 1).map(|p| p.letter),
                },
            );
        if *n > 0 {
            *letters.entry(known.unwrap_or_default()).or_default() += n;
        }
    }
    letters
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
