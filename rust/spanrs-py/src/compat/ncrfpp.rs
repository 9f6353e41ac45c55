//! NCRF++'s spans and counts: the compiled part of `spanrs.compat.ncrfpp`.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use spanrs::compat::ncrfpp::{Counts, Span, Tags};
use spanrs::compat::tag_numbering;
use spanrs::tags::Reader;

use crate::error::Result;
use crate::pause;
use crate::tag_interner::{TagInterner, as_list_or_tuple};

/// The tags in Python lists; each distinct tag is decoded once.
struct ListTags {
    interner: TagInterner,
    numbering: Reader,
    tags: Tags,
}

impl ListTags {
    fn new(bio: bool) -> Result<Self> {
        Ok(Self {
            interner: TagInterner::new(),
            numbering: tag_numbering()?,
            tags: Tags::new(bio)?,
        })
    }

    /// Replaces `ids` with the ids of a sentence's tags.
    fn read(&mut self, sentence: &Bound<'_, PyAny>, ids: &mut Vec<u32>) -> Result<()> {
        ids.clear();
        self.interner.sentence(sentence, &mut self.numbering, ids)?;
        for id in self.tags.len()..self.numbering.tags().len() {
            let tag = PyString::new(sentence.py(), self.numbering.tags().name(id as u32));
            // Uses Python's conversion, because its Unicode version may differ from Rust's.
            let upper = tag.call_method0("upper")?;
            self.tags.push(&upper.extract::<String>()?)?;
        }
        Ok(())
    }
}

/// The spans of a sentence as (type, start, last token or None).
#[pyfunction]
#[pyo3(signature = (tags, bio, /))]
pub(crate) fn ncrfpp_spans(
    tags: &Bound<'_, PyAny>,
    bio: bool,
) -> Result<Vec<(String, u32, Option<u32>)>> {
    let mut list = ListTags::new(bio)?;
    let (mut ids, mut found) = (Vec::new(), Vec::new());
    list.read(tags, &mut ids)?;
    list.tags.spans(&ids, &mut found);
    let named = |(ty, start, last): Span| (list.tags.type_name(ty).to_owned(), start, last);
    Ok(found.into_iter().map(named).collect())
}

/// Numbers of tokens with equal tags, tokens, gold spans, pred spans and spans in both. Pred sentences after the end of
/// gold are not read; pred tokens after the end of a gold sentence only contribute pred spans.
#[pyfunction]
#[pyo3(signature = (gold, pred, bio, /))]
pub(crate) fn ncrfpp_counts(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    bio: bool,
) -> Result<[usize; 5]> {
    let (gold, pred) = (as_list_or_tuple(gold)?, as_list_or_tuple(pred)?);
    let mut list = ListTags::new(bio)?;
    let (mut golds, mut preds) = (Vec::new(), Vec::new());
    let mut counts = Counts::default();
    for at in 0..gold.len()? {
        list.read(&gold.get_item(at)?, &mut golds)?;
        let row = pred.get_item(at)?;
        list.read(&row, &mut preds)?;
        if preds.len() < golds.len() {
            let kind = match row.is_instance_of::<PyTuple>() {
                true => "tuple",
                false => "list",
            };
            return Err(PyIndexError::new_err(format!("{kind} index out of range")).into());
        }
        counts.add(&list.tags, &golds, &preds);
        pause(at)?;
    }
    Ok([
        counts.equal_tokens,
        counts.tokens,
        counts.gold,
        counts.pred,
        counts.both,
    ])
}
