//! Deserialisation from Python objects.

use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyIterator, PyList, PyString, PyTuple};
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use spanrs::tags::{Reading, Scheme};

use super::Error;

/// A Python object, with its name in messages: the name of the option or field.
#[derive(Clone)]
pub(super) struct Value<'a, 'py> {
    object: Bound<'py, PyAny>,
    name: &'a str,
}

impl<'a, 'py> Value<'a, 'py> {
    pub(super) fn new(object: &Bound<'py, PyAny>, name: &'a str) -> Self {
        let object = object.clone();
        Self { object, name }
    }

    /// A TypeError with the name of the option and the type of its value.
    fn mistyped(&self, expected: &str) -> Error {
        let Self { object, name } = self;
        let kind = object.get_type();
        let kind = kind
            .name()
            .map_or_else(|_| "another object".into(), |kind| kind.to_string());
        PyTypeError::new_err(format!("{name} must be {expected}, not {kind}")).into()
    }

    fn text(&self) -> Result<String, Error> {
        let Ok(text) = self.object.cast::<PyString>() else {
            return Err(self.mistyped("a str"));
        };
        Ok(text.to_str()?.to_owned())
    }

    /// An integer; a bool is rejected.
    fn integer<T: for<'x> FromPyObject<'x, 'py>>(
        &self,
        least: &str,
        most: &str,
    ) -> Result<T, Error> {
        if self.object.is_instance_of::<PyBool>() {
            return Err(self.mistyped("an int"));
        }
        let index = self.object.call_method0("__index__");
        let index = index.map_err(|error| self.or_raised(error, "an int"))?;
        index.extract().map_err(|_| {
            // Very long integers have no str.
            let shown = index
                .str()
                .map_or_else(|_| "too large".into(), |text| text.to_string());
            let message = format!(
                "{} is {shown}; it must be from {least} to {most}",
                self.name
            );
            PyValueError::new_err(message).into()
        })
    }

    /// The error of a failed conversion: exceptions of the object other than those for a wrong type are passed on.
    fn or_raised(&self, error: PyErr, expected: &str) -> Error {
        let py = self.object.py();
        let is_type =
            error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyAttributeError>(py);
        match is_type {
            true => self.mistyped(expected),
            false => error.into(),
        }
    }

    fn float(&self) -> Result<f64, Error> {
        if self.object.is_instance_of::<PyBool>() {
            return Err(self.mistyped("a number"));
        }
        self.object
            .extract()
            .map_err(|error| self.or_raised(error, "a number"))
    }

    /// Calls the visitor with the value according to its Python type.
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let object = &self.object;
        if object.is_none() {
            visitor.visit_unit()
        } else if let Ok(flag) = object.cast::<PyBool>() {
            visitor.visit_bool(flag.is_true())
        } else if object.is_instance_of::<PyFloat>() {
            visitor.visit_f64(self.float()?)
        } else if object.is_instance_of::<PyString>() {
            visitor.visit_string(self.text()?)
        } else if object.is_instance_of::<PyInt>() || object.hasattr("__index__")? {
            visitor.visit_i64(self.integer(&i64::MIN.to_string(), &i64::MAX.to_string())?)
        } else if object.is_instance_of::<PyDict>() {
            de::Deserializer::deserialize_map(self, visitor)
        } else if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            visitor.visit_seq(self.items()?)
        } else {
            Err(self.mistyped("plain data"))
        }
    }

    /// The items of a sequence; text and mappings are rejected.
    fn items(&self) -> Result<Items<'a, 'py>, Error> {
        let object = &self.object;
        if object.is_instance_of::<PyString>() || object.is_instance_of::<PyDict>() {
            return Err(self.mistyped("a sequence"));
        }
        let Ok(items) = object.try_iter() else {
            return Err(self.mistyped("a sequence"));
        };
        let len = object.len().ok();
        Ok(Items {
            items,
            len,
            name: self.name,
        })
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $ty:ty;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let (least, most) = (<$ty>::MIN.to_string(), <$ty>::MAX.to_string());
            visitor.$visit(self.integer::<$ty>(&least, &most)?)
        })*
    };
}

