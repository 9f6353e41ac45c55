//! conlleval's counts: the compiled part of `spanrs conlleval` and `spanrs.compat.conlleval`.

use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use spanrs::base::Limits;
use spanrs::compat::conlleval::{ConllevalText, Cut, Layout, Rules, Setting};

use crate::error::Result;
use crate::locks::lock_now;
use crate::pause;
use crate::plain::Plain;

/// (type, [gold spans, pred spans, spans in both, gold tokens, pred tokens, tokens with equal tags])
type TypeRow<'py> = (Bound<'py, PyBytes>, [u64; 6]);

/// (gold tag, pred tag, tokens)
type PairRow<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64);

/// Compares gold and pred like one of the programs called conlleval.
///
/// `rules` is `perl`, `python` or `sequences`. A delimiter of None means white space; for `perl` the delimiter is a
/// pattern.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Conlleval(Mutex<ConllevalText>);

#[pymethods]
impl Conlleval {
    #[new]
    #[pyo3(signature = (rules, delimiter, boundary, outside, raw, trim, /))]
    fn new(
        rules: Plain<Rules>,
        delimiter: Option<Vec<u8>>,
        boundary: Vec<u8>,
        outside: Vec<u8>,
        raw: bool,
        trim: bool,
    ) -> Result<Self> {
        let Plain(rules) = rules;
        let layout = Layout {
            cut: Cut::new(rules, delimiter)?,
            boundary,
            trim,
        };
        let setting = Setting {
            rules,
            outside,
            raw,
        };
        let text = ConllevalText::new(layout, setting, Limits::default());
        Ok(Self(Mutex::new(text)))
    }

    /// Reads the next bytes of a text.
    #[pyo3(signature = (piece, /))]
    fn feed(&self, piece: &Bound<'_, PyBytes>) -> Result<()> {
        let text = &mut *self.lock()?;
        let bytes = piece.as_bytes();
        Ok(piece.py().detach(|| text.feed(bytes))?)
    }

    /// Ends the text.
    fn end(&self) -> Result<()> {
        Ok(self.lock()?.end()?)
    }

    /// Reads lines given as an iterable of str.
    #[pyo3(signature = (lines, /))]
    fn lines(&self, lines: &Bound<'_, PyAny>) -> Result<()> {
        for (at, line) in lines.try_iter()?.enumerate() {
            let line = line?;
            // The lock is not held while the iterable runs arbitrary code.
            with_bytes(&line, |bytes| Ok(self.lock()?.line(bytes)?))?;
            pause(at)?;
        }
        Ok(())
    }

    /// Reads tags given as two iterables of str, to the end of the shorter iterable.
    #[pyo3(signature = (gold, pred, /))]
    fn tags(&self, gold: &Bound<'_, PyAny>, pred: &Bound<'_, PyAny>) -> Result<()> {
        let (golds, mut preds) = (gold.try_iter()?, pred.try_iter()?);
        for (at, gold) in golds.enumerate() {
            let gold = gold?;
            let Some(pred) = preds.next() else { break };
            let pred = pred?;
            with_bytes(&gold, |gold| {
                with_bytes(&pred, |pred| Ok(self.lock()?.tags(gold, pred)?))
            })?;
            pause(at)?;
        }
        Ok(())
    }

    /// Tokens, tokens with equal tags, types, and pairs of tags.
    fn counts<'py>(
        &self,
        py: Python<'py>,
    ) -> Result<(u64, u64, Vec<TypeRow<'py>>, Vec<PairRow<'py>>)> {
        let text = self.lock()?;
        let counts = text.counts();
        let bytes = |name: &[u8]| PyBytes::new(py, name);
        let types = counts.types().into_iter();
        let types: Vec<_> = types.map(|(name, n)| (bytes(name), n.row())).collect();
        let pairs = counts.pairs();
        let pairs = pairs
            .map(|(gold, pred, n)| (bytes(gold), bytes(pred), n))
            .collect();
        let sum = |place: usize| types.iter().map(|(_, row)| row[place]).sum();
        Ok((sum(3), sum(5), types, pairs))
    }
}

impl Conlleval {
    fn lock(&self) -> Result<MutexGuard<'_, ConllevalText>> {
        let message = "the counter is in use, by another thread or by itself";
        lock_now(&self.0, message)
    }
}

/// Runs a function on the bytes of a str. Lone surrogates, as created by the error handler `surrogateescape`, are kept.
fn with_bytes<T>(text: &Bound<'_, PyAny>, run: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
    let Ok(string) = text.cast::<PyString>() else {
        // Raises Python's AttributeError for a method of str.
        let split = text.getattr("split")?;
        let message = format!("expected str, got an object whose split is {split}");
        return Err(PyTypeError::new_err(message).into());
    };
    match string.to_str() {
        Ok(text) => run(text.as_bytes()),
        Err(_) => {
            let bytes = string.call_method1("encode", ("utf-8", "surrogatepass"))?;
            run(bytes.cast::<PyBytes>()?.as_bytes())
        }
    }
}
