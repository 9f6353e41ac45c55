use proptest::prelude::*;
use spanrs_base::Named;

use super::*;
use crate::document::Format;
use crate::document::annotated_text::{Answer, Layer, TOKEN};
use crate::document::holds::{Answers, OTHER_FORMATS};
use crate::document::random_documents::documents;
use crate::document::round_trip::facts;
use crate::document::testing::{rows, spans};

/// A document with annotations given as type, start and end.
fn document(text: &str, annotations: &[(&str, u32, u32)]) -> Document {
    let mut document = Document::new(text.to_owned());
    for &(ty, start, end) in annotations {
        let ty = document.intern(ty);
        document.push(ty, start, end);
    }
    document
}

fn layer(name: &str, answer: Answer) -> Layer {
    Layer {
        name: Some(name.to_owned()),
        answer,
    }
}

/// Projects a document, which must not be skipped; returns it and what was lost.
fn projected(document: &Document, format: Format) -> (Document, Vec<(String, u64)>) {
    let mut losses = Losses::default();
    let kept = project(document, &format.holds(), &mut losses).unwrap();
    let list = losses.list().iter();
    let list = list.map(|loss| (loss.kind.clone(), loss.number)).collect();
    (kept.into_owned(), list)
}

fn lost(list: &[(&str, u64)]) -> Vec<(String, u64)> {
    list.iter()
        .map(|&(kind, number)| (kind.to_owned(), number))
        .collect()
}

#[test]
fn a_document_that_fits_is_not_copied() {
    let mut document = document("Bob ate", &[("lex", 0, 3), ("lex", 4, 7), ("PER", 0, 3)]);
    document.add_attribute("sure", "yes");
    for format in [Format::MatJson, Format::XmlInline, Format::GateXml] {
        let mut losses = Losses::default();
        let kept = project(&document, &format.holds(), &mut losses);
        assert!(matches!(kept, Some(Cow::Borrowed(_))), "{format:?}");
        assert!(losses.list().is_empty());
    }
}

#[test]
fn the_first_annotator_who_saw_the_text_is_kept() {
    let mut d = document("ab", &[("A", 0, 1), ("B", 1, 2), ("C", 0, 2)]);
    d.layers = vec![
        layer("x", Answer::Skipped),
        layer("y", Answer::Given),
        layer("z", Answer::Given),
    ];
    for (at, annotation) in d.annotations.iter_mut().enumerate() {
        annotation.layer = at as u32;
    }
    d.relate("r", 0, 1);
    let (kept, list) = projected(&d, Format::Doccano);
    assert_eq!(spans(&kept), rows(&[("B", 1, 2)]));
    assert!(kept.layers.is_empty() && kept.annotations[0].layer == 0);
    let expected = [
        ("annotators who skipped or rejected a document", 1),
        ("annotators other than the first of a document", 1),
        ("annotations by annotators that are not written", 2),
        ("relations of annotations that are not written", 1),
        ("names of annotators", 1),
    ];
    assert_eq!(list, lost(&expected));
    // BioC keeps annotators, but not their decisions.
    let (kept, list) = projected(&d, Format::BiocJson);
    assert_eq!(spans(&kept), rows(&[("B", 1, 2), ("C", 0, 2)]));
    let layers: Vec<u32> = kept.annotations.iter().map(|a| a.layer).collect();
    assert_eq!((layers, kept.layers.len()), (vec![0, 1], 2));
    assert_eq!(list.len(), 3);
}

