//! Fuzz target for MATScore's matcher.

use std::collections::BTreeMap;

use spanrs_base::Span;
use spanrs_eval::mat::{Kind, Matcher, SCHEMA, TAG, Unit, Unpaired, is_blank};
use spanrs_eval::outcomes::Counts;
use spanrs_eval::{Event, Events, Matcher as _, Side, Spans, Text, add_pair};

use crate::input::Input;
use crate::mat_rows::{Row, elements, rows, single};

const TEXT: &str = "ab c \u{e9}\u{1F600}d\n e\u{a0}f gh  i";
const UNITS: [Unit; 3] = [Unit::Token, Unit::PseudoToken, Unit::Character];
/// Maximum number of annotations on a side, small enough to try every assignment.
const MOST: usize = 6;

/// An annotation; `tag` is its type before aliases.
#[derive(Clone, Copy, Debug)]
struct Item {
    span: Span<i64>,
    tag: u32,
}

/// Result of scoring a document.
struct Found {
    counts: Counts,
    /// Pairs of annotations in the order of the text.
    pairs: Vec<Event>,
    misplaced: Option<u32>,
}

/// Asserts that every annotation is in one pair, that paired annotations overlap and have the largest possible sum of
/// similarities, that rows count the pairs, and that the counts of characters, pseudo-tokens and tokens in flat
/// documents equal counting them one by one. The first bytes choose the shape of the annotations, all other bytes the
/// annotations.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let flat = input.byte() & 1 == 1;
    let clash = input.byte() & 1 == 1;
    let (gold, pred) = (items(&mut input, flat), items(&mut input, flat));
    let tokens = tokens();
    let text = Text {
        text: TEXT,
        tokens: &tokens,
    };
    let unpaired = if clash {
        Unpaired::Clash
    } else {
        Unpaired::Alone
    };
    let mut matcher = Matcher::new(&UNITS).with_unpaired(unpaired);
    let fresh = score(&mut matcher, &gold, &pred, text);
    score(&mut matcher, &pred, &gold, text);
    matcher.resolve_ties();
    let found = score(&mut matcher, &gold, &pred, text);
    assert_eq!(
        found.counts.to_bytes(),
        fresh.counts.to_bytes(),
        "results must not depend on earlier documents"
    );
    assert_eq!(found.misplaced, fresh.misplaced);
    same_pairs(&found.pairs, &fresh.pairs);
    rows_count_pairs(&gold, &pred, &found.pairs, &found.counts);
    most_similar(&gold, &pred, &found.pairs);
    identical(&gold, text);
    if flat {
        one_by_one(&gold, &pred, &found, &tokens);
    }
}

fn score(matcher: &mut Matcher, gold: &[Item], pred: &[Item], text: Text<'_>) -> Found {
    let spans = |items: &[Item]| items.iter().map(|item| item.span).collect::<Vec<_>>();
    let tags = |items: &[Item]| items.iter().map(|item| item.tag).collect::<Vec<_>>();
    let (golds, preds, gold_tags, pred_tags) = (spans(gold), spans(pred), tags(gold), tags(pred));
    let pair = spanrs_eval::Pair {
        text: Some(text),
        ..spanrs_eval::Pair::new(
            Spans::with_tags(&golds, &gold_tags),
            Spans::with_tags(&preds, &pred_tags),
        )
    };
    let mut events = Events::default();
    matcher
        .compare(&pair, &mut events)
        .expect("there are few annotations");
    let mut counts = Counts::new(&SCHEMA);
    add_pair(matcher, &pair, &|ty| ty.to_string(), &mut counts)
        .expect("compare succeeded on this pair");
    assert!(events.0.iter().all(|event| event.criterion == TAG));
    Found {
        counts,
        pairs: events.0,
        misplaced: matcher.misplaced(),
    }
}

/// Asserts that both lists contain the same pairs, in any order.
fn same_pairs(ordered: &[Event], pairs: &[Event]) {
    let sorted = |pairs: &[Event]| {
        let mut all: Vec<_> = pairs.iter().map(|e| (e.outcome, e.gold, e.pred)).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(sorted(ordered), sorted(pairs));
}

/// Sorted annotations with three labels for two tags.
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
            span: Span {
                start: start.into(),
                end: end.into(),
                ty: label,
            },
            // The first two labels are aliases for one tag.
            tag: label / 2,
        });
    }
    items.sort_by_key(|item| item.span);
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

/// Relation of `this` to an overlapping annotation `other`.
fn kind_between(this: &Span<i64>, other: &Span<i64>) -> Kind {
    let covers = this.start <= other.start && this.end >= other.end;
    let covered = this.start >= other.start && this.end <= other.end;
    match (covers, covered, this.ty == other.ty) {
        (true, true, true) => Kind::Match,
        (true, true, false) => Kind::TagClash,
        (true, false, true) => Kind::Overmark,
        (true, false, false) => Kind::TagPlusOvermark,
        (false, true, true) => Kind::Undermark,
        (false, true, false) => Kind::TagPlusUndermark,
        (false, false, true) => Kind::Overlap,
        (false, false, false) => Kind::TagPlusOverlap,
    }
}

