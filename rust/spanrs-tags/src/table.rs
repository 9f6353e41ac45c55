//! The finite-state table that reads tags, and the walk through it.
//!
//! A state is the symbol of the previous token and whether a span is open. One step over a token
//! looks up (state, symbol of the token, same type as the previous token?) and finds one byte with
//! the actions and the next state. Readings differ only in how they fill the table, so one walk
//! serves every scheme and reading.
//!
//! Symbols are 0 for `O`, 1 to 5 for the prefixes of the scheme, 6 for an unknown tag and 7 for the
//! end of the sentence. The index of a step and the step itself are laid out so that the walk needs
//! no shifts:
//!
//! | bits | 7-5 | 4 | 3 | 2 | 1 | 0 |
//! |---|---|---|---|---|---|---|
//! | index | symbol of the previous token | a span is open | symbol | symbol | symbol | same type |
//! | step | symbol of this token | a span is open | violation | type | open | close |
//!
//! The upper four bits of a step are therefore the upper four bits of the next index. A table takes
//! 256 bytes, four cache lines.
//!
//! # Bigrams
//!
//! For most schemes and readings, the symbol of the previous token determines whether a span is
//! open. The step between two tags then depends only on the pair ([`Table::between`]), and a scorer
//! can count pairs of tags instead of walking sentences.

use crate::error::{Error, Result};
use crate::peers;
use crate::reading::Reading;
use crate::scheme::{Edge, Prefix, Scheme};
use crate::step::{Context, END, OUTSIDE, SYMBOLS, Step};
use crate::violation;

/// Number of states: previous symbol times whether a span is open.
const STATES: u8 = 2 * SYMBOLS;
/// Number of steps in a table: states times symbols times whether the types are equal.
const CELLS: usize = 256;

/// Step bit: the open span ends before this token.
pub const CLOSE: u8 = 1;
/// Step bit: a span begins at this token.
pub const OPEN: u8 = 2;
/// Step bit: the type of the open span is set to the type of this token.
const TYPE: u8 = 4;
/// Step bit: the pair of the previous token and this one violates the scheme.
pub const VIOLATION: u8 = 8;

/// The bits of a step that contain the next state.
const STATE: u8 = 0xF0;

/// The steps of one reading of one scheme.
#[derive(Clone, Debug)]
pub struct Table {
    /// The steps, in the layout that the module documentation describes.
    steps: Box<[u8; CELLS]>,
    /// Whether [`VIOLATION`] is set where the scheme is violated; false for the reading of
    /// seqeval's default mode, which has its own prefixes.
    pub(crate) sees_violations: bool,
    /// For each symbol, whether a span is open after it; None if that depends on earlier tokens.
    live: Option<[bool; SYMBOLS as usize]>,
}

impl Table {
    /// Fills the table by evaluating the reading for each state and symbol, including states that
    /// no walk reaches.
    ///
    /// # Errors
    /// [`Error::ReadingNotForScheme`] for [`Reading::Ncrfpp`] and [`Reading::SeqevalStrict`] with a
    /// scheme for which they are not defined.
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
        let mut steps = Box::new([0; CELLS]);
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
                    // The type is updated at every token, except where the first token of a span
                    // determines the type of the span.
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
            live: live_after(&steps),
            steps,
            sees_violations,
        })
    }

    /// Returns the step between two neighbouring tags, given as entries, or None if the step
    /// depends on earlier tokens.
    ///
    /// An entry of None is the border of the sentence: its start as `before`, its end as `here`.
    /// Whether the result is None depends on the table only, not on the pair.
    pub(crate) fn between(&self, before: Option<u32>, here: Option<u32>) -> Option<u8> {
        let live = self.live?;
        let end = entry(0, END);
        let (ty, symbol) = before.map_or((0, OUTSIDE), |e| (e >> 8, (e as u8) >> 1));
        let here = here.unwrap_or(end);
        let state = symbol << 5 | u8::from(live[symbol as usize]) << 4;
        Some(self.steps[index(state, here as u8, here >> 8 == ty)])
    }
}

/// Returns for each symbol whether a span is open after it; None if this is not the same in all
/// reachable states. Only states that can be reached from the start of a sentence are considered
/// (depth-first search).
fn live_after(steps: &[u8; CELLS]) -> Option<[bool; SYMBOLS as usize]> {
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

/// Returns the prefixes used by a reading: the prefixes of the scheme, except in seqeval's default
/// mode, which has its own prefixes.
pub(crate) fn letters(scheme: Scheme, reading: Reading) -> &'static [Prefix] {
    if reading == Reading::Seqeval {
        peers::SEQEVAL_LETTERS
    } else {
        scheme.prefixes()
    }
}

/// Returns `bit` if `on`, else 0.
fn bit(on: bool, bit: u8) -> u8 {
    if on { bit } else { 0 }
}

/// Returns the index of a step.
///
/// `state` is in the upper four bits, as steps carry it, and `symbol` is shifted left by one, as
/// entries carry it, so the parts only need to be combined. The result is below 256, so an array of
/// that size is indexed without a bounds check.
#[inline(always)]
fn index(state: u8, symbol: u8, same: bool) -> usize {
    (state | symbol | u8::from(same)) as usize
}

