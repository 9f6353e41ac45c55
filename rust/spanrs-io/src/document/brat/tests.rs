use super::super::testing::links;
use super::*;

type Found = Vec<(String, u32, u32, Vec<(u32, u32)>)>;

fn found(annotations: &str, text: &str) -> Found {
    let document = read("d.ann", annotations, text).unwrap().close();
    let all = document.annotations.iter();
    all.map(|a| {
        let ty = document.type_of(a).to_owned();
        (ty, a.start, a.end, document.pieces(a).to_vec())
    })
    .collect()
}

fn row(ty: &str, start: u32, end: u32, pieces: &[(u32, u32)]) -> Found {
    vec![(ty.to_owned(), start, end, pieces.to_vec())]
}

fn refused(annotations: &str, text: &str) -> String {
    read("d.ann", annotations, text).unwrap_err().to_string()
}

#[test]
fn offsets_count_code_points() {
    let text = "\u{1F600} \u{e9}t\u{e9}\tBob\n";
    let annotations =
        "T1\tX 2 5\t\u{e9}t\u{e9}\r\nT2\tPER 6 9\tBob\r\nT3\tE 0 1\t\u{1F600}\nT4\tY 9 9\t";
    let expected = [
        row("X", 2, 5, &[]),
        row("PER", 6, 9, &[]),
        row("E", 0, 1, &[]),
        row("Y", 9, 9, &[]),
    ];
    assert_eq!(found(annotations, text), expected.concat());
}

#[test]
fn pieces_with_blanks_between_are_one() {
    let text = "New York, or North and\n South Shore";
    let whole = "T1\tLOC 0 3;4 8\tNew York";
    assert_eq!(found(whole, text), row("LOC", 0, 8, &[]));
    let fragmented = "T1\tLOC 19 22;24 29\tand South";
    assert_eq!(found(fragmented, text), row("LOC", 19, 29, &[]));
    let unbroken = "T1\tLOC 19 29\tand  South";
    assert_eq!(found(unbroken, text), row("LOC", 19, 29, &[]));
    let apart = "T1\tLOC 13 18;30 35\tNorth Shore";
    assert_eq!(
        found(apart, text),
        row("LOC", 13, 35, &[(13, 18), (30, 35)])
    );
    let both = "T1\tLOC 24 29;30 35;13 18\tSouth Shore North";
    assert_eq!(found(both, text), row("LOC", 13, 35, &[(13, 18), (24, 35)]));
    let nested = "T1\tLOC 0 8;4 6\tNew York Yo";
    assert_eq!(found(nested, text), row("LOC", 0, 8, &[]));
}

#[test]
fn attributes_find_their_annotations() {
    let annotations = "A3\tCertainty  T2   rather high \nT1\tA 0 1\ta\nT2\tB 1 2\tb\nA1\tNegation T1\n\
                       M1\tSpeculation T2\nA2\tNegation E1\nE1\tA:T1 Arg:T2\nR1\tRel Arg1:T1 Arg2:T2\n\
                       N1\tReference T1 W:1\ta\n#1\tAnnotatorNotes T1\tnote\n*\tEquiv T1 T2\n\n \nA9\tNegation T9";
    let document = read("d.ann", annotations, "ab").unwrap();
    let of = |at: usize| {
        document
            .attributes(&document.annotations[at])
            .collect::<Vec<_>>()
    };
    assert_eq!(document.annotations.len(), 2);
    let expected = [
        ("Negation", "yes"),
        ("Negation", "yes"),
        ("Reference", "W:1 a"),
        ("note", "note"),
    ];
    assert_eq!(of(0), expected);
    assert_eq!(
        of(1),
        [("Certainty", "rather high"), ("Speculation", "yes")]
    );
    let links = links(&document);
    assert_eq!(links, [("Arg", 0, 1), ("Rel", 0, 1), ("Equiv", 0, 1)]);
    assert_eq!(document.left_out_count, 1);
    assert_eq!(
        document.left_out,
        ["A9 (Negation) refers to T9, which does not exist"]
    );
}

