//! Gazetteers and clusters in templates: values, a naive matcher, model files, bad input.
#![allow(clippy::unwrap_used, clippy::panic)] // A panic in a test helper also reports the failure.

use proptest::prelude::*;
use spanrs_crf::{
    AttributeIndex, Clusters, Columns, Error, Extractor, Gazetteer, Lexicon, Lexicons, Model,
    NameOptions, Template, WordColumn,
};

/// Lexicons with these names.
fn lexicons(named: impl IntoIterator<Item = (&'static str, Lexicon)>) -> Lexicons {
    let named = named.into_iter();
    named
        .map(|(name, lexicon)| (name.to_owned(), lexicon))
        .collect()
}

fn gazetteer(phrases: &[&str], ignore_case: bool) -> Gazetteer {
    let phrases = phrases.iter().map(|line| match line.split_once('\t') {
        Some((kind, phrase)) => (phrase, Some(kind)),
        None => (*line, None),
    });
    let phrases = phrases.map(|(phrase, kind)| (phrase.split(' ').collect::<Vec<_>>(), kind));
    Gazetteer::new(phrases, ignore_case).unwrap()
}

/// The attributes of each token of a sentence.
fn extract(template: &Template, tokens: &[&str]) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new(); tokens.len()];
    Extractor::new(template)
        .extract(&[tokens, tokens], |token, name| {
            found[token].push(name.to_owned());
        })
        .unwrap();
    found
}

