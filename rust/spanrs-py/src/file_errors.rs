//! Lists of the errors of files.

use pyo3::prelude::*;
use spanrs::{ErrorOptions, SpanError, TypedSpan};

use crate::error::Result;
use crate::files::{ColumnFiles, ColumnOptions, run_job};
use crate::scorer::{MatcherTuple, Scorer, matcher};

/// (type, start, end, index in its sentence)
type SpanTuple = (String, i64, i64, u32);
/// (outcome, sentence, line, gold span, pred span, first token, tokens in the sentence, tokens)
type ErrorTuple = (
    u8,
    u64,
    u64,
    Option<SpanTuple>,
    Option<SpanTuple>,
    usize,
    usize,
    Vec<String>,
);
/// ((outcome, gold type, pred type), number)
type KindTuple = ((u8, Option<String>, Option<String>), u64);
/// (criterion, outcomes that are errors, outcome of pairs, tokens of context, errors of each kind to keep)
type OptionsTuple = (u8, Vec<u8>, Option<u8>, usize, Option<u64>);

/// The errors of files that a scorer has scored, and how many there are of each kind. `gold` and `pred` are functions
/// as for `Scorer.update_files`.
#[pyfunction]
#[pyo3(signature = (scorer, matcher_tuple, gold, pred, columns, options, progress, /))]
pub(crate) fn file_errors(
    scorer: &Scorer,
    matcher_tuple: MatcherTuple,
    gold: &Bound<'_, PyAny>,
    pred: Option<&Bound<'_, PyAny>>,
    columns: (ColumnOptions, ColumnOptions),
    options: OptionsTuple,
    progress: Option<Py<PyAny>>,
) -> Result<(Vec<ErrorTuple>, Vec<KindTuple>)> {
    let (mut reader, filter) = {
        let inner = scorer.lock()?;
        (
            inner.auto.reader.clone(),
            inner.auto.scorer.filter().clone(),
        )
    };
    let mut matcher = matcher(&matcher_tuple)?;
    let files = ColumnFiles {
        gold,
        pred,
        options: columns,
    };
    let (criterion, wrong, paired, context, most) = options;
    let options = ErrorOptions {
        criterion,
        wrong,
        paired,
        context,
        most,
    };
    let (sides, _) = files.both()?;
    let found = run_job(gold.py(), progress, |tell| {
        spanrs::errors(sides, &mut reader, &mut *matcher, &filter, &options, tell)
    })?;
    let kept = found.kept.into_iter().map(error_tuple).collect();
    Ok((kept, found.numbers.into_iter().collect()))
}

fn error_tuple(error: SpanError) -> ErrorTuple {
    let span = |span: Option<TypedSpan>| span.map(|s| (s.ty, s.start, s.end, s.index));
    (
        error.outcome,
        error.sentence,
        error.line,
        span(error.gold),
        span(error.pred),
        error.first,
        error.length,
        error.tokens,
    )
}
