//! Recognition of the file format from the first bytes or, if these are not sufficient, from the
//! file name.

use spanrs_base::Named;

use super::json_records::json_format;
use super::tables::{is_csv, is_stacked, span_table};
use super::{TextFormat, text_format};
use crate::conllu;
use crate::document::Format;
use crate::document::standoff_format;
use crate::span_file;

/// The format of a file of labelled text.
///
/// ```
/// use spanrs_io::FileFormat;
/// use spanrs_io::document::Format;
/// assert_eq!(FileFormat::Document(Format::LabelStudio).name(), "label-studio");
/// assert_eq!(FileFormat::Conllu.name(), "conllu");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// One token per line, with columns of tags.
    Columns,
    /// CoNLL-U.
    Conllu,
    /// One token per line, with stacked tags (`I-S|B-NP`).
    Stacked,
    /// FairEval's span files.
    Spans,
    /// Texts with annotations, or tokens with spans.
    Document(Format),
    /// JSON Lines of sentences with lists of tokens and tags.
    JsonlTags,
    /// spaCy's `DocBin`.
    Spacy,
    /// Parquet.
    Parquet,
    /// Arrow IPC: files (including Feather version 2) and streams.
    Arrow,
    /// A table with quoted cells, a header, or commas or semicolons between cells.
    Csv,
}

impl FileFormat {
    /// Returns the name of the format, as in the option `format`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Columns => "columns",
            Self::Conllu => "conllu",
            Self::Stacked => "stacked",
            Self::Spans => "spans",
            Self::Document(format) => format.name(),
            Self::JsonlTags => "jsonl-tags",
            Self::Spacy => "spacy",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Csv => "csv",
        }
    }
}

/// Result of [`recognise`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// The format of the file.
    Format(FileFormat),
    /// The file cannot be read unchanged.
    Refused {
        /// Description of the file, for `this is {what}`.
        what: String,
        /// Advice for the user.
        advice: String,
    },
}

impl Recognised {
    /// Creates a refusal.
    pub(super) fn refused(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Refused {
            what: what.into(),
            advice: advice.into(),
        }
    }
}

/// First bytes of Parquet files; the second item is for files with an encrypted footer. Complete
/// files end with the same bytes.
const PARQUET: [&[u8]; 2] = [b"PAR1", b"PARE"];
/// First and last bytes of Arrow files; the first bytes are padded with zeros to eight bytes.
const ARROW: &[u8] = b"ARROW1";
/// First bytes of Arrow streams: the marker before the length of each message. Text never begins
/// with these bytes.
const ARROW_STREAM: &[u8] = b"\xFF\xFF\xFF\xFF";
/// First bytes of Feather version 1.
const FEATHER: &[u8] = b"FEA1";
/// Number of bytes within which binary data is expected to contain a control character.
const HEAD: usize = 64;

