//! Violations of a scheme: the ways in which two neighbouring tags can be malformed, and how a
//! reading treats them.
//!
//! Legality is a property of tag bigrams: it depends on the right border of the previous token, the
//! left border of this token, whether their types are equal, and the borders of the sentence. A
//! pair may have several violations; some are attributed to the previous token (its span is not
//! ended), the others to this token (its span is not begun).
//!
//! | BIO or IOBES | violation | token |
//! |---|---|---|
//! | `O I-A` | Illegal Start | `I-A` |
//! | `B-A I-B` | Illegal Transition | `I-B` |
//! | `I-A O` (IOBES) | Illegal End | `I-A` |
//! | `B-A O` (IOBES) | Illegal End and Illegal Single | `B-A` |
//! | `B-A` at the end (IOBES) | Illegal Final | `B-A` |
//! | `X-A` | Unknown Tag | `X-A` |
//!
//! The names, and the token that a violation is attributed to, are the same as in iobes.

use serde::{Serialize, Serializer};
use std::fmt;

use crate::reading::Reading;
use crate::scheme::{Edge, Prefix};
use crate::step::{END, OUTSIDE, UNKNOWN};

/// The kind of a violation. The names are from iobes, except `UnknownTag`.
///
/// The variants are ordered alphabetically; several violations of one token are reported in this
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The span of this token is not ended as the scheme requires: `I-A O` in IOBES.
    IllegalEnd,
    /// The sentence ends inside the span of this token: `B-A` last in IOBES.
    IllegalFinal,
    /// The first token of a span is not continued, in a scheme with a prefix for one-token spans:
    /// `B-A O` in IOBES.
    IllegalSingle,
    /// The tag continues a span, but no span directly precedes the token: `O I-A` in BIO.
    IllegalStart,
    /// The tag continues a span, but the preceding span has another type: `B-A I-B` in BIO.
    IllegalTransition,
    /// The scheme does not have the prefix; the token is read as `O`, or skipped with
    /// [`Reading::Ncrfpp`].
    UnknownTag,
}

/// The empty set of violations. Sets of violations between two tags are bit masks.
pub(crate) const NONE: u8 = 0;
/// Each bit, its kind, and whether it concerns the previous token, in the order of [`Kind`].
const BITS: [(u8, Kind, bool); 6] = [
    (1, Kind::IllegalEnd, true),
    (2, Kind::IllegalFinal, true),
    (4, Kind::IllegalSingle, true),
    (8, Kind::IllegalStart, false),
    (16, Kind::IllegalTransition, false),
    (32, Kind::UnknownTag, false),
];
/// Bit of [`Kind::IllegalEnd`].
const ILLEGAL_END: u8 = 1;
/// Bit of [`Kind::IllegalFinal`].
const ILLEGAL_FINAL: u8 = 2;
/// Bit of [`Kind::IllegalSingle`].
const ILLEGAL_SINGLE: u8 = 4;
/// Bit of [`Kind::IllegalStart`].
const ILLEGAL_START: u8 = 8;
/// Bit of [`Kind::IllegalTransition`].
const ILLEGAL_TRANSITION: u8 = 16;
/// Bit of [`Kind::UnknownTag`].
pub(crate) const UNKNOWN_TAG: u8 = 32;

/// Iterates over the kinds in a set; the flag is true for kinds that concern the previous token.
pub(crate) fn kinds(set: u8) -> impl Iterator<Item = (Kind, bool)> {
    BITS.into_iter()
        .filter(move |(bit, ..)| set & bit != 0)
        .map(|(_, kind, before)| (kind, before))
}

/// Returns the violations between a token with symbol `before` and the next one with symbol `here`.
///
/// Symbols are the same as in the reading tables; at the start of the sentence `before` is
/// `OUTSIDE`, at its end `here` is `END`. `same` is true if both tokens have the same type; `same`
/// is ignored if one of the tokens has no prefix.
pub(crate) fn between(prefixes: &[Prefix], before: u8, here: u8, same: bool) -> u8 {
    use Edge::{Always, Auto, Contact, Never};
    let prefix = |symbol: u8| {
        (symbol as usize)
            .checked_sub(1)
            .and_then(|at| prefixes.get(at))
    };
    let before = prefix(before);
    if here == END {
        return match before.map(|p| p.ends) {
            Some(Never | Contact) => ILLEGAL_FINAL,
            _ => NONE,
        };
    }
    let Some(this) = prefix(here) else {
        let ends = match before {
            Some(p) if p.ends == Never && p.begins == Always && here == OUTSIDE => {
                ILLEGAL_END | ILLEGAL_SINGLE
            }
            Some(p) if matches!(p.ends, Never | Contact) => ILLEGAL_END,
            _ => NONE,
        };
        return ends | if here == UNKNOWN { UNKNOWN_TAG } else { NONE };
    };
    let unfinished = before.is_some_and(|p| matches!(p.ends, Never | Auto));
    match this.begins {
        Never if unfinished && same => NONE,
        Never if unfinished => ILLEGAL_TRANSITION,
        Never => ILLEGAL_START,
        Contact if before.is_some() && same => NONE,
        Contact if before.is_some() => ILLEGAL_TRANSITION,
        Contact => ILLEGAL_START,
        // The token may begin a span: check that the span before it is finished.
        Auto if unfinished && same => NONE,
        Always | Auto => match before {
            Some(p) if p.ends == Never && p.begins == Always => ILLEGAL_END | ILLEGAL_SINGLE,
            Some(p) if p.ends == Never => ILLEGAL_END,
            Some(p) if p.ends == Contact && !same => ILLEGAL_END,
            _ => NONE,
        },
    }
}

