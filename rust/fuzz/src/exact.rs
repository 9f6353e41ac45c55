//! The exact matcher.

use std::ops::Range;

use spanrs_base::Span;
use spanrs_eval::outcomes::{Counts, Key};
use spanrs_eval::{EXACT, Exact, Scorer, Side, Spans, TagBlock, add_pair, count_parts};
use spanrs_tags::{Dialect, Reader, SideReader};

use crate::by_definition::{self, Table, by_sets, sum, totals};
use crate::input::Input;
use crate::pair_input::{Pair, documents};
use crate::tag_input::{reading, scheme};

/// Violations kept of each side: few enough that some are not.
const KEEP: usize = 3;

/// Ids of gold and pred.
type Ids = (Vec<u32>, Vec<u32>);

/// Sentences one by one, in blocks, in parts and as spans count what sets of spans count, wherever documents end;
/// swapping the sides swaps the counts; counts of documents add up in any order. The first bytes choose scheme,
/// reading, the number of further tags and the size of blocks.
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
    let mut scorer = exact().by_document();
    for document in &documents {
        for (gold, pred) in document {
            scorer.add(&reader, gold, pred, |_, _| 0);
        }
        scorer.end_document(&reader, None);
    }
    compare(&reader, &mut scorer, &expected, &documents);
    let mut scorer = exact().by_document();
    for document in &documents {
        add_blocks(&reader, &mut scorer, document, together);
        scorer.end_document(&reader, None);
    }
    compare(&reader, &mut scorer, &expected, &documents);
    let mut scorer = exact().by_document();
    across_blocks(&reader, &mut scorer, &documents, together);
    compare(&reader, &mut scorer, &expected, &documents);
    in_parts(&reader, &documents.concat(), together, &expected);
    as_spans(&reader, &documents.concat(), &expected);
    swapped(&reader, &documents, &expected);
}

fn exact() -> Scorer {
    Scorer::new(Box::new(Exact::default()), KEEP)
}

fn intern(reader: &mut Reader, (gold, pred): &Pair) -> Ids {
    let mut ids = |tags: &[String]| {
        let tags = tags.iter().map(String::as_str);
        reader.intern_all(tags).expect("there are few tags")
    };
    (ids(gold), ids(pred))
}

fn by_definition(reader: &Reader, documents: &[Vec<Ids>]) -> Vec<Table> {
    let count = |document: &Vec<Ids>| {
        let mut table = Table::new();
        for (gold, pred) in document {
            by_sets(&mut table, reader, gold, pred);
        }
        table
    };
    documents.iter().map(count).collect()
}

fn compare(reader: &Reader, scorer: &mut Scorer, expected: &[Table], documents: &[Vec<Ids>]) {
    let counts = scorer.counts(reader);
    assert_eq!(by_definition::documents(&counts), expected);
    for (number, row) in (0..).zip(counts.rows()) {
        assert_eq!(row.key, &Key::Number(number));
    }
    let total = totals(&counts);
    assert_eq!(total, sum(expected));
    assert_eq!(total, sum(expected.iter().rev()));
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
        for sentence in sentences {
            put(reader, scorer, &mut block, sentence);
        }
        flush(reader, scorer, &mut block);
    }
}

/// In blocks that know nothing of documents, which end in them.
fn across_blocks(reader: &Reader, scorer: &mut Scorer, documents: &[Vec<Ids>], together: usize) {
    let mut block = TagBlock::default();
    let mut waiting = 0;
    for document in documents {
        for sentence in document {
            put(reader, scorer, &mut block, sentence);
            waiting += 1;
            if waiting == together {
                flush(reader, scorer, &mut block);
                waiting = 0;
            }
        }
        match scorer.prepare_blocks(reader) {
            true => block.end_document(None),
            false => scorer.end_document(reader, None),
        }
    }
    flush(reader, scorer, &mut block);
}

/// Puts a sentence into a block, or adds it where the scorer takes none.
fn put(reader: &Reader, scorer: &mut Scorer, block: &mut TagBlock, (gold, pred): &Ids) {
    if !scorer.prepare_blocks(reader) {
        scorer.add(reader, gold, pred, |_, _| 0);
        return;
    }
    let (g, p) = block.reserve(gold.len());
    for ((g, p), (gold, pred)) in g.iter_mut().zip(p).zip(gold.iter().zip(pred)) {
        (*g, *p) = (*gold as u8, *pred as u8);
    }
    block.end(gold.len());
}

fn flush(reader: &Reader, scorer: &mut Scorer, block: &mut TagBlock) {
    if scorer.prepare_blocks(reader) {
        scorer.add_block(reader, block, |_, _, _| 0);
    }
}

fn in_parts(reader: &Reader, sentences: &[Ids], together: usize, expected: &[Table]) {
    let starts = (0..sentences.len()).step_by(together);
    let parts: Vec<Range<usize>> = starts
        .map(|at| at..(at + together).min(sentences.len()))
        .collect();
    let mut scorer = exact();
    let counted = count_parts(
        &mut scorer,
        reader,
        &parts,
        || false,
        |range, part, worker| {
            for (gold, pred) in &sentences[range] {
                part.add(reader, gold, pred, |_, _| 0);
            }
            worker.check()
        },
    );
    assert_eq!(counted, Ok(()));
    assert_eq!(totals(&scorer.counts(reader)), sum(expected));
}

/// The matcher finds in the spans of the sentences what the walk over their tags counts.
fn as_spans(reader: &Reader, sentences: &[Ids], expected: &[Table]) {
    let mut matcher = Exact::default();
    let mut counts = Counts::new(&EXACT);
    let name = |ty: u32| reader.type_name(ty).to_owned();
    let spans = |side: SideReader<'_>, ids: &[u32]| -> Vec<Span<i64>> {
        side.spans(ids).into_iter().map(Span::from).collect()
    };
    for (gold, pred) in sentences {
        let (gold, pred) = (spans(reader.gold(), gold), spans(reader.pred(), pred));
        let pair = spanrs_eval::Pair::new(Spans::whole(&gold), Spans::whole(&pred));
        add_pair(&mut matcher, &pair, &name, &mut counts).expect("exact matching never fails");
    }
    let mut expected = sum(expected);
    expected.retain(|(criterion, ..), _| *criterion != "corpus");
    assert_eq!(totals(&counts), expected);
}

fn swapped(reader: &Reader, documents: &[Vec<Ids>], expected: &[Table]) {
    let mut scorer = exact();
    for (gold, pred) in documents.iter().flatten() {
        scorer.add(reader, pred, gold, |_, _| 0);
    }
    let turned = sum(expected).into_iter().map(|(cell, n)| {
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
    assert_eq!(totals(&scorer.counts(reader)), turned.collect());
}
