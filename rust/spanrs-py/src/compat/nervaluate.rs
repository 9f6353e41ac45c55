//! nervaluate's loaders with its messages: the compiled part of `spanrs.compat.nervaluate`.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PySet, PyString};
use spanrs::base::{Interner, Jagged, Span};
use spanrs::compat::nervaluate::{Documents, TagReader, read_conll};
use spanrs::compat::tag_numbering;
use spanrs::eval::SpanLists as Core;
use spanrs::tags::Reader;

use crate::error::{Error, Result};
use crate::nested_lists::{NestedLists, Next};
use crate::pause;
use crate::py_sequence::{IndexedItems, Item};
use crate::span_lists::{Both, SpanLists, both};
use crate::tag_interner::TagInterner;

fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::value(message))
}

fn span_lists(documents: Documents) -> SpanLists {
    let types = names(&documents.types);
    SpanLists(Core::new(documents.spans, None, types))
}

fn names(types: &Interner<str>) -> Vec<String> {
    types.names().map(str::to_owned).collect()
}

/// Spans of a list of lists of tags; ends are exclusive. With `any_prefix` every tag is accepted.
#[pyfunction]
#[pyo3(signature = (data, any_prefix, /))]
pub(crate) fn nervaluate_tags(data: &Bound<'_, PyAny>, any_prefix: bool) -> Result<SpanLists> {
    if !data.is_instance_of::<PyList>() {
        return refuse("ListLoader expects list input");
    }
    let (mut tags, mut interner) = (tag_numbering()?, TagInterner::new());
    let mut reader = match any_prefix {
        true => TagReader::any_prefix(),
        false => TagReader::default(),
    };
    let (mut ids, mut spans) = (Vec::new(), Jagged::default());
    for (at, document) in IndexedItems::of(data).iter().enumerate() {
        if !document.is_instance_of::<PyList>() {
            return refuse("Each document must be a list of tags");
        }
        let document = document.to_owned();
        ids.clear();
        let walked = interner.sentence(&document, &mut tags, &mut ids);
        reader.learn(&tags);
        // An invalid tag before an item that is not a str is the first error.
        let places = ids.iter().copied().enumerate();
        reader
            .spans(places, ids.len(), spans.values_mut())
            .map_err(|bad| bad.named(&tags))?;
        if let Err(error) = walked {
            return Err(not_a_tag(&document, ids.len())?.unwrap_or(error));
        }
        spans.end();
        pause(at)?;
    }
    let types = names(&reader.into_types());
    Ok(SpanLists(Core::new(spans, None, types)))
}

/// Both sides of lists of lists of tags at once, or None if either side is invalid; [`nervaluate_tags`] then raises the
/// error. A pred sentence with the same objects as its gold sentence is not read again.
#[pyfunction]
#[pyo3(signature = (gold, pred, /))]
pub(crate) fn nervaluate_pairs(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
) -> Result<Option<Both>> {
    let Some(lists) = NestedLists::of_lists(gold, pred) else {
        return Ok(None);
    };
    let mut sentences = SentenceReader::new(gold.py())?;
    let mut spans = Vec::new();
    let (mut gold_ranges, mut pred_ranges) = (Vec::new(), Vec::new());
    let mut fine = true;
    let each = |_: usize, one: &[Item], other: &[Item]| {
        let begin = spans.len() as u32;
        // SAFETY: items are alive when `each` is called.
        fine = one.len() == other.len() && unsafe { sentences.read(one, &mut spans) };
        let middle = spans.len() as u32;
        gold_ranges.push(begin..middle);
        let mut of_pred = begin..middle;
        if fine && one != other {
            // SAFETY: as above.
            fine = unsafe { sentences.read(other, &mut spans) };
            of_pred = middle..spans.len() as u32;
        }
        pred_ranges.push(of_pred);
        if fine {
            Ok(Next::default())
        } else {
            refuse("")
        }
    };
    // SAFETY: the items are not used after interning, which runs no Python code.
    let walked = unsafe { lists.walk(each) };
    if !fine {
        return Ok(None);
    }
    walked?;
    let (types, ranges) = (
        names(&sentences.reader.into_types()),
        [gold_ranges, pred_ranges],
    );
    let lists = Core::gold_and_pred(spans, None, types, ranges);
    Ok(Some(both(lists)))
}

/// Reads sentences of known tags in one pass, without storing their ids.
struct SentenceReader<'py> {
    py: Python<'py>,
    tags: Reader,
    interner: TagInterner,
    reader: TagReader,
    ids: Vec<u32>,
}

impl<'py> SentenceReader<'py> {
    fn new(py: Python<'py>) -> Result<Self> {
        Ok(Self {
            py,
            tags: tag_numbering()?,
            interner: TagInterner::new(),
            reader: TagReader::default(),
            ids: Vec::new(),
        })
    }

