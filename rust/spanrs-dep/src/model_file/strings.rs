//! Names and lexicons: strings as text with line feeds, and their numbers.

use spanrs_base::TensorWriter;

use super::{Tensors, damaged};
use crate::error::Result;
use crate::tagger::Lexicon;

/// Adds the words of a lexicon and their numbers.
pub(super) fn put_lexicon(name: &str, lexicon: &Lexicon, tensors: &mut TensorWriter) {
    put_names(name, lexicon.entries().map(|(word, _)| word), tensors);
    let numbers = lexicon.entries().map(|(_, number)| number);
    tensors.numbers(format!("{name}_numbers"), numbers);
}

/// Adds strings as one tensor, each followed by a line feed, and their ends as another tensor if a string contains a
/// line feed.
pub(super) fn put_names<'a>(
    name: &str,
    names: impl Iterator<Item = &'a str>,
    tensors: &mut TensorWriter,
) {
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

impl Tensors<'_> {
    /// Returns the strings of a tensor. They are separated by the tensor of ends if there is one, otherwise by line
    /// feeds.
    pub(super) fn names(&self, name: &str) -> Result<Vec<&str>> {
        let text = std::str::from_utf8(self.0.bytes(name)?).map_err(damaged)?;
        let ends = format!("{name}_ends");
        if !self.0.has(&ends) {
            return Ok(text.split_terminator('\n').collect());
        }
        let (mut start, mut names) = (0, Vec::new());
        for end in self.0.numbers::<u64>(&ends)? {
            let end = usize::try_from(end).ok();
            let own = end.filter(|end| text.as_bytes().get(*end) == Some(&b'\n'));
            let own = own.and_then(|end| Some((end, text.get(start..end)?)));
            let (end, own) = own.ok_or_else(|| damaged(format!("{ends} is out of order")))?;
            names.push(own);
            start = end + 1;
        }
        match start == text.len() {
            true => Ok(names),
            false => Err(damaged(format!("{ends} does not cover all names"))),
        }
    }

    /// Returns a lexicon; its numbers must be below `limit`.
    pub(super) fn lexicon(&self, name: &str, limit: usize) -> Result<Lexicon> {
        let names = self.names(name)?;
        let numbers: Vec<u32> = self.0.numbers(&format!("{name}_numbers"))?;
        if names.len() != numbers.len() || numbers.iter().any(|&number| number as usize >= limit) {
            return Err(damaged(format!(
                "the numbers of {name} do not match its words"
            )));
        }
        let entries: Vec<(&str, u32)> = names.into_iter().zip(numbers).collect();
        Lexicon::checked(&entries).ok_or_else(|| damaged(format!("the words of {name} collide")))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, Model, Tagger, import_tagger};

    fn model(tagger: Tagger) -> Model {
        Model {
            tagger: Some(tagger.into()),
            ..Model::default()
        }
    }

    #[test]
    fn words_may_be_line_feeds() {
        let weights = br#"{"i word \n": {"A": 1.0}, "bias": {"B": 0.5}}"#;
        let tagdict = r#"{"\n": "B", "": "A", "a\n\nb": "A"}"#;
        let tagger = import_tagger(weights, tagdict.as_bytes(), br#"["A", "B"]"#).unwrap();
        let names = tagger.names.clone();
        let bytes = model(tagger).to_bytes().unwrap();
        let tagger = Model::from_bytes(&bytes)
            .unwrap()
            .tagger
            .map(std::sync::Arc::unwrap_or_clone)
            .unwrap();
        let words: Vec<&str> = tagger.tagdict().map(|(word, _)| word).collect();
        assert_eq!(words, ["\n", "", "a\n\nb"]);
        assert_eq!(tagger.names, names);
        assert_eq!(model(tagger).to_bytes().unwrap(), bytes);
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
