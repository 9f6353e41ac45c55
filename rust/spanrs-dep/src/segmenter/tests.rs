//! Tests of training and segmentation on treebanks written for them.

use std::sync::OnceLock;

use proptest::prelude::*;

use super::*;
use crate::{Error, Model, Passes, Result};

const PASSES: Passes = Passes {
    epochs: 10,
    seed: Some(1),
    models: 1,
    watch: || false,
};

/// Appends a sentence: tokens are separated by spaces, `_` glues a token to the previous one, and
/// `token=word+word` is a multiword token.
fn push_sentence(paragraph: &mut GoldParagraph, sentence: &str) {
    for (at, token) in sentence.split(' ').enumerate() {
        let (is_glued, token) = match token.strip_prefix('_') {
            Some(token) if !token.is_empty() => (true, token),
            _ => (false, token),
        };
        let (form, words) = token.split_once('=').unwrap_or((token, ""));
        let words: Vec<&str> = words.split('+').filter(|word| !word.is_empty()).collect();
        if at > 0 && is_glued && paragraph.text.ends_with(' ') {
            paragraph.text.pop();
        }
        paragraph.push_token(&form.replace('~', " "), &words, true);
    }
    paragraph.end_sentence();
}

/// Returns a paragraph for each item, with a sentence for each line.
fn paragraphs(texts: &[String]) -> Vec<GoldParagraph> {
    let paragraph = |text: &String| {
        let mut paragraph = GoldParagraph::default();
        text.lines()
            .for_each(|sentence| push_sentence(&mut paragraph, sentence));
        paragraph
    };
    texts.iter().map(paragraph).collect()
}

fn fit(texts: &[String]) -> Segmenter {
    fit_segmenter(&paragraphs(texts), &SegmenterOptions::default(), PASSES).unwrap()
}

