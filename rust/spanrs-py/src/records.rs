//! The Python classes of the records of the core: named tuples and dataclasses.

use std::collections::HashMap;
use std::sync::Mutex;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple, PyType};
use spanrs::crf::TrainingOptions;
use spanrs::dep::{ParserOptions, TaggerOptions};
use spanrs::tags::Dialect;

use crate::locks::lock;
use crate::plain::Plain;

/// A record and the module of its class. The class has the same name, and the same fields in the same order. A
/// dataclass may have additional fields with defaults.
const RECORDS: [(&str, &str); 13] = [
    ("Annotation", "spanrs.io.document"),
    ("AnswerFault", "spanrs.io.answers"),
    ("Criterion", "spanrs.eval.criterion"),
    ("Detail", "spanrs.eval.evidence"),
    ("Detection", "spanrs.tags.detect"),
    ("Layer", "spanrs.io.document"),
    ("LocatedViolation", "spanrs.errors"),
    ("Mention", "spanrs.io.answers"),
    ("Relation", "spanrs.io.document"),
    ("Score", "spanrs.eval.scores"),
    ("Span", "spanrs.tags.types"),
    ("Totals", "spanrs.eval.scores"),
    ("Violation", "spanrs.errors"),
];

/// Classes that have been imported, in the order of [`RECORDS`].
static CLASSES: Mutex<[Option<Class>; RECORDS.len()]> = Mutex::new([const { None }; RECORDS.len()]);

/// The class of a record.
enum Class {
    Tuple(NamedTuple),
    Other(Py<PyType>),
}

impl Class {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::Tuple(class) => Self::Tuple(class.clone_ref(py)),
            Self::Other(class) => Self::Other(class.clone_ref(py)),
        }
    }
}

/// A named tuple class.
pub(crate) struct NamedTuple {
    class: Py<PyType>,
    /// `tuple.__new__`, which is faster than the constructor of the class.
    new: Py<PyAny>,
}

impl NamedTuple {
    pub(crate) fn of(class: Bound<'_, PyType>) -> PyResult<Self> {
        let new = class.py().get_type::<PyTuple>().getattr("__new__")?;
        Ok(Self {
            class: class.unbind(),
            new: new.unbind(),
        })
    }

    /// Creates an instance with these fields.
    pub(crate) fn make<'py, E: Into<PyErr>>(
        &self,
        py: Python<'py>,
        fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = E>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let fields = fields.into_pyobject(py).map_err(Into::into)?;
        self.new.bind(py).call1((self.class.bind(py), fields))
    }

    fn clone_ref(&self, py: Python<'_>) -> Self {
        Self {
            class: self.class.clone_ref(py),
            new: self.new.clone_ref(py),
        }
    }
}

/// Modules of the classes of records, by name.
#[pyfunction]
pub(crate) fn records() -> HashMap<&'static str, &'static str> {
    RECORDS.into()
}

/// Default options by name of the struct, as plain data.
#[pyfunction]
pub(crate) fn default_options(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let options = PyDict::new(py);
    options.set_item("CRF", Plain(TrainingOptions::default()))?;
    options.set_item("Dialect", Plain(Dialect::default()))?;
    options.set_item("Parser", Plain(ParserOptions::default()))?;
    options.set_item("Tagger", Plain(TaggerOptions::default()))?;
    Ok(options)
}

/// Returns whether a struct has a class.
pub(crate) fn is_record(name: &str) -> bool {
    RECORDS.iter().any(|(record, _)| *record == name)
}

/// Creates an instance of the class of a record, or a dict for other structs.
pub(crate) fn make_record<'py>(
    py: Python<'py>,
    name: &'static str,
    fields: &[&'static str],
    values: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(at) = RECORDS.iter().position(|(record, _)| *record == name) else {
        return Ok(fields.iter().zip(values).into_py_dict(py)?.into_any());
    };
    let imported = lock(&CLASSES)[at].as_ref().map(|class| class.clone_ref(py));
    let class = match imported {
        Some(imported) => imported,
        None => import_class(py, at, fields)?,
    };
    let values = PyTuple::new(py, values)?;
    match class {
        Class::Tuple(class) => class.make(py, values),
        Class::Other(class) => class.bind(py).call1(values),
    }
}

/// Imports the class of a record and compares its fields.
fn import_class(py: Python<'_>, at: usize, fields: &[&'static str]) -> PyResult<Class> {
    let (name, module) = RECORDS[at];
    let class = py.import(module)?.getattr(name)?.cast_into::<PyType>()?;
    let is_tuple = class.is_subclass_of::<PyTuple>()?;
    let names: Vec<String> = class
        .getattr(if is_tuple {
            "_fields"
        } else {
            "__match_args__"
        })?
        .extract()?;
    let len = if is_tuple {
        names.len()
    } else {
        fields.len().min(names.len())
    };
    if names[..len] != *fields {
        let message =
            format!("{module}.{name} has the fields {names:?}, but the record has {fields:?}");
        return Err(PyTypeError::new_err(message));
    }
    let class = if is_tuple {
        Class::Tuple(NamedTuple::of(class)?)
    } else {
        Class::Other(class.unbind())
    };
    lock(&CLASSES)[at] = Some(class.clone_ref(py));
    Ok(class)
}
