//! Criteria and outcomes of dependency evaluation.
//!
//! Criteria that count the same words share one set of cells: `uas` uses the cells of `las` with weights that ignore
//! the label. The constants are indices into [`SCHEMA`] and must follow its order.

use spanrs_eval::outcomes::{Criterion, Outcome, Schema};

/// Head and label are right. In criteria of tags: the tag is right.
pub(super) const RIGHT: u8 = 0;
/// The head is right, the label is wrong.
pub(super) const MISLABELLED: u8 = 1;
/// The head is wrong. In `mlas` also: head and label are right, but the tag, the features or the functional children
/// are wrong.
pub(super) const WRONG: u8 = 2;
/// In criteria of arcs: a gold word that has no counterpart or whose counterpart is not counted by the criterion.
pub(super) const MISSED: u8 = 3;
/// In criteria of arcs: a pred word that has no counterpart or whose counterpart is not counted by the criterion.
pub(super) const SPURIOUS: u8 = 4;

/// In criteria of tags: the tag is wrong.
pub(super) const WRONG_TAG: u8 = 1;
/// In criteria of tags: a gold word without a counterpart.
pub(super) const MISSED_TAG: u8 = 2;
/// In criteria of tags: a pred word without a counterpart.
pub(super) const SPURIOUS_TAG: u8 = 3;