fn rows_count_pairs(gold: &[Item], pred: &[Item], pairs: &[Event], counts: &Counts) {
    let (mut golds, mut preds) = (vec![0; gold.len()], vec![0; pred.len()]);
    for pair in pairs {
        let (kind, single) = (Kind::of_outcome(pair.outcome), single(pair.outcome));
        if let (Some(g), Some(p)) = (pair.gold, pair.pred) {
            let (g, p) = (&gold[g as usize].span, &pred[p as usize].span);
            let expected = match kind_between(p, g) {
                // Of two equal annotations on one side, the second does not match.
                Kind::Match if single.is_some() => Kind::Overlap,
                kind => kind,
            };
            assert_eq!(kind, expected);
            let overlap = g.start < p.end && p.start < g.end;
            let empty = g.is_empty() && p.is_empty() && g.start == p.start;
            assert!(overlap || empty, "{g:?} {p:?}");
        } else {
            let alone = if pair.gold.is_some() {
                Kind::Missing
            } else {
                Kind::Spurious
            };
            assert_eq!(kind, alone);
        }
        // The counterpart of a one-sided clash is counted in another pair.
        if single != Some(Side::Pred) {
            pair.gold.into_iter().for_each(|g| golds[g as usize] += 1);
        }
        if single != Some(Side::Gold) {
            pair.pred.into_iter().for_each(|p| preds[p as usize] += 1);
        }
    }
    assert!(golds.iter().chain(&preds).all(|&n| n == 1), "{pairs:?}");
    let of =
        |items: &[Item], label| items.iter().filter(|item| item.span.ty == label).count() as u64;
    let rows = rows::<u32>(counts, TAG);
    for label in 0..3 {
        let row = rows.get(&label).copied().unwrap_or_default();
        let [matched, ref_clash, missing, hyp_clash, spurious] = row;
        assert_eq!(matched + ref_clash + missing, of(gold, label));
        assert_eq!(matched + hyp_clash + spurious, of(pred, label));
    }
}

fn similarity(gold: &Item, pred: &Item) -> f64 {
    let (g, p) = (&gold.span, &pred.span);
    let shared = g.end.min(p.end) - g.start.max(p.start);
    if shared <= 0 {
        return 0.0;
    }
    let union = g.end.max(p.end) - g.start.min(p.start);
    let agreement = match (g.ty == p.ty, gold.tag == pred.tag) {
        (true, _) => 1.0,
        (false, true) => 0.5,
        (false, false) => 0.0,
    };
    0.1 * agreement + 0.9 * shared as f64 / union as f64
}

/// The largest sum of similarities, by brute force.
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

fn most_similar(gold: &[Item], pred: &[Item], pairs: &[Event]) {
    let both = pairs.iter().filter(|pair| single(pair.outcome).is_none());
    let value = |pair: &Event| {
        Some(similarity(
            &gold[pair.gold? as usize],
            &pred[pair.pred? as usize],
        ))
    };
    let chosen: f64 = both.filter_map(value).sum();
    let most = best(gold, pred);
    assert!((chosen - most).abs() < 1e-6, "{chosen} {most}");
}

/// Asserts that a document scored against itself has only matches.
fn identical(gold: &[Item], text: Text<'_>) {
    let found = score(&mut Matcher::new(&UNITS), gold, gold, text);
    for (id, cell) in (0..).zip(found.counts.cells()) {
        let criterion = &SCHEMA.criteria[usize::from(cell.criterion)];
        let name = criterion.outcomes[usize::from(cell.outcome)].name;
        match name {
            _ if found.counts.total(id) == 0 => {}
            "match" => assert_eq!(cell.gold, cell.pred),
            "elements" | "present" | "documents" | "misplaced" => {}
            other => panic!("{other} in a document against itself"),
        }
    }
    for event in &found.pairs {
        assert_eq!(Kind::of_outcome(event.outcome), Kind::Match);
    }
}

/// Gold and pred label at a position in a flat document.
type Said = (Option<u32>, Option<u32>);

fn one_by_one(gold: &[Item], pred: &[Item], found: &Found, tokens: &[(u32, u32)]) {
    let label = |items: &[Item], at: u32| {
        let at = i64::from(at);
        let over = items
            .iter()
            .find(|item| item.span.start <= at && at < item.span.end);
        over.map(|item| item.span.ty)
    };
    let said = |at: u32| -> Said { (label(gold, at), label(pred, at)) };
    let characters: Vec<char> = TEXT.chars().collect();
    let all: Vec<Said> = (0..characters.len() as u32).map(said).collect();
    let row = |unit: Unit| nonzero(rows(&found.counts, unit as u8 + 1));
    let elements = |unit: Unit| elements(&found.counts, unit as u8 + 1);
    assert_eq!(row(Unit::Character), counted(&all));
    assert_eq!(elements(Unit::Character), characters.len() as u64);
    let bounds = || {
        gold.iter()
            .chain(pred)
            .flat_map(|i| [i.span.start, i.span.end])
    };
    let bound = |at: u32| bounds().any(|bound| bound == i64::from(at));
    let begins = |at: usize| {
        !is_blank(characters[at]) && (at == 0 || is_blank(characters[at - 1]) || bound(at as u32))
    };
    let pieces: Vec<Said> = (0..all.len())
        .filter(|&at| begins(at))
        .map(|at| all[at])
        .collect();
    assert_eq!(row(Unit::PseudoToken), counted(&pieces));
    assert_eq!(elements(Unit::PseudoToken), pieces.len() as u64);
    let fits = |at: i64| {
        let mut tokens = tokens.iter();
        tokens.any(|&(start, end)| i64::from(start) == at || i64::from(end) == at)
    };
    match bounds().all(fits) {
        true => {
            let words: Vec<Said> = tokens
                .iter()
                .map(|&(start, _)| all[start as usize])
                .collect();
            assert_eq!(row(Unit::Token), counted(&words));
            assert_eq!(elements(Unit::Token), words.len() as u64);
            assert_eq!(found.misplaced, None);
        }
        false => assert!(found.misplaced.is_some_and(|at| !fits(at.into()))),
    }
}

fn nonzero(mut rows: BTreeMap<u32, Row>) -> BTreeMap<u32, Row> {
    rows.retain(|_, row| *row != [0; 5]);
    rows
}

fn counted(all: &[Said]) -> BTreeMap<u32, Row> {
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
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