#[test]
fn a_text_that_nobody_annotated_is_not_written() {
    let mut d = document("ab", &[]);
    d.layers = vec![layer("x", Answer::Rejected), layer("y", Answer::Skipped)];
    let mut losses = Losses::default();
    assert!(project(&d, &Format::Doccano.holds(), &mut losses).is_none());
    assert_eq!(
        losses.list()[0].kind,
        "documents that were skipped or rejected"
    );
    assert!(project(&d, &Format::Prodigy.holds(), &mut losses).is_some());
    // A text without spans that somebody has seen is a document.
    d.layers.push(layer("z", Answer::Empty));
    let (kept, _) = projected(&d, Format::Doccano);
    assert!(kept.layers.is_empty());
    let (kept, list) = projected(&d, Format::BiocXml);
    assert!(kept.layers.is_empty());
    assert_eq!(list.len(), 2);
}

#[test]
fn tokens_do_not_belong_to_an_annotator() {
    let mut d = document("ab c", &[("lex", 0, 2), ("lex", 3, 4), ("A", 0, 2)]);
    d.layers = vec![layer("x", Answer::Skipped), layer("y", Answer::Given)];
    d.annotations[2].layer = 1;
    let (kept, list) = projected(&d, Format::MatJson);
    assert_eq!(
        spans(&kept),
        rows(&[("lex", 0, 2), ("lex", 3, 4), ("A", 0, 2)])
    );
    let skipped = ("annotators who skipped or rejected a document", 1);
    assert_eq!(list, lost(&[skipped, ("names of annotators", 1)]));
    // Of annotators with tokens of their own, the tokens are removed with the annotations.
    let lex = d.intern(TOKEN);
    d.push(lex, 0, 4);
    let (kept, list) = projected(&d, Format::MatJson);
    assert_eq!(spans(&kept), rows(&[("A", 0, 2), ("lex", 0, 4)]));
    assert_eq!(
        list[1],
        ("tokens of annotators that are not written".to_owned(), 2)
    );
}

#[test]
fn an_annotator_without_annotations_has_found_nothing() {
    let mut d = document("ab", &[("A", 1, 1)]);
    d.layers = vec![layer("x", Answer::Given)];
    let (kept, _) = projected(&d, Format::CsvSpans);
    assert_eq!(kept.layers, [layer("x", Answer::Given)]);
    d.annotations.clear();
    let (kept, list) = projected(&d, Format::CsvSpans);
    assert_eq!(
        (kept.layers, list),
        (vec![layer("x", Answer::Empty)], vec![])
    );
    let (kept, list) = projected(&d, Format::BiocXml);
    assert!(kept.layers.is_empty());
    assert_eq!(
        list,
        lost(&[("annotators who found nothing in a document", 1)])
    );
}

#[test]
fn tokens_are_removed_or_added() {
    let d = document("Bob ate.", &[("lex", 0, 3), ("PER", 0, 3)]);
    let (kept, list) = projected(&d, Format::Brat);
    assert_eq!(spans(&kept), rows(&[("PER", 0, 3)]));
    assert_eq!(list, lost(&[("tokens", 1)]));
    let d = document("Bob ate.", &[("PER", 0, 2)]);
    let (kept, list) = projected(&d, Format::WebannoTsv);
    let tokens = [("lex", 0, 3), ("lex", 4, 7), ("lex", 7, 8), ("PER", 0, 2)];
    assert_eq!((spans(&kept), list), (rows(&tokens), vec![]));
}

#[test]
fn relations_follow_their_annotations_behind_added_tokens() {
    let mut d = document("a b", &[("A", 0, 1), ("B", 2, 3)]);
    d.relate("of", 1, 0);
    let (kept, _) = projected(&d, Format::WebannoTsv);
    assert_eq!((kept.relations[0].from, kept.relations[0].to), (3, 2));
}

#[test]
fn spans_are_widened_and_the_text_is_made_of_tokens() {
    let text = "Bob's  été,\n(ok)";
    let annotations = [("PER", 0, 3), ("T", 5, 7), ("X", 7, 12), ("Y", 13, 15)];
    let (kept, list) = projected(&document(text, &annotations), Format::JsonlSpans);
    assert_eq!(kept.text, "Bob's été , ( ok )");
    let expected = [("PER", 0, 5), ("X", 6, 11), ("Y", 14, 16)];
    assert_eq!(spans(&kept)[6..], rows(&expected));
    assert_eq!(spans(&kept)[..2], rows(&[("lex", 0, 5), ("lex", 6, 9)]));
    let expected = [
        ("annotations without a token", 1),
        ("annotations that are widened to whole tokens", 2),
        ("documents whose white space between tokens changes", 1),
    ];
    assert_eq!(list, lost(&expected));
}

