//! Linear-chain conditional random fields (Lafferty, McCallum and Pereira 2001): features,
//! training, decoding, model files, and learning from several annotators.
//!
//! # Model
//! A token has *attributes*, which are numbered from 0; each has a finite value (usually 1). A
//! *feature* is a pair (attribute, label) or a pair (label, next label), and each feature has a
//! weight `w`. The score of a labelling `y` of `T` tokens, and its probability given the attributes
//! `x`, are
//!
//! ```text
//! score(x, y) =  sum_{t < T} sum_{(a, v) in x_t} v * w[a, y_t]  +  sum_{0 < t < T} w[y_{t-1}, y_t]
//! p(y | x)    =  exp(score(x, y)) / Z(x),        Z(x) = sum over all labellings of exp(score)
//! ```
//!
//! A token may also have a *vector* of numbers, such as a word embedding, whose product with a block of
//! weights (column, label) is added to the score of its label ([`TokenVectors`]).
//!
//! A pair that is not a feature has the weight 0. There are no weights for the beginning and the end of a sequence:
//! give the first and the last token an attribute instead, like CRFsuite's `__BOS__` and `__EOS__`. Transition weights
//! do not depend on the tokens.
//!
//! # Overview of types
//! | step | types |
//! |---|---|
//! | strings to attributes | [`Template`], [`Extractor`], [`AttributeIndex`], [`Columns`] |
//! | lists for templates | [`Gazetteer`], [`Clusters`]; together [`Lexicons`] |
//! | sequences of attributes | [`Sequences`]; with targets [`Corpus`]; with names instead of numbers [`NamedFeatures`], [`NamedCorpus`] |
//! | supervision | [`Target`]: one label, a distribution, allowed labels, or weighted labellings ([`Counts`]) |
//! | features | [`Features`], chosen by a [`FeatureSelection`] |
//! | training | [`Model::fit`] with a template; [`train()`] by an [`Algorithm`]: [`Lbfgs`] on an [`Objective`], [`Sgd`], [`Online`] |
//! | models and files | [`Model`]; [`Model::to_bytes`], [`Model::from_bytes`] |
//! | decoding | [`Decoder`] for one sequence at a time, [`Inputs`] for many sequences in parallel; [`Constraint`] |
//! | probabilities | [`SpanProbabilities`] of spans; calibration by [`fit_temperature()`] |
//! | inference | [`Lattice`] with [`Transitions`]: Viterbi, n-best, forward-backward, marginals |
//! | annotators | [`EmCrf`] for CRF-MA and other EM, [`Answers`] for sequential annotator models |
//!
//! # Conventions
//! - Attributes, labels, tokens and sequences are numbered from 0. Token ranges exclude their end.
//! - Tables are row-major; a comment such as (token, label) names the rows first.
//! - Scores are natural logarithms. Negative infinity forbids a label or a transition.
//! - An empty sequence has one labelling, with score 0 and probability 1.
//! - Results do not depend on the number of threads: sums are added in the order of the corpus.
//! - Ties are resolved to the lower label number, in the order described in [`Lattice::best`].
//! - Long operations call a [`spanrs_base::Watch`] at most every 50 ms, and end with [`Error::Interrupted`] if it
//!   requests a stop.
//!
//! # Examples
//! [`Model::fit`] has the shortest example. The same step by step, with attributes of the program's own:
//!
//! ```
//! use spanrs_crf::{
//!     Algorithm, Decoder, FeatureSelection, Features, Lbfgs, Model, NamedCorpus, Sequences,
//!     TokenTarget, train,
//! };
//! let mut named = NamedCorpus::default();
//! let [o, per] = ["O", "PER"].map(|label| TokenTarget::Label(named.labels.intern(label)));
//! let [ada, wrote] = ["w=Ada", "w=wrote"].map(|name| (named.attributes.intern(name), 1.0));
//! named.push(vec![vec![ada], vec![wrote]], vec![per, o], 1.0).unwrap();
//! named.close().unwrap();
//! let (corpus, labels, attributes) = named.into_parts();
//! let features = Features::of(&corpus, FeatureSelection::default());
//! let mut weights = vec![0.0; features.len()];
//! let algorithm = Algorithm::Lbfgs { options: Lbfgs::default(), c2: 0.1 };
//! train(&corpus, &features, &algorithm, 1, &mut weights, || false, |_, _| Ok(true)).unwrap();
//!
//! let model = Model::new(labels, attributes, features, weights, "{}".into()).unwrap();
//! let mut sequences = Sequences::new(model.attributes().len());
//! sequences.indicators(&[0]).unwrap(); // "w=Ada"
//! sequences.end();
//! let mut decoder = Decoder::new(&model);
//! decoder.read(&sequences, 0);
//! assert_eq!(model.labels().name(decoder.best().unwrap()[0] as u32), Some("PER"));
//! ```
//!
//! Inference without a model, with given scores. The transition from label 1 to label 0 is forbidden:
//!
//! ```
//! use spanrs_crf::{Lattice, Transitions};
//! let transitions = Transitions::new(2, vec![0.0, 0.0, f64::NEG_INFINITY, 0.0]).unwrap();
//! let mut lattice = Lattice::of(2, &[0.0, 1.0, 2.0, 0.0]).unwrap();
//! let (labels, score) = lattice.best(&transitions).unwrap();
//! assert_eq!((labels, score), (vec![0, 0], 2.0));
//! let log_z = lattice.forward_backward(&transitions).unwrap();
//! assert!(log_z > score);
//! ```
//!
//! # Sources
//! Lafferty, McCallum and Pereira (2001), "Conditional random fields"; Rodrigues, Pereira and
//! Ribeiro (2014), "Sequence labeling with multiple annotators" (CRF-MA); CRFsuite 0.12 for the
//! training algorithms and their defaults; CRF++ 0.58 and Wapiti 1.5 for templates.