#[test]
fn notes_and_normalisations_are_attributes() {
    let annotations = "T1\tA 0 1\ta\n# a comment\n#\nE1\tA:T1\n#1\tAnnotatorNotes E1\t two\twords \r\n\
                       #2\tAnnotationError T1\n#3\tAnnotatorNotes\tx\n#4\tAnnotatorNotes R1\tx\n\
                       #5\tAnnotatorNotes N1\tx\n#6\tAnnotatorNotes T7\tx\n\
                       N1\tReference Annotation:T1 Referent:OBT:7\tB  s \nN2\tReference T1 W:1\n\
                       N3\tReference T1\tx\nN4\tReference T9 W:1\tx\nN5\nA1\tNegation R1\nA2\tN * x";
    let document = read("d.ann", annotations, "a").unwrap();
    let found: Vec<_> = document.attributes(&document.annotations[0]).collect();
    let expected = [
        ("note", " two\twords "),
        ("#AnnotationError", ""),
        ("Reference", "OBT:7 B  s"),
        ("Reference", "W:1"),
    ];
    assert_eq!(found, expected);
    assert_eq!(document.left_out_count, 6);
    assert_eq!(
        document.left_out,
        [
            "#3 is malformed; write #1<tab>AnnotatorNotes T1<tab>TEXT",
            "#5 (note) is about N1, which is not an annotation",
            "N3 is malformed; write N1<tab>Reference T1 DATABASE:ID<tab>TEXT",
            "N5 is malformed; write N1<tab>Reference T1 DATABASE:ID<tab>TEXT",
            "#6 (note) refers to T7, which does not exist",
        ]
    );
    assert_eq!(
        document.relations_left_out,
        [
            "#4 (note) is about R1, which is not an annotation",
            "A1 (Negation) is about R1, which is not an annotation",
            "A2 (N) is about *, which is not an annotation",
        ]
    );
}

#[test]
fn relations_may_be_about_events_and_stand_anywhere() {
    let annotations = "R1\tCause Arg1:E2 Arg2:E1\nE1\tA:T1\nE2\tB:T2 Of:E1 Of:T9\n*\tSame T1 T2 E1\n\
                       T1\tA 0 1\ta\nT2\tB 1 2\tb\nR2\tCause Arg1:T1\nE3\n\
                       R3\tOf Arg2:T1 Arg1:T2\nE4\tC Agent:T1\n*\tSame T1";
    let document = read("d.ann", annotations, "ab").unwrap();
    let links = links(&document);
    let expected = [
        ("Cause", 1, 0),
        ("Of", 1, 0),
        ("Same", 0, 1),
        ("Same", 1, 0),
        ("Of", 1, 0),
    ];
    assert_eq!(links, expected);
    assert_eq!(
        document.relations_left_out,
        [
            "E2 (Of) links T2 and T9, at least one of which does not exist",
            "R2 (Cause) has missing or malformed arguments, or a duplicate id",
            "E3 () has missing or malformed arguments, or a duplicate id",
            "E4 () has missing or malformed arguments, or a duplicate id",
            "* (Same) has missing or malformed arguments, or a duplicate id",
        ]
    );
}

#[test]
fn another_text_is_refused() {
    assert_eq!(
        refused("T1\tA 0 2\tB\u{e9}", "Bo\n"),
        "d.ann:1:10: the text is \"Bo\", but the annotation has \"B\u{e9}\"; the .txt is another version, or the \
         offsets count bytes"
    );
    let long = "a".repeat(50);
    assert_eq!(
        refused(
            &format!("\nT1\tA 0 50;50 51\t{long} c"),
            &format!("{long}b")
        ),
        format!(
            "d.ann:2:17: the text is \"{0}...\", but the annotation has \"{0}...\"; the .txt is another version, \
             or the offsets count bytes",
            "a".repeat(40)
        )
    );
    assert!(refused("T1\tA 0 2\tBob", "Bob").contains("is \"Bo\", but the annotation has \"Bob\""));
    assert!(refused("T1\tA 0 2\tB", "Bob").contains("is \"Bo\", but the annotation has \"B\""));
    let beyond = "reaches beyond the text of 2 characters; the .txt is another version, or the offsets \
                  count bytes";
    assert_eq!(
        refused("T1\tA 0 3\ta", "\u{e9}b"),
        format!("d.ann:1:6: 0 3 {beyond}")
    );
    assert_eq!(
        refused("T1\tA 0 1;1 99999999999999999999\ta", "ab"),
        format!("d.ann:1:10: 1 4294967295 {beyond}")
    );
}

