//! Model files: safetensors with a JSON header.
//!
//! Names of tensors begin with `tagger.` or `parser.`; the tensors of a missing tagger or parser are absent. All
//! tensors are one-dimensional and little-endian:
//!
//! | tensor | type | content |
//! |---|---|---|
//! | `features`, `ends` | u64, u64 | hash of each feature, and the end of its row |
//! | `classes`, `weights` | u16, i32 | class and weight of each entry; weights are multiplied by `scale` |
//! | `tagdict`, `known_tags`, `names` | u8 | words or names of features, each followed by a line feed |
//! | `tagdict_ends`, `known_tags_ends`, `names_ends` | u64 | end in bytes of each word or name |
//! | `tagdict_numbers`, `known_tags_numbers` | u32 | number of each word: a class, or a set of tags |
//!
//! The tensors in the last three rows exist only for taggers. `names` has a line per feature, or is empty. Ends of
//! words and names are written only if one of them contains a line feed, which could not be distinguished from a
//! separating line feed.
//!
//! The metadata of the safetensors header has one entry, `spanrs.dep`: JSON with the format
//! version, the classes and options of tagger and parser, and the model's own metadata
//! ([`Header`]).
//!
//! # Hostile files
//!
//! Files are not trusted. safetensors checks that tensors are inside the file; this module checks types, lengths, the
//! ranges of all numbers and the order within rows before a table is built, so that prediction cannot index out of
//! bounds, and memory is proportional to the size of the file.

use serde::{Deserialize, Serialize};
use spanrs_base::{Ends, TensorError, TensorFile, TensorWriter};

use crate::arc_hybrid::Move;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::parser::templates::Templates;
use crate::parser::{MAX_BEAM, Parser, ParserFeatures, ParserSetup};
use crate::tagger::{History, Lexicon, Tagger, TaggerFeatures, TaggerSetup, Tags};
use crate::weights::{MAX_CLASSES, Rows, Weights};

/// Latest version of the format; files of later versions are rejected.
///
/// Version 2 adds [`TaggerHeader::upos_history`], and is only written for models in which this field is true.
const VERSION: u64 = 2;
/// Key of the entry in the metadata of the safetensors header.
const KEY: &str = "spanrs.dep";

/// Returns the error for a damaged or unknown file, with the reason.
fn damaged(what: impl std::fmt::Display) -> Error {
    Error::File(what.to_string())
}

impl From<TensorError> for Error {
    fn from(error: TensorError) -> Self {
        damaged(error)
    }
}

/// The JSON in the header: everything except tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    /// 1, or [`VERSION`].
    version: u64,
    /// See [`Model::padded`].
    padded: bool,
    /// None for a model without a tagger.
    tagger: Option<TaggerHeader>,
    /// None for a model without a parser.
    parser: Option<ParserHeader>,
    /// The model's own metadata; its keys keep their order.
    metadata: serde_json::Map<String, serde_json::Value>,
}

/// The part of the header for a tagger.
#[derive(Serialize, Deserialize)]
struct TaggerHeader {
    /// True for the published features, false for the rich features.
    published: bool,
    /// (XPOS, UPOS) of each class, sorted when written by spanrs.
    classes: Vec<(String, String)>,
    /// Factor from weights to the integers of the file.
    scale: f64,
    /// True if the UPOS tags of previous words are features; otherwise the XPOS tags are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    upos_history: bool,
}

/// The part of the header for a parser.
#[derive(Serialize, Deserialize)]
struct ParserHeader {
    /// Text of the templates; None for the published features.
    templates: Option<String>,
    /// Names of the labels; empty for an unlabelled parser.
    labels: Vec<String>,
    /// (move, label) of each class, sorted by move; moves are 0 (SHIFT), 1 (RIGHT) and 2 (LEFT).
    classes: Vec<(u8, u32)>,
    /// True if exactly one word is attached to the root.
    single_root: bool,
    /// True if the last class is only used for the root; then there are at least two classes for LEFT.
    has_root_class: bool,
    /// Width of the beam; absent for greedy parsers.
    #[serde(default = "greedy", skip_serializing_if = "is_greedy")]
    beam: usize,
    /// Factor from weights to the integers of the file.
    scale: f64,
}

