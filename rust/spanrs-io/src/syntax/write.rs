//! Writing of sentences in CoNLL-U.
//!
//! | field | written |
//! |---|---|
//! | ID | the id in the sentence, or the number of the word in formats without ids |
//! | LEMMA, UPOS, XPOS, FEATS | the value of the annotation, otherwise of the sentence |
//! | HEAD, DEPREL | the arc of the annotation, otherwise of the sentence |
//! | all others | the value in the sentence, or `_` if it is empty |
//!
//! For columns that are predicted or omitted ([`WrittenColumns`]), the values of the sentence are
//! not copied.
//!
//! A CoNLL-U file without empty fields that is read and written without annotations is reproduced
//! byte for byte, including line ends and blank lines, except for a byte order mark and blank lines
//! after the last sentence, which do not belong to any sentence.

use super::predicted::ColumnSet;
use super::sentence::{SyntaxSentence, SyntaxWord};

/// Column indices. LEMMA is the first column that can be predicted.
const LEMMA: usize = 2;
const UPOS: usize = 3;
const XPOS: usize = 4;
const FEATS: usize = 5;
const HEAD: usize = 6;
const DEPREL: usize = 7;

/// Predictions for a word; None leaves the field unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Annotation<'a> {
    /// The lemma.
    pub lemma: Option<&'a str>,
    /// The universal part of speech.
    pub upos: Option<&'a str>,
    /// The part of speech in the treebank's own tag set.
    pub xpos: Option<&'a str>,
    /// The morphological features, such as `Case=Nom|Number=Sing`.
    pub feats: Option<&'a str>,
    /// The head, a word number from 1 or 0 for the root, and the label of the arc.
    pub arc: Option<(u32, &'a str)>,
}

/// Treatment of the columns when a sentence is written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenColumns {
    /// Columns that annotations predict; written as `_` if an annotation has no value.
    pub predicted: ColumnSet,
    /// Other columns that are copied. The remaining columns are written as `_`, except for columns
    /// that a comment of the sentence lists as predicted. If DEPS is not copied, empty nodes are
    /// omitted.
    pub copied: ColumnSet,
}

impl Default for WrittenColumns {
    /// Copies all columns.
    fn default() -> Self {
        Self {
            predicted: ColumnSet::default(),
            copied: ColumnSet::ALL,
        }
    }
}

/// Column of the enhanced dependency graph, whose nodes may be empty nodes.
const DEPS: usize = 8;

/// Appends a sentence in CoNLL-U format to `out`, with an annotation for each word.
///
/// Comments, multiword tokens, empty nodes, the other fields, line ends and blank lines are copied,
/// unless `columns` excludes them; empty fields are written as `_`. If columns from LEMMA to DEPREL
/// are copied in addition to predictions, a comment lists the predicted columns, including columns
/// predicted earlier. `annotations` must have as many items as the sentence has words; words
/// without an item are not written.
///
/// # Examples
/// ```
/// use spanrs_io::{Annotation, ColumnSet, SyntaxFormat, SyntaxReader, SyntaxSentence};
/// use spanrs_io::{WrittenColumns, write_sentence};
/// let mut reader = SyntaxReader::new(b"They ate\n", SyntaxFormat::Tokens, "example", 0).unwrap();
/// let mut sentence = SyntaxSentence::default();
/// assert!(reader.read(&mut sentence).unwrap());
/// let arc = |head, label| Annotation { arc: Some((head, label)), ..Default::default() };
/// let columns = WrittenColumns { predicted: ColumnSet::of([6, 7]), ..Default::default() };
/// let mut out = Vec::new();
/// write_sentence(&sentence, [arc(2, "nsubj"), arc(0, "root")], columns, &mut out);
/// assert!(out.starts_with(b"1\tThey\t_\t_\t_\t_\t2\tnsubj\t_\t_\n"));
/// ```
pub fn write_sentence<'b>(
    sentence: &SyntaxSentence<'_>,
    annotations: impl IntoIterator<Item = Annotation<'b>>,
    columns: WrittenColumns,
    out: &mut Vec<u8>,
) {
    let earlier = sentence.predicted();
    let all_predicted = columns.predicted.union(earlier.unwrap_or_default());
    let copied = columns.copied.union(all_predicted);
    let empty_nodes = copied.contains(DEPS);
    let has_copies = |word: &SyntaxWord<'_>| {
        (LEMMA..=DEPREL).any(|column| {
            let is_copy = copied.contains(column) && !all_predicted.contains(column);
            is_copy && !matches!(word.fields[column], "_" | "")
        })
    };
    // Without predictions, the sentence is a copy and needs no comment.
    let marked = columns.predicted != ColumnSet::default()
        && (earlier.is_some() || sentence.words.iter().any(has_copies));
    out.extend_from_slice(sentence.blank_before.as_bytes());
    let mut digits = Digits::default();
    for (number, (word, annotation)) in (1..).zip(sentence.words.iter().zip(annotations)) {
        if number == 1 && marked {
            push_marked(word, all_predicted, empty_nodes, out);
        } else {
            push_lines(word.before, empty_nodes, out);
        }
        match word.fields[0] {
            "_" => out.extend_from_slice(digits.of(number)),
            id => out.extend_from_slice(id.as_bytes()),
        }
        for (column, field) in word.fields.into_iter().enumerate().skip(1) {
            out.push(b'\t');
            let new = match (column, annotation.arc) {
                (LEMMA, _) => annotation.lemma,
                (UPOS, _) => annotation.upos,
                (XPOS, _) => annotation.xpos,
                (FEATS, _) => annotation.feats,
                (HEAD, Some((head, _))) => {
                    out.extend_from_slice(digits.of(head));
                    continue;
                }
                (DEPREL, Some((_, label))) => Some(label),
                _ => None,
            };
            let is_copied = copied.contains(column) && !columns.predicted.contains(column);
            let field = new.unwrap_or(if is_copied { field } else { "_" });
            out.extend_from_slice(if field.is_empty() { "_" } else { field }.as_bytes());
        }
        out.extend_from_slice(word.line_end.as_bytes());
    }
    push_lines(sentence.after, empty_nodes, out);
    out.extend_from_slice(sentence.end.as_bytes());
}