/// Recognises the format of a file from its first bytes, after decompression. `whole` is true if
/// these are the whole file, and `name` is the file name, which is used only if the bytes are not
/// sufficient.
///
/// | beginning | name | format |
/// |---|---|---|
/// | `PAR1` or `PARE`, then binary data | | `parquet` |
/// | `ARROW1`, then binary data; FF FF FF FF | | `arrow` |
/// | `FEA1`, then binary data | | rejected: Feather version 1 |
/// | a zlib header, then binary data | | `spacy` |
/// | a zlib header | `x.spacy` | `spacy` |
/// | `#FORMAT=WebAnno TSV 3.3` | | `webanno-tsv` |
/// | `25763772\|t\|Title`, then `25763772\|a\|Abstract` | | `pubtator` |
/// | `{"signal": "Bob", "asets": []}` | | `mat-json` |
/// | `[{"annotations": [], "data": {}}]` | | `label-studio` |
/// | `{"text": "Bob", "spans": []}` | | `prodigy` |
/// | `{"text": "Bob", "label": [[0, 3, "PER"]]}` | | `doccano` |
/// | `{"documents": [], "infons": {}}` | | `bioc-json` |
/// | `{"tokens": ["Bob"], "ner_tags": [0]}` | | `jsonl-tags` |
/// | `{"tokenized_text": ["Bob"], "ner": [[0, 0, "PER"]]}` | | `jsonl-spans` |
/// | `[["Bob", "B-PER"]]`, `{"x": 1}` | | rejected: lists; other keys |
/// | `<doc>Bob</doc>` | | `xml-inline` |
/// | `<xmi:XMI xmlns:xmi="...">` | | `uima-xmi` |
/// | `<GateDocument version="3">` | | `gate-xml` |
/// | `<collection><source>` | | `bioc-xml` |
/// | `<CAS>` | | rejected: XCAS |
/// | `document,start,end,type` | | `csv-spans` |
/// | `annotation_id,annotator,label,text` | | `label-studio-csv` |
/// | `T1<tab>PER 0 3<tab>Bob` | | `brat` |
/// | empty file; `R1<tab>knows Arg1:T1 Arg2:T2` | `x.ann` | `brat` |
/// | a word of ten columns with id and head | | `conllu` |
/// | `PER<tab>6<tab>7<tab>6, 7` | | `spans` |
/// | `"Bob","B-PER"` | | `csv` |
/// | `token<tab>tag`, then `Bob<tab>B-PER` | | `csv` |
/// | `Bob,B-PER` | | `csv` |
/// | `Bob,NNP` | `x.csv` | `csv` |
/// | `Bob I-S\|B-NP` | | `stacked` |
/// | anything else, including an empty file, UTF-16, and `Bob<tab>B-PER` with any name | | `columns` |
///
/// Files in an unknown format are reported by the column reader. A column file is recognised as
/// another format only if [`crate::ColumnReader`] would reject it for the same reason, or in the
/// cases of this table. Time is linear in the number of bytes.
///
/// ```
/// use spanrs_io::{FileFormat, Recognised, recognise};
/// let format = |text: &str, name| recognise(text.as_bytes(), true, name);
/// assert_eq!(format("EU B-ORG\n", "x.csv"), Recognised::Format(FileFormat::Columns));
/// assert_eq!(format("EU,NNP\n", "x.csv"), Recognised::Format(FileFormat::Csv));
/// let Recognised::Refused { what, advice } = format("{\"x\": 1}\n", "x.json") else { panic!() };
/// assert_eq!(what, "JSON whose first record has the key \"x\"");
/// assert!(advice.starts_with("specify the format"));
/// ```
pub fn recognise(beginning: &[u8], whole: bool, name: &str) -> Recognised {
    let name = Suffix(name);
    if let Some(binary) = binary_format(beginning, whole, name) {
        return binary;
    }
    let text = beginning.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(beginning);
    let begin = text.trim_ascii_start();
    let lines = match memchr::memrchr(b'\n', text) {
        // The last line may be truncated.
        Some(last) if !whole => &text[..=last],
        _ => text,
    };
    match text_format(begin, whole) {
        Some(TextFormat::WebAnno) => return document(Format::WebannoTsv),
        Some(TextFormat::Pubtator) => return document(Format::Pubtator),
        Some(TextFormat::Json) => return json_format(begin),
        Some(TextFormat::Xml) => return xml_format(begin),
        Some(TextFormat::Brat) => return document(Format::Brat),
        None if !whole && opens_element(begin) => return xml_format(begin),
        None => {}
    }
    Recognised::Format(if name.is(".ann") && may_be_brat(begin) {
        FileFormat::Document(Format::Brat)
    } else if let Some(format) = span_table(lines) {
        FileFormat::Document(format)
    } else if conllu::fits(lines) {
        FileFormat::Conllu
    } else if span_file::are_spans(lines) {
        FileFormat::Spans
    } else if is_csv(lines, name.is(".csv")) {
        FileFormat::Csv
    } else if is_stacked(lines) {
        FileFormat::Stacked
    } else {
        FileFormat::Columns
    })
}

/// A file name, for testing its suffix.
#[derive(Clone, Copy)]
struct Suffix<'a>(&'a str);

impl Suffix<'_> {
    /// Returns true if the name, without a compression suffix, ends with `suffix`, ignoring case.
    fn is(self, suffix: &str) -> bool {
        let ends = |name: &str, suffix: &str| {
            let at = name.len().checked_sub(suffix.len());
            at.and_then(|at| name.get(at..))
                .is_some_and(|end| end.eq_ignore_ascii_case(suffix))
        };
        let compression = [".gz", ".zst"].into_iter().find(|end| ends(self.0, end));
        let bare = self.0.len() - compression.map_or(0, str::len);
        ends(&self.0[..bare], suffix)
    }
}

