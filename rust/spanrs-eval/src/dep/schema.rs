use crate::outcomes::{Criterion, Outcome, Schema};

/// The head and the label are right.
pub(super) const RIGHT: u8 = 0;
/// The head is right, the label is not.
pub(super) const MISLABELLED: u8 = 1;
/// The head is not right.
pub(super) const WRONG: u8 = 2;
/// The gold word has no counterpart.
pub(super) const MISSED: u8 = 3;
/// The pred word has no counterpart.
pub(super) const SPURIOUS: u8 = 4;

/// The second outcome of criteria of tags; missed and spurious follow.
pub(super) const WRONG_TAG: u8 = 1;

const LABELLED: &[Outcome] = &[
    Outcome::new("right", [1.0, 0.0, 0.0]),
    Outcome::new("mislabelled", [0.0, 1.0, 1.0]),
    Outcome::new("wrong", [0.0, 1.0, 1.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

const UNLABELLED: &[Outcome] = &[
    Outcome::new("right", [1.0, 0.0, 0.0]),
    Outcome::new("mislabelled", [1.0, 0.0, 0.0]),
    Outcome::new("wrong", [0.0, 1.0, 1.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

const TAGS: &[Outcome] = &[
    Outcome::new("right", [1.0, 0.0, 0.0]),
    Outcome::new("wrong", [0.0, 1.0, 1.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

pub(super) const ARCS: u8 = 0;
pub(super) const NO_PUNCT: u8 = 2;
pub(super) const CONTENT: u8 = 4;
pub(super) const MLAS: u8 = 5;
/// XPOS is the next one.
pub(super) const UPOS: u8 = 6;
pub(super) const FEATS: u8 = 8;
pub(super) const LEMMAS: u8 = 9;
pub(super) const CORPUS: u8 = 10;

/// A criterion with the cells of another one.
const fn unlabelled(name: &'static str, cells_of: u8) -> Criterion {
    Criterion {
        cells_of: Some(cells_of),
        ..Criterion::new(name, UNLABELLED)
    }
}

const fn untyped(name: &'static str, outcomes: &'static [Outcome]) -> Criterion {
    Criterion {
        typed: false,
        ..Criterion::new(name, outcomes)
    }
}

/// Arcs by label and tags by tag. Precision divides by the words of pred, recall by those of gold: with equal tokens both
/// are the accuracy.
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
        untyped(
            "corpus",
            &[
                Outcome::unweighted("sentences"),
                Outcome::unweighted("words"),
                Outcome::unweighted("pred_words"),
            ],
        ),
    ],
};
