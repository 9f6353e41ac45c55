//! Models trained in Rust are complete: files tag alone, with the same labels.

#![allow(clippy::unwrap_used)] // A panic in a test helper is a test failure.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use spanrs::crf::{Gazetteer, Lexicons, Template, TrainingOptions, TrainingRun};
use spanrs::crf_files::{TagOptions, TaggedSentences, fit, read_tagged, tag};
use spanrs::io::{Column, Columns, Source};
use spanrs::tags::Scheme;
use spanrs::{ColumnFile, CrfModel, Error};

/// The metadata that the command line reads; tests/cli/test_crf.py tags with it.
const METADATA: &str = include_str!("../../../tests/cases/crf_metadata.json");
const TEXT: &str = "Ada NNP B-PER\nLovelace NNP I-PER\n\nhe PRP O\nwrote VBD O\n";

fn sentences(text: &'static str, extra: &[Column]) -> Result<TaggedSentences, Error> {
    let source = Source::stream("train.conll", Box::new(text.as_bytes())).into();
    let columns = Columns::default();
    read_tagged(&ColumnFile { source, columns }, Some(extra), &mut |_| true)
}

fn fitted(text: &'static str, extra: &[Column], template: &str) -> Result<CrfModel, Error> {
    let template = Template::parse(template).unwrap();
    let sentences = sentences(text, extra)?;
    fit(
        &sentences,
        &template,
        &TrainingOptions::default(),
        TrainingRun::default(),
    )
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/crf/{name}.conll"))
}

#[test]
fn a_saved_model_tags_files_with_the_same_labels() {
    let train = read_tagged(&(&*example("train")).into(), Some(&[]), &mut |_| true).unwrap();
    let template = Template::builtin("ner").unwrap();
    let model = CrfModel::fit(
        &template,
        &train.columns,
        train.labels(),
        &TrainingOptions::default(),
    );
    let path = std::env::temp_dir().join(format!("spanrs-{}.model", std::process::id()));
    let model = model.unwrap();
    model.save(&path).unwrap();
    let read = CrfModel::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();

    let raw = ColumnFile::from(&*example("dev"));
    let dev = read_tagged(&raw, Some(&[]), &mut |_| true).unwrap();
    let expected = model.tag(dev.columns).unwrap();
    let mut out = Vec::new();
    let (template, options) = (read.template().unwrap(), TagOptions::default());
    tag(
        &[raw],
        read.model(),
        template,
        &options,
        &mut out,
        &mut |_| true,
    )
    .unwrap();
    let out = String::from_utf8(out).unwrap();
    let lines = out.lines().filter(|line| !line.is_empty());
    let tags: Vec<&str> = lines
        .map(|line| line.rsplit([' ', '\t']).next().unwrap())
        .collect();
    assert_eq!(tags, expected.concat());
    assert!(tags.contains(&"B-PER"));
}

#[test]
fn a_saved_model_contains_its_lexicons() {
    let names = Gazetteer::read(b"Ada Lovelace\nGrace Hopper\n", "names.txt", false).unwrap();
    let lexicons: Lexicons = [("names".to_owned(), names.into())].into_iter().collect();
    let template = Template::parse("U:%in[0,0,names]").unwrap();
    let template = template.with_lexicons(&lexicons).unwrap();
    let (options, run) = (TrainingOptions::default(), TrainingRun::default());
    let model = fit(&sentences(TEXT, &[]).unwrap(), &template, &options, run).unwrap();
    let path = std::env::temp_dir().join(format!("spanrs-{}.lexicons", std::process::id()));
    model.save(&path).unwrap();
    let read = CrfModel::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read.model().lexicons(), &lexicons);
    let tokens = [vec!["Grace", "Hopper"], vec!["he", "slept"]];
    let tags = read.tag(spanrs::crf::Columns::of_tokens(tokens)).unwrap();
    assert_eq!(tags, [["B-PER", "I-PER"], ["O", "O"]]);
    let bare = read.model().clone().with_lexicons(Lexicons::default());
    let error = CrfModel::new(bare).err().unwrap().to_string();
    assert!(error.contains("there is no lexicon names"), "{error}");
}

#[test]
fn metadata_are_what_the_command_line_reads() {
    // The column -2 is 1 in a file with tags; a file without tags has fewer columns.
    let model = fitted(TEXT, &[Column::Index(-2)], "U00:%x[0,0]\nU01:%x[0,1]").unwrap();
    let mut metadata: Value = serde_json::from_str(model.model().metadata()).unwrap();
    let options = metadata.as_object_mut().unwrap().remove("params");
    assert_eq!(options, Some(json!(TrainingOptions::default())));
    let version = metadata["card"].as_object_mut().unwrap().remove("spanrs");
    assert_eq!(version, Some(json!(env!("CARGO_PKG_VERSION"))));
    assert_eq!(metadata, serde_json::from_str::<Value>(METADATA).unwrap());
}

#[test]
fn schemes_restrict_labels_and_can_be_changed() {
    let scheme = |model: &CrfModel| {
        let metadata: Value = serde_json::from_str(model.model().metadata()).unwrap();
        metadata.get("scheme").cloned()
    };
    let model = fitted(TEXT, &[], "U:%x[0,0]").unwrap();
    assert_eq!(scheme(&model), Some(json!("BIO")));
    let free = model.with_scheme(None).unwrap();
    assert_eq!(scheme(&free), None);
    assert!(free.with_scheme(Some(Scheme::Iobes)).is_ok());
    let pos = fitted("the DET\ncat NOUN\n", &[], "U:%x[0,0]").unwrap();
    assert_eq!(scheme(&pos), None);
    assert!(pos.with_scheme(Some(Scheme::Bio)).is_err());
}

#[test]
fn errors_have_positions() {
    let message = |text, template| fitted(text, &[], template).err().unwrap().to_string();
    assert_eq!(
        message("a a\nb b\n", "U:%x[0,0]"),
        "train.conll: all tags equal their tokens; specify the column of the tags"
    );
    let error = message("# a comment\nAda O\n", "U:%x[0,1]");
    assert!(error.starts_with("train.conll:2: "), "{error}");
    let missing = CrfModel::load(Path::new("/no/such/file")).err().unwrap();
    assert_eq!(missing.to_string(), "/no/such/file: no such file");
    let text = CrfModel::load(&example("raw")).err().unwrap();
    assert!(matches!(text, Error::Crf { .. }), "{text}");
}

#[test]
fn an_interrupt_stops_the_job() {
    let run = TrainingRun {
        after: Box::new(|_, _| Err(spanrs::crf::Error::Interrupted)),
        ..TrainingRun::default()
    };
    let template = Template::builtin("pos").unwrap();
    let sentences = sentences(TEXT, &[]).unwrap();
    let stopped = fit(&sentences, &template, &TrainingOptions::default(), run);
    assert!(matches!(stopped, Err(Error::Stopped)));
}
