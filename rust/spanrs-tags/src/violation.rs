//! What can be wrong between two neighbouring tags, and where.

use std::fmt;

use crate::reading::Reading;
use crate::scheme::{Edge, Prefix};
use crate::table::{END, OUTSIDE, UNKNOWN};

/// What is wrong. The names are those of iobes; `UnknownTag` is ours.
///
/// Ordered as the names are: several violations of one token are reported in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The span of this token is not ended as the scheme demands.
    IllegalEnd,
    /// The sentence ends inside the span of this token.
    IllegalFinal,
    /// A first token with nothing after it, where the scheme has a prefix for single tokens.
    IllegalSingle,
    /// The token would go on with a span, and there is none.
    IllegalStart,
    /// The token would go on with a span of another type.
    IllegalTransition,
    /// The scheme has no such prefix; the token is read as `O`.
    UnknownTag,
}

/// A set of kinds between two tags, as bits.
pub(crate) const NONE: u8 = 0;
/// With the bit, the kind, and whether it is about the previous token.
const BITS: [(u8, Kind, bool); 6] = [
    (1, Kind::IllegalEnd, true),
    (2, Kind::IllegalFinal, true),
    (4, Kind::IllegalSingle, true),
    (8, Kind::IllegalStart, false),
    (16, Kind::IllegalTransition, false),
    (32, Kind::UnknownTag, false),
];
const ILLEGAL_END: u8 = 1;
const ILLEGAL_FINAL: u8 = 2;
const ILLEGAL_SINGLE: u8 = 4;
const ILLEGAL_START: u8 = 8;
const ILLEGAL_TRANSITION: u8 = 16;
pub(crate) const UNKNOWN_TAG: u8 = 32;

/// The kinds in a set, each with true where it is about the token before.
pub(crate) fn kinds(set: u8) -> impl Iterator<Item = (Kind, bool)> {
    BITS.into_iter()
        .filter(move |(bit, ..)| set & bit != 0)
        .map(|(_, kind, before)| (kind, before))
}

/// What is wrong where a token with symbol `here` follows one with symbol `before`.
///
/// `OUTSIDE` as `before` also stands for the start of the sentence.
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
        // The token begins a span by right, or goes on with one; is the one before it finished?
        Auto if unfinished && same => NONE,
        Always | Auto => match before {
            Some(p) if p.ends == Never && p.begins == Always => ILLEGAL_END | ILLEGAL_SINGLE,
            Some(p) if p.ends == Never => ILLEGAL_END,
            Some(p) if p.ends == Contact && !same => ILLEGAL_END,
            _ => NONE,
        },
    }
}

/// What a reading did about a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A span was opened at the token.
    Opened,
    /// The span of the token was closed behind it and kept.
    Closed,
    /// The span of the token was dropped.
    Dropped,
    /// The token was read as `O`.
    Outside,
    /// The token was not looked at; an open span goes on over it.
    Skipped,
    /// The input was refused.
    Refused,
}

impl Action {
    /// What `reading` does about a violation of this kind.
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

    /// As a phrase that goes on after "the reading".
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
    /// The name, as iobes prints it.
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

/// A tag that does not conform to its scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The token, from 0 in its sentence.
    pub index: u32,
    /// What is wrong.
    pub kind: Kind,
    /// The tag before the token; None at the start of the sentence.
    pub previous: Option<String>,
    /// The tag of the token.
    pub current: String,
    /// The tag behind the token; None at the end of the sentence.
    pub next: Option<String>,
    /// What the reading did about it.
    pub action: Action,
}

impl fmt::Display for Violation {
    /// `Illegal Start at index 3: I-LOC after O`; violations that look ahead name the next tag.
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
    /// The tag with the neighbour that makes it wrong.
    pub fn context(&self) -> String {
        let current = &self.current;
        match self.kind {
            Kind::UnknownTag => format!("{current} is no tag of the scheme"),
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
