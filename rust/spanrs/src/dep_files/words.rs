//! Words of the dependency trees to compare, and the classes of relations that Universal
//! Dependencies distinguishes.
//!
//! The class depends on the main relation, the part of a label before the first colon.

use spanrs_io::TextWord;

/// A word of one side. The word owns its strings, so that it outlives the block from which it was
/// read.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeWord {
    /// The form. Compared only within multiword tokens, in lower case.
    pub(super) form: String,
    /// The lemma; `_` if there is none.
    pub(super) lemma: String,
    /// The universal part-of-speech tag.
    pub(super) upos: String,
    /// The treebank's own part-of-speech tag.
    pub(super) xpos: String,
    /// The morphological features as written in CoNLL-U: `Case=Nom|Number=Sing`, or `_`. Features
    /// that Universal Dependencies does not define are ignored.
    pub(super) features: String,
    /// The relation to the head, such as `nsubj` or `nmod:poss`.
    pub(super) label: String,
    /// Index of the head among the words compared together; None for a root. Not the one-based id
    /// of CoNLL-U.
    pub(super) head: Option<usize>,
    /// True if the sentence has no tree.
    pub(super) without_head: bool,
    /// Position of the token in the text without spaces, in characters, end exclusive. The words of
    /// a multiword token all have the position of the token.
    pub(super) span: (usize, usize),
    /// True for every word of a multiword token.
    pub(super) in_multiword: bool,
    /// True for the first word of a token.
    pub(super) starts_token: bool,
    /// True for the first word of a sentence.
    pub(super) starts_sentence: bool,
    /// For each of [`COLUMNS`], true if the column was copied from the input of a parser instead of
    /// being predicted. Only used to count the copied columns of pred words.
    pub(super) copied: [bool; COLUMNS.len()],
}

impl TextWord for TreeWord {
    fn form(&self) -> &str {
        &self.form
    }

    fn span(&self) -> (usize, usize) {
        self.span
    }

    fn in_multiword(&self) -> bool {
        self.in_multiword
    }
}

/// Columns of CoNLL-U that the criteria use.
pub(super) const COLUMNS: [&str; 6] = ["LEMMA", "UPOS", "XPOS", "FEATS", "DEPREL", "HEAD"];

/// Names of the features that are compared: `UNIVERSAL_FEATURES` of the shared task's script.
const UNIVERSAL: [&str; 21] = [
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number",
    "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident",
    "Polarity", "Person", "Polite",
];

impl TreeWord {
    /// Returns for each of [`COLUMNS`] whether the field is empty or `_`.
    pub(super) fn without(&self) -> [bool; COLUMNS.len()] {
        let nothing = |field: &String| matches!(field.as_str(), "_" | "");
        let [lemma, upos, xpos, feats, label] = [
            &self.lemma,
            &self.upos,
            &self.xpos,
            &self.features,
            &self.label,
        ]
        .map(nothing);
        [lemma, upos, xpos, feats, label, self.without_head]
    }

    /// Returns the universal features as `name=value`, sorted, so that equal sets are equal lists.
    pub(super) fn feats(&self) -> Vec<&str> {
        let features = self.features.split('|').filter(|feature| {
            let name = feature.split('=').next().unwrap_or_default();
            UNIVERSAL.contains(&name)
        });
        let mut features: Vec<&str> = features.collect();
        features.sort_unstable();
        features
    }
}

/// Returns a label without its subtype: `nmod` of `nmod:poss`.
pub(super) fn main_relation(label: &str) -> &str {
    label.split(':').next().unwrap_or_default()
}

/// Returns true for relations of function words, such as `case` and `aux:pass`. MLAS compares words
/// attached by these relations.
pub(super) fn is_functional(label: &str) -> bool {
    const FUNCTIONAL: [&str; 7] = ["aux", "cop", "mark", "det", "clf", "case", "cc"];
    FUNCTIONAL.contains(&main_relation(label))
}

/// Returns true for relations of content words. CLAS and MLAS count words with these labels.
///
/// All relations except those of function words and punctuation are content relations. `dep` is a
/// content relation; unknown relations are not.
pub(super) fn is_content(label: &str) -> bool {
    const CONTENT: [&str; 28] = [
        "nsubj",
        "obj",
        "iobj",
        "csubj",
        "ccomp",
        "xcomp",
        "obl",
        "vocative",
        "expl",
        "dislocated",
        "advcl",
        "advmod",
        "discourse",
        "nmod",
        "appos",
        "nummod",
        "acl",
        "amod",
        "conj",
        "fixed",
        "flat",
        "compound",
        "list",
        "parataxis",
        "orphan",
        "goeswith",
        "reparandum",
        "root",
    ];
    let relation = main_relation(label);
    CONTENT.contains(&relation) || relation == "dep"
}

/// Returns true for punctuation: `punct`, and `P`, which converters of the Penn Treebank use.
pub(super) fn is_punctuation(label: &str) -> bool {
    matches!(main_relation(label), "punct" | "P")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtypes_do_not_matter() {
        assert_eq!(main_relation("nmod:poss"), "nmod");
        assert_eq!(main_relation("root"), "root");
        assert!(is_functional("aux:pass") && is_content("nmod:poss") && is_punctuation("punct"));
    }
}
