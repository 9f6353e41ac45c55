//! Reading treebanks from files, and checking that heads form a tree.

use spanrs_base::Position;
use spanrs_dep::{Roots, TreeError, Treebank, Word, check_tree};
use spanrs_io::{Code, Error as IoError, SyntaxChunks, SyntaxFormat, SyntaxReader, SyntaxSentence};

use crate::error::{Error, Result};

/// Which trees the sentences of a file have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trees {
    /// Heads are not read, which is enough to train a tagger.
    Ignored,
    /// Every sentence must have a tree with this number of roots.
    Required(Roots),
    /// Either all sentences of a file have a tree with this number of roots, or no word has a head.
    Optional(Roots),
}

/// Appends the sentences of a file to a treebank, and returns whether heads were read. Fields that are `_` become
/// empty.
///
/// # Errors
/// Errors from the reader; [`Code::WrongFormat`] for formats without heads, if trees are needed;
/// [`Code::BadDocument`] with the line of the word whose head violates the tree;
/// [`Error::Stopped`]. Sentences before the error stay in the treebank.
///
/// # Examples
/// ```
/// use spanrs::dep::{Roots, Treebank};
/// use spanrs::dep_files::Trees;
/// use spanrs::io::{Source, SyntaxChunks};
/// let text = "They PRP 2 nsubj\nate VBD 0 root\n\n";
/// let source = Source::stream("example", Box::new(text.as_bytes()));
/// let mut chunks = SyntaxChunks::open(&source, None)?;
/// let mut treebank = Treebank::default();
/// let trees = Trees::Required(Roots::One);
/// assert!(spanrs::dep_files::read_treebank(&mut chunks, trees, &mut treebank, || false)?);
/// assert_eq!((treebank.len(), treebank.words()), (1, 2));
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn read_treebank(
    chunks: &mut SyntaxChunks,
    trees: Trees,
    treebank: &mut Treebank,
    mut stops: impl FnMut() -> bool,
) -> Result<bool> {
    let (path, format) = (chunks.path().to_owned(), chunks.format());
    let has_columns = matches!(format, SyntaxFormat::Conllu | SyntaxFormat::FourColumns);
    if matches!(trees, Trees::Required(_)) && !has_columns {
        let message = "the file has no heads; train parsers with CoNLL-U";
        return Err(IoError::new(Code::WrongFormat, Position::file(&path), message).into());
    }
    let mut optional = match trees {
        Trees::Optional(roots) if has_columns => Some(FileHeads::new(roots)),
        _ => None,
    };
    let mut has_heads = matches!(trees, Trees::Required(_));
    while let Some(chunk) = chunks.read()? {
        let mut reader = SyntaxReader::new(&chunk.text, format, &path, chunk.lines_before)?;
        let mut sentence = SyntaxSentence::default();
        while reader.read(&mut sentence)? {
            if stops() {
                return Err(Error::Stopped);
            }
            let heads = match (trees, &mut optional) {
                (Trees::Required(roots), _) => Some(heads_of(&path, format, &sentence, roots)?),
                (_, Some(heads)) => heads.of(&path, format, &sentence)?,
                _ => None,
            };
            has_heads |= heads.is_some();
            let heads = heads.unwrap_or_else(|| vec![0; sentence.words.len()]);
            let known = |field| if field == "_" { "" } else { field };
            let words = sentence.words.iter().zip(heads).map(|(word, head)| Word {
                form: word.form(),
                xpos: known(word.xpos()),
                upos: known(word.upos()),
                feats: known(word.feats()),
                lemma: match word.form() {
                    // The lemma of the word "_" is written like a missing lemma.
                    "_" => word.lemma(),
                    _ => known(word.lemma()),
                },
                head,
                label: known(word.deprel()),
            });
            // Optional trees are read for display, not for training.
            let for_training = !matches!(trees, Trees::Optional(_));
            for (word, row) in words.clone().zip(&sentence.words) {
                if for_training && let Some(field) = word.with_control_character() {
                    let position = Position::line(&path, row.line);
                    let message = format!("{field:?} contains a control character; remove it");
                    return Err(IoError::new(Code::BadDocument, position, message).into());
                }
            }
            treebank.push(words);
        }
    }
    Ok(has_heads)
}

/// Heads of a file in which either all sentences have trees, or none.
pub(super) struct FileHeads {
    /// Number of roots that trees may have.
    roots: Roots,
    /// Whether the sentences have heads; None before the first sentence.
    has_heads: Option<bool>,
}

impl FileHeads {
    /// Starts a file.
    pub(super) fn new(roots: Roots) -> Self {
        Self {
            roots,
            has_heads: None,
        }
    }

    /// Returns the heads of the next sentence, or None if the sentences have no trees.
    ///
    /// # Errors
    /// Same as [`heads_of`]; [`Code::BadDocument`] for a head after sentences without heads.
    pub(super) fn of(
        &mut self,
        path: &str,
        format: SyntaxFormat,
        sentence: &SyntaxSentence<'_>,
    ) -> Result<Option<Vec<u32>>> {
        if sentence.words.is_empty() {
            return Ok(None);
        }
        let with_head = sentence.words.iter().find(|word| word.head() != "_");
        let has_heads = *self.has_heads.get_or_insert(with_head.is_some());
        match (has_heads, with_head) {
            (true, _) => heads_of(path, format, sentence, self.roots).map(Some),
            (false, None) => Ok(None),
            (false, Some(word)) => {
                let position = Position::line(path, word.line);
                let message = "the word has a head, but the sentences before have none; either all sentences of a file \
                               have trees, or none";
                Err(IoError::new(Code::BadDocument, position, message).into())
            }
        }
    }
}

/// Returns the heads of a sentence after checking that they form a tree: word numbers from 1, and 0
/// for the root.
///
/// # Errors
/// [`Code::WrongFormat`] for a head that is not a number; [`Code::BadDocument`] with the line of
/// the word for a head beyond the sentence, a cycle, or a second root where only one is allowed.
pub(super) fn heads_of(
    path: &str,
    format: SyntaxFormat,
    sentence: &SyntaxSentence<'_>,
    roots: Roots,
) -> Result<Vec<u32>> {
    let mut heads = SyntaxReader::heads(path, sentence)?;
    if format == SyntaxFormat::FourColumns {
        // parser.py also writes the root as the position after the last word.
        let root = heads.len() as u32 + 1;
        heads
            .iter_mut()
            .for_each(|head| *head = if *head == root { 0 } else { *head });
    }
    check_tree(&heads, roots).map_err(|error| {
        let word = match error {
            TreeError::Range { word, .. } | TreeError::Cycle { word, .. } => word,
            TreeError::Roots { second, .. } => second,
        };
        let line = sentence
            .words
            .get(word - 1)
            .map_or(sentence.line, |word| word.line);
        let position = Position::line(path, line);
        IoError::new(Code::BadDocument, position, error.to_string())
    })?;
    Ok(heads)
}
