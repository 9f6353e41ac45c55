//! Detection of running text, which is not tokenised.
//!
//! A tagger or parser silently treats `anchovies.` and `don't` as unknown words. The test applies
//! to text whose words are separated by white space: in tokenised text, punctuation marks are
//! separate words; in running text, they are attached to words.

/// Marks that are separate tokens, except the full stop, which also occurs in abbreviations.
const MARKS: [char; 10] = [',', ';', ':', '!', '?', '，', '；', '：', '！', '？'];
/// Closing punctuation that may follow a mark: `(they ate.)`.
const CLOSING: [char; 10] = ['"', '\'', ')', ']', '}', '”', '’', '»', '*', '_'];
/// Opening punctuation, which may precede a word.
const OPENING: [char; 4] = ['"', '(', '“', '«'];
/// Contractions that tokenisers separate from the word.
const CONTRACTIONS: [&str; 7] = ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"];

/// Returns the first word with an attached mark or contraction, and the index of its line, if there
/// are more such words than separate marks; None for text that may be tokenised.
///
/// A full stop counts only after at least three lower-case letters, at the end of a line or before
/// an upper-case letter, so that abbreviations do not count. Time is linear.
///
/// ```
/// use spanrs_io::running_text;
/// assert_eq!(running_text(["They ate the pizza with anchovies."]), Some((0, "anchovies.")));
/// assert_eq!(running_text(["No", "We don't cook"]), Some((1, "don't")));
/// assert_eq!(running_text(["We do n't cook , Mr. Smith of Apple Inc. says ."]), None);
/// ```
pub fn running_text<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let (mut attached, mut alone, mut first) = (0_usize, 0_usize, None);
    for (at, line) in lines.into_iter().enumerate() {
        let mut words = line.split_whitespace().peekable();
        while let Some(word) = words.next() {
            if is_mark(word) {
                alone += 1;
            } else if has_attached(word, words.peek().copied()) {
                attached += 1;
                first.get_or_insert((at, word));
            }
        }
    }
    first.filter(|_| attached > alone)
}

/// Punctuation in lines that are raw text or tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Punctuation {
    /// Number of words with an attached mark or contraction, as in raw text.
    pub(crate) attached: usize,
    /// Number of full stops and commas between spaces, as in tokens.
    pub(crate) separate: usize,
    /// Whether another mark stands between spaces, as in tokens, and in the raw text of languages such as French.
    pub(crate) is_spaced: bool,
}

impl Punctuation {
    /// Returns the punctuation of lines. Marks of several characters, such as `...`, do not count.
    pub(crate) fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for line in lines {
            let mut words = line.split_whitespace().peekable();
            while let Some(word) = words.next() {
                match word {
                    "." | "," => all.separate += 1,
                    _ if is_mark(word) => all.is_spaced |= word.chars().count() == 1,
                    _ => all.attached += usize::from(has_attached(word, words.peek().copied())),
                }
            }
        }
        all
    }
}

/// Returns true if there are sentences without spaces between their words, such as those of Chinese
/// and Japanese: a word contains punctuation of these scripts and other characters.
pub(crate) fn has_unspaced_sentences<'a>(lines: impl IntoIterator<Item = &'a str>) -> bool {
    const UNSPACED: [char; 6] = ['。', '、', '，', '！', '？', '；'];
    let is_sentence =
        |word: &str| word.contains(UNSPACED) && !word.chars().all(|c| UNSPACED.contains(&c));
    lines
        .into_iter()
        .any(|line| line.split_whitespace().any(is_sentence))
}

/// Returns true if a word consists of punctuation marks.
fn is_mark(word: &str) -> bool {
    word.chars().all(|c| c == '.' || MARKS.contains(&c))
}

/// Returns true if a mark or a contraction is attached to a word.
fn has_attached(word: &str, next: Option<&str>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let mut characters = word.chars();
    if characters.next().is_some_and(|c| OPENING.contains(&c))
        && is_letter(characters.next())
        && is_letter(characters.next())
    {
        return true;
    }
    let core = word.trim_end_matches(CLOSING);
    let stem = core.trim_end_matches(MARKS);
    if stem.len() < core.len() {
        return is_letter(stem.chars().next_back());
    }
    if let Some(stem) = core.strip_suffix('.') {
        let ends = next.is_none_or(|next| {
            next.starts_with(char::is_uppercase) && !stem.contains(char::is_uppercase)
        });
        return ends && stem.chars().count() > 2 && stem.chars().all(char::is_alphabetic);
    }
    let plain = word.replace('’', "'").to_lowercase();
    let stems = CONTRACTIONS
        .iter()
        .filter_map(|end| plain.strip_suffix(end));
    stems
        .into_iter()
        .any(|stem| is_letter(stem.chars().next_back()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_marks_are_told_from_abbreviations_and_tokens() {
        for (text, word) in [
            ("No way!", Some("way!")),
            ("We cook, she said.", Some("cook,")),
            ("They ate (with us) today", Some("(with")),
            ("\"Stop\" is a word", Some("\"Stop\"")),
            ("She said “stop.”", Some("“stop.”")),
            ("They ate. We cooked it", Some("ate.")),
            ("They’re here", Some("They’re")),
            (
                "They 're at 10:30 a.m. in the U.S. , No. 5 , e.g. at St. John 's .",
                None,
            ),
            ("Prof. Smith met Mr. X", None),
            ("see http://x.org/a,b :-) ( y ) ... -- it 's", None),
            ("I don't know .", None),
            ("", None),
        ] {
            assert_eq!(running_text([text]).map(|(_, word)| word), word, "{text}");
        }
    }
}
