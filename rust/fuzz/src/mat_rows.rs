//! Rows of MATScore's tables.

use std::collections::BTreeMap;
use std::str::FromStr;

use spanrs_eval::Side;
use spanrs_eval::mat::SCHEMA;
use spanrs_eval::outcomes::Counts;

/// What is counted for a label, whole annotations or elements they cover: the same in gold and pred, other in
/// pred than in gold, in gold only, other in gold than in pred, in pred only.
pub type Row = [u64; 5];

/// The outcomes of a criterion by name, with the names of the types of gold and pred.
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

/// The side of an outcome of annotations that is counted for one side only.
pub fn single(outcome: u8) -> Option<Side> {
    let name = SCHEMA.criteria[0].outcomes[usize::from(outcome)].name;
    match name.split_once('_') {
        Some(("gold", _)) => Some(Side::Gold),
        Some(("pred", _)) => Some(Side::Pred),
        _ => None,
    }
}

/// The rows of a criterion, by what the names of types stand for.
pub fn rows<T: FromStr + Ord>(counts: &Counts, criterion: u8) -> BTreeMap<T, Row> {
    let mut rows = BTreeMap::<T, Row>::new();
    for (outcome, gold, pred, n) in outcomes(counts, criterion) {
        let mut add = |name: Option<&str>, place: usize| {
            let name = name.expect("the side has a type");
            let label = name.parse().ok().expect("types have names of this kind");
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

/// Elements of the documents.
pub fn elements(counts: &Counts, criterion: u8) -> u64 {
    let all = outcomes(counts, criterion).filter(|(name, ..)| *name == "elements");
    all.map(|(.., n)| n).sum()
}