mod aligned;
mod best;
mod best_f32;
mod bf16;
mod brown;
mod columns;
mod constraint;
mod corpus;
mod correction_pairs;
mod crowd;
mod decoder;
mod em;
mod error;
mod features;
mod fit;
mod forward_backward;
mod inputs;
mod lattice;
mod lbfgs;
mod lexicon;
mod messages;
mod model;
mod model_file;
mod named_corpus;
mod named_features;
mod objective;
mod online;
mod options;
mod prior;
mod records;
mod sdca;
mod sequences;
mod sgd;
mod simd;
mod spans;
mod spill;
mod state_labels;
mod state_scores;
mod team;
mod temperature;
mod template;
mod train;
mod transitions;
mod vectors;

pub use brown::BrownOptions;
pub use columns::Columns;
pub use constraint::Constraint;
pub use corpus::{Corpus, Counts, Target};
pub use crowd::{Answers, Posterior, TruePrior};
pub use decoder::Decoder;
pub use em::{EmCrf, EmState};
pub use error::{Error, MAX_LABELS, Result, check_len};
pub use features::{FeatureSelection, Features};
pub use fit::{Observer, TrainingRun};
pub use forward_backward::PairSums;
pub use inputs::{IndexedTemplate, Inputs, SequenceError};
pub use lattice::Lattice;
pub use lbfgs::{Iteration, Lbfgs, Stop};
pub use lexicon::{
    Clusters, Gazetteer, Lexicon, LexiconError, LexiconKind, Lexicons, NameOptions, WordColumn,
};
pub use model::{Model, check_labels};
pub use model_file::{metadata_flag, metadata_temperature, metadata_text};
pub use named_corpus::{NamedCorpus, TokenTarget};
pub use named_features::NamedFeatures;
pub use objective::Objective;
pub use online::{Online, Slack, Update};
pub use options::TrainingOptions;
pub use prior::Prior;
pub use sdca::Sdca;
pub use sequences::{MAX_TRAINING_VALUE, Sequences};
pub use sgd::Sgd;
pub use spans::{SpanProbabilities, SpanTable};
pub use temperature::{LabelledScores, TEMPERATURES, fit_temperature};
pub use template::{AttributeIndex, Extractor, Template, TemplateError};
pub use train::{Algorithm, train};
pub use transitions::Transitions;
pub use vectors::TokenVectors;