/// Appends lines with their line ends, with or without empty nodes.
fn push_lines(lines: &str, empty_nodes: bool, out: &mut Vec<u8>) {
    if empty_nodes {
        out.extend_from_slice(lines.as_bytes());
        return;
    }
    for line in lines.split_inclusive('\n') {
        let id = line.split('\t').next().unwrap_or_default();
        if line.starts_with('#') || !id.contains('.') {
            out.extend_from_slice(line.as_bytes());
        }
    }
}

/// Appends the lines before the first word, with the comment of predicted columns after the other
/// comments. The comment has the same line end as the line of the word.
fn push_marked(word: &SyntaxWord, predicted: ColumnSet, empty_nodes: bool, out: &mut Vec<u8>) {
    let is_other = |line: &&str| ColumnSet::from_comment(line).is_none();
    let is_comment = |line: &&str| line.starts_with('#');
    let lines = || word.before.split_inclusive('\n');
    for line in lines().take_while(is_comment).filter(is_other) {
        push_lines(line, empty_nodes, out);
    }
    let line_end = match word.line_end {
        "" => "\n",
        line_end => line_end,
    };
    predicted.push_comment(line_end, out);
    for line in lines().skip_while(is_comment).filter(is_other) {
        push_lines(line, empty_nodes, out);
    }
}

/// Buffer for decimal numbers with as many digits as a `u32` can have, to avoid allocations.
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
            write_sentence(&sentence, same, WrittenColumns::default(), &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_not_annotated_is_copied() {
        assert_eq!(copied(TEXT), TEXT);
        for text in [
            TEXT.replace('\n', "\r\n"),
            format!("\n\n{}", TEXT.trim_end()),
        ] {
            assert_eq!(copied(&text), text);
        }
    }

    #[test]
    fn annotations_are_filled_in() {
        let mut reader = SyntaxReader::new(b"They ate\n\n", SyntaxFormat::Tokens, "x", 0).unwrap();
        let mut sentence = SyntaxSentence::default();
        assert!(reader.read(&mut sentence).unwrap());
        let annotation = Annotation {
            lemma: Some("they"),
            xpos: Some("PRP"),
            feats: Some("Case=Nom"),
            arc: Some((12, "nsubj")),
            ..Annotation::default()
        };
        let mut out = Vec::new();
        write_sentence(
            &sentence,
            [annotation; 2],
            WrittenColumns::default(),
            &mut out,
        );
        let line = |id, form| format!("{id}\t{form}\tthey\t_\tPRP\tCase=Nom\t12\tnsubj\t_\t_\n");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            line(1, "They") + &line(2, "ate") + "\n"
        );
        assert!(reader.read(&mut sentence).unwrap() && sentence.words.is_empty());
        assert!(!reader.read(&mut sentence).unwrap());
    }

    #[test]
    fn predicted_columns_are_named_once_and_others_can_be_left_out() {
        let write = |text: &str, copied| {
            let mut reader =
                SyntaxReader::new(text.as_bytes(), SyntaxFormat::Conllu, "x", 0).unwrap();
            let mut sentence = SyntaxSentence::default();
            assert!(reader.read(&mut sentence).unwrap());
            let annotation = Annotation {
                xpos: Some("NEW"),
                ..Annotation::default()
            };
            let predicted = ColumnSet::of([UPOS, XPOS]);
            let columns = WrittenColumns { predicted, copied };
            let mut out = Vec::new();
            let annotations = vec![annotation; sentence.words.len()];
            write_sentence(&sentence, annotations, columns, &mut out);
            String::from_utf8(out).unwrap()
        };
        let marked = write(TEXT, ColumnSet::ALL);
        // The comment is after the other comments and before a multiword token; a tag without a
        // prediction is not copied.
        let start = "# text = don't go\n# spanrs.predicted = UPOS XPOS\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n\
                     1\tdo\tdo\t_\tNEW\t_\t3\taux\t_\t_\n";
        assert!(marked.starts_with(start), "{marked}");
        assert_eq!(write(&marked, ColumnSet::ALL), marked);
        // Columns that were predicted earlier are still listed.
        let parsed = marked.replace("= UPOS XPOS", "= HEAD");
        let blank = write(&parsed, ColumnSet::of([1, 9]));
        assert!(blank.contains("# spanrs.predicted = UPOS XPOS HEAD\n"));
        assert!(blank.contains("\n3\tgo\t_\t_\tNEW\t_\t0\t_\t_\tSpaceAfter=No\n# end\n"));
        assert!(blank.contains("\n1-2\tdon't") && !blank.contains("2.1"));
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
        assert!(bad(&row("x")).starts_with("x:11: \"x\" is not an id"));
    }
}