/// Returns the sentences as words joined by spaces; words of multiword tokens joined by `+`.
fn segment(segmenter: &Segmenter, text: &str) -> Vec<String> {
    let mut all = Segmentation::default();
    segmenter
        .segment(text, &mut SegmenterBuffers::default(), &mut all, || false)
        .unwrap();
    let token = |token| all.token_words(token, text).collect::<Vec<_>>().join("+");
    (0..all.len())
        .map(|at| {
            all.sentence(at)
                .iter()
                .map(token)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

/// Returns a segmenter of simple English.
fn english() -> &'static Segmenter {
    static SEGMENTER: OnceLock<Segmenter> = OnceLock::new();
    SEGMENTER.get_or_init(|| {
        let mut texts = Vec::new();
        for who in ["Ann", "Bob", "Mr. Lee", "Eve", "The cat"] {
            for what in [
                "sleeps",
                "ate 3 apples",
                "sees its name",
                "sits in the U.S. today",
                "runs (fast _)",
            ] {
                let first = format!("{who} {what} _.\nIt didn't=did+n't help _, {who} says _!");
                let second = format!(
                    "Its=It+s ok _.\n{who} doesn't=does+n't _.\nWhy _?\n{who} has its cat _."
                );
                texts.push(first.replace("(fast _)", "( _fast _)"));
                texts.push(second);
                texts.push(
                    format!("We don't=do+n't know _, and its=it+s late _.\n{who} {what} _...")
                        .replace("(fast _)", "( _fast _)"),
                );
            }
        }
        fit(&texts)
    })
}

#[test]
fn sentences_tokens_and_words_are_found() {
    let text = "Bob sees Ann. Why?  Mr. Lee\r\ndoesn't sleep (fast), and Eve says!\n\nIt didn't";
    let expected = [
        "Bob sees Ann .",
        "Why ?",
        "Mr. Lee does+n't sleep ( fast ) , and Eve says !",
        "It did+n't",
    ];
    assert_eq!(segment(english(), text), expected);
}

#[test]
fn multiword_tokens_depend_on_context_and_keep_their_case() {
    assert_eq!(segment(english(), "Its ok."), ["It+s ok ."]);
    assert_eq!(
        segment(english(), "Ann sees its name."),
        ["Ann sees its name ."]
    );
    // Unseen, with another apostrophe, in capitals.
    assert_eq!(segment(english(), "Ann couldn’t."), ["Ann could+n’t ."]);
    assert_eq!(segment(english(), "ANN DIDN'T."), ["ANN DID+N'T ."]);
}

#[test]
fn replaced_words_get_the_case_of_the_token() {
    let mut texts = Vec::new();
    for (infinitive, form) in [
        ("parlare", "parlarlo"),
        ("fare", "farlo"),
        ("dire", "dirlo"),
        ("amare", "amarlo"),
    ] {
        texts.push(format!(
            "Voglio {form}={infinitive}+lo oggi _.\nVengo del=di+il mare _."
        ));
        texts.push("Il carlo dorme qui _.\nEcco il merlo _.\nIl ballo è qui _.".to_owned());
    }
    let segmenter = fit(&texts);
    assert_eq!(
        segment(&segmenter, "Voglio mangiarlo oggi."),
        ["Voglio mangiare+lo oggi ."]
    );
    assert_eq!(
        segment(&segmenter, "Vengo DEL mare."),
        ["Vengo DI+IL mare ."]
    );
    assert_eq!(segment(&segmenter, "Del mare."), ["Di+il mare ."]);
    assert_eq!(segment(&segmenter, "Ecco il merlo."), ["Ecco il merlo ."]);
}

#[test]
fn text_without_spaces_is_segmented() {
    let mut texts = Vec::new();
    for who in ["我", "他们", "老师", "学生们"] {
        for (verb, what) in [
            ("喜欢", "苹果"),
            ("看", "电影"),
            ("学习", "中文"),
            ("吃", "米饭"),
        ] {
            texts.push(format!("{who} _{verb} _{what} _。"));
            texts.push(format!(
                "{who} _不 _{verb} _{what} _。\n_{who} _也 _{verb} _{what} _吗 _？"
            ));
        }
    }
    let segmenter = fit(&texts);
    assert_eq!(
        segment(&segmenter, "他们不学习苹果。老师也看米饭吗？"),
        ["他们 不 学习 苹果 。", "老师 也 看 米饭 吗 ？"]
    );
}

#[test]
fn tokens_with_spaces_are_learnt() {
    let mut texts = Vec::new();
    for n in 1..30 {
        texts.push(format!(
            "Il a {n}~000 francs et {n} livres _.\nIl a {n}~250 euros _."
        ));
    }
    let segmenter = fit(&texts);
    let text = "Il a 17\u{a0}\n000 livres.";
    assert_eq!(segment(&segmenter, text), ["Il a 17 000 livres ."]);
    let mut all = Segmentation::default();
    segmenter
        .segment(text, &mut SegmenterBuffers::default(), &mut all, || false)
        .unwrap();
    assert_eq!(&text[all.tokens[2].bytes.clone()], "17\u{a0}\n000");
    assert!(!all.tokens[2].is_multiword());
}

/// Returns a model file with only this segmenter.
fn bytes_of(segmenter: &Segmenter) -> Vec<u8> {
    let segmenter = Some(segmenter.clone().into());
    let model = Model {
        segmenter,
        ..Model::default()
    };
    model.to_bytes().unwrap()
}

/// Reads a model file; without a segmenter, the default error is returned.
fn read(file: &[u8]) -> Result<Segmenter> {
    let segmenter = Model::from_bytes(file)?.segmenter;
    let segmenter = segmenter.map(std::sync::Arc::unwrap_or_clone);
    segmenter.ok_or_else(|| Error::File("no segmenter".to_owned()))
}

#[test]
fn training_is_deterministic_and_files_keep_everything() {
    let texts = ["Ann didn't=did+n't sleep _.\nBob hadn't=had+n't _.".to_owned()];
    assert_eq!(bytes_of(&fit(&texts)), bytes_of(&fit(&texts)));
    let bytes = bytes_of(english());
    let again = read(&bytes).unwrap();
    assert_eq!(bytes_of(&again), bytes);
    let text = "Mr. Lee doesn't sleep. Its ok. We see its name in the U.S. today!";
    assert_eq!(segment(&again, text), segment(english(), text));
}

#[test]
fn unusable_training_data_is_an_error() {
    let options = SegmenterOptions::default();
    let error = |paragraphs: &[GoldParagraph]| {
        let result = fit_segmenter(paragraphs, &options, PASSES);
        result
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert_eq!(error(&[]), "there are no tokens to learn");
    let mut paragraph = GoldParagraph::default();
    push_sentence(&mut paragraph, "a bc");
    for (start, end) in [(1, 2), (3, 9), (0, 3), (2, 3), (4, 4)] {
        let mut wrong = paragraph.clone();
        (wrong.tokens[1].start, wrong.tokens[1].end) = (start, end);
        let found = error(&[wrong]);
        assert!(
            found.contains("do not cover its text"),
            "{start}..{end}: {found}"
        );
    }
    // The watch is called after 50 milliseconds.
    let endless = Passes {
        epochs: usize::MAX,
        watch: || true,
        ..PASSES
    };
    let stopped = fit_segmenter(&[paragraph], &options, endless);
    assert!(matches!(stopped, Err(Error::Interrupted)));
}

#[test]
fn long_runs_are_segmented() {
    for run in ["x", "-", "我", "1", "\"", "a.", "👩🏽‍🚀", "🇩🇪"] {
        let text = run.repeat(100_000 / run.len());
        let all = segment(english(), &text);
        assert_eq!(all.concat().replace([' ', '+'], ""), text, "{run}");
    }
}

#[test]
fn damaged_files_are_errors_or_segmenters() {
    let texts = ["Ann didn't=did+n't sleep _.\nBob hadn't=had+n't _.\ndel=di+il mare".to_owned()];
    let bytes = bytes_of(&fit(&texts));
    let mut rng = spanrs_base::Rng::new(3);
    for _ in 0..1500 {
        let mut damaged = bytes.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(damaged.len() as u64) as usize;
            damaged[at] = rng.draw() as u8;
        }
        if rng.below(10) == 0 {
            damaged.truncate(rng.below(damaged.len() as u64) as usize);
        }
        match read(&damaged) {
            Ok(segmenter) => {
                segment(&segmenter, "Bob didn't sleep. Del mare! ann hadn't-1");
            }
            Err(error) => assert!(matches!(error, Error::File(_)), "{error:?}"),
        }
    }
}

/// Text with the characters that matter, and some others.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[A-Za-z]{1,5}",
        "[ \t]{1,2}",
        "\r?\n",
        "\n\n",
        "[.!?,:()'\"-]{1,3}",
        "[0-9]{1,3}",
        "\\PC{1,4}",
        "(don't|its|Mr\\.|U\\.S\\.|…|é|e\u{301}|👩🏽‍🚀|我们|\u{feff}|\u{200b}|\0)",
    ];
    proptest::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn tokens_cover_everything_but_white_space(text in text()) {
        let mut all = Segmentation::default();
        english().segment(&text, &mut SegmenterBuffers::default(), &mut all, || false).unwrap();
        let (mut byte, mut char) = (0, 0);
        for token in &all.tokens {
            let between = &text[byte..token.bytes.start];
            prop_assert!(between.chars().all(characters::is_white));
            char += between.chars().count();
            prop_assert_eq!(char, token.chars.start);
            let own = &text[token.bytes.clone()];
            prop_assert!(!own.is_empty() && !own.contains(characters::is_white));
            char += own.chars().count();
            prop_assert_eq!(char, token.chars.end);
            byte = token.bytes.end;
        }
        prop_assert!(text[byte..].chars().all(characters::is_white));
        prop_assert_eq!(all.sentences.total(), all.tokens.len());
        prop_assert_eq!(all.paragraphs.total(), all.len());
        let words: String = (0..all.len()).flat_map(|at| all.words(at, &text)).collect();
        prop_assert_eq!(words, text.replace(characters::is_white, ""));
    }

    #[test]
    fn white_space_makes_no_difference(text in text(), space in prop::sample::select(vec!["\n", "\r\n", "\t", "  ", " \n ", "\u{feff} "])) {
        // Blank lines would end sentences.
        let spaced = text.split(characters::is_white).filter(|part| !part.is_empty()).collect::<Vec<_>>();
        prop_assert_eq!(segment(english(), &spaced.join(" ")), segment(english(), &spaced.join(space)));
    }
}
