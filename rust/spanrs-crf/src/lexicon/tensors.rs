//! Lexicons as tensors, in model files and in files of their own.
//!
//! | tensor of lexicon `i` | type | content |
//! |---|---|---|
//! | `lexicon_i_word_names`, `lexicon_i_word_ends` | u8, u64 | the words in alphabetical order, as the names of a model |
//! | `lexicon_i_type_names`, `lexicon_i_type_ends` | u8, u64 | gazetteer: the types in alphabetical order |
//! | `lexicon_i_phrase_words`, `lexicon_i_phrase_ends` | u32, u64 | gazetteer: the words of all phrases, and the end of each phrase |
//! | `lexicon_i_phrase_types` | u32 | gazetteer: the type of each phrase |
//! | `lexicon_i_phrase_sources` | u64 | gazetteer: none, or the hash of the sentence of each phrase |
//! | `lexicon_i_cluster_names`, `lexicon_i_cluster_ends` | u8, u64 | clusters: the distinct clusters in alphabetical order |
//! | `lexicon_i_word_clusters` | u32 | clusters: the cluster of each word |
//!
//! The header lists name, kind and `ignore_case` of the lexicons, in the order of the names.

use serde_json::{Value, json};
use spanrs_base::{Ends, Interner, Jagged, TensorFile, TensorWriter};

use super::{Clusters, Gazetteer, Lexicon, LexiconKind, Lexicons};
use crate::error::{Error, Result};
use crate::model_file::{concatenate, file_error, read_names};

/// Version of the format of a lexicon in a file of its own.
const VERSION: u64 = 1;
/// Key of the header's metadata in a file of one lexicon.
const KEY: &str = "spanrs.lexicon";

impl Lexicons {
    /// Adds the tensors, and returns the entry of the header.
    pub(crate) fn write(&self, tensors: &mut TensorWriter) -> Value {
        let described = self.iter().enumerate().map(|(at, (name, lexicon))| {
            lexicon.write(at, tensors);
            json!({ "name": name, "kind": lexicon.kind().name(), "ignore_case": lexicon.ignore_case() })
        });
        described.collect()
    }

    /// Reads lexicons from an untrusted file; `entry` is the entry of the header.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn read(entry: &Value, tensors: &TensorFile<'_>) -> Result<Self> {
        let invalid = || file_error("the list of lexicons in the header is not valid");
        let described = entry.as_array().ok_or_else(invalid)?;
        let mut all = std::collections::BTreeMap::new();
        for (at, described) in described.iter().enumerate() {
            let name = described["name"].as_str().ok_or_else(invalid)?;
            let lexicon = Lexicon::read_tensors(at, described, tensors)?;
            if all.insert(name.to_owned(), lexicon).is_some() {
                return Err(file_error(format!("the lexicon {name:?} occurs twice")));
            }
        }
        Ok(Self(all))
    }
}

