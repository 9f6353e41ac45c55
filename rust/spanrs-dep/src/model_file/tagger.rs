//! Taggers: the part of the header, classes and dictionaries.

use serde::{Deserialize, Serialize};
use spanrs_base::TensorWriter;

use super::strings::{put_lexicon, put_names};
use super::weights::put_weights;
use super::{Tensors, check_fields, damaged};
use crate::error::Result;
use crate::tagger::rich;
use crate::tagger::{History, Tagger, TaggerFeatures, TaggerSetup, Tags};
use crate::weights::MAX_CLASSES;

/// The part of the header for a tagger.
#[derive(Serialize, Deserialize)]
pub(super) struct TaggerHeader {
    /// True for the published features, false for the rich features.
    published: bool,
    /// (XPOS, UPOS) of each class, sorted when written by spanrs.
    classes: Vec<(String, String)>,
    /// Factor from weights to the integers of the file.
    scale: f64,
    /// True if the UPOS tags of previous words are features; otherwise the XPOS tags are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) upos_history: bool,
    /// Number of templates of the rich features; other features always have the default.
    #[serde(
        default = "first_templates",
        skip_serializing_if = "has_first_templates"
    )]
    pub(super) templates: u32,
    /// Margin, in the integers of the file, of words that are tagged in both directions; 0 for taggers of one
    /// direction.
    #[serde(default, skip_serializing_if = "is_zero")]
    recheck: i32,
}

/// Returns true for taggers of one direction.
fn is_zero(recheck: &i32) -> bool {
    *recheck == 0
}

/// The number of templates of files that do not contain it.
fn first_templates() -> u32 {
    rich::FIRST_TEMPLATES
}

/// Returns true if the number of templates need not be written.
pub(super) fn has_first_templates(templates: &u32) -> bool {
    *templates == rich::FIRST_TEMPLATES
}

/// Adds the tensors of a tagger, and returns its part of the header.
pub(super) fn put_tagger(tagger: &Tagger, tensors: &mut TensorWriter) -> TaggerHeader {
    put_weights("tagger", &tagger.weights, tensors);
    put_lexicon("tagger.tagdict", &tagger.setup.tagdict, tensors);
    put_lexicon("tagger.known_tags", &tagger.setup.known_tags, tensors);
    let names = tagger.names.iter().map(String::as_str);
    put_names("tagger.names", names, tensors);
    TaggerHeader {
        published: tagger.setup.features == TaggerFeatures::Published,
        classes: tagger
            .classes()
            .iter()
            .map(|tags| (tags.xpos.clone(), tags.upos.clone()))
            .collect(),
        scale: tagger.weights.scale(),
        upos_history: tagger.setup.history == History::Upos,
        templates: tagger.templates(),
        recheck: tagger.recheck,
    }
}

