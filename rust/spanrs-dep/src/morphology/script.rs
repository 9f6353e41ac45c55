//! Edit scripts from a form to its lemma, the classes of the lemmatizer.
//!
//! A [`Script`] first changes the case of the form and then edits the result with a tree (Chrupała 2008, "Towards a
//! machine-learning architecture for lexical functional grammar parsing", chapter 6). The tree keeps the longest common
//! substring of form and lemma in its place, given by the number of characters before and after it in the form, and
//! edits the text on both sides in the same way, down to pieces without a common character, which are replaced:
//!
//! | form, lemma | case | tree |
//! |---|---|---|
//! | Running, run | lower | keep all but the last 4 characters; replace `ning` with nothing |
//! | gemacht, machen | lower | keep all but 2 and 1; replace `ge` with nothing, `t` with `en` |
//! | Mäuse, Maus | as written | keep `us`; left of it keep `M` and replace `ä` with `a`; replace `e` with nothing |
//! | went, go | lower | write `go` |
//!
//! A script applies to a form if the form is long enough and has the replaced pieces; it then gives the same lemma for
//! equal forms. All lengths are in characters.

use serde::{Deserialize, Serialize};

use crate::common_substring::longest_common;

/// How the case of a form is changed before it is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Case {
    /// All characters become lower case.
    Lower,
    /// The case is not changed.
    Keep,
    /// The first character becomes upper case, the others lower case.
    Title,
    /// All characters become upper case.
    Upper,
}

/// An edit of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Edit {
    /// The characters between the first `.0` and the last `.1` are kept, of which there must be at least one. The
    /// characters before and after them are edited; without an edit they stay as they are.
    #[serde(rename = "a")]
    Around(u32, u32, Option<Box<Edit>>, Option<Box<Edit>>),
    /// A text that is replaced with another one.
    #[serde(rename = "r")]
    Replace(String, String),
    /// The lemma, whatever the form.
    #[serde(rename = "w")]
    Write(String),
}

/// A function from forms to lemmas.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(Case, Edit)", into = "(Case, Edit)")]
pub(super) struct Script {
    /// The change of case.
    case: Case,
    /// The edit of the form in this case.
    edit: Edit,
}

impl From<(Case, Edit)> for Script {
    fn from((case, edit): (Case, Edit)) -> Self {
        Self { case, edit }
    }
}

impl From<Script> for (Case, Edit) {
    fn from(script: Script) -> Self {
        (script.case, script.edit)
    }
}

/// Largest depth of an edit.
const MAX_DEPTH: usize = 8;

impl Case {
    /// Appends `form` in this case to `text`.
    fn write(self, form: &str, text: &mut String) {
        // Forms that are already in the right case are frequent and need no tables of Unicode.
        let is_lower = || {
            form.bytes()
                .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
        };
        match self {
            Self::Lower if !is_lower() => text.push_str(&form.to_lowercase()),
            Self::Lower | Self::Keep => text.push_str(form),
            Self::Upper => text.push_str(&form.to_uppercase()),
            Self::Title => {
                let mut rest = form.chars();
                text.extend(rest.next().into_iter().flat_map(char::to_uppercase));
                text.push_str(&rest.as_str().to_lowercase());
            }
        }
    }
}

/// Splits `text` before and after the given numbers of characters; None if it is not longer than both together.
fn split(text: &str, before: u32, after: u32) -> Option<(&str, &str, &str)> {
    let mut middle = text.chars();
    (0..before).try_for_each(|_| middle.next().map(|_| ()))?;
    let start = text.len() - middle.as_str().len();
    (0..after).try_for_each(|_| middle.next_back().map(|_| ()))?;
    let middle = middle.as_str();
    let (left, rest) = text.split_at_checked(start)?;
    let (_, right) = rest.split_at_checked(middle.len())?;
    (!middle.is_empty()).then_some((left, middle, right))
}

impl Edit {
    /// Returns the edit from `a` to `b`, and the number of characters that it removes or writes; None if they are
    /// equal.
    fn between(a: &[char], b: &[char], depth: usize) -> (Option<Self>, usize) {
        if a == b {
            return (None, 0);
        }
        let (i, j, len) = longest_common(a, b);
        if len == 0 || depth == MAX_DEPTH {
            let replace = Self::Replace(a.iter().collect(), b.iter().collect());
            return (Some(replace), a.len() + b.len());
        }
        let (left, left_cost) = Self::between(&a[..i], &b[..j], depth + 1);
        let (right, right_cost) = Self::between(&a[i + len..], &b[j + len..], depth + 1);
        let around = Self::Around(
            i as u32,
            (a.len() - i - len) as u32,
            left.map(Box::new),
            right.map(Box::new),
        );
        (Some(around), left_cost + right_cost)
    }

    /// Appends the edited `text` to `result`. Returns false if the edit does not apply; `result` may then have got a
    /// part of the text.
    fn apply(&self, text: &str, result: &mut String) -> bool {
        let side = |edit: &Option<Box<Self>>, text: &str, result: &mut String| match edit {
            Some(edit) => edit.apply(text, result),
            None => {
                result.push_str(text);
                true
            }
        };
        match self {
            Self::Around(before, after, left, right) => {
                let Some((start, middle, end)) = split(text, *before, *after) else {
                    return false;
                };
                if !side(left, start, result) {
                    return false;
                }
                result.push_str(middle);
                side(right, end, result)
            }
            Self::Replace(from, to) => {
                result.push_str(to);
                text == from
            }
            Self::Write(lemma) => {
                result.push_str(lemma);
                true
            }
        }
    }
}

