//! The part of a model file for morphological features and lemmas.
//!
//! Names of tensors begin with `feats.` or `lemmas.`; the tensors of a missing part are absent. Besides the four
//! tensors of weights of each part there are
//!
//! | tensor | type | content |
//! |---|---|---|
//! | `feats.tags` | u64 | keys of the pairs of tags that have candidates, increasing |
//! | `feats.candidate_ends`, `feats.candidates` | u32, u16 | end of the candidates of each key; classes |
//! | `lemmas.exceptions`, `lemmas.exception_scripts` | u64, u32 | keys of the exceptions, increasing; their scripts |

use serde::{Deserialize, Serialize};
use spanrs_base::{Ends, Jagged, TensorWriter};

use super::Morphology;
use super::feats::{Candidates, FeatsTagger};
use super::lemmas::Lemmatizer;
use super::script::Script;
use crate::error::Result;
use crate::feature_index::FeatureIndex;
use crate::model_file::{Tensors, check_fields, damaged, put_weights};
use crate::weights::MAX_CLASSES;

/// The part of the header for morphological features and lemmas.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MorphologyHeader {
    /// None for a model without morphological features.
    feats: Option<FeatsHeader>,
    /// None for a model without lemmas.
    lemmas: Option<LemmasHeader>,
}

/// The part of the header for morphological features.
#[derive(Debug, Serialize, Deserialize)]
struct FeatsHeader {
    /// The classes, in the notation of CoNLL-U.
    classes: Vec<String>,
    /// Factor from weights to the integers of the file.
    scale: f64,
}

/// The part of the header for lemmas.
#[derive(Debug, Serialize, Deserialize)]
struct LemmasHeader {
    /// All scripts.
    scripts: Vec<Script>,
    /// Number of scripts, from the first, that are classes.
    classes: usize,
    /// Factor from weights to the integers of the file.
    scale: f64,
}

/// Adds the tensors of morphological features and lemmas, and returns their part of the header.
pub(crate) fn put_morphology(
    morphology: &Morphology,
    tensors: &mut TensorWriter,
) -> MorphologyHeader {
    let feats = morphology.feats.as_ref().map(|tagger| {
        put_weights("feats", &tagger.weights, tensors);
        let (keys, rows) = tagger.candidates.rows();
        tensors.numbers("feats.tags", keys.iter().copied());
        let ends = rows.ends().as_slice().iter().map(|&end| end as u32);
        tensors.numbers("feats.candidate_ends", ends);
        let classes = rows.values().iter().map(|&class| class as u16);
        tensors.numbers("feats.candidates", classes);
        FeatsHeader {
            classes: tagger.classes.clone(),
            scale: tagger.weights.scale(),
        }
    });
    let lemmas = morphology.lemmas.as_ref().map(|lemmatizer| {
        put_weights("lemmas", &lemmatizer.weights, tensors);
        let exceptions = lemmatizer.sorted_exceptions();
        let exceptions = exceptions.iter();
        tensors.numbers("lemmas.exceptions", exceptions.clone().map(|(key, _)| *key));
        tensors.numbers(
            "lemmas.exception_scripts",
            exceptions.map(|(_, script)| *script),
        );
        LemmasHeader {
            scripts: lemmatizer.scripts.clone(),
            classes: lemmatizer.weights.classes(),
            scale: lemmatizer.weights.scale(),
        }
    });
    MorphologyHeader { feats, lemmas }
}

/// Reads morphological features and lemmas, and checks what prediction relies on.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if the tensors are inconsistent with each other or with the header.
pub(crate) fn read_morphology(
    header: MorphologyHeader,
    tensors: &Tensors<'_>,
) -> Result<Morphology> {
    let feats = header.feats.map(|header| read_feats(header, tensors));
    let lemmas = header.lemmas.map(|header| read_lemmas(header, tensors));
    Ok(Morphology {
        feats: feats.transpose()?,
        lemmas: lemmas.transpose()?,
    })
}

/// Reads morphological features: candidates must be classes, and each key has at least one.
fn read_feats(header: FeatsHeader, tensors: &Tensors<'_>) -> Result<FeatsTagger> {
    let classes = header.classes;
    if classes.is_empty() || classes.len() > MAX_CLASSES {
        return Err(damaged(format!(
            "{} classes of morphological features",
            classes.len()
        )));
    }
    check_fields("the features", classes.iter().map(String::as_str))?;
    let keys: Vec<u64> = tensors.0.numbers("feats.tags")?;
    let ends: Vec<u32> = tensors.0.numbers("feats.candidate_ends")?;
    let values: Vec<u16> = tensors.0.numbers("feats.candidates")?;
    let fits = keys.len() == ends.len()
        && keys.is_sorted_by(|a, b| a < b)
        && ends.is_sorted_by(|a, b| a < b)
        && ends.first() != Some(&0)
        && values
            .iter()
            .all(|&class| usize::from(class) < classes.len());
    let ends = ends.into_iter().map(|end| end as usize).collect();
    let ends = Ends::checked(ends, values.len()).filter(|_| fits);
    let ends =
        ends.ok_or_else(|| damaged("the candidates of morphological features are inconsistent"))?;
    let index = FeatureIndex::checked(keys.iter().copied().zip(0..));
    let index = index.ok_or_else(|| damaged("the tags of morphological features collide"))?;
    let values = values.into_iter().map(u32::from).collect();
    let candidates = Candidates::new(keys, index, Jagged::new(values, ends), classes.len());
    let weights = tensors.weights("feats", classes.len(), header.scale)?;
    Ok(FeatsTagger::new(classes, candidates, weights))
}

/// Reads lemmas: exceptions must have existing scripts and different keys.
fn read_lemmas(header: LemmasHeader, tensors: &Tensors<'_>) -> Result<Lemmatizer> {
    let LemmasHeader {
        scripts,
        classes,
        scale,
    } = header;
    if classes > MAX_CLASSES || classes > scripts.len() {
        return Err(damaged(format!(
            "{classes} of {} scripts are classes",
            scripts.len()
        )));
    }
    for script in &scripts {
        check_fields("the lemma script with", script.texts().into_iter())?;
    }
    let keys: Vec<u64> = tensors.0.numbers("lemmas.exceptions")?;
    let numbers: Vec<u32> = tensors.0.numbers("lemmas.exception_scripts")?;
    if keys.len() != numbers.len()
        || !keys.is_sorted_by(|a, b| a < b)
        || numbers
            .iter()
            .any(|&script| script as usize >= scripts.len())
    {
        return Err(damaged("the exceptions of lemmas are inconsistent"));
    }
    let weights = tensors.weights("lemmas", classes, scale)?;
    let exceptions = FeatureIndex::checked(keys.into_iter().zip(numbers));
    let exceptions = exceptions.ok_or_else(|| damaged("the exceptions of lemmas collide"))?;
    Ok(Lemmatizer {
        scripts,
        exceptions,
        weights,
    })
}
