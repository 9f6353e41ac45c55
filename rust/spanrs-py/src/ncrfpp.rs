//! Counting as NCRF++: behind `spanrs.compat.ncrfpp`.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use spanrs_base::Vocabulary;
use spanrs_tags::ncrfpp::{NAMELESS, NcrfSpan, NcrfTag, classify, common, spans};
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

use crate::error::Result;
use crate::tag_interner::{TagInterner, as_list_or_tuple};

/// Sentences between two looks for Ctrl-C.
const PAUSE: usize = 1 << 14;

/// Tags of sentences to what they do, each distinct one looked at once.
struct Tags {
    interner: TagInterner,
    reader: Reader,
    names: Vocabulary,
    known: Vec<NcrfTag>,
    bio: bool,
}

impl Tags {
    fn new(bio: bool) -> Result<Self> {
        let mut names = Vocabulary::new(usize::MAX);
        let nameless = names.intern("").map_err(spanrs_tags::Error::from)?;
        debug_assert_eq!(nameless, NAMELESS);
        Ok(Self {
            interner: TagInterner::new(),
            // Only its numbering of tags is used.
            reader: Reader::new(Scheme::Token, Reading::Conlleval, Dialect::default())?,
            names,
            known: Vec::new(),
            bio,
        })
    }

    /// The ids of a sentence's tags, in `ids`.
    fn ids(&mut self, sentence: &Bound<'_, PyAny>, ids: &mut Vec<u32>) -> Result<()> {
        ids.clear();
        self.interner.sentence(sentence, &mut self.reader, ids)?;
        for id in self.known.len()..self.reader.tags().len() {
            let tag = PyString::new(sentence.py(), self.reader.tags().name(id as u32));
            // Python's own upper case, whose tables are of another age than ours.
            let upper = tag.call_method0("upper")?;
            let (made, name) = classify(&upper.extract::<String>()?, self.bio);
            let name = self.names.intern(&name).map_err(spanrs_tags::Error::from)?;
            self.known.push(made(name));
        }
        Ok(())
    }

    fn spans(&self, ids: &[u32], found: &mut Vec<NcrfSpan>) {
        spans(ids.iter().map(|&id| self.known[id as usize]), found);
    }
}

/// The spans of a sentence as (type, start, last token or None).
#[pyfunction]
#[pyo3(signature = (tags, bio, /))]
pub(crate) fn ncrfpp_spans(
    tags: &Bound<'_, PyAny>,
    bio: bool,
) -> Result<Vec<(String, u32, Option<u32>)>> {
    let mut read = Tags::new(bio)?;
    let (mut ids, mut found) = (Vec::new(), Vec::new());
    read.ids(tags, &mut ids)?;
    read.spans(&ids, &mut found);
    let named = |(ty, start, last): NcrfSpan| (read.names.name(ty).to_owned(), start, last);
    Ok(found.into_iter().map(named).collect())
}

/// Tokens with equal tags, tokens, spans of gold, of pred and of both; sentences and tokens that only
/// pred has are not looked at for the first two.
#[pyfunction]
#[pyo3(signature = (gold, pred, bio, /))]
pub(crate) fn ncrfpp_counts(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    bio: bool,
) -> Result<[usize; 5]> {
    let (gold, pred) = (as_list_or_tuple(gold)?, as_list_or_tuple(pred)?);
    let mut read = Tags::new(bio)?;
    let (mut golds, mut preds) = (Vec::new(), Vec::new());
    let (mut gold_spans, mut pred_spans) = (Vec::new(), Vec::new());
    let mut counts = [0; 5];
    for at in 0..gold.len()? {
        read.ids(&gold.get_item(at)?, &mut golds)?;
        let row = pred.get_item(at)?;
        read.ids(&row, &mut preds)?;
        if preds.len() < golds.len() {
            let kind = if row.is_instance_of::<PyTuple>() {
                "tuple"
            } else {
                "list"
            };
            return Err(PyIndexError::new_err(format!("{kind} index out of range")).into());
        }
        read.spans(&golds, &mut gold_spans);
        read.spans(&preds, &mut pred_spans);
        counts[0] += golds.iter().zip(&preds).filter(|(g, p)| g == p).count();
        counts[1] += golds.len();
        counts[2] += gold_spans.len();
        counts[3] += pred_spans.len();
        counts[4] += common(&gold_spans, &pred_spans);
        if at % PAUSE == PAUSE - 1 {
            gold.py().check_signals()?;
        }
    }
    Ok(counts)
}
