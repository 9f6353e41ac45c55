//! Readings: how malformed sequences of tags are interpreted.
//!
//! The spans of some malformed BIO sequences under each reading:
//!
//! | tags | conlleval | strict | discard | ncrfpp |
//! |---|---|---|---|---|
//! | `O I-A I-A` | A [1, 3) | none | none | none |
//! | `B-A I-B` | A [0, 1), B [1, 2) | A [0, 1) | A [0, 1) | A [0, 1) |
//! | `X-A B-A` | A [1, 2) | A [1, 2) | A [1, 2) | A [1, 2) |
//!
//! The spans of some malformed IOBES sequences:
//!
//! | tags | conlleval | strict | discard | ncrfpp |
//! |---|---|---|---|---|
//! | `B-A I-A O` | A [0, 2) | none | A [0, 2) | A [0, 3) |
//! | `I-A E-A` | A [0, 2) | none | none | none |
//! | `B-A O E-A` | A [0, 1), A [2, 3) | none | A [0, 1) | A [0, 3) |
//!
//! [`Reading::Refuse`] reads as conlleval does, for callers that have checked the tags before.

use std::fmt;

/// How malformed tags are interpreted. See the tables in the module documentation.
///
/// On well-formed tags all readings give the same spans, except for the two readings named after
/// seqeval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// A tag that cannot continue the preceding span opens a new span (conlleval.pl, iobes). Most
    /// published numbers use this reading.
    #[default]
    Conlleval,
    /// A span that is not opened and closed according to the scheme is dropped completely.
    Strict,
    /// A tag that would continue a span that does not exist is read as `O`; the remaining tags are
    /// read as conlleval does.
    Discard,
    /// Malformed tags are an error; see [`crate::Reader::check`].
    Refuse,
    /// A span extends from a first token to the next last token, regardless of the tokens between
    /// them (NCRF++; table 1 of the iobes paper). Defined for BIO, where a span extends over the
    /// following `I` tags of its type, and for the schemes with a prefix for last tokens: IOBES,
    /// BILOU, BMES and BMEWO.
    Ncrfpp,
    /// seqeval's default mode, reproduced exactly: its prefixes are `B I E S O .` under every
    /// scheme.
    Seqeval,
    /// seqeval's strict mode, reproduced exactly. Defined for IOB, BIO, IOE1, IOE2, IOBES and
    /// BILOU.
    SeqevalStrict,
}

/// The names, in the order in which messages list them.
const NAMES: [(Reading, &str); 7] = [
    (Reading::Conlleval, "conlleval"),
    (Reading::Strict, "strict"),
    (Reading::Discard, "discard"),
    (Reading::Refuse, "refuse"),
    (Reading::Ncrfpp, "ncrfpp"),
    (Reading::Seqeval, "seqeval"),
    (Reading::SeqevalStrict, "seqeval-strict"),
];

impl Reading {
    /// Iterates over all readings.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(reading, _)| *reading)
    }

    /// Returns the name used in output.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(reading, _)| *reading == self)
            .map_or("", |(_, name)| name)
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
