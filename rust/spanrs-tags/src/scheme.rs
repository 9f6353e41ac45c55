//! The tagging schemes as data: one table of prefixes per scheme.
//!
//! Other modules have no code for a particular scheme, except where a reading is defined for some
//! schemes only. Reading, writing, validation and the transition matrix all follow from the two
//! [`Edge`] values of each prefix. The prefix `O` belongs to every scheme and is not in the tables.
//!
//! | scheme | tags of `New York , Paris Texas` with LOC [0, 2), LOC [3, 4), LOC [4, 5) |
//! |---|---|
//! | IOB | `I I O I B` |
//! | BIO | `B I O B B` |
//! | IOE1 | `I I O E I` |
//! | IOE2 | `I E O E E` |
//! | IOBES | `B E O S S` |
//! | BILOU | `B L O U U` |
//! | BMES | `B E O S S` |
//! | BMEWO | `B E O W W` |
//! | IO | cannot express the two touching spans |

/// The condition that a prefix imposes on the left or the right border of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// A span always begins (ends) here: `B` in BIO, `E` in IOBES.
    Always,
    /// A span never begins (ends) here: `I` in BIO on the left, `B` in IOBES on the right.
    Never,
    /// A span begins (ends) here unless the neighbour belongs to the same span: `I` in IOB.
    Auto,
    /// A span begins (ends) here, and the tag is legal only next to a span of the same type: `B` in
    /// IOB touches the span before it, `E` in IOE1 the span after it.
    Contact,
}

impl Edge {
    /// Returns the name of the condition in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Never => "never",
            Self::Auto => "auto",
            Self::Contact => "contact",
        }
    }
}

/// A prefix of a scheme and its meaning.
///
/// `I` of BIO, for example, never begins a span, and ends a span unless the next token continues
/// the span: `begins` is [`Edge::Never`] and `ends` is [`Edge::Auto`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The prefix as it is written, without the separator; empty for [`Scheme::Token`].
    pub letter: &'static str,
    /// The condition on the left border of the token.
    pub begins: Edge,
    /// The condition on the right border of the token.
    pub ends: Edge,
}

/// A tagging scheme: how spans are encoded as one tag per token.
///
/// The names follow the literature: `Iob` is IOB1 of Ramshaw and Marcus (1995), `Bio` is IOB2
/// (Tjong Kim Sang and Veenstra 1999). The derived order is the order of the variants and has no
/// meaning; the order of preference is given by [`Scheme::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// IOB1: `I` everywhere, `B` only on the first token of a span that touches a span of the same
    /// type.
    Iob,
    /// IOB2: `B` on every first token, `I` on the others.
    Bio,
    /// `I` everywhere, `E` only on the last token of a span that is touched by a span of the same
    /// type.
    Ioe1,
    /// `E` on every last token, `I` on the others.
    Ioe2,
    /// `B` first, `I` inside, `E` last, `S` for a span of one token.
    Iobes,
    /// IOBES with `L` for `E` and `U` for `S` (Ratinov and Roth 2009).
    Bilou,
    /// IOBES with `M` for `I` and `W` for `S` (Borthwick 1999).
    Bmewo,
    /// IOBES with `M` for `I`, as in Chinese word segmentation.
    Bmes,
    /// `I` only; touching spans of one type cannot be distinguished and are read as one span.
    Io,
    /// No prefixes: every token other than `O` is a span of one token whose type is the whole tag,
    /// as in part-of-speech tagging.
    Token,
}

use Edge::{Always, Auto, Contact, Never};

/// Builds a [`Prefix`], in short for the table [`SCHEMES`].
const fn prefix(letter: &'static str, begins: Edge, ends: Edge) -> Prefix {
    Prefix {
        letter,
        begins,
        ends,
    }
}

/// One row of the table of schemes.
struct Data {
    /// The scheme that the row describes.
    scheme: Scheme,
    /// The name used in output.
    name: &'static str,
    /// Other names, in lower case and without `-`, `_` and spaces.
    aliases: &'static [&'static str],
    /// The prefixes other than `O`, at most five; the position plus 1 is the symbol in the reading
    /// tables.
    prefixes: &'static [Prefix],
}

