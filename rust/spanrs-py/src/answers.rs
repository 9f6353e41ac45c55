//! Answers of language models.

use pyo3::prelude::*;
use spanrs::base::Interrupted;
use spanrs::io::answers::{Answer, Query, read_answer_to};

use crate::error::Result;
use crate::plain::to_python;
use crate::stop;

/// Maximum number of answers, and number of their bytes, that are read before they are converted.
const BLOCK: usize = 256;
const BLOCK_BYTES: usize = 1 << 20;

/// Reads answers, each with the text that it is about or None; returns a dict for each of them.
#[pyfunction]
#[pyo3(signature = (answers, ty, types, /))]
pub(crate) fn read_answers<'py>(
    py: Python<'py>,
    answers: Vec<(String, Option<String>)>,
    ty: Option<&str>,
    types: Vec<String>,
) -> Result<Vec<Bound<'py, PyAny>>> {
    let query = Query::new(ty, &types);
    let mut objects = Vec::with_capacity(answers.len());
    let mut rest = &answers[..];
    while !rest.is_empty() {
        let (block, later) = rest.split_at(block_len(rest));
        rest = later;
        let block: Vec<Answer> = py.detach(|| {
            let answers = block
                .iter()
                .map(|(answer, text)| read_answer_to(answer, text.as_deref(), &query, stop));
            answers.collect::<std::result::Result<_, Interrupted>>()
        })?;
        for answer in &block {
            objects.push(to_python(py, answer)?);
        }
        py.check_signals()?;
    }
    Ok(objects)
}

/// The number of answers of the next block.
fn block_len(answers: &[(String, Option<String>)]) -> usize {
    let mut bytes = 0;
    let fits = |(answer, _): &&(String, Option<String>)| {
        bytes += answer.len();
        bytes <= BLOCK_BYTES
    };
    answers.iter().take(BLOCK).take_while(fits).count().max(1)
}