impl Lexicon {
    /// The bytes of a file of this lexicon. Equal lexicons give equal bytes.
    ///
    /// # Errors
    /// [`Error::File`] if the tensors cannot be serialised.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut tensors = TensorWriter::default();
        self.write(0, &mut tensors);
        let header = json!({
            "version": VERSION,
            "kind": self.kind().name(),
            "ignore_case": self.ignore_case(),
        });
        Ok(tensors.finish(KEY, header.to_string())?)
    }

    /// Reads a file of [`Lexicon::to_bytes`]. All content is checked; memory is limited by the size
    /// of the file.
    ///
    /// # Errors
    /// [`Error::File`].
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Clusters, Lexicon};
    /// let lexicon: Lexicon = Clusters::new([("London", "0110")], false)?.into();
    /// assert_eq!(Lexicon::from_bytes(&lexicon.to_bytes()?)?, lexicon);
    /// # Ok::<(), spanrs_crf::Error>(())
    /// ```
    pub fn from_bytes(file: &[u8]) -> Result<Self> {
        let tensors = TensorFile::open(file, KEY, "a lexicon of spanrs")?;
        let header: Value = serde_json::from_str(tensors.header()).map_err(file_error)?;
        let version = header["version"].as_u64().unwrap_or_default();
        if version != VERSION {
            return Err(file_error(format!(
                "format version {version}; this spanrs reads version {VERSION}"
            )));
        }
        Self::read_tensors(0, &header, &tensors)
    }

    /// Adds the tensors of the lexicon with this number.
    fn write(&self, at: usize, tensors: &mut TensorWriter) {
        let names = |what: &str, names: &Interner<str>, tensors: &mut TensorWriter| {
            let (bytes, ends) = concatenate(names);
            tensors.bytes(tensor(at, &format!("{what}_names")), bytes);
            tensors.numbers(tensor(at, &format!("{what}_ends")), ends);
        };
        match self {
            Self::Gazetteer(gazetteer) => {
                names("word", &gazetteer.words, tensors);
                names("type", &gazetteer.types, tensors);
                let phrases = &gazetteer.phrases;
                let ends = phrases.ends().as_slice().iter().map(|&end| end as u64);
                tensors.numbers(tensor(at, "phrase_words"), phrases.values().iter().copied());
                tensors.numbers(tensor(at, "phrase_ends"), ends);
                let types = gazetteer.entry_types.iter().copied();
                tensors.numbers(tensor(at, "phrase_types"), types);
                let sources = gazetteer.sources.iter().copied();
                tensors.numbers(tensor(at, "phrase_sources"), sources);
            }
            Self::Clusters(clusters) => {
                names("word", &clusters.words, tensors);
                names("cluster", &clusters.clusters, tensors);
                let numbers = clusters.word_clusters.iter().copied();
                tensors.numbers(tensor(at, "word_clusters"), numbers);
            }
        }
    }

    /// The lexicon with this number.
    ///
    /// # Errors
    /// [`Error::File`].
    fn read_tensors(at: usize, described: &Value, tensors: &TensorFile<'_>) -> Result<Self> {
        let names = |what: &str| -> Result<Interner<str>> {
            let bytes = tensors.bytes(&tensor(at, &format!("{what}_names")))?;
            read_names(
                bytes,
                &tensors.numbers(&tensor(at, &format!("{what}_ends")))?,
            )
        };
        let invalid = |what: &str| file_error(format!("the {what} of lexicon {at} is not valid"));
        let ignore_case = described["ignore_case"].as_bool();
        let ignore_case = ignore_case.ok_or_else(|| invalid("option ignore_case"))?;
        let kind = described["kind"].as_str().unwrap_or_default();
        let words = names("word")?;
        let lexicon: Result<Self> = if kind == LexiconKind::Gazetteer.name() {
            let values: Vec<u32> = tensors.numbers(&tensor(at, "phrase_words"))?;
            let ends = tensors
                .numbers::<u64>(&tensor(at, "phrase_ends"))?
                .into_iter();
            // An end that is too large for usize is out of range too.
            let ends = ends.map(|end| usize::try_from(end).unwrap_or(usize::MAX));
            let ends = Ends::checked(ends.collect(), values.len());
            let phrases = Jagged::new(values, ends.ok_or_else(|| invalid("list of phrases"))?);
            let types = tensors.numbers(&tensor(at, "phrase_types"))?;
            let sources = tensors.numbers(&tensor(at, "phrase_sources"))?;
            Gazetteer::of_parts(
                (words, names("type")?),
                phrases,
                types,
                sources,
                ignore_case,
            )
            .map(Self::from)
        } else if kind == LexiconKind::Clusters.name() {
            let numbers = tensors.numbers(&tensor(at, "word_clusters"))?;
            Clusters::of_parts((words, names("cluster")?), numbers, ignore_case).map(Self::from)
        } else {
            return Err(invalid("kind"));
        };
        lexicon.map_err(|error| match error {
            Error::File { .. } => error,
            error => file_error(error),
        })
    }
}

/// The name of a tensor.
fn tensor(at: usize, what: &str) -> String {
    format!("lexicon_{at}_{what}")
}