/// The values of `%in` for a sentence.
fn values(gazetteer: Gazetteer, sentence: &str) -> String {
    let template = Template::parse("U%in[0,0,g]").unwrap();
    let template = template
        .with_lexicons(&lexicons([("g", gazetteer.into())]))
        .unwrap();
    let tokens: Vec<&str> = sentence.split(' ').collect();
    let found = extract(&template, &tokens).concat();
    found
        .iter()
        .map(|name| &name[1..])
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn the_longest_phrase_from_the_left_is_taken() {
    let cities = || {
        gazetteer(
            &["New York", "New York City Hall", "York City", "Rio"],
            false,
        )
    };
    assert_eq!(values(cities(), "in New York City"), "O B E O");
    assert_eq!(values(cities(), "New York City Hall Rio"), "B I I E S");
    assert_eq!(values(cities(), "York City Hall new york"), "B E O O O");
    assert_eq!(values(cities(), "New New York York"), "O B E O");
    let case = gazetteer(&["new YORK", "É"], true);
    assert_eq!(values(case, "New York é NEW york"), "B E S B E");
}

#[test]
fn values_have_the_types_of_the_phrase() {
    let names = gazetteer(
        &[
            "PER\tWashington",
            "LOC\tWashington",
            "Rio",
            "PER\tRio",
            "PER\tA B",
        ],
        false,
    );
    assert_eq!(names.len(), 5);
    assert_eq!(
        values(names, "Washington Rio A B A"),
        "S-LOC|PER S-PER B-PER E-PER O"
    );
}

#[test]
fn clusters_have_prefixes_and_unknown_words_have_none() {
    let clusters = Clusters::new([("a", "0110"), ("B", "10")], false).unwrap();
    let template =
        "U:%cluster[0,0,c]\nU6:%cluster[ 0 , 0 , c , 3 ]\nU+:%cluster[1,0,c,1]\nU:%x[0,0]";
    let template = Template::parse(template).unwrap();
    let template = template
        .with_lexicons(&lexicons([("c", clusters.into())]))
        .unwrap();
    let found = extract(&template, &["a", "b", "B"]);
    let expected = [
        vec!["U:0110", "U6:011", "U:a"],
        vec!["U+:1", "U:b"],
        vec!["U:10", "U6:10", "U+:_B+1", "U:B"],
    ];
    assert_eq!(found, expected);
}

#[test]
fn templates_need_their_lexicons() {
    let error = |text: &str| {
        let error = Template::parse(text).unwrap_err();
        (error.line, error.column, error.message)
    };
    for (text, column, part) in [
        (
            "U:%in[0,0]",
            10,
            "a comma and the name of the lexicon, such as %in[0,0,name]",
        ),
        ("U:%cluster[0,0,]", 16, "expected the name of the lexicon"),
        ("U:%in[0,0,1a]", 11, "a letter or _"),
        ("U:%in[0,0,a,3]", 12, "expected ]"),
        ("U:%cluster[0,0,a,0]", 18, "at least 1"),
        ("U:%cluster[0,0,a b]", 18, "expected ]"),
        (
            "U:%in[0,0,a]%cluster[0,0,a]",
            26,
            "%in also uses the lexicon a",
        ),
    ] {
        let (line, found, message) = error(text);
        assert_eq!((line, found), (1, column), "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    }
    let template = Template::parse("U\nU:%in[0,0,a-1]").unwrap();
    let missing = Extractor::new(&template).extract(&[&["x"]], |_, _| ());
    assert!(
        matches!(missing, Err(Error::Input(message)) if message.contains("needs the lexicon a-1"))
    );
    let bind = |named: &Lexicons| template.clone().with_lexicons(named).unwrap_err();
    let clusters: Lexicon = Clusters::new([("x", "1")], false).unwrap().into();
    let other = bind(&lexicons([
        ("b", clusters.clone()),
        ("c", clusters.clone()),
    ]));
    assert_eq!((other.line, other.column), (2, 11));
    assert_eq!(other.message, "there is no lexicon a-1; there are b, c");
    let kind = bind(&lexicons([("a-1", clusters)]));
    assert_eq!(
        kind.message,
        "the lexicon a-1 consists of clusters; use %cluster"
    );
}

#[test]
fn names_do_not_match_where_they_come_from() {
    let sentences = [
        vec!["Ada", "met", "Bob"],
        vec!["Bob", "ran"],
        vec!["Ada", "x"],
        vec!["Bob", "ran"],
    ];
    let columns = Columns::of_tokens(&sentences);
    let names = [
        (0, 0..1, "PER"),
        (0, 2..3, "PER"),
        (1, 0..1, "PER"),
        (3, 0..1, "DOG"),
    ];
    let made = |options| Gazetteer::of_names(&columns, names.clone(), options).unwrap();
    let default = made(NameOptions::default());
    // Ada is a name only in the first sentence, and a dog only in the second one, which is repeated.
    assert_eq!(values(default.clone(), "Ada met Bob"), "O O S-DOG|PER");
    assert_eq!(values(default.clone(), "Bob ran"), "S-PER O");
    assert_eq!(values(default.clone(), "Ada x"), "S-PER O");
    assert_eq!(values(default, "Ada met Bob ."), "S-PER O S-DOG|PER O");
    let all = NameOptions {
        leave_one_out: false,
        typed: false,
        ..NameOptions::default()
    };
    assert_eq!(values(made(all), "Ada met Bob"), "S O S");
    let frequent = made(NameOptions {
        min_count: 2,
        ..NameOptions::default()
    });
    assert_eq!(
        frequent.phrases().collect::<Vec<_>>(),
        [(vec!["Bob"], Some("PER"))]
    );
    let outside = Gazetteer::of_names(&columns, [(1, 1..3, "PER")], NameOptions::default());
    assert_eq!(
        outside.unwrap_err().to_string(),
        "tokens 1 to 3 are not in sentence 1"
    );
    assert!(Gazetteer::of_names(&columns, [(9, 0..1, "PER")], all).is_err());
    assert!(Gazetteer::of_names(&columns, [], all).is_err());
}

#[test]
fn files_of_gazetteers() {
    let read = |bytes: &[u8]| Gazetteer::read(bytes, "f", false);
    let phrases = |bytes: &[u8]| -> Vec<String> {
        let read = read(bytes).unwrap();
        let phrases = read.phrases();
        phrases
            .map(|(words, kind)| format!("{}:{}", kind.unwrap_or(""), words.join("_")))
            .collect()
    };
    assert_eq!(
        phrases(b"\xEF\xBB\xBF#a  b \r\n\r\n c\n#a b"),
        [":#a_b", ":c"]
    );
    assert_eq!(phrases(b"PER\tA B\nLOC \tA"), ["LOC:A", "PER:A_B"]);
    for (bytes, message) in [
        (&b" \n"[..], "f: the gazetteer has no phrases"),
        (
            b"a\nb\xFFc",
            "f:2:2: the byte 0xff is not UTF-8; convert the file to UTF-8, for instance with iconv",
        ),
        (
            b"\xFF\xFEa\0",
            "f:1:1: the file is UTF-16, or not text; convert it to UTF-8",
        ),
        (
            b"a\nb\0",
            "f:2:2: the file is UTF-16, or not text; convert it to UTF-8",
        ),
        (
            b"A\n\nPER\tB",
            "f:3: this line has a tab, but line 1 has no tab; write a phrase on each line, or a type, a tab and a phrase",
        ),
        (
            b"PER\tB\nA",
            "f:2: this line has no tab, but line 1 has a tab; write a phrase on each line, or a type, a tab and a phrase",
        ),
        (
            b"PER\tA\tB",
            "f:1: two tabs; write a type, one tab and a phrase",
        ),
        (b"PER\t ", "f:1: expected a type, a tab and a phrase"),
        (b"\tA", "f:1: expected a type, a tab and a phrase"),
        (
            b"Ada L\tPER",
            "f:1: the type \"Ada L\" has a space; write the type before the tab and the phrase after it",
        ),
    ] {
        assert_eq!(read(bytes).unwrap_err().to_string(), message);
    }
    let many: String = (0..257).map(|at| format!("name{at}\tPER\n")).collect();
    let error = read(many.as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("f:257: more than 256 types"), "{error}");
    let error = read("a ".repeat(257).as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "f:1: a phrase of 257 tokens; the limit is 256");
}

#[test]
fn files_of_clusters() {
    let read = |bytes: &[u8], column| Clusters::read(bytes, "f", column, false);
    let get = |bytes: &[u8], column| read(bytes, column).unwrap().get("x").map(str::to_owned);
    assert_eq!(get(b"01\tx\t5\n1\ty\t6\n", None).as_deref(), Some("01"));
    assert_eq!(get(b"x 12 \ny 3\nx 12\n", None).as_deref(), Some("12"));
    assert_eq!(
        get("x\t1 2\n\u{a0}\t3".as_bytes(), None).as_deref(),
        Some("1 2")
    );
    assert_eq!(
        get(b"01 x\n1 y", Some(WordColumn::Second)).as_deref(),
        Some("01")
    );
    assert_eq!(
        get(b"x 7 b\n", Some(WordColumn::First)).as_deref(),
        Some("7")
    );
    let unclear = "f:1: the words may be the first or the second field; say which with word_column";
    for (bytes, message) in [
        (&b"\n"[..], "f: the file has no clusters"),
        (b"01 x\n1 y", unclear),
        (b"x 7 b", unclear),
        (
            b"x",
            "f:1: 1 fields; expected a word and its cluster, or bits, word and frequency",
        ),
        (b"x 1\n\ny", "f:3: 1 fields, but line 1 has 2"),
        (b"x\t1\ny\t", "f:2: an empty field"),
        (
            b"x 1\ny 2\nx 3",
            "f:3: the word \"x\" has the cluster \"3\", but before \"1\" (line 1); if the words are the second field, set word_column to second",
        ),
        (
            b"0\tx\t1\n1\tx\t1",
            "f:2: the word \"x\" has the cluster \"1\", but before \"0\" (line 1)",
        ),
        (
            b"x 1\ny\xE9",
            "f:2:2: the byte 0xe9 is not UTF-8; convert the file to UTF-8, for instance with iconv",
        ),
    ] {
        assert_eq!(read(bytes, None).unwrap_err().to_string(), message);
    }
    let case = Clusters::read(b"X 1\nx 1", "f", None, true).unwrap();
    assert_eq!((case.len(), case.get("X")), (1, Some("1")));
    let case = Clusters::read(b"X 1\nx 2", "f", None, true)
        .unwrap_err()
        .to_string();
    assert!(
        case.contains("if its other spelling is another word, do not ignore case"),
        "{case}"
    );
}

/// A model trained with lexicons.
fn model() -> Model {
    let names = Columns::of_tokens([["Ada", "x"], ["Bob", "y"]]);
    let names = Gazetteer::of_names(&names, [(0, 0..1, "PER")], NameOptions::default()).unwrap();
    let clusters = Clusters::new([("ran", "011"), ("SAT", "010")], true).unwrap();
    let unused = gazetteer(&["x"], false);
    let lexicons = lexicons([
        ("n", names.into()),
        ("c", clusters.into()),
        ("unused", unused.into()),
    ]);
    let template = Template::parse("U:%in[0,0,n]\nU:%cluster[0,0,c,2]").unwrap();
    let template = template.with_lexicons(&lexicons).unwrap();
    let sentences = Columns::of_tokens([["Ada", "ran"], ["Bob", "sat"]]);
    let labels = [["PER", "V"], ["O", "V"]];
    Model::fit(&template, &sentences, labels, &Default::default()).unwrap()
}

#[test]
fn model_files_contain_the_lexicons() {
    let model = model();
    let used: Vec<&str> = model.lexicons().iter().map(|(name, _)| name).collect();
    assert_eq!(used, ["c", "n"]);
    let bytes = model.to_bytes().unwrap();
    let read = Model::from_bytes(&bytes).unwrap();
    assert_eq!(read.lexicons(), model.lexicons());
    assert_eq!(read.to_bytes().unwrap(), bytes);
    assert!(
        bytes
            .windows(14)
            .any(|window| window == br#"\"version\":2,"#)
    );
    assert_eq!(read.clone().pruned().unwrap().lexicons(), model.lexicons());
    let without = read.with_lexicons(Lexicons::default()).to_bytes().unwrap();
    assert!(
        without
            .windows(14)
            .any(|window| window == br#"\"version\":1,"#)
    );
}

#[test]
fn damaged_files_are_refused_or_valid() {
    let bytes = model().to_bytes().unwrap();
    let mut random = spanrs_base::Rng::new(5);
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(damaged.len() as u64) as usize;
            damaged[at] = random.below(256) as u8;
        }
        if let Ok(model) = Model::from_bytes(&damaged) {
            let template = Template::parse("U:%in[0,0,n]\nU:%cluster[0,0,c,2]").unwrap();
            if let Ok(template) = template.with_lexicons(model.lexicons()) {
                let tokens = ["Ada", "ran", "sat"];
                let _ = Extractor::new(&template).extract(&[&tokens], |_, _| ());
            }
        }
    }
    for len in 0..bytes.len() {
        assert!(Model::from_bytes(&bytes[..len]).is_err());
    }
}

/// The values of `%in`, by comparing all phrases at each token.
fn naive(phrases: &[(Vec<String>, u8)], tokens: &[String]) -> Vec<String> {
    let mut values = vec!["O".to_owned(); tokens.len()];
    let mut at = 0;
    while at < tokens.len() {
        let matching = |(words, _): &&(Vec<String>, u8)| tokens[at..].starts_with(words);
        let longest = phrases
            .iter()
            .filter(matching)
            .map(|(words, _)| words.len())
            .max();
        let Some(len) = longest else {
            at += 1;
            continue;
        };
        let matching = phrases.iter().filter(matching);
        let mut types: Vec<u8> = matching.filter(|p| p.0.len() == len).map(|p| p.1).collect();
        types.sort_unstable();
        types.dedup();
        let types: Vec<String> = types.iter().map(|kind| format!("T{kind}")).collect();
        for (offset, value) in values[at..at + len].iter_mut().enumerate() {
            let prefix = match (offset, len) {
                (_, 1) => "S",
                (0, _) => "B",
                (offset, len) if offset + 1 == len => "E",
                _ => "I",
            };
            *value = format!("{prefix}-{}", types.join("|"));
        }
        at += len;
    }
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn matches_are_those_of_a_naive_search(
        phrases in prop::collection::vec((prop::collection::vec("[abä]", 1..4), 0..3u8), 1..12),
        tokens in prop::collection::vec("[abäc]", 0..12),
    ) {
        let types = ["T0", "T1", "T2"];
        let made = phrases.iter().map(|(words, kind)| (words, Some(types[usize::from(*kind)])));
        let gazetteer = Gazetteer::new(made, false).unwrap();
        let template = Template::parse("U%in[0,1,g]").unwrap();
        let template = template.with_lexicons(&lexicons([("g", gazetteer.into())])).unwrap();
        let borrowed: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let found = extract(&template, &borrowed).concat();
        let expected: Vec<String> =
            naive(&phrases, &tokens).iter().map(|value| format!("U{value}")).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn reading_never_panics(bytes in prop::collection::vec(prop::sample::select(b"01ab\t \n\r\xC3\xA4\0".to_vec()), 0..30)) {
        let _ = Gazetteer::read(&bytes, "f", true);
        for column in [None, Some(WordColumn::First), Some(WordColumn::Second)] {
            let _ = Clusters::read(&bytes, "f", column, false);
        }
    }
}

/// Looking up by hash finds the same attributes as looking up the attribute strings.
#[test]
fn found_attributes_are_those_that_are_spelt_out() {
    let mut random = spanrs_base::Rng::new(12);
    let texts = Columns::of_tokens([["a", "b", "a"], ["b", "é", "c"]]);
    let names = [(0, 0..2, "X"), (1, 1..2, "Y"), (1, 0..1, "X")];
    let names = Gazetteer::of_names(&texts, names, NameOptions::default()).unwrap();
    let clusters = Clusters::new([("a", "0011"), ("é", "01"), ("B", "1")], true).unwrap();
    let named = lexicons([("n", names.into()), ("c", clusters.into())]);
    let template = "U:%in[-1,0,n]|%in[0,0,n]|%in[1,1,n]\nU%cluster[0,0,c]/%in[@1,0,n]\n\
                    U:%cluster[2,1,c,2]\nU:%x[0,0]%cluster[-1,0,c,1]";
    let template = Template::parse(template)
        .unwrap()
        .with_lexicons(&named)
        .unwrap();
    let mut extractor = Extractor::new(&template);
    let mut attributes = spanrs_base::Interner::<str>::default();
    for round in 0..300 {
        let mut tokens = || -> Vec<&str> {
            (0..round % 6)
                .map(|_| ["a", "b", "é", "c", "B"][random.below(5) as usize])
                .collect()
        };
        let columns = [tokens(), tokens()];
        let columns = [&columns[0][..], &columns[1][..]];
        let mut spelt = vec![Vec::new(); columns[0].len()];
        extractor
            .extract(&columns, |token, name| spelt[token].push(name.to_owned()))
            .unwrap();
        let expected = spelt.iter().map(|names| {
            let known = names.iter().filter_map(|name| attributes.get(name));
            known.collect::<Vec<u32>>()
        });
        let expected: Vec<Vec<u32>> = expected.collect();
        let index = AttributeIndex::new(&attributes);
        let mut found = Vec::new();
        extractor
            .find(&columns, &index, |_, ids| found.push(ids.to_vec()))
            .unwrap();
        assert_eq!(found, expected);
        for name in spelt.iter().flatten().step_by(2) {
            attributes.intern(name);
        }
    }
}