impl Tensors<'_> {
    /// Reads a tagger and checks that its lexicons and names match its classes and features.
    pub(super) fn tagger(&self, header: TaggerHeader) -> Result<Tagger> {
        let classes: Vec<Tags> = header
            .classes
            .into_iter()
            .map(|(xpos, upos)| Tags { xpos, upos })
            .collect();
        let tags = classes.iter().flat_map(|tags| [&tags.xpos, &tags.upos]);
        check_fields("the tag", tags.map(String::as_str))?;
        if classes.is_empty() || classes.len() > MAX_CLASSES {
            return Err(damaged(format!("the tagger has {} classes", classes.len())));
        }
        let weights = self.weights("tagger", classes.len(), header.scale)?;
        let names = self.names("tagger.names")?;
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        if !names.is_empty() && names.len() != weights.len() {
            return Err(damaged("the numbers of names and features differ"));
        }
        let features = match header.published {
            true => TaggerFeatures::Published,
            false => TaggerFeatures::Rich,
        };
        if ![rich::FIRST_TEMPLATES, rich::TEMPLATES].contains(&header.templates) {
            let templates = header.templates;
            return Err(damaged(format!("the tagger has {templates} templates")));
        }
        if header.recheck < 0 || header.recheck > 0 && header.published {
            let recheck = header.recheck;
            return Err(damaged(format!("the margin of the tagger is {recheck}")));
        }
        let history = match header.upos_history {
            true => History::Upos,
            false => History::Xpos,
        };
        let tagdict = self.lexicon("tagger.tagdict", classes.len())?;
        let known_tags = self.lexicon("tagger.known_tags", u32::MAX as usize)?;
        let mut setup = TaggerSetup::new(features, (classes, history), tagdict, known_tags);
        setup.templates = header.templates;
        Ok(Tagger {
            setup,
            weights,
            names,
            recheck: header.recheck,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Weights;
    use crate::{Error, Model, TaggerBuffers, TaggerOptions, TaggerTrainer};

    fn model(tagger: Tagger) -> Model {
        Model {
            tagger: Some(tagger.into()),
            ..Model::default()
        }
    }

    /// Returns a tagger with compact weights, and the same tagger with exact weights, as earlier versions had them.
    fn taggers() -> [Tagger; 2] {
        let universal = |upos: &str| Tags {
            xpos: String::new(),
            upos: upos.to_owned(),
        };
        let gold = ["DET", "NOUN", "VERB"].map(universal);
        let words = ["the", "run", "ended"];
        let sentence = words.into_iter().zip(&gold);
        let options = TaggerOptions::default();
        let mut trainer = TaggerTrainer::new([sentence].into_iter(), options).unwrap();
        for _ in 0..5 {
            trainer.train_one(&words, &[0, 1, 2]);
        }
        let compact = trainer.finish(trainer.averages()).unwrap();
        let mut exact = compact.clone();
        exact.weights = Weights::new(&trainer.averages(), 3, None).unwrap();
        [compact, exact]
    }

    fn tags(tagger: &Tagger) -> Vec<u32> {
        let mut tags = Vec::new();
        let words = ["a", "run", "the", "ended", "running", "-"];
        tagger.tag(&words, &mut TaggerBuffers::default(), &mut tags);
        tags
    }

    #[test]
    fn taggers_keep_weights_and_the_tags_that_are_features_of_later_words() {
        let [compact, exact] = taggers();
        assert_eq!(tags(&compact), tags(&exact));
        let (first, all) = (rich::FIRST_TEMPLATES, rich::TEMPLATES);
        let versions = [
            (&exact, History::Xpos, first, 1),
            (&exact, History::Upos, first, 2),
            (&exact, History::Xpos, all, 3),
            (&compact, History::Xpos, first, 3),
            (&compact, History::Upos, all, 3),
        ];
        for (tagger, history, templates, version) in versions {
            let mut tagger = tagger.clone();
            let TaggerSetup {
                features,
                classes,
                tagdict,
                known_tags,
                ..
            } = tagger.setup;
            tagger.setup = TaggerSetup::new(features, (classes, history), tagdict, known_tags);
            tagger.setup.templates = templates;
            let bytes = model(tagger.clone()).to_bytes().unwrap();
            let header = String::from_utf8_lossy(&bytes);
            assert!(header.contains(&format!("\\\"version\\\":{version},")));
            let again = Model::from_bytes(&bytes)
                .unwrap()
                .tagger
                .map(std::sync::Arc::unwrap_or_clone)
                .unwrap();
            assert_eq!(again.setup.history, history);
            assert_eq!(again.setup.templates, templates);
            assert!(again.recheck > 0);
            assert_eq!(again.recheck, tagger.recheck);
            assert_eq!(tags(&again), tags(&tagger));
            assert_eq!(model(again).to_bytes().unwrap(), bytes);
        }
        let wrong: [fn(&mut Tagger); 3] = [
            |tagger| tagger.setup.templates += 1,
            |tagger| tagger.recheck = -1,
            |tagger| tagger.setup.features = TaggerFeatures::Published,
        ];
        for change in wrong {
            let mut tagger = compact.clone();
            change(&mut tagger);
            let bytes = model(tagger).to_bytes().unwrap();
            assert!(matches!(Model::from_bytes(&bytes), Err(Error::File(_))));
        }
    }
}
