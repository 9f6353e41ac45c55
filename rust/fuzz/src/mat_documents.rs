//! Fuzz target for scoring documents as MATScore does.

use std::collections::{HashMap, HashSet};

use spanrs::mat::{Outcome, Unscored, score_documents};
use spanrs_eval::mat::{Kind, Matcher, Pieces, Rules, TAG, Unit};
use spanrs_io::document::{Document, Format, Reader};
use spanrs_io::read_tasks;

use crate::input::{Input, split_at_byte};
use crate::mat_rows::{Row, rows};

const UNITS: [Unit; 3] = [Unit::Token, Unit::PseudoToken, Unit::Character];
const TASK: &str = r#"<task name="T"><tags inherit_structure="yes"><tag name="A" category="content">
    <attr_set name="AB"><attr name="k" value="v"/></attr_set></tag><tag name="B" category="content"/>
    </tags></task>"#;

/// Asserts that a document scored against itself has only matches, that the number of details equals the counts in the
/// rows, and that documents with different texts are rejected. The first byte chooses formats and rules; gold and pred
/// are separated by NUL.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let byte = input.byte();
    let formats = [
        Format::MatJson,
        Format::FakeXmlInline,
        Format::XmlInline,
        Format::Doccano,
    ];
    let format = formats[usize::from(byte) & 3];
    let rules = rules(byte >> 2);
    let (gold, pred) = split_at_byte(input.rest(), 0);
    let reader = Reader::new(format);
    let first = |bytes| reader.read("input", bytes).ok()?.into_iter().next();
    let Some(gold) = first(gold) else {
        return;
    };
    if let Some(same) = score(&gold, &gold, &rules) {
        assert!(same.details.iter().all(|detail| detail.kind == Kind::Match));
        let rows = rows::<String>(&same.counts, TAG);
        assert!(rows.values().all(|row| row[1..] == [0; 4]));
    }
    let Some(pred) = first(pred) else {
        return;
    };
    score(&gold, &pred, &rules);
    score(&pred, &gold, &rules);
    // Uses the same text for both, regardless of the files.
    let mut moved = Document::new(gold.text.clone());
    for annotation in &pred.annotations {
        let ty = moved.intern(pred.type_of(annotation));
        moved.push(ty, annotation.start, annotation.end);
    }
    score(&gold, &moved.close(), &rules);
}

fn rules(byte: u8) -> Rules {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|&name| name.to_owned())
            .collect::<HashSet<_>>()
    };
    let class = ("B".to_owned(), "A".to_owned());
    Rules {
        task: (byte & 1 != 0).then(|| {
            read_tasks("task", TASK)
                .expect("the task can be read")
                .remove(0)
        }),
        content: (byte & 2 != 0).then(|| names(&["A", "B", "C"])),
        tokens: (byte & 4 != 0).then(|| names(&["lex", "C"])),
        classes: if byte & 8 != 0 {
            HashMap::from([class])
        } else {
            HashMap::new()
        },
        ignore: if byte & 16 != 0 {
            names(&["C"])
        } else {
            HashSet::new()
        },
        pieces: Pieces::Cover,
    }
}

fn score(gold: &Document, pred: &Document, rules: &Rules) -> Option<Outcome> {
    let mut matcher = Matcher::new(&UNITS);
    let outcome = match score_documents(gold, pred, rules, &mut matcher, true) {
        Ok(outcome) => outcome,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(
                gold.text != pred.text,
                matches!(error, Unscored::Texts { .. })
            );
            return None;
        }
    };
    let characters = gold.text.chars().count() as i64;
    let distinct: HashSet<&str> = outcome.names.iter().map(String::as_str).collect();
    assert_eq!(distinct.len(), outcome.names.len());
    for detail in &outcome.details {
        assert!(detail.gold.is_some() || detail.pred.is_some());
        for scored in [detail.gold, detail.pred].into_iter().flatten() {
            assert!(0 <= scored.start && scored.start <= scored.end && scored.end <= characters);
            assert!((scored.ty as usize) < outcome.names.len());
        }
    }
    let of = |kind| {
        outcome
            .details
            .iter()
            .filter(|detail| detail.kind == kind)
            .count() as u64
    };
    let rows = rows::<String>(&outcome.counts, TAG);
    let sum = |place: usize| rows.values().map(|row: &Row| row[place]).sum::<u64>();
    assert_eq!(sum(0), of(Kind::Match));
    assert_eq!(sum(2), of(Kind::Missing));
    assert_eq!(sum(4), of(Kind::Spurious));
    assert_eq!(sum(1), sum(3), "every clash is counted on both sides");
    Some(outcome)
}
