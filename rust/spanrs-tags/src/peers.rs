//! The two readings of seqeval 1.2.2, kept to the letter.
//!
//! seqeval's default mode knows the letters `B I E S O .` whatever the scheme, so `L`, `U`, `M` and `W`
//! are letters it does not understand; its strict mode is a table of patterns a scheme, with gaps
//! (`B-PER B-LOC` in IOB drops both spans; a span of one token in IOE1 is never found). Numbers published
//! with seqeval can be reproduced with these readings; `conlleval` and `strict` are the ones to use.

use crate::scheme::{Edge, Prefix, Scheme};
use crate::table::{Context, END, OUTSIDE, Step};

const fn letter(letter: &'static str) -> Prefix {
    Prefix {
        letter,
        begins: Edge::Auto,
        ends: Edge::Auto,
    }
}

/// The letters of the default mode; their order gives the symbols below.
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

/// seqeval's `end_of_chunk` and `start_of_chunk`. Open spans need no memory: where neither says
/// anything the previous begin stays, as there.
pub(crate) fn seqeval(before: u8, here: u8, same: bool) -> Step {
    // The end of a sentence is an appended `O` there.
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

/// (letters before, letters here, types). `*` is any letter, `O` also stands for the sentence's end.
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

/// True for the schemes seqeval's strict mode knows.
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
