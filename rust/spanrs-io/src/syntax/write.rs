//! Writer of sentences in CoNLL-U.
//!
//! | field | written |
//! |---|---|
//! | ID | the number of the word |
//! | UPOS, XPOS | the annotation's, else the sentence's |
//! | HEAD, DEPREL | the annotation's arc, else the sentence's |
//! | all others | the sentence's; `_` for empty ones |
//!
//! A file of CoNLL-U that is read and written without annotations is the same byte for byte, up to
//! line ends and repeated blank lines between sentences, if its ids were in order and its fields
//! not empty.

use super::sentence::SyntaxSentence;

/// Predictions for a word; None leaves the field as it was.
#[derive(Clone, Copy, Debug, Default)]
pub struct Annotation<'a> {
    /// The universal part of speech.
    pub upos: Option<&'a str>,
    /// The part of speech of the treebank's tag set.
    pub xpos: Option<&'a str>,
    /// The head, a word number from 1 or 0 for the root, and the label of the arc.
    pub arc: Option<(u32, &'a str)>,
}

/// Appends a sentence in CoNLL-U to `out`, with an annotation for each word.
///
/// Comments, multiword tokens, empty nodes and the other fields are copied; ids are written anew,
/// empty fields as `_`, line ends as LF. `annotations` must have as many items as the sentence has
/// words, since words beyond them are not written.
///
/// # Examples
/// ```
/// use spanrs_io::{Annotation, SyntaxFormat, SyntaxReader, SyntaxSentence, write_sentence};
/// let mut reader = SyntaxReader::new(b"They ate\n", SyntaxFormat::Tokens, "example", 0).unwrap();
/// let mut sentence = SyntaxSentence::default();
/// reader.read(&mut sentence).unwrap();
/// let arc = |head, label| Annotation { arc: Some((head, label)), ..Default::default() };
/// let mut out = Vec::new();
/// write_sentence(&sentence, [arc(2, "nsubj"), arc(0, "root")], &mut out);
/// assert!(out.starts_with(b"1\tThey\t_\t_\t_\t_\t2\tnsubj\t_\t_\n"));
/// ```
pub fn write_sentence<'b>(
    sentence: &SyntaxSentence<'_>,
    annotations: impl IntoIterator<Item = Annotation<'b>>,
    out: &mut Vec<u8>,
) {
    let mut digits = Digits::default();
    for (number, (word, annotation)) in (1..).zip(sentence.words.iter().zip(annotations)) {
        push_lines(word.before, out);
        let [_, form, lemma, upos, xpos, feats, head, deprel, deps, misc] = word.fields;
        out.extend_from_slice(digits.of(number));
        let filled = |field: &str, new: Option<&str>, out: &mut Vec<u8>| {
            let field = new.unwrap_or(field);
            out.push(b'\t');
            out.extend_from_slice(if field.is_empty() { "_" } else { field }.as_bytes());
        };
        filled(form, None, out);
        filled(lemma, None, out);
        filled(upos, annotation.upos, out);
        filled(xpos, annotation.xpos, out);
        filled(feats, None, out);
        match annotation.arc {
            Some((head, label)) => {
                out.push(b'\t');
                out.extend_from_slice(digits.of(head));
                filled(deprel, Some(label), out);
            }
            None => {
                filled(head, None, out);
                filled(deprel, None, out);
            }
        }
        filled(deps, None, out);
        filled(misc, None, out);
        out.push(b'\n');
    }
    push_lines(sentence.after, out);
    out.push(b'\n');
}

/// Appends lines with LF as line ends.
fn push_lines(lines: &str, out: &mut Vec<u8>) {
    for line in lines.lines() {
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    }
}

/// Buffer for numbers in decimal, as many digits as a `u32` can have, so that nothing is allocated.
#[derive(Default)]
struct Digits([u8; 10]);

impl Digits {
    /// Returns the digits of a number, valid until the next call.
    fn of(&mut self, mut number: u32) -> &[u8] {
        let mut start = self.0.len();
        loop {
            start -= 1;
            self.0[start] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return &self.0[start..];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SyntaxFormat, SyntaxReader};
    use super::*;

    const TEXT: &str = "# text = don't go\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdo\tdo\tAUX\tVBP\t_\t3\taux\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No\n# end\n\n# alone\n\n1\t3\t_\t_\t_\t_\t_\t_\t_\t_\n\n";

    fn copied(text: &str) -> String {
        let mut reader = SyntaxReader::new(text.as_bytes(), SyntaxFormat::Conllu, "x", 0).unwrap();
        let mut sentence = SyntaxSentence::default();
        let mut out = Vec::new();
        while reader.read(&mut sentence).unwrap() {
            let same = vec![Annotation::default(); sentence.words.len()];
            write_sentence(&sentence, same, &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_not_annotated_is_copied() {
        assert_eq!(copied(TEXT), TEXT);
        assert_eq!(copied(&TEXT.replace('\n', "\r\n")), TEXT);
        assert_eq!(copied(&format!("\n\n{}", TEXT.trim_end())), TEXT);
    }

    #[test]
    fn annotations_are_filled_in() {
        let mut reader = SyntaxReader::new(b"They ate\n\n", SyntaxFormat::Tokens, "x", 0).unwrap();
        let mut sentence = SyntaxSentence::default();
        assert!(reader.read(&mut sentence).unwrap());
        let annotation = Annotation {
            upos: None,
            xpos: Some("PRP"),
            arc: Some((12, "nsubj")),
        };
        let mut out = Vec::new();
        write_sentence(&sentence, [annotation; 2], &mut out);
        let line = |id, form| format!("{id}\t{form}\t_\t_\tPRP\t_\t12\tnsubj\t_\t_\n");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            line(1, "They") + &line(2, "ate") + "\n"
        );
        assert!(reader.read(&mut sentence).unwrap() && sentence.words.is_empty());
        assert!(!reader.read(&mut sentence).unwrap());
    }

    #[test]
    fn bad_lines_are_located() {
        let bad = |text: &str| {
            let mut reader =
                SyntaxReader::new(text.as_bytes(), SyntaxFormat::Conllu, "x", 10).unwrap();
            let mut sentence = SyntaxSentence::default();
            loop {
                match reader.read(&mut sentence) {
                    Ok(true) => {}
                    Ok(false) => return String::new(),
                    Err(error) => return error.to_string(),
                }
            }
        };
        let row = |id: &str| format!("{id}\ta\t_\t_\t_\t_\t_\t_\t_\t_\n");
        assert_eq!(
            bad(&row("2")),
            "x:11: word 2 is out of order; expected 1 (sentences are separated by empty lines)"
        );
        assert!(bad(&(row("1") + &row("1"))).starts_with("x:12: word 1"));
        assert!(bad(&(row("1") + &row("1-2"))).starts_with("x:12: the multiword token 1-2"));
        assert!(bad(&(row("1") + &row("3.1"))).starts_with("x:12: the empty node 3.1"));
        assert!(bad("1\ta\n").starts_with("x:11: 2 columns"));
        assert!(bad(&row("x")).starts_with("x:11: \"x\" is no id"));
    }
}