#[test]
fn text_outside_of_the_tokens_is_counted() {
    let d = document(
        "Bob ate fish",
        &[("lex", 0, 3), ("lex", 8, 12), ("A", 0, 12)],
    );
    let (kept, list) = projected(&d, Format::JsonlSpans);
    assert_eq!(kept.text, "Bob fish");
    assert_eq!(spans(&kept)[2..], rows(&[("A", 0, 8)]));
    assert_eq!(list[0], ("characters outside of tokens".to_owned(), 3));
}

#[test]
fn damaged_tokens_are_removed_where_tokens_are_needed() {
    let tokens = [
        ("lex", 0, 4),
        ("lex", 2, 3),
        ("lex", 4, 4),
        ("lex", 0, 4),
        ("lex", 6, 7),
        ("lex", 9, 9),
        ("A", 2, 3),
    ];
    let d = document("abcd e f gh", &tokens);
    let (kept, list) = projected(&d, Format::JsonlSpans);
    assert_eq!(kept.text, "abcd   ");
    let expected = [("lex", 0, 4), ("lex", 5, 6), ("lex", 7, 7), ("A", 0, 4)];
    assert_eq!(spans(&kept), rows(&expected));
    assert_eq!(
        list[..2],
        lost(&[
            ("tokens that overlap others", 2),
            ("tokens without text", 1)
        ])
    );
    let (kept, list) = projected(&d, Format::WebannoTsv);
    assert_eq!(
        spans(&kept),
        rows(&[("lex", 0, 4), ("lex", 6, 7), ("A", 2, 3)])
    );
    assert_eq!(list[1], ("tokens without text".to_owned(), 2));
    let (kept, list) = projected(&d, Format::MatJson);
    assert_eq!((spans(&kept), list), (rows(&tokens), vec![]));
}

#[test]
fn tokens_give_way_to_annotations_that_they_cross() {
    let d = document(
        "abcdef",
        &[("lex", 0, 4), ("lex", 4, 6), ("A", 2, 5), ("B", 2, 3)],
    );
    let (kept, list) = projected(&d, Format::XmlInline);
    assert_eq!(spans(&kept), rows(&[("A", 2, 5), ("B", 2, 3)]));
    assert_eq!(list, lost(&[("tokens that cross annotations", 2)]));
}

#[test]
fn crossing_annotations_are_removed_where_annotations_are_nested() {
    let annotations = [
        ("A", 0, 4),
        ("B", 3, 6),
        ("C", 0, 6),
        ("D", 4, 6),
        ("E", 6, 6),
        ("F", 4, 4),
    ];
    let (kept, list) = projected(&document("abcdef", &annotations), Format::XmlInline);
    let expected = [
        ("A", 0, 4),
        ("C", 0, 6),
        ("D", 4, 6),
        ("E", 6, 6),
        ("F", 4, 4),
    ];
    assert_eq!(spans(&kept), rows(&expected));
    assert_eq!(list, lost(&[("annotations that cross others", 1)]));
    let (kept, list) = projected(&document("abcdef", &annotations), Format::Raw);
    assert_eq!(spans(&kept), rows(&[("C", 0, 6)]));
    assert_eq!(list[0], ("annotations without text".to_owned(), 2));
}

