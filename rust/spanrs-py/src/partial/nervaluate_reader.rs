//! What nervaluate's loaders take, with their refusals to the letter.

use std::collections::HashMap;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PySet, PyString};
use spanrs_base::Span;
use spanrs_eval::partial::{BadTag, NervaluateReader};
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

use crate::error::{Error, Result};
use crate::nested_lists::NestedLists;
use crate::pause;
use crate::py_sequence::Item;
use crate::py_sequence::Items;
use crate::span_lists::{Held, SpanLists};
use crate::tag_interner::TagInterner;

fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(PyValueError::new_err(message.into()).into())
}

/// Only numbers the tags: what they mean is the reader's business.
fn numbering() -> Result<Reader> {
    Ok(Reader::new(
        Scheme::Bio,
        Reading::Conlleval,
        Dialect::default(),
    )?)
}

fn bad_tag(tags: &Reader, BadTag(id): BadTag) -> Error {
    let tag = tags.tags().name(id);
    PyValueError::new_err(format!("Invalid tag format: {tag}")).into()
}

/// Spans of a list of lists of tags; ends are exclusive. With `any_prefix` no tag is refused.
#[pyfunction]
#[pyo3(signature = (data, any_prefix, /))]
pub(crate) fn nervaluate_tags(data: &Bound<'_, PyAny>, any_prefix: bool) -> Result<SpanLists> {
    let Ok(list) = data.cast::<PyList>() else {
        return refuse("ListLoader expects list input");
    };
    let (mut tags, mut interner) = (numbering()?, TagInterner::new());
    let mut reader = if any_prefix {
        NervaluateReader::any_prefix()
    } else {
        NervaluateReader::default()
    };
    let (mut ids, mut spans) = (Vec::new(), Vec::new());
    let mut ends = Vec::with_capacity(list.len());
    let documents = Items::of(data);
    for at in 0..documents.len() {
        let Some(document) = documents.get(at) else {
            break;
        };
        if !document.is_instance_of::<PyList>() {
            return refuse("Each document must be a list of tags");
        }
        let document = document.to_owned();
        ids.clear();
        let walked = interner.sentence(&document, &mut tags, &mut ids);
        reader.learn(&tags);
        // Where a tag is no str, those before it may be wrong, too, and are the first to say so.
        let places = ids.iter().copied().enumerate();
        reader
            .spans(places, ids.len(), &mut spans)
            .map_err(|bad| bad_tag(&tags, bad))?;
        if let Err(error) = walked {
            return Err(not_a_tag(&document, ids.len())?.unwrap_or(error));
        }
        ends.push(spans.len());
        pause(at)?;
    }
    Ok(SpanLists::new(spans, None, &ends, reader.into_types()))
}

/// Both sides of lists of lists of tags at once, or None where anything is wrong with them: then
/// [`nervaluate_tags`] says what. A pred sentence of the same objects as its gold sentence is not read.
#[pyfunction]
#[pyo3(signature = (gold, pred, /))]
pub(crate) fn nervaluate_pairs(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
) -> Result<Option<(SpanLists, SpanLists)>> {
    let Some(rows) = NestedLists::of_lists(gold, pred) else {
        return Ok(None);
    };
    let mut walk = Walk::new(gold.py())?;
    let mut spans = Vec::new();
    let (mut gold_ranges, mut pred_ranges) = (Vec::new(), Vec::new());
    let mut fine = true;
    let each = |_: usize, one: &[Item], other: &[Item]| {
        let begin = spans.len() as u32;
        // SAFETY: items are alive where they are handed over.
        fine = one.len() == other.len() && unsafe { walk.read(one, &mut spans) };
        let middle = spans.len() as u32;
        gold_ranges.push(begin..middle);
        let mut of_pred = begin..middle;
        if fine && one != other {
            // SAFETY: as above.
            fine = unsafe { walk.read(other, &mut spans) };
            of_pred = middle..spans.len() as u32;
        }
        pred_ranges.push(of_pred);
        if fine { Ok(false) } else { refuse("") }
    };
    // SAFETY: the items are not used once they are interned, which runs no Python code.
    let walked = unsafe { rows.walk(each) };
    if !fine {
        return Ok(None);
    }
    walked?;
    let held = Held::new(spans, None, walk.reader.into_types());
    Ok(Some(SpanLists::gold_and_pred(
        held,
        [gold_ranges, pred_ranges],
    )))
}

/// Reads sentences whose tags were seen before in one go, without putting their ids down first.
struct Walk<'py> {
    py: Python<'py>,
    tags: Reader,
    interner: TagInterner,
    reader: NervaluateReader,
    ids: Vec<u32>,
}

impl<'py> Walk<'py> {
    fn new(py: Python<'py>) -> Result<Self> {
        Ok(Self {
            py,
            tags: numbering()?,
            interner: TagInterner::new(),
            reader: NervaluateReader::default(),
            ids: Vec::new(),
        })
    }

