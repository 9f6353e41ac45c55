//! Options of readers and converters as plain data, and serde's traits for schemes and readings.

use serde::de::{Deserializer, Error as _, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::convert::Converter;
use crate::dialect::Dialect;
use crate::error::Result;
use crate::reader::Reader;
use crate::reading::Reading;
use crate::scheme::Scheme;

/// Options of a [`Reader`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReaderOptions {
    /// The scheme of the tags.
    pub scheme: Scheme,
    /// How malformed sequences are read.
    #[serde(default)]
    pub reading: Reading,
    /// How tags are spelt.
    #[serde(default)]
    pub dialect: Dialect,
    /// The scheme of pred, if it differs from `scheme`.
    #[serde(default)]
    pub pred_scheme: Option<Scheme>,
}

impl ReaderOptions {
    /// Creates the reader.
    ///
    /// # Errors
    /// Same as [`Reader::new`] and [`Reader::with_pred_scheme`].
    pub fn build(self) -> Result<Reader> {
        let reader = Reader::new(self.scheme, self.reading, self.dialect)?;
        match self.pred_scheme {
            Some(scheme) => reader.with_pred_scheme(scheme),
            None => Ok(reader),
        }
    }
}

/// Options of a [`Converter`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConverterOptions {
    /// The scheme of the input.
    pub source: Scheme,
    /// The scheme of the output.
    pub target: Scheme,
    /// How malformed sequences are read; None refuses them.
    #[serde(default)]
    pub reading: Option<Reading>,
    /// How tags are spelt, in input and output.
    #[serde(default)]
    pub dialect: Dialect,
}

impl ConverterOptions {
    /// Creates the converter.
    ///
    /// # Errors
    /// Same as [`Converter::new`].
    pub fn build(self) -> Result<Converter> {
        Converter::new(self.source, self.target, self.reading, self.dialect)
    }
}

/// Implements serde's traits: a value is serialised as its name and deserialised with `from_name`.
/// The name is deserialised as a newtype struct with the name of the enum, so that a deserializer
/// can raise the crate's error for an unknown name.
macro_rules! serde_by_name {
    ($ty:ident) => {
        impl Serialize for $ty {
            fn serialize<S: Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $ty {
            fn deserialize<D: Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                struct Name;

                impl<'de> Visitor<'de> for Name {
                    type Value = $ty;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a name")
                    }

                    fn visit_newtype_struct<D: Deserializer<'de>>(
                        self,
                        deserializer: D,
                    ) -> std::result::Result<$ty, D::Error> {
                        let name = String::deserialize(deserializer)?;
                        $ty::from_name(&name).map_err(D::Error::custom)
                    }
                }

                deserializer.deserialize_newtype_struct(stringify!($ty), Name)
            }
        }
    };
}

serde_by_name!(Scheme);
serde_by_name!(Reading);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_by_name() {
        let options: ReaderOptions =
            toml::from_str("scheme = \"iob-2\"\n[dialect]\nsuffix = true").unwrap();
        assert_eq!(
            (options.scheme, options.reading),
            (Scheme::Bio, Reading::default())
        );
        assert!(options.dialect.suffix && options.build().is_ok());
        let error = toml::from_str::<ReaderOptions>("scheme = \"BIOX\"").unwrap_err();
        assert!(
            error.to_string().contains("unknown scheme `BIOX`"),
            "{error}"
        );
    }
}
