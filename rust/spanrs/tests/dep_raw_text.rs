//! Raw text becomes CoNLL-U that keeps every character.

#![allow(clippy::unwrap_used)] // A panic in a test helper is a test failure.

use proptest::prelude::*;
use spanrs::dep::{GoldParagraph, Model, Passes, Segmenter, SegmenterOptions, fit_segmenter};
use spanrs::dep_files::{AnnotateOptions, annotate};
use spanrs::io::{SyntaxChunk, SyntaxFormat, SyntaxReader, SyntaxSentence};

/// Returns a segmenter of sentences such as "Ann didn't sleep."
fn segmenter() -> Segmenter {
    let mut paragraph = GoldParagraph::default();
    for name in ["Ann", "Bob", "Eve", "Dan"] {
        paragraph.push_token(name, &[], true);
        paragraph.push_token("didn't", &["did", "n't"], true);
        paragraph.push_token("sleep", &[], false);
        paragraph.push_token(".", &[], true);
        paragraph.end_sentence();
    }
    let passes = Passes {
        epochs: 10,
        seed: Some(1),
        models: 1,
        watch: || false,
    };
    fit_segmenter(&[paragraph], &SegmenterOptions::default(), passes).unwrap()
}

fn run(
    model: &Model,
    path: &str,
    text: &[u8],
    keep_tags: bool,
    threads: usize,
) -> spanrs::Result<Vec<u8>> {
    let options = AnnotateOptions {
        parse: keep_tags,
        keep_tags,
        blank: false,
        lines: false,
        document: None,
        threads,
        watch: || false,
    };
    let chunk = SyntaxChunk::whole(text.to_vec());
    annotate(model, path, SyntaxFormat::Raw, &chunk, options)
}

fn model() -> Model {
    Model {
        segmenter: Some(segmenter().into()),
        ..Model::default()
    }
}

#[test]
fn sentences_have_ids_text_and_spaces() {
    let text = "\u{feff}\n\nAnn  didn't\nsleep. Bob didn't sleep.\r\n\r\nEve\n";
    let out = run(&model(), "notes/my text.txt", text.as_bytes(), false, 1).unwrap();
    let row =
        |id: &str, form: &str, misc: &str| format!("{id}\t{form}{}\t{misc}\n", "\t_".repeat(7));
    let sentence = |name: &str| {
        row("1", name, "_")
            + &row("2-3", "didn't", "_")
            + &row("2", "did", "_")
            + &row("3", "n't", "_")
            + &row("4", "sleep", "SpaceAfter=No")
            + &row("5", ".", "_")
            + "\n"
    };
    let expected =
        "# newdoc id = my_text\n# newpar\n# sent_id = my_text-3-1\n# text = Ann didn't sleep.\n"
            .to_owned()
            + &sentence("Ann")
            + "# sent_id = my_text-3-2\n# text = Bob didn't sleep.\n"
            + &sentence("Bob")
            + "# newpar\n# sent_id = my_text-6-1\n# text = Eve\n"
            + &row("1", "Eve", "_")
            + "\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn ids_do_not_depend_on_threads() {
    let text = "\n".repeat(100) + &"Ann didn't sleep. Bob.\n\nEve\nBob\n\n\n".repeat(50);
    let one = run(&model(), "-", text.as_bytes(), false, 1).unwrap();
    assert!(one.starts_with(b"# newdoc id = text\n"));
    for threads in [2, 3, 8] {
        assert_eq!(
            run(&model(), "-", text.as_bytes(), false, threads).unwrap(),
            one
        );
    }
}

#[test]
fn long_paragraphs_have_unique_ids_and_are_cut_in_the_same_way_in_threads() {
    let long = "Ann didn't sleep. ".repeat(70_000);
    let text = format!("{long}\n\n\n\n\n{long}\nEve\n");
    let one = run(&model(), "t", text.as_bytes(), false, 1).unwrap();
    for threads in [2, 3] {
        assert!(run(&model(), "t", text.as_bytes(), false, threads).unwrap() == one);
    }
    let one = String::from_utf8(one).unwrap();
    let ids: Vec<&str> = one
        .lines()
        .filter(|line| line.starts_with("# sent_id"))
        .collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len());
    assert_eq!(one.matches("# newpar\n").count(), 2);
    assert!(ids.contains(&"# sent_id = t-6-2"));
}

