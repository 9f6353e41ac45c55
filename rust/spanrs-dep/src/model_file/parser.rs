//! Parsers: the part of the header, templates and classes.

use serde::{Deserialize, Serialize};
use spanrs_base::TensorWriter;

use super::weights::put_weights;
use super::{Tensors, check_fields, damaged};
use crate::arc_hybrid::Move;
use crate::error::Result;
use crate::parser::templates::Templates;
use crate::parser::{MAX_BEAM, Parser, ParserFeatures, ParserSetup};
use crate::weights::MAX_CLASSES;

/// The part of the header for a parser.
#[derive(Serialize, Deserialize)]
pub(super) struct ParserHeader {
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

/// Adds the tensors of a parser, and returns its part of the header.
pub(super) fn put_parser(parser: &Parser, tensors: &mut TensorWriter) -> ParserHeader {
    put_weights("parser", &parser.weights, tensors);
    ParserHeader {
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
    }
}

impl Tensors<'_> {
    /// Reads a parser and checks that its classes are sorted by move, complete, and have known
    /// labels.
    pub(super) fn parser(&self, header: ParserHeader) -> Result<Parser> {
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
        check_fields("the label", header.labels.iter().map(String::as_str))?;
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
    use crate::{Error, Model, Next, ParserOptions, Passes, Treebank, Word, fit_parser};

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
            parser: Some(parser.into()),
            ..Model::default()
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
}