/// Width of the beam of a greedy parser.
fn greedy() -> usize {
    1
}

/// Returns true for the width of a greedy parser.
fn is_greedy(beam: &usize) -> bool {
    *beam == 1
}

/// Adds the four tensors of weights; `part` is `tagger` or `parser`.
fn put_weights(part: &str, weights: &Weights, tensors: &mut TensorWriter) {
    let rows = weights.rows();
    let of = |name: &str| format!("{part}.{name}");
    let ends = rows.ends.as_slice().iter().map(|&end| end as u64);
    tensors.numbers(of("features"), rows.features.iter().copied());
    tensors.numbers(of("ends"), ends);
    tensors.numbers(of("classes"), rows.classes.iter().copied());
    tensors.numbers(of("weights"), rows.weights.iter().copied());
}

/// Adds the words of a lexicon and their numbers.
fn put_lexicon(name: &str, lexicon: &Lexicon, tensors: &mut TensorWriter) {
    let words = lexicon.entries.iter().map(|(word, _)| word.as_str());
    put_names(name, words, tensors);
    let numbers = lexicon.entries.iter().map(|(_, number)| *number);
    tensors.numbers(format!("{name}_numbers"), numbers);
}

/// Adds strings as one tensor, each followed by a line feed, and their ends as another tensor if a string contains a
/// line feed.
fn put_names<'a>(name: &str, names: impl Iterator<Item = &'a str>, tensors: &mut TensorWriter) {
    let (mut text, mut ends, mut is_ambiguous) = (String::new(), Vec::new(), false);
    for name in names {
        is_ambiguous |= name.contains('\n');
        text.push_str(name);
        ends.push(text.len() as u64);
        text.push('\n');
    }
    tensors.bytes(name, text.into_bytes());
    if is_ambiguous {
        tensors.numbers::<u64>(format!("{name}_ends"), ends);
    }
}

impl Model {
    /// Returns the bytes of a model file. Equal models have equal files.
    ///
    /// # Errors
    /// [`Error::File`] if the metadata is not a JSON object.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::{Error, Model};
    /// let model = |metadata: &str| {
    ///     Model { tagger: None, parser: None, padded: false, metadata: metadata.to_owned() }
    /// };
    /// let bytes = model(r#"{"note": "empty"}"#).to_bytes().unwrap();
    /// assert!(Model::from_bytes(&bytes).unwrap().tagger.is_none());
    /// assert!(matches!(model("no JSON").to_bytes(), Err(Error::File(_))));
    /// assert!(matches!(Model::from_bytes(&bytes[..20]), Err(Error::File(_))));
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut tensors = TensorWriter::default();
        if let Some(tagger) = &self.tagger {
            put_weights("tagger", &tagger.weights, &mut tensors);
            put_lexicon("tagger.tagdict", &tagger.setup.tagdict, &mut tensors);
            put_lexicon("tagger.known_tags", &tagger.setup.known_tags, &mut tensors);
            let names = tagger.names.iter().map(String::as_str);
            put_names("tagger.names", names, &mut tensors);
        }
        if let Some(parser) = &self.parser {
            put_weights("parser", &parser.weights, &mut tensors);
        }
        let tagger = self.tagger.as_ref();
        let upos_history = tagger.is_some_and(|tagger| tagger.setup.history == History::Upos);
        let header = Header {
            version: if upos_history { VERSION } else { 1 },
            padded: self.padded,
            tagger: tagger.map(|tagger| TaggerHeader {
                published: tagger.setup.features == TaggerFeatures::Published,
                classes: tagger
                    .classes()
                    .iter()
                    .map(|tags| (tags.xpos.clone(), tags.upos.clone()))
                    .collect(),
                scale: tagger.weights.scale(),
                upos_history,
            }),
            parser: self.parser.as_ref().map(|parser| ParserHeader {
                templates: parser.templates().map(str::to_owned),
                labels: parser.labels().to_vec(),
                classes: parser
                    .setup
                    .classes
                    .iter()
                    .map(|&(transition, label)| (transition as u8, label))
                    .collect(),
                single_root: parser.setup.single_root,
                has_root_class: parser.setup.has_root_class,
                beam: parser.setup.beam,
                scale: parser.weights.scale(),
            }),
            metadata: serde_json::from_str(&self.metadata).map_err(damaged)?,
        };
        let header = serde_json::to_string(&header).map_err(damaged)?;
        Ok(tensors.finish(KEY, header)?)
    }

    /// Reads a model file and builds its tables. All content is checked; memory is proportional to the size of the
    /// file.
    ///
    /// # Errors
    /// [`Error::File`] if the file is not a safetensors file, was not written by spanrs, has an unsupported version,
    /// contains inconsistent tensors, or contains invalid parser templates; the message gives the reason.
    pub fn from_bytes(file: &[u8]) -> Result<Self> {
        let file = TensorFile::open(file, KEY, "a tagger or parser of spanrs")?;
        let entry = file.header();
        let version: serde_json::Value = serde_json::from_str(entry).map_err(damaged)?;
        if !version["version"]
            .as_u64()
            .is_some_and(|n| (1..=VERSION).contains(&n))
        {
            return Err(damaged(format!(
                "format version {}; this spanrs reads versions 1 to {VERSION}",
                version["version"]
            )));
        }
        let header: Header = serde_json::from_str(entry).map_err(damaged)?;
        let tensors = Tensors(file);
        let tagger = header
            .tagger
            .map(|header| tensors.tagger(header))
            .transpose()?;
        let parser = header
            .parser
            .map(|header| tensors.parser(header))
            .transpose()?;
        let metadata = serde_json::to_string(&header.metadata).map_err(damaged)?;
        Ok(Self {
            tagger,
            parser,
            padded: header.padded,
            metadata,
        })
    }
}

