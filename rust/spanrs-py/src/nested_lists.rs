//! Scoring of lists of lists of tags, which are traversed in place, gold and pred together.

use pyo3::prelude::*;
use pyo3::types::PyList;
use spanrs::eval::input::{DocumentEnds, PairCounter, PairIds};
use spanrs::eval::{Scorer, Side};
use spanrs::tags::{Evidence, Reader};

use crate::error::{Error, Result};
use crate::py_sequence::{BorrowedSlices, IndexedItems, Item};
use crate::tag_interner::{TagInterner, as_list_or_tuple_at, is_list_or_tuple, wrong_item};

/// Number of sentences between two checks for Ctrl-C.
const PAUSE: usize = 1 << 16;

/// Number of sentences after which the interner checks again whether tags are a small set of objects.
const LOOK_AGAIN: usize = 1 << 12;

/// What [`NestedLists::walk`] does before the next sentence.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Next {
    /// Prefetch the tags of the next sentences, because most are new objects.
    pub(crate) prefetch_objects: bool,
    /// Fetch the lists again, because Python code may have changed them.
    pub(crate) fetch_again: bool,
}

/// Both sides: lists or tuples of lists or tuples.
pub(crate) struct NestedLists<'py> {
    gold: Bound<'py, PyAny>,
    pred: Bound<'py, PyAny>,
}

impl<'py> NestedLists<'py> {
    pub(crate) fn new(gold: &Bound<'py, PyAny>, pred: &Bound<'py, PyAny>) -> Result<Self> {
        let lists = Self {
            gold: reiterable(gold, "gold")?,
            pred: reiterable(pred, "pred")?,
        };
        same_number(lists.gold.len()?, lists.pred.len()?)?;
        Ok(lists)
    }

    /// Both sides if they are lists of lists of equal length.
    pub(crate) fn of_lists(gold: &Bound<'py, PyAny>, pred: &Bound<'py, PyAny>) -> Option<Self> {
        let is_list = |object: &Bound<'py, PyAny>| object.is_instance_of::<PyList>();
        let are_lists = |side| {
            let mut sentences = IndexedItems::of(side).iter();
            is_list(side) && sentences.all(|sentence| is_list(&sentence))
        };
        if !are_lists(gold) || !are_lists(pred) {
            return None;
        }
        (IndexedItems::of(gold).len() == IndexedItems::of(pred).len()).then(|| Self {
            gold: gold.clone(),
            pred: pred.clone(),
        })
    }

    /// Scheme evidence from about `most` tokens of one side, and whether these were all tokens.
    pub(crate) fn evidence(
        &self,
        reader: &mut Reader,
        side: Side,
        most: u64,
    ) -> Result<(Evidence, bool)> {
        let sentences = IndexedItems::of(match side {
            Side::Gold => &self.gold,
            Side::Pred => &self.pred,
        });
        let mut interner = TagInterner::new();
        let mut evidence = Evidence::default();
        let mut tokens = 0;
        let mut ids = Vec::new();
        for (at, sentence) in sentences.iter().enumerate() {
            if tokens >= most {
                return Ok((evidence, false));
            }
            ids.clear();
            let known = interner.sentence(&sentence.to_owned(), reader, &mut ids);
            known.map_err(|error| self.place(at, error))?;
            evidence.add(&ids);
            tokens += ids.len() as u64;
            if at % PAUSE == PAUSE - 1 {
                self.gold.py().check_signals()?;
            }
        }
        Ok((evidence, true))
    }

    /// Number of gold sentences.
    pub(crate) fn len(&self) -> Result<usize> {
        Ok(self.gold.len()?)
    }

    /// Counts all sentences.
    pub(crate) fn count(
        &self,
        interner: &mut TagInterner,
        reader: &mut Reader,
        scorer: &mut Scorer,
        documents: Option<&DocumentEnds>,
    ) -> Result<()> {
        let py = self.gold.py();
        let mut counter = PairCounter::new(reader, scorer);
        let mut ends = documents.map(|documents| documents.from(0));
        let each = |at: usize, gold: &[Item], pred: &[Item]| {
            same_length(at, gold.len(), pred.len())?;
            // SAFETY: items are alive when they are passed, and no Python code runs before all are interned.
            let mut ids = unsafe { ItemIds::new(py, interner) };
            counter.add(gold.iter().zip(pred), &mut ids)?;
            if let Some(name) = ends.as_mut().and_then(|ends| ends.ends_at(at + 1)) {
                counter.end_document(name);
            }
            if at.is_multiple_of(LOOK_AGAIN) {
                interner.look_again();
            }
            Ok(Next {
                prefetch_objects: interner.bypasses_addresses(),
                // The matcher may have run signal handlers.
                fetch_again: counter.check()?,
            })
        };
        // SAFETY: the items are not used after interning, and are fetched again after sentences have been counted.
        unsafe { self.walk(each)? };
        counter.finish();
        Ok(())
    }

    /// Calls `each` with the ids of gold and pred of each sentence.
    pub(crate) fn ids(
        &self,
        reader: &mut Reader,
        mut each: impl FnMut(&[u32], &[u32]),
    ) -> Result<()> {
        let mut interner = TagInterner::new();
        let (mut gold_ids, mut pred_ids) = (Vec::new(), Vec::new());
        let py = self.gold.py();
        let read = |at: usize, gold: &[Item], pred: &[Item]| {
            same_length(at, gold.len(), pred.len())?;
            gold_ids.clear();
            pred_ids.clear();
            for (&gold, &pred) in gold.iter().zip(pred) {
                // SAFETY: items are alive when `each` is called.
                let (gold, pred) = unsafe { interner.pair(py, reader, gold, pred)? };
                gold_ids.push(gold);
                pred_ids.push(pred);
            }
            each(&gold_ids, &pred_ids);
            Ok(Next::default())
        };
        // SAFETY: the items are not used after interning, which runs no Python code.
        unsafe { self.walk(read) }
    }