#[test]
fn pieces_are_joined_where_annotations_are_continuous() {
    let mut d = document("abcdef", &[("A", 0, 5)]);
    d.set_pieces(&[(0, 0), (1, 2), (4, 5)]);
    let (kept, list) = projected(&d, Format::Doccano);
    assert_eq!(spans(&kept), rows(&[("A", 0, 5)]));
    assert!(kept.pieces(&kept.annotations[0]).is_empty());
    assert_eq!(list, lost(&[("holes in annotations", 1)]));
    let (kept, list) = projected(&d, Format::Brat);
    assert_eq!(kept.pieces(&kept.annotations[0]), [(1, 2), (4, 5)]);
    assert_eq!(kept.annotations[0].start, 1);
    assert_eq!(list, lost(&[("pieces without text", 1)]));
}

#[test]
fn values_become_text_only_where_they_must() {
    let mut d = document("ab", &[("A", 0, 1), ("B", 1, 1)]);
    d.add_attribute("dropped", 7);
    let a = d.intern("A");
    d.push(a, 0, 2);
    d.add_attribute("flag", true);
    d.add_attribute("number", 7);
    let values = |format| {
        let (kept, list) = projected(&d, format);
        let last = kept.annotations.last().unwrap();
        let all = kept
            .attribute_values(last)
            .map(|(_, value)| value.to_string());
        (all.collect::<Vec<_>>().join(" "), list)
    };
    assert_eq!(values(Format::MatJson), ("true 7".to_owned(), vec![]));
    let changed = "attribute values that are written as text";
    let flags = lost(&[("annotations without text", 1), (changed, 1)]);
    assert_eq!(values(Format::Brat), ("true \"7\"".to_owned(), flags));
    let text = lost(&[(changed, 3)]);
    assert_eq!(
        values(Format::XmlInline),
        ("\"yes\" \"7\"".to_owned(), text)
    );
    let none = lost(&[("attributes of annotations", 2)]);
    assert_eq!(values(Format::LabelStudioMin), (String::new(), none));
}