/// Encodes a decoded tag in one word: the id of its type in the upper 24 bits and its symbol,
/// shifted left by one, in the low 8. Type ids of 2^24 or more do not fit; default limits allow
/// 2^20 tags.
pub(crate) fn entry(ty: u32, symbol: u8) -> u32 {
    ty << 8 | u32::from(symbol << 1)
}

/// Returns whether an entry belongs to `O` or to a tag that the dialect reads as `O`. Entries come
/// from [`crate::SideReader::entries`].
#[inline(always)]
pub fn is_outside(entry: u32) -> bool {
    entry as u8 >> 1 == OUTSIDE
}

/// A walk through the tags of one sentence, for callers that need more control than
/// [`crate::Reader::spans`] gives.
///
/// Entries come from [`crate::SideReader::entries`]. For each token call [`Walk::look`], use
/// `begin` and `ty` if the step has [`CLOSE`], then call [`Walk::advance`]; at the end call
/// [`Walk::finish`].
///
/// # Examples
///
/// ```
/// use spanrs_tags::{CLOSE, Dialect, Reader, Reading, Scheme, Walk};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let ids = reader.intern_all(["B-PER", "I-PER", "O"]).unwrap();
/// let (side, mut ends) = (reader.gold(), Vec::new());
/// let mut walk = Walk::new(side.table());
/// for (at, &id) in (0..).zip(&ids) {
///     let entry = side.entries()[id as usize];
///     let step = walk.look(entry);
///     if step & CLOSE != 0 {
///         ends.push((walk.begin, at, reader.type_name(walk.ty)));
///     }
///     walk.advance(at, entry, step);
/// }
/// assert_eq!(ends, [(0, 2, "PER")]);
/// assert_eq!(walk.finish() & CLOSE, 0, "no span is open at the end");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The table.
    steps: &'a [u8; CELLS],
    /// The current state, in the upper four bits; the lower four are 0.
    state: u8,
    /// Type of the previous token; 0 at the start of a sentence.
    ty_before: u32,
    /// Index of the first token of the open span; meaningful only while a span is open.
    pub begin: u32,
    /// Type of the open span; meaningful only while a span is open.
    pub ty: u32,
}

impl<'a> Walk<'a> {
    /// Creates a walk that is before the first token of a sentence.
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

    /// Returns the step for the next token: the bits [`CLOSE`], [`OPEN`] and [`VIOLATION`], and
    /// bits that are private to the walk.
    ///
    /// If the step has [`CLOSE`], `begin` and `ty` describe the span that ends before the token
    /// (exclusive end: the index of the token).
    #[inline(always)]
    pub fn look(&self, entry: u32) -> u8 {
        let same = entry >> 8 == self.ty_before;
        self.steps[index(self.state, entry as u8, same)]
    }

    /// Moves past token `at` with the given entry, for which [`Walk::look`] returned `step`.
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

    /// Returns the step for the end of the sentence; with [`CLOSE`], the open span ends with the
    /// last token.
    #[inline(always)]
    pub fn finish(&self) -> u8 {
        self.look(entry(0, END))
    }

    /// Returns whether the walk is in the state of the start of a sentence: the previous tag was
    /// `O` or there is none, and no span is open.
    #[inline(always)]
    pub fn rests(&self) -> bool {
        self.state == 0
    }
}

/// Reading `conlleval`: every prefixed token that does not continue the open span opens one.
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

/// Reading `strict`: a span is opened only by a prefix that may begin a span, and is reported only
/// if a prefix that may end a span closed it. A malformed continuation discards the open span.
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

/// Reading `discard`: a token that would continue a span is read as `O` if there is no such span;
/// otherwise the reading is the same as `conlleval`.
fn discard(c: Context) -> Step {
    let orphan = c.here.is_some_and(|p| match p.begins {
        Edge::Never => true,
        // Judge by the previous tag, not by how that tag was read, so that each violation discards
        // one tag.
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

/// Reading `ncrfpp` for schemes with a prefix for last tokens: a span extends from a first token to
/// the next last token, regardless of the tokens between them. A span without a last token ends
/// where the next span begins or with the sentence (NCRF++ loses the end of a span that is closed
/// by the end of the sentence).
fn ncrfpp(here: u8, c: Context) -> Step {
    // The previous token closed its span, so that span ends before this token, whatever its tag is.
    let done = c.live && c.before.is_some_and(|p| p.ends == Edge::Always);
    let opens = c.here.is_some_and(|p| p.begins == Edge::Always);
    Step {
        close: done || c.live && (opens || here == END),
        open: opens,
        live: opens || c.live && !done,
    }
}

/// Reading `ncrfpp` for BIO: a span continues while the types agree; an `I` that does not continue
/// a span is ignored.
fn ncrfpp_bio(c: Context) -> Step {
    let opens = c.here.is_some_and(|p| p.begins == Edge::Always);
    let continues = c.continues();
    Step {
        close: c.live && !continues,
        open: opens,
        live: opens || continues,
    }
}
