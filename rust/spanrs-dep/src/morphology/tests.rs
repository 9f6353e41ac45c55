//! Tests of training, prediction and files on small treebanks of several languages.

use proptest::prelude::*;
use spanrs_base::{TensorFile, TensorWriter};

use super::file::{MorphologyHeader, put_morphology, read_morphology};
use super::{Analysis, Morphology, MorphologyBuffers, MorphologyOptions, fit_morphology};
use crate::error::Error;
use crate::fit::{Next, Passes};
use crate::model_file::Tensors;
use crate::treebank::{Treebank, Word};

const PASSES: Passes = Passes {
    epochs: 8,
    seed: Some(1),
    models: 2,
    watch: || false,
};

/// A word as form, lemma, XPOS, UPOS and FEATS.
type Row<'a> = [&'a str; 5];

/// Returns a treebank with a sentence for each row.
fn treebank(sentences: &[Vec<Row<'_>>]) -> Treebank {
    let mut treebank = Treebank::default();
    for sentence in sentences {
        treebank.push(
            sentence
                .iter()
                .map(|&[form, lemma, xpos, upos, feats]| Word {
                    form,
                    lemma,
                    xpos,
                    upos,
                    feats,
                    ..Word::default()
                }),
        );
    }
    treebank
}

/// Returns the model of a treebank with its own tags.
fn fit(treebank: &Treebank) -> Morphology {
    let options = MorphologyOptions::default();
    let after = |_| Ok(Next::Continue);
    fit_morphology(treebank, treebank, &options, PASSES, after).unwrap()
}

/// Returns FEATS and LEMMA of the words of a sentence.
fn analyse(morphology: &Morphology, words: &[[&str; 3]]) -> Vec<(String, String)> {
    let mut analysis = Analysis::default();
    let mut buffers = MorphologyBuffers::default();
    morphology.analyse(words.iter().copied(), &mut buffers, &mut analysis);
    let feats = analysis.feats.iter();
    let feats = feats.map(|&class| morphology.feats()[class as usize].clone());
    let lemmas = analysis.lemmas().map(str::to_owned);
    assert!(!morphology.has_lemmas() || lemmas.len() == words.len());
    feats.zip(lemmas).collect()
}

/// Plurals, cases and possessives of Turkish nouns, which have vowel harmony and no XPOS.
fn turkish() -> Vec<Vec<Row<'static>>> {
    let words = [
        ["ev", "ev", "Case=Nom|Number=Sing"],
        ["evler", "ev", "Case=Nom|Number=Plur"],
        ["evlerde", "ev", "Case=Loc|Number=Plur"],
        ["evde", "ev", "Case=Loc|Number=Sing"],
        ["kuşlar", "kuş", "Case=Nom|Number=Plur"],
        ["kuşlarda", "kuş", "Case=Loc|Number=Plur"],
        ["kuş", "kuş", "Case=Nom|Number=Sing"],
        ["kuşta", "kuş", "Case=Loc|Number=Sing"],
        ["kızlar", "kız", "Case=Nom|Number=Plur"],
        ["kızlarda", "kız", "Case=Loc|Number=Plur"],
        ["gözler", "göz", "Case=Nom|Number=Plur"],
        ["gözlerde", "göz", "Case=Loc|Number=Plur"],
    ];
    let row = |[form, lemma, feats]: [&'static str; 3]| vec![[form, lemma, "", "NOUN", feats]];
    words.map(row).into()
}

/// German participles and plurals with umlauts.
fn german() -> Vec<Vec<Row<'static>>> {
    let participles = [
        ["gemacht", "machen"],
        ["gelacht", "lachen"],
        ["gesagt", "sagen"],
        ["gefragt", "fragen"],
        ["gekauft", "kaufen"],
    ];
    let plurals = [
        ["Häuser", "Haus"],
        ["Mäuse", "Maus"],
        ["Läuse", "Laus"],
        ["Bäume", "Baum"],
        ["Bälle", "Ball"],
        ["Fälle", "Fall"],
    ];
    let participles = participles.map(|[form, lemma]| [form, lemma, "VVPP", "VERB", ""]);
    let plurals = plurals.map(|[form, lemma]| [form, lemma, "NN", "NOUN", "Number=Plur"]);
    let first = ["Die", "der", "ART", "DET", "PronType=Art"];
    let rows = participles.into_iter().chain(plurals);
    rows.map(|row| vec![first, row]).collect()
}

