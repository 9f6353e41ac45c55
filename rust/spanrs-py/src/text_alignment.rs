//! Alignment of two texts by characters.

use pyo3::prelude::*;
use spanrs::io::{TextAlignment as Core, align_text};

use crate::error::{Error, Result};

/// Start and end of a span, in characters or on the common axis.
type Place = (u32, u32);

/// Two aligned texts, with mappings of the spans of both texts to a common axis.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct TextAlignment(Core);

#[pymethods]
impl TextAlignment {
    /// Maps spans of gold; None if a boundary has no counterpart in pred.
    #[pyo3(signature = (spans, /))]
    fn gold(&self, spans: Vec<(i64, i64)>) -> Result<Vec<Option<Place>>> {
        let (len, _) = self.0.lengths();
        places(&spans, len, |start, end| self.0.gold_to_axis(start, end))
    }

    /// Maps spans of pred; None if a boundary has no counterpart in gold.
    #[pyo3(signature = (spans, /))]
    fn pred(&self, spans: Vec<(i64, i64)>) -> Result<Vec<Option<Place>>> {
        let (_, len) = self.0.lengths();
        places(&spans, len, |start, end| self.0.pred_to_axis(start, end))
    }

    /// The unaligned regions as (start in gold, end in gold, start in pred, end in pred).
    fn unaligned(&self) -> Vec<(u32, u32, u32, u32)> {
        self.0.unaligned().to_vec()
    }
}

/// Maps spans of a text of `len` characters.
fn places(
    spans: &[(i64, i64)],
    len: u32,
    place: impl Fn(u32, u32) -> Option<Place>,
) -> Result<Vec<Option<Place>>> {
    let places = spans.iter().map(|&(start, end)| {
        if start < 0 || start > end || end > i64::from(len) {
            let message =
                format!("span ({start}, {end}) is not within the text of {len} characters");
            return Err(Error::value(message));
        }
        Ok(place(start as u32, end as u32))
    });
    places.collect()
}

/// Aligns two texts by their characters.
#[pyfunction]
#[pyo3(signature = (gold, pred, /))]
pub(crate) fn align_texts(py: Python<'_>, gold: &str, pred: &str) -> Result<TextAlignment> {
    Ok(TextAlignment(py.detach(|| align_text(gold, pred))?))
}
