//! The Python classes of the records of the core: named tuples and dataclasses.

use std::collections::HashMap;
use std::sync::Mutex;

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple, PyType};
use spanrs::crf::TrainingOptions;
use spanrs::dep::{ParserOptions, TaggerOptions};
use spanrs::tags::Dialect;

use crate::locks::lock;
use crate::plain::Plain;

/// A record and the module of its class, which has the same name, and the same fields in the same order. A dataclass
/// may have more fields, with defaults.
const RECORDS: [(&str, &str); 10] = [
    ("Annotation", "spanrs.io.document"),
    ("Criterion", "spanrs.eval.criterion"),
    ("Detail", "spanrs.eval.evidence"),
    ("Detection", "spanrs.tags.detect"),
    ("LocatedViolation", "spanrs.errors"),
    ("Relation", "spanrs.io.document"),
    ("Score", "spanrs.eval.scores"),
    ("Span", "spanrs.tags.types"),
    ("Totals", "spanrs.eval.scores"),
    ("Violation", "spanrs.errors"),
];

/// Classes that have been imported.
static CLASSES: Mutex<Option<Classes>> = Mutex::new(None);

/// A class by name of the record, and whether it is a named tuple.
type Classes = HashMap<&'static str, (Py<PyType>, bool)>;

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

/// Makes an instance of the class of a record; a dict for other structs.
pub(crate) fn make_record<'py>(
    py: Python<'py>,
    name: &'static str,
    fields: &[&'static str],
    values: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some((_, module)) = RECORDS.iter().find(|(record, _)| *record == name) else {
        return Ok(fields.iter().zip(values).into_py_dict(py)?.into_any());
    };
    let imported = lock(&CLASSES)
        .get_or_insert_default()
        .get(name)
        .map(|(class, is_tuple)| (class.clone_ref(py), *is_tuple));
    let (class, is_tuple) = match imported {
        Some(imported) => imported,
        None => import_class(py, name, module, fields)?,
    };
    let (class, values) = (class.bind(py), PyTuple::new(py, values)?);
    if !is_tuple {
        return class.call1(values);
    }
    // Faster than the constructor of the class.
    let make = py.get_type::<PyTuple>().getattr(intern!(py, "__new__"))?;
    make.call1((class, values))
}

/// Imports the class of a record and compares its fields.
fn import_class(
    py: Python<'_>,
    name: &'static str,
    module: &str,
    fields: &[&'static str],
) -> PyResult<(Py<PyType>, bool)> {
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
            format!("{module}.{name} has the fields {names:?}, and the record {fields:?}");
        return Err(PyTypeError::new_err(message));
    }
    let class = class.unbind();
    let mut classes = lock(&CLASSES);
    classes
        .get_or_insert_default()
        .insert(name, (class.clone_ref(py), is_tuple));
    Ok((class, is_tuple))
}
