//! The tagging schemes, one table each.

use crate::error::{Error, Result};

/// What a prefix says about one border of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// A span always begins (ends) here: `B` in BIO, `E` in IOBES.
    Always,
    /// A span never begins (ends) here: `I` in BIO.
    Never,
    /// A span begins (ends) here unless the neighbour belongs to it: `I` in IOB.
    Auto,
    /// A span begins (ends) here, and the tag is legal only where it touches another span of the same
    /// type: `B` in IOB, `E` in IOE1.
    Contact,
}

impl Edge {
    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Never => "never",
            Self::Auto => "auto",
            Self::Contact => "contact",
        }
    }
}

/// A prefix of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// As written, before the separator.
    pub letter: &'static str,
    /// What it says about the border to the left.
    pub begins: Edge,
    /// What it says about the border to the right.
    pub ends: Edge,
}

/// How spans are written as one tag a token.
///
/// The names follow the field: `Iob` is IOB1 of Ramshaw and Marcus (1995), `Bio` is IOB2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// `B` only between touching spans of one type.
    Iob,
    /// `B` on every first token.
    Bio,
    /// `E` only between touching spans of one type.
    Ioe1,
    /// `E` on every last token.
    Ioe2,
    /// `B`, `I`, `E`, and `S` for a span of one token.
    Iobes,
    /// IOBES with `L` for `E` and `U` for `S`.
    Bilou,
    /// IOBES with `M` for `I` and `W` for `S` (Borthwick 1999).
    Bmewo,
    /// IOBES with `M` for `I`.
    Bmes,
    /// `I` only; touching spans of one type cannot be told apart.
    Io,
    /// No prefixes: every token is a span whose type is its tag, as in part-of-speech tagging.
    Token,
}

use Edge::{Always, Auto, Contact, Never};

const fn prefix(letter: &'static str, begins: Edge, ends: Edge) -> Prefix {
    Prefix {
        letter,
        begins,
        ends,
    }
}

/// One row of the table of schemes.
struct Data {
    scheme: Scheme,
    name: &'static str,
    aliases: &'static [&'static str],
    prefixes: &'static [Prefix],
}

// The first name is the one printed; aliases are compared in lower case without `-`, `_` and spaces.
// This order is also the order in which detection prefers schemes that explain the data equally well.
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
    /// Every scheme, in order of preference.
    pub fn all() -> impl Iterator<Item = Self> {
        SCHEMES.iter().map(|data| data.scheme)
    }

    fn data(self) -> &'static Data {
        let mut at = 0;
        // Ten rows: a walk is simpler than keeping the order of the enum and of the table equal.
        while SCHEMES[at].scheme != self {
            at += 1;
        }
        &SCHEMES[at]
    }

    /// The name that is printed, in capitals.
    pub fn name(self) -> &'static str {
        self.data().name
    }

    /// The prefixes other than `O`.
    pub fn prefixes(self) -> &'static [Prefix] {
        self.data().prefixes
    }

    /// True where the scheme has a prefix of its own for last tokens, so that spans are closed openly.
    pub fn closes_openly(self) -> bool {
        self.prefixes()
            .iter()
            .any(|p| p.begins == Never && p.ends == Always)
    }

    /// The scheme a user means by `name`: any spelling, any case.
    ///
    /// # Errors
    /// [`Error::UnknownScheme`], which lists the names.
    ///
    /// ```
    /// use spanrs_tags::Scheme;
    /// assert_eq!(Scheme::from_name("bioul").unwrap(), Scheme::Bilou);
    /// assert_eq!(Scheme::from_name("IOB-2").unwrap(), Scheme::Bio);
    /// ```
    pub fn from_name(name: &str) -> Result<Self> {
        let wanted = plain(name);
        SCHEMES
            .iter()
            .find(|d| plain(d.name) == wanted || d.aliases.contains(&wanted.as_str()))
            .map(|d| d.scheme)
            .ok_or_else(|| Error::UnknownScheme {
                name: name.to_owned(),
                known: SCHEMES.map(|d| d.name).join(", "),
            })
    }
}

/// Lower case, without what people put between the letters.
pub(crate) fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_alias_finds_its_scheme() {
        for data in &SCHEMES {
            for name in data.aliases.iter().chain([&data.name]) {
                assert_eq!(Scheme::from_name(name), Ok(data.scheme), "{name}");
                assert_eq!(
                    Scheme::from_name(&format!(" {} ", name.to_uppercase())),
                    Ok(data.scheme)
                );
            }
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = Scheme::from_name("BIOX").unwrap_err().to_string();
        assert!(
            message.contains("BIOX") && message.contains("BMEWO"),
            "{message}"
        );
    }
}
