//! Linear-chain conditional random fields (Lafferty, McCallum and Pereira 2001).
//!
//! A sequence of tokens gets a score for each label of each token ([`Lattice`]) and for each pair of neighbouring labels
//! ([`Transitions`]); the probability of a labelling is proportional to the exponential of the sum of its scores.
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

mod aligned;
mod best;
mod columns;
mod corpus;
mod crowd;
mod decoder;
mod em;
mod error;
mod features;
mod forward_backward;
mod inputs;
mod lattice;
mod lbfgs;
mod model;
mod model_file;
mod named_corpus;
mod objective;
mod online;
mod sequences;
mod sgd;
mod simd;
mod state_scores;
mod template;
mod train;
mod transitions;

pub use columns::Columns;
pub use corpus::{Corpus, Counts, Target};
pub use crowd::{Answers, Posterior, TruePrior};
pub use decoder::{Constraint, Decoder};
pub use em::EmCrf;
pub use error::{Error, Result, check_len};
pub use features::{FeatureSelection, Features};
pub use forward_backward::PairSums;
pub use inputs::{IndexedTemplate, Inputs, SequenceError};
pub use lattice::Lattice;
pub use lbfgs::{Iteration, Lbfgs, Stop};
pub use model::{MAX_LABELS, Model, check_labels};
pub use model_file::metadata_text;
pub use named_corpus::{NamedCorpus, TokenTarget};
pub use objective::Objective;
pub use online::{Online, Slack, Update};
pub use sequences::Sequences;
pub use sgd::Sgd;
pub use template::{AttributeIndex, Extractor, Template, TemplateError};
pub use train::{Algorithm, train};
pub use transitions::Transitions;
