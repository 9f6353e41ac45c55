//! The counts of conlleval, in each of its three versions.
//!
//! Tags are bytes, because conlleval.pl does not decode its input. Each distinct pair of tags is decoded once; after
//! that a token takes two table lookups.
//!
//! # Rules
//!
//! The versions agree on BIO tags without brackets and differ for other prefixes:
//!
//! | | conlleval.pl | conlleval.py | sequences |
//! |---|---|---|---|
//! | `S` | inside | single token | single token |
//! | `E` | ends a span before `E` and `I` of the same type, not before `B` | ends a span | ends a span |
//! | `[`, `]` | single tokens | single tokens | inside |
//! | other prefixes, same type | inside | inside | inside |
//! | no type (`PER`) | prefix `PER` with the empty type | the same | error |
//!
//! A type `0` is empty in conlleval.pl, because `0` is false in Perl.
//!
//! # Counting
//!
//! Spans are counted as in the original: a pair of equal spans is counted at the token after both end, and a span that
//! is open on both sides at the end of the text counts as ended. Token counts are kept per pair of tags and added to
//! types when counts are requested.

mod text;

pub use text::{ConllevalText, Cut, Error, Layout};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use spanrs_base::{Interner, Named};
use std::hash::BuildHasher;

/// A version of conlleval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// conlleval.pl of 2004-01-26, with the prefixes B, I, E and brackets.
    Perl,
    /// conlleval.py and the PyPI package `conlleval`, with E and S as in IOBES.
    Python,
    /// A port without sentence boundaries, in which any prefix other than `O` is inside and tags without a type are an
    /// error.
    Sequences,
}

impl Named for Rules {
    const WHAT: &'static str = "rules";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("perl", Self::Perl),
        ("python", Self::Python),
        ("sequences", Self::Sequences),
    ];
}

spanrs_base::serde_by_name!(Rules);

/// How tags are read.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The version of conlleval.
    pub rules: Rules,
    /// The prefix of tokens outside. [`Rules::Perl`] uses this prefix only with raw tags, [`Rules::Sequences`] never
    /// uses it.
    pub outside: Vec<u8>,
    /// Whether tags are types without prefixes, where each tag is a span of one token (option `-r` of conlleval.pl).
    /// Only for [`Rules::Perl`]; false otherwise.
    pub raw: bool,
}

/// Counts of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeCounts {
    /// Gold spans.
    pub gold: u64,
    /// Pred spans.
    pub pred: u64,
    /// Spans that occur on both sides.
    pub both: u64,
    /// Tokens whose gold tag has this type.
    pub gold_tags: u64,
    /// Tokens whose pred tag has this type.
    pub pred_tags: u64,
    /// Tokens whose tags are equal and have this type.
    pub equal_tags: u64,
}

impl TypeCounts {
    /// Returns all counts, in the order of the fields.
    pub fn row(self) -> [u64; 6] {
        [
            self.gold,
            self.pred,
            self.both,
            self.gold_tags,
            self.pred_tags,
            self.equal_tags,
        ]
    }
}

/// Error: a tag without `-` with [`Rules::Sequences`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoType;

/// Kind of the prefix `B`. Kinds are less than [`OUT`]; 0 is any unknown prefix.
const B: u8 = 1;
/// Kind of the prefix `I`.
const I: u8 = 2;
/// Kind of the prefix `E`.
const E: u8 = 3;
/// Kind of the prefix `S`.
const S: u8 = 4;
/// Kind of the prefix `.`, which begins no span, except with [`Rules::Sequences`].
const DOT: u8 = 5;
/// Kind of the prefix `[`.
const OPEN: u8 = 6;
/// Kind of the prefix `]`.
const CLOSE: u8 = 7;
/// Flag for the prefix of tokens outside, combined with the kinds above, because any prefix can be chosen for tokens
/// outside.
const OUT: u8 = 8;
/// Number of kinds of prefixes, with and without [`OUT`].
const KINDS: usize = 16;

