//! Part-of-speech tagging and dependency parsing with averaged perceptrons.

mod annotate;
mod arc_hybrid;
mod averages;
mod digits;
mod error;
mod feature_index;
mod fit;
mod import;
mod learner;
mod model;
mod model_file;
mod oracle;
mod parser;
mod tagger;
mod text_hash;
mod tree;
mod treebank;
mod turns;
mod weights;

pub use annotate::TagLists;
pub use arc_hybrid::{Move, State};
pub use averages::Averages;
pub use error::{Error, Result, TreeError};
pub use fit::{Epoch, Next, Passes, fit_parser, fit_published, fit_tagger, jackknife};
pub use import::{import_published, import_tagger};
pub use learner::Learner;
pub use model::{Annotated, Model, Sentence, Workspace};
pub use oracle::{GoldTree, Oracle};
pub use parser::{
    Parse, Parser, ParserBuffers, ParserOptions, ParserTrainer, RICH_TEMPLATES, Tagged, Update,
};
pub use tagger::{Tagger, TaggerBuffers, TaggerFeatures, TaggerOptions, TaggerTrainer, Tags};
pub use tree::{Roots, check_tree, is_projective, projectivise};
pub use treebank::{Treebank, Word};
pub use weights::Weights;
