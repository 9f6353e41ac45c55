//! Model files with changed bytes are rejected, or give a model that works.

#![allow(clippy::unwrap_used, clippy::panic)] // A panic in a test helper is a test failure.

use spanrs_base::Rng;
use spanrs_dep::{Error, Model, Next, Parse, ParserOptions, Passes, Sentence, TaggerOptions};
use spanrs_dep::{
    GoldParagraph, MorphologyOptions, Segmentation, SegmenterBuffers, SegmenterOptions,
};
use spanrs_dep::{
    Treebank, Word, Workspace, fit_morphology, fit_parser, fit_segmenter, fit_tagger,
};

/// Number of changed files.
const FILES: usize = 10_000;

/// Returns sentences of random words: every word has many tags and labels, so that rows are short, long and dense.
fn treebank() -> Treebank {
    let names = |prefix: &str, n: u32| (0..n).map(|at| format!("{prefix}{at}")).collect::<Vec<_>>();
    let (forms, tags, labels) = (names("w", 30), names("T", 12), names("l", 12));
    let (mut rng, mut treebank) = (Rng::new(3), Treebank::default());
    let mut draw = |names: &[String]| rng.below(names.len() as u64) as usize;
    for _ in 0..60 {
        let words: Vec<[usize; 3]> = (0..5)
            .map(|_| [draw(&forms), draw(&tags), draw(&labels)])
            .collect();
        treebank.push(
            words
                .iter()
                .enumerate()
                .map(|(at, [form, tag, label])| Word {
                    form: &forms[*form],
                    xpos: &tags[*tag],
                    upos: &tags[*tag],
                    feats: &labels[*label],
                    lemma: &forms[(form + tag) % forms.len()],
                    head: at as u32,
                    label: if at == 0 { "root" } else { &labels[*label] },
                }),
        );
    }
    treebank
}

fn model() -> Model {
    let treebank = treebank();
    let passes = Passes {
        epochs: 3,
        seed: Some(1),
        models: 1,
        watch: || false,
    };
    let all: Vec<usize> = (0..treebank.len()).collect();
    let options = TaggerOptions {
        min_count: 2,
        ..TaggerOptions::default()
    };
    let tagger = fit_tagger(&treebank, &all, options, passes, |_, _| Ok(Next::Continue));
    let options = ParserOptions::default();
    let parser = fit_parser(&treebank, &options, passes, |_, _| Ok(Next::Continue));
    let options = MorphologyOptions::default();
    let go_on = |_| Ok(Next::Continue);
    let morphology = fit_morphology(&treebank, &treebank, &options, passes, go_on);
    let options = SegmenterOptions::default();
    let segmenter = fit_segmenter(&[paragraph()], &options, passes);
    Model {
        segmenter: Some(segmenter.unwrap().into()),
        tagger: Some(tagger.unwrap().into()),
        morphology: Some(morphology.unwrap().into()),
        parser: Some(parser.unwrap().into()),
        ..Model::default()
    }
}

/// Returns text with full stops, and with tokens of one and of two words.
fn paragraph() -> GoldParagraph {
    let mut paragraph = GoldParagraph::default();
    for at in 0..40 {
        paragraph.push_token(&format!("w{at}"), &[], true);
        paragraph.push_token(&format!("w{at}n't"), &[&format!("w{at}"), "n't"], false);
        paragraph.push_token(".", &[], true);
        paragraph.end_sentence();
    }
    paragraph
}

/// Returns the words of a text.
fn segment(model: &Model) -> Vec<String> {
    let text = "w1 w2n't. New n't w0.  x";
    let mut found = Segmentation::default();
    if let Some(segmenter) = &model.segmenter {
        segmenter
            .segment(text, &mut SegmenterBuffers::default(), &mut found, || false)
            .unwrap();
    }
    let sentences = 0..found.len();
    sentences
        .flat_map(|at| found.words(at, text).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

fn annotate(model: &Model) -> Vec<Parse> {
    let sentences = [
        &["w1", "w2", "w3", "W4"][..],
        &["w5"],
        &[],
        &["new", "w29", "w0"],
    ];
    let sentences = sentences.map(|words| Sentence {
        words,
        ..Sentence::default()
    });
    let mut parses = Vec::new();
    model.annotate(&sentences, true, &mut Workspace::default(), &mut parses);
    parses
}

/// Returns the largest memory of this process so far in MiB; 0 if the system does not say.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    number.unwrap_or_default() / 1024
}

#[test]
fn changed_files_are_rejected_or_work() {
    let model = model();
    let bytes = model.to_bytes().unwrap();
    let again = Model::from_bytes(&bytes).unwrap();
    assert_eq!(annotate(&again), annotate(&model));
    assert_eq!(segment(&again), segment(&model));
    assert_eq!(again.to_bytes().unwrap(), bytes);
    let (mut rng, before) = (Rng::new(4), peak_memory());
    let mut below = |n: usize| rng.below(n as u64) as usize;
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..FILES {
        let mut changed = bytes.clone();
        for _ in 0..=below(3) {
            // A third of the changes are in the header.
            let end = if below(3) == 0 { 2000 } else { bytes.len() };
            let at = below(end);
            changed[at] = match below(3) {
                0 => changed[at] ^ (1 << below(8)),
                1 => below(256) as u8,
                _ => [0, 1, 127, 128, 255][below(5)],
            };
        }
        if below(20) == 0 {
            let len = below(bytes.len());
            changed.truncate(len);
        }
        match Model::from_bytes(&changed) {
            Ok(model) => {
                let parses = annotate(&model);
                assert_eq!(parses.len(), 4);
                segment(&model);
                accepted += 1;
            }
            Err(error) => {
                assert!(matches!(error, Error::File(_)), "{error}");
                rejected += 1;
            }
        }
    }
    assert!(accepted > FILES / 20, "{accepted} accepted");
    assert!(rejected > FILES / 20, "{rejected} rejected");
    assert!(peak_memory() <= before + 16 + 20 * bytes.len() / (1 << 20));
}

#[test]
fn truncated_files_are_rejected() {
    let bytes = model().to_bytes().unwrap();
    for len in (0..bytes.len()).step_by(bytes.len() / 100) {
        assert!(
            matches!(Model::from_bytes(&bytes[..len]), Err(Error::File(_))),
            "{len} bytes"
        );
    }
}
