use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn aligned(gold: &str, pred: &str) -> TextAlignment {
    align_text(gold, pred).unwrap()
}

/// Returns the span of the first occurrence of a substring.
fn span(text: &str, piece: &str) -> (u32, u32) {
    let at = text.find(piece).unwrap();
    let start = text[..at].chars().count() as u32;
    (start, start + piece.chars().count() as u32)
}

/// Returns true if substrings of two texts are the same span.
fn same(gold: &str, gold_piece: &str, pred: &str, pred_piece: &str) -> bool {
    let aligned = aligned(gold, pred);
    let (start, end) = span(gold, gold_piece);
    let place = aligned.gold_to_axis(start, end);
    let (start, end) = span(pred, pred_piece);
    place.is_some() && place == aligned.pred_to_axis(start, end)
}

#[test]
fn forms_of_marks_are_one() {
    let gold = "“É” –  it's ‘so’... (a) [b] {c} — -";
    let pred = "`` É '' -- it ’s ` so ' … -LRB- a -RRB- -LSB- b -RSB- -LCB- c -RCB- - --";
    let both = aligned(gold, pred);
    assert_eq!(both.unaligned(), []);
    assert!(same(gold, "É", pred, "É") && same(gold, "“É”", pred, "`` É ''"));
    assert!(
        same(gold, "(a)", pred, "-LRB- a -RRB-") && same(gold, "b] {c", pred, "b -RSB- -LCB- c")
    );
    // Borders inside a sequence that does not occur in the other text.
    let (start, _) = span(pred, "LRB");
    assert_eq!(both.pred_to_axis(start, start + 6), None);
    assert_eq!(both.gold_to_axis(0, 1000), None);
    assert_eq!(both.gold_to_axis(3, 2), None);
    // A dash before an escape is not part of the escape.
    assert_eq!(aligned("a - ) b", "a --RRB- b").unaligned(), []);
    // Borders inside equal sequences are aligned.
    assert!(same("a''b", "a'", "a ''b", "a '"));
}

#[test]
fn spans_around_stretches_without_a_counterpart_are_the_same() {
    let (gold, pred) = ("in New York City today", "in New City today");
    assert_eq!(aligned(gold, pred).unaligned(), [(7, 11, 6, 6)]);
    for piece in ["New", "City", "City today", "in", "in New"] {
        assert!(
            same(gold, piece, pred, piece) && same(pred, piece, gold, piece),
            "{piece}"
        );
    }
    assert!(same(gold, "New York City", pred, "New City"));
    assert!(!same(gold, "New York", pred, "New") && !same(gold, "York City", pred, "City"));
    let both = aligned(gold, pred);
    assert_eq!(both.gold_to_axis(7, 9), None);
    assert_eq!(both.pred_to_axis(6, 6), Some((9, 9)));
    assert!(same("a colour b", "colour", "a color b", "color"));
    assert!(same("a dont b", "b", "a xyz b", "b") && same("a dont b", "dont", "a xyz b", "xyz"));
    assert_eq!(aligned("", "a").unaligned(), [(0, 0, 0, 1)]);
    assert_eq!(aligned(" ", "").lengths(), (1, 0));
}

#[test]
fn long_texts_are_aligned_by_words_that_occur_once() {
    let word = |n: usize| format!("w{n} the {} ", n % 7);
    let gold: String = (0..20_000).map(word).collect();
    let pred: String = (0..20_000)
        .filter(|n| n % 50 != 0)
        .map(|n| {
            if n % 31 == 0 {
                "changed ".to_owned()
            } else {
                word(n)
            }
        })
        .collect();
    let both = aligned(&gold, &pred);
    let (gold_span, pred_span) = (span(&gold, "w15001 "), span(&pred, "w15001 "));
    let place = both.gold_to_axis(gold_span.0, gold_span.1);
    assert!(place.is_some() && place == both.pred_to_axis(pred_span.0, pred_span.1));
}

#[test]
fn texts_that_have_nothing_in_common_are_refused() {
    let (gold, pred) = ("a b ".repeat(10_000), "c d ".repeat(10_000));
    let error = align_text(&gold, &pred).unwrap_err();
    assert_eq!(
        (error.gold, error.pred, error.code()),
        (20_000, 20_000, "texts_differ")
    );
    assert!(align_text(&gold, "c").is_ok());
}