impl<'de> de::Deserializer<'de> for Value<'_, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let this = self.clone();
        self.visit(visitor).map_err(|error| match error {
            Error::Expected(expected) => this.mistyped(&expected),
            error => error,
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // Also accepts NumPy's bool.
        match self.object.extract() {
            Ok(flag) => visitor.visit_bool(flag),
            Err(_) => Err(self.mistyped("a bool")),
        }
    }

    integers! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.float()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.object.is_none() {
            true => visitor.visit_none(),
            false => visitor.visit_some(self),
        }
    }

    /// Schemes and readings have their own exceptions for unknown names.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match name {
            "Scheme" => drop(Scheme::from_name(&self.text()?).map_err(raised)?),
            "Reading" => drop(Reading::from_name(&self.text()?).map_err(raised)?),
            _ => {}
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.items()?)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        let items = self.items()?;
        match items.len {
            Some(actual) if actual != len => {
                let message = format!("{} has {actual} items; expected {len}", self.name);
                Err(PyValueError::new_err(message).into())
            }
            _ => visitor.visit_seq(items),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Ok(dict) = self.object.cast::<PyDict>() else {
            return Err(self.mistyped("a dict"));
        };
        let items: Vec<_> = dict.iter().collect();
        visitor.visit_map(Pairs {
            name: self.name,
            items: items.into_iter(),
            value: None,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.object.is_instance_of::<PyDict>() {
            return self.deserialize_map(visitor);
        }
        let class = self.object.get_type();
        // The items of a named tuple are read without a lookup of each attribute.
        if let Ok(tuple) = self.object.cast::<PyTuple>()
            && let Some(names) = class.getattr_opt("_fields")?
        {
            let names = names.cast_into::<PyTuple>().map_err(PyErr::from)?;
            let items: Vec<_> = names.iter().zip(tuple.iter()).collect();
            return visitor.visit_map(Pairs {
                name: self.name,
                items: items.into_iter(),
                value: None,
            });
        }
        // Other objects could be options by mistake: all fields would have their defaults.
        if !(class.hasattr("__dataclass_fields__")? || class.hasattr("_fields")?) {
            return Err(self.mistyped("a dict, a named tuple or a dataclass"));
        }
        visitor.visit_map(Attributes {
            object: self.object,
            fields: fields.iter(),
            value: None,
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.text()?.into_deserializer())
    }

    serde::forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple_struct ignored_any
    }
}

fn raised(error: spanrs::tags::Error) -> PyErr {
    crate::error::Error::from(error).into()
}

fn no_key() -> Error {
    de::Error::custom("a value was requested before its key")
}

/// The items of a sequence.
struct Items<'a, 'py> {
    items: Bound<'py, PyIterator>,
    len: Option<usize>,
    name: &'a str,
}

impl<'de> de::SeqAccess<'de> for Items<'_, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(item) = self.items.next() else {
            return Ok(None);
        };
        seed.deserialize(Value::new(&item?, self.name)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        self.len
    }
}

/// The items of a dict with str keys.
struct Pairs<'a, 'py> {
    name: &'a str,
    items: std::vec::IntoIter<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    value: Option<(String, Bound<'py, PyAny>)>,
}

impl<'de> de::MapAccess<'de> for Pairs<'_, '_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.items.next() else {
            return Ok(None);
        };
        let key = Value::new(&key, self.name).text()?;
        self.value = Some((key.clone(), value));
        seed.deserialize(key.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (key, value) = self.value.take().ok_or_else(no_key)?;
        seed.deserialize(Value::new(&value, &key))
    }
}

/// The attributes of an object that are fields of a struct; for missing attributes serde uses defaults.
struct Attributes<'py> {
    object: Bound<'py, PyAny>,
    fields: std::slice::Iter<'static, &'static str>,
    value: Option<(&'static str, Bound<'py, PyAny>)>,
}

impl<'de> de::MapAccess<'de> for Attributes<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        for &field in self.fields.by_ref() {
            if let Some(value) = self.object.getattr_opt(field)? {
                self.value = Some((field, value));
                return seed.deserialize(field.into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (field, value) = self.value.take().ok_or_else(no_key)?;
        seed.deserialize(Value::new(&value, field))
    }
}