    /// Appends the spans of a sentence. Returns false for an invalid sentence.
    ///
    /// # Safety
    /// The items are alive.
    #[inline]
    unsafe fn read(&mut self, items: &[Item], spans: &mut Vec<Span<i64>>) -> bool {
        let (before, mut whole) = (spans.len(), true);
        let known = items.iter().enumerate().map_while(|(at, &item)| {
            // SAFETY: the item is alive.
            let id = unsafe { self.interner.known(&self.tags, item) };
            whole &= id.is_some();
            id.map(|id| (at, id))
        });
        let read = self.reader.spans(known, items.len(), spans);
        if whole {
            return read.is_ok();
        }
        spans.truncate(before);
        // SAFETY: the items are alive.
        unsafe { self.read_new(items, spans) }
    }

    /// Like [`SentenceReader::read`], for tags that may be new.
    ///
    /// # Safety
    /// The items are alive.
    #[cold]
    unsafe fn read_new(&mut self, items: &[Item], spans: &mut Vec<Span<i64>>) -> bool {
        self.ids.clear();
        for &item in items {
            // SAFETY: the item is alive.
            let Ok(id) = (unsafe { self.interner.id(self.py, &mut self.tags, item) }) else {
                return false;
            };
            self.ids.push(id);
        }
        self.reader.learn(&self.tags);
        let places = self.ids.iter().copied().enumerate();
        self.reader.spans(places, self.ids.len(), spans).is_ok()
    }
}

/// The error for an item that is not a str; None for a str.
#[cold]
fn not_a_tag(document: &Bound<'_, PyAny>, at: usize) -> Result<Option<Error>> {
    let Some(item) = IndexedItems::of(document).get(at) else {
        return Ok(None);
    };
    if item.is_instance_of::<PyString>() {
        return Ok(None);
    }
    let message = format!("Invalid tag type: {}", item.get_type().str()?);
    Ok(Some(Error::value(message)))
}

/// Spans of text in columns separated by tabs, with the tag in the second column. Documents are separated by empty
/// lines; lines of white space within a document are tokens without a tag.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn nervaluate_conll(data: &str) -> Result<SpanLists> {
    Ok(span_lists(read_conll(data)?))
}

/// Upper bound on the absolute value of offsets; up to this value lengths and shares are exact in f64.
const FARTHEST: i64 = 1 << 51;

fn offset(value: &Bound<'_, PyAny>) -> Result<i64> {
    match value.extract::<i64>() {
        Ok(place) if (-FARTHEST..=FARTHEST).contains(&place) => Ok(place),
        Err(error) if !value.is_instance_of::<PyInt>() => Err(error.into()),
        _ => Err(
            PyOverflowError::new_err(format!("entity offset {value} is beyond {FARTHEST}")).into(),
        ),
    }
}

/// Reads a list of lists of entities. `refusals` are the messages for an outer or inner value that is not a list.
fn gather(
    data: &Bound<'_, PyAny>,
    refusals: [&str; 2],
    mut each: impl FnMut(&Bound<'_, PyAny>, &mut Documents) -> Result<()>,
) -> Result<SpanLists> {
    let Ok(list) = data.cast::<PyList>() else {
        return refuse(refusals[0]);
    };
    let mut documents = Documents::default();
    for (at, document) in list.iter().enumerate() {
        let Ok(document) = document.cast::<PyList>() else {
            return refuse(refusals[1]);
        };
        for entity in document.iter() {
            each(&entity, &mut documents)?;
            pause(documents.spans.values().len())?;
        }
        documents.end();
        pause(at)?;
    }
    Ok(span_lists(documents))
}

/// Spans of a list of lists of dicts with label, start and inclusive end.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn nervaluate_dicts(data: &Bound<'_, PyAny>) -> Result<SpanLists> {
    let refusals = [
        "DictLoader expects list input",
        "Each document must be a list of entity dictionaries",
    ];
    gather(data, refusals, |entity, documents| {
        let Ok(dict) = entity.cast::<PyDict>() else {
            let kind = entity.get_type().str()?;
            return refuse(format!("Invalid entity type: {kind}"));
        };
        let (Some(label), Some(start), Some(end)) = (
            dict.get_item("label")?,
            dict.get_item("start")?,
            dict.get_item("end")?,
        ) else {
            let keys = PySet::new(dict.py(), ["label", "start", "end"])?;
            return refuse(format!("Entity missing required keys: {}", keys.repr()?));
        };
        let Ok(label) = label.cast::<PyString>() else {
            return refuse("Entity label must be a string");
        };
        if !start.is_instance_of::<PyInt>() || !end.is_instance_of::<PyInt>() {
            return refuse("Entity start and end must be integers");
        }
        documents.push(label.to_str()?, offset(&start)?, offset(&end)?);
        Ok(())
    })
}

/// Spans of a list of lists of objects with the attributes label, start and inclusive end.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn nervaluate_entities(data: &Bound<'_, PyAny>) -> Result<SpanLists> {
    let refusals = [
        "expected a list of documents",
        "each document must be a list of entities",
    ];
    gather(data, refusals, |entity, documents| {
        let label = entity.getattr("label")?;
        let (start, end) = (entity.getattr("start")?, entity.getattr("end")?);
        let label = label.cast::<PyString>()?;
        documents.push(label.to_str()?, offset(&start)?, offset(&end)?);
        Ok(())
    })
}
