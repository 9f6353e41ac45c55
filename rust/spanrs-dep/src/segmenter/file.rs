//! Segmenters in model files.
//!
//! | tensor | type | content |
//! |---|---|---|
//! | `segmenter.gaps` | u8 | what is known about the gaps between two kinds of characters, four to a byte |
//! | `segmenter.lexicon`, `segmenter.lexicon_facts` | u64, u16 | hash of each known token, increasing, and its facts |
//! | `segmenter.tokens.*`, `segmenter.sentences.*` | | weights of the boundaries |
//! | `segmenter.multiwords` | u8 | rules and forms of multiword tokens, as JSON; only if there are any |
//! | `segmenter.multiwords.*` | | weights of the rules |

use serde::{Deserialize, Serialize};
use spanrs_base::TensorWriter;

use super::Segmenter;
use super::lexicon::Lexicon;
use super::multiwords::{Multiwords, Rule, Rules};
use super::tokens::{GAPS, Gap, GapTable};
use crate::error::Result;
use crate::model_file::{Tensors, damaged, put_weights};
use crate::weights::{MAX_CLASSES, Weights};

/// Number of classes of boundaries.
const BOUNDARY_CLASSES: usize = 2;
/// Name of the tensor with rules and forms.
const MULTIWORDS: &str = "segmenter.multiwords";

/// The part of the header for a segmenter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SegmenterHeader {
    /// Factor from the weights of token boundaries to the integers of the file.
    token_scale: f64,
    /// Factor for sentence boundaries.
    sentence_scale: f64,
    /// Factor for multiword tokens; None if there are no rules.
    multiword_scale: Option<f64>,
}

/// Rules and forms of multiword tokens.
#[derive(Serialize, Deserialize)]
struct RuleLists {
    /// The rules, sorted.
    rules: Vec<Rule>,
    /// Folded forms and their words, sorted.
    forms: Vec<(String, Vec<String>)>,
}

impl RuleLists {
    /// Checks what [`Rules`] relies on: both lists are sorted, and no word is empty or contains
    /// characters that a field of CoNLL-U cannot contain.
    fn check(&self) -> Option<()> {
        let is_word = |word: &String| !word.is_empty() && !word.contains(char::is_control);
        let is_rule = |rule: &Rule| {
            let is_affix = |affix: &String| affix.is_empty() || is_word(affix);
            [&rule.prefix, &rule.suffix, &rule.prepended, &rule.appended]
                .into_iter()
                .all(is_affix)
                && rule.before.iter().chain(&rule.after).all(is_word)
                && rule.has_usable_affixes()
        };
        let fits = self.rules.is_sorted_by(|a, b| a < b)
            && self.forms.is_sorted_by(|a, b| a.0 < b.0)
            && self.rules.iter().all(is_rule)
            && self
                .forms
                .iter()
                .all(|(_, words)| words.len() > 1 && words.iter().all(is_word));
        fits.then_some(())
    }
}

impl Segmenter {
    /// Adds the tensors of the segmenter, and returns its part of the header.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if JSON cannot be written.
    pub(crate) fn put(&self, tensors: &mut TensorWriter) -> Result<SegmenterHeader> {
        let gaps = self.gaps.0.chunks(4).map(|four| {
            let bits = four
                .iter()
                .zip([0, 2, 4, 6])
                .map(|(gap, shift)| (*gap as u8) << shift);
            bits.fold(0, |all, bits| all | bits)
        });
        tensors.bytes("segmenter.gaps", gaps.collect());
        let entries = self.lexicon.entries();
        tensors.numbers("segmenter.lexicon", entries.iter().map(|(hash, _)| *hash));
        tensors.numbers(
            "segmenter.lexicon_facts",
            entries.iter().map(|(_, facts)| *facts),
        );
        put_weights("segmenter.tokens", &self.tokens, tensors);
        put_weights("segmenter.sentences", &self.sentences, tensors);
        if let Some(multiwords) = &self.multiwords {
            let lists = RuleLists {
                rules: multiwords.rules.rules().to_vec(),
                forms: multiwords.rules.forms().to_vec(),
            };
            tensors.bytes(MULTIWORDS, serde_json::to_vec(&lists).map_err(damaged)?);
            put_weights(MULTIWORDS, &multiwords.weights, tensors);
        }
        Ok(SegmenterHeader {
            token_scale: self.tokens.scale(),
            sentence_scale: self.sentences.scale(),
            multiword_scale: self
                .multiwords
                .as_ref()
                .map(|multiwords| multiwords.weights.scale()),
        })
    }

    /// Reads a segmenter and checks everything that segmentation relies on.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) if a tensor is missing or inconsistent.
    pub(crate) fn read(header: &SegmenterHeader, tensors: &Tensors<'_>) -> Result<Self> {
        let gaps = read_gaps(tensors.0.bytes("segmenter.gaps")?)?;
        let hashes: Vec<u64> = tensors.0.numbers("segmenter.lexicon")?;
        let facts: Vec<u16> = tensors.0.numbers("segmenter.lexicon_facts")?;
        if hashes.len() != facts.len() || !hashes.is_sorted_by(|a, b| a < b) {
            return Err(damaged("the lexicon of the segmenter is inconsistent"));
        }
        let entries: Vec<(u64, u16)> = hashes.into_iter().zip(facts).collect();
        let lexicon = Lexicon::checked(&entries);
        let lexicon = lexicon.ok_or_else(|| damaged("the lexicon of the segmenter collides"))?;
        let boundaries = |part: &str, scale| tensors.weights(part, BOUNDARY_CLASSES, scale);
        let multiwords = header
            .multiword_scale
            .map(|scale| read_multiwords(tensors, scale));
        Ok(Self {
            gaps,
            lexicon,
            tokens: boundaries("segmenter.tokens", header.token_scale)?,
            sentences: boundaries("segmenter.sentences", header.sentence_scale)?,
            multiwords: multiwords.transpose()?,
        })
    }
}

/// Returns the table of gaps.
fn read_gaps(bytes: &[u8]) -> Result<GapTable> {
    let gap = |bits: u8| match bits & 3 {
        0 => Some(Gap::Ask),
        1 => Some(Gap::Inside),
        2 => Some(Gap::Boundary),
        _ => None,
    };
    let gaps = bytes
        .iter()
        .flat_map(|byte| [0, 2, 4, 6].map(|shift| gap(byte >> shift)));
    let gaps: Option<Vec<Gap>> = gaps.collect();
    let gaps = gaps.filter(|gaps| gaps.len() == GAPS);
    gaps.map(GapTable)
        .ok_or_else(|| damaged("the gaps of the segmenter are inconsistent"))
}

/// Returns the rules of multiword tokens with their weights.
fn read_multiwords(tensors: &Tensors<'_>, scale: f64) -> Result<Multiwords> {
    let lists: RuleLists = serde_json::from_slice(tensors.0.bytes(MULTIWORDS)?).map_err(damaged)?;
    let unusable = || damaged("the multiword tokens of the segmenter are inconsistent");
    lists.check().ok_or_else(unusable)?;
    let rules = Rules::new(lists.rules, lists.forms);
    if rules.classes() > MAX_CLASSES {
        return Err(unusable());
    }
    let weights: Weights = tensors.weights(MULTIWORDS, rules.classes(), scale)?;
    Ok(Multiwords { rules, weights })
}
