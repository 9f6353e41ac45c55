//! The two readings that reproduce seqeval 1.2.2, as data for the reading tables.
//!
//! seqeval's default mode uses the letters `B I E S O .` whatever the scheme, so `L`, `U`, `M` and `W` are unknown to it;
//! its strict mode has a table of patterns for each scheme, with gaps (`B-PER B-LOC` in IOB drops both spans; a span of
//! one token in IOE1 is never found). These readings reproduce numbers published with seqeval; for other purposes use
//! `conlleval` and `strict`.
//!
//! They are in this crate because they are entries of the table that serves all readings. What is not a reading of a
//! scheme (seqeval's own splitting of tags, spans across sentence boundaries) is in `spanrs-compat`.

use crate::scheme::{Edge, Prefix, Scheme};
use crate::table::{Context, END, OUTSIDE, Step, UNKNOWN};

const fn letter(letter: &'static str) -> Prefix {
    Prefix {
        letter,
        begins: Edge::Auto,
        ends: Edge::Auto,
    }
}

/// Letters of the default mode, in the order of the symbols below.
pub(crate) const SEQEVAL_LETTERS: &[Prefix] = &[
    letter("B"),
    letter("I"),
    letter("E"),
    letter("S"),
    letter("."),
];
const B: u8 = 1;
const I: u8 = 2;
const E: u8 = 3;
const S: u8 = 4;
const DOT: u8 = 5;

/// seqeval's `end_of_chunk` and `start_of_chunk` between two tags, given by their letters: whether a span ends and
/// whether one begins. `same` says whether both tags have the same type.
pub fn seqeval_borders(before: char, here: char, same: bool) -> (bool, bool) {
    let symbol = |letter| match letter {
        'O' => OUTSIDE,
        'B' => B,
        'I' => I,
        'E' => E,
        'S' => S,
        '.' => DOT,
        _ => UNKNOWN,
    };
    let step = seqeval(symbol(before), symbol(here), same);
    (step.close, step.open)
}

/// The step of the default mode between two symbols. It needs no state of open spans: as in seqeval, the last begin
/// stays in force until the next one.
pub(crate) fn seqeval(before: u8, here: u8, same: bool) -> Step {
    // seqeval appends an `O` to the sentence.
    let here = if here == END { OUTSIDE } else { here };
    let spanlike = |symbol| symbol != OUTSIDE && symbol != DOT;
    let close = matches!(before, E | S)
        || matches!(before, B | I) && matches!(here, B | S | OUTSIDE)
        || spanlike(before) && !same;
    let open = matches!(here, B | S)
        || matches!(before, E | S | OUTSIDE) && matches!(here, E | I)
        || spanlike(here) && !same;
    Step {
        close,
        open,
        live: false,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Types {
    Any,
    Same,
    Differ,
}
use Types::{Any, Differ, Same};

/// (letters before, letters here, types). `*` is any letter; `O` also matches the end of the sentence.
type Pattern = (&'static str, &'static str, Types);

struct Patterns {
    scheme: Scheme,
    start: &'static [Pattern],
    inside: &'static [Pattern],
    end: &'static [Pattern],
}

const STRICT: [Patterns; 6] = [
    Patterns {
        scheme: Scheme::Iob,
        start: &[
            ("O", "I", Any),
            ("I", "I", Differ),
            ("B", "I", Any),
            ("IB", "B", Same),
        ],
        inside: &[("BI", "I", Same)],
        end: &[
            ("IB", "I", Differ),
            ("IB", "O", Any),
            ("I", "B", Any),
            ("B", "B", Same),
        ],
    },
    Patterns {
        scheme: Scheme::Bio,
        start: &[("*", "B", Any)],
        inside: &[("BI", "I", Same)],
        end: &[("BI", "OB", Any), ("BI", "I", Differ)],
    },
    Patterns {
        scheme: Scheme::Ioe1,
        start: &[("OE", "I", Any), ("I", "I", Differ), ("E", "E", Same)],
        inside: &[("I", "IE", Same)],
        end: &[("I", "IE", Differ), ("I", "O", Any), ("E", "IE", Same)],
    },
    Patterns {
        scheme: Scheme::Ioe2,
        start: &[("OE", "IE", Any), ("I", "IE", Differ)],
        inside: &[("I", "IE", Same)],
        end: &[("E", "*", Any)],
    },
    Patterns {
        scheme: Scheme::Iobes,
        start: &[("*", "BS", Any)],
        inside: &[("BI", "IE", Same)],
        end: &[("SE", "*", Any)],
    },
    Patterns {
        scheme: Scheme::Bilou,
        start: &[("*", "BU", Any)],
        inside: &[("BI", "IL", Same)],
        end: &[("UL", "*", Any)],
    },
];

/// True for the schemes of seqeval's strict mode.
pub(crate) fn has_strict(scheme: Scheme) -> bool {
    STRICT.iter().any(|p| p.scheme == scheme)
}

pub(crate) fn seqeval_strict(scheme: Scheme, c: Context) -> Step {
    let Some(patterns) = STRICT.iter().find(|p| p.scheme == scheme) else {
        return Step::default();
    };
    let letter = |prefix: Option<Prefix>| prefix.map_or("O", |p| p.letter);
    let matches = |patterns: &[Pattern]| {
        patterns.iter().any(|(before, here, types)| {
            (*before == "*" || before.contains(letter(c.before)))
                && (*here == "*" || here.contains(letter(c.here)))
                && match types {
                    Any => true,
                    Same => c.same,
                    Differ => !c.same,
                }
        })
    };
    if c.live && matches(patterns.inside) {
        return Step {
            live: true,
            ..Step::default()
        };
    }
    let open = matches(patterns.start);
    Step {
        close: c.live && matches(patterns.end),
        open,
        live: open,
    }
}
