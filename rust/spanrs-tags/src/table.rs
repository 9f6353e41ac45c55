//! The one engine: a finite-state table and the walk through it.
//!
//! A state is the symbol of the previous token and whether a span is open. Stepping over a token looks
//! up (state, symbol of the token, same type as the previous token?) and finds in one byte what to do
//! and where to go. Readings differ only in how they fill the table.

use crate::error::{Error, Result};
use crate::peers;
use crate::reading::Reading;
use crate::scheme::{Edge, Prefix, Scheme};
use crate::violation;

/// Symbol of `O`.
pub(crate) const OUTSIDE: u8 = 0;
/// Symbol of a tag the scheme does not know. The symbols between are the prefixes of the scheme.
pub(crate) const UNKNOWN: u8 = 6;
/// Symbol of the end of the sentence.
pub(crate) const END: u8 = 7;
const SYMBOLS: u8 = 8;
const STATES: u8 = 2 * SYMBOLS;
const PLACES: usize = 256;

/// Step bit: the open span ends before this token.
pub const CLOSE: u8 = 1;
/// Step bit: a span begins at this token.
pub const OPEN: u8 = 2;
/// Step bit: the type of the span is the type of this token.
const TYPE: u8 = 4;
/// Step bit: something is wrong between the previous token and this one.
pub const VIOLATION: u8 = 8;

/// The bits of a step that hold the next state.
const STATE: u8 = 0xF0;

/// What a reading decides at one token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) close: bool,
    pub(crate) open: bool,
    /// A span is open after the token.
    pub(crate) live: bool,
}

/// What a reading decides on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Prefix of the previous token, if it is one of the scheme.
    pub(crate) before: Option<Prefix>,
    /// Prefix of this token, if it is one of the scheme.
    pub(crate) here: Option<Prefix>,
    /// A span is open.
    pub(crate) live: bool,
    /// Both tokens have the same type.
    pub(crate) same: bool,
}

impl Context {
    /// The token belongs to the open span.
    fn continues(&self) -> bool {
        use Edge::{Auto, Never};
        self.live
            && self.same
            && self.before.is_some_and(|p| matches!(p.ends, Never | Auto))
            && self.here.is_some_and(|p| matches!(p.begins, Never | Auto))
    }
}

/// A reading of a scheme as a table of steps.
#[derive(Clone, Debug)]
pub struct Table {
    steps: Box<[u8; PLACES]>,
    /// False for readings with letters of their own, which cannot see the violations of the scheme.
    pub(crate) sees_violations: bool,
    /// For each symbol, whether a span is open behind it, where that is the same on every way there.
    live: Option<[bool; SYMBOLS as usize]>,
}

impl Table {
    pub(crate) fn new(scheme: Scheme, reading: Reading) -> Result<Self> {
        let decide: Box<dyn Fn(u8, u8, Context) -> Step> = match reading {
            Reading::Conlleval | Reading::Refuse => Box::new(|_, _, c| conlleval(c)),
            Reading::Strict => Box::new(|_, _, c| strict(c)),
            Reading::Discard => Box::new(|_, _, c| discard(c)),
            Reading::Ncrfpp if scheme.closes_openly() => Box::new(|_, here, c| ncrfpp(here, c)),
            Reading::Ncrfpp if scheme == Scheme::Bio => Box::new(|_, _, c| ncrfpp_bio(c)),
            Reading::Seqeval => Box::new(|before, here, c| peers::seqeval(before, here, c.same)),
            Reading::SeqevalStrict if peers::has_strict(scheme) => {
                Box::new(move |_, _, c| peers::seqeval_strict(scheme, c))
            }
            Reading::Ncrfpp | Reading::SeqevalStrict => {
                return Err(Error::ReadingNotForScheme { reading, scheme });
            }
        };
        let prefixes = letters(scheme, reading);
        let prefix = |symbol: u8| {
            (symbol as usize)
                .checked_sub(1)
                .and_then(|at| prefixes.get(at))
        };
        let sees_violations = reading != Reading::Seqeval;
        let mut steps = Box::new([0; PLACES]);
        for state in 0..STATES {
            for here in 0..SYMBOLS {
                for same in [false, true] {
                    let (before, live) = (state >> 1, state & 1 == 1);
                    let context = Context {
                        before: prefix(before).copied(),
                        here: prefix(here).copied(),
                        live,
                        same,
                    };
                    let step = decide(before, here, context);
                    let wrong = sees_violations
                        && violation::between(prefixes, before, here, same) != violation::NONE;
                    // A type is taken over at every token, except where the first token of a span
                    // decides for all of it.
                    let typed = step.open || reading != Reading::Ncrfpp;
                    let next = if here == END {
                        0
                    } else {
                        here << 1 | u8::from(step.live)
                    };
                    steps[index(state << 4, here << 1, same)] = bit(step.close, CLOSE)
                        | bit(step.open, OPEN)
                        | bit(typed, TYPE)
                        | bit(wrong, VIOLATION)
                        | next << 4;
                }
            }
        }
        Ok(Self {
            live: live_behind(&steps),
            steps,
            sees_violations,
        })
    }

