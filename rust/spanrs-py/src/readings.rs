//! Files scored under several readings.

use pyo3::prelude::*;
use spanrs::Rows;

use crate::error::Result;
use crate::files::{ColumnFiles, ColumnOptions, run_job};
use crate::scorer::Scorer;

/// Adds files to several scorers that read malformed tags in different ways, in one pass. The files must have been
/// scored before, and the scorers know the schemes; `gold` and `pred` are functions as for `Scorer.update_files`.
#[pyfunction]
#[pyo3(signature = (scorers, gold, pred, columns, by_sentence, progress, /))]
pub(crate) fn score_readings(
    scorers: Vec<Bound<'_, Scorer>>,
    gold: &Bound<'_, PyAny>,
    pred: Option<&Bound<'_, PyAny>>,
    columns: (ColumnOptions, ColumnOptions),
    by_sentence: bool,
    progress: Option<Py<PyAny>>,
) -> Result<()> {
    let locked: Result<Vec<_>> = scorers.iter().map(|scorer| scorer.get().lock()).collect();
    let mut locked = locked?;
    let files = ColumnFiles {
        gold,
        pred,
        options: columns,
    };
    let rows = match by_sentence {
        true => Rows::Sentences,
        false => Rows::Documents,
    };
    let (sides, _) = files.both()?;
    let mut targets: Vec<_> = locked
        .iter_mut()
        .map(|inner| {
            let inner = &mut **inner;
            (&mut inner.auto.reader, &mut inner.auto.scorer)
        })
        .collect();
    run_job(gold.py(), progress, |tell| {
        spanrs::score_readings(sides, &mut targets, rows, tell)
    })
}
