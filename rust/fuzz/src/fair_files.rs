//! Two files of spans or of stacked tags, matched fairly.

use std::collections::BTreeMap;

use spanrs_eval::fair::{FairCounts, Matcher, Row, TypeFilter};
use spanrs_io::{Column, ColumnReader, Columns, SpanFileReader};
use spanrs_jobs::fair::{SpanSource, fair};

use crate::input::{CHUNK, Input, chunk, lines, split_at_byte};

/// How a side is written.
#[derive(Clone, Copy)]
struct Side {
    stacked: bool,
    ignore_punct: bool,
    strict: bool,
}

/// The sums of all types, and traditional counts by the names of types.
type Sums = ([u64; 9], BTreeMap<String, [u64; 3]>);

/// Buffers of any size give the same; a file against itself has no error; traditional counts swap with the
/// sides. The first bytes choose the size of the buffers and how both sides are written; NUL stands between
/// them.
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
    // Which side says what is punctuation decides, where they differ.
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
    let files = match fair(gold, pred, &filter, Matcher::default(), &mut |_| true) {
        Ok(files) => files,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let FairCounts { types, le, lbe, .. } = &files.counts;
    let mut sum = Row::default();
    types.iter().for_each(|row| sum.add(row));
    let names = (0..).zip(types).map(|(ty, row)| {
        let name = files.types.name(ty).to_owned();
        (name, [row.exact_tp, row.exact_fp, row.exact_fn])
    });
    let pairs = |pairs: &BTreeMap<(u32, u32), u64>| pairs.values().sum::<u64>();
    let boundary = sum.bes + sum.bel + sum.beo;
    assert!(files.gold_types.len() <= files.types.len());
    Some((
        [
            sum.exact_tp,
            sum.exact_fp,
            sum.exact_fn,
            sum.tp,
            sum.fp,
            sum.fn_,
            boundary,
            pairs(le),
            pairs(lbe),
        ],
        names.filter(|(_, row)| *row != [0; 3]).collect(),
    ))
}