    /// Calls `each` with the index and the items of gold and pred of each sentence.
    ///
    /// # Safety
    /// The items are valid until Python code runs, so `each` must not run Python code before its last use of the items,
    /// and must return [`Next::fetch_again`] if it may have run Python code afterwards. Interning tags runs no Python
    /// code unless it fails; a matcher may run signal handlers.
    #[inline(always)]
    pub(crate) unsafe fn walk(
        &self,
        mut each: impl FnMut(usize, &[Item], &[Item]) -> Result<Next>,
    ) -> Result<()> {
        let py = self.gold.py();
        let mut outer = (BorrowedSlices::new(py), BorrowedSlices::new(py));
        let mut inner = (BorrowedSlices::new(py), BorrowedSlices::new(py));
        let (mut start, mut next) = (0, Next::default());
        loop {
            // SAFETY: the lists are alive, and their items are fetched again after Python code may have run: after
            // every check for signals, and when `each` returns [`Next::fetch_again`].
            let (gold, pred) = unsafe {
                (
                    outer.0.items(self.gold.as_ptr()).unwrap_or_default(),
                    outer.1.items(self.pred.as_ptr()).unwrap_or_default(),
                )
            };
            same_number(gold.len(), pred.len())?;
            let mut end = gold.len().min(start + PAUSE);
            for at in start..end {
                // SAFETY: sentences are alive as long as the lists contain them.
                let items = unsafe {
                    inner.0.prefetch_items(gold, at);
                    inner.1.prefetch_items(pred, at);
                    if next.prefetch_objects {
                        inner.0.prefetch_objects(gold, at);
                        inner.1.prefetch_objects(pred, at);
                    }
                    (inner.0.items(gold[at]), inner.1.items(pred[at]))
                };
                let (Some(gold_items), Some(pred_items)) = items else {
                    // The list changed during the walk.
                    return Err(changed(at));
                };
                let done = each(at, gold_items, pred_items);
                next = done.map_err(|error| self.place(at, error))?;
                if next.fetch_again {
                    end = at + 1;
                    break;
                }
            }
            let paused = end == start + PAUSE;
            start = end;
            if start >= self.gold.len()? {
                return same_number(self.gold.len()?, self.pred.len()?);
            }
            if paused {
                py.check_signals()?;
            }
        }
    }
}

impl NestedLists<'_> {
    /// Locates the first item of a sentence that is not a string.
    #[cold]
    fn place(&self, at: usize, error: Error) -> Error {
        for (name, side) in [("gold", &self.gold), ("pred", &self.pred)] {
            let Some(sentence) = IndexedItems::of(side).get(at).map(|list| list.to_owned()) else {
                continue;
            };
            let items = IndexedItems::of(&sentence).iter().enumerate();
            let mut wrong = items.filter_map(|(token, item)| {
                let place = format!("{name}, sentence {at}, token {token}: ");
                wrong_item(&item.to_owned(), &place)
            });
            if let Some(wrong) = wrong.next() {
                return wrong;
            }
        }
        error
    }
}

/// Looks up the ids of items.
struct ItemIds<'a, 'py> {
    py: Python<'py>,
    interner: &'a mut TagInterner,
}

impl<'a, 'py> ItemIds<'a, 'py> {
    /// Creates a lookup.
    ///
    /// # Safety
    /// All items passed to [`PairIds::pair_ids`] are alive.
    unsafe fn new(py: Python<'py>, interner: &'a mut TagInterner) -> Self {
        Self { py, interner }
    }
}

impl PairIds<(&Item, &Item)> for ItemIds<'_, '_> {
    type Error = Error;

    #[inline(always)]
    fn pair_ids(
        &mut self,
        reader: &mut Reader,
        (&gold, &pred): (&Item, &Item),
    ) -> Result<(u32, u32)> {
        // SAFETY: promised by the caller of `new`.
        unsafe { self.interner.pair(self.py, reader, gold, pred) }
    }
}

#[cold]
fn changed(at: usize) -> Error {
    let message = format!("sentence {at} was replaced during scoring");
    Error::shape(message, Some(at))
}

fn same_number(gold: usize, pred: usize) -> Result<()> {
    if gold == pred {
        return Ok(());
    }
    let message = format!("gold has {gold} sentences, pred has {pred}");
    Err(Error::shape(message, None))
}

#[inline(always)]
fn same_length(at: usize, gold: usize, pred: usize) -> Result<()> {
    if gold == pred {
        return Ok(());
    }
    let message = format!("sentence {at}: gold has {gold} tags, pred has {pred}");
    Err(Error::shape(message, Some(at)))
}

/// The sequence itself if all its sentences are lists or tuples; otherwise a copy with lists.
fn reiterable<'py>(side: &Bound<'py, PyAny>, name: &str) -> Result<Bound<'py, PyAny>> {
    let side = as_list_or_tuple_at(side, || format!("{name}: "))?;
    let sentences = IndexedItems::of(&side);
    if sentences.iter().all(|sentence| is_list_or_tuple(&sentence)) {
        return Ok(side);
    }
    let copy = PyList::empty(side.py());
    for (at, sentence) in sentences.iter().enumerate() {
        let place = || format!("{name}, sentence {at}: ");
        copy.append(as_list_or_tuple_at(&sentence.to_owned(), place)?)?;
    }
    Ok(copy.into_any())
}