/// All schemes. Among schemes that explain the data equally well, detection prefers the first.
const SCHEMES: [Data; 10] = [
    Data {
        scheme: Scheme::Bio,
        name: "BIO",
        aliases: &["iob2", "bio2"],
        prefixes: &[prefix("B", Always, Auto), prefix("I", Never, Auto)],
    },
    Data {
        scheme: Scheme::Iob,
        name: "IOB",
        aliases: &["iob1", "bio1"],
        prefixes: &[prefix("B", Contact, Auto), prefix("I", Auto, Auto)],
    },
    Data {
        scheme: Scheme::Ioe2,
        name: "IOE2",
        aliases: &["ioe"],
        prefixes: &[prefix("I", Auto, Never), prefix("E", Auto, Always)],
    },
    Data {
        scheme: Scheme::Ioe1,
        name: "IOE1",
        aliases: &[],
        prefixes: &[prefix("I", Auto, Auto), prefix("E", Auto, Contact)],
    },
    Data {
        scheme: Scheme::Iobes,
        name: "IOBES",
        aliases: &["bioes", "sobie", "bieso", "bieos", "biose"],
        prefixes: &[
            prefix("B", Always, Never),
            prefix("I", Never, Never),
            prefix("E", Never, Always),
            prefix("S", Always, Always),
        ],
    },
    Data {
        scheme: Scheme::Bilou,
        name: "BILOU",
        aliases: &["bioul", "biluo"],
        prefixes: &[
            prefix("B", Always, Never),
            prefix("I", Never, Never),
            prefix("L", Never, Always),
            prefix("U", Always, Always),
        ],
    },
    Data {
        scheme: Scheme::Bmes,
        name: "BMES",
        aliases: &["bmeso", "bmeos"],
        prefixes: &[
            prefix("B", Always, Never),
            prefix("M", Never, Never),
            prefix("E", Never, Always),
            prefix("S", Always, Always),
        ],
    },
    Data {
        scheme: Scheme::Bmewo,
        name: "BMEWO",
        aliases: &["bmeow", "bmew"],
        prefixes: &[
            prefix("B", Always, Never),
            prefix("M", Never, Never),
            prefix("E", Never, Always),
            prefix("W", Always, Always),
        ],
    },
    Data {
        scheme: Scheme::Io,
        name: "IO",
        aliases: &[],
        prefixes: &[prefix("I", Auto, Auto)],
    },
    Data {
        scheme: Scheme::Token,
        name: "TOKEN",
        aliases: &["tokens", "pos"],
        prefixes: &[prefix("", Always, Always)],
    },
];

impl Scheme {
    /// Iterates over all schemes in the order of preference of [`crate::Evidence::decide`].
    pub fn all() -> impl Iterator<Item = Self> {
        SCHEMES.iter().map(|data| data.scheme)
    }

    /// Returns the row of the scheme.
    fn data(self) -> &'static Data {
        let mut at = 0;
        // With ten rows, a linear search is simpler than keeping the enum and the table in the same
        // order.
        while SCHEMES[at].scheme != self {
            at += 1;
        }
        &SCHEMES[at]
    }

    /// Returns the name used in output, in capitals: `BIO`, `BILOU`.
    pub fn name(self) -> &'static str {
        self.data().name
    }

    /// Returns the other names, in lower case and without `-`, `_` and spaces.
    pub(crate) fn aliases(self) -> &'static [&'static str] {
        self.data().aliases
    }

    /// Returns the prefixes other than `O`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_tags::Scheme;
    /// let letters: Vec<_> = Scheme::Bilou.prefixes().iter().map(|prefix| prefix.letter).collect();
    /// assert_eq!(letters, ["B", "I", "L", "U"]);
    /// ```
    pub fn prefixes(self) -> &'static [Prefix] {
        self.data().prefixes
    }

    /// Returns whether the scheme has a prefix for the last tokens of longer spans that never
    /// begins a span, such as `E` in IOBES. False for IOE1 and IOE2, whose `E` may also begin a
    /// span.
    pub fn closes_openly(self) -> bool {
        self.prefixes()
            .iter()
            .any(|p| p.begins == Never && p.ends == Always)
    }
}