/// Edge bit: a span ends before the token.
const ENDS: u8 = 1;
/// Edge bit: a span starts at the token.
const STARTS: u8 = 2;

/// Number of distinct pairs at which the table is emptied. This bounds memory for files that have words instead of
/// tags.
const PAIRS: usize = 1 << 16;

/// A decoded tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symbol {
    /// Kind of the prefix, possibly with [`OUT`].
    kind: u8,
    /// Type id.
    ty: u32,
}

/// A distinct pair of tags.
#[derive(Clone, Debug)]
struct Pair {
    /// The decoded tag of gold.
    gold: Symbol,
    /// The decoded tag of pred.
    pred: Symbol,
    /// Whether the tags count as equal in the accuracy of tokens.
    equal: bool,
    /// Number of tokens that have not been added to the types yet.
    hits: u64,
    /// Both tags, concatenated.
    tags: Box<[u8]>,
    /// Offset in `tags` where the tag of pred begins.
    middle: usize,
}

/// Compares gold and pred token by token; [`Conlleval::boundary`] ends a sentence.
///
/// # Examples
///
/// ```
/// use spanrs_compat::conlleval::{Conlleval, Rules, Setting};
/// let setting = Setting { rules: Rules::Perl, outside: b"O".to_vec(), raw: false };
/// let mut counts = Conlleval::new(setting);
/// for (gold, pred) in [("B-PER", "B-PER"), ("I-PER", "I-PER"), ("O", "B-LOC")] {
///     counts.token(gold.as_bytes(), pred.as_bytes()).unwrap();
/// }
/// let types = counts.types();
/// // The first type is the empty type of `O`.
/// assert_eq!((types[1].0, types[1].1.both), (&b"PER"[..], 1));
/// assert_eq!((counts.tokens(), counts.equal_tags()), (3, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Conlleval {
    /// How tags are read.
    setting: Setting,
    /// Edge bits, indexed by whether the types are equal, previous kind and current kind, in this order of
    /// significance.
    table: [u8; 2 * KINDS * KINDS],
    /// The types, in order of first appearance.
    types: Interner<[u8]>,
    /// Counts by type id, without the tokens still counted in `hits` of the pairs.
    counts: Vec<TypeCounts>,
    /// The distinct pairs since the table was last emptied.
    pairs: Vec<Pair>,
    /// Index in `pairs` by the hash of the tags.
    index: HashTable<u32>,
    /// Index of the pair of the last token.
    newest: u32,
    /// The symbols of gold and pred at a sentence boundary.
    border: (Symbol, Symbol),
    /// The symbols of gold and pred at the last token or boundary.
    last: (Symbol, Symbol),
    /// Whether a span is open on both sides and has been equal so far.
    agreeing: bool,
}

impl Conlleval {
    /// Creates a counter with zero counts.
    pub fn new(setting: Setting) -> Self {
        let mut table = [0; 2 * KINDS * KINDS];
        for (at, edges) in table.iter_mut().enumerate() {
            let (previous, current) = ((at / KINDS % KINDS) as u8, (at % KINDS) as u8);
            *edges = edges_of(setting.rules, previous, current, at >= KINDS * KINDS);
        }
        let nothing = Symbol { kind: OUT, ty: 0 };
        let mut counter = Self {
            setting,
            table,
            types: Interner::default(),
            counts: Vec::new(),
            pairs: Vec::new(),
            index: HashTable::new(),
            newest: 0,
            border: (nothing, nothing),
            last: (nothing, nothing),
            agreeing: false,
        };
        // Before the first token both sides are outside, with the empty type.
        let outside = match counter.setting.rules {
            Rules::Python => counter.setting.outside.clone(),
            Rules::Perl | Rules::Sequences => b"O".to_vec(),
        };
        let start = counter.symbol(&outside, b"");
        counter.last = (start, start);
        let (prefix, ty) = split(&outside);
        // At a sentence boundary the pred tag is not split into prefix and type, as in conlleval.py.
        counter.border = (counter.symbol(prefix, ty), counter.symbol(&outside, ty));
        counter
    }

