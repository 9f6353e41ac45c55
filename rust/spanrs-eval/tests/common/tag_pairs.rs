//! Sentences of tags, gold and pred.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use proptest::prelude::*;
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

use super::ways_to_score::Pair;

/// Returns a tag by number. Low numbers give common tags; all numbers together give too many tags
/// for a reader to use blocks.
fn tag(number: usize) -> String {
    const USUAL: [&str; 16] = [
        "O", "O", "O", "B-A", "I-A", "I-A", "E-A", "S-A", "B-C", "I-C", "M-A", "U-C", "X", "I", "",
        "E-C",
    ];
    match USUAL.get(number) {
        Some(usual) => (*usual).to_owned(),
        None => format!("{}-{}", ["B", "I"][number % 2], number / 2),
    }
}

/// Two sides that are equal in most positions, as in real data.
pub(crate) fn pair(tags: usize, tokens: usize) -> impl Strategy<Value = Pair> {
    let token = (0..tags, 0..tags, 0..5_u8);
    (proptest::collection::vec(token, 0..tokens), 0..6_u8).prop_map(|(picks, alike)| {
        picks
            .into_iter()
            .map(|(g, p, n)| (tag(g), tag(if n < alike { g } else { p })))
            .unzip()
    })
}

/// Sentences with new tags late in the corpus: later sentences choose from more tags.
pub(crate) fn late() -> impl Strategy<Value = Vec<Pair>> {
    (1..8_usize, 4..400_usize).prop_flat_map(|(sentences, most)| {
        (0..sentences)
            .map(|at| pair(4 + most * at / sentences, 20))
            .collect::<Vec<_>>()
    })
}

/// Sentences around the length at which a block is full, and empty ones.
pub(crate) fn long() -> impl Strategy<Value = Vec<Pair>> {
    let tokens = prop_oneof![0..3_usize, 8_185..8_230_usize];
    let repeated = (pair(16, 12), tokens).prop_map(|((gold, pred), tokens)| {
        let repeat = |tags: Vec<String>| tags.into_iter().cycle().take(tokens).collect::<Vec<_>>();
        (repeat(gold), repeat(pred))
    });
    proptest::collection::vec(repeated, 1..4)
}

/// Every scheme with every reading defined for it.
pub(crate) fn made() -> impl Strategy<Value = (Scheme, Reading)> {
    let all: Vec<_> = Scheme::all()
        .flat_map(|scheme| Reading::all().map(move |reading| (scheme, reading)))
        .filter(|&(scheme, reading)| Reader::new(scheme, reading, Dialect::default()).is_ok())
        .collect();
    proptest::sample::select(all)
}
