use serde_json::json;

use super::super::testing::{links, rows, spans};
use super::super::{Document, DocumentWriter, Format, Reader, round_trip};
use crate::Source;

/// A collection as PubTator Central exports it.
const FILE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone='yes'?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source>PubTator</source><date></date><key>BioC.key</key><infon key="version">1</infon>
<document><id>10491763</id><infon key="year">1999</infon>
  <passage><infon key="type">title</infon><offset>0</offset><text>HNF-6 &amp; <![CDATA[HNF]]></text>
    <annotation id="2"><infon key="identifier">3175</infon><infon key="type">Gene</infon><location offset="0" length="5" /><text>HNF-6</text></annotation>
    <annotation id="3"><infon key="type">Gene</infon><location offset="8" length="3"></location><location offset="0" length="3"/><text>HNF HNF</text></annotation>
  </passage>
  <passage><infon key="type">abstract</infon><offset>12</offset>
    <sentence><offset>12</offset><infon key="n">1</infon><text>Yes.</text><relation id="R1"><infon key="type">of</infon><infon key="score">0.5</infon><node refid="2" role="gene"/><node refid="3" role=""/></relation></sentence>
    <better>x</better>
  </passage>
  <relation id="R2"><infon key="relation">CID</infon><infon key="Chemical">D008750</infon></relation>
</document>
<document><id>2</id></document>
</collection>"#;

#[test]
fn collections_are_read_as_streams() {
    let source = Source::stream("x", Box::new(FILE.as_bytes()));
    let mut reader = Reader::new(Format::BiocXml).open(&source).unwrap();
    let first = reader.next().unwrap().unwrap();
    assert_eq!(first.text, "HNF-6 & HNF\nYes.");
    assert_eq!(spans(&first), rows(&[("Gene", 0, 5), ("Gene", 0, 11)]));
    assert_eq!(first.pieces(&first.annotations[1]), [(0, 3), (8, 11)]);
    let attributes: Vec<_> = first.attributes(&first.annotations[0]).collect();
    assert_eq!(attributes, [("id", "2"), ("identifier", "3175")]);
    assert_eq!(links(&first), [("of", 0, 1)]);
    assert_eq!(first.relations_left_out, ["relation R2 (CID) has no nodes"]);
    let names: Vec<&str> = first
        .metadata
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["year", "passages", "collection"]);
    let collection = json!({"source": "PubTator", "key": "BioC.key", "infons": {"version": "1"}});
    assert_eq!(first.metadata[2].1, collection);
    let second = reader.next().unwrap().unwrap();
    assert_eq!((second.id.as_deref(), &*second.text), (Some("2"), ""));
    assert!(reader.next().is_none());
    assert_eq!(
        reader.notices(),
        [
            "1 element that does not belong to BioC, not read (first: <better> on line 11)",
            "1 relation with roles, which are not read (first: relation R1 (of), document 10491763)",
            "2 relations with infons other than the type, which are not read (first: relation R1 (of), \
             document 10491763)",
        ]
    );
    round_trip::check_layers(Format::BiocXml, &first);
    round_trip::check_layers(Format::BiocJson, &first);
}

#[test]
fn characters_that_xml_does_not_allow_are_counted() {
    let mut document = Document::new("a\u{1}b\r\n".to_owned());
    document.metadata = vec![("n".to_owned(), json!(1))];
    let ty = document.intern("X");
    document.push(ty, 0, 5);
    let mut writer = DocumentWriter::new(Format::BiocXml);
    let mut file = Vec::new();
    writer.write(&document, &mut file).unwrap();
    writer.write(&document, &mut file).unwrap();
    writer.finish(&mut file);
    let losses = writer.losses().list();
    let losses: Vec<_> = losses.iter().map(|l| (&*l.kind, l.number)).collect();
    assert_eq!(
        losses,
        [
            ("metadata values that are written as text", 2),
            ("characters that XML does not allow, replaced by spaces", 4)
        ]
    );
    let documents = Reader::new(Format::BiocXml).read("x", &file).unwrap();
    assert_eq!((documents.len(), &*documents[1].text), (2, "a b\r\n"));
    assert_eq!(spans(&documents[1]), rows(&[("X", 0, 5)]));
}

#[test]
fn a_collection_may_be_empty() {
    let mut file = Vec::new();
    DocumentWriter::new(Format::BiocXml).finish(&mut file);
    assert!(
        Reader::new(Format::BiocXml)
            .read("x", &file)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn damaged_files_do_not_panic() {
    round_trip::check_damaged(FILE, Format::BiocXml);
}
