//! Tagging and parsing of blocks of sentences, in several threads.
//!
//! A block is cut into parts of whole sentences, one for each thread, and the output of the parts
//! is joined in order. A thread reads 64 sentences at a time and annotates them together, because
//! the model interleaves sentences to hide the latency of fetching weights.

use spanrs_base::{Jagged, Position, Watch, Worker, Workers};
use spanrs_dep::{Model, Parse, Sentence, Tags, Workspace};
use spanrs_io::{
    Annotation, Code, ColumnSet, Error as IoError, SyntaxChunk, SyntaxFormat, SyntaxReader,
    SyntaxSentence, SyntaxWord, WrittenColumns, write_sentence,
};

use super::segment::{document_comment, segment};
use crate::error::Result;

/// Options for tagging and parsing files.
#[derive(Clone, Copy, Debug)]
pub struct AnnotateOptions<'a> {
    /// Whether to parse; if false, sentences are only tagged.
    pub parse: bool,
    /// Whether to parse with the tags of the file instead of the tagger's. Not used without `parse`.
    pub keep_tags: bool,
    /// Whether to write `_` instead of copying the columns LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL and DEPS if they are
    /// not predicted, and to drop empty nodes. Tags kept by `keep_tags` are still copied.
    pub blank: bool,
    /// Whether sentences of raw text end at every line end. Not used for other formats.
    pub lines: bool,
    /// Name of the document in the ids of raw text; None for that of the file
    /// ([`document_name`](super::document_name)).
    pub document: Option<&'a str>,
    /// Number of threads, including the calling thread; the output does not depend on this number. 0 means 1.
    pub threads: usize,
    /// Called at intervals, in the calling thread only; returns true to stop.
    pub watch: Watch,
}

/// Tags and parses the sentences of a block; returns CoNLL-U. From CoNLL-U, everything that the model does not predict
/// is copied unless `blank` is set: comments, multiword tokens, empty nodes, the other fields, line ends, blank lines
/// and a byte order mark; only empty fields become `_`. Other formats are written with LF and a blank line after each
/// sentence; raw text is first divided into sentences and words. If a sentence has copied fields, a comment names the
/// columns that were predicted.
///
/// `path` and `format` describe the file of the block. Memory is proportional to the size of input and output.
///
/// # Errors
/// The errors of [`SyntaxReader`]; [`Code::WrongFormat`] for a sentence without tags if tags are kept, and for raw text
/// if the model has no segmenter; [`Error::Stopped`](crate::Error::Stopped). If several parts have errors, the first in
/// the file is returned.
///
/// # Examples
/// ```
/// use spanrs::dep::{Model, import_tagger};
/// use spanrs::dep_files::{AnnotateOptions, annotate};
/// use spanrs::io::{SyntaxChunk, SyntaxFormat};
/// let weights = br#"{"i word dogs": {"NNS": 1.0}, "i-1 tag NNS": {"VBP": 1.0}}"#;
/// let tagger = import_tagger(weights, b"{}", br#"["NNS", "VBP"]"#).unwrap();
/// let model = Model { tagger: Some(tagger.into()), ..Model::default() };
/// let options = AnnotateOptions {
///     parse: false, keep_tags: false, blank: false, lines: false, document: None, threads: 1, watch: || false,
/// };
/// let chunk = SyntaxChunk::whole(b"Dogs bark\n".to_vec());
/// let conllu = annotate(&model, "example", SyntaxFormat::Tokens, &chunk, options)?;
/// assert!(conllu.starts_with(b"1\tDogs\t_\t_\tNNS\t_\t_\t_\t_\t_\n2\tbark\t_\t_\tVBP"));
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn annotate(
    model: &Model,
    path: &str,
    format: SyntaxFormat,
    chunk: &SyntaxChunk,
    options: AnnotateOptions<'_>,
) -> Result<Vec<u8>> {
    let parts = chunk.split(options.threads.max(1), format);
    let annotated = Workers::watched(options.watch).flat_map(parts, |part, worker| match format {
        SyntaxFormat::Raw => annotate_raw(model, path, &part, options, worker),
        _ => annotate_part(model, path, format, part, options, worker),
    });
    if format != SyntaxFormat::Raw || !chunk.starts_document {
        return annotated;
    }
    annotated.map(|sentences: Vec<u8>| match sentences.is_empty() {
        true => sentences,
        false => [
            document_comment(path, options.document).as_bytes(),
            &sentences,
        ]
        .concat(),
    })
}

/// Segments, tags and parses a part of a block of raw text in one thread.
///
/// # Errors
/// Same as [`annotate`].
fn annotate_raw(
    model: &Model,
    path: &str,
    part: &SyntaxChunk<&[u8]>,
    options: AnnotateOptions<'_>,
    worker: &mut Worker<'_>,
) -> Result<Vec<u8>> {
    let wrong = |message: &str| {
        let position = Position::line(path, part.lines_before + 1);
        Err(IoError::new(Code::WrongFormat, position, message).into())
    };
    let Some(segmenter) = &model.segmenter else {
        return wrong(
            "the model cannot divide raw text into sentences and words: it has no segmenter",
        );
    };
    if options.keep_tags && options.parse {
        return wrong("raw text has no tags for parsing; omit --keep-tags");
    }
    let stops = || worker.check().is_err();
    let text = segment(
        (segmenter, options.lines),
        (path, options.document),
        part,
        stops,
    )?;
    let segmented = SyntaxChunk {
        text: &text[..],
        ..*part
    };
    annotate_part(
        model,
        path,
        SyntaxFormat::Conllu,
        segmented,
        options,
        worker,
    )
}

