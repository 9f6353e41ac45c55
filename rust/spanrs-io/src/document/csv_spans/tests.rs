use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::document::annotated_text::{Answer, Layer};
use crate::document::random_documents::documents;
use crate::document::round_trip::{check_unless, facts, rewrite};
use crate::document::testing::{rows, spans};
use crate::document::{DocumentWriter, Format, Reader};

/// Reads a table; returns the documents and the notices.
fn read_by(table: &str, layers: LayerChoice) -> Result<(Vec<Document>, Vec<String>)> {
    let bytes = std::io::Cursor::new(table.as_bytes().to_vec());
    let source = Source::stream("t.csv", Box::new(bytes)).keep();
    let reader = Reader {
        layers,
        ..Reader::new(Format::CsvSpans)
    };
    let mut documents = reader.open(&source)?;
    let read = documents.by_ref().collect::<Result<Vec<_>>>()?;
    Ok((read, documents.notices()))
}

fn read(table: &str) -> (Vec<Document>, Vec<String>) {
    read_by(table, LayerChoice::All).unwrap()
}

fn refused(table: &str) -> String {
    read_by(table, LayerChoice::All).unwrap_err().to_string()
}

fn layer(name: Option<&str>, answer: Answer) -> Layer {
    Layer {
        name: name.map(str::to_owned),
        answer,
    }
}

#[test]
fn rows_are_spans_of_documents() {
    let table = "\u{FEFF}ID;start;END;label;text;score\r\na;0;1;E;\"\u{1F600} Bob\r\n\"\"ate\";0.5\r\n\
                 a;2.0;5.0;PER;;\r\n\r\nb;;;;\"x;y\";7\r\nc;0;1;X;z;\r\nc;0;1;Y;z;\r\n";
    let (documents, notices) = read(table);
    let names: Vec<_> = documents
        .iter()
        .map(|d| (d.id.as_deref(), &*d.text))
        .collect();
    let expected = [
        (Some("a"), "\u{1F600} Bob\r\n\"ate"),
        (Some("b"), "x;y"),
        (Some("c"), "z"),
    ];
    assert_eq!((names, notices.len()), (expected.to_vec(), 0));
    assert_eq!(spans(&documents[0]), rows(&[("E", 0, 1), ("PER", 2, 5)]));
    assert_eq!(spans(&documents[2]), rows(&[("X", 0, 1), ("Y", 0, 1)]));
    let first = &documents[0].annotations[0];
    assert_eq!(
        documents[0].attributes(first).collect::<Vec<_>>(),
        [("score", "0.5")]
    );
    assert_eq!(documents[1].metadata, [("score".to_owned(), json!("7"))]);
    assert!(read("doc\tstart\tend\ttype\ttext\n").0.is_empty());
}

#[test]
fn a_table_without_ids_has_a_document_for_each_text() {
    let (documents, _) =
        read("text,start,end,label\nBob ate,0,3,A\nBob ate,4,7,B\nBob,0,3,A\n,0,1,C\n");
    let found: Vec<_> = documents
        .iter()
        .map(|d| (&*d.text, d.annotations.len()))
        .collect();
    assert_eq!(found, [("Bob ate", 2), ("Bob", 2)]);
}

#[test]
fn columns_of_json_are_typed() {
    let (documents, _) = read(
        "doc,start,end,type,pieces,attributes,metadata,text,document_name\n\
         7,0,5,A,3-5;0-1,\"{\"\"k\"\": [1], \"\"b\"\": true}\",\"{\"\"m\"\": null}\",abcdef,n\n\
         7,,,B,1-2,plain,\"{\"\"m\"\": null}\",,n\n7,0,1,C,,,other,,\n",
    );
    let d = &documents[0];
    assert_eq!(d.pieces(&d.annotations[0]), [(0, 1), (3, 5)]);
    assert_eq!(spans(d), rows(&[("A", 0, 5), ("B", 1, 2), ("C", 0, 1)]));
    let values = |at: usize| d.attribute_values(&d.annotations[at]).collect::<Vec<_>>();
    assert_eq!(values(0), [("k", &json!([1])), ("b", &json!(true))]);
    assert_eq!(values(1), [("attributes", &json!("plain"))]);
    assert_eq!(d.metadata, [("m".to_owned(), json!(null))]);
    assert_eq!(d.name.as_deref(), Some("n"));
    assert_eq!(
        d.left_out,
        ["line 4: metadata differs from the first row of the document"]
    );
}

