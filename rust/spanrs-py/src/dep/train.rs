//! Training.

use pyo3::prelude::*;
use spanrs::dep::{
    Epoch, Error as DepError, Model, Next, Oracle, ParserOptions, Passes, TaggerOptions, Update,
    fit_parser, fit_published, fit_tagger, jackknife,
};

use super::model::DepModel;
use super::treebank::Treebank;
use crate::error::Result;
use crate::stop;

/// (epochs, seed or None for the order of the file, models)
type PassesTuple = (usize, Option<u64>, usize);
/// (published features, dictionary: least count, least share, margin)
type TaggerTuple = (bool, usize, f64, i64);

fn passes((epochs, seed, models): PassesTuple) -> Passes {
    Passes {
        epochs,
        seed,
        models,
        watch: stop,
    }
}

fn tagger_options((published, min_count, min_share, margin): TaggerTuple) -> TaggerOptions {
    let base = match published {
        true => TaggerOptions::published(),
        false => TaggerOptions::default(),
    };
    TaggerOptions {
        min_count,
        min_share,
        margin,
        ..base
    }
}

/// The callback of training.
struct Observer {
    callback: Option<Py<PyAny>>,
    with_models: bool,
}

impl Observer {
    /// Tells the callback of a pass; it answers 0 (stop), 1 (go on) or 2 (go on, this was the best).
    fn after(
        &self,
        epoch: Epoch,
        model: impl FnOnce() -> spanrs::dep::Result<Model>,
    ) -> spanrs::dep::Result<Next> {
        let Some(callback) = &self.callback else {
            return Ok(Next::Continue);
        };
        let model = match self.with_models {
            true => Some(model()?),
            false => None,
        };
        Python::attach(|py| {
            let model = model.map(DepModel::of);
            let Epoch {
                model: number,
                epoch,
                words,
                correct,
                correct_labels,
                parser,
                tagger,
            } = epoch;
            let state = (
                number,
                epoch,
                words,
                correct,
                correct_labels,
                parser,
                tagger,
            );
            let answer = callback.call1(py, (state, model));
            match answer.and_then(|answer| answer.extract::<u8>(py)) {
                Ok(0) => Ok(Next::Stop),
                Ok(2) => Ok(Next::Best),
                Ok(_) => Ok(Next::Continue),
                Err(raised) => {
                    // The error of the interrupted training takes it.
                    raised.restore(py);
                    Err(DepError::Interrupted)
                }
            }
        })
    }
}

/// A model of a part.
fn model(tagger: Option<spanrs::dep::Tagger>, parser: Option<spanrs::dep::Parser>) -> Model {
    Model {
        tagger,
        parser,
        padded: false,
        metadata: "{}".into(),
    }
}

/// Trains a tagger.
#[pyfunction]
#[pyo3(signature = (treebank, options, given, callback, with_models, /))]
pub(crate) fn dep_train_tagger(
    py: Python<'_>,
    treebank: &Treebank,
    options: TaggerTuple,
    given: PassesTuple,
    callback: Option<Py<PyAny>>,
    with_models: bool,
) -> Result<DepModel> {
    let treebank = py.detach(|| treebank.core());
    let observer = Observer {
        callback,
        with_models,
    };
    let result = py.detach(|| {
        let sentences: Vec<usize> = (0..treebank.len()).collect();
        let options = tagger_options(options);
        fit_tagger(
            &treebank,
            &sentences,
            options,
            passes(given),
            |epoch, trainer| {
                let finish = || Ok(model(Some(trainer.finish(trainer.averages())?), None));
                observer.after(epoch, finish)
            },
        )
    });
    let tagger = result?;
    Ok(DepModel::of(model(Some(tagger), None)))
}

/// Replaces the tags of a treebank by those of taggers that were trained without the sentence; the callback gets the
/// number of parts done.
#[pyfunction]
#[pyo3(signature = (treebank, parts, options, given, callback, /))]
pub(crate) fn dep_jackknife(
    py: Python<'_>,
    treebank: &Treebank,
    parts: usize,
    options: TaggerTuple,
    given: PassesTuple,
    callback: Py<PyAny>,
) -> Result<()> {
    let (options, given) = (tagger_options(options), passes(given));
    let after = |done: usize| {
        Python::attach(|py| {
            callback
                .call1(py, (done,))
                .map_err(|raised| raised.restore(py))
        })
        .map_or(Err(DepError::Interrupted), |_| Ok(()))
    };
    Ok(py.detach(|| jackknife(&mut treebank.lock(), parts, options, given, after))?)
}

/// (templates or None for the published features, labelled, single root, published oracle, limit of passive-aggressive
/// updates or None, (first pass of exploration, least weight))
type ParserTuple = (Option<String>, bool, bool, bool, Option<f64>, (usize, f64));

/// Trains a parser on a treebank of projective trees.
#[pyfunction]
#[pyo3(signature = (treebank, options, given, callback, with_models, /))]
pub(crate) fn dep_train_parser(
    py: Python<'_>,
    treebank: &Treebank,
    options: ParserTuple,
    given: PassesTuple,
    callback: Option<Py<PyAny>>,
    with_models: bool,
) -> Result<DepModel> {
    let (templates, labelled, single_root, published_oracle, limit, explore_from) = options;
    let options = ParserOptions {
        templates,
        labelled,
        single_root,
        oracle: match published_oracle {
            true => Oracle::Published,
            false => Oracle::Exact,
        },
        update: limit.map_or(Update::Perceptron, Update::PassiveAggressive),
    };
    let treebank = py.detach(|| treebank.core());
    let observer = Observer {
        callback,
        with_models,
    };
    let result = py.detach(|| {
        let given = passes(given);
        fit_parser(
            &treebank,
            &options,
            explore_from,
            given,
            |epoch, trainer| {
                let finish = || Ok(model(None, Some(trainer.finish(trainer.averages())?)));
                observer.after(epoch, finish)
            },
        )
    });
    let parser = result?;
    Ok(DepModel::of(model(None, Some(parser))))
}

/// Trains tagger and parser as parser.py does.
#[pyfunction]
#[pyo3(signature = (treebank, epochs, seed, callback, /))]
pub(crate) fn dep_train_published(
    py: Python<'_>,
    treebank: &Treebank,
    epochs: usize,
    seed: Option<u64>,
    callback: Option<Py<PyAny>>,
) -> Result<DepModel> {
    let treebank = py.detach(|| treebank.core());
    let observer = Observer {
        callback,
        with_models: false,
    };
    let result = py.detach(|| {
        fit_published(&treebank, passes((epochs, seed, 1)), |epoch| {
            observer.after(epoch, || Err(DepError::Interrupted))
        })
    });
    let (tagger, parser) = result?;
    Ok(DepModel::of(Model {
        padded: true,
        ..model(Some(tagger), Some(parser))
    }))
}
