//! Tagging and parsing CoNLL-U changes the predicted columns and nothing else.

#![allow(clippy::unwrap_used)] // A panic in a test helper is a test failure.

use proptest::prelude::*;
use proptest::sample::select;
use spanrs::dep::{Model, import_published};
use spanrs::dep_files::{AnnotateOptions, annotate};
use spanrs::io::{Source, SyntaxChunks, SyntaxFormat};

/// Returns a model that gives every word the XPOS `NN` and attaches each word to the next one, and
/// the last word to the root. The model predicts no UPOS and no labels, so DEPREL becomes `_`.
fn model() -> Model {
    let json = br#"{"tagger": {}, "tagdict": {}, "classes": ["NN"], "parser": {"bias": {"2": 1}}}"#;
    import_published(json).unwrap()
}

fn annotated(text: &str, format: SyntaxFormat, parse: bool, threads: usize) -> String {
    let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let source = Source::stream("t.conllu", reader);
    let mut chunks = SyntaxChunks::open(&source, Some(format)).unwrap();
    let options = AnnotateOptions {
        parse,
        keep_tags: false,
        blank: false,
        lines: false,
        document: None,
        threads,
        watch: || false,
    };
    let mut out = Vec::new();
    while let Some(chunk) = chunks.read().unwrap() {
        out.extend(annotate(&model(), "t.conllu", format, &chunk, options).unwrap());
    }
    String::from_utf8(out).unwrap()
}

/// A line that is not a word.
#[derive(Clone, Copy, Debug)]
enum Other {
    Comment,
    EmptyNode,
    /// A multiword token of the next two words; omitted if there are fewer than two or if they are
    /// already covered.
    Multiword,
}

/// FORM, LEMMA and UPOS; FEATS; DEPS and MISC; and the lines between a word and the next.
#[derive(Clone, Debug)]
struct Word {
    fields: [&'static str; 3],
    after: Vec<Other>,
}

/// Comments, words, and the blank lines after the sentence.
#[derive(Clone, Debug)]
struct Sentence {
    comments: Vec<&'static str>,
    words: Vec<Word>,
    blank: Vec<&'static str>,
}

fn sentence() -> impl Strategy<Value = Sentence> {
    let forms = [
        "Ada\t_\t_",
        "\u{e9}t\u{e9}\tAda\tNOUN",
        "#\t\u{feff}\t_",
        "a b\t_\tX",
    ];
    let fields = (
        select(forms.to_vec()),
        select(vec!["_", "Case=Nom|Number=Sing"]),
        select(vec!["_\t_", "0:root|2.1:conj\tSpaceAfter=No", "_\t A=1 "]),
    );
    let other = select(vec![Other::Comment, Other::EmptyNode, Other::Multiword]);
    let word = (fields, proptest::collection::vec(other, 0..3)).prop_map(|(fields, after)| Word {
        fields: fields.into(),
        after,
    });
    let comment = select(vec!["# text = Ada", "#", "# newdoc id = d", "#  x \u{a0}"]);
    (
        proptest::collection::vec(comment, 0..3),
        proptest::collection::vec(word, 0..6),
        proptest::collection::vec(select(vec!["", " ", "\t"]), 1..3),
    )
        .prop_map(|(comments, words, blank)| Sentence {
            comments,
            words,
            blank,
        })
}

impl Sentence {
    /// Returns the lines without line ends; `predicted` returns XPOS, HEAD and DEPREL of a word for
    /// its number and the number of the last word.
    fn lines(&self, predicted: &dyn Fn(usize, usize) -> [String; 3]) -> Vec<String> {
        let mut lines: Vec<String> = self.comments.iter().map(|line| line.to_string()).collect();
        let last = self.words.len();
        // The last word of a multiword token.
        let mut covered = 0;
        for (number, word) in (1..).zip(&self.words) {
            let [xpos, head, label] = predicted(number, last);
            let [form, feats, rest] = word.fields;
            lines.push(format!(
                "{number}\t{form}\t{xpos}\t{feats}\t{head}\t{label}\t{rest}"
            ));
            for (at, other) in (1..).zip(&word.after) {
                match other {
                    Other::Comment => lines.push("# 3.1\t spanrs".to_owned()),
                    Other::EmptyNode => {
                        let fields = "saw\tsee\tVERB\tVBD\t_\t_\t_\t0:root\tA=1";
                        lines.push(format!("{number}.{at}\t{fields}"));
                    }
                    Other::Multiword if covered <= number && number + 2 <= last => {
                        covered = number + 2;
                        let (first, rest) = (number + 1, "\t_".repeat(7));
                        lines.push(format!("{first}-{covered}\tdon't{rest}\tB=\u{e9}"));
                    }
                    Other::Multiword => {}
                }
            }
        }
        lines.extend(self.blank.iter().map(|line| line.to_string()));
        lines
    }
}

proptest! {
    #[test]
    fn bytes_outside_of_predicted_columns_are_kept(
        sentences in proptest::collection::vec(sentence(), 0..12),
        line_ends in proptest::collection::vec(select(vec!["\n", "\r\n"]), 1..4),
        mark in select(vec!["", "\u{feff}"]),
        (is_cut, parse) in any::<(bool, bool)>(),
    ) {
        let text = |predicted: &dyn Fn(usize, usize) -> [String; 3]| -> String {
            let lines = sentences.iter().flat_map(|sentence| sentence.lines(predicted));
            let lines = lines.zip(line_ends.iter().cycle()).map(|(line, end)| line + end);
            let text = lines.collect::<String>();
            // Files may end without a blank line, and without a line end after the last line.
            let end = if is_cut { text.trim_end_matches(['\r', '\n']) } else { &text };
            mark.to_owned() + end
        };
        let input = text(&|_, _| ["OLD", "x", "nsubj"].map(str::to_owned));
        let expected = text(&|number, last| {
            let head = if number == last { 0 } else { number + 1 };
            match parse {
                true => ["NN".to_owned(), head.to_string(), "_".to_owned()],
                false => ["NN", "x", "nsubj"].map(str::to_owned),
            }
        });
        for threads in [1, 3] {
            let out = annotated(&input, SyntaxFormat::Conllu, parse, threads);
            // Sentences with other columns get a comment; no other line is added.
            let lines = out.split_inclusive('\n');
            let kept = lines.map(|line| match line.trim_start_matches('\u{feff}') {
                comment if comment.starts_with("# spanrs.predicted = XPOS") => &line[..line.len() - comment.len()],
                _ => line,
            });
            prop_assert_eq!(kept.collect::<String>(), expected.as_str());
        }
    }
}

#[test]
fn the_comment_of_predicted_columns_ends_as_the_lines_do() {
    let row = |xpos| format!("1\tAda\tAda\t_\t{xpos}{}\r\n\r\n", "\t_".repeat(5));
    let out = annotated(&row("_"), SyntaxFormat::Conllu, false, 1);
    assert_eq!(out, format!("# spanrs.predicted = XPOS\r\n{}", row("NN")));
    // An existing comment is replaced, not repeated.
    assert_eq!(annotated(&out, SyntaxFormat::Conllu, false, 1), out);
}

#[test]
fn other_formats_become_conllu_with_line_feeds() {
    let out = annotated("\u{feff}Ada wrote\r\nYes", SyntaxFormat::Tokens, false, 3);
    let row = |id, form| format!("{id}\t{form}\t_\t_\tNN{}\n", "\t_".repeat(5));
    let expected = format!("{}{}\n{}\n", row(1, "Ada"), row(2, "wrote"), row(1, "Yes"));
    assert_eq!(out, expected);
}
