//! Training from strings and labels with a template, in one call.
//!
//! [`Model::fit`] combines the steps that other supervision, features or initial weights need one
//! by one: [`Extractor`] and [`NamedCorpus`] number attributes and labels, [`Features::of`] selects
//! the features, [`train`] finds the weights.

use serde_json::json;
use spanrs_base::{Clock, Watch};

use crate::columns::Columns;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::lbfgs::{Iteration, Stop};
use crate::model::Model;
use crate::named_corpus::{NamedCorpus, TokenTarget};
use crate::named_features::NamedFeatures;
use crate::options::TrainingOptions;
use crate::template::{Extractor, Template};
use crate::train::train;

/// A function that is called after each iteration, as `after` of [`train`].
pub type Observer<'a> = Box<dyn FnMut(Iteration, &[f64]) -> Result<bool> + 'a>;

/// How training runs: threads, interruption, and a function that observes the iterations.
///
/// The default uses one thread, cannot be interrupted, and observes nothing.
///
/// ```
/// use spanrs_crf::TrainingRun;
/// let mut losses = Vec::new();
/// let run = TrainingRun {
///     after: Box::new(|iteration, _| {
///         losses.push(iteration.loss);
///         Ok(iteration.iteration < 100)
///     }),
///     ..TrainingRun::default()
/// };
/// assert_eq!(run.threads, 1);
/// ```
pub struct TrainingRun<'a> {
    /// Number of threads. The model does not depend on it.
    pub threads: usize,
    /// Called at most every 50 ms; returns true to end training with [`Error::Interrupted`].
    pub watch: Watch,
    /// Called after each iteration with the current weights; returns false to stop training and
    /// keep these weights.
    pub after: Observer<'a>,
}

impl Default for TrainingRun<'_> {
    fn default() -> Self {
        Self {
            threads: 1,
            watch: || false,
            after: Box::new(|_, _| Ok(true)),
        }
    }
}

impl Model {
    /// Trains a model on sentences with a label for each token, with the attributes of a template.
    ///
    /// The metadata of the model contain the template and the options, so a file of
    /// [`Model::to_bytes`] is complete: `spanrs crf tag` and `spanrs.crf.CRF.load` apply the
    /// template to tokens themselves.
    ///
    /// # Errors
    /// [`Error::Option`] for an option that is out of range; [`Error::Shape`] if there are not as
    /// many sequences of labels as sentences; [`Error::InSequence`] if a sentence has another
    /// number of labels than tokens, or fewer columns than the template reads; [`Error::Input`] if
    /// there are no labels at all; the errors of [`train`].
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Columns, Model, Template, TrainingOptions};
    /// let template = Template::parse("U00:%x[0,0]\nU01:%shape[0,0]")?;
    /// let sentences = Columns::of_tokens([["Ada", "wrote"], ["Bob", "slept"]]);
    /// let labels = [["PER", "O"], ["PER", "O"]];
    /// let model = Model::fit(&template, &sentences, labels, &TrainingOptions::default())?;
    /// assert_eq!(model.labels().names().collect::<Vec<_>>(), ["PER", "O"]);
    /// assert!(Model::from_bytes(&model.to_bytes()?).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit<L: AsRef<[S]>, S: AsRef<str>>(
        template: &Template,
        sentences: &Columns,
        labels: impl IntoIterator<Item = L>,
        options: &TrainingOptions,
    ) -> Result<Self> {
        let run = TrainingRun::default();
        Ok(Self::fit_with(template, sentences, labels, options, run)?.0)
    }

    /// Same as [`Model::fit`], with threads, interruption and an observer; also returns why training
    /// ended.
    ///
    /// # Errors
    /// Same as [`Model::fit`]; [`Error::Interrupted`], and the errors of [`TrainingRun::after`].
    pub fn fit_with<L: AsRef<[S]>, S: AsRef<str>>(
        template: &Template,
        sentences: &Columns,
        labels: impl IntoIterator<Item = L>,
        options: &TrainingOptions,
        run: TrainingRun<'_>,
    ) -> Result<(Self, Stop)> {
        // The options as given, because defaults may depend on the version.
        let metadata = json!({ "template": template.text(), "params": options }).to_string();
        let options = options.clone().complete()?;
        let corpus = labelled_corpus(template, sentences, labels, run.watch)?;
        let (corpus, labels, attributes) = corpus.into_parts();
        // The table of the attributes is not needed in training.
        let attributes = attributes.into_names();
        let features = Features::read(&corpus, options.selection())?;
        let mut weights = vec![0.0; features.len()];
        let stop = train(
            corpus,
            &features,
            &options.algorithm(),
            run.threads,
            &mut weights,
            run.watch,
            run.after,
        )?;
        let model = Self::trained(labels, attributes, features, weights, metadata)?;
        Ok((model.with_lexicons(template.lexicons().clone()), stop))
    }
}

