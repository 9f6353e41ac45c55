//! Serialisation to Python objects.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::ser::{self, Serialize};

use super::Error;
use crate::records::{is_record, make_record};

/// Creates Python objects.
#[derive(Clone, Copy)]
pub(super) struct Serializer<'py> {
    pub(super) py: Python<'py>,
    /// Sequences become tuples, because records are immutable.
    pub(super) frozen: bool,
}

/// Collects the parts of a sequence, a map or a struct.
pub(super) struct Parts<'py> {
    serializer: Serializer<'py>,
    /// Name of the struct.
    name: &'static str,
    /// Items of a sequence, keys and values of a map in alternation, or values of the fields of a
    /// struct.
    values: Vec<Bound<'py, PyAny>>,
    /// Names of the fields of a struct; empty for sequences and maps.
    fields: Vec<&'static str>,
}

type Object<'py> = Result<Bound<'py, PyAny>, Error>;

impl<'py> Serializer<'py> {
    fn parts(self, name: &'static str, len: usize) -> Parts<'py> {
        Parts {
            serializer: self,
            name,
            values: Vec::with_capacity(len),
            fields: Vec::new(),
        }
    }
}

impl<'py> Parts<'py> {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.values.push(value.serialize(self.serializer)?);
        Ok(())
    }

    fn sequence(self, is_tuple: bool) -> Object<'py> {
        let py = self.serializer.py;
        Ok(match is_tuple {
            true => PyTuple::new(py, self.values)?.into_any(),
            false => PyList::new(py, self.values)?.into_any(),
        })
    }
}

macro_rules! scalars {
    ($($method:ident $ty:ty => $class:ident;)*) => {
        $(fn $method(self, value: $ty) -> Object<'py> {
            Ok($class::new(self.py, value).to_owned().into_any())
        })*
    };
}

/// Methods for types that options and records do not contain.
macro_rules! refused {
    ($($method:ident<$($generic:ident)?>($($arg:ty),*) -> $result:ty;)*) => {
        $(fn $method$(<$generic: Serialize + ?Sized>)?(self $(, _: $arg)*) -> Result<$result, Error> {
            Err(ser::Error::custom(concat!(stringify!($method), " is not supported for Python objects")))
        })*
    };
}

impl<'py> ser::Serializer for Serializer<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Error;
    type SerializeSeq = Parts<'py>;
    type SerializeTuple = Parts<'py>;
    type SerializeMap = Parts<'py>;
    type SerializeStruct = Parts<'py>;
    type SerializeTupleStruct = ser::Impossible<Self::Ok, Error>;
    type SerializeTupleVariant = ser::Impossible<Self::Ok, Error>;
    type SerializeStructVariant = ser::Impossible<Self::Ok, Error>;

    scalars! {
        serialize_bool bool => PyBool;
        serialize_i8 i8 => PyInt;
        serialize_i16 i16 => PyInt;
        serialize_i32 i32 => PyInt;
        serialize_i64 i64 => PyInt;
        serialize_u8 u8 => PyInt;
        serialize_u16 u16 => PyInt;
        serialize_u32 u32 => PyInt;
        serialize_u64 u64 => PyInt;
        serialize_f64 f64 => PyFloat;
        serialize_str &str => PyString;
    }

    refused! {
        serialize_f32<>(f32) -> Self::Ok;
        serialize_char<>(char) -> Self::Ok;
        serialize_bytes<>(&[u8]) -> Self::Ok;
        serialize_unit_struct<>(&'static str) -> Self::Ok;
        serialize_newtype_variant<T>(&'static str, u32, &'static str, &T) -> Self::Ok;
        serialize_tuple_struct<>(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant<>(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_struct_variant<>(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_none(self) -> Object<'py> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Object<'py> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Object<'py> {
        Ok(self.py.None().into_bound(self.py))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Object<'py> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Object<'py> {
        value.serialize(self)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Parts<'py>, Error> {
        Ok(self.parts("", len.unwrap_or_default()))
    }

    fn serialize_tuple(self, len: usize) -> Result<Parts<'py>, Error> {
        Ok(self.parts("", len))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Parts<'py>, Error> {
        Ok(self.parts("", 2 * len.unwrap_or_default()))
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Parts<'py>, Error> {
        let frozen = is_record(name);
        Ok(Self { frozen, ..self }.parts(name, len))
    }
}

macro_rules! collect {
    ($($collect:ident: $($method:ident)* => $end:expr;)*) => {
        $(impl<'py> ser::$collect for Parts<'py> {
            type Ok = Bound<'py, PyAny>;
            type Error = Error;

            $(fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.push(value)
            })*

            fn end(self) -> Object<'py> {
                $end(self)
            }
        })*
    };
}

collect! {
    SerializeSeq: serialize_element => |parts: Self| {
        let is_tuple = parts.serializer.frozen;
        parts.sequence(is_tuple)
    };
    SerializeTuple: serialize_element => |parts: Self| parts.sequence(true);
    SerializeMap: serialize_key serialize_value => |parts: Self| {
        let dict = PyDict::new(parts.serializer.py);
        for pair in parts.values.chunks_exact(2) {
            dict.set_item(&pair[0], &pair[1])?;
        }
        Ok(dict.into_any())
    };
}

impl<'py> ser::SerializeStruct for Parts<'py> {
    type Ok = Bound<'py, PyAny>;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        field: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.fields.push(field);
        self.push(value)
    }

    fn end(self) -> Object<'py> {
        Ok(make_record(
            self.serializer.py,
            self.name,
            &self.fields,
            self.values,
        )?)
    }
}
