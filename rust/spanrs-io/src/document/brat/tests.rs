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
    assert_eq!(of(0), [("Negation", "yes"), ("Negation", "yes")]);
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
