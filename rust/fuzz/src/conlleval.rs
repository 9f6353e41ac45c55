//! Fuzz target for the input of conlleval.

use std::collections::BTreeMap;

use spanrs::compat::conlleval::{Conlleval, ConllevalText, Cut, Error, Layout, Rules, Setting};
use spanrs_base::Limits;

use crate::input::Input;

/// Counts by type: gold spans, pred spans, spans in both, gold tokens, pred tokens, tokens in both.
type Counted = BTreeMap<Vec<u8>, [u64; 6]>;

/// Asserts that the size of the pieces does not affect the result, that the common counts do not exceed the counts of
/// either side, that swapping the columns swaps the sides, and that equal columns have equal tags. The first bytes
/// choose the size of the pieces, the rules and how lines are split.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let size = usize::from(input.byte()) + 1;
    let rules = input.pick(&[Rules::Perl, Rules::Python, Rules::Sequences]);
    let delimiter: &[u8] = input.pick(&[&b" "[..], b"\t", b"|", br"\s+", b"(,)", b"", b".", b", "]);
    let options = input.byte();
    let cut = match options >> 4 & 3 {
        0 => Cut::Blanks,
        1 => Cut::Text(b" ".to_vec()),
        _ => Cut::perl(delimiter).expect("the delimiters are valid patterns"),
    };
    let layout = Layout {
        cut,
        boundary: b"-X-".to_vec(),
        trim: options & 1 != 0,
    };
    let setting = Setting {
        rules,
        outside: if options & 2 != 0 {
            b"O".to_vec()
        } else {
            b"B".to_vec()
        },
        raw: options & 4 != 0,
    };
    let bytes = input.rest();
    let whole = read(bytes, usize::MAX, &layout, &setting);
    assert_eq!(whole, read(bytes, size, &layout, &setting));
    if let Ok(counted) = &whole {
        // This does not hold by type: a span with unusual tags may end with a type that differs from its first type.
        let sum = |at: usize| counted.values().map(|row| row[at]).sum::<u64>();
        let (both, equal_tags) = (sum(2), sum(5));
        assert!(both <= sum(0) && both <= sum(1));
        assert!(equal_tags <= sum(3) && equal_tags <= sum(4));
    }
    columns(bytes, &setting);
}

fn read(bytes: &[u8], size: usize, layout: &Layout, setting: &Setting) -> Result<Counted, Error> {
    let mut text = ConllevalText::new(layout.clone(), setting.clone(), Limits::default());
    for piece in bytes.chunks(size) {
        text.feed(piece)?;
    }
    text.end()?;
    Ok(counted(text.counts()))
}

fn counted(counts: &Conlleval) -> Counted {
    let mut all = Counted::new();
    for (name, row) in counts.types() {
        let row = [
            row.gold,
            row.pred,
            row.both,
            row.gold_tags,
            row.pred_tags,
            row.equal_tags,
        ];
        assert_eq!(
            all.insert(name.to_vec(), row),
            None,
            "each type has one row"
        );
    }
    all
}

/// Uses the words of every line as gold and pred.
fn columns(bytes: &[u8], setting: &Setting) {
    let count = |pair: fn([&[u8]; 2]) -> [&[u8]; 2]| {
        let mut counts = Conlleval::new(setting.clone());
        for line in bytes.split(|&byte| byte == b'\n') {
            let mut words = line.split(|&byte| byte == b' ');
            match (words.next(), words.next()) {
                (Some(gold), Some(pred)) => {
                    let [gold, pred] = pair([gold, pred]);
                    counts.token(gold, pred).ok()?;
                }
                _ => counts.boundary(),
            }
        }
        Some(counted(&counts))
    };
    let (plain, turned) = (
        count(|[gold, pred]| [gold, pred]),
        count(|[gold, pred]| [pred, gold]),
    );
    let swap = |[gold, pred, both, gold_tags, pred_tags, equal]: [u64; 6]| {
        [pred, gold, both, pred_tags, gold_tags, equal]
    };
    let swapped = turned.map(|rows| -> Counted {
        rows.into_iter()
            .map(|(name, row)| (name, swap(row)))
            .collect()
    });
    let shown = |rows: Option<Counted>| {
        rows.map(|rows| rows.into_iter().filter(|(_, row)| *row != [0; 6]).collect())
    };
    assert_eq!(shown(plain), shown(swapped) as Option<Counted>);
    if let Some(same) = count(|[gold, _]| [gold, gold]) {
        // Spans of bracket tags may begin and never end, so even equal columns may have spans that are not common.
        for [gold, pred, _, gold_tags, pred_tags, equal_tags] in same.values() {
            assert!(gold == pred && gold_tags == pred_tags && equal_tags == gold_tags);
        }
    }
}
