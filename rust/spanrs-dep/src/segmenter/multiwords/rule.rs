//! Rules that divide a token into words.

use serde::{Deserialize, Serialize};

use super::super::characters::kind_and_folded;
use super::super::hashes::LONGEST;
use crate::common_substring::longest_common;

/// How a token is divided into words: it is a stem between a prefix and a suffix, which are
/// replaced by words of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(in super::super) struct Rule {
    /// Folded characters before the stem.
    pub(in super::super) prefix: String,
    /// Folded characters after the stem.
    pub(in super::super) suffix: String,
    /// The words that replace the prefix; folded if they are cut from the token, otherwise in lower
    /// case.
    pub(in super::super) before: Vec<String>,
    /// Characters added in front of the stem.
    pub(in super::super) prepended: String,
    /// Characters added after the stem.
    pub(in super::super) appended: String,
    /// The words that replace the suffix.
    pub(in super::super) after: Vec<String>,
}

/// Returns the folded characters of a string.
pub(in super::super) fn fold(text: &str) -> String {
    let folded = text.chars().map(|c| kind_and_folded(c).1);
    folded.filter_map(char::from_u32).collect()
}

/// Returns the words as they would be stored: folded if they are the token divided, which can be
/// cut from a token with another case, otherwise in lower case.
pub(super) fn stored(token: &str, words: &[&str]) -> Vec<String> {
    let folded: Vec<String> = words.iter().map(|word| fold(word)).collect();
    match folded.concat() == fold(token) {
        true => folded,
        false => words.iter().map(|word| word.to_lowercase()).collect(),
    }
}

/// Appends the words into which `part` of a token is divided: cut from the part if it has the same
/// folded characters as the words, otherwise the words in the case of the token.
pub(super) fn push_words(part: &str, token: &str, words: &[String], out: &mut Vec<String>) {
    let before = out.len();
    let mut rest = part;
    for word in words {
        let len = word.chars().count();
        let (own, other) = rest.split_at(byte_of(rest, len));
        if fold(own) != *word {
            break;
        }
        out.push(own.to_owned());
        rest = other;
    }
    if out.len() == before + words.len() && rest.is_empty() {
        return;
    }
    out.truncate(before);
    for word in words {
        let is_first = out.is_empty();
        out.push(in_case_of(token, word, is_first));
    }
}

/// Returns the byte offset of a character; the length of the text if there are not so many.
fn byte_of(text: &str, char: usize) -> usize {
    text.char_indices()
        .nth(char)
        .map_or(text.len(), |(at, _)| at)
}

/// Returns true if a token has at least two letters and all of them are capitals.
fn is_in_capitals(token: &str) -> bool {
    let mut letters = token.chars().filter(|c| c.is_alphabetic());
    letters.clone().nth(1).is_some() && letters.all(char::is_uppercase)
}

/// Returns a word in the case of a token: in capitals if the token is, with a capital first letter
/// if the word `is_first` and the token starts with a capital.
fn in_case_of(token: &str, word: &str, is_first: bool) -> String {
    if is_in_capitals(token) {
        return word.to_uppercase();
    }
    let mut rest = word.chars();
    match rest.next() {
        Some(first) if is_first && token.starts_with(char::is_uppercase) => {
            first.to_uppercase().chain(rest).collect()
        }
        _ => word.to_owned(),
    }
}

