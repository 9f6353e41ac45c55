//! The exact matcher.

use std::ops::Range;

use spanrs_eval::{Counts, Scorer, Side, TagBlock, count_parts};
use spanrs_tags::{Dialect, Reader};

use crate::by_definition::by_sets;
use crate::input::Input;
use crate::pair_input::{Pair, documents};
use crate::tag_input::{reading, scheme};

/// Violations kept of each side: few enough that some are not.
const KEEP: usize = 3;

/// Ids of gold and pred.
type Ids = (Vec<u32>, Vec<u32>);

/// Sentences one by one, in blocks and in parts count what sets of spans count; swapping the sides swaps the
/// counts; counts of documents add up in any order. The first bytes choose scheme, reading, the number of
/// further tags and the size of blocks.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let scheme = scheme(&mut input);
    let reading = reading(&mut input, scheme);
    let (further, together) = (input.below(4), input.below(5) + 1);
    let documents = documents(&mut input, scheme);
    let mut reader =
        Reader::new(scheme, reading, Dialect::default()).expect("the reading is defined");
    if further == 0 {
        // With so many tags counting falls back to walking both sides.
        for number in 0..200 {
            reader
                .intern(&format!("B-{number}"))
                .expect("there are few tags");
        }
    }
    let documents: Vec<Vec<Ids>> = documents
        .iter()
        .map(|document| {
            document
                .iter()
                .map(|pair| intern(&mut reader, pair))
                .collect()
        })
        .collect();
    let expected = by_definition(&reader, &documents);
    let mut scorer = Scorer::new(KEEP).by_document();
    for document in &documents {
        for (gold, pred) in document {
            scorer.add(&reader, gold, pred, |_, _| 0);
        }
        scorer.end_document(&reader);
    }
    compare(&reader, &mut scorer, &expected, &documents);
    let mut scorer = Scorer::new(KEEP).by_document();
    for document in &documents {
        add_blocks(&reader, &mut scorer, document, together);
        scorer.end_document(&reader);
    }
    compare(&reader, &mut scorer, &expected, &documents);
    in_parts(&reader, &documents.concat(), together, &expected);
    swapped(&reader, &documents, &expected);
}

fn intern(reader: &mut Reader, (gold, pred): &Pair) -> Ids {
    let mut ids = |tags: &[String]| {
        let tags = tags.iter().map(String::as_str);
        reader.intern_all(tags).expect("there are few tags")
    };
    (ids(gold), ids(pred))
}

/// Counts with a row for each type of the reader.
fn fit(reader: &Reader, mut counts: Counts) -> Counts {
    counts
        .types
        .resize(reader.types().len(), Default::default());
    counts
}

fn by_definition(reader: &Reader, documents: &[Vec<Ids>]) -> Vec<Counts> {
    let count = |document: &Vec<Ids>| {
        let mut counts = fit(reader, Counts::default());
        for (gold, pred) in document {
            by_sets(&mut counts, reader, gold, pred);
        }
        counts
    };
    documents.iter().map(count).collect()
}

fn sum<'a>(reader: &Reader, rows: impl Iterator<Item = &'a Counts>) -> Counts {
    let mut sum = fit(reader, Counts::default());
    rows.for_each(|row| sum.merge(row));
    sum
}

fn compare(reader: &Reader, scorer: &mut Scorer, expected: &[Counts], documents: &[Vec<Ids>]) {
    let rows: Vec<Counts> = scorer
        .documents()
        .iter()
        .map(|row| fit(reader, row.clone()))
        .collect();
    assert_eq!(rows, expected);
    let total = fit(reader, scorer.counts(reader));
    assert_eq!(total, sum(reader, expected.iter()));
    assert_eq!(total, sum(reader, expected.iter().rev()));
    for (side, other) in [(Side::Gold, false), (Side::Pred, true)] {
        let ids = |(gold, pred): &Ids| if other { pred.clone() } else { gold.clone() };
        let mut first = Vec::new();
        let mut count = 0;
        for (sentence, pair) in documents.iter().flatten().enumerate() {
            for violation in reader.violations(&ids(pair)) {
                count += 1;
                if first.len() < KEEP {
                    first.push((sentence as u64, violation));
                }
            }
        }
        let found = scorer.violations(side);
        let told: Vec<_> = found
            .first
            .iter()
            .map(|at| (at.sentence, at.violation.clone()))
            .collect();
        assert_eq!((found.count, told), (count, first), "{side:?}");
    }
}

fn add_blocks(reader: &Reader, scorer: &mut Scorer, document: &[Ids], together: usize) {
    let mut block = TagBlock::default();
    for sentences in document.chunks(together) {
        if !scorer.takes_blocks(reader) {
            for (gold, pred) in sentences {
                scorer.add(reader, gold, pred, |_, _| 0);
            }
            continue;
        }
        for (gold, pred) in sentences {
            let (g, p) = block.room(gold.len());
            for ((g, p), (gold, pred)) in g.iter_mut().zip(p).zip(gold.iter().zip(pred)) {
                (*g, *p) = (*gold as u8, *pred as u8);
            }
            block.end(gold.len());
        }
        scorer.add_block(reader, &mut block, |_, _, _| 0);
    }
}

fn in_parts(reader: &Reader, sentences: &[Ids], together: usize, expected: &[Counts]) {
    let starts = (0..sentences.len()).step_by(together);
    let parts: Vec<Range<usize>> = starts
        .map(|at| at..(at + together).min(sentences.len()))
        .collect();
    let mut scorer = Scorer::new(KEEP);
    let count = |range: Range<usize>, scorer: &mut Scorer| {
        for (gold, pred) in &sentences[range] {
            scorer.add(reader, gold, pred, |_, _| 0);
        }
        Ok::<(), ()>(())
    };
    assert_eq!(count_parts(&mut scorer, reader, &parts, count), Ok(()));
    assert_eq!(
        fit(reader, scorer.counts(reader)),
        sum(reader, expected.iter())
    );
}

fn swapped(reader: &Reader, documents: &[Vec<Ids>], expected: &[Counts]) {
    let mut scorer = Scorer::new(KEEP);
    for (gold, pred) in documents.iter().flatten() {
        scorer.add(reader, pred, gold, |_, _| 0);
    }
    let (swapped, total) = (
        fit(reader, scorer.counts(reader)),
        sum(reader, expected.iter()),
    );
    for (swapped, tally) in swapped.types.iter().zip(&total.types) {
        assert_eq!(
            (swapped.gold, swapped.pred, swapped.tp),
            (tally.pred, tally.gold, tally.tp)
        );
    }
    let turned = total
        .confused
        .iter()
        .map(|(&(gold, pred), &n)| ((pred, gold), n));
    assert_eq!(swapped.confused, turned.collect());
    assert_eq!(swapped.correct_tokens, total.correct_tokens);
}
