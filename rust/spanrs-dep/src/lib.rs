//! Part-of-speech tagging and dependency parsing with averaged perceptrons.
//!
//! A [`Tagger`] gives each word a pair of tags (XPOS and UPOS); a [`Parser`] gives each sentence a dependency tree: the
//! head of each word and the label of the arc to it. Both are linear models that decide greedily from left to right, so
//! their cost is linear in the number of words. A [`Model`] contains a tagger, a parser or both, annotates batches of
//! sentences ([`Model::annotate_all`]) and is read from and written to one file ([`Model::from_bytes`],
//! [`Model::to_bytes`]).
//!
//! # Two families of features
//!
//! | | published | rich (the default) |
//! |---|---|---|
//! | tagger | the 14 features of parser.py and NLTK's `PerceptronTagger` | 51 features: affixes, shapes, known tags of the neighbours |
//! | parser | the 59 templates of parser.py, unlabelled | templates that can be edited ([`RICH_TEMPLATES`]), labelled |
//! | oracle | as in parser.py ([`Oracle::Published`]) | exact ([`Oracle::Exact`]) |
//! | weights | thousandths, as parser.py rounds them | the largest, with one byte each |
//! | ties | as in parser.py, including float rounding | the last class wins (tagger), the first wins (parser) |
//!
//! The published family exists to reproduce [parser.py](https://explosion.ai/blog/parsing-english-in-python) (Honnibal
//! 2013) to the last bit: models written by parser.py or NLTK can be imported ([`import_published`], [`import_tagger`])
//! and give the same tags and trees, and [`fit_published`] computes the same weights for the same sentences in the same
//! order.
//!
//! # Modules
//!
//! - `arc_hybrid` implements the transition system, `oracle` determines the moves that lose no gold arc, and `tree`
//!   checks and projectivises gold trees.
//! - `sentence` defines the input and the output of taggers and parsers.
//! - `tagger` and `parser` extract features, choose classes and learn from one sentence at a time;
//!   `fit` runs the passes over a `treebank`.
//! - `segmenter` divides raw text into sentences, tokens and words, the input of taggers.
//! - `morphology` predicts morphological features and lemmas from forms and tags.
//! - `learner` stores weights in training, `averages` the averaged weights, and `weights` the frozen tables for
//!   prediction. `dropout`, `feature_index`, `text_hash`, `common_substring` and `digits` are helpers of these modules.
//! - `turns` interleaves sentences so that their cache misses overlap, and `model` and `annotate` use it.
//! - `model_file` and `import` read and write models.
//!
//! # Determinism
//!
//! Weights in training are integers, sentences are shuffled by a generator with a fixed stream ([`spanrs_base::Rng`]),
//! and every tie is broken by a documented rule. The same data, options and seeds give the same bytes of the model
//! file, and a model gives the same annotation for any number of threads.
//!
//! # Examples
//!
//! Train a parser on two sentences with gold tags, and parse one of them:
//!
//! ```
//! use spanrs_dep::{
//!     Next, ParserBuffers, Parse, ParserOptions, Passes, Sentence, Treebank, Word, fit_parser,
//! };
//!
//! let word = |form, upos, head, label| Word { form, upos, head, label, ..Word::default() };
//! let mut treebank = Treebank::default();
//! treebank.push([word("They", "PRON", 2, "nsubj"), word("ate", "VERB", 0, "root")]);
//! treebank.push([
//!     word("Dogs", "NOUN", 2, "nsubj"),
//!     word("chased", "VERB", 0, "root"),
//!     word("cats", "NOUN", 2, "obj"),
//! ]);
//! let passes = Passes { epochs: 5, seed: Some(1), models: 1, watch: || false };
//! let options = ParserOptions::default();
//! let parser = fit_parser(&treebank, &options, passes, |_, _| Ok(Next::Continue)).unwrap();
//!
//! let sentence = Sentence {
//!     words: &["Dogs", "chased", "cats"],
//!     tags: Some((&[], &["NOUN", "VERB", "NOUN"])),
//!     root_tag: None,
//! };
//! let mut parse = Parse::default();
//! parser.parse(&sentence, &mut ParserBuffers::default(), &mut parse);
//! assert_eq!(parse.heads, [2, 0, 2]);
//! let label = |at: &u32| parser.labels()[*at as usize].as_str();
//! assert_eq!(parse.labels.iter().map(label).collect::<Vec<_>>(), ["nsubj", "root", "obj"]);
//! ```

mod annotate;
mod arc_hybrid;
mod averages;
mod common_substring;
mod digits;
mod dropout;
mod error;
mod feature_index;
mod fit;
mod import;
mod learner;
mod model;
mod model_file;
mod morphology;
mod oracle;
mod parser;
mod segmenter;
mod sentence;
mod tagger;
mod text_hash;
mod tree;
mod treebank;
mod turns;
mod weights;

pub use arc_hybrid::{Move, State};
pub use averages::Averages;
pub use error::{Error, Result, TreeError};
pub use fit::{
    Epoch, Next, Passes, fit_parser, fit_published, fit_tagger, jackknife, selection_passes,
};
pub use import::{import_published, import_tagger};
pub use learner::Learner;
pub use model::{Model, Workspace};
pub use morphology::{Analysis, Morphology, MorphologyBuffers, MorphologyOptions, fit_morphology};
pub use oracle::{GoldTree, Oracle};
pub use parser::{Parser, ParserBuffers, ParserOptions, ParserTrainer, RICH_TEMPLATES, Update};
pub use segmenter::{
    GoldParagraph, GoldToken, Segmentation, SegmentedToken, Segmenter, SegmenterBuffers,
    SegmenterOptions, fit_segmenter, is_white,
};
pub use sentence::{Parse, Sentence};
pub use tagger::{Tagger, TaggerBuffers, TaggerFeatures, TaggerOptions, TaggerTrainer, Tags};
pub use tree::{Roots, check_tree, is_projective, projectivise};
pub use treebank::{Treebank, Word};
pub use weights::Weights;