impl Edit {
    /// Appends the texts that the edit writes.
    fn texts<'a>(&'a self, texts: &mut Vec<&'a str>) {
        match self {
            Self::Around(_, _, before, after) => {
                let edits = [before, after].into_iter().flatten();
                edits.for_each(|edit| edit.texts(texts));
            }
            Self::Replace(_, text) | Self::Write(text) => texts.push(text),
        }
    }
}

impl Script {
    /// Returns the texts that the script writes.
    pub(super) fn texts(&self) -> Vec<&str> {
        let mut texts = Vec::new();
        self.edit.texts(&mut texts);
        texts
    }

    /// Returns the script from a form to a lemma that removes and writes the fewest characters; of equal scripts the
    /// first in the order of [`Case`]. Takes time in proportion to the product of their lengths for words of ordinary
    /// length, and to their sum for very long ones.
    pub(super) fn between(form: &str, lemma: &str) -> Self {
        let target: Vec<char> = lemma.chars().collect();
        let mut best: Option<(usize, Self)> = None;
        for case in [Case::Lower, Case::Keep, Case::Title, Case::Upper] {
            let mut text = String::new();
            case.write(form, &mut text);
            let text: Vec<char> = text.chars().collect();
            let (edit, cost) = Edit::between(&text, &target, 0);
            if best.as_ref().is_some_and(|(least, _)| *least <= cost) {
                continue;
            }
            let edit = match edit {
                None => Edit::Around(0, 0, None, None),
                Some(Edit::Replace(_, lemma)) => Edit::Write(lemma),
                Some(edit) => edit,
            };
            best = Some((cost, Self { case, edit }));
        }
        let write = || Self {
            case: Case::Lower,
            edit: Edit::Write(lemma.to_owned()),
        };
        match best {
            // The empty form has no character to keep.
            Some((_, script)) if !form.is_empty() => script,
            _ => write(),
        }
    }

    /// Appends the lemma of `form` to `lemma`, using `text` as a buffer, and returns true; returns false and leaves
    /// `lemma` as it was if the script does not apply.
    pub(super) fn apply(&self, form: &str, text: &mut String, lemma: &mut String) -> bool {
        let before = lemma.len();
        let applies = match self.case {
            Case::Keep => self.edit.apply(form, lemma),
            case => {
                text.clear();
                case.write(form, text);
                self.edit.apply(text, lemma)
            }
        };
        if !applies {
            lemma.truncate(before);
        }
        applies
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the lemma that a script gives.
    fn apply(script: &Script, form: &str) -> Option<String> {
        let mut lemma = "before ".to_owned();
        let applies = script.apply(form, &mut String::new(), &mut lemma);
        let lemma = lemma.strip_prefix("before ").unwrap().to_owned();
        assert!(applies || lemma.is_empty());
        applies.then_some(lemma)
    }

    #[test]
    fn scripts_are_shared_by_words_with_the_same_inflection() {
        for [form, lemma, other, expected] in [
            ["running", "run", "Winning", "win"],
            ["gemacht", "machen", "Gelacht", "lachen"],
            ["Mäuse", "Maus", "Läuse", "Laus"],
            ["evlerimizden", "ev", "İŞlerimizden", "i\u{307}ş"],
            ["THE", "the", "a", "a"],
            ["Bush", "Bush", "AP", "AP"],
            ["LONDON", "London", "ÉVRY", "Évry"],
            ["is", "be", "am", "be"],
            ["は", "は", "。", "。"],
        ] {
            let script = Script::between(form, lemma);
            assert_eq!(apply(&script, form).as_deref(), Some(lemma));
            assert_eq!(
                apply(&script, other).as_deref(),
                Some(expected),
                "{script:?}"
            );
        }
    }

    #[test]
    fn scripts_do_not_apply_to_forms_without_the_replaced_text() {
        let script = Script::between("walked", "walk");
        for form in ["walks", "ed", "", "d", "é"] {
            assert_eq!(apply(&script, form), None, "{form}");
        }
        assert_eq!(apply(&script, "talked").as_deref(), Some("talk"));
    }

    proptest! {
        #[test]
        fn a_script_gives_the_lemma_it_was_made_from(
            form in "\\PC{0,12}", lemma in "\\PC{0,12}", other in "\\PC{0,6}",
        ) {
            let script = Script::between(&form, &lemma);
            prop_assert_eq!(apply(&script, &form), Some(lemma));
            apply(&script, &other);
            let json = serde_json::to_string(&script).unwrap();
            prop_assert_eq!(serde_json::from_str::<Script>(&json).unwrap(), script);
        }

        #[test]
        fn words_with_common_parts_too(
            parts in proptest::collection::vec("[aäAßİσς ]{0,3}", 5), long in 0_usize..3,
        ) {
            let middle = parts[4].repeat(1 + 60 * long);
            let form = [&parts[0], &middle, &parts[1]].map(String::as_str).concat();
            let lemma = [&parts[2], &middle, &parts[3]].map(String::as_str).concat();
            prop_assert_eq!(apply(&Script::between(&form, &lemma), &form), Some(lemma));
        }

        #[test]
        fn the_common_substring_is_the_longest(a in "[abc]{0,8}", b in "[abc]{0,8}") {
            let [a, b] = [a, b].map(|text| text.chars().collect::<Vec<_>>());
            let mut best = (0, 0, 0);
            for i in 0..a.len() {
                for j in 0..b.len() {
                    let len = a[i..].iter().zip(&b[j..]).take_while(|(a, b)| a == b).count();
                    if len > best.2 {
                        best = (i, j, len);
                    }
                }
            }
            prop_assert_eq!(longest_common(&a, &b), best);
        }
    }
}