/// Words of a language without spaces and without case.
fn japanese() -> Vec<Vec<Row<'static>>> {
    vec![
        vec![
            ["猫", "猫", "名詞", "NOUN", ""],
            ["が", "が", "助詞", "ADP", ""],
            ["食べ", "食べる", "動詞", "VERB", ""],
            ["た", "た", "助動詞", "AUX", ""],
        ],
        vec![
            ["犬", "犬", "名詞", "NOUN", ""],
            ["が", "が", "助詞", "ADP", ""],
            ["調べ", "調べる", "動詞", "VERB", ""],
            ["た", "た", "助動詞", "AUX", ""],
        ],
    ]
}

#[test]
fn words_of_the_training_data_get_their_annotation() {
    for sentences in [turkish(), german(), japanese()] {
        let morphology = fit(&treebank(&sentences));
        for sentence in &sentences {
            let words = sentence.iter();
            let words: Vec<_> = words
                .map(|[form, _, xpos, upos, _]| [*form, xpos, upos])
                .collect();
            let found = analyse(&morphology, &words);
            for ([form, lemma, .., feats], found) in sentence.iter().zip(found) {
                assert_eq!(found, ((*feats).to_owned(), (*lemma).to_owned()), "{form}");
            }
        }
    }
}

#[test]
fn unknown_words_are_inflected_like_known_words() {
    let morphology = fit(&treebank(&turkish()));
    for (form, feats) in [
        ("Sözlerde", "Case=Loc|Number=Plur"),
        ("SÖZLER", "Case=Nom|Number=Plur"),
    ] {
        let found = analyse(&morphology, &[[form, "", "NOUN"]]);
        assert_eq!(found, [(feats.to_owned(), "söz".to_owned())], "{form}");
    }
    let morphology = fit(&treebank(&german()));
    let found = analyse(
        &morphology,
        &[["gehört", "VVPP", "VERB"], ["Bäuche", "NN", "NOUN"]],
    );
    let lemmas: Vec<&str> = found.iter().map(|(_, lemma)| lemma.as_str()).collect();
    assert_eq!(lemmas, ["hören", "Bauch"]);
    let morphology = fit(&treebank(&japanese()));
    let lemmas = analyse_lemmas(
        &morphology,
        &[["並べ", "動詞", "VERB"], ["鳥", "名詞", "NOUN"]],
    );
    assert_eq!(lemmas, ["並べる", "鳥"]);
}

/// Returns the lemmas of a model that may have no morphological features.
fn analyse_lemmas(morphology: &Morphology, words: &[[&str; 3]]) -> Vec<String> {
    let mut analysis = Analysis::default();
    let mut buffers = MorphologyBuffers::default();
    morphology.analyse(words.iter().copied(), &mut buffers, &mut analysis);
    analysis.lemmas().map(str::to_owned).collect()
}

#[test]
fn morphological_features_depend_on_both_sides() {
    let noun = |feats| ["sheep", "sheep", "NN", "NOUN", feats];
    let is = ["is", "be", "VBZ", "AUX", ""];
    let are = ["are", "be", "VBP", "AUX", ""];
    let this = ["This", "this", "DT", "DET", ""];
    let these = ["These", "these", "DTS", "DET", ""];
    let sentences = [
        vec![noun("Number=Sing"), is],
        vec![noun("Number=Plur"), are],
        vec![this, noun("Number=Sing")],
        vec![these, noun("Number=Plur")],
    ];
    let morphology = fit(&treebank(&sentences.map(|own| own.to_vec())));
    let sheep = ["Sheep", "NN", "NOUN"];
    for (words, at, expected) in [
        ([sheep, ["is", "VBZ", "AUX"]], 0, "Number=Sing"),
        ([sheep, ["are", "VBP", "AUX"]], 0, "Number=Plur"),
        ([["This", "DT", "DET"], sheep], 1, "Number=Sing"),
        ([["These", "DTS", "DET"], sheep], 1, "Number=Plur"),
    ] {
        assert_eq!(analyse(&morphology, &words)[at].0, expected, "{words:?}");
    }
}

#[test]
fn predicted_tags_teach_which_tags_are_wrong() {
    // The tagger confuses the participle with the past tense, and the auxiliary before it shows which one it is.
    let sentence =
        |first: Row<'static>, xpos, feats| vec![first, ["put", "put", xpos, "VERB", feats]];
    let has = ["has", "have", "VBZ", "AUX", "Tense=Pres"];
    let she = ["she", "she", "PRP", "PRON", ""];
    let past = sentence(she, "VBD", "Tense=Past");
    let gold = [past.clone(), sentence(has, "VBN", "VerbForm=Part")];
    let gold = [gold.clone(), gold.clone(), gold].concat();
    let tagged = [past, sentence(has, "VBD", "VerbForm=Part")];
    let tagged = [tagged.clone(), tagged.clone(), tagged].concat();
    let fit = |tagged: &[Vec<Row<'_>>]| {
        let (gold, tagged) = (treebank(&gold), treebank(tagged));
        let options = MorphologyOptions::default();
        fit_morphology(&gold, &tagged, &options, PASSES, |_| Ok(Next::Continue)).unwrap()
    };
    let words = [["has", "VBZ", "AUX"], ["put", "VBD", "VERB"]];
    assert_eq!(analyse(&fit(&gold), &words)[1].0, "Tense=Past");
    assert_eq!(analyse(&fit(&tagged), &words)[1].0, "VerbForm=Part");
}

