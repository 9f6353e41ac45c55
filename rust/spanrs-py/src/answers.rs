//! Answers of language models.

use pyo3::prelude::*;
use spanrs::io::answers::{Answer, Query, read_answer};

use crate::error::Result;
use crate::plain::to_python;

/// Answers between two checks for Ctrl-C.
const BLOCK: usize = 256;

/// Reads answers; returns a dict for each of them.
#[pyfunction]
#[pyo3(signature = (answers, ty, types, /))]
pub(crate) fn read_answers<'py>(
    py: Python<'py>,
    answers: Vec<String>,
    ty: Option<&str>,
    types: Vec<String>,
) -> Result<Vec<Bound<'py, PyAny>>> {
    let query = Query::new(ty, &types);
    let mut found = Vec::with_capacity(answers.len());
    for block in answers.chunks(BLOCK) {
        let block: Vec<Answer> = py.detach(|| {
            let answers = block.iter();
            answers.map(|answer| read_answer(answer, &query)).collect()
        });
        for answer in &block {
            found.push(to_python(py, answer)?);
        }
        py.check_signals()?;
    }
    Ok(found)
}
