//! Models of parser.py and of NLTK from JSON.
//!
//! Both store weights as an object from feature strings to objects from classes to weights.
//! Features are hashed while they are read ([`TextHash`] of the string), and weights are rounded to
//! thousandths, as in the originals, so the imported model gives the same tags and trees as the
//! original, including ties.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::arc_hybrid::Move;
use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model_file::check_fields;
use crate::parser::{Parser, ParserFeatures, ParserSetup};
use crate::tagger::{History, Lexicon, Tagger, TaggerFeatures, TaggerSetup, Tags};
use crate::text_hash::TextHash;
use crate::weights::Weights;

/// Returns the error for JSON that is not a valid model, with the reason.
fn bad(message: impl fmt::Display) -> Error {
    Error::File(format!("not a model of parser.py: {message}"))
}

/// Factor from weights to thousandths; the originals round weights to thousandths.
const SCALE: f64 = 1000.0;

/// Weights of named features under construction.
#[derive(Default)]
struct Named {
    /// The weights; features without a weight are skipped.
    averages: Averages,
    /// The name of each row in `averages`; empty if names are not kept.
    names: Vec<String>,
}

/// Deserialises an object of feature -> {class: weight} row by row, without building a JSON tree,
/// which would take several times the memory of the weights.
struct WeightsOf<'a> {
    /// The number of each class.
    class_of: &'a HashMap<String, u32>,
    /// True to keep the names of the features.
    keep_names: bool,
}

impl<'de> DeserializeSeed<'de> for WeightsOf<'_> {
    type Value = Named;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Named, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for WeightsOf<'_> {
    type Value = Named;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of features, each with an object of classes and weights")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
        let mut all = Named::default();
        while let Some((feature, weights)) = map.next_entry::<String, BTreeMap<String, f64>>()? {
            let mut row = Vec::with_capacity(weights.len());
            for (class, weight) in weights {
                let class = self.class_of.get(&class).ok_or_else(|| {
                    serde::de::Error::custom(format!(
                        "{feature:?} has a weight for the unknown class {class:?}"
                    ))
                })?;
                if !weight.is_finite() {
                    return Err(serde::de::Error::custom(format!(
                        "{feature:?} has a weight of {weight}"
                    )));
                }
                // The originals round weights to thousandths.
                row.push((*class, (weight * SCALE).round() / SCALE));
            }
            row.sort_unstable_by_key(|(class, _)| *class);
            let before = all.averages.len();
            all.averages.push(TextHash::of(&feature).value(), row);
            if self.keep_names && all.averages.len() > before {
                all.names.push(feature);
            }
        }
        Ok(all)
    }
}