    /// Counts a token.
    ///
    /// # Errors
    /// [`NoType`] with [`Rules::Sequences`] for a tag without `-` other than `O`.
    #[inline]
    pub fn token(&mut self, gold: &[u8], pred: &[u8]) -> Result<(), NoType> {
        let at = self.pair(gold, pred)?;
        let pair = &mut self.pairs[at as usize];
        pair.hits += 1;
        let sides = (pair.gold, pair.pred);
        self.step(sides.0, sides.1);
        Ok(())
    }

    /// Ends a sentence: both sides are outside.
    #[inline]
    pub fn boundary(&mut self) {
        let (gold, pred) = self.border;
        self.step(gold, pred);
    }

    /// Counts the spans that end and start between the last token and a token with the given symbols.
    #[inline]
    fn step(&mut self, gold: Symbol, pred: Symbol) {
        let (last_gold, last_pred) = self.last;
        let (g, p) = (self.edges(last_gold, gold), self.edges(last_pred, pred));
        let same = gold.ty == pred.ty;
        if self.agreeing {
            if g & p & ENDS != 0 && last_gold.ty == last_pred.ty {
                self.counts[last_gold.ty as usize].both += 1;
                self.agreeing = false;
            } else if (g ^ p) & ENDS != 0 || !same {
                self.agreeing = false;
            }
        }
        if (g | p) & STARTS != 0 {
            self.agreeing |= g & p & STARTS != 0 && same;
            self.counts[gold.ty as usize].gold += u64::from(g & STARTS != 0);
            self.counts[pred.ty as usize].pred += u64::from(p & STARTS != 0);
        }
        self.last = (gold, pred);
    }

    /// Returns the edge bits between two symbols on one side.
    #[inline(always)]
    fn edges(&self, previous: Symbol, current: Symbol) -> u8 {
        let same = usize::from(previous.ty == current.ty);
        self.table
            [same * KINDS * KINDS + usize::from(previous.kind) * KINDS + usize::from(current.kind)]
    }

    /// Returns the index of a pair of tags, decoding it at its first occurrence.
    #[inline]
    fn pair(&mut self, gold: &[u8], pred: &[u8]) -> Result<u32, NoType> {
        // Most tokens have the same pair as the previous token: outside on both sides.
        if let Some(pair) = self.pairs.get(self.newest as usize)
            && pair.is(gold, pred)
        {
            return Ok(self.newest);
        }
        let hash = hash_pair(gold, pred);
        let pairs = &self.pairs;
        let found = self
            .index
            .find(hash, |&at| pairs[at as usize].is(gold, pred))
            .copied();
        self.newest = match found {
            Some(at) => at,
            None => self.add_pair(hash, gold, pred)?,
        };
        Ok(self.newest)
    }

    /// Adds a pair, after emptying the table if it is full. With [`Rules::Sequences`] the table is never emptied,
    /// because [`Conlleval::pairs`] must be complete.
    #[cold]
    fn add_pair(&mut self, hash: u64, gold: &[u8], pred: &[u8]) -> Result<u32, NoType> {
        if self.pairs.len() >= PAIRS && self.setting.rules != Rules::Sequences {
            self.flush_hits();
            self.pairs.clear();
            self.index.clear();
        }
        let (g, p) = (self.decode(gold)?, self.decode(pred)?);
        let equal = match self.setting.rules {
            Rules::Sequences => gold == pred,
            _ => g.1 == p.1 && self.prefix(gold) == self.prefix(pred),
        };
        let at = self.pairs.len() as u32;
        self.pairs.push(Pair {
            gold: Symbol { kind: g.0, ty: g.1 },
            pred: Symbol { kind: p.0, ty: p.1 },
            equal,
            hits: 0,
            tags: [gold, pred].concat().into(),
            middle: gold.len(),
        });
        let pairs = &self.pairs;
        self.index.insert_unique(hash, at, |&at| {
            let (gold, pred) = pairs[at as usize].sides();
            hash_pair(gold, pred)
        });
        Ok(at)
    }

