//! The two readings that reproduce seqeval 1.2.2, as data for the reading tables.
//!
//! seqeval's default mode uses the letters `B I E S O .` under every scheme, so `L`, `U`, `M` and
//! `W` are unknown. Its strict mode has a table of patterns for each scheme, with gaps: `B-PER
//! B-LOC` in IOB drops both spans, and a span of one token in IOE1 is never found. These readings
//! reproduce numbers published with seqeval; for other purposes use `conlleval` and `strict`.
//!
//! The two readings are in this crate because they use the same table as all other readings. Other
//! behaviour of seqeval (its splitting of tags, spans across sentence boundaries) is in
//! `spanrs-compat`.
//!
//! Sources: `get_entities`, `start_of_chunk` and `end_of_chunk` in
//! `seqeval/metrics/sequence_labeling.py`, and the `start_patterns`, `inside_patterns` and
//! `end_patterns` in `seqeval/scheme.py`.

use crate::scheme::{Edge, Prefix, Scheme};
use crate::step::{Context, END, OUTSIDE, Step, UNKNOWN};

/// Builds a letter of the default mode. The edges are never read, because the default mode decides
/// by symbols.
const fn letter(letter: &'static str) -> Prefix {
    Prefix {
        letter,
        begins: Edge::Auto,
        ends: Edge::Auto,
    }
}

/// Letters of the default mode; the position plus 1 is the symbol ([`B`] to [`DOT`]).
pub(crate) const SEQEVAL_LETTERS: &[Prefix] = &[
    letter("B"),
    letter("I"),
    letter("E"),
    letter("S"),
    letter("."),
];
/// Symbol of `B` in the default mode.
const B: u8 = 1;
/// Symbol of `I` in the default mode.
const I: u8 = 2;
/// Symbol of `E` in the default mode.
const E: u8 = 3;
/// Symbol of `S` in the default mode.
const S: u8 = 4;
/// Symbol of `.` in the default mode, which never begins a span.
const DOT: u8 = 5;

/// Returns whether a span ends and whether one begins between two tags, as seqeval's `end_of_chunk`
/// and `start_of_chunk` decide.
///
/// `before` and `here` are the letters of the tags (`O` for the borders of a sentence); all letters
/// other than `B I E S O .` are unknown to seqeval and treated in the same way. `same` is true if
/// both tags have the same type.
///
/// # Examples
///
/// ```
/// use spanrs_tags::seqeval_borders;
/// assert_eq!(seqeval_borders('B', 'I', true), (false, false), "the span continues");
/// assert_eq!(seqeval_borders('B', 'I', false), (true, true), "the type changes");
/// assert_eq!(seqeval_borders('E', 'O', false), (true, false));
/// ```
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

/// Returns the step of the default mode between two symbols.
///
/// The step does not depend on whether a span is open: as in seqeval, the last start remains valid
/// until the next one, so two spans may have the same start (`E-A M-A` gives A [0, 1) and A [0,
/// 2)).
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

/// The condition of a pattern on the types of the two tags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Types {
    /// No condition.
    Any,
    /// The types are equal.
    Same,
    /// The types differ.
    Differ,
}
use Types::{Any, Differ, Same};

/// (letters before, letters here, types). `*` is any letter; `O` also matches the borders of the
/// sentence.
type Pattern = (&'static str, &'static str, Types);

/// The patterns of one scheme in strict mode.
struct Patterns {
    /// The scheme.
    scheme: Scheme,
    /// A span begins at the second tag.
    start: &'static [Pattern],
    /// The second tag continues the span.
    inside: &'static [Pattern],
    /// The span ends before the second tag.
    end: &'static [Pattern],
}

/// The patterns of `seqeval/scheme.py`, scheme by scheme.
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

/// Returns whether seqeval's strict mode supports the scheme.
pub(crate) fn has_strict(scheme: Scheme) -> bool {
    STRICT.iter().any(|p| p.scheme == scheme)
}

/// Returns the step of the strict mode.
///
/// An open span is continued if an inside pattern matches; otherwise it ends, and is reported only
/// if an end pattern matches. A token that neither continues nor starts a span is read as `O`.
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