/// Tags and parses a part of a block in one thread. `worker` is checked for every sentence.
///
/// # Errors
/// Same as [`annotate`].
fn annotate_part(
    model: &Model,
    path: &str,
    format: SyntaxFormat,
    part: SyntaxChunk<&[u8]>,
    options: AnnotateOptions<'_>,
    worker: &mut Worker<'_>,
) -> Result<Vec<u8>> {
    let mut reader = SyntaxReader::new(part.text, format, path, part.lines_before)?;
    let mut sentences = vec![SyntaxSentence::default(); TOGETHER];
    let mut workspace = Workspace::default();
    let mut parses = Vec::new();
    let keep_tags = options.keep_tags && options.parse;
    let columns = written_columns(model, options, keep_tags);
    let mut out = Vec::with_capacity(part.text.len() + part.text.len() / 4);
    if format == SyntaxFormat::Conllu && part.lines_before == 0 && part.text.starts_with(BOM) {
        out.extend_from_slice(BOM);
    }
    loop {
        let mut len = 0;
        // Blank lines at the end of the part are stored in the buffer after the last sentence.
        while len < TOGETHER && reader.read(&mut sentences[len])? {
            if keep_tags && !has_tags(&sentences[len]) {
                let message = "the words have no tags for parsing; omit --keep-tags";
                let position = Position::line(path, sentences[len].line);
                return Err(IoError::new(Code::WrongFormat, position, message).into());
            }
            len += 1;
            worker.check()?;
        }
        let words = column(&sentences[..len], SyntaxWord::form);
        let known = |tag| if tag == "_" { "" } else { tag };
        let tags = keep_tags.then(|| {
            let xpos = column(&sentences[..len], |word| known(word.xpos()));
            let upos = column(&sentences[..len], |word| known(word.upos()));
            (xpos, upos)
        });
        let mut inputs = Vec::with_capacity(len);
        for at in 0..len {
            let tags = tags
                .as_ref()
                .map(|(xpos, upos)| (xpos.row(at), upos.row(at)));
            inputs.push(Sentence {
                words: words.row(at),
                tags,
                root_tag: None,
            });
        }
        model.annotate(&inputs, options.parse, &mut workspace, &mut parses);
        for (sentence, parse) in sentences[..len].iter().zip(&parses) {
            let annotations = annotations(model, parse, sentence.words.len());
            write_sentence(sentence, annotations, columns, &mut out);
        }
        if let Some(end) = sentences.get(len) {
            out.extend_from_slice(end.blank_before.as_bytes());
            return Ok(out);
        }
    }
}

/// Returns the columns that the model predicts, and the columns that are copied.
fn written_columns(model: &Model, options: AnnotateOptions<'_>, keep_tags: bool) -> WrittenColumns {
    let [form, lemma, upos, xpos, feats, head, deprel, misc] = [1, 2, 3, 4, 5, 6, 7, 9];
    let has = |tag: fn(&Tags) -> &str| model.classes().iter().any(|tags| !tag(tags).is_empty());
    let predicted = [
        (upos, !keep_tags && has(|tags| &tags.upos)),
        (xpos, !keep_tags && has(|tags| &tags.xpos)),
        (lemma, model.has_lemmas()),
        (feats, !model.feats().is_empty()),
        (head, options.parse),
        (deprel, options.parse && !model.labels().is_empty()),
    ];
    let predicted = predicted.into_iter().filter(|&(_, is)| is);
    let kept: &[usize] = if keep_tags {
        &[form, upos, xpos, misc]
    } else {
        &[form, misc]
    };
    WrittenColumns {
        predicted: ColumnSet::of(predicted.map(|(column, _)| column)),
        copied: match options.blank {
            true => ColumnSet::of(kept.iter().copied()),
            false => ColumnSet::ALL,
        },
    }
}

/// Returns true if a word has a tag, or if there are no words.
fn has_tags(sentence: &SyntaxSentence) -> bool {
    let known = |tag: &str| !matches!(tag, "_" | "");
    let words = &sentence.words;
    words.is_empty()
        || words
            .iter()
            .any(|word| known(word.xpos()) || known(word.upos()))
}

/// The byte order mark.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Number of sentences that are annotated together.
const TOGETHER: usize = 64;

/// Returns one field of all words, sentence by sentence.
fn column<'a>(
    sentences: &[SyntaxSentence<'a>],
    field: impl Fn(&SyntaxWord<'a>) -> &'a str,
) -> Jagged<&'a str> {
    let mut all = Jagged::default();
    for sentence in sentences {
        all.push(sentence.words.iter().map(&field));
    }
    all
}

/// Returns the predictions for each word of a sentence. Empty tags are not predictions.
fn annotations<'a>(
    model: &'a Model,
    parse: &'a Parse,
    words: usize,
) -> impl Iterator<Item = Annotation<'a>> {
    let known = |tag: &'a str| (!tag.is_empty()).then_some(tag);
    let (classes, labels, all_feats) = (model.classes(), model.labels(), model.feats());
    let mut lemmas = parse.analysis.lemmas();
    (0..words).map(move |at| {
        let tags = parse.tags.get(at).map(|&class| &classes[class as usize]);
        let arc = parse.heads.get(at).zip(parse.labels.get(at));
        Annotation {
            upos: tags.and_then(|tags| known(&tags.upos)),
            xpos: tags.and_then(|tags| known(&tags.xpos)),
            arc: arc.map(|(&head, &label)| {
                (head, labels.get(label as usize).map_or("_", String::as_str))
            }),
            lemma: lemmas.next(),
            feats: parse
                .analysis
                .feats
                .get(at)
                .map(|&feats| all_feats[feats as usize].as_str()),
        }
    })
}