#[test]
fn missing_columns_give_missing_parts() {
    let none = |sentences: Vec<Vec<Row<'static>>>, column: usize| {
        let clear = |mut row: Row<'static>| {
            row[column] = "";
            row
        };
        let sentences = sentences.into_iter();
        let sentences = sentences.map(|words| words.into_iter().map(clear).collect());
        fit(&treebank(&sentences.collect::<Vec<_>>()))
    };
    let words = [["gemacht", "VVPP", "VERB"], ["", "", ""]];
    let no_lemmas = none(german(), 1);
    assert!(!no_lemmas.has_lemmas() && !no_lemmas.feats().is_empty());
    assert_eq!(analyse_lemmas(&no_lemmas, &words), [""; 0]);
    let no_feats = none(german(), 4);
    assert!(no_feats.has_lemmas() && no_feats.feats().is_empty());
    assert_eq!(analyse_lemmas(&no_feats, &words)[0], "machen");
    assert!(fit(&Treebank::default()).is_empty());
}

#[test]
fn exceptions_are_for_the_most_frequent_features_and_for_all_cases() {
    let the = |lemma, feats| ["the", lemma, "DT", "DET", feats];
    let child = ["children", "child", "NNS", "NOUN", "Number=Plur"];
    let rows = [
        the("the", "PronType=Art"),
        the("the", "PronType=Art"),
        the("to", "Typo=Yes"),
        child,
    ];
    let mut rows = rows.map(|row| vec![row]).to_vec();
    rows.extend(
        ["cats", "hens", "foxes", "lens"]
            .map(|form| vec![[form, form, "NNS", "NOUN", "Number=Plur"]]),
    );
    let morphology = fit(&treebank(&rows));
    let words = [
        ["The", "DT", "DET"],
        ["Children", "NNS", "NOUN"],
        ["CHILDREN", "NNS", "NOUN"],
    ];
    assert_eq!(
        analyse_lemmas(&morphology, &words),
        ["the", "child", "child"]
    );
}

#[test]
fn treebanks_must_have_the_same_sentences() {
    let treebanks = [german(), turkish()].map(|sentences| treebank(&sentences));
    let options = MorphologyOptions::default();
    let after = |_| Ok(Next::Continue);
    let fitted = fit_morphology(&treebanks[0], &treebanks[1], &options, PASSES, after);
    assert!(matches!(fitted, Err(Error::Training(_))));
}

#[test]
fn training_can_be_interrupted_and_stopped() {
    let treebank = treebank(&german());
    let options = MorphologyOptions::default();
    let fit = |passes, next| {
        let mut epochs = Vec::new();
        let after = |epoch: crate::Epoch| {
            epochs.push((epoch.model, epoch.epoch));
            Ok(next)
        };
        let fitted = fit_morphology(&treebank, &treebank, &options, passes, after);
        (fitted.map(|_| ()), epochs)
    };
    let endless = Passes {
        epochs: usize::MAX,
        watch: || true,
        ..PASSES
    };
    assert_eq!(fit(endless, Next::Continue).0, Err(Error::Interrupted));
    let stopped = fit(PASSES, Next::Stop);
    assert_eq!(stopped, (Ok(()), vec![(1, 1), (2, 1), (1, 1), (2, 1)]));
    assert_eq!(
        fit(PASSES, Next::Continue).1.len(),
        2 * (PASSES.epochs + options.lemma_epochs)
    );
}

/// Returns a file with a model.
fn file(morphology: &Morphology) -> Vec<u8> {
    let mut tensors = TensorWriter::default();
    let header = put_morphology(morphology, &mut tensors);
    tensors
        .finish("test", serde_json::to_string(&header).unwrap())
        .unwrap()
}

/// Reads a file.
fn read(bytes: &[u8]) -> Result<Morphology, String> {
    let file = TensorFile::open(bytes, "test", "a test").map_err(|error| error.to_string())?;
    let header: MorphologyHeader =
        serde_json::from_str(file.header()).map_err(|error| error.to_string())?;
    read_morphology(header, &Tensors(file)).map_err(|error| error.to_string())
}

