//! MATScore's matcher.

use std::collections::BTreeMap;

use spanrs_eval::mat::{
    DocumentCounts, Item, Kind, Matcher, Pair, Row, Table, Texts, Unit, Unpaired, is_blank,
};

use crate::input::Input;

const TEXT: &str = "ab c \u{e9}\u{1F600}d\n e\u{a0}f gh  i";
const UNITS: [Unit; 3] = [Unit::Token, Unit::PseudoToken, Unit::Character];
/// Annotations of a side; few enough to try every assignment.
const MOST: usize = 6;

/// Every annotation is in one pair, pairs of two overlap, and their similarities have the greatest sum there
/// is; rows count the pairs; characters, pseudo-tokens and tokens of flat documents are counted one by one.
/// The first bytes choose the shape of the annotations, all further ones annotations.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let flat = input.byte() & 1 == 1;
    let clash = input.byte() & 1 == 1;
    let (gold, pred) = (items(&mut input, flat), items(&mut input, flat));
    let tokens = tokens();
    let texts = Texts {
        text: TEXT,
        tokens: &tokens,
    };
    let unpaired = if clash {
        Unpaired::Clash
    } else {
        Unpaired::Alone
    };
    let mut matcher = Matcher::new(&UNITS).with_unpaired(unpaired);
    let fresh = matcher
        .run(&gold, &pred, texts)
        .expect("there are few annotations");
    let pairs = matcher.pairs(&gold, &pred);
    matcher
        .run(&pred, &gold, texts)
        .expect("there are few annotations");
    let counts = matcher
        .run(&gold, &pred, texts)
        .expect("there are few annotations");
    assert_eq!(counts, fresh, "a matcher has no memory");
    rows_count_pairs(&gold, &pred, &pairs, &counts);
    most_similar(&gold, &pred, &pairs);
    identical(&gold, texts);
    if flat {
        one_by_one(&gold, &pred, &counts, &tokens);
    }
}

/// Sorted annotations of three labels of two tags.
fn items(input: &mut Input<'_>, flat: bool) -> Vec<Item> {
    let characters = TEXT.chars().count() as u32;
    let (count, mut last) = (input.below(MOST + 1), 0);
    let mut items: Vec<Item> = Vec::new();
    for _ in 0..count {
        let (place, kind) = (u32::from(input.byte()), u32::from(input.byte()));
        let (start, length) = match flat {
            true => (last + place % 4, kind / 3 % 6 + 1),
            false => (place % (characters + 1), kind / 3 % 9),
        };
        let end = (start + length).min(characters);
        if flat && start >= end {
            break;
        }
        last = end;
        let label = kind % 3;
        items.push(Item {
            start,
            end,
            label,
            // The first two labels are aliases of one tag.
            tag: label / 2,
        });
    }
    items.sort_by_key(|item| (item.start, item.end, item.label));
    items
}

/// The words of the text.
fn tokens() -> Vec<(u32, u32)> {
    let (mut tokens, mut open) = (Vec::new(), None);
    for (at, c) in (0..).zip(TEXT.chars().chain([' '])) {
        match (open, c.is_whitespace()) {
            (None, false) => open = Some(at),
            (Some(start), true) => {
                tokens.push((start, at));
                open = None;
            }
            _ => {}
        }
    }
    tokens
}

fn rows_count_pairs(gold: &[Item], pred: &[Item], pairs: &[Pair], counts: &DocumentCounts) {
    let (mut golds, mut preds) = (vec![0; gold.len()], vec![0; pred.len()]);
    for pair in pairs {
        let single = pair.single.is_some();
        if let (Some(g), Some(p)) = (pair.gold, pair.pred) {
            let (g, p) = (&gold[g as usize], &pred[p as usize]);
            let kind = match Kind::between(p, g) {
                // Of two equal annotations of one side the second matches nothing.
                Kind::Match if single => Kind::Overlap,
                kind => kind,
            };
            assert_eq!(pair.kind, kind);
            let overlap = g.start < p.end && p.start < g.end;
            let empty = g.is_empty() && p.is_empty() && g.start == p.start;
            assert!(overlap || empty, "{g:?} {p:?}");
        } else {
            let alone = if pair.gold.is_some() {
                Kind::Missing
            } else {
                Kind::Spurious
            };
            assert_eq!(pair.kind, alone);
        }
        // A clash of one side only has a partner that is counted elsewhere.
        if pair.single != Some(spanrs_eval::Side::Pred) {
            pair.gold.into_iter().for_each(|g| golds[g as usize] += 1);
        }
        if pair.single != Some(spanrs_eval::Side::Gold) {
            pair.pred.into_iter().for_each(|p| preds[p as usize] += 1);
        }
    }
    assert!(golds.iter().chain(&preds).all(|&n| n == 1), "{pairs:?}");
    let of = |items: &[Item], label| items.iter().filter(|item| item.label == label).count() as u64;
    let rows: BTreeMap<u32, Row> = counts.rows[Table::Tag as usize].iter().copied().collect();
    for label in 0..3 {
        let row = rows.get(&label).copied().unwrap_or_default();
        assert_eq!(row.matched + row.ref_clash + row.missing, of(gold, label));
        assert_eq!(row.matched + row.hyp_clash + row.spurious, of(pred, label));
    }
}

