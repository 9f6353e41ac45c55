//! Runs the test cases shared by Rust and Python: tests/cases/answers.toml.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::path::Path;

use serde::Deserialize;
use spanrs_io::answers::{Answer, MAX_ANSWER_BYTES, MAX_FAULTS, Mention, Query, read_answer};

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
    assert!(cases.len() >= 80);
    let mut failed = Vec::new();
    for case in &cases {
        let query = Query::new(case.ty.as_deref(), &case.types);
        let answer = read_answer(&case.answer, &query);
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

/// Asserts that positions are inside the answer, and that an unreadable answer says why.
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
