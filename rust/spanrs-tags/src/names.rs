//! Look-up of schemes and readings by name; case, hyphens, underscores and spaces are ignored.

use crate::error::{Error, Result};
use crate::reading::Reading;
use crate::scheme::Scheme;

impl Scheme {
    /// Returns the scheme with the given name or alias, ignoring case, `-`, `_` and spaces.
    ///
    /// # Errors
    /// [`Error::UnknownScheme`], which lists the known names.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_tags::Scheme;
    /// assert_eq!(Scheme::from_name("bioul").unwrap(), Scheme::Bilou);
    /// assert_eq!(Scheme::from_name("IOB-2").unwrap(), Scheme::Bio);
    /// ```
    pub fn from_name(name: &str) -> Result<Self> {
        let wanted = plain(name);
        Self::all()
            .find(|s| plain(s.name()) == wanted || s.aliases().contains(&wanted.as_str()))
            .ok_or_else(|| Error::UnknownScheme {
                name: name.to_owned(),
                known: listed(Self::all().map(Self::name)),
            })
    }
}

impl Reading {
    /// Returns the reading with the given name, ignoring case, `-`, `_` and spaces.
    ///
    /// # Errors
    /// [`Error::UnknownReading`], which lists the known names.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_tags::Reading;
    /// assert_eq!(Reading::from_name("Seqeval strict").unwrap(), Reading::SeqevalStrict);
    /// assert!(Reading::from_name("lenient").is_err());
    /// ```
    pub fn from_name(name: &str) -> Result<Self> {
        let wanted = plain(name);
        Self::all()
            .find(|reading| plain(reading.name()) == wanted)
            .ok_or_else(|| Error::UnknownReading {
                name: name.to_owned(),
                known: listed(Self::all().map(Self::name)),
            })
    }
}

/// Normalises a name for comparison: lower case, without `-`, `_` and spaces.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Joins names with commas, for messages.
fn listed(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_alias_finds_its_scheme() {
        for scheme in Scheme::all() {
            for name in scheme.aliases().iter().chain([&scheme.name()]) {
                assert_eq!(Scheme::from_name(name), Ok(scheme), "{name}");
                assert_eq!(
                    Scheme::from_name(&format!(" {} ", name.to_uppercase())),
                    Ok(scheme)
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
