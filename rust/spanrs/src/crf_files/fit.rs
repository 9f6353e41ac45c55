//! Training a CRF on the sentences of a column file.

use serde_json::json;
use spanrs_base::Position;
use spanrs_crf::{Error as CrfError, Model, Template, TrainingOptions, TrainingRun};
use spanrs_io::Code;

use super::TaggedSentences;
use crate::crf_model::{CrfModel, CrfModelError};
use crate::crf_scheme::detect_scheme;
use crate::error::{Error, Result};

/// Trains a model on the sentences of a column file. If the tags are in a scheme, the model predicts
/// only legal sequences.
///
/// The model contains the template and the columns of the file, so that `spanrs crf tag` reads the
/// same columns.
///
/// # Errors
/// [`Error::Crf`] for invalid options, for a template that reads more columns than there are, and if
/// training fails; [`Code::NoColumn`] if all tags equal their tokens; [`Error::Stopped`].
///
/// # Examples
/// ```
/// use spanrs::crf::{Template, TrainingOptions, TrainingRun};
/// use spanrs::crf_files::{fit, read_tagged};
/// use spanrs::{ColumnFile, io::Source};
/// let source = Source::stream("example", Box::new(&b"Ada B-PER\nwrote O\n"[..])).into();
/// let file = ColumnFile { source, columns: Default::default() };
/// let sentences = read_tagged(&file, Some(&[]), &mut |_| true)?;
/// let template = Template::builtin("ner").unwrap();
/// let run = TrainingRun { threads: 2, ..Default::default() };
/// let model = fit(&sentences, &template, &TrainingOptions::default(), run)?;
/// assert_eq!(model.tag(sentences.columns.clone()).unwrap(), [["B-PER", "O"]]);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn fit(
    sentences: &TaggedSentences,
    template: &Template,
    options: &TrainingOptions,
    run: TrainingRun<'_>,
) -> Result<CrfModel> {
    let origin = &sentences.origin;
    if sentences.tags_are_tokens {
        let message = "all tags equal their tokens; specify the column of the tags";
        let position = Position::file(&origin.path);
        return Err(spanrs_io::Error::new(Code::NoColumn, position, message).into());
    }
    let labels = sentences.labels();
    let fitted = Model::fit_with(template, &sentences.columns, labels, options, run);
    let card = json!({
        "columns": {
            "token": origin.token,
            "tag": origin.tag,
            "features": origin.extra,
            "conllu": sentences.is_conllu,
        },
        "train": {
            "file": origin.path,
            "sentences": sentences.len(),
            "tokens": sentences.tokens(),
        },
        "spanrs": env!("CARGO_PKG_VERSION"),
    });
    let model = fitted.map_err(CrfModelError::from);
    let model = model.and_then(|(model, _)| {
        let scheme = detect_scheme(sentences.labels());
        CrfModel::new(model)?
            .with_scheme(scheme)?
            .with_metadata("card", card)
    });
    model.map_err(|error| located(sentences, error))
}

/// Returns an error with its position: the first line of the sentence, if known, else the file.
fn located(sentences: &TaggedSentences, error: CrfModelError) -> Error {
    let path = &sentences.origin.path;
    match error {
        CrfModelError::Crf(CrfError::Interrupted) => Error::Stopped,
        CrfModelError::Crf(CrfError::InSequence { sequence, error }) => {
            let line = sentences.lines(sequence).first().copied();
            let position = Position::line(path, line.unwrap_or_default());
            let error = *error;
            Error::Crf { position, error }
        }
        CrfModelError::Crf(error) => {
            let position = Position::file(path);
            Error::Crf { position, error }
        }
        CrfModelError::Tags(error) => {
            let position = Position::file(path);
            Error::Tags { position, error }
        }
    }
}
