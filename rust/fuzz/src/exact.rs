//! Fuzz target for the exact matcher.

use spanrs_eval::{Exact, Scorer, TypeFilter};

use crate::common::{sum, totals};
use crate::input::Input;
use crate::pair_input::documents;
use crate::tag_input::{reading, scheme};
use crate::ways_to_score::{
    Corpus, KEEP, Setting, Ways, agree, by_definition, by_document, intern,
};

/// Asserts that scoring sentences one by one, in blocks and in parts gives the same counts as comparing sets of spans,
/// regardless of document boundaries, and that swapping the sides swaps the counts. The first bytes choose scheme,
/// reading, the number of additional tags and the block size.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let scheme = scheme(&mut input);
    let reading = reading(&mut input, scheme);
    let (further, together) = (input.below(4), input.below(5) + 1);
    let setting = Setting {
        matcher: 0,
        made: (scheme, reading),
        many_tags: further == 0,
        pred_scheme: usize::MAX,
        filter: TypeFilter::default(),
        by_document: true,
    };
    let ways = Ways {
        most: together as u64,
        together: further + 1,
        spare: further,
        late_ends: further == 2,
        whole: further == 3,
    };
    let mut corpus = Corpus::new();
    for document in documents(&mut input, scheme) {
        let last = document.len() - 1;
        let ends = (0..).map(|at| (at == last).then_some(None));
        corpus.extend(document.into_iter().zip(ends));
    }
    let borders: Vec<usize> = (0..corpus.len()).step_by(together).collect();
    agree(&setting, &corpus, &ways, (&borders, together));
    swapped(&setting, &corpus);
}

fn swapped(setting: &Setting, corpus: &Corpus) {
    let mut reader = setting.reader();
    let mut scorer = Scorer::new(Box::new(Exact::default()), KEEP);
    for (pair, _) in corpus {
        let (gold, pred) = intern(&mut reader, pair);
        scorer.add(&reader, &pred, &gold, |_, _| 0);
    }
    let expected = by_definition(setting, &by_document(corpus));
    let turned = sum(&expected).into_iter().map(|(cell, n)| {
        let (criterion, outcome, gold, pred) = cell;
        let outcome = match outcome {
            "missed" => "spurious",
            "spurious" => "missed",
            "gold_labelled" => "pred_labelled",
            "pred_labelled" => "gold_labelled",
            "gold_violations" => "pred_violations",
            "pred_violations" => "gold_violations",
            other => other,
        };
        ((criterion, outcome, pred, gold), n)
    });
    assert_eq!(totals(&scorer.counts(&reader)), turned.collect());
}