    /// What happens between two neighbouring tags, given as entries (None is the border of the
    /// sentence), where the reading decides that without looking further back.
    pub(crate) fn between(&self, before: Option<u32>, here: Option<u32>) -> Option<u8> {
        let live = self.live?;
        let end = entry(0, END);
        let (ty, symbol) = before.map_or((0, OUTSIDE), |e| (e >> 8, (e as u8) >> 1));
        let here = here.unwrap_or(end);
        let state = symbol << 5 | u8::from(live[symbol as usize]) << 4;
        Some(self.steps[index(state, here as u8, here >> 8 == ty)])
    }
}

/// Whether a span is open behind each symbol; None where that depends on what came before it.
fn live_behind(steps: &[u8; PLACES]) -> Option<[bool; SYMBOLS as usize]> {
    let mut reached = [false; STATES as usize];
    let mut todo = vec![0_u8];
    while let Some(state) = todo.pop() {
        if std::mem::replace(&mut reached[state as usize], true) {
            continue;
        }
        for symbol in 0..END {
            for same in [false, true] {
                todo.push(steps[index(state << 4, symbol << 1, same)] >> 4);
            }
        }
    }
    let mut live = [false; SYMBOLS as usize];
    for symbol in 0..SYMBOLS as usize {
        let (closed, open) = (reached[2 * symbol], reached[2 * symbol + 1]);
        if closed && open {
            return None;
        }
        live[symbol] = open;
    }
    Some(live)
}

/// The letters a reading looks for: those of the scheme, but for seqeval's default mode its own.
pub(crate) fn letters(scheme: Scheme, reading: Reading) -> &'static [Prefix] {
    if reading == Reading::Seqeval {
        peers::SEQEVAL_LETTERS
    } else {
        scheme.prefixes()
    }
}

fn bit(on: bool, bit: u8) -> u8 {
    if on { bit } else { 0 }
}

/// Place of a step. Steps carry the next state in their upper four bits and entries carry the symbol
/// one bit up, so that the three parts only need to be joined; a `u8` needs no bounds check.
#[inline(always)]
fn index(state: u8, symbol: u8, same: bool) -> usize {
    (state | symbol | u8::from(same)) as usize
}

/// What a tag is decoded to: its type, and its symbol in the form [`index`] takes.
pub(crate) fn entry(ty: u32, symbol: u8) -> u32 {
    ty << 8 | u32::from(symbol << 1)
}

/// True where an entry is that of `O`.
#[inline(always)]
pub fn is_outside(entry: u32) -> bool {
    entry as u8 >> 1 == OUTSIDE
}

/// A walk through the tags of one sentence.
///
/// Entries are what a [`crate::Reader`] made of the tags.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    steps: &'a [u8; PLACES],
    /// The next state in the upper four bits.
    state: u8,
    /// Type of the previous token.
    ty_before: u32,
    /// First token of the open span.
    pub begin: u32,
    /// Type of the open span.
    pub ty: u32,
}

