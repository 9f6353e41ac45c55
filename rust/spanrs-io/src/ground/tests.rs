use proptest::prelude::*;

use super::*;

/// Grounds mentions of one type; returns the text found for each and the stage.
fn grounded(text: &str, mentions: &[&str]) -> Vec<Option<(String, Stage)>> {
    with_options(text, mentions, &GroundOptions::default())
}

fn with_options(
    text: &str,
    mentions: &[&str],
    options: &GroundOptions,
) -> Vec<Option<(String, Stage)>> {
    let characters: Vec<char> = text.chars().collect();
    let mentions: Vec<Mention<'_>> = mentions
        .iter()
        .map(|text| Mention { ty: "T", text })
        .collect();
    let found = ground(text, &mentions, options).unwrap_or_default();
    assert_eq!(found.len(), mentions.len());
    let place = |place: Grounded| {
        let range = place.start as usize..place.end as usize;
        (characters[range].iter().collect(), place.stage)
    };
    found.into_iter().map(|found| found.map(place)).collect()
}

/// Asserts that a mention is found as `expected` by a stage.
#[track_caller]
fn assert_found(text: &str, mention: &str, expected: &str, stage: Stage) {
    let found = grounded(text, &[mention]);
    assert_eq!(found, [Some((expected.to_owned(), stage))]);
}

fn spans(text: &str, mentions: &[(&str, &str)]) -> Vec<Option<(u32, u32)>> {
    let mentions: Vec<_> = mentions
        .iter()
        .map(|&(ty, text)| Mention { ty, text })
        .collect();
    let found = ground(text, &mentions, &GroundOptions::default()).unwrap_or_default();
    found
        .into_iter()
        .map(|found| found.map(|g| (g.start, g.end)))
        .collect()
}

#[test]
fn words_are_found_whole_first() {
    assert_found("Americans like America", "America", "America", Stage::Exact);
    assert_eq!(
        spans("Americans like America", &[("T", "America")]),
        [Some((15, 22))]
    );
    assert_found("Americans", "American", "Americans", Stage::Fuzzy);
    assert_found("Rhineland", "Rhine", "Rhine", Stage::Part);
    assert_found("北京大学在北京", "大学", "大学", Stage::Exact);
    assert_found("ภาษาไทย", "ไทย", "ไทย", Stage::Exact);
    assert_found("A-10_B", "10", "10", Stage::Part);
}

#[test]
fn case_and_white_space_are_ignored() {
    assert_found(
        "in NEW\u{A0}\n YORK.",
        "New York",
        "NEW\u{A0}\n YORK",
        Stage::Case,
    );
    assert_found("he ( Texas ) said", "(Texas)", "( Texas )", Stage::Case);
    assert_found("O ' Neil", "O'Neil", "O ' Neil", Stage::Case);
    assert_found("東 京 都", "東京", "東 京", Stage::Case);
    assert_found("東京", "東 京", "東京", Stage::Case);
    assert_found("STRASSE", "Straße", "STRASSE", Stage::Case);
    assert_found("Straße", "STRASSE", "Straße", Stage::Case);
    assert_found("İZMİR", "i\u{307}zmi\u{307}r", "İZMİR", Stage::Case);
    assert_found("ΟΔΟΣ", "οδος", "ΟΔΟΣ", Stage::Case);
    assert_found("ﬁnance", "Finance", "ﬁnance", Stage::Case);
    // Words of letters are not joined.
    assert_eq!(grounded("a bc", &["ab"]), [None]);
}