/// Numbers the attributes and labels of sentences.
///
/// # Errors
/// Same as [`Model::fit`], except for errors of training; [`Error::Interrupted`].
fn labelled_corpus<L: AsRef<[S]>, S: AsRef<str>>(
    template: &Template,
    sentences: &Columns,
    labels: impl IntoIterator<Item = L>,
    watch: Watch,
) -> Result<NamedCorpus> {
    let (mut corpus, mut clock) = (NamedCorpus::default(), Clock::new(watch));
    let (mut extractor, mut features) = (Extractor::new(template), NamedFeatures::default());
    let mut sequences = 0;
    for (at, labels) in labels.into_iter().enumerate() {
        sequences = at + 1;
        // All sequences of labels are counted, for the message.
        if at < sentences.len() {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            push_sentence(
                &mut corpus,
                (&mut extractor, &mut features),
                (sentences, at),
                labels.as_ref(),
            )
            .map_err(|error| (error, at))?;
        }
    }
    check_len("sequences of labels", sentences.len(), sequences)?;
    if corpus.labels.is_empty() {
        let message = "there is nothing to train on: no sequence has a token with a label";
        return Err(Error::Input(message.to_owned()));
    }
    corpus.close().map_err(|(error, _)| error)?;
    Ok(corpus)
}

/// Adds a sentence of `sentences` to the corpus; `features` is work space.
///
/// # Errors
/// The errors of [`Extractor::features`] and [`NamedCorpus::push_features`].
fn push_sentence<S: AsRef<str>>(
    corpus: &mut NamedCorpus,
    (extractor, features): (&mut Extractor, &mut NamedFeatures),
    (sentences, at): (&Columns, usize),
    labels: &[S],
) -> Result<()> {
    features.clear();
    extractor.features(sentences, at, features)?;
    check_len("labels of tokens", features.tokens(), labels.len())?;
    let labels = labels.iter();
    let labels = labels.map(|label| corpus.labels.intern(label.as_ref()));
    let targets = labels.map(TokenTarget::Label).collect();
    corpus.push_features(features, targets, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata_text;

    fn template() -> Template {
        Template::parse("U:%x[0,0]").unwrap()
    }

    fn fit(labels: &[&[&str]]) -> Result<Model> {
        let sentences = Columns::of_tokens([vec!["Ada", "wrote"], vec![]]);
        Model::fit(&template(), &sentences, labels, &Default::default())
    }

    #[test]
    fn a_fitted_model_has_its_template_and_survives_a_file() {
        let model = fit(&[&["PER", "O"], &[]]).unwrap();
        let read = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(read.weights(), model.weights());
        let text = metadata_text(read.metadata(), "template").unwrap();
        assert_eq!(text.as_deref(), Some("U:%x[0,0]"));
    }

    #[test]
    fn labels_that_do_not_fit_the_sentences_are_refused() {
        let message = |labels: &[&[&str]]| fit(labels).unwrap_err().to_string();
        assert_eq!(
            message(&[&["PER", "O"]]),
            "expected 2 sequences of labels, got 1"
        );
        assert_eq!(
            message(&[&["PER", "O"], &[], &[]]),
            "expected 2 sequences of labels, got 3"
        );
        assert_eq!(
            message(&[&["PER"], &[]]),
            "sequence 0: expected 2 labels of tokens, got 1"
        );
        let empty = Columns::of_tokens([[""; 0]]);
        let error = Model::fit(&template(), &empty, [[""; 0]], &Default::default()).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("there is nothing to train on")
        );
    }

    #[test]
    fn templates_need_their_columns() {
        let template = Template::parse("U:%x[0,1]").unwrap();
        let sentences = Columns::of_tokens([["Ada"]]);
        let error = Model::fit(&template, &sentences, [["PER"]], &Default::default());
        assert!(matches!(error, Err(Error::InSequence { sequence: 0, .. })));
    }

    #[test]
    fn an_observer_sees_iterations_and_stops_training() {
        let mut seen = Vec::new();
        let run = TrainingRun {
            after: Box::new(|iteration, _| {
                seen.push(iteration.iteration);
                Ok(seen.len() < 2)
            }),
            ..TrainingRun::default()
        };
        let sentences = Columns::of_tokens([["Ada", "wrote"]]);
        let options = TrainingOptions {
            algorithm: "lbfgs".into(),
            ..Default::default()
        };
        let fitted = Model::fit_with(&template(), &sentences, [["PER", "O"]], &options, run);
        assert_eq!(fitted.unwrap().1, Stop::Asked);
        assert_eq!(seen, [1, 2]);
    }
}