/// Returns the format of known binary data; None for text and other binary data.
///
/// `PAR1` may be a token in a text file, so either a control character must follow or the file must
/// end with the same bytes.
fn binary_format(beginning: &[u8], whole: bool, name: Suffix<'_>) -> Option<Recognised> {
    let head = &beginning[..beginning.len().min(HEAD)];
    let binary = head.iter().any(|&b| b < b' ' && !b"\t\n\r".contains(&b));
    let is =
        |magic: &[u8]| head.starts_with(magic) && (binary || whole && beginning.ends_with(magic));
    if PARQUET.into_iter().any(is) {
        return Some(Recognised::Format(FileFormat::Parquet));
    }
    if is(ARROW) || head.starts_with(ARROW_STREAM) {
        return Some(Recognised::Format(FileFormat::Arrow));
    }
    if is(FEATHER) {
        let what = "Feather version 1, which has no lists";
        return Some(Recognised::refused(what, "write version 2"));
    }
    // RFC 1950: deflate with a window of 32 KiB, and a checksum of the two header bytes. The text
    // `x^2` also has a valid header.
    let zlib = matches!(*head, [0x78, flags, ..] if (0x7800 + u16::from(flags)) % 31 == 0);
    (zlib && (binary || name.is(".spacy"))).then_some(Recognised::Format(FileFormat::Spacy))
}

/// Returns true if the first line is a single start tag without an end tag in `begin`, followed by
/// the end tag of another element.
fn opens_element(begin: &[u8]) -> bool {
    let line = begin.split(|&b| b == b'\n').next().unwrap_or_default();
    let name = line.trim_ascii_end().strip_prefix(b"<");
    let name = name.and_then(|rest| rest.strip_suffix(b">"));
    name.is_some_and(|name| {
        name.first().is_some_and(u8::is_ascii_alphabetic)
            && !name.iter().any(|b| b" \t<>".contains(b))
            && memchr::memmem::find(begin, b"</").is_some()
    })
}

/// Returns a format of documents.
pub(super) fn document(format: Format) -> Recognised {
    Recognised::Format(FileFormat::Document(format))
}

/// Returns the format of XML: the format of the root element, or inline XML.
fn xml_format(begin: &[u8]) -> Recognised {
    match standoff_format(begin) {
        Ok(format) => document(format.unwrap_or(Format::XmlInline)),
        Err(what) => Recognised::refused(what, "export XMI, which is read"),
    }
}