#[test]
fn equivalent_characters_are_found() {
    for (text, mention) in [
        ("½", "1/2"),
        ("ＡＢＣ１２", "abc12"),
        ("\u{1112}\u{1161}\u{11AB}", "한"),
        ("\u{FEB3}\u{FEFC}\u{FEE1}", "سلام"),
        ("caf\u{E9}", "cafe\u{301}"),
        ("cafe\u{301}", "caf\u{E9}"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("“Wait” — it’s", "\"wait\" - it's"),
        ("wait…", "wait..."),
        ("co\u{AD}oper\u{200B}ate", "cooperate"),
        ("❤\u{FE0F}", "❤"),
        ("\u{FB2A}", "\u{5E9}\u{5C1}"),
    ] {
        assert_found(text, mention, text, Stage::Unicode);
    }
    assert_found("x ﬁ ½ y", "1/2", "½", Stage::Unicode);
}

#[test]
fn diacritics_are_ignored_on_demand() {
    let options = GroundOptions {
        diacritics: true,
        stages: vec![Stage::Unicode],
        ..GroundOptions::default()
    };
    for (text, mention) in [
        ("Dvořák", "Dvorak"),
        ("e\u{301}t", "et"),
        ("Łódź", "Lodz"),
        ("مُحَمَّد", "محمد"),
    ] {
        let found = with_options(text, &[mention], &options);
        assert_eq!(found, [Some((text.to_owned(), Stage::Unicode))]);
    }
    assert_eq!(with_options("が", &["か"], &options), [None]);
    let options = GroundOptions {
        diacritics: false,
        ..options
    };
    assert_eq!(with_options("Dvořák", &["Dvorak"], &options), [None]);
}

#[test]
fn clusters_are_not_divided() {
    for (text, mention) in [
        ("e\u{301}", "e"),
        ("ﬁ", "f"),
        ("½", "1"),
        ("👨\u{200D}👩\u{200D}👧", "👩"),
        ("🇩🇪", "🇩"),
        ("か\u{3099}", "か"),
        ("ß", "s"),
    ] {
        let options = GroundOptions {
            stages: vec![Stage::Exact, Stage::Case, Stage::Unicode, Stage::Part],
            ..GroundOptions::default()
        };
        assert_eq!(
            with_options(text, &[mention], &options),
            [None],
            "{text} {mention}"
        );
    }
}

#[test]
fn repeats_take_successive_occurrences() {
    let text = "a b a c a";
    assert_eq!(
        spans(
            text,
            &[("T", "a"), ("T", "a"), ("T", "c"), ("T", "a"), ("T", "a")]
        ),
        [Some((0, 1)), Some((4, 5)), Some((6, 7)), Some((8, 9)), None]
    );
    // Successive mentions have successive occurrences.
    assert_eq!(
        spans(text, &[("T", "b"), ("T", "a")]),
        [Some((2, 3)), Some((4, 5))]
    );
    // Nested, because there is no other occurrence.
    assert_eq!(
        spans(
            "Bank of America",
            &[("ORG", "Bank of America"), ("LOC", "America")]
        ),
        [Some((0, 15)), Some((8, 15))]
    );
    // The second mention is between the first and the third of an earlier stage.
    assert_eq!(
        spans(
            "PARIS Rome PARIS Oslo",
            &[("T", "Rome"), ("T", "Paris"), ("T", "Oslo")]
        ),
        [Some((6, 10)), Some((11, 16)), Some((17, 21))]
    );
}

#[test]
fn similar_strings_are_found() {
    assert_found(
        "Mr. Barack H. Obama spoke",
        "Barack Obama",
        "Barack H. Obama",
        Stage::Fuzzy,
    );
    assert_found(
        "in Missisippi now",
        "Mississippi",
        "Missisippi",
        Stage::Fuzzy,
    );
    assert_found(
        "by Smith, John, in",
        "John Smith",
        "Smith, John",
        Stage::Fuzzy,
    );
    assert_found("the data base is", "database", "data base", Stage::Fuzzy);
    assert_found(
        "des Bundeskanzlers wegen",
        "Bundeskanzlern",
        "Bundeskanzlers",
        Stage::Fuzzy,
    );
    assert_eq!(grounded("nothing like it", &["Barack Obama"]), [None]);
}

#[test]
fn similar_strings_have_the_same_digits() {
    for (text, mention) in [
        ("in 1998", "1997"),
        ("Flights 1997 and 1998", "1999"),
        ("for $ 4,900 only", "$ 4,500"),
        ("ID 12345699.", "12345678"),
        ("on 03.05.2021", "05.03.2021"),
    ] {
        let options = GroundOptions {
            stages: vec![Stage::Fuzzy],
            threshold: 0.5,
            ..GroundOptions::default()
        };
        assert_eq!(
            with_options(text, &[mention], &options),
            [None],
            "{text} {mention}"
        );
    }
    assert_found("room 12", "rooms", "room", Stage::Fuzzy);
    assert_found("on May 3 2021.", "3 May 2021", "May 3 2021", Stage::Fuzzy);
    assert_found(
        "4 500 dollars",
        "4500 dolars",
        "4 500 dollars",
        Stage::Fuzzy,
    );
    let text = "the year ٣ of hundreds";
    assert_found(
        text,
        "year 3 of hundreds",
        "year ٣ of hundreds",
        Stage::Fuzzy,
    );
    assert_eq!(grounded(text, &["year 4 of hundreds"]), [None]);
}

#[test]
fn long_strings_and_tokens_take_linear_time() {
    let n = 200_000;
    let (text, mention) = ("中".repeat(n), "中".repeat(n / 2));
    let options = GroundOptions {
        stages: vec![Stage::Exact],
        ..GroundOptions::default()
    };
    let places = with_options(&text, &[&mention], &options);
    assert_eq!(places, [Some((mention, Stage::Exact))]);
    let (text, mention) = (format!("{} abd", "ab".repeat(500_000)), "ab".repeat(495));
    assert_eq!(
        grounded(&text, &[&format!("{mention}x"), "abdd"]),
        [None, Some(("abd".to_owned(), Stage::Fuzzy))]
    );
}

#[test]
fn interruptions_are_errors() {
    let text = "a ".repeat(1 << 15);
    let strings: Vec<String> = (1..=20).map(|n| "a ".repeat(n)).collect();
    let mentions: Vec<Mention<'_>> = strings
        .iter()
        .map(|text| Mention { ty: "T", text })
        .collect();
    let options = GroundOptions::default();
    let checks_of = |allowed: usize| {
        let mut checks = 0;
        let mut check = || {
            checks += 1;
            if checks > allowed {
                Err(Interrupted)
            } else {
                Ok(())
            }
        };
        let grounding = Grounding::new(&text, &mentions, &options);
        let grounded = grounding.and_then(|grounding| grounding.run(&mut check));
        (grounded.is_ok(), checks)
    };
    let (is_complete, all) = checks_of(usize::MAX);
    assert!(is_complete && all > 5, "{all}");
    for allowed in 0..all {
        assert_eq!(checks_of(allowed), (false, allowed + 1));
    }
}

#[test]
fn empty_and_long_mentions_are_not_found() {
    assert_eq!(
        grounded("a", &["", " ", "\u{200B}", &"a".repeat(5000)]),
        [const { None }; 4]
    );
    assert_eq!(grounded("", &["a", ""]), [None, None]);
    assert_eq!(
        grounded("...", &["…"]),
        [Some(("...".to_owned(), Stage::Unicode))]
    );
}

#[test]
fn repeated_text_takes_linear_time() {
    let (text, mentions) = ("the ".repeat(10_000), vec!["the"; 10_000]);
    let found = grounded(&text, &mentions);
    assert!(found.iter().all(Option::is_some));
    let strings: Vec<String> = (1..600).map(|n| "a".repeat(n)).collect();
    let strings: Vec<&str> = strings.iter().map(String::as_str).collect();
    let found = grounded(&"a".repeat(200_000), &strings);
    assert!(found.iter().all(Option::is_some));
}

proptest! {
    #[test]
    fn places_are_in_the_text(text in "\\PC{0,30}|[aAbß ﬁ½e\u{301}.'’\u{200D}👩한\u{1112}\u{1161}]{0,30}",
        mentions in prop::collection::vec("\\PC{0,5}|[aAbß ﬁ½e\u{301}.'’]{0,4}", 0..5), diacritics: bool) {
        let mentions: Vec<_> = mentions.iter().map(|text| Mention { ty: "T", text }).collect();
        let options = GroundOptions { diacritics, ..GroundOptions::default() };
        let found = ground(&text, &mentions, &options).unwrap();
        let length = text.chars().count() as u32;
        for (place, mention) in found.iter().zip(&mentions) {
            let Some(place) = place else { continue };
            prop_assert!(place.start < place.end && place.end <= length);
            let range = place.start as usize..place.end as usize;
            let part: String = text.chars().take(range.end).skip(range.start).collect();
            if place.stage != Stage::Fuzzy {
                let level = place.stage.level(diacritics);
                prop_assert_eq!(normalise(&part, level), normalise(mention.text, level));
            }
        }
    }

    #[test]
    fn strings_taken_from_the_text_are_found(words in prop::collection::vec("[a-zé]{1,6}", 1..20), at: usize, n in 1_usize..4) {
        let first = at % words.len();
        let mention = words[first..(first + n).min(words.len())].join(" ");
        let found = grounded(&words.join(" "), &[&mention]);
        prop_assert_eq!(found, [Some((mention, Stage::Exact))]);
    }
}
