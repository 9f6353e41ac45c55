//! Jackknifed tags.

use super::{Next, Passes, fit_tagger};
use crate::error::Result;
use crate::tagger::{TaggerBuffers, TaggerOptions, Tags};
use crate::treebank::Treebank;

/// Replaces the tags of a treebank with predicted tags, each from a tagger that was trained without the sentence
/// (jackknifing). A parser trained on gold tags relies on tags more than it should when they are predicted.
///
/// The treebank is divided into `parts` parts (sentence `s` of `n` is in part `s * parts / n`, rounded down), and each
/// part is tagged by a tagger trained on the other parts. Parts are contiguous: neighbouring sentences are often from
/// the same document, so training on one would reveal too much about the other. This takes `parts - 1` times as long as
/// training on the whole treebank. With fewer than two parts or sentences the gold tags are kept. `after` is called
/// with the number of parts done.
///
/// # Errors
/// Same as [`fit_tagger`], and the errors of `after`. On error the tags are not changed.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Passes, TaggerOptions, Treebank, Word, jackknife};
/// let mut treebank = Treebank::default();
/// for upos in ["NOUN", "VERB"] {
///     treebank.push([Word { form: "cook", upos, ..Word::default() }]);
/// }
/// let passes = Passes { epochs: 2, seed: None, models: 1, watch: || false };
/// jackknife(&mut treebank, 2, TaggerOptions::default(), passes, |_| Ok(())).unwrap();
/// let upos = |sentence| treebank.sentence(sentence).map(|word| word.upos).collect::<Vec<_>>();
/// assert_eq!([upos(0), upos(1)], [["VERB"], ["NOUN"]], "each tagger was trained on the other sentence only");
/// ```
pub fn jackknife(
    treebank: &mut Treebank,
    parts: usize,
    options: TaggerOptions,
    passes: Passes,
    mut after: impl FnMut(usize) -> Result<()>,
) -> Result<()> {
    let mut predicted: Vec<Vec<Tags>> = vec![Vec::new(); treebank.len()];
    let mut buffers = TaggerBuffers::default();
    let mut classes = Vec::new();
    let sentences = treebank.len();
    for part in 0..parts {
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..sentences).partition(|at| at * parts / sentences == part);
        if own.is_empty() || others.is_empty() {
            continue;
        }
        let tagger = fit_tagger(treebank, &others, options, passes, |_, _| {
            Ok(Next::Continue)
        })?;
        for at in own {
            let forms: Vec<&str> = treebank.forms(at).collect();
            tagger.tag(&forms, &mut buffers, &mut classes);
            let tags = classes
                .iter()
                .map(|&class| tagger.classes()[class as usize].clone());
            predicted[at] = tags.collect();
        }
        after(part + 1)?;
    }
    for (at, tags) in predicted.iter().enumerate() {
        treebank.retag(at, tags);
    }
    Ok(())
}