    /// Adds the token counts of the pairs to the counts of their types.
    fn flush_hits(&mut self) {
        for pair in &mut self.pairs {
            let hits = std::mem::take(&mut pair.hits);
            self.counts[pair.gold.ty as usize].gold_tags += hits;
            self.counts[pair.pred.ty as usize].pred_tags += hits;
            self.counts[pair.gold.ty as usize].equal_tags += hits * u64::from(pair.equal);
        }
    }

    /// Returns kind and type of a tag.
    fn decode(&mut self, tag: &[u8]) -> Result<(u8, u32), NoType> {
        let symbol = match self.setting.rules {
            Rules::Perl if self.setting.raw => {
                let outside = tag == b"O" || tag == self.setting.outside;
                self.symbol(
                    if outside { b"O" } else { b"B" },
                    if outside { b"" } else { tag },
                )
            }
            Rules::Perl | Rules::Python => {
                let (prefix, ty) = split(tag);
                self.symbol(prefix, ty)
            }
            Rules::Sequences if tag == b"O" => self.symbol(b"O", b""),
            Rules::Sequences => {
                let dash = tag.iter().position(|&byte| byte == b'-').ok_or(NoType)?;
                self.symbol(&tag[..dash], &tag[dash + 1..])
            }
        };
        Ok((symbol.kind, symbol.ty))
    }

    /// Returns the prefix that is compared between tokens, in addition to the type.
    fn prefix<'a>(&self, tag: &'a [u8]) -> &'a [u8] {
        match self.setting.raw {
            // Raw tags differ in type only. Both outside and the raw tag `0` have the empty type, so their prefixes
            // must differ.
            true if tag == b"O" || tag == self.setting.outside => b"O",
            true => b"B",
            false => split(tag).0,
        }
    }

    /// Decodes a prefix and a type.
    fn symbol(&mut self, prefix: &[u8], ty: &[u8]) -> Symbol {
        let kind = match prefix {
            b"B" => B,
            b"I" => I,
            b"E" => E,
            b"S" => S,
            b"." => DOT,
            b"[" => OPEN,
            b"]" => CLOSE,
            _ => 0,
        };
        let outside = match self.setting.rules {
            Rules::Python => prefix == self.setting.outside,
            Rules::Perl | Rules::Sequences => prefix == b"O",
        };
        // Perl's `||` replaces the false value `0` with the empty string.
        let ty = match self.setting.rules {
            Rules::Perl if ty == b"0" => b"",
            _ => ty,
        };
        Symbol {
            kind: kind | if outside { OUT } else { 0 },
            ty: self.type_of(ty),
        }
    }

    /// Returns the id of a type, with counts of 0 if it is new.
    fn type_of(&mut self, ty: &[u8]) -> u32 {
        let id = self.types.intern(ty);
        if id as usize == self.counts.len() {
            self.counts.push(TypeCounts::default());
        }
        id
    }

    /// Returns the counts so far, by type in order of first appearance; types without counts are omitted. A span that
    /// is open on both sides counts as ended.
    pub fn types(&self) -> Vec<(&[u8], TypeCounts)> {
        let mut now = self.clone();
        now.flush_hits();
        if self.agreeing {
            now.counts[self.last.0.ty as usize].both += 1;
        }
        let names = self.types.names();
        names
            .zip(now.counts)
            .filter(|(_, counts)| *counts != TypeCounts::default())
            .collect()
    }

    /// Returns the number of tokens so far. Linear in the number of types and pairs.
    pub fn tokens(&self) -> u64 {
        self.types()
            .iter()
            .map(|(_, counts)| counts.gold_tags)
            .sum()
    }

    /// Returns the number of tokens so far whose tags are equal.
    pub fn equal_tags(&self) -> u64 {
        self.types()
            .iter()
            .map(|(_, counts)| counts.equal_tags)
            .sum()
    }

    /// Iterates over the pairs of tags with their number of tokens, in order of first appearance. Complete only with
    /// [`Rules::Sequences`], which keeps all pairs.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_compat::conlleval::{Conlleval, Rules, Setting};
    /// let (rules, outside) = (Rules::Sequences, b"O".to_vec());
    /// let mut counts = Conlleval::new(Setting { rules, outside, raw: false });
    /// counts.token(b"B-A", b"O").unwrap();
    /// counts.token(b"B-A", b"O").unwrap();
    /// assert_eq!(counts.pairs().collect::<Vec<_>>(), [(&b"B-A"[..], &b"O"[..], 2)]);
    /// ```
    pub fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8], u64)> {
        self.pairs.iter().map(|pair| {
            let (gold, pred) = pair.sides();
            (gold, pred, pair.hits)
        })
    }
}

