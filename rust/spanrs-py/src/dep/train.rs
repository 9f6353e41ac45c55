//! Training of taggers and parsers.

use std::sync::Arc;

use pyo3::prelude::*;
use spanrs::dep::{
    Epoch, Error as DepError, Model, MorphologyOptions, Next, Parser, ParserOptions, Passes,
    Tagger, TaggerOptions, fit_morphology, fit_parser, fit_published, fit_tagger, jackknife,
    selection_passes,
};

use super::model::DepModel;
use super::treebank::Treebank;
use crate::error::Result;
use crate::plain::Plain;
use crate::stop;

pub(super) fn interruptible(Plain(passes): Plain<Passes>) -> Passes {
    Passes {
        watch: stop,
        ..passes
    }
}

/// Callback of training.
struct Observer {
    callback: Option<Py<PyAny>>,
    with_models: bool,
}

impl Observer {
    /// Calls the callback, which returns 0 to stop, 1 to continue, or 2 to continue and mark this pass as the best.
    /// Passes that select weights have no model.
    fn after(
        &self,
        epoch: Epoch,
        model: impl FnOnce() -> spanrs::dep::Result<Model>,
    ) -> spanrs::dep::Result<Next> {
        let Some(callback) = &self.callback else {
            return Ok(Next::Continue);
        };
        let with_model = self.with_models && epoch.model > 0;
        let model = with_model.then(model).transpose()?;
        Python::attach(|py| {
            let answer = callback.call1(py, (Plain(epoch), model.map(DepModel::of)));
            match answer.and_then(|answer| answer.extract::<u8>(py)) {
                Ok(0) => Ok(Next::Stop),
                Ok(2) => Ok(Next::Best),
                Ok(_) => Ok(Next::Continue),
                Err(raised) => {
                    // Set the exception, which is then raised instead of KeyboardInterrupt.
                    raised.restore(py);
                    Err(DepError::Interrupted)
                }
            }
        })
    }
}

/// A model with one component.
fn model(tagger: Option<Tagger>, parser: Option<Parser>) -> Model {
    Model {
        tagger: tagger.map(Arc::new),
        parser: parser.map(Arc::new),
        ..Model::default()
    }
}

/// Trains a tagger.
#[pyfunction]
#[pyo3(signature = (treebank, options, passes, callback, with_models, /))]
pub(crate) fn dep_train_tagger(
    py: Python<'_>,
    treebank: &Treebank,
    options: Plain<TaggerOptions>,
    passes: Plain<Passes>,
    callback: Option<Py<PyAny>>,
    with_models: bool,
) -> Result<DepModel> {
    let observer = Observer {
        callback,
        with_models,
    };
    let tagger = py.detach(|| {
        let treebank = treebank.core();
        let sentences: Vec<usize> = (0..treebank.len()).collect();
        let passes = interruptible(passes);
        fit_tagger(
            &treebank,
            &sentences,
            options.0,
            passes,
            |epoch, trainer| {
                observer.after(epoch, || {
                    Ok(model(Some(trainer.finish(trainer.averages())?), None))
                })
            },
        )
    });
    Ok(DepModel::of(model(Some(tagger?), None)))
}

/// Replaces each tag of a treebank with the prediction of a tagger that was trained without the sentence; the callback
/// gets the number of finished parts.
#[pyfunction]
#[pyo3(signature = (treebank, parts, options, passes, callback, /))]
pub(crate) fn dep_jackknife(
    py: Python<'_>,
    treebank: &Treebank,
    parts: usize,
    options: Plain<TaggerOptions>,
    passes: Plain<Passes>,
    callback: Py<PyAny>,
) -> Result<()> {
    let after = |done: usize| {
        let called = Python::attach(|py| {
            let called = callback.call1(py, (done,));
            called.map_err(|raised| raised.restore(py))
        });
        called.map_or(Err(DepError::Interrupted), |_| Ok(()))
    };
    let passes = interruptible(passes);
    Ok(py.detach(|| jackknife(&mut treebank.lock(), parts, options.0, passes, after))?)
}

/// Returns the largest number of passes that select the weights of a parser before its training.
#[pyfunction]
#[pyo3(signature = (options, passes, /))]
pub(crate) fn dep_selection_passes(options: Plain<ParserOptions>, passes: Plain<Passes>) -> usize {
    selection_passes(&options.0, passes.0)
}

/// Trains a parser on a treebank of projective trees.
#[pyfunction]
#[pyo3(signature = (treebank, options, passes, callback, with_models, /))]
pub(crate) fn dep_train_parser(
    py: Python<'_>,
    treebank: &Treebank,
    options: Plain<ParserOptions>,
    passes: Plain<Passes>,
    callback: Option<Py<PyAny>>,
    with_models: bool,
) -> Result<DepModel> {
    let observer = Observer {
        callback,
        with_models,
    };
    let parser = py.detach(|| {
        let passes = interruptible(passes);
        fit_parser(&treebank.core(), &options.0, passes, |epoch, trainer| {
            observer.after(epoch, || {
                Ok(model(None, Some(trainer.finish(trainer.averages())?)))
            })
        })
    });
    Ok(DepModel::of(model(None, Some(parser?))))
}

/// Trains tagger and parser as parser.py does.
#[pyfunction]
#[pyo3(signature = (treebank, passes, callback, /))]
pub(crate) fn dep_train_published(
    py: Python<'_>,
    treebank: &Treebank,
    passes: Plain<Passes>,
    callback: Option<Py<PyAny>>,
) -> Result<DepModel> {
    let observer = Observer {
        callback,
        with_models: false,
    };
    let trained = py.detach(|| {
        fit_published(&treebank.core(), interruptible(passes), |epoch| {
            observer.after(epoch, || Err(DepError::Interrupted))
        })
    });
    let (tagger, parser) = trained?;
    Ok(DepModel::of(Model {
        padded: true,
        ..model(Some(tagger), Some(parser))
    }))
}

/// Trains morphological features and lemmas; `tagged` has the tags to learn from.
#[pyfunction]
#[pyo3(signature = (gold, tagged, options, passes, callback, /))]
pub(crate) fn dep_train_morphology(
    py: Python<'_>,
    gold: &Treebank,
    tagged: &Treebank,
    options: Plain<MorphologyOptions>,
    passes: Plain<Passes>,
    callback: Option<Py<PyAny>>,
) -> Result<DepModel> {
    let observer = Observer {
        callback,
        with_models: false,
    };
    let morphology = py.detach(|| {
        let (gold, tagged) = (gold.core(), tagged.core());
        let passes = interruptible(passes);
        fit_morphology(&gold, &tagged, &options.0, passes, |epoch| {
            observer.after(epoch, || Err(DepError::Interrupted))
        })
    })?;
    Ok(DepModel::of(Model {
        morphology: Some(morphology.into()),
        ..Model::default()
    }))
}