/// Returns the length of the longest common subsequence, computed naively.
fn longest(gold: &[char], pred: &[char]) -> usize {
    match (gold, pred) {
        ([g, gold_rest @ ..], [p, pred_rest @ ..]) => match g == p {
            true => 1 + longest(gold_rest, pred_rest),
            false => longest(gold_rest, pred).max(longest(gold, pred_rest)),
        },
        _ => 0,
    }
}

proptest! {
    #[test]
    fn texts_with_other_white_space_are_aligned_fully(
        words in vec("[a-c.'`(é“–-]{1,3}|-LRB-|\\.\\.\\.", 0..12),
        gold_spaces in vec("[ \n]{0,2}", 12),
        pred_spaces in vec("[ \u{a0}]{0,2}", 12),
    ) {
        let text = |spaces: &[String]| -> String {
            words.iter().zip(spaces).map(|(word, space)| format!("{space}{word}")).collect()
        };
        let (gold, pred) = (text(&gold_spaces), text(&pred_spaces));
        let both = align_text(&gold, &pred).unwrap();
        prop_assert_eq!(both.unaligned(), []);
        let (mut g, mut p) = (0, 0);
        for (at, word) in words.iter().enumerate() {
            let len = word.chars().count() as u32;
            g += gold_spaces[at].chars().count() as u32;
            p += pred_spaces[at].chars().count() as u32;
            let place = both.gold_to_axis(g, g + len);
            prop_assert!(place.is_some());
            prop_assert_eq!(place, both.pred_to_axis(p, p + len));
            (g, p) = (g + len, p + len);
        }
    }

    #[test]
    fn short_texts_are_aligned_as_well_as_possible(gold in "[.!?,;]{0,9}", pred in "[.!?,;]{0,9}") {
        // Every punctuation mark is a word, so words and characters coincide.
        let both = align_text(&gold, &pred).unwrap();
        let (gold_units, pred_units) = (Normalised::new(&gold).units, Normalised::new(&pred).units);
        let pairs = common_units(&Normalised::new(&gold), &Normalised::new(&pred)).unwrap();
        prop_assert_eq!(pairs.len(), longest(&gold_units, &pred_units));
        prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        prop_assert!(pairs.iter().all(|&(g, p)| gold_units[g] == pred_units[p]));
        prop_assert_eq!(both.unaligned().is_empty(), gold_units == pred_units);
    }

    #[test]
    fn any_texts_are_aligned_in_order(gold in "[ab' .-]{0,20}", pred in "[ab' .-]{0,20}") {
        let both = align_text(&gold, &pred).unwrap();
        let normalised = (Normalised::new(&gold), Normalised::new(&pred));
        let pairs = common_units(&normalised.0, &normalised.1).unwrap();
        prop_assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        prop_assert!(pairs.iter().all(|&(g, p)| normalised.0.units[g] == normalised.1.units[p]));
        for &(gs, ge, ps, pe) in both.unaligned() {
            prop_assert!(gs <= ge && ps <= pe && (gs < ge || ps < pe));
            prop_assert!(ge as usize <= gold.len() && pe as usize <= pred.len());
            if gs < ge && ps < pe {
                prop_assert_eq!(both.gold_to_axis(gs, ge), both.pred_to_axis(ps, pe));
            }
        }
    }
}

#[test]
fn markers_of_subword_tokenizers_are_white_space() {
    let text = "In Nashville, Rio.";
    for (pred, pieces) in [
        ("▁In ▁Nash ville , ▁Rio .", ["▁Nash ville", "▁Rio"]),
        ("In ĠNash ville , ĠRio .", ["ĠNash ville", "ĠRio"]),
        ("In Nash ##ville , Rio .", ["Nash ##ville", "Rio"]),
    ] {
        assert_eq!(aligned(text, pred).unaligned(), [], "{pred}");
        for (piece, other) in ["Nashville", "Rio"].into_iter().zip(pieces) {
            assert!(same(text, piece, pred, other), "{pred}: {other}");
        }
        assert!(!same(text, "Nash", pred, pieces[0]));
    }
    // Signs and letters that are not such markers remain.
    assert!(same("a # b ## c", "# b ##", "a # b ## c", "# b ##"));
    assert_ne!(aligned("a ## b", "a b").unaligned(), []);
    assert_ne!(aligned("aĠb", "ab").unaligned(), []);
}
