//! Schemes of the labels of a CRF: detection, and constraints on decoding.

use std::collections::BTreeSet;

use spanrs_base::{Interner, Vocabulary};
use spanrs_crf::{Constraint, MAX_LABELS};
use spanrs_tags::{Dialect, Evidence, Scheme};

use crate::crf_model::CrfModelError;

/// Returns the transitions between labels that are legal under a scheme.
///
/// # Errors
/// [`CrfModelError::Tags`] for a label that is not a tag of the scheme.
pub fn scheme_constraint(
    scheme: Scheme,
    labels: &Interner<str>,
) -> Result<Constraint, CrfModelError> {
    let names: Vec<&str> = labels.names().collect();
    let flags = spanrs_tags::legal(scheme, &names, &Dialect::default())?;
    Ok(Constraint::of_table(names.len(), &flags)?)
}

/// Returns the scheme to which decoding should be restricted, detected from sequences of labels.
///
/// None for labels that are not all `O` or tags with a type, such as parts of speech, and if no
/// label is legal for a sentence of a single token, which could then not be labelled.
pub(crate) fn detect_scheme<L: AsRef<[S]>, S: AsRef<str>>(
    sequences: impl IntoIterator<Item = L>,
) -> Option<Scheme> {
    let (mut tags, mut evidence) = (Vocabulary::new(MAX_LABELS), Evidence::default());
    for labels in sequences {
        let ids = labels.as_ref().iter().map(|tag| tags.intern(tag.as_ref()));
        evidence.add(&ids.collect::<Result<Vec<u32>, _>>().ok()?);
    }
    let names: Vec<&str> = tags.names().collect();
    if !are_typed_tags(&names) {
        return None;
    }
    let dialect = Dialect::default();
    let scheme = evidence.decide(&tags, &dialect).ok()?.scheme;
    let flags = spanrs_tags::legal(scheme, &names, &dialect).ok()?;
    // The last row is the start of a sentence, the last column its end.
    let size = names.len() + 1;
    let starts = &flags[size * names.len()..];
    let allows_single_tokens =
        (0..names.len()).any(|label| starts[label] && flags[label * size + names.len()]);
    allows_single_tokens.then_some(scheme)
}

/// Returns whether there is a label other than `O`, and all of these have a prefix and a type.
fn are_typed_tags(labels: &[&str]) -> bool {
    let schemes = Scheme::all();
    let prefixes = schemes.flat_map(|scheme| scheme.prefixes());
    let letters: BTreeSet<&str> = prefixes.map(|prefix| prefix.letter).collect();
    let is_typed = |label: &str| {
        let split = label.split_once('-');
        split.is_some_and(|(letter, ty)| letters.contains(letter) && !ty.is_empty())
    };
    let mut labels = labels.iter().filter(|label| **label != "O").peekable();
    labels.peek().is_some() && labels.all(|label| is_typed(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_detected_only_for_tags() {
        let detected = |labels: &[&str]| detect_scheme([labels]);
        assert_eq!(detected(&["B-PER", "I-PER", "O"]), Some(Scheme::Bio));
        assert_eq!(detected(&["S-PER", "O", "B-X", "E-X"]), Some(Scheme::Iobes));
        assert_eq!(detected(&["NOUN", "VERB"]), None);
        assert_eq!(detected(&["B-PER", "X-PER"]), None);
        assert_eq!(detected(&["B-PER", "B-"]), None);
        assert_eq!(detected(&["O", "O"]), None);
        assert_eq!(detected(&[]), None);
    }

    #[test]
    fn a_scheme_must_allow_sentences_of_one_token() {
        assert_eq!(detect_scheme([["B-X", "I-X", "E-X"]]), None);
        assert_eq!(
            detect_scheme([vec!["B-X", "I-X", "E-X"], vec!["O"]]),
            Some(Scheme::Iobes)
        );
    }
}
