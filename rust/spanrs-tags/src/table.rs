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
const SYMBOLS: usize = 8;
const STATES: usize = 2 * SYMBOLS;

/// Step bit: the open span ends before this token.
pub const CLOSE: u8 = 1;
/// Step bit: a span begins at this token.
pub const OPEN: u8 = 2;
/// Step bit: the type of the span is the type of this token.
const TYPE: u8 = 4;
/// Step bit: something is wrong between the previous token and this one.
pub const VIOLATION: u8 = 8;

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
    steps: [u8; STATES * SYMBOLS * 2],
    /// False for readings with letters of their own, which cannot see the violations of the scheme.
    pub(crate) sees_violations: bool,
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
        let prefix = |symbol: u8| (symbol as usize).checked_sub(1).and_then(|at| prefixes.get(at));
        let sees_violations = reading != Reading::Seqeval;
        let mut steps = [0; STATES * SYMBOLS * 2];
        for state in 0..STATES as u8 {
            for here in 0..SYMBOLS as u8 {
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
                    let next = if here == END { 0 } else { here << 1 | u8::from(step.live) };
                    steps[index(state, here, same)] = u8::from(step.close) * CLOSE
                        | u8::from(step.open) * OPEN
                        | u8::from(typed) * TYPE
                        | u8::from(wrong) * VIOLATION
                        | next << 4;
                }
            }
        }
        Ok(Self {
            steps,
            sees_violations,
        })
    }
}

/// The letters a reading looks for: those of the scheme, but for seqeval's default mode its own.
pub(crate) fn letters(scheme: Scheme, reading: Reading) -> &'static [Prefix] {
    if reading == Reading::Seqeval {
        peers::SEQEVAL_LETTERS
    } else {
        scheme.prefixes()
    }
}

#[inline(always)]
fn index(state: u8, symbol: u8, same: bool) -> usize {
    (state as usize) << 4 | ((symbol & 7) as usize) << 1 | same as usize
}

/// A walk through the tags of one sentence.
///
/// Entries are what a [`crate::Reader`] made of the tags: type in the upper bits, symbol in the low 8.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    table: &'a Table,
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
            table,
            state: OUTSIDE << 1,
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
        self.table.steps[index(self.state, entry as u8, same)]
    }

    /// Goes over token `at`, for which [`Walk::look`] gave `step`.
    #[inline(always)]
    pub fn advance(&mut self, at: u32, entry: u32, step: u8) {
        self.begin = if step & OPEN != 0 { at } else { self.begin };
        self.ty = if step & TYPE != 0 { entry >> 8 } else { self.ty };
        self.ty_before = entry >> 8;
        self.state = step >> 4;
    }

    /// What happens at the end of the sentence.
    #[inline(always)]
    pub fn finish(&self) -> u8 {
        self.look(u32::from(END))
    }

    /// True where nothing is open and the previous tag was `O` (or there is none): an `O` more changes
    /// nothing.
    #[inline(always)]
    pub fn rests(&self) -> bool {
        self.state == OUTSIDE << 1
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
        Edge::Contact => !(c.live && c.same),
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