/// Reads weights (feature -> {class: weight}) in JSON.
fn read_weights(json: &[u8], class_of: &HashMap<String, u32>, keep_names: bool) -> Result<Named> {
    let seed = WeightsOf {
        class_of,
        keep_names,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    seed.deserialize(&mut deserializer).map_err(bad)
}

/// Makes a published tagger from weights (feature -> {tag: weight}), tagdict (word -> tag) and
/// classes (a list of tags) in JSON: the contents of NLTK's
/// `averaged_perceptron_tagger_<language>.weights.json`, `.tagdict.json` and `.classes.json`.
///
/// Classes may be in any order and repeated; they are sorted, so that ties are broken as in NLTK.
/// Weights are rounded to thousandths.
///
/// # Errors
/// [`Error::File`] if the JSON does not have this form, a tag is not among the classes, a weight is
/// not finite or exceeds 524.287 in absolute value, there are no classes or more than 4096, or a
/// feature occurs twice.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Error, import_tagger};
/// let tagger = import_tagger(br#"{"bias": {"NN": 1.5}}"#, b"{}", br#"["VB", "NN"]"#).unwrap();
/// let classes = tagger.classes().iter().map(|tags| tags.xpos.as_str());
/// assert_eq!(classes.collect::<Vec<_>>(), ["NN", "VB"]);
/// let unknown = import_tagger(br#"{"bias": {"JJ": 1.5}}"#, b"{}", br#"["VB", "NN"]"#);
/// assert!(matches!(unknown, Err(Error::File(_))));
/// ```
pub fn import_tagger(weights: &[u8], tagdict: &[u8], classes: &[u8]) -> Result<Tagger> {
    let mut names: Vec<String> = serde_json::from_slice(classes).map_err(bad)?;
    names.sort_unstable();
    names.dedup();
    check_fields("the tag", names.iter().map(String::as_str))?;
    let class_of: HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
    let tagdict: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(tagdict).map_err(bad)?;
    let entries = tagdict.into_iter().map(|(word, tag)| {
        let class = tag.as_str().and_then(|tag| class_of.get(tag));
        let class = class.ok_or_else(|| bad(format!("{word:?} has the unknown tag {tag}")))?;
        Ok((word, *class))
    });
    let entries = entries.collect::<Result<Vec<_>>>()?;
    let named = read_weights(weights, &class_of, true)?;
    let classes: Vec<Tags> = names
        .into_iter()
        .map(|xpos| Tags {
            xpos,
            upos: String::new(),
        })
        .collect();
    if classes.is_empty() {
        return Err(bad("there are no classes"));
    }
    let weights = Weights::new(&named.averages, classes.len(), Some(SCALE)).map_err(bad)?;
    Ok(Tagger {
        setup: TaggerSetup::new(
            TaggerFeatures::Published,
            (classes, History::Xpos),
            Lexicon::new(&entries),
            Lexicon::default(),
        ),
        weights,
        names: named.names,
        recheck: 0,
    })
}

/// Makes a published, unlabelled parser from weights (feature -> {move: weight}) in JSON; moves are
/// the strings 0 (SHIFT), 1 (RIGHT) and 2 (LEFT). The parser allows several roots, as parser.py
/// does.
fn import_parser(weights: &[u8]) -> Result<Parser> {
    let class_of: HashMap<String, u32> = (0..3).map(|class| (class.to_string(), class)).collect();
    let named = read_weights(weights, &class_of, false)?;
    let classes = vec![(Move::Shift, 0), (Move::Right, 0), (Move::Left, 0)];
    let setup = ParserSetup::new(ParserFeatures::Published, Vec::new(), classes, false, false);
    let weights = Weights::new(&named.averages, 3, Some(SCALE)).map_err(bad)?;
    Parser::new(setup, weights).map_err(bad)
}

/// Makes a model from one JSON object with the members `parser` (feature -> {move: weight}),
/// `tagger` (feature -> {tag: weight}), `tagdict` (word -> tag) and `classes` (list of tags).
/// Without the member `parser` the model has only a tagger.
///
/// The model pads sentences if `<start>` is one of the classes, which is the case for taggers that
/// parser.py trained together with its parser.
///
/// # Errors
/// [`Error::File`] if the JSON does not have this form, and the errors of [`import_tagger`].
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Model, Sentence, Workspace, import_published};
/// let model = import_published(br#"{
///     "tagger": {}, "tagdict": {"Dogs": "NNS", "bark": "VBP"}, "classes": ["NNS", "VBP"],
///     "parser": {"tt s0=NNS n0=VBP": {"0": -1.0, "2": 1.0}, "tt s0=VBP n0=ROOT": {"2": 1.0}}
/// }"#).unwrap();
/// let sentence = Sentence { words: &["Dogs", "bark"], ..Sentence::default() };
/// let mut parses = Vec::new();
/// model.annotate(&[sentence], true, &mut Workspace::default(), &mut parses);
/// assert_eq!(parses[0].heads, [2, 0], "Dogs is the subject of bark");
/// ```
pub fn import_published(json: &[u8]) -> Result<Model> {
    #[derive(serde::Deserialize)]
    struct Members<'a> {
        #[serde(borrow)]
        parser: Option<&'a RawValue>,
        #[serde(borrow)]
        tagger: &'a RawValue,
        #[serde(borrow)]
        tagdict: &'a RawValue,
        #[serde(borrow)]
        classes: &'a RawValue,
    }
    let text = std::str::from_utf8(json).map_err(bad)?;
    let members: Members = serde_json::from_str(text).map_err(bad)?;
    let [weights, tagdict, classes] =
        [members.tagger, members.tagdict, members.classes].map(|member| member.get().as_bytes());
    let tagger = import_tagger(weights, tagdict, classes)?;
    let parser = match members.parser {
        Some(weights) => Some(import_parser(weights.get().as_bytes())?.into()),
        None => None,
    };
    let padded = tagger
        .classes()
        .iter()
        .any(|tags| tags.xpos == crate::sentence::START);
    Ok(Model {
        tagger: Some(tagger.into()),
        parser,
        padded,
        ..Model::default()
    })
}
