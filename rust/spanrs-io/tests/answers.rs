//! Runs the test cases shared by Rust and Python: tests/cases/answers.toml.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::path::Path;

use serde::Deserialize;
use spanrs_io::answers::{
    Answer, MAX_ANSWER_BYTES, MAX_FAULTS, MAX_MENTION_BYTES, MAX_NAME_BYTES, MAX_VALUES, Mention,
    Query, read_answer, read_answer_to,
};

#[derive(Deserialize)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    answer: String,
    #[serde(rename = "type")]
    ty: Option<String>,
    #[serde(default)]
    types: Vec<String>,
    /// The text that the model was asked about.
    about: Option<String>,
    layout: String,
    mentions: Vec<String>,
    #[serde(default)]
    repairs: Vec<String>,
    #[serde(default)]
    faults: Vec<String>,
    text: Option<String>,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/answers.toml");
    let text = std::fs::read_to_string(path).expect("the cases are part of the repository");
    toml::from_str::<File>(&text)
        .expect("the cases are valid TOML")
        .case
}

fn written(mention: &Mention) -> String {
    let ty = mention.ty.as_deref().unwrap_or("-");
    match (mention.start, mention.end) {
        (Some(start), Some(end)) => format!("{ty} | {} | {start} {end}", mention.text),
        _ => format!("{ty} | {}", mention.text),
    }
}