#[test]
fn the_name_is_the_id_where_there_is_only_one_of_them() {
    let names = |id: Option<&str>, name: Option<&str>, format| {
        let mut d = document("", &[]);
        (d.id, d.name) = (id.map(str::to_owned), name.map(str::to_owned));
        let (kept, list) = projected(&d, format);
        (kept.id, kept.name, list.len())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(names(Some("7"), None, Format::Brat), (None, some("7"), 0));
    assert_eq!(
        names(Some("7"), Some("a"), Format::Brat),
        (None, some("a"), 1)
    );
    assert_eq!(
        names(Some("a"), Some("a"), Format::Brat),
        (None, some("a"), 0)
    );
    assert_eq!(
        names(None, Some("a"), Format::Pubtator),
        (some("a"), None, 0)
    );
    assert_eq!(
        names(Some("7"), Some("a"), Format::Pubtator),
        (some("7"), None, 1)
    );
    assert_eq!(
        names(Some("7"), Some("a"), Format::Doccano),
        (some("7"), some("a"), 0)
    );
    assert_eq!(names(Some(""), None, Format::Doccano), (None, None, 0));
}

/// Asserts that a document contains only what a format holds.
fn check_holds(document: &Document, holds: &Holds) {
    let spans: Vec<_> = document
        .annotations
        .iter()
        .filter(|a| !document.is_token(a))
        .collect();
    let tokens = document.annotations.iter().filter(|a| document.is_token(a));
    let mut tokens: Vec<(u32, u32)> = tokens.map(|a| (a.start, a.end)).collect();
    tokens.sort_unstable();
    assert!(holds.empty || spans.iter().all(|a| a.start < a.end));
    assert!(holds.discontinuous || spans.iter().all(|a| document.pieces(a).is_empty()));
    assert!(holds.relations != Relations::No || document.relations.is_empty());
    assert!(holds.annotators || document.layers.is_empty());
    assert!(holds.metadata != Values::No || document.metadata.is_empty());
    assert!(holds.id == Ids::Yes || document.id.is_none());
    assert!(
        holds.id == Ids::Yes && holds.metadata != Values::No
            || document.id.is_none()
            || document.name.is_none()
    );
    for layer in &document.layers {
        let least = match layer.answer {
            Answer::Given => Answers::No,
            Answer::Empty => Answers::Empty,
            Answer::Skipped => Answers::Skipped,
            Answer::Rejected => Answers::All,
        };
        assert!(least <= holds.answers);
    }
    match holds.tokens {
        Tokens::No => assert!(tokens.is_empty()),
        Tokens::Yes | Tokens::ForRelations => {}
        Tokens::Whole | Tokens::Within => {
            assert!(
                tokens.windows(2).all(|two| two[0].1 <= two[1].0),
                "{tokens:?}"
            );
            assert!(!tokens.is_empty() || document.text.trim().is_empty());
        }
    }
    if holds.tokens == Tokens::Whole {
        for (start, end) in spans.iter().flat_map(|a| document.segments(a)) {
            assert!(tokens.iter().any(|token| token.0 == start));
            assert!(tokens.iter().any(|token| token.1 == end));
        }
    }
    check_annotations(document, holds);
    check_text(document, &tokens, holds.text);
}

/// Asserts that attributes and overlaps are those of the format.
fn check_annotations(document: &Document, holds: &Holds) {
    for a in &document.annotations {
        assert!(a.layer == 0 || (a.layer as usize) < document.layers.len());
        let text = document
            .attribute_values(a)
            .all(|(_, value)| match holds.attributes {
                Values::No => false,
                Values::Concepts | Values::Text => value.is_string(),
                Values::Flags => value.is_string() || value == &serde_json::Value::Bool(true),
                Values::Typed => true,
            });
        assert!(text);
        let others = document.annotations.iter().filter(|b| b.layer == a.layer);
        for b in others.filter(|b| a.start < b.start && b.start < a.end) {
            let both = !document.is_token(a) && !document.is_token(b);
            match holds.overlap {
                Overlap::Any => {}
                Overlap::Nested => assert!(b.end <= a.end, "{a:?} {b:?}"),
                Overlap::No => assert!(!both, "{a:?} {b:?}"),
            }
        }
    }
}

/// Asserts that the text is rebuilt from the tokens, if the format does so.
fn check_text(document: &Document, tokens: &[(u32, u32)], kind: Text) {
    if matches!(kind, Text::Tokens | Text::Lines) {
        let text: Vec<char> = document.text.chars().collect();
        let word = |&(start, end): &(u32, u32)| text[start as usize..end as usize].iter();
        let words: Vec<String> = tokens.iter().map(|token| word(token).collect()).collect();
        let spaces = |text: &str| text.replace('\n', " ");
        match kind {
            Text::Lines => assert_eq!(spaces(&words.join(" ")), spaces(&document.text)),
            _ => assert_eq!(words.join(" "), document.text),
        }
    }
}

proptest! {
    #[test]
    fn a_projection_holds_what_its_format_holds(
        document in documents("[ab\u{e9}\u{1F600} .\n]{0,20}", "[a-c]{0,3}"),
    ) {
        let other = OTHER_FORMATS.iter().copied();
        let all = Format::NAMES.iter().map(|&(name, format)| (name, format.holds()));
        for (name, holds) in all.chain(other) {
            let Some(once) = project(&document, &holds, &mut Losses::default()) else {
                continue;
            };
            prop_assert_eq!(facts(&once.clone().into_owned().close()), facts(&once), "{}", name);
            check_holds(&once, &holds);
            let mut losses = Losses::default();
            let twice = project(&once, &holds, &mut losses).unwrap();
            prop_assert_eq!(facts(&twice), facts(&once), "{}", name);
            prop_assert_eq!(losses.list(), &[], "{}", name);
            prop_assert!(matches!(twice, Cow::Borrowed(_)), "{} is copied", name);
        }
    }
}