/// Returns true for an empty file, and for a file whose first line begins with a brat id (`R1`,
/// `#2`, `*`) and a tab.
fn may_be_brat(begin: &[u8]) -> bool {
    let id = begin.split(|&b| matches!(b, b'\t' | b'\n')).next();
    let id = id.unwrap_or_default();
    let is_id = match id {
        [b'T' | b'R' | b'E' | b'A' | b'M' | b'N' | b'#', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
        _ => id == b"*",
    };
    begin.is_empty() || is_id && begin.get(id.len()) == Some(&b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the name of the format, or the message of a refusal.
    fn format(beginning: &[u8], whole: bool, name: &str) -> String {
        match recognise(beginning, whole, name) {
            Recognised::Format(format) => format.name().to_owned(),
            Recognised::Refused { what, .. } => format!("refused: {what}"),
        }
    }

    #[test]
    fn binary_files_are_recognised() {
        for (beginning, name, expected) in [
            (&b"PAR1\x15\x04"[..], "x", "parquet"),
            (b"PARE\0", "x", "parquet"),
            (b"PAR1 B-ORG\n", "x.parquet", "columns"),
            (b"PAR1 B-ORG\nPAR1", "x", "parquet"),
            (b"ARROW1\0\0", "x", "arrow"),
            (b"ARROW1 O\n", "x.arrow", "columns"),
            (b"\xFF\xFF\xFF\xFF\x10", "x", "arrow"),
            (
                b"FEA1\0",
                "x",
                "refused: Feather version 1, which has no lists",
            ),
            (b"\x78\x9C\x01\x02", "x", "spacy"),
            (b"\x78\x9C\xED\xE2", "x.SPACY", "spacy"),
            (b"\x78\x9C\xED\xE2", "x", "columns"),
            (b"x^2 O\n", "x", "columns"),
            (b"E\0U\0", "x", "columns"),
            (b"\xFF\xFEE\0U\0", "x", "columns"),
        ] {
            assert_eq!(format(beginning, true, name), expected, "{beginning:?}");
        }
    }

    #[test]
    fn text_is_recognised_by_its_content() {
        let word = "1\tBob\t_\tPROPN\t_\t_\t0\troot\t_\tNER=B-PER\n";
        for (text, name, expected) in [
            ("", "x", "columns"),
            ("", "x.ann", "brat"),
            ("", "x.ann.gz", "brat"),
            ("R1\tknows Arg1:T1 Arg2:T2\n", "x.ann", "brat"),
            ("R1\tO\n", "x", "columns"),
            ("Bob\tO\n", "x.ann", "columns"),
            ("T1\tPER 0 3\tBob\n", "x.csv", "brat"),
            ("#FORMAT=WebAnno TSV 3.3\n", "x", "webanno-tsv"),
            ("\u{FEFF}<doc>\nBob\n</doc>\n", "x", "xml-inline"),
            ("# newdoc\n", "x", "columns"),
            (word, "x", "conllu"),
            ("PER\t6\t7\t6, 7\n", "x.csv", "spans"),
            ("{\"signal\": \"Bob\"}", "x", "mat-json"),
            ("EU,NNP\n", "x.csv", "csv"),
            ("EU I-S|B-NP\n", "x", "stacked"),
            ("EU B-ORG\n", "x.json", "columns"),
            ("<unk> O\n[ O\n", "x.xml", "columns"),
        ] {
            assert_eq!(format(text.as_bytes(), true, name), expected, "{text}");
        }
    }

    #[test]
    fn formats_of_annotation_tools_are_recognised() {
        let xmi = "<xmi:XMI xmlns:xmi=\"http://www.omg.org/XMI\"></xmi:XMI>";
        for (text, name, expected) in [
            (xmi, "x", "uima-xmi"),
            (
                "<CAS version=\"2\"><a/></CAS>",
                "x",
                "refused: a UIMA CAS in the format XCAS",
            ),
            (
                "<?xml version=\"1.0\"?>
<GateDocument version=\"3\"></GateDocument>",
                "x",
                "gate-xml",
            ),
            (
                "<?xml version=\"1.0\"?><!DOCTYPE collection SYSTEM \"BioC.dtd\">
<collection>",
                "x",
                "bioc-xml",
            ),
            (
                "<collection><source>PMC</source></collection>",
                "x",
                "bioc-xml",
            ),
            ("<collection><book>x</book></collection>", "x", "xml-inline"),
            (
                "1|t|Title
1|a|Abstract
1	0	5	Title	X
",
                "x",
                "pubtator",
            ),
            (
                "1|t|O
1|b|O
",
                "x",
                "columns",
            ),
        ] {
            assert_eq!(format(text.as_bytes(), true, name), expected, "{text}");
        }
    }

    #[test]
    fn tables_of_spans_are_told_by_their_headers() {
        for (text, name, expected) in [
            (
                "document,start,end,type
d,0,2,PER
",
                "x",
                "csv-spans",
            ),
            (
                "doc_id	begin	end	label	text
",
                "x",
                "csv-spans",
            ),
            (
                "annotation_id,annotator,created_at,id,label,lead_time,text,updated_at
",
                "x.csv",
                "label-studio-csv",
            ),
            (
                "token,start,end,tag
EU,0,2,B-ORG
",
                "x",
                "csv",
            ),
        ] {
            assert_eq!(format(text.as_bytes(), true, name), expected, "{text}");
        }
    }

    #[test]
    fn a_last_line_that_is_cut_off_does_not_count() {
        let text = b"PER\t6\t7\t6, 7\nORG\t2";
        assert_eq!(format(text, false, "x"), "spans");
        assert_eq!(format(text, true, "x"), "columns");
        assert_eq!(format(b"EU,B-ORG\nrej", false, "x"), "csv");
        assert_eq!(format(b"<a>\n<b>EU</b> rej", false, "x"), "xml-inline");
        assert_eq!(format(b"<s> O\n</s> O\nEU", false, "x"), "columns");
        assert_eq!(format(b"{\"signal\": \"EU rej", false, "x"), "mat-json");
    }

    proptest::proptest! {
        #[test]
        fn any_beginning_is_recognised(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![
                    "[", "]", "{", "}", "\"", "\\", ":", ",", "text", "label", "<a>", "</a>", "\t", "\n",
                    " ", "1", "B-X", "|", "\u{e9}", "\0", "PAR1", "#",
                ]),
                0..40,
            ),
            cut in 0_usize..3,
            whole: bool,
        ) {
            let text = pieces.concat();
            let bytes = &text.as_bytes()[..text.len().saturating_sub(cut)];
            let recognised = recognise(bytes, whole, "x.csv");
            proptest::prop_assert_eq!(recognise(bytes, whole, "x.csv"), recognised);
        }
    }
}
