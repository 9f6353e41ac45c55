use crate::coded::{Coded, ErrorClass};

/// A fixed set of values that users choose by name.
///
/// ```
/// use spanrs_base::Named;
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Side { Gold, Pred }
/// impl Named for Side {
///     const WHAT: &'static str = "side";
///     const NAMES: &'static [(&'static str, Self)] = &[("gold", Self::Gold), ("pred", Self::Pred)];
/// }
/// assert_eq!(Side::from_name("pred"), Ok(Side::Pred));
/// assert_eq!(Side::Gold.name(), "gold");
/// let error = Side::from_name("middle").unwrap_err();
/// assert_eq!(error.to_string(), "unknown side \"middle\"; expected one of gold, pred");
/// ```
pub trait Named: Copy + PartialEq + 'static {
    /// Noun for the values in messages, such as `side`.
    const WHAT: &'static str;
    /// All (name, value) pairs, in the order in which messages list the names.
    const NAMES: &'static [(&'static str, Self)];

    /// Returns the value with this name; names are case-sensitive.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    fn from_name(name: &str) -> Result<Self, UnknownName> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).ok_or_else(|| UnknownName {
            what: Self::WHAT,
            name: name.to_owned(),
            known: Self::NAMES.iter().map(|(known, _)| *known).collect(),
        })
    }

    /// Returns the name; empty for a value that [`Named::NAMES`] does not list.
    fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, value)| *value == self);
        found.map_or("", |(name, _)| name)
    }
}

/// Implements serde's traits for types with [`Named`]: a value is serialised as its name.
///
/// ```
/// use spanrs_base::Named;
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Side { Gold, Pred }
/// impl Named for Side {
///     const WHAT: &'static str = "side";
///     const NAMES: &'static [(&'static str, Self)] = &[("gold", Self::Gold), ("pred", Self::Pred)];
/// }
/// spanrs_base::serde_by_name!(Side);
/// ```
#[macro_export]
macro_rules! serde_by_name {
    ($($named:ty),* $(,)?) => {
        $(impl $crate::serde::Serialize for $named {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::Named::name(*self))
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $named {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name: String = $crate::serde::Deserialize::deserialize(deserializer)?;
                <Self as $crate::Named>::from_name(&name).map_err($crate::serde::de::Error::custom)
            }
        })*
    };
}

/// Error: no value has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}; expected one of {}", known.join(", "))]
pub struct UnknownName {
    /// [`Named::WHAT`] of the type.
    pub what: &'static str,
    /// The name as the user wrote it.
    pub name: String,
    /// All valid names.
    pub known: Vec<&'static str>,
}

impl Coded for UnknownName {
    fn kind(&self) -> (ErrorClass, &'static str) {
        (ErrorClass::Value, "unknown_name")
    }
}
