//! Tests of features of previous tags, and of tagging in both directions.

use spanrs_base::Rng;

use super::*;

/// Features of the second word after each of two classes.
fn second(setup: &TaggerSetup) -> [Vec<u64>; 2] {
    [0, 1].map(|class| {
        let mut sentence = TaggerSentence::default();
        setup.start(["a", "b"].into_iter(), &mut sentence);
        sentence.tags.push(class);
        setup.extract(&mut sentence);
        sentence.features().to_vec()
    })
}

#[test]
fn previous_tags_are_xpos_or_else_upos() {
    let setup = |features, tags: [(&str, &str); 2]| {
        let tags = tags.map(|(xpos, upos)| Tags {
            xpos: xpos.to_owned(),
            upos: upos.to_owned(),
        });
        let classes = tags.to_vec();
        let history = History::of(&classes);
        let none = Lexicon::default;
        TaggerSetup::new(features, (classes, history), none(), none())
    };
    for features in [TaggerFeatures::Published, TaggerFeatures::Rich] {
        let [first, other] = second(&setup(features, [("", "X"), ("", "Y")]));
        assert_ne!(first, other);
        assert_eq!(
            [first, other],
            second(&setup(features, [("X", ""), ("Y", "")])),
            "a tagger with only UPOS uses them as features, like XPOS"
        );
        let [first, other] = second(&setup(features, [("", "Y"), ("X", "X")]));
        assert_ne!(first, other);
        let [first, other] = second(&setup(features, [("X", "X"), ("X", "Y")]));
        assert_eq!(
            first, other,
            "the same features as for a model with XPOS and UPOS"
        );
    }
}

/// Sentences whose tags depend on the word and on the tag of the next word, and their gold classes.
fn right_to_left() -> Vec<(Vec<String>, Vec<Tags>)> {
    let mut rng = Rng::new(3);
    let sentences = (0..60).map(|_| {
        let numbers: Vec<u64> = (0..1 + rng.draw() % 9).map(|_| rng.draw() % 6).collect();
        let mut next = 0;
        let mut tags = Vec::new();
        for number in numbers.iter().rev() {
            // Word 0 always has the same tag and is in the tagdict.
            next = if *number == 0 { 0 } else { (number + next) % 3 };
            tags.push(Tags {
                xpos: format!("T{next}"),
                upos: String::new(),
            });
        }
        tags.reverse();
        (numbers.iter().map(|n| format!("W{n}")).collect(), tags)
    });
    sentences.collect()
}

/// Tags a sentence from left to right, and then uncertain words from right to left, without tables.
fn oracle(tagger: &Tagger, words: &[&str]) -> Vec<u32> {
    let mut sentence = TaggerSentence::default();
    tagger.setup.start(words.iter().copied(), &mut sentence);
    let scores = |sentence: &TaggerSentence| -> Vec<i32> {
        let features = sentence.features();
        let score = |class| features.iter().map(|&f| tagger.weights.get(f, class)).sum();
        (0..tagger.classes().len() as u32).map(score).collect()
    };
    let mut first = Vec::new();
    for at in 0..words.len() {
        let known = tagger.setup.tagdict_class(&sentence, at);
        tagger.setup.extract(&mut sentence);
        let own = scores(&sentence);
        let class = known.unwrap_or(last_largest(&own) as u32);
        sentence.tags.push(class);
        first.push(known.map_or(Some(own), |_| None));
    }
    for at in (0..words.len()).rev() {
        let Some(first) = &first[at] else { continue };
        let mut sorted = first.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        if sorted[0] - sorted[1] < tagger.recheck {
            tagger.setup.extract_backward(&mut sentence, at);
            let both = scores(&sentence);
            let both: Vec<i32> = both.iter().zip(first).map(|(a, b)| a + b).collect();
            sentence.tags[at] = last_largest(&both) as u32;
        }
    }
    sentence.tags
}

#[test]
fn uncertain_words_are_tagged_in_both_directions() {
    let data = right_to_left();
    let pairs = data
        .iter()
        .map(|(words, tags)| words.iter().map(String::as_str).zip(tags));
    let options = TaggerOptions {
        min_count: 1,
        min_share: 1.0,
        recheck: 20,
        ..TaggerOptions::default()
    };
    let mut trainer = TaggerTrainer::new(pairs, options).unwrap();
    let sentences: Vec<(Vec<&str>, Vec<u32>)> = data
        .iter()
        .map(|(words, tags)| {
            let gold = tags.iter().map(|tags| trainer.class(tags).unwrap());
            (words.iter().map(String::as_str).collect(), gold.collect())
        })
        .collect();
    for _ in 0..4 {
        for (words, gold) in &sentences {
            trainer.train_one(words, gold);
        }
    }
    let tagger = trainer.finish(trainer.averages()).unwrap();
    assert!(tagger.tagdict().len() > 0);
    let mut forward = tagger.clone();
    forward.recheck = 0;
    let (mut buffers, mut classes) = (TaggerBuffers::default(), Vec::new());
    let mut correct = [0, 0];
    tagger.start(
        sentences.iter().map(|(words, _)| words.iter().copied()),
        &mut buffers,
    );
    tagger.run(&mut buffers, true, |_, _| ());
    let groups: Vec<Vec<u32>> = buffers
        .group
        .sentences()
        .iter()
        .map(|s| s.tags.clone())
        .collect();
    for ((words, gold), group) in sentences.iter().zip(groups) {
        for (tagger, correct) in [&forward, &tagger].into_iter().zip(&mut correct) {
            tagger.tag(words, &mut buffers, &mut classes);
            assert_eq!(classes, oracle(tagger, words));
            *correct += classes.iter().zip(gold).filter(|(a, b)| a == b).count();
        }
        assert_eq!(classes, group, "interleaved sentences");
        let p = tagger.tag_with_confidence(words, true, &mut buffers, &mut classes);
        assert_eq!(classes, group);
        assert!(
            p.iter().all(|p| *p > 1.0 / 3.1),
            "of the best of three classes"
        );
    }
    assert!(correct[0] < correct[1], "{correct:?}");
}
