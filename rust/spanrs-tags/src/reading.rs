use std::fmt;

use crate::error::{Error, Result};
use crate::scheme::plain;

/// What malformed tags mean.
///
/// On well-formed tags all readings but the two named after seqeval give the same spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reading {
    /// A tag that cannot go on with the span before it opens a new one (conlleval.pl, iobes). The
    /// reading most published numbers use.
    #[default]
    Conlleval,
    /// A span that is not opened and closed as the scheme demands is dropped whole.
    Strict,
    /// A tag that would go on with a span that is not there is read as `O`; what is left is read.
    Discard,
    /// Malformed tags are an error.
    Refuse,
    /// Begin and end decide, what stands between them is not looked at (NCRF++; table 1 of the iobes
    /// paper). For BIO and the schemes with end prefixes.
    Ncrfpp,
    /// seqeval's default mode to the letter: knows `B I E S O .` whatever the scheme.
    Seqeval,
    /// seqeval's strict mode to the letter, for IOB, BIO, IOE1, IOE2, IOBES and BILOU.
    SeqevalStrict,
}

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
    /// Every reading.
    pub fn all() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(reading, _)| *reading)
    }

    /// The name that is printed.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(reading, _)| *reading == self)
            .map_or("", |(_, name)| name)
    }

    /// The reading called `name`.
    ///
    /// # Errors
    /// [`Error::UnknownReading`], which lists the names.
    pub fn from_name(name: &str) -> Result<Self> {
        NAMES
            .iter()
            .find(|(_, known)| plain(known) == plain(name))
            .map(|(reading, _)| *reading)
            .ok_or_else(|| Error::UnknownReading {
                name: name.to_owned(),
                known: NAMES.map(|(_, name)| name).join(", "),
            })
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