impl Rule {
    /// Returns the rule that explains the words of a token with the word at `stem` as the stem;
    /// None if this word has no character in common with the token.
    pub(super) fn of(token: &str, words: &[&str], stem: usize) -> Option<Self> {
        let stored = stored(token, words);
        let token: Vec<char> = fold(token).chars().collect();
        let form: Vec<char> = fold(words.get(stem)?).chars().collect();
        // Folding changes digits, which must not be in words.
        let lower: Vec<char> = words.get(stem)?.to_lowercase().chars().collect();
        let (before, after) = (stored.get(..stem)?, stored.get(stem + 1..)?);
        let (start, from, len) = match stored.concat().chars().eq(token.iter().copied()) {
            true => (before.concat().chars().count(), 0, form.len()),
            false => longest_common(&token, &form),
        };
        let text = |chars: Option<&[char]>| chars.unwrap_or_default().iter().collect::<String>();
        (len > 0 && lower.len() == form.len()).then(|| Self {
            prefix: text(token.get(..start)),
            suffix: text(token.get(start + len..)),
            before: before.to_vec(),
            prepended: text(lower.get(..from)),
            appended: text(lower.get(from + len..)),
            after: after.to_vec(),
        })
    }

    /// Returns true if the rule can be found by its prefix and suffix: they are not both empty, and
    /// not too long.
    pub(in super::super) fn has_usable_affixes(&self) -> bool {
        let lengths = [&self.prefix, &self.suffix].map(|affix| affix.chars().count());
        lengths.into_iter().all(|len| len <= LONGEST) && lengths != [0, 0]
    }

    /// Appends the words of a token to `out`. The folded token must have the prefix and the suffix
    /// and at least one other character.
    pub(super) fn apply(&self, token: &str, out: &mut Vec<String>) {
        let (prefix, rest) = token.split_at(byte_of(token, self.prefix.chars().count()));
        let stem = rest
            .chars()
            .count()
            .saturating_sub(self.suffix.chars().count());
        let (stem, suffix) = rest.split_at(byte_of(rest, stem));
        let mut words = Vec::new();
        push_words(prefix, token, &self.before, &mut words);
        let prepended = in_case_of(token, &self.prepended, words.is_empty());
        // The capital of the token has moved to the characters in front of the stem.
        let stem = match prepended.is_empty() || is_in_capitals(token) {
            true => stem.to_owned(),
            false => stem.to_lowercase(),
        };
        words.push(prepended + &stem + &in_case_of(token, &self.appended, false));
        push_words(suffix, token, &self.after, &mut words);
        out.append(&mut words);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn apply(rule: &Rule, token: &str) -> Vec<String> {
        let mut words = Vec::new();
        rule.apply(token, &mut words);
        words
    }

    #[test]
    fn rules_generalise_to_other_stems() {
        let rule = Rule::of("don't", &["do", "n't"], 0).unwrap();
        assert_eq!(rule, Rule::of("HASN’T", &["HAS", "N’T"], 0).unwrap());
        assert_eq!(apply(&rule, "Isn’T"), ["Is", "n’T"]);
        let rule = Rule::of("dámelo", &["da", "me", "lo"], 0).unwrap();
        assert_eq!(apply(&rule, "dámelo"), ["da", "me", "lo"]);
        let rule = Rule::of("farlo", &["fare", "lo"], 0).unwrap();
        assert_eq!(apply(&rule, "Mangiarlo"), ["Mangiare", "lo"]);
        assert_eq!(apply(&rule, "DIRLO"), ["DIRE", "LO"]);
        let rule = Rule::of("al", &["a", "il"], 1).unwrap();
        assert_eq!(apply(&rule, "AL"), ["A", "IL"]);
        assert_eq!(apply(&rule, "Al"), ["A", "il"]);
        let rule = Rule::of("wktb", &["w", "ktb"], 1).unwrap();
        assert_eq!(apply(&rule, "wqrA"), ["w", "qrA"]);
    }

    proptest! {
        #[test]
        fn rules_give_the_words_they_were_made_of(
            words in proptest::collection::vec("[abc']{1,4}", 2..4),
            other in "[abc']{1,6}",
            is_concatenation in any::<bool>(),
        ) {
            let token = if is_concatenation { words.concat() } else { other };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            for stem in 0..words.len() {
                match Rule::of(&token, &words, stem) {
                    Some(rule) => prop_assert_eq!(apply(&rule, &token), &words[..]),
                    None => prop_assert!(!words[stem].contains(|c| token.contains(c))),
                }
            }
        }
    }
}
