//! Fuzz target for fair matching of two files of spans or stacked tags.

use std::collections::BTreeMap;

use spanrs::span_files::{SpanSource, score_spans};
use spanrs_eval::fair::Matcher;
use spanrs_eval::outcomes::Counts;
use spanrs_eval::{Scorer, TypeFilter};
use spanrs_io::{Column, ColumnReader, Columns, SpanFileReader};

use crate::common::totals;
use crate::input::{CHUNK, Input, chunk, lines, split_at_byte};

/// Input format of a side.
#[derive(Clone, Copy)]
struct Side {
    stacked: bool,
    ignore_punct: bool,
    strict: bool,
}

/// The sums over all types, and the traditional counts by type name.
type Sums = ([u64; 9], BTreeMap<String, [u64; 3]>);

/// Asserts that the buffer size does not affect the result, that a file scored against itself has no errors, and that
/// swapping the sides swaps the traditional counts. The first bytes choose the size of the buffers and the formats of
/// both sides, which are separated by NUL.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let chunk = chunk(&mut input);
    let mut side = || {
        let byte = input.byte();
        Side {
            stacked: byte & 1 != 0,
            ignore_punct: byte & 2 != 0,
            strict: byte & 4 != 0,
        }
    };
    let (gold_side, pred_side) = (side(), side());
    let (gold, pred) = split_at_byte(input.rest(), 0);
    let (gold, pred) = ((gold, gold_side), (pred, pred_side));
    let counts = scored(gold, pred, CHUNK);
    let hash = input.rest().contains(&b'#');
    if !hash {
        assert_eq!(counts, scored(gold, pred, chunk));
    }
    if let Some(([exact_tp, exact_fp, exact_fn, tp, others @ ..], _)) = scored(gold, gold, CHUNK) {
        assert_eq!((exact_fp, exact_fn, others), (0, 0, [0; 5]));
        assert_eq!(exact_tp, tp);
    }
    // If the sides differ, the result depends on which side determines punctuation.
    if !gold_side.ignore_punct && !pred_side.ignore_punct {
        let turned = scored(pred, gold, CHUNK);
        assert_eq!(turned.is_some(), counts.is_some());
        if let (Some((_, turned)), Some((_, counts))) = (turned, counts) {
            let swap = |[_, exact_fp, exact_fn]: [u64; 3]| [exact_fn, exact_fp];
            let turned = turned.into_iter().map(|(name, row)| (name, swap(row)));
            let counts = counts
                .into_iter()
                .map(|(name, row)| (name, [row[1], row[2]]));
            assert_eq!(turned.collect::<BTreeMap<_, _>>(), counts.collect());
        }
    }
}

fn source((bytes, side): (&[u8], Side), chunk: usize) -> spanrs_io::Result<SpanSource> {
    let lines = lines(bytes, chunk)?;
    if side.stacked {
        let columns = Columns {
            second: Some(Column::Index(1)),
            second_may_lack: true,
            ..Columns::default()
        };
        return Ok(SpanSource::Stacked {
            rows: Box::new(ColumnReader::new(lines, columns)?),
            ignore_punct: side.ignore_punct,
        });
    }
    let reader = SpanFileReader::new(lines);
    let reader = if side.strict { reader.strict() } else { reader };
    Ok(SpanSource::Spans(Box::new(reader)))
}

fn scored(gold: (&[u8], Side), pred: (&[u8], Side), chunk: usize) -> Option<Sums> {
    let (gold, pred) = (source(gold, chunk).ok()?, source(pred, 2 * chunk).ok()?);
    let filter = TypeFilter {
        keep: None,
        exclude: vec!["EMPTY".to_owned()],
    };
    let mut scorer = Scorer::new(Box::new(Matcher::default()), 0).with_filter(filter);
    let files = match score_spans(gold, pred, &mut scorer, None, &mut |_| true) {
        Ok(files) => files,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    assert!(files.gold_types.len() <= files.types.len());
    Some(sums(scorer.span_counts()))
}

fn sums(counts: &Counts) -> Sums {
    let (mut sums, mut names) = ([0; 9], BTreeMap::<String, [u64; 3]>::new());
    for ((criterion, outcome, gold, pred), n) in totals(counts) {
        let place = match (criterion, outcome) {
            ("traditional", "tp") => 0,
            ("traditional", "fp") => 1,
            ("traditional", "fn") => 2,
            ("fair", "tp") => 3,
            ("fair", "fp") => 4,
            ("fair", "fn") => 5,
            ("fair", "bes" | "bel" | "beo") => 6,
            ("fair", "le") => 7,
            ("fair", "lbe") => 8,
            other => panic!("{other:?} is not an outcome of fair matching"),
        };
        sums[place] += n;
        if place < 3 {
            let name = gold.or(pred).expect("traditional outcomes have types");
            names.entry(name).or_default()[place] += n;
        }
    }
    (sums, names)
}