#[test]
fn malformed_lines_are_refused_at_their_place() {
    let of = |line: &str| refused(&format!("#\n{line}\n"), "some text");
    let write = "write T1<tab>TYPE START END<tab>TEXT";
    assert_eq!(
        of("T1 A 0 1"),
        format!("d.ann:2:9: a tab and the type are missing; {write}")
    );
    assert_eq!(
        of("T1\tA 0 1"),
        format!("d.ann:2:9: a tab and the text are missing; {write}")
    );
    let offsets = format!("the type or the offsets are missing; {write}");
    assert_eq!(of("T1\tA\ts"), format!("d.ann:2:4: {offsets}"));
    assert_eq!(of("T1\t 0 1\ts"), format!("d.ann:2:4: {offsets}"));
    let number = |piece| format!("{piece:?} is not two whole numbers from 0; {write}");
    assert_eq!(
        of("T1\tA -1 1\ts"),
        format!("d.ann:2:6: {}", number("-1 1"))
    );
    assert_eq!(of("T1\tA 0 1;\ts"), format!("d.ann:2:10: {}", number("")));
    assert_eq!(
        of("T1\tA 0 +1\ts"),
        format!("d.ann:2:6: {}", number("0 +1"))
    );
    assert_eq!(
        of("T1\tA B 0 1\ts"),
        format!("d.ann:2:6: {}", number("B 0 1"))
    );
    assert_eq!(
        of("T1\tA 2 1\ts"),
        format!("d.ann:2:6: 2 1 ends before it begins; {write}")
    );
    assert_eq!(
        of("T1\tA 0 1\ts\nT1\tB 1 2\to"),
        "d.ann:3:1: line 2 has the id T1 as well; ids must be unique"
    );
    let attribute = "write A1<tab>NAME T1, or A1<tab>NAME T1 VALUE";
    assert_eq!(
        of("A1 Negation T1"),
        format!("d.ann:2:15: a tab and the name are missing; {attribute}")
    );
    assert_eq!(
        of("A1\tNegation "),
        format!("d.ann:2:4: the name or the target is missing; {attribute}")
    );
    assert_eq!(
        of("Bob ate"),
        "d.ann:2:1: this is not a brat line; lines begin with T, A, M, R, E, N, # or *"
    );
}

#[test]
fn work_does_not_grow_with_the_stretches() {
    let text = format!("a{}b", " ".repeat(200_000));
    let lines = (0..20_000).map(|at| format!("T{at}\tX 0 1;200001 200002\ta b\n"));
    let annotations: String = lines.collect();
    let spans = found(&annotations, &text);
    assert_eq!(spans.len(), 20_000);
    assert_eq!(spans[19_999..], row("X", 0, 200_002, &[]));
}

proptest::proptest! {
    #[test]
    fn whatever_the_files_hold_is_read_or_refused(
        lines in "(T[12]\t(A|\u{e9}) [0-3] [0-3](;[0-3] [0-3])?\t[a\u{1F600} ]{0,3}|A1\tN T1|[TAMRx*]\\PC?\t?)(\n[TA]\\PC{0,9})?",
        text in "[a\u{1F600} \n]{0,4}",
    ) {
        if let Ok(document) = read("d.ann", &lines, &text) {
            let read = document.annotations.len();
            assert_eq!(document.close().annotations.len(), read, "{lines:?} {text:?}");
        }
    }
}

mod writing {
    use proptest::prelude::*;

    use crate::document::random_documents::documents;
    use crate::document::round_trip::{check_unless, facts, rewrite};
    use crate::document::{Document, DocumentWriter, Format};

    fn document(text: &str, annotations: &[(&str, u32, u32)]) -> Document {
        let mut document = Document::new(text.to_owned());
        for &(ty, start, end) in annotations {
            let ty = document.intern(ty);
            document.push(ty, start, end);
        }
        document
    }

    /// Returns the annotation file, and the kinds of losses.
    fn written(document: &Document) -> (String, Vec<String>) {
        let mut writer = DocumentWriter::new(Format::Brat);
        let mut file = Vec::new();
        writer.write(document, &mut file).unwrap();
        let text = writer.companion().unwrap();
        assert_eq!(
            (text.name, text.bytes),
            (".txt", document.text.clone().into_bytes())
        );
        let losses = writer.losses().list().iter();
        let losses = losses.map(|loss| loss.kind.clone()).collect();
        (String::from_utf8(file).unwrap(), losses)
    }

