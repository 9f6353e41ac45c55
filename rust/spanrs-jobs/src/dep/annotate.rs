use std::sync::atomic::{AtomicBool, Ordering};

use spanrs_base::{Clock, Position, Watch, map_in_threads};
use spanrs_dep::{Annotated, Model, Workspace};
use spanrs_io::{
    Annotation, Code, Error as IoError, SyntaxChunk, SyntaxFormat, SyntaxPart, SyntaxReader,
    SyntaxSentence, write_sentence,
};

use crate::error::{Error, Result};

/// How files are tagged and parsed.
#[derive(Clone, Copy, Debug)]
pub struct AnnotateOptions {
    /// Parse; else only tag.
    pub parse: bool,
    /// Parse with the tags of the file instead of those of the tagger.
    pub keep_tags: bool,
    /// Number of threads; the output does not depend on it.
    pub threads: usize,
    /// Asked at intervals whether to stop.
    pub watch: Watch,
}

/// Tags and parses the sentences of a chunk; gives CoNLL-U, in which everything else is as in the input.
///
/// # Errors
/// Those of [`SyntaxReader`], and [`Error::Stopped`].
pub fn annotate(
    model: &Model,
    path: &str,
    format: SyntaxFormat,
    chunk: &SyntaxChunk,
    options: AnnotateOptions,
) -> Result<Vec<u8>> {
    let parts = chunk.split(options.threads.max(1), format);
    let stopped = AtomicBool::new(false);
    let written = map_in_threads(parts.iter().enumerate(), |(at, part)| {
        // Signals reach the main thread, which works on the first part.
        let mut clock = Clock::new(options.watch);
        let mut stops = move |stopped: &AtomicBool| {
            if at == 0 && clock.stops() {
                stopped.store(true, Ordering::Relaxed);
            }
            stopped.load(Ordering::Relaxed)
        };
        annotate_part(model, path, format, *part, options, || stops(&stopped))
    });
    let mut all = Vec::with_capacity(chunk.text.len() * 2);
    for part in written {
        all.append(&mut part?);
    }
    Ok(all)
}

fn annotate_part(
    model: &Model,
    path: &str,
    format: SyntaxFormat,
    part: SyntaxPart<'_>,
    options: AnnotateOptions,
    mut stops: impl FnMut() -> bool,
) -> Result<Vec<u8>> {
    let mut reader = SyntaxReader::new(part.text, format, path, part.lines_before)?;
    let mut sentence = SyntaxSentence::default();
    let mut workspace = Workspace::default();
    let mut annotated = Annotated::default();
    let (mut words, mut xpos, mut upos) = (Vec::new(), Vec::new(), Vec::new());
    let mut out = Vec::with_capacity(part.text.len() + part.text.len() / 4);
    while reader.read(&mut sentence)? {
        if stops() {
            return Err(Error::Stopped);
        }
        words.clear();
        words.extend(sentence.words.iter().map(|word| word.form()));
        let given = options.keep_tags.then(|| {
            let known = |tag| if tag == "_" { "" } else { tag };
            xpos.clear();
            upos.clear();
            xpos.extend(sentence.words.iter().map(|word| known(word.xpos())));
            upos.extend(sentence.words.iter().map(|word| known(word.upos())));
            (&xpos[..], &upos[..])
        });
        if let Some((xpos, upos)) = given
            && !words.is_empty()
            && xpos.iter().chain(upos).all(|tag| tag.is_empty())
        {
            let message = "the words have no tags to parse with; leave out --keep-tags";
            let position = Position::line(path, sentence.line);
            return Err(IoError::new(Code::WrongFormat, position, message).into());
        }
        match options.parse {
            true => model.annotate(&words, given, &mut workspace, &mut annotated),
            false => model.tag(&words, &mut workspace, &mut annotated),
        }
        write_sentence(
            &sentence,
            annotations(model, &annotated, words.len()),
            &mut out,
        );
    }
    Ok(out)
}

/// What the model says of each word.
fn annotations<'a>(
    model: &'a Model,
    annotated: &'a Annotated,
    words: usize,
) -> impl Iterator<Item = Annotation<'a>> {
    let known = |tag: &'a str| (!tag.is_empty()).then_some(tag);
    let labels = model
        .parser
        .as_ref()
        .map_or(&[][..], |parser| parser.labels());
    (0..words).map(move |at| {
        let tags = annotated.tags.get(at).zip(model.tagger.as_ref());
        let tags = tags.map(|(&class, tagger)| &tagger.classes()[class as usize]);
        let arc = annotated
            .parse
            .heads
            .get(at)
            .zip(annotated.parse.labels.get(at));
        Annotation {
            upos: tags.and_then(|tags| known(&tags.upos)),
            xpos: tags.and_then(|tags| known(&tags.xpos)),
            arc: arc.map(|(&head, &label)| {
                (head, labels.get(label as usize).map_or("_", String::as_str))
            }),
        }
    })
}