/// The tensors of a file.
struct Tensors<'a>(TensorFile<'a>);

impl Tensors<'_> {
    /// Returns the strings of a tensor. They are separated by the tensor of ends if there is one, otherwise by line
    /// feeds.
    fn names(&self, name: &str) -> Result<Vec<String>> {
        let text = std::str::from_utf8(self.0.bytes(name)?).map_err(damaged)?;
        let ends = format!("{name}_ends");
        if !self.0.has(&ends) {
            return Ok(text.split_terminator('\n').map(str::to_owned).collect());
        }
        let (mut start, mut names) = (0, Vec::new());
        for end in self.0.numbers::<u64>(&ends)? {
            let end = usize::try_from(end).ok();
            let own = end.filter(|end| text.as_bytes().get(*end) == Some(&b'\n'));
            let own = own.and_then(|end| Some((end, text.get(start..end)?)));
            let (end, own) = own.ok_or_else(|| damaged(format!("{ends} is out of order")))?;
            names.push(own.to_owned());
            start = end + 1;
        }
        match start == text.len() {
            true => Ok(names),
            false => Err(damaged(format!("{ends} does not cover all names"))),
        }
    }

    /// Returns a lexicon; its numbers must be below `limit`.
    fn lexicon(&self, name: &str, limit: usize) -> Result<Lexicon> {
        let names = self.names(name)?;
        let numbers: Vec<u32> = self.0.numbers(&format!("{name}_numbers"))?;
        if names.len() != numbers.len() || numbers.iter().any(|&number| number as usize >= limit) {
            return Err(damaged(format!(
                "the numbers of {name} do not match its words"
            )));
        }
        Ok(Lexicon::new(names.into_iter().zip(numbers)))
    }

    /// Reads weights and checks what prediction relies on: rows cover all entries in their order, classes are below
    /// `classes` and increase within a row, features are distinct, and the scale is valid.
    fn weights(&self, part: &str, classes: usize, scale: f64) -> Result<Weights> {
        if !(1e-18..=1e18).contains(&scale) {
            return Err(damaged(format!("the scale of {part} is {scale}")));
        }
        let of = |name: &str| format!("{part}.{name}");
        let features: Vec<u64> = self.0.numbers(&of("features"))?;
        let ends: Vec<u64> = self.0.numbers(&of("ends"))?;
        let own: Vec<u16> = self.0.numbers(&of("classes"))?;
        let values: Vec<i32> = self.0.numbers(&of("weights"))?;
        let mut distinct = features.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let fits = distinct.len() == features.len()
            && features.len() == ends.len()
            && own.len() == values.len()
            && own.iter().all(|&class| usize::from(class) < classes);
        // An end that is too large for usize is out of range too.
        let ends = (ends.into_iter())
            .map(|end| usize::try_from(end).unwrap_or(usize::MAX))
            .collect();
        let ends = Ends::checked(ends, own.len()).filter(|ends| {
            let mut rows = ends.ranges().map(|range| &own[range]);
            fits && rows.all(|row| row.is_sorted_by(|a, b| a < b))
        });
        let ends = ends.ok_or_else(|| damaged(format!("the rows of {part} are inconsistent")))?;
        let rows = Rows {
            features,
            ends,
            classes: own,
            weights: values,
        };
        Weights::of_rows(rows, classes, scale).map_err(damaged)
    }

    /// Reads a tagger and checks that its lexicons and names match its classes and features.
    fn tagger(&self, header: TaggerHeader) -> Result<Tagger> {
        let classes: Vec<Tags> = header
            .classes
            .into_iter()
            .map(|(xpos, upos)| Tags { xpos, upos })
            .collect();
        if classes.is_empty() || classes.len() > MAX_CLASSES {
            return Err(damaged(format!("the tagger has {} classes", classes.len())));
        }
        let weights = self.weights("tagger", classes.len(), header.scale)?;
        let names = self.names("tagger.names")?;
        if !names.is_empty() && names.len() != weights.rows().len() {
            return Err(damaged("the numbers of names and features differ"));
        }
        let features = match header.published {
            true => TaggerFeatures::Published,
            false => TaggerFeatures::Rich,
        };
        let history = match header.upos_history {
            true => History::Upos,
            false => History::Xpos,
        };
        let tagdict = self.lexicon("tagger.tagdict", classes.len())?;
        let known_tags = self.lexicon("tagger.known_tags", u32::MAX as usize)?;
        Ok(Tagger {
            setup: TaggerSetup::new(features, (classes, history), tagdict, known_tags),
            weights,
            names,
        })
    }

    /// Reads a parser and checks that its classes are sorted by move, complete, and have known
    /// labels.
    fn parser(&self, header: ParserHeader) -> Result<Parser> {
        let classes = header.classes.iter().map(|&(transition, label)| {
            let transition = match transition {
                0 => Move::Shift,
                1 => Move::Right,
                2 => Move::Left,
                other => return Err(damaged(format!("unknown move {other}"))),
            };
            Ok((transition, label))
        });
        let classes = classes.collect::<Result<Vec<_>>>()?;
        let lefts = classes.iter().filter(|class| class.0 == Move::Left).count();
        if header.has_root_class && lefts < 2 {
            return Err(damaged(
                "the parser has no class for one of the moves SHIFT, RIGHT and LEFT",
            ));
        }
        let labels = header.labels.len().max(1);
        if classes.len() > MAX_CLASSES
            || !classes.is_sorted_by_key(|class| class.0)
            || classes.iter().any(|class| class.1 as usize >= labels)
        {
            return Err(damaged("the moves of the parser are not sorted"));
        }
        let features = match &header.templates {
            None => ParserFeatures::Published,
            Some(source) => {
                // Since the user did not write the templates, an invalid template means that the file is damaged.
                let templates = Templates::parse(source).map_err(damaged)?;
                ParserFeatures::Templates(Box::new(templates))
            }
        };
        let is_published = header.templates.is_none();
        if !(1..=MAX_BEAM).contains(&header.beam) || is_published && header.beam > 1 {
            return Err(damaged(format!("a beam of {}", header.beam)));
        }
        let weights = self.weights("parser", classes.len(), header.scale)?;
        let mut setup = ParserSetup::new(
            features,
            header.labels,
            classes,
            header.single_root,
            header.has_root_class,
        );
        setup.beam = header.beam;
        Parser::new(setup, weights).map_err(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Next, ParserOptions, Passes, TaggerOptions, TaggerTrainer, Treebank, Word};
    use crate::{fit_parser, import_tagger};

    fn model(tagger: Tagger) -> Model {
        Model {
            tagger: Some(tagger),
            parser: None,
            padded: false,
            metadata: "{}".to_owned(),
        }
    }

    #[test]
    fn taggers_keep_the_tags_that_are_features_of_later_words() {
        let universal = |upos: &str| Tags {
            xpos: String::new(),
            upos: upos.to_owned(),
        };
        let gold = ["DET", "NOUN"].map(universal);
        let sentence = ["the", "run"].into_iter().zip(&gold);
        let options = TaggerOptions::default();
        let mut trainer = TaggerTrainer::new([sentence].into_iter(), options).unwrap();
        trainer.train_one(&["the", "run"], &[0, 1]);
        let mut tagger = trainer.finish(trainer.averages()).unwrap();
        for (history, version) in [(History::Upos, "2"), (History::Xpos, "1")] {
            tagger.setup.history = history;
            let bytes = model(tagger.clone()).to_bytes().unwrap();
            let header = String::from_utf8_lossy(&bytes);
            assert!(header.contains(&format!("\\\"version\\\":{version},")));
            let again = Model::from_bytes(&bytes).unwrap().tagger.unwrap();
            assert_eq!(again.setup.history, history);
            assert_eq!(model(again).to_bytes().unwrap(), bytes);
        }
    }

    #[test]
    fn words_may_be_line_feeds() {
        let weights = br#"{"i word \n": {"A": 1.0}, "bias": {"B": 0.5}}"#;
        let tagdict = r#"{"\n": "B", "": "A", "a\n\nb": "A"}"#;
        let tagger = import_tagger(weights, tagdict.as_bytes(), br#"["A", "B"]"#).unwrap();
        let names = tagger.names.clone();
        let bytes = model(tagger).to_bytes().unwrap();
        let tagger = Model::from_bytes(&bytes).unwrap().tagger.unwrap();
        let words: Vec<&str> = tagger
            .tagdict()
            .iter()
            .map(|(word, _)| word.as_str())
            .collect();
        assert_eq!(words, ["\n", "", "a\n\nb"]);
        assert_eq!(tagger.names, names);
        assert_eq!(model(tagger).to_bytes().unwrap(), bytes);
    }

    #[test]
    fn bad_templates_are_damage() {
        let mut treebank = Treebank::default();
        treebank.push([Word {
            form: "Run",
            ..Word::default()
        }]);
        let options = ParserOptions {
            templates: Some("S0.w\nN0.w".to_owned()),
            ..ParserOptions::default()
        };
        let passes = Passes {
            epochs: 1,
            seed: None,
            models: 1,
            watch: || false,
        };
        let after = |_, _: &_| Ok(Next::Continue);
        let parser = fit_parser(&treebank, &options, passes, after).unwrap();
        let model = Model {
            tagger: None,
            parser: Some(parser),
            padded: false,
            metadata: "{}".to_owned(),
        };
        let mut bytes = model.to_bytes().unwrap();
        assert!(Model::from_bytes(&bytes).is_ok());
        let at = bytes.windows(4).position(|part| part == b"N0.w").unwrap();
        bytes[at..at + 4].copy_from_slice(b"N0.x");
        let Err(Error::File(message)) = Model::from_bytes(&bytes) else {
            panic!("not reported as damage");
        };
        assert!(message.starts_with("template 2: "), "{message}");
    }

    #[test]
    fn ends_of_words_are_checked() {
        let tagger = import_tagger(b"{}", br#"{"\n": "A", "b": "A"}"#, br#"["A"]"#).unwrap();
        let bytes = model(tagger).to_bytes().unwrap();
        let ends = [1_u64, 3].map(u64::to_le_bytes).concat();
        let at = bytes.windows(16).position(|part| part == ends).unwrap();
        for wrong in [[1, 2], [3, 1], [1, u64::MAX], [1, 1]] {
            let mut damaged = bytes.clone();
            damaged[at..at + 16].copy_from_slice(&wrong.map(u64::to_le_bytes).concat());
            assert!(
                matches!(Model::from_bytes(&damaged), Err(Error::File(_))),
                "{wrong:?}"
            );
        }
    }
}