#[test]
fn unusable_input_is_located() {
    let message = |model: &Model, text: &[u8], keep_tags| {
        run(model, "a.txt", text, keep_tags, 1)
            .unwrap_err()
            .to_string()
    };
    let none = message(&Model::default(), b"Hi.", false);
    assert!(
        none.starts_with("a.txt:1: the model cannot divide raw text"),
        "{none}"
    );
    assert!(message(&model(), b"Hi.", true).contains("omit --keep-tags"));
    let bytes = message(&model(), b"Hi.\n\n\xff\n", false);
    assert_eq!(bytes, "a.txt:3: bytes that are not UTF-8; convert the file");
}

proptest! {
    #[test]
    fn no_character_is_lost(text in "(Ann|didn't|[a-zé.,!?\u{301}😀\u{200b}\u{feff}]|[ \n\r\t\u{a0}]){0,40}", threads in 1_usize..4) {
        let out = run(&model(), "t", text.as_bytes(), false, threads).unwrap();
        let mut reader = SyntaxReader::new(&out, SyntaxFormat::Conllu, "t", 0).unwrap();
        let mut sentence = SyntaxSentence::default();
        let mut found = String::new();
        while reader.read(&mut sentence).unwrap() {
            let mut multiwords = sentence.multiwords.iter().peekable();
            let mut end = 0;
            for (at, word) in sentence.words.iter().enumerate() {
                if let Some(multiword) = multiwords.next_if(|multiword| multiword.start == at) {
                    found.push_str(multiword.form);
                    end = multiword.end;
                } else if at >= end {
                    found.push_str(word.form());
                }
            }
        }
        let is_text = |c: &char| !c.is_whitespace() && !matches!(c, '\u{feff}' | '\u{200b}');
        prop_assert_eq!(found, text.chars().filter(is_text).collect::<String>());
    }
}

#[test]
fn blocks_that_continue_a_paragraph_have_ids_of_their_own() {
    let options = AnnotateOptions {
        parse: false,
        keep_tags: false,
        blank: false,
        lines: false,
        document: Some("d"),
        threads: 1,
        watch: || false,
    };
    let run = |starts_document, continues| {
        let chunk = SyntaxChunk {
            starts_document,
            continues,
            ..SyntaxChunk::whole(b"Ann didn't sleep. Bob.\n\nEve\n".to_vec())
        };
        let out = annotate(&model(), "t", SyntaxFormat::Raw, &chunk, options).unwrap();
        let lines = String::from_utf8(out).unwrap();
        let comments = lines
            .lines()
            .filter(|line| line.starts_with("# ") && !line.starts_with("# text"));
        comments.map(str::to_owned).collect::<Vec<_>>().join("|")
    };
    assert_eq!(
        run(true, 0),
        "# newdoc id = d|# newpar|# sent_id = d-1-1|# sent_id = d-1-2|# newpar|# sent_id = d-3-1"
    );
    assert_eq!(
        run(false, 2),
        "# sent_id = d-1-part3-1|# sent_id = d-1-part3-2|# newpar|# sent_id = d-3-1"
    );
}

#[test]
fn segmentation_can_be_stopped() {
    let options = AnnotateOptions {
        parse: false,
        keep_tags: false,
        blank: false,
        lines: false,
        document: None,
        threads: 1,
        watch: || true,
    };
    let chunk = SyntaxChunk::whole("Ann didn't sleep.\n\n".repeat(100_000).into_bytes());
    let stopped = annotate(&model(), "t", SyntaxFormat::Raw, &chunk, options);
    assert!(matches!(stopped, Err(spanrs::Error::Stopped)));
}