    #[test]
    fn lines_are_those_of_brat() {
        let mut d = document("\u{FEFF}Bob\tate fish", &[("PER", 1, 4), ("FOOD", 9, 13)]);
        for (name, value) in [
            ("Sure", "rather high"),
            ("note", "Is it he?"),
            ("Reference", "Wikipedia:534366 Bob B."),
            ("Reference", "no entry"),
            ("#AnnotationError", ""),
        ] {
            d.add_attribute(name, value);
        }
        let ty = d.intern("EVENT");
        d.push(ty, 1, 8);
        d.add_attribute("Negation", true);
        d.add_attribute("note", true);
        d.relate("eats", 0, 1);
        let expected = "T1\tPER 1 4\tBob\nT2\tFOOD 9 13\tfish\nA1\tSure T2 rather high\n\
                        #1\tAnnotatorNotes T2\tIs it he?\nN1\tReference T2 Wikipedia:534366\tBob B.\n\
                        A2\tReference T2 no entry\n#2\tAnnotationError T2\t\nT3\tEVENT 1 8\tBob\tate\n\
                        A3\tNegation T3\nA4\tnote T3\nR1\teats Arg1:T1 Arg2:T2\n";
        assert_eq!(written(&d), (expected.to_owned(), vec![]));
        let (read, _) = rewrite(Format::Brat, &d).unwrap();
        assert_eq!(facts(&read[0]), facts(&d));
    }

    #[test]
    fn annotations_are_split_at_line_ends() {
        let text = "New\r\n York\u{2028}City\n";
        let mut d = document(
            text,
            &[("LOC", 0, 10), ("LOC", 6, 16), ("X", 3, 5), ("Y", 0, 4)],
        );
        d.relate("of", 0, 2);
        let (file, losses) = written(&d);
        assert_eq!(
            file,
            "T1\tLOC 0 3;5 10\tNew  York\nT2\tLOC 6 10;11 15\tYork City\nT3\tY 0 3\tNew\n"
        );
        assert_eq!(
            losses,
            [
                "annotations that begin or end with line ends, without them",
                "annotations of line ends",
                "relations of annotations that are not written",
            ]
        );
        let (read, _) = rewrite(Format::Brat, &d).unwrap();
        let bounds: Vec<_> = read[0]
            .annotations
            .iter()
            .map(|a| (a.start, a.end))
            .collect();
        assert_eq!(bounds, [(0, 10), (6, 15), (0, 3)]);
        assert!(read[0].pieces(&read[0].annotations[0]).is_empty());
    }

    #[test]
    fn what_brat_cannot_represent_is_counted() {
        let mut d = document("a b c", &[("a b", 0, 5)]);
        d.set_pieces(&[(0, 1), (2, 3), (4, 5)]);
        for (name, value) in [
            ("x y", " 1"),
            ("e", " "),
            ("l", "a\nb"),
            ("n", "2"),
            ("note", "\r"),
        ] {
            d.add_attribute(name, value);
        }
        d.add_attribute("number", 7);
        d.relate("", 0, 0);
        let (file, losses) = written(&d);
        assert_eq!(
            file,
            "T1\ta_b 0 5\ta b c\nA1\tx_y T1 1\nA2\tl T1 a b\nA3\tn T1 2\n\
             #1\tAnnotatorNotes T1\t \nA4\tnumber T1 7\nR1\t_ Arg1:T1 Arg2:T1\n"
        );
        assert_eq!(losses.len(), 7, "{losses:?}");
    }

    proptest! {
        #[test]
        fn documents_survive(d in documents("\u{FEFF}?[ab\u{e9}\u{1F600}.]{0,20}", "[a-c\u{e9}#:;]{1,3}|note|Reference|W:1 a")) {
            let types = d.types().chain(d.relations.iter().map(|r| d.type_of_relation(r)));
            let names = d.annotations.iter().flat_map(|a| d.attributes(a)).map(|(name, _)| name);
            // White space is replaced, and empty values are not written.
            let odd = types.chain(names).any(|name| name.contains(' '))
                || d.annotations.iter().flat_map(|a| d.attributes(a)).any(|(_, value)| value.is_empty());
            check_unless(odd, Format::Brat, &d);
        }

        #[test]
        fn odd_documents_are_changed_once(
            d in documents("[a\u{1F600} \t\r\n\u{2028}\u{1C}]{0,20}", "[a#:\t\n\r \u{1C}\u{A0}]{0,4}|note|Reference|Referent:a b"),
        ) {
            check_unless(true, Format::Brat, &d);
        }
    }
}