#[test]
fn files_keep_models() {
    for sentences in [turkish(), german(), japanese(), Vec::new()] {
        let morphology = fit(&treebank(&sentences));
        let bytes = file(&morphology);
        let again = read(&bytes).unwrap();
        assert_eq!(file(&again), bytes);
        assert_eq!(again.feats(), morphology.feats());
        let words = sentences.concat();
        let words: Vec<_> = words
            .iter()
            .map(|[form, _, xpos, upos, _]| [*form, xpos, upos])
            .collect();
        assert_eq!(analyse(&again, &words), analyse(&morphology, &words));
    }
}

#[test]
fn training_is_deterministic() {
    let treebank = treebank(&turkish());
    assert_eq!(file(&fit(&treebank)), file(&fit(&treebank)));
}

#[test]
fn damaged_files_are_errors_or_models() {
    let bytes = file(&fit(&treebank(&german())));
    let words = [
        ["gemacht", "VVPP", "VERB"],
        ["Häuser", "NN", "NOUN"],
        ["", "", ""],
        ["İß 𝔸", "XX", "X"],
    ];
    let mut rng = spanrs_base::Rng::new(1);
    let mut errors = 0;
    for _ in 0..10_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=rng.draw() % 3 {
            let at = rng.draw() as usize % damaged.len();
            damaged[at] = rng.draw() as u8;
        }
        match read(&damaged) {
            Ok(morphology) => {
                analyse_lemmas(&morphology, &words);
            }
            Err(_) => errors += 1,
        }
    }
    assert!((1000..10_000).contains(&errors), "{errors}");
}

#[test]
fn inconsistent_parts_are_errors() {
    let morphology = fit(&treebank(&german()));
    let write = |change: &dyn Fn(&mut TensorWriter, &mut serde_json::Value)| {
        let mut tensors = TensorWriter::default();
        let header = put_morphology(&morphology, &mut tensors);
        let mut header = serde_json::to_value(header).unwrap();
        change(&mut tensors, &mut header);
        read(&tensors.finish("test", header.to_string()).unwrap())
    };
    assert!(write(&|_, _| ()).is_ok());
    let no_classes = write(&|_, header| header["feats"]["classes"] = serde_json::json!([]));
    assert!(no_classes.unwrap_err().contains("0 classes"));
    let one_class = write(&|_, header| header["feats"]["classes"] = serde_json::json!(["A=B"]));
    assert!(one_class.unwrap_err().contains("candidates"));
    let no_scripts = write(&|_, header| header["lemmas"]["scripts"] = serde_json::json!([]));
    assert!(no_scripts.unwrap_err().contains("scripts are classes"));
    let deep = format!(
        "{}null{}",
        "{\"a\":[0,0,".repeat(500),
        ",null]}".repeat(500)
    );
    let deep = format!(
        "{{\"feats\":null,\"lemmas\":{{\"scripts\":[[\"keep\",{deep}]],\"classes\":1,\"scale\":1.0}}}}"
    );
    let bytes = TensorWriter::default().finish("test", deep).unwrap();
    assert!(read(&bytes).unwrap_err().contains("recursion limit"));
}

proptest! {
    #[test]
    fn any_text_has_an_analysis(words in proptest::collection::vec(("\\PC{0,8}", "[A-C]?", "[A-C]?"), 0..40)) {
        thread_local! {
            static MODELS: Vec<Morphology> =
                [turkish(), german(), japanese()].map(|sentences| fit(&treebank(&sentences))).into();
        }
        let words: Vec<[&str; 3]> = words.iter().map(|(form, xpos, upos)| [form.as_str(), xpos, upos]).collect();
        MODELS.with(|models| {
            for morphology in models {
                assert_eq!(analyse_lemmas(morphology, &words).len(), words.len());
            }
        });
    }

    #[test]
    fn sentences_do_not_depend_on_the_buffers(seed in any::<u64>()) {
        thread_local! {
            static MODELS: [Morphology; 2] =
                [turkish(), german()].map(|sentences| fit(&treebank(&sentences)));
        }
        let models = MODELS.with(Clone::clone);
        let words = [["gemacht", "VVPP", "VERB"], ["evlerde", "", "NOUN"], ["Häuser", "NN", "NOUN"]];
        let mut rng = spanrs_base::Rng::new(seed);
        let (mut buffers, mut analysis) = (MorphologyBuffers::default(), Analysis::default());
        for _ in 0..10 {
            let words: Vec<_> = (0..rng.draw() % 40).map(|_| words[rng.draw() as usize % 3]).collect();
            let morphology = &models[rng.draw() as usize % 2];
            morphology.analyse(words.iter().copied(), &mut buffers, &mut analysis);
            let lemmas: Vec<String> = analysis.lemmas().map(str::to_owned).collect();
            prop_assert_eq!(lemmas, analyse_lemmas(morphology, &words));
        }
    }
}
