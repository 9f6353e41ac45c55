//! Rows of MATScore's tables.

use std::collections::BTreeMap;
use std::str::FromStr;

use spanrs_eval::Side;
use spanrs_eval::mat::SCHEMA;
use spanrs_eval::outcomes::Counts;

/// Counts for a label, in annotations or the elements they cover: matched, different label in pred, only in gold,
/// different label in gold, only in pred.
pub type Row = [u64; 5];

/// The outcomes of a criterion by name, with the names of the gold and pred types.
fn outcomes(
    counts: &Counts,
    criterion: u8,
) -> impl Iterator<Item = (&'static str, Option<&str>, Option<&str>, u64)> {
    let names = SCHEMA.criteria[usize::from(criterion)].outcomes;
    let cells = (0..).zip(counts.cells());
    cells
        .filter(move |(_, cell)| cell.criterion == criterion)
        .map(move |(id, cell)| {
            let ty = |ty: Option<u32>| ty.map(|ty| counts.type_name(ty));
            let name = names[usize::from(cell.outcome)].name;
            (name, ty(cell.gold), ty(cell.pred), counts.total(id))
        })
}

/// The side of an annotation outcome that is counted on one side only.
pub fn single(outcome: u8) -> Option<Side> {
    let name = SCHEMA.criteria[0].outcomes[usize::from(outcome)].name;
    match name.split_once('_') {
        Some(("gold", _)) => Some(Side::Gold),
        Some(("pred", _)) => Some(Side::Pred),
        _ => None,
    }
}

/// The rows of a criterion, by the value parsed from the type name.
pub fn rows<T: FromStr + Ord>(counts: &Counts, criterion: u8) -> BTreeMap<T, Row> {
    let mut rows = BTreeMap::<T, Row>::new();
    for (outcome, gold, pred, n) in outcomes(counts, criterion) {
        let mut add = |name: Option<&str>, place: usize| {
            let name = name.expect("the side has a type");
            let label = name.parse().ok().expect("type names can be parsed");
            rows.entry(label).or_default()[place] += n;
        };
        match outcome {
            "elements" | "present" => {}
            "match" => {
                assert_eq!(gold, pred);
                add(gold, 0);
            }
            "missing" => add(gold, 2),
            "spurious" => add(pred, 4),
            clash => {
                if !clash.starts_with("pred_") {
                    add(gold, 1);
                }
                if !clash.starts_with("gold_") {
                    add(pred, 3);
                }
            }
        }
    }
    rows
}

/// Number of elements in the documents.
pub fn elements(counts: &Counts, criterion: u8) -> u64 {
    let all = outcomes(counts, criterion).filter(|(name, ..)| *name == "elements");
    all.map(|(.., n)| n).sum()
}
