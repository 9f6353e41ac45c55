//! Fuzz target for grounding: finding strings in a text.

use std::collections::HashSet;

use spanrs_io::ground::{GroundOptions, Grounded, Mention, Stage, ground, ground_many};

use crate::input::Input;

/// Asserts that places are inside the text and fit their stage, that no type has a place twice, and that threads do not
/// affect the result. The first bytes choose the options; text and mentions are separated by NUL, and the type of a
/// mention is its length modulo 3.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let byte = input.byte();
    let stages = Stage::ALL.iter().enumerate();
    let options = GroundOptions {
        stages: stages
            .filter(|(at, _)| byte & 1 << at == 0)
            .map(|(_, stage)| *stage)
            .collect(),
        diacritics: byte & 32 != 0,
        threshold: if byte & 64 != 0 { 0.4 } else { 0.75 },
    };
    let strings: Vec<_> = input
        .rest()
        .split(|&byte| byte == 0)
        .map(String::from_utf8_lossy)
        .collect();
    let Some((text, mentions)) = strings.split_first() else {
        return;
    };
    let mentions: Vec<Mention<'_>> = mentions
        .iter()
        .map(|text| Mention {
            ty: ["A", "B", "C"][text.len() % 3],
            text,
        })
        .collect();
    let grounded = ground(text, &mentions, &options).expect("short texts can be grounded");
    assert_eq!(grounded.len(), mentions.len());
    let characters: Vec<char> = text.chars().collect();
    let mut places = HashSet::new();
    for (place, mention) in grounded.iter().zip(&mentions) {
        let Some(place) = place else {
            continue;
        };
        assert!(options.stages.contains(&place.stage));
        assert!(place.start < place.end && place.end as usize <= characters.len());
        assert!(
            places.insert((mention.ty, place.start, place.end)),
            "a type has a place twice"
        );
        let part: String = characters[place.start as usize..place.end as usize]
            .iter()
            .collect();
        check_part(&part, mention, place, &options);
    }
    let documents = [(text, mentions.as_slice()), (text, mentions.as_slice())];
    let both = ground_many(&documents, &options, 2, || false).expect("short texts can be grounded");
    assert_eq!(both, [grounded.clone(), grounded]);
}

/// Asserts that a mention is found in its occurrence alone, from end to end.
fn check_part(part: &str, mention: &Mention<'_>, place: &Grounded, options: &GroundOptions) {
    match place.stage {
        Stage::Exact => assert_eq!(part, mention.text.trim()),
        Stage::Fuzzy => {
            assert!((options.threshold..=1.0).contains(&place.similarity));
            return;
        }
        _ => assert_eq!(place.similarity.to_bits(), 1.0_f64.to_bits()),
    }
    let alone = GroundOptions {
        stages: vec![place.stage],
        ..options.clone()
    };
    let alone = ground(part, &[*mention], &alone).expect("short texts can be grounded");
    let range = alone[0].map(|place| (place.start, place.end));
    assert_eq!(range, Some((0, place.end - place.start)));
}