fn similarity(gold: &Item, pred: &Item) -> f64 {
    let shared = gold
        .end
        .min(pred.end)
        .saturating_sub(gold.start.max(pred.start));
    if shared == 0 {
        return 0.0;
    }
    let union = gold.end.max(pred.end) - gold.start.min(pred.start);
    let agreement = match (gold.label == pred.label, gold.tag == pred.tag) {
        (true, _) => 1.0,
        (false, true) => 0.5,
        (false, false) => 0.0,
    };
    0.1 * agreement + 0.9 * f64::from(shared) / f64::from(union)
}

/// The greatest sum, by trying everything.
fn best(gold: &[Item], pred: &[Item]) -> f64 {
    let Some((first, rest)) = gold.split_first() else {
        return 0.0;
    };
    let mut most = best(rest, pred);
    for (at, other) in pred.iter().enumerate() {
        let here = similarity(first, other);
        if here > 0.0 {
            let mut others = pred.to_vec();
            others.remove(at);
            most = most.max(here + best(rest, &others));
        }
    }
    most
}

fn most_similar(gold: &[Item], pred: &[Item], pairs: &[Pair]) {
    let both = pairs.iter().filter(|pair| pair.single.is_none());
    let value = |pair: &Pair| {
        Some(similarity(
            &gold[pair.gold? as usize],
            &pred[pair.pred? as usize],
        ))
    };
    let chosen: f64 = both.filter_map(value).sum();
    let most = best(gold, pred);
    assert!((chosen - most).abs() < 1e-6, "{chosen} {most}");
}

/// A document against itself has matches only.
fn identical(gold: &[Item], texts: Texts<'_>) {
    let mut matcher = Matcher::new(&UNITS);
    let counts = matcher
        .run(gold, gold, texts)
        .expect("there are few annotations");
    for rows in &counts.rows {
        for (_, row) in rows {
            assert_eq!(
                (row.ref_clash, row.missing, row.hyp_clash, row.spurious),
                (0, 0, 0, 0)
            );
        }
    }
    assert!(counts.kinds.is_empty());
    assert!(
        counts
            .confusion
            .iter()
            .all(|((gold, pred), _)| gold == pred)
    );
}

/// What gold and pred say of a place in a flat document.
type Said = (Option<u32>, Option<u32>);

fn one_by_one(gold: &[Item], pred: &[Item], counts: &DocumentCounts, tokens: &[(u32, u32)]) {
    let label = |items: &[Item], at: u32| {
        let over = items.iter().find(|item| item.start <= at && at < item.end);
        over.map(|item| item.label)
    };
    let said = |at: u32| -> Said { (label(gold, at), label(pred, at)) };
    let characters: Vec<char> = TEXT.chars().collect();
    let all: Vec<Said> = (0..characters.len() as u32).map(said).collect();
    let row = |unit: Table| nonzero(&counts.rows[unit as usize]);
    assert_eq!(row(Table::Character), counted(&all));
    assert_eq!(
        counts.elements[Unit::Character as usize],
        characters.len() as u64
    );
    let bound = |at: u32| {
        gold.iter()
            .chain(pred)
            .any(|item| item.start == at || item.end == at)
    };
    let begins = |at: usize| {
        !is_blank(characters[at]) && (at == 0 || is_blank(characters[at - 1]) || bound(at as u32))
    };
    let pieces: Vec<Said> = (0..all.len())
        .filter(|&at| begins(at))
        .map(|at| all[at])
        .collect();
    assert_eq!(row(Table::PseudoToken), counted(&pieces));
    assert_eq!(
        counts.elements[Unit::PseudoToken as usize],
        pieces.len() as u64
    );
    let fits = |at: u32| tokens.iter().any(|&(start, end)| start == at || end == at);
    let mut items = gold.iter().chain(pred);
    match items.all(|item| fits(item.start) && fits(item.end)) {
        true => {
            let words: Vec<Said> = tokens
                .iter()
                .map(|&(start, _)| all[start as usize])
                .collect();
            assert_eq!(row(Table::Token), counted(&words));
            assert_eq!(counts.misplaced, None);
        }
        false => assert!(counts.misplaced.is_some()),
    }
}

fn nonzero(rows: &[(u32, Row)]) -> BTreeMap<u32, [u64; 5]> {
    let values = |row: &Row| {
        [
            row.matched,
            row.ref_clash,
            row.missing,
            row.hyp_clash,
            row.spurious,
        ]
    };
    let rows = rows.iter().map(|(label, row)| (*label, values(row)));
    rows.filter(|(_, row)| *row != [0; 5]).collect()
}

fn counted(all: &[Said]) -> BTreeMap<u32, [u64; 5]> {
    let mut rows: BTreeMap<u32, [u64; 5]> = BTreeMap::new();
    for &(gold, pred) in all {
        let both = gold.is_some() && pred.is_some();
        if let Some(gold) = gold {
            let place = if Some(gold) == pred {
                0
            } else if both {
                1
            } else {
                2
            };
            rows.entry(gold).or_default()[place] += 1;
        }
        if let Some(pred) = pred.filter(|_| gold != pred) {
            rows.entry(pred).or_default()[if both { 3 } else { 4 }] += 1;
        }
    }
    rows
}