#[test]
fn texts_of_spans_show_how_offsets_are_counted() {
    let table = |rows: &str| format!("doc,start,end,type,mention,text\n{rows}");
    let (documents, notices) = read(&table("a,0,2,A,Bob,Bob ate\na,4,6,B,ate,\nb,0,0,C,,x\n"));
    assert_eq!(spans(&documents[0]), rows(&[("A", 0, 3), ("B", 4, 7)]));
    assert_eq!(spans(&documents[1]), rows(&[("C", 0, 1)]));
    assert_eq!(
        notices,
        ["every end is off by one: ends are inclusive (documents: 1, first: line 2)"]
    );
    let smile = table("a,0,2,E,\u{1F600},\u{1F600} Bob\na,3,6,PER,Bob,\n");
    let (documents, notices) = read(&smile);
    assert_eq!(spans(&documents[0]), rows(&[("E", 0, 1), ("PER", 2, 5)]));
    assert_eq!(
        notices,
        ["offsets count UTF-16 code units (documents: 1, first: line 2)"]
    );
    let (documents, notices) = read(&smile.replace("0,2,E", "0,1,E").replace("3,6", "3,5"));
    assert_eq!(spans(&documents[0]), rows(&[("E", 0, 1), ("PER", 2, 5)]));
    assert_eq!(notices.len(), 2);
    let (documents, notices) = read(&table(
        "a,0,7,A,Bob ate,\"Bob\nate\"\na,0,3,B,Bib,\na,4,9,C,ate,\n",
    ));
    assert_eq!(spans(&documents[0]), rows(&[("A", 0, 7)]));
    assert_eq!(
        documents[0].left_out,
        [
            "line 4: B 0-3: the text is \"Bob\", but the table has \"Bib\"",
            "C 4-9 reaches beyond the text of 7 characters",
        ]
    );
    assert!(notices.is_empty());
}