/// Outcomes of arcs if head and label must be right. An aligned word that is not right is a false positive and a false
/// negative, so that precision divides by pred words and recall by gold words.
const LABELLED: &[Outcome] = &[
    Outcome::new("right", [1.0, 0.0, 0.0]),
    Outcome::new("mislabelled", [0.0, 1.0, 1.0]),
    Outcome::new("wrong", [0.0, 1.0, 1.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

/// The same outcomes if only the head must be right.
const UNLABELLED: &[Outcome] = &[
    Outcome::new("right", [1.0, 0.0, 0.0]),
    Outcome::new("mislabelled", [1.0, 0.0, 0.0]),
    Outcome::new("wrong", [0.0, 1.0, 1.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

/// Outcomes of tags, features and lemmas.
const TAGS: &[Outcome] = &[
    Outcome::new("right", [1.0, 0.0, 0.0]),
    Outcome::new("wrong", [0.0, 1.0, 1.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

/// In criteria of segmentation: a unit of gold that pred does not have.
pub(super) const MISSED_UNIT: u8 = 1;
/// In criteria of segmentation: a unit of pred that gold does not have.
pub(super) const SPURIOUS_UNIT: u8 = 2;

/// Outcomes of tokens, sentences and words.
const UNITS: &[Outcome] = &[
    Outcome::new("right", [1.0, 0.0, 0.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

/// Criterion `las`: all arcs. The next criterion, `uas`, shares its cells.
pub(super) const ARCS: u8 = 0;
/// Criterion `las_no_punct`: arcs of words whose gold label is not punctuation. The next criterion, `uas_no_punct`,
/// shares its cells.
pub(super) const NO_PUNCT: u8 = 2;
/// Criterion `clas`: arcs with a content relation.
pub(super) const CONTENT: u8 = 4;
/// Criterion `mlas`: same as `clas`, but a right arc also needs the right tag, features and functional children.
pub(super) const MLAS: u8 = 5;
/// Criterion `upos`: universal tags.
pub(super) const UPOS: u8 = 6;
/// Criterion `xpos`: tags of the treebank.
pub(super) const XPOS: u8 = 7;
/// Criterion `feats`: universal morphological features, without types.
pub(super) const FEATS: u8 = 8;
/// Criterion `lemmas`: lemmas, without types.
pub(super) const LEMMAS: u8 = 9;
/// Criterion `all_tags`: UPOS, XPOS and features together, without types.
pub(super) const ALL_TAGS: u8 = 10;
/// Criterion `blex`: same as `clas`, but a right arc also needs the right lemma.
pub(super) const BLEX: u8 = 11;
/// Criterion `tokens`: surface tokens, without types.
pub(super) const TOKENS: u8 = 12;
/// Criterion `sentences`: sentences, without types.
pub(super) const SENTENCES: u8 = 13;
/// Criterion `words`: words that are aligned, without types.
pub(super) const WORDS: u8 = 14;
/// Criterion for the numbers of sentences, gold words and pred words, in this order, and of words with empty or copied
/// columns.
pub(super) const CORPUS: u8 = 15;
/// In [`CORPUS`]: words of gold in which the first of [`COLUMNS`](super::words::COLUMNS) is empty; the other columns
/// follow.
pub(super) const GOLD_WITHOUT: u8 = 3;
/// Same as [`GOLD_WITHOUT`] for pred.
pub(super) const PRED_WITHOUT: u8 = 9;
/// In [`CORPUS`]: words of pred for which the first of [`COLUMNS`](super::words::COLUMNS) was copied, not
/// predicted; the other columns follow.
pub(super) const COPIED: u8 = 15;

/// Returns a criterion that shares the cells of another criterion and ignores labels.
const fn unlabelled(name: &'static str, cells_of: u8) -> Criterion {
    Criterion {
        cells_of: Some(cells_of),
        ..Criterion::new(name, UNLABELLED)
    }
}

/// Returns a criterion whose cells have no types.
const fn untyped(name: &'static str, outcomes: &'static [Outcome]) -> Criterion {
    Criterion {
        typed: false,
        ..Criterion::new(name, outcomes)
    }
}

/// Criteria of tags and dependency trees.
///
/// | criterion | right if | words counted |
/// |---|---|---|
/// | `las` | head and label are right | all |
/// | `uas` | head is right | all |
/// | `las_no_punct`, `uas_no_punct` | as above | gold label is not punctuation |
/// | `clas` | head and label are right | label is a content relation |
/// | `mlas` | also UPOS, features and functional children | label is a content relation |
/// | `upos`, `xpos` | tags are equal | all |
/// | `feats` | universal features are equal | all |
/// | `lemmas` | lemmas are equal, or gold has `_` | all |
/// | `all_tags` | UPOS, XPOS and universal features are equal | all |
/// | `blex` | also the lemma, or gold has `_` | label is a content relation |
/// | `tokens`, `sentences` | pred has a token or sentence with the same characters | tokens, sentences |
/// | `words` | pred has an aligned word | all |
///
/// A head is right if the pred head is aligned with the gold head, or if both words are roots. The F1 values of these
/// criteria are the scores of the CoNLL 2018 shared task; the criteria without punctuation are an addition.
///
/// Arcs are counted by gold label and pred label, tags by gold tag and pred tag. Precision divides
/// by pred words, recall by gold words; with equal tokens, both are equal to the accuracy.
pub static SCHEMA: Schema = Schema {
    name: "dep",
    criteria: &[
        Criterion::new("las", LABELLED),
        unlabelled("uas", ARCS),
        Criterion::new("las_no_punct", LABELLED),
        unlabelled("uas_no_punct", NO_PUNCT),
        Criterion::new("clas", LABELLED),
        Criterion::new("mlas", LABELLED),
        Criterion::new("upos", TAGS),
        Criterion::new("xpos", TAGS),
        untyped("feats", TAGS),
        untyped("lemmas", TAGS),
        untyped("all_tags", TAGS),
        Criterion::new("blex", LABELLED),
        untyped("tokens", UNITS),
        untyped("sentences", UNITS),
        untyped("words", UNITS),
        untyped(
            "corpus",
            &[
                Outcome::unweighted("sentences"),
                Outcome::unweighted("words"),
                Outcome::unweighted("pred_words"),
                Outcome::unweighted("gold_without_lemma"),
                Outcome::unweighted("gold_without_upos"),
                Outcome::unweighted("gold_without_xpos"),
                Outcome::unweighted("gold_without_feats"),
                Outcome::unweighted("gold_without_deprel"),
                Outcome::unweighted("gold_without_head"),
                Outcome::unweighted("pred_without_lemma"),
                Outcome::unweighted("pred_without_upos"),
                Outcome::unweighted("pred_without_xpos"),
                Outcome::unweighted("pred_without_feats"),
                Outcome::unweighted("pred_without_deprel"),
                Outcome::unweighted("pred_without_head"),
                Outcome::unweighted("copied_lemma"),
                Outcome::unweighted("copied_upos"),
                Outcome::unweighted("copied_xpos"),
                Outcome::unweighted("copied_feats"),
                Outcome::unweighted("copied_deprel"),
                Outcome::unweighted("copied_head"),
            ],
        ),
    ],
};