/// The treatment of a violation by a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A span was opened at the token.
    Opened,
    /// The span was closed after the token and kept.
    Closed,
    /// The span of the token was dropped.
    Dropped,
    /// The token was read as `O`.
    Outside,
    /// The token was ignored; an open span extends over the token.
    Skipped,
    /// The input was refused.
    Refused,
}

impl Action {
    /// Returns the treatment of a violation of this kind by `reading`.
    ///
    /// seqeval's readings are described like `conlleval` and `strict`; sequences that seqeval reads
    /// differently are not reported.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_tags::{Action, Kind, Reading};
    /// assert_eq!(Action::of(Reading::Conlleval, Kind::IllegalStart), Action::Opened);
    /// assert_eq!(Action::of(Reading::Discard, Kind::IllegalStart), Action::Outside);
    /// assert_eq!(Action::of(Reading::Strict, Kind::IllegalFinal), Action::Dropped);
    /// ```
    pub fn of(reading: Reading, kind: Kind) -> Self {
        use Kind::{IllegalEnd, IllegalFinal, IllegalSingle, IllegalStart, IllegalTransition};
        match (reading, kind) {
            (Reading::Refuse, _) => Self::Refused,
            (Reading::Ncrfpp, Kind::UnknownTag) => Self::Skipped,
            (_, Kind::UnknownTag) => Self::Outside,
            (Reading::Ncrfpp, IllegalStart | IllegalTransition | IllegalEnd) => Self::Skipped,
            (Reading::Discard, IllegalStart | IllegalTransition) => Self::Outside,
            (Reading::Strict | Reading::SeqevalStrict, IllegalStart | IllegalTransition) => {
                Self::Outside
            }
            (Reading::Strict | Reading::SeqevalStrict, _) => Self::Dropped,
            (_, IllegalStart | IllegalTransition) => Self::Opened,
            (_, IllegalEnd | IllegalFinal | IllegalSingle) => Self::Closed,
        }
    }

    /// Returns a verb phrase whose subject is the reading: "opened a span".
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Opened => "opened a span",
            Self::Closed => "closed the span",
            Self::Dropped => "dropped the span",
            Self::Outside => "read it as O",
            Self::Skipped => "skipped it",
            Self::Refused => "refused the input",
        }
    }
}

impl Kind {
    /// Returns the name as iobes prints it: "Illegal Start".
    pub fn name(self) -> &'static str {
        match self {
            Self::IllegalEnd => "Illegal End",
            Self::IllegalFinal => "Illegal Final",
            Self::IllegalSingle => "Illegal Single",
            Self::IllegalStart => "Illegal Start",
            Self::IllegalTransition => "Illegal Transition",
            Self::UnknownTag => "Unknown Tag",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A tag that does not conform to its scheme, with its neighbours.
///
/// Displayed with its index and the neighbour that makes the tag illegal.
///
/// # Examples
///
/// ```
/// use spanrs_tags::{Dialect, Kind, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Iobes, Reading::Conlleval, Dialect::default()).unwrap();
/// let ids = reader.intern_all(["B-A", "O"]).unwrap();
/// let violations = reader.violations(&ids);
/// assert_eq!(violations[0].kind, Kind::IllegalEnd);
/// assert_eq!(violations[1].to_string(), "Illegal Single at index 0: B-A before O");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// Index of the token in its sentence, 0-based.
    pub index: u32,
    /// The kind of the violation.
    pub kind: Kind,
    /// The tag of the previous token; None at the start of the sentence.
    pub previous: Option<String>,
    /// The tag of the token.
    pub current: String,
    /// The tag of the next token; None at the end of the sentence.
    pub next: Option<String>,
    /// The treatment of the violation by the reading.
    pub action: Action,
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.phrase())
    }
}

impl fmt::Display for Violation {
    /// Writes `Illegal Start at index 3: I-LOC after O`; violations at the end of a span include
    /// the next tag instead of the previous one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at index {}: {}",
            self.kind,
            self.index,
            self.context()
        )
    }
}

impl Violation {
    /// Returns the tag and the neighbour that makes it illegal, as in "I-LOC after O".
    pub fn context(&self) -> String {
        let current = &self.current;
        match self.kind {
            Kind::UnknownTag => format!("{current} is not a tag of the scheme"),
            Kind::IllegalStart | Kind::IllegalTransition => match &self.previous {
                Some(previous) => format!("{current} after {previous}"),
                None => format!("{current} at the start of the sentence"),
            },
            Kind::IllegalEnd | Kind::IllegalFinal | Kind::IllegalSingle => match &self.next {
                Some(next) => format!("{current} before {next}"),
                None => format!("{current} at the end of the sentence"),
            },
        }
    }
}