#[test]
fn annotators_are_selected() {
    let table =
        "doc,user,start,end,type,text\na,,0,1,N,ab\na,ann,0,1,A,\na,eve,,,,\nb,eve,1,2,B,ab\n";
    let (documents, _) = read(table);
    let expected = [
        layer(Some("ann"), Answer::Given),
        layer(Some("eve"), Answer::Empty),
        layer(None, Answer::Given),
    ];
    assert_eq!(documents[0].layers, expected);
    let layers: Vec<u32> = documents[0].annotations.iter().map(|a| a.layer).collect();
    assert_eq!(layers, [2, 0]);
    let (documents, _) = read_by(table, LayerChoice::Sole).unwrap();
    assert_eq!(spans(&documents[0]), rows(&[("A", 0, 1)]));
    assert_eq!(
        documents[0].left_out,
        ["annotations by nobody, eve; choose an annotator (--annotator)"]
    );
    for name in ["eve", "1"] {
        let (documents, _) = read_by(table, LayerChoice::Named(name.to_owned())).unwrap();
        let found: Vec<_> = documents
            .iter()
            .map(|d| (d.id.as_deref(), d.annotations.len()))
            .collect();
        assert_eq!(found, [(Some("a"), 0), (Some("b"), 1)]);
    }
    let (documents, _) = read_by(table, LayerChoice::Named("ann".to_owned())).unwrap();
    assert_eq!(documents.len(), 1);
    for name in ["bob", "7"] {
        let error = read_by(table, LayerChoice::Named(name.to_owned())).unwrap_err();
        let expected = format!("t.csv: no annotator {name:?}; the file has ann, eve");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn texts_of_spans_are_not_texts_of_documents() {
    let error = "the column of the text contains the texts of the spans; name this column mention, and write the \
                 text of each document into a column text, in the first row of the document";
    assert_eq!(
        refused("id,start,end,label,text\na,0,3,A,Bob\na,4,7,B,ate\n"),
        format!("t.csv:3: {error}")
    );
    assert_eq!(
        refused("id,start,end,label,text\na,4,7,B,ate\n"),
        format!("t.csv:2: {error}")
    );
    assert_eq!(
        refused("start,end,label,text\n0,3,A,Bob\n4,6,B,ate\n"),
        format!("t.csv:3: {error}")
    );
    let (documents, _) = read("id,start,end,label,text\na,0,3,A,Bob\nb,1,4,A,abcd\n");
    assert_eq!(documents.len(), 2);
}

#[test]
fn what_is_wrong_with_a_table_is_said_with_its_line() {
    let of = |rows: &str| refused(&format!("doc,start,end,type,text\r\n{rows}"));
    assert_eq!(
        of("a,0,1,A,ab\r\nb,0,1,A,x\r\na,1,2,B,\r\n"),
        "t.csv:4: document \"a\" begins at line 2 and again at line 4; its rows must be consecutive"
    );
    assert_eq!(
        of("a,0,1,A,ab\r\na,0,1,A,abc\r\n"),
        "t.csv:3: the text differs from the text of the same document at line 2; give the text in the first row \
         only"
    );
    assert_eq!(
        of("a,0,1,A,\"a\nb\"\r\na,-1,1,A,\r\n"),
        "t.csv:4: \"-1\" is not a whole number from 0"
    );
    assert_eq!(of("a,0,,A,a"), "t.csv:2: \"\" is not a whole number from 0");
    assert_eq!(
        of("a,0,1.5,A,a"),
        "t.csv:2: \"1.5\" is not a whole number from 0"
    );
    assert_eq!(
        of("a,0,1,A,Bob, Ann"),
        "t.csv:2: the row has 6 fields, but the header has 5; write fields with separators, quotes or line ends in \
         quotes"
    );
    assert_eq!(
        of("b,,,,\r\na,0,1,A,\r\n"),
        "t.csv:3: the document has no text; write its text into the column of the text, in its first row"
    );
    assert_eq!(
        of("a,0,1,A,ab\r\nb,0,1,A,\"ab\r\nc,0,1,A,x\r\n"),
        "t.csv:3: a quoted field is never closed: write \"\" for a quote in a quoted field"
    );
    assert_eq!(
        refused(""),
        "t.csv:1: the table is empty; the first line must be a header"
    );
    assert!(refused("a,b\n").starts_with("t.csv:1: there is no column for the start of the spans"));
    let (documents, _) = read("doc,start,end,type,text\na,,,A,ab\na,,,,\na,0,1,,\n");
    assert_eq!(documents[0].left_out, ["line 2: A has no start and end"]);
    assert_eq!(spans(&documents[0]), rows(&[("", 0, 1)]));
}

#[test]
fn a_row_has_a_limit() {
    let table = format!(
        "doc,start,end,type,text\na,0,1,A,x\nb,0,1,A,{}\n",
        "x".repeat(500_000)
    );
    let mut reader = Reader::new(Format::CsvSpans);
    reader.limits.document_bytes = 1000;
    let error = reader.read("t.csv", table.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.csv:3: the row has more than 1000 bytes, the limit for a document"
    );
    let rows: String = (0..500).map(|at| format!("b,0,{at},A,\n")).collect();
    let table = format!("doc,start,end,type,text\nb,0,1,A,x\n{rows}");
    let error = reader.read("t.csv", table.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.csv:2: the document has more than 1000 bytes, the limit for a document"
    );
    let error = reader
        .read("t.csv", b"doc,start,end,type,text\na,0,1,A,\xFF\n")
        .unwrap_err();
    assert_eq!((error.code, error.position.line), (Code::Encoding, 2));
}

/// Writes documents as a table; returns the table and the kinds of losses.
fn written(documents: &[Document]) -> (String, Vec<String>) {
    let mut writer = DocumentWriter::new(Format::CsvSpans);
    let mut file = Vec::new();
    for document in documents {
        writer.write(document, &mut file).unwrap();
    }
    writer.finish(&mut file);
    let losses = writer.losses().list().iter();
    let losses = losses.map(|loss| loss.kind.clone()).collect();
    (String::from_utf8(file).unwrap(), losses)
}

#[test]
fn a_table_has_a_row_for_each_span() {
    let mut first = Document::new("=Bob, \"ate\"\r\n".to_owned());
    (first.id, first.name) = (Some("7".to_owned()), Some("n".to_owned()));
    first.metadata = vec![("k".to_owned(), json!({"a": 1}))];
    first.layers = vec![
        layer(Some("ann"), Answer::Given),
        layer(Some("eve"), Answer::Empty),
    ];
    let person = first.intern("PER");
    first.push(person, 0, 4);
    first.annotations[0].layer = 0;
    first.add_attribute("sure", true);
    first.push(person, 0, 8);
    first.set_pieces(&[(0, 4), (6, 8)]);
    first.annotations[1].layer = 0;
    let mut second = Document::new("x".to_owned());
    let ty = second.intern("T");
    second.push(ty, 1, 1);
    let mut third = Document::default();
    third.id = Some("8".to_owned());
    let documents = [first, second, third];
    let (table, losses) = written(&documents);
    assert_eq!(
        table,
        "document,document_name,annotator,type,start,end,pieces,attributes,mention,text,metadata\n\
         7,n,ann,PER,0,4,,\"{\"\"sure\"\":true}\",=Bob,\"=Bob, \"\"ate\"\"\r\n\",\"{\"\"k\"\":{\"\"a\"\":1}}\"\n\
         7,,ann,PER,0,8,0-4;6-8,,\"=Bob \"\"a\",,\n7,,eve,,,,,,,,\n\
         ,,,,,,,,,x,\n,,,T,1,1,,,,,\n8,,,,,,,,,,\n"
    );
    let (read, notices) = read(&table);
    assert_eq!((notices.len(), losses.len()), (0, 0));
    for (read, document) in read.iter().zip(&documents) {
        assert_eq!(facts(read), facts(document));
    }
    assert_eq!(written(&[]).0.lines().count(), 1);
}

#[test]
fn ids_and_annotators_are_distinct() {
    let document = |id: &str| {
        let mut document = Document::default();
        document.id = Some(id.to_owned());
        let names = ["", "x", "x", "annotator 1"].map(|name| (!name.is_empty()).then_some(name));
        document.layers = names.map(|name| layer(name, Answer::Empty)).to_vec();
        document
    };
    let (table, losses) = written(&[document("a"), document("a-2"), document("a")]);
    let (read, _) = read(&table);
    let ids: Vec<_> = read.iter().map(|d| d.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["a", "a-2", "a-3"]);
    let names: Vec<_> = read[0]
        .layers
        .iter()
        .map(|l| l.name.as_deref().unwrap())
        .collect();
    assert_eq!(names, ["annotator 2", "x", "x-3", "annotator 1"]);
    assert_eq!(
        losses,
        [
            "annotators without a name of their own, which get a number",
            "ids of several documents, which get a number",
        ]
    );
}

/// Returns true if names are missing or occur twice.
fn is_odd(document: &Document) -> bool {
    let repeats = |names: Vec<&str>| {
        let mut seen = std::collections::HashSet::new();
        names.into_iter().any(|name| !seen.insert(name))
    };
    let layers = document.layers.iter();
    let mut all = document.annotations.iter();
    layers
        .clone()
        .any(|layer| layer.name.as_deref().unwrap_or_default().is_empty())
        || repeats(layers.filter_map(|layer| layer.name.as_deref()).collect())
        || repeats(document.metadata.iter().map(|(name, _)| &**name).collect())
        || all.any(|a| repeats(document.attributes(a).map(|(name, _)| name).collect()))
}

proptest! {
    #[test]
    fn documents_survive(
        d in documents("[a\u{e9}\u{1F600} \n\r\",;\t]{0,20}|nan", "[a-c\u{1F600}\",;\n\r ]{0,3}"),
    ) {
        check_unless(is_odd(&d), Format::CsvSpans, &d);
    }

    #[test]
    fn several_documents_survive(
        all in proptest::collection::vec(documents("[a\u{1F600} \n]{0,4}", "[ab]{1,2}"), 0..4),
    ) {
        let (table, _) = written(&all);
        let (found, _) = read(&table);
        let kept = all.iter().filter(|d| rewrite(Format::CsvSpans, d).is_some()).count();
        prop_assert_eq!(found.len(), kept, "{}", table);
        prop_assert_eq!(written(&found).0, table);
    }

    #[test]
    fn any_table_is_read_or_refused(
        rows in "([a-b]?,[0-9-]{0,2},[0-9.]{0,3},[A\"]?,[a\u{1F600}\"\n]{0,4},[a\u{1F600}]?,[a-b]?\r?\n){0,5}",
    ) {
        let table = format!("doc,start,end,type,text,mention,user\n{rows}");
        if let Ok((documents, _)) = read_by(&table, LayerChoice::All) {
            for document in documents {
                prop_assert_eq!(facts(&document.clone().close()), facts(&document));
            }
        }
    }
}