    /// Appends the spans of a sentence; false where something is wrong with it.
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

    /// The same for tags that may be new.
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

/// What is wrong with the item at a place, if it is that it is no str.
#[cold]
fn not_a_tag(document: &Bound<'_, PyAny>, at: usize) -> Result<Option<Error>> {
    let Some(item) = Items::of(document).get(at) else {
        return Ok(None);
    };
    if item.is_instance_of::<PyString>() {
        return Ok(None);
    }
    let message = format!("Invalid tag type: {}", item.get_type().str()?);
    Ok(Some(PyValueError::new_err(message).into()))
}

/// Spans of text in columns separated by tabs, the tag in the second; documents stand between empty
/// lines. Blank lines within a document are places without a tag.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn nervaluate_conll(data: &str) -> Result<SpanLists> {
    let (mut tags, mut reader) = (numbering()?, NervaluateReader::default());
    let (mut places, mut spans, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let text = data.trim_end_matches(is_space);
    // An empty text has no documents, one of nothing but blanks has one.
    let documents = text
        .split("\n\n")
        .take(if data.is_empty() { 0 } else { usize::MAX });
    for document in documents {
        places.clear();
        let mut lines = 0;
        let mut bad_line = None;
        for (at, line) in document.split('\n').enumerate() {
            lines = at + 1;
            if line.trim_matches(is_space).is_empty() {
                continue;
            }
            let Some(tag) = line.split('\t').nth(1) else {
                bad_line = Some(line);
                break;
            };
            places.push((at, tags.intern(tag)?));
        }
        reader.learn(&tags);
        reader
            .spans(places.iter().copied(), lines, &mut spans)
            .map_err(|bad| bad_tag(&tags, bad))?;
        if let Some(line) = bad_line {
            return refuse(format!(
                "Invalid CoNLL format: line '{line}' does not contain a tab separator"
            ));
        }
        ends.push(spans.len());
    }
    Ok(SpanLists::new(spans, None, &ends, reader.into_types()))
}

/// Python's white space, which is Unicode's and four control characters.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// Numbers types, and gathers spans.
#[derive(Default)]
struct Gathered {
    spans: Vec<Span<i64>>,
    types: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Gathered {
    /// Adds a span; `end` is inclusive.
    fn push(&mut self, ty: &str, start: i64, end: i64) {
        let ty = self.numbers.get(ty).copied().unwrap_or_else(|| {
            let number = self.types.len() as u32;
            self.numbers.insert(ty.to_owned(), number);
            self.types.push(ty.to_owned());
            number
        });
        self.spans.push(Span {
            start,
            end: end + 1,
            ty,
        });
    }
}

/// Lengths and shares are exact up to here, in Python as in Rust.
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

/// Walks lists of lists.
fn gather(
    data: &Bound<'_, PyAny>,
    refusals: [&str; 2],
    mut each: impl FnMut(&Bound<'_, PyAny>, &mut Gathered) -> Result<()>,
) -> Result<SpanLists> {
    let Ok(list) = data.cast::<PyList>() else {
        return refuse(refusals[0]);
    };
    let mut gathered = Gathered::default();
    let mut ends = Vec::with_capacity(list.len());
    for (at, document) in list.iter().enumerate() {
        let Ok(document) = document.cast::<PyList>() else {
            return refuse(refusals[1]);
        };
        for entity in document.iter() {
            each(&entity, &mut gathered)?;
            pause(gathered.spans.len())?;
        }
        ends.push(gathered.spans.len());
        pause(at)?;
    }
    Ok(SpanLists::new(gathered.spans, None, &ends, gathered.types))
}

/// Spans of a list of lists of dicts with label, start and end, which is inclusive.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn nervaluate_dicts(data: &Bound<'_, PyAny>) -> Result<SpanLists> {
    let refusals = [
        "DictLoader expects list input",
        "Each document must be a list of entity dictionaries",
    ];
    gather(data, refusals, |entity, gathered| {
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
        gathered.push(label.to_str()?, offset(&start)?, offset(&end)?);
        Ok(())
    })
}

/// Spans of a list of lists of objects with attributes label, start and end, which is inclusive.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn nervaluate_entities(data: &Bound<'_, PyAny>) -> Result<SpanLists> {
    let refusals = [
        "expected a list of documents",
        "each document must be a list of entities",
    ];
    gather(data, refusals, |entity, gathered| {
        let label = entity.getattr("label")?;
        let (start, end) = (entity.getattr("start")?, entity.getattr("end")?);
        let label = label.cast::<PyString>().map_err(PyErr::from)?;
        gathered.push(label.to_str()?, offset(&start)?, offset(&end)?);
        Ok(())
    })
}