#[test]
fn every_case_reads_as_written() {
    let cases = cases();
    assert!(cases.len() >= 150);
    let mut failed = Vec::new();
    for case in &cases {
        let query = Query::new(case.ty.as_deref(), &case.types);
        let answer = read_answer_to(&case.answer, case.about.as_deref(), &query, || false);
        let answer = answer.expect("the watch does not stop");
        let mentions: Vec<String> = answer.mentions.iter().map(written).collect();
        let mut faults: Vec<String> = answer
            .faults
            .iter()
            .map(|fault| format!("{} {}", fault.code, fault.at))
            .collect();
        let mut expected = case.faults.clone();
        faults.sort();
        expected.sort();
        let repairs: Vec<&str> = answer.repairs.iter().copied().collect();
        let found = (answer.layout, mentions, &repairs[..], faults, &answer.text);
        let repairs: Vec<&str> = case.repairs.iter().map(String::as_str).collect();
        let wanted = (
            &*case.layout,
            case.mentions.clone(),
            &repairs[..],
            expected,
            &case.text,
        );
        if found != wanted {
            failed.push(format!(
                "{}\n  found    {found:?}\n  expected {wanted:?}",
                case.name
            ));
        }
        if answer.is_unreadable != (answer.layout == "unreadable") {
            failed.push(format!("{}: layout {}", case.name, answer.layout));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Asserts that positions are inside the answer, and that an unreadable answer has a fault.
fn check(text: &str, answer: &Answer) {
    let len = text.chars().count();
    assert!(answer.mentions.iter().all(|mention| mention.at < len));
    assert!(answer.faults.iter().all(|fault| fault.at <= len));
    assert!(answer.faults.len() <= MAX_FAULTS + 1);
    assert!(!answer.is_unreadable || answer.mentions.is_empty() && !answer.faults.is_empty());
}

#[test]
fn every_beginning_of_a_case_is_read_without_panic() {
    for case in cases() {
        let query = Query::new(case.ty.as_deref(), &case.types);
        for (end, _) in case.answer.char_indices() {
            let text = &case.answer[..end];
            check(text, &read_answer(text, &query));
        }
    }
}

/// Pieces whose repetition makes answers that are hard to read.
const PIECES: &[&str] = &[
    "[",
    "{",
    "(",
    "]",
    "{\"a\":",
    "{\"a\": [",
    "[{",
    "\"",
    "'",
    "“",
    "\\",
    "[\"\\u12",
    "\\\"",
    "<a>",
    "</a>",
    "<a",
    "<",
    "&",
    "&#",
    "{'",
    "['a",
    "['a' b",
    "[\"x \"y\" ",
    "{\"a\"b",
    "[a",
    "[1 x",
    "[1,",
    "[[1,2],",
    "```",
    "```a\n",
    "@@",
    "##",
    "@@ a ##",
    "@@ ## @@",
    "((",
    "((a:",
    " ",
    "\n",
    "\n[",
    "a: ",
    "PER: a,",
    "PER: a;",
    "a(",
    "a(\"",
    "A(b=\"c\"),",
    "(\"",
    "| ",
    "|\n",
    "|a|\n",
    "<extra_id_0>",
    "<extra_id_5>",
    "[x](",
    "[x | ",
    "[a|PER] ",
    "B-PER\n",
    "x B-PER\n",
    "x O\n",
    "é",
    "{}",
    "[]",
    "{\"\":",
    "<think>",
    "</think>",
    "<answer>",
    "[//",
    "[/*",
    "[#\n",
    "[\"a\",",
    "{\"type\":\"PER\",\"text\":\"A\"},",
    "{\"PER\":\"a\",",
    "- ",
    "**PER:**\n- a\n",
    "\0",
    "[\u{FEFF}",
    "- a: b\n",
    "null,",
    "[null,",
    "1e999,",
    "[-",
    "{a:",
    "=",
    "a = b ",
    "PER：a，",
    "\" \"x",
    ",\" \"x",
    "A(x=\"y\")\n",
    "[PER:x](",
    "[[PER:x]",
    "| a \\| ",
    "|",
    "||\n",
    "a\tPER\n",
    "a,PER\n",
    "a,",
    "\",\"",
    "a (PER), ",
    "a (",
    ") ",
    "type: PER\n",
    "- type: PER\n  text: a\n",
    "type: a, ",
    "text: a; ",
    "a/B-PER ",
    "[\"a\", \"B-PER\"],",
    "{\"word\":\"a\",\"tag\":\"I-PER\"},",
    "{\"arguments\":\"{",
    "\"[\\\"",
    "((a: b (c) ",
    "(a",
    "```\n[\"a\"]\n```\n",
    "```\n{\"PER\":[\"a\"]}\n```\n",
    "x {\"PER\":[\"a\"]} ",
];

#[test]
fn hostile_answers_are_read_in_linear_time() {
    // 400 KB take milliseconds in linear time, and minutes in quadratic time.
    let query = Query::new(Some("PER"), ["PER", "LOC"]);
    let around = [("", ""), ("[\"a\", ", "]"), ("x ", "## ]) </a>")];
    for piece in PIECES {
        for (before, after) in around {
            let text = [before, &piece.repeat(400_000 / piece.len()), after].concat();
            check(&text, &read_answer(&text, &query));
        }
        let text = piece.repeat(400_000 / piece.len());
        check(&text, &read_answer(&text, &Query::default()));
    }
}

#[test]
fn deep_nesting_is_a_fault() {
    let text = "[".repeat(10_000_000);
    let answer = read_answer(&text, &Query::default());
    assert!(answer.is_unreadable);
    assert_eq!(
        (answer.faults[0].code, answer.faults[0].at),
        ("too_deep", 128)
    );
}

#[test]
fn long_answers_are_a_fault() {
    let text = " ".repeat(MAX_ANSWER_BYTES + 1);
    let answer = read_answer(&text, &Query::default());
    assert!(answer.is_unreadable);
    assert_eq!(answer.faults[0].code, "too_long");
}

#[test]
fn types_and_names_do_not_multiply() {
    let list = |name: &str, count: usize| vec![format!("{name:?}"); count].join(",");
    let distinct: Vec<String> = (0..2000).map(|number| format!("\"t{number}\"")).collect();
    let hostile = [
        format!(
            "{{\"type\":[{}],\"text\":{:?}}}",
            distinct.join(","),
            "x".repeat(100_000)
        ),
        format!(
            "{{\"type\":[{}],\"text\":{:?}}}",
            distinct[..64].join(","),
            "x".repeat(100_000)
        ),
        format!(
            "{{\"type\":[{}],\"text\":[{}]}}",
            list("a", 1000),
            list("b", 999)
        ),
        format!(
            "{{\"type\":{:?},\"texts\":[{}]}}",
            "t".repeat(50_000),
            list("b", 50_000)
        ),
    ];
    for text in hostile {
        let answer = read_answer(&text, &Query::default());
        check(&text, &answer);
        assert!(!answer.faults.is_empty());
        let bytes = answer
            .mentions
            .iter()
            .map(|mention| mention.text.len() + mention.ty.as_ref().map_or(0, String::len));
        assert!(bytes.sum::<usize>() <= MAX_MENTION_BYTES);
    }
}

#[test]
fn mentions_of_every_layout_are_limited() {
    let query = Query::new(Some("PER"), ["PER"]);
    let pieces = [
        "@@a##",
        "<PER>a</PER>",
        "[PER:a]",
        "a B-PER\n",
        "a/B-PER ",
        "a (PER), ",
        "PER:a;",
    ];
    for piece in pieces {
        let text = piece.repeat(MAX_VALUES + 10);
        let answer = read_answer(&text, &query);
        check(&text, &answer);
        assert!(answer.mentions.len() <= MAX_VALUES);
        assert!(
            answer
                .faults
                .iter()
                .any(|fault| ["too_many", "too_long"].contains(&fault.code))
        );
    }
    let long = format!(
        "<PER>{}</PER> met <PER>Anna</PER>",
        "a".repeat(MAX_NAME_BYTES + 1)
    );
    let answer = read_answer(&long, &query);
    assert_eq!(
        (answer.mentions.len(), answer.faults[0].code),
        (1, "too_long")
    );
}

#[test]
fn a_watch_stops_reading() {
    let text = "x [1 ".repeat(2_000_000);
    let answer = read_answer_to(&text, None, &Query::default(), || true);
    assert!(answer.is_err());
}