impl Pair {
    /// Returns whether the pair has these tags.
    #[inline(always)]
    fn is(&self, gold: &[u8], pred: &[u8]) -> bool {
        let (mine, others) = self.sides();
        mine == gold && others == pred
    }

    /// Returns the tags of gold and pred.
    #[inline(always)]
    fn sides(&self) -> (&[u8], &[u8]) {
        self.tags.split_at(self.middle)
    }
}

/// Hashes a pair of tags with a fixed seed.
#[inline]
fn hash_pair(gold: &[u8], pred: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one((gold, pred))
}

/// Splits a tag as the pattern `^([^-]*)-(.*)$` of Perl and Python does, where `.` does not match a line feed and `$`
/// also matches before a final line feed. A tag that does not match is a prefix with the empty type.
fn split(tag: &[u8]) -> (&[u8], &[u8]) {
    let Some(dash) = tag.iter().position(|&byte| byte == b'-') else {
        return (tag, b"");
    };
    let ty = &tag[dash + 1..];
    let ty = ty.strip_suffix(b"\n").unwrap_or(ty);
    if ty.contains(&b'\n') {
        return (tag, b"");
    }
    (&tag[..dash], ty)
}

/// Returns [`ENDS`] and [`STARTS`] between two tokens, as decided by `endOfChunk` and `startOfChunk`.
fn edges_of(rules: Rules, previous: u8, current: u8, same_type: bool) -> u8 {
    let (out_before, out_now) = (previous & OUT != 0, current & OUT != 0);
    let (before, now) = (previous & !OUT, current & !OUT);
    let bracket = |kind| matches!(kind, OPEN | CLOSE);
    let other_after = !out_before && before != DOT && !same_type;
    let other_begins = !out_now && now != DOT && !same_type;
    let (end, start) = match rules {
        Rules::Perl => (
            matches!((before, now), (B | I, B) | (E, E | I))
                || matches!(before, B | I | E) && out_now
                || other_after
                || bracket(before),
            matches!((before, now), (B | I, B) | (E, E | I))
                || out_before && matches!(now, B | I | E)
                || other_begins
                || bracket(now),
        ),
        Rules::Python => (
            matches!(before, E | S)
                || matches!((before, now), (B | I, B | S))
                || matches!(before, B | I) && out_now
                || other_after
                || bracket(before),
            matches!(now, B | S)
                || (matches!(before, E | S) || out_before) && matches!(now, E | I)
                || other_begins
                || bracket(now),
        ),
        Rules::Sequences => {
            let border = !same_type || matches!(now, B | S) || matches!(before, E | S);
            (
                !out_before && (out_now || border),
                !out_now && (out_before || border),
            )
        }
    };
    (u8::from(end) * ENDS) | (u8::from(start) * STARTS)
}

#[cfg(test)]
mod tests;
