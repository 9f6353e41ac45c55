//! Models of parser.py and of NLTK from JSON.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, Visitor};

use crate::arc_hybrid::Move;
use crate::averages::Averages;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::parser::{Parser, ParserFeatures, ParserSetup};
use crate::tagger::{Lexicon, Tagger, TaggerFeatures, TaggerSetup, Tags};
use crate::text_hash::TextHash;
use crate::weights::Weights;

fn bad(message: impl fmt::Display) -> Error {
    Error::File(format!("not a model of parser.py: {message}"))
}

/// Weights in thousandths, as the originals round them.
const SCALE: f64 = 1000.0;

/// Weights of named features under construction.
#[derive(Default)]
struct Named {
    averages: Averages,
    names: Vec<String>,
}

/// An object of feature -> {class: weight}.
struct WeightsOf<'a> {
    class_of: &'a HashMap<String, u32>,
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
                // The originals round to thousandths.
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

/// Makes a published tagger of weights (feature -> {tag: weight}), dictionary (word -> tag) and classes in JSON: the contents
/// of NLTK's `averaged_perceptron_tagger_<language>.weights.json`, `.tagdict.json` and `.classes.json`.
///
/// # Errors
/// [`Error::File`] with what is wrong.
pub fn import_tagger(weights: &[u8], tagdict: &[u8], classes: &[u8]) -> Result<Tagger> {
    let mut names: Vec<String> = serde_json::from_slice(classes).map_err(bad)?;
    names.sort_unstable();
    names.dedup();
    let class_of: HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
    let tagdict: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(tagdict).map_err(bad)?;
    let entries = tagdict.into_iter().map(|(word, tag)| {
        let class = tag.as_str().and_then(|tag| class_of.get(tag));
        let class = class.ok_or_else(|| bad(format!("{word:?} has the unknown tag {tag}")))?;
        Ok((word, *class))
    });
    let entries = entries.collect::<Result<Vec<_>>>()?;
    let seed = WeightsOf {
        class_of: &class_of,
        keep_names: true,
    };
    let named = seed
        .deserialize(&mut serde_json::Deserializer::from_slice(weights))
        .map_err(bad)?;
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
            classes,
            Lexicon::new(entries),
            Lexicon::default(),
        ),
        weights,
        names: named.names,
    })
}

/// Makes a published parser of weights (feature -> {move: weight}) in JSON; moves are 0 (SHIFT), 1 (RIGHT) and 2 (LEFT).
fn import_parser(weights: &[u8]) -> Result<Parser> {
    let class_of: HashMap<String, u32> = (0..3).map(|class| (class.to_string(), class)).collect();
    let seed = WeightsOf {
        class_of: &class_of,
        keep_names: false,
    };
    let named = seed
        .deserialize(&mut serde_json::Deserializer::from_slice(weights))
        .map_err(bad)?;
    let classes = vec![(Move::Shift, 0), (Move::Right, 0), (Move::Left, 0)];
    let setup = ParserSetup::new(ParserFeatures::Published, Vec::new(), classes, false, false);
    let weights = Weights::new(&named.averages, 3, Some(SCALE)).map_err(bad)?;
    Parser::new(setup, weights).map_err(bad)
}

/// Makes a model of JSON with the members `parser` (feature -> {move: weight}), `tagger` (feature -> {tag: weight}),
/// `tagdict` (word -> tag) and `classes`; of a tagger alone if there is no `parser`.
///
/// # Errors
/// [`Error::File`] with what is wrong.
pub fn import_published(json: &[u8]) -> Result<Model> {
    #[derive(serde::Deserialize)]
    struct Members<'a> {
        #[serde(borrow)]
        parser: Option<&'a serde_json::value::RawValue>,
        #[serde(borrow)]
        tagger: Option<&'a serde_json::value::RawValue>,
        #[serde(borrow)]
        tagdict: Option<&'a serde_json::value::RawValue>,
        #[serde(borrow)]
        classes: Option<&'a serde_json::value::RawValue>,
    }
    let text = std::str::from_utf8(json).map_err(bad)?;
    let members: Members = serde_json::from_str(text).map_err(bad)?;
    let member = |name: &str, found: Option<&'_ serde_json::value::RawValue>| {
        let found = found.map(|value| value.get().as_bytes().to_vec());
        found.ok_or_else(|| bad(format!("the member {name:?} is missing")))
    };
    let tagger = import_tagger(
        &member("tagger", members.tagger)?,
        &member("tagdict", members.tagdict)?,
        &member("classes", members.classes)?,
    )?;
    let parser = match members.parser {
        Some(weights) => Some(import_parser(weights.get().as_bytes())?),
        None => None,
    };
    let padded = tagger
        .classes()
        .iter()
        .any(|tags| tags.xpos == crate::model::START);
    Ok(Model {
        tagger: Some(tagger),
        parser,
        padded,
        metadata: "{}".into(),
    })
}
