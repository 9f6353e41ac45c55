/// A word of a side that is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node<'a> {
    /// The form.
    pub form: &'a str,
    /// The lemma; `_` if there is none.
    pub lemma: &'a str,
    /// The universal tag.
    pub upos: &'a str,
    /// The tag of the treebank.
    pub xpos: &'a str,
    /// The morphological features as they are written.
    pub features: &'a str,
    /// The label of the arc to the head.
    pub label: &'a str,
    /// Index of the head; None for the root.
    pub head: Option<usize>,
    /// Where its token stands in the text without spaces, in characters; end exclusive. Words of a multiword token have
    /// the place of the token.
    pub span: (usize, usize),
    /// True for the words of a multiword token.
    pub in_multiword: bool,
    /// True for the first word of a sentence.
    pub starts_sentence: bool,
}

/// The features that Universal Dependencies defines, the only ones that count.
const UNIVERSAL: [&str; 21] = [
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number",
    "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident",
    "Polarity", "Person", "Polite",
];

impl Node<'_> {
    /// The universal features, sorted.
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

/// A label without its subtype: `nmod` of `nmod:poss`.
pub fn main_relation(label: &str) -> &str {
    label.split(':').next().unwrap_or_default()
}

/// True for relations of function words.
pub fn is_functional(label: &str) -> bool {
    const FUNCTIONAL: [&str; 7] = ["aux", "cop", "mark", "det", "clf", "case", "cc"];
    FUNCTIONAL.contains(&main_relation(label))
}

/// True for relations of content words.
pub fn is_content(label: &str) -> bool {
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

/// True for punctuation: `punct`, and `P` of the Penn Treebank's converters.
pub fn is_punctuation(label: &str) -> bool {
    matches!(main_relation(label), "punct" | "P")
}
