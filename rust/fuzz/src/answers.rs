//! Fuzz target for answers of language models.

use spanrs_io::answers::{Answer, MAX_FAULTS, Query, read_answer};

use crate::input::Input;

/// Asserts that positions are inside the answer, that stated offsets in the text without marks are those of the name, that
/// an unreadable answer has only faults, and that reading twice gives the same result. The first byte chooses the query.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let query = match input.below(3) {
        0 => Query::default(),
        1 => Query::new(Some("PER"), [""; 0]),
        _ => Query::new(None, ["PER", "LOC", "person"]),
    };
    let Ok(text) = std::str::from_utf8(input.rest()) else {
        return;
    };
    let answer = read_answer(text, &query);
    check(text, &answer);
    assert_eq!(read_answer(text, &query), answer);
}

fn check(text: &str, answer: &Answer) {
    let len = text.chars().count();
    assert!(answer.mentions.iter().all(|mention| mention.at < len));
    assert!(
        answer
            .mentions
            .iter()
            .all(|mention| !mention.text.trim().is_empty())
    );
    assert!(answer.mentions.is_sorted_by_key(|mention| mention.at));
    assert!(answer.faults.iter().all(|fault| fault.at <= len));
    assert!(answer.faults.len() <= MAX_FAULTS + 1);
    assert!(!answer.is_unreadable || answer.mentions.is_empty() && !answer.faults.is_empty());
    let Some(plain) = &answer.text else { return };
    let plain: Vec<char> = plain.chars().collect();
    for mention in &answer.mentions {
        if let (Some(start), Some(end)) = (mention.start, mention.end) {
            let name: String = plain[start as usize..end as usize].iter().collect();
            assert_eq!(
                name, mention.text,
                "offsets refer to the text without marks"
            );
        }
    }
}