impl<'a> Walk<'a> {
    /// Stands before the first token of a sentence.
    #[inline]
    pub fn new(table: &'a Table) -> Self {
        Self {
            steps: &table.steps,
            state: 0,
            ty_before: 0,
            begin: 0,
            ty: 0,
        }
    }

    /// What happens at the next token: the bits [`CLOSE`], [`OPEN`], [`VIOLATION`].
    ///
    /// Where the answer has [`CLOSE`], `begin` and `ty` are those of the span that ends before the
    /// token; call [`Walk::advance`] after using them.
    #[inline(always)]
    pub fn look(&self, entry: u32) -> u8 {
        let same = entry >> 8 == self.ty_before;
        self.steps[index(self.state, entry as u8, same)]
    }

    /// Goes over token `at`, for which [`Walk::look`] gave `step`.
    #[inline(always)]
    pub fn advance(&mut self, at: u32, entry: u32, step: u8) {
        self.begin = if step & OPEN != 0 { at } else { self.begin };
        self.ty = if step & TYPE != 0 {
            entry >> 8
        } else {
            self.ty
        };
        self.ty_before = entry >> 8;
        self.state = step & STATE;
    }

    /// What happens at the end of the sentence.
    #[inline(always)]
    pub fn finish(&self) -> u8 {
        self.look(entry(0, END))
    }

    /// True where the previous tag was `O`, or there is none, and nothing is open.
    #[inline(always)]
    pub fn rests(&self) -> bool {
        self.state == 0
    }
}

fn conlleval(c: Context) -> Step {
    match c.here {
        None => Step {
            close: c.live,
            ..Step::default()
        },
        Some(_) if c.continues() => Step {
            live: true,
            ..Step::default()
        },
        Some(_) => Step {
            close: c.live,
            open: true,
            live: true,
        },
    }
}

fn strict(c: Context) -> Step {
    use Edge::{Always, Auto, Contact, Never};
    if c.continues() {
        return Step {
            live: true,
            ..Step::default()
        };
    }
    let touches = c.same && c.before.is_some() && c.here.is_some();
    let well_closed = c.before.is_some_and(|p| match p.ends {
        Always | Auto => true,
        Never => false,
        Contact => touches,
    });
    let opens = c.here.is_some_and(|p| match p.begins {
        Always | Auto => true,
        Never => false,
        Contact => touches,
    });
    Step {
        close: c.live && well_closed,
        open: opens,
        live: opens,
    }
}

fn discard(c: Context) -> Step {
    let orphan = c.here.is_some_and(|p| match p.begins {
        Edge::Never => true,
        // What the previous tag is decides, as for violations, and not what was made of it: so every violation
        // costs one tag, and only the tag it is about.
        Edge::Contact => !(c.before.is_some() && c.same),
        Edge::Always | Edge::Auto => false,
    });
    if orphan && !c.continues() {
        return Step {
            close: c.live,
            ..Step::default()
        };
    }
    conlleval(c)
}

/// NCRF++ for schemes that close openly: from a first token to the next last token, whatever stands
/// between. A span that nothing closes ends with the sentence (NCRF++ forgets where it ended).
fn ncrfpp(here: u8, c: Context) -> Step {
    // The previous token closed its span, so that span ends before this token whatever this one is.
    let done = c.live && c.before.is_some_and(|p| p.ends == Edge::Always);
    let opens = c.here.is_some_and(|p| p.begins == Edge::Always);
    Step {
        close: done || c.live && (opens || here == END),
        open: opens,
        live: opens || c.live && !done,
    }
}

/// NCRF++ for BIO: a span goes on while types agree; what does not go on is not read.
fn ncrfpp_bio(c: Context) -> Step {
    let opens = c.here.is_some_and(|p| p.begins == Edge::Always);
    let continues = c.continues();
    Step {
        close: c.live && !continues,
        open: opens,
        live: opens || continues,
    }
}
