//! Tagging a column file changes its tags and nothing else.

#![allow(clippy::unwrap_used)] // A panic in a test helper is a test failure.

use proptest::prelude::*;
use proptest::sample::select;
use spanrs::crf::{AttributeIndex, Extractor, Features, Model, Template};
use spanrs::crf_files::{TagOptions, tag};
use spanrs::io::{Column, Columns, Source};
use spanrs::{ColumnFile, base::Interner};

/// Returns a model that tags `Ada` with `B-PER` and other tokens with `O`.
fn model() -> Model {
    let (features, _) = Features::listed(2, 1, &[(0, 1)], &[]).unwrap();
    let (mut labels, mut attributes) = (Interner::default(), Interner::default());
    let _ = ["O", "B-PER"].map(|name| labels.intern(name));
    attributes.intern("U:Ada");
    Model::new(labels, attributes, features, vec![1.0], "{}".into()).unwrap()
}

fn tagged(texts: &[Vec<u8>], target: Option<&str>, threads: usize) -> String {
    let model = model();
    let template = Extractor::new(&Template::parse("U:%x[0,0]").unwrap());
    let index = AttributeIndex::new(model.attributes());
    let column = |name: &str| match name.parse() {
        Ok(number) => Column::Index(number),
        Err(_) => Column::Name(name.to_owned()),
    };
    let options = TagOptions {
        extra: Vec::new(),
        target: target.map(column),
        conllu_target: None,
        posterior: false,
        probabilities: false,
        threads,
        watch: || false,
    };
    let file = |text: &Vec<u8>| {
        let reader = Box::new(std::io::Cursor::new(text.clone()));
        ColumnFile {
            source: Source::stream("t.conll", reader).into(),
            columns: Columns::default(),
        }
    };
    let files: Vec<_> = texts.iter().map(file).collect();
    let (mut out, model) = (Vec::new(), &model);
    let tagged = tag(
        &files,
        model,
        (&template, &index),
        &options,
        &mut out,
        &mut |_| true,
    );
    tagged.unwrap();
    String::from_utf8(out).unwrap()
}

/// A line: the text before the tag, the tag that is replaced, and the text after it.
type Line = (String, Option<&'static str>, String);

fn token() -> impl Strategy<Value = &'static str> {
    select(vec!["Ada", "wrote", "\u{e9}t\u{e9}", "B-PER", "|", "."])
}

fn end() -> impl Strategy<Value = &'static str> {
    select(vec!["\n", "\r\n"])
}

/// Lines of a file with two columns, in which one column of tags is replaced.
fn column_lines() -> impl Strategy<Value = Vec<Line>> {
    let separator = select(vec![" ", "  ", " \t "]);
    let blanks = select(vec!["", " ", "\t"]);
    let word = (token(), separator, blanks, end()).prop_map(|(token, separator, blanks, end)| {
        (
            format!("{token}{separator}"),
            Some(token),
            format!("{blanks}{end}"),
        )
    });
    let other = select(vec![
        "\n",
        "\r\n",
        " \n",
        "\n# id = 1\n",
        "\n# newdoc id = d\n",
    ])
    .prop_map(|line| (line.to_owned(), None, String::new()));
    let line = prop_oneof![4 => word, 1 => other];
    proptest::collection::vec(line, 0..40)
}

/// Lines of CoNLL-U in which a key of MISC is replaced or added.
fn conllu_lines() -> impl Strategy<Value = Vec<Line>> {
    let misc = select(vec![
        ("", ""),
        ("A=1|", ""),
        ("", "|B=2"),
        ("XNER=O|", "|NERX=O"),
    ]);
    let word = (token(), misc, end()).prop_map(|(token, (before, after), end)| {
        let fields = format!("1\t{token}\t_\t_\t_\t_\t0\troot\t_\t{before}NER=");
        (fields, Some(token), format!("{after}{end}"))
    });
    let other = select(vec![
        "\n".to_owned(),
        "\n# text = a\n".to_owned(),
        format!("2-3\tAda{}\n", "\t_".repeat(8)),
        format!("4.1\tAda{}\n", "\t_".repeat(8)),
    ])
    .prop_map(|line| (line, None, String::new()));
    let line = prop_oneof![4 => word, 1 => other];
    proptest::collection::vec(line, 0..40)
}

/// Checks that the output is the input with other tags, for one and for three threads.
fn check(lines: &[Line], first: &str, target: Option<&str>) {
    let name = |token: &str| if token == "Ada" { "B-PER" } else { "O" };
    let text = |tag: &dyn Fn(&'static str) -> &'static str| {
        let line = |(before, token, after): &Line| {
            format!("{before}{}{after}", token.map_or("", |token| tag(token)))
        };
        first.to_owned() + &lines.iter().map(line).collect::<String>()
    };
    let (input, expected) = (text(&|_| "B-LOC"), text(&name));
    for threads in [1, 3] {
        let texts = [input.clone().into_bytes()];
        assert_eq!(tagged(&texts, target, threads), expected);
    }
}

proptest! {
    #[test]
    fn bytes_outside_of_the_tags_of_columns_are_kept(lines in column_lines(), mark in any::<bool>()) {
        // The first token line determines the separator.
        let mark = if mark { "\u{feff}" } else { "" };
        check(&lines, &format!("{mark}. O\n"), Some("1"));
    }

    #[test]
    fn bytes_outside_of_keys_of_conllu_are_kept(lines in conllu_lines()) {
        let first = format!("1\t.{}\t0\troot\t_\tNER=O\n\n", "\t_".repeat(4));
        check(&lines, &first, Some("NER"));
    }

    #[test]
    fn a_new_column_ends_the_line(words in proptest::collection::vec((token(), end()), 1..40)) {
        let text = |tagged: bool| -> String {
            let line = |&(token, end): &(&str, &str)| {
                let tag = if token == "Ada" { "\tB-PER" } else { "\tO" };
                format!("{token}{}{end}", if tagged { tag } else { "" })
            };
            words.iter().map(line).collect()
        };
        // Two files are separated by a blank line.
        let both = format!("{0}\n{0}", text(true));
        let texts = [text(false).into_bytes(), text(false).into_bytes()];
        prop_assert_eq!(tagged(&texts, None, 1), both);
    }
}
