use std::io::Cursor;

use proptest::prelude::*;
use serde_json::json;

use super::super::testing::{links, rows, spans};
use super::super::{DocumentWriter, Format};
use super::*;

/// A file with elements and a text, whose id is 1.
fn xmi(text: &str, elements: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><xmi:XMI xmlns:xmi=\"http://www.omg.org/XMI\" \
         xmlns:cas=\"http:///uima/cas.ecore\" xmlns:tcas=\"http:///uima/tcas.ecore\" \
         xmlns:type4=\"http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore\" \
         xmlns:type5=\"http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore\" \
         xmlns:type3=\"http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore\" \
         xmlns:pos=\"http:///de/tudarmstadt/ukp/dkpro/core/api/lexmorph/type/pos.ecore\" \
         xmlns:custom=\"http:///webanno/custom.ecore\" xmlns:c=\"http:///org/c.ecore\" xmi:version=\"2.0\">\n\
         <cas:NULL xmi:id=\"0\"/>\n{elements}\n<cas:Sofa xmi:id=\"1\" sofaNum=\"1\" \
         sofaID=\"_InitialView\" mimeType=\"text\" sofaString=\"{text}\"/>\n</xmi:XMI>\n"
    )
}

/// A type system with a type for each line: name, supertype, and features with their types.
fn system(types: &str) -> String {
    let mut all = String::new();
    for line in types.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let (name, supertype) = (words.next().unwrap(), words.next().unwrap());
        let feature = |word: &str| {
            let (name, range) = word.split_once('=').unwrap();
            format!(
                "<featureDescription><name>{name}</name><description/><rangeTypeName>{range}\
                 </rangeTypeName></featureDescription>"
            )
        };
        let features: String = words.map(feature).collect();
        all += &format!(
            "<typeDescription><name>{name}</name><supertypeName>{supertype}</supertypeName>\
             <features>{features}</features></typeDescription>"
        );
    }
    format!(
        "<typeSystemDescription xmlns=\"http://uima.apache.org/resourceSpecifier\"><types>{all}\
         </types></typeSystemDescription>"
    )
}

fn source(name: &str, text: &str) -> Source {
    Source::stream(name, Box::new(Cursor::new(text.as_bytes().to_vec())))
}

fn read(file: &str, types: Option<&str>, layer: Option<&str>) -> Result<Document> {
    let types = types.map(|types| source("t", types));
    open(
        &source("d.xmi", file),
        types.as_ref(),
        layer,
        Limits::default(),
    )
}

fn attributes(document: &Document, at: usize) -> Vec<(&str, &serde_json::Value)> {
    document
        .attribute_values(&document.annotations[at])
        .collect()
}

/// Layers of INCEpTION: spans with slots, relations, chains and document metadata.
const LAYERS: &str = "
    webanno.custom.Span uima.tcas.Annotation kind=uima.cas.String tags=uima.cas.StringArray \
        n=uima.cas.Integer roles=uima.cas.FSArray other=webanno.custom.Span
    webanno.custom.SpanRolesLink uima.cas.TOP role=uima.cas.String target=uima.tcas.Annotation
    webanno.custom.Rel uima.tcas.Annotation Governor=webanno.custom.Span \
        Dependent=webanno.custom.Span label=uima.cas.String
    webanno.custom.CorefLink uima.tcas.Annotation next=webanno.custom.CorefLink \
        referenceType=uima.cas.String referenceRelation=uima.cas.String
    webanno.custom.CorefChain uima.cas.AnnotationBase first=webanno.custom.CorefLink
    webanno.custom.Author uima.cas.AnnotationBase name=uima.cas.String";

/// Types like those of cTAKES.
const CTAKES: &str = "
    org.c.Mention uima.tcas.Annotation concepts=uima.cas.FSArray subject=uima.cas.String \
        segment=uima.cas.String polarity=uima.cas.Integer
    org.c.Concept uima.cas.TOP code=uima.cas.String score=uima.cas.Double
    org.c.Relation uima.cas.TOP category=uima.cas.String arg1=org.c.Argument arg2=org.c.Argument
    org.c.Argument uima.cas.TOP argument=uima.tcas.Annotation role=uima.cas.String";

#[test]
fn well_known_types_need_no_type_system() {
    let file = xmi(
        "\u{1F600} Bob&#10;ate",
        "<type3:DocumentMetaData xmi:id=\"2\" sofa=\"1\" begin=\"0\" end=\"10\" language=\"x-unspecified\" \
         documentTitle=\"a.txt\" documentId=\"7\" isLastSegment=\"false\"/>\n\
         <type5:Sentence xmi:id=\"3\" sofa=\"1\" begin=\"0\" end=\"10\"/>\n\
         <type5:Token xmi:id=\"4\" sofa=\"1\" begin=\"3\" end=\"6\" pos=\"5\" order=\"0\"/>\n\
         <pos:POS xmi:id=\"5\" sofa=\"1\" begin=\"3\" end=\"6\" PosValue=\"NN\"/>\n\
         <type4:NamedEntity xmi:id=\"6\" sofa=\"1\" begin=\"3\" end=\"6\" value=\"P&amp;R\" identifier=\"Q1\"/>\n\
         <type4:NamedEntity xmi:id=\"7\" sofa=\"1\" begin=\"1\" end=\"6\"/>\n\
         <type4:NamedEntity xmi:id=\"8\" sofa=\"1\" begin=\"0\" end=\"2\"/>\n\
         <type4:NamedEntity xmi:id=\"9\" sofa=\"1\" begin=\"0\" end=\"2\"/>\n\
         <cas:View sofa=\"1\" members=\"2 3 4 5 6 7 8\"/>",
    );
    let document = read(&file, None, None).unwrap();
    assert_eq!(document.text, "\u{1F600} Bob\nate");
    assert_eq!(
        (document.name.as_deref(), document.id.as_deref()),
        (Some("a.txt"), Some("7"))
    );
    let metadata = [
        ("language".to_owned(), json!("x-unspecified")),
        ("isLastSegment".to_owned(), json!(false)),
    ];
    assert_eq!(document.metadata, metadata);
    assert_eq!(
        spans(&document),
        rows(&[("lex", 2, 5), ("P&R", 2, 5), ("NamedEntity", 0, 1)])
    );
    assert_eq!(attributes(&document, 1), [("identifier", &json!("Q1"))]);
    assert_eq!(
        document.left_out,
        [
            "NamedEntity 1-6, in UTF-16 code units, begins or ends within a character",
            "NamedEntity 0-2 is not in the indexes of its view",
        ]
    );
    let pos = read(&file, None, Some("POS")).unwrap();
    assert_eq!(spans(&pos), rows(&[("lex", 2, 5), ("NN", 2, 5)]));
    assert_eq!(
        read(&file, None, Some("Claim")).unwrap_err().to_string(),
        "d.xmi: no layer \"Claim\"; the file has \
         de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS, \
         de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
    );
}

#[test]
fn relations_slots_chains_and_references_are_relations() {
    let types = system(LAYERS);
    let file = xmi(
        "a b c",
        "<custom:Author xmi:id=\"9\" sofa=\"1\" name=\"Ann\"/>\
         <custom:Span xmi:id=\"10\" sofa=\"1\" begin=\"0\" end=\"1\" kind=\"A\" n=\"3\" roles=\"20 21 99\"><tags>x</tags><tags>y &lt;z</tags></custom:Span>\
         <custom:Span xmi:id=\"11\" sofa=\"1\" begin=\"2\" end=\"3\" tags=\"\" other=\"10\"/>\
         <custom:SpanRolesLink xmi:id=\"20\" role=\"agent\" target=\"11\"/><custom:SpanRolesLink xmi:id=\"21\" target=\"11\"/>\
         <custom:Rel xmi:id=\"30\" sofa=\"1\" begin=\"2\" end=\"3\" Governor=\"10\" Dependent=\"11\" label=\"of\"/>\
         <custom:Rel xmi:id=\"31\" sofa=\"1\" begin=\"2\" end=\"3\" Governor=\"10\"/>\
         <custom:CorefLink xmi:id=\"40\" sofa=\"1\" begin=\"0\" end=\"1\" next=\"41\" referenceType=\"nam\" referenceRelation=\"same\"/>\
         <custom:CorefLink xmi:id=\"41\" sofa=\"1\" begin=\"4\" end=\"5\"/>\
         <custom:CorefChain xmi:id=\"42\" sofa=\"1\" first=\"40\"/>",
    );
    let document = read(&file, Some(&types), None).unwrap();
    let expected = [
        ("A", 0, 1),
        ("Span", 2, 3),
        ("nam", 0, 1),
        ("CorefLink", 4, 5),
    ];
    assert_eq!(spans(&document), rows(&expected));
    let (layer, three, tags) = (json!("Span"), json!(3), json!(["x", "y <z"]));
    assert_eq!(
        attributes(&document, 0),
        [("layer", &layer), ("n", &three), ("tags", &tags)]
    );
    assert_eq!(
        links(&document),
        [
            ("agent", 0, 1),
            ("roles", 0, 1),
            ("other", 1, 0),
            ("of", 0, 1),
            ("same", 2, 3)
        ]
    );
    assert_eq!(
        document.relations_left_out,
        [
            "a reference to the feature structure 99, which does not exist",
            "relation \"Rel\" of an annotation that does not exist",
        ]
    );
    assert_eq!(
        document.metadata,
        [("Author.name".to_owned(), json!("Ann"))]
    );
    let only = read(&file, Some(&types), Some("webanno.custom.Rel")).unwrap();
    assert_eq!((spans(&only).len(), links(&only).len()), (2, 4));
    assert_eq!(
        spans(&read(&file, Some(&types), Some("Author")).unwrap()).len(),
        0
    );
}

#[test]
fn concepts_and_relations_of_ctakes_are_read() {
    let types = system(CTAKES);
    let file = xmi(
        "cough fever",
        "<cas:FSArray xmi:id=\"5\" elements=\"6 7\"/>\
         <c:Concept xmi:id=\"6\" code=\"C1\" score=\"0.5\"/><c:Concept xmi:id=\"7\" code=\"C2\" score=\"NaN\"/>\
         <c:Mention xmi:id=\"10\" sofa=\"1\" begin=\"0\" end=\"5\" concepts=\"5\" subject=\"patient\" polarity=\"-1\"/>\
         <c:Mention xmi:id=\"11\" sofa=\"1\" begin=\"6\" end=\"11\" concepts=\"6\"/>\
         <c:Relation xmi:id=\"20\" category=\"with\" arg1=\"21\" arg2=\"22\"/>\
         <c:Argument xmi:id=\"21\" argument=\"10\"/><c:Argument xmi:id=\"22\" argument=\"11\"/>",
    );
    let document = read(&file, Some(&types), None).unwrap();
    assert_eq!(
        spans(&document),
        rows(&[("Mention", 0, 5), ("Mention", 6, 11)])
    );
    let values: Vec<_> = attributes(&document, 0)
        .into_iter()
        .map(|(name, value)| (name, value.clone()))
        .collect();
    assert_eq!(
        values,
        [
            ("layer", json!("org.c.Mention")),
            (
                "concepts",
                json!([{"code": "C1", "score": 0.5}, {"code": "C2", "score": "NaN"}])
            ),
            ("subject", json!("patient")),
            ("polarity", json!(-1)),
        ]
    );
    assert_eq!(links(&document), [("with", 0, 1)]);
}

#[test]
fn the_initial_view_or_the_only_text_is_read() {
    let view = |id: u32, name: &str, text: &str| {
        format!(
            "<cas:Sofa xmi:id=\"{id}\" sofaNum=\"{id}\" sofaID=\"{name}\"{text}/><cas:View sofa=\"{id}\" members=\"5\"/>"
        )
    };
    let whole = |views: &str| {
        xmi("", &format!("<type4:NamedEntity xmi:id=\"5\" sofa=\"3\" begin=\"0\" end=\"1\" value=\"A\"/>{views}"))
            .replace("<cas:Sofa xmi:id=\"1\" sofaNum=\"1\" sofaID=\"_InitialView\" mimeType=\"text\" sofaString=\"\"/>", "")
    };
    let text = " sofaString=\"x\"";
    let file = whole(&(view(2, "_InitialView", "") + &view(3, "plain", text)));
    assert_eq!(
        spans(&read(&file, None, None).unwrap()),
        rows(&[("A", 0, 1)])
    );
    let file = whole(&(view(2, "_InitialView", text) + &view(3, "plain", text)));
    assert_eq!(
        read(&file, None, None).unwrap().left_out,
        ["NamedEntity 0-1 belongs to the view plain"]
    );
    let file = whole(&(view(2, "html", text) + &view(3, "plain", text)));
    assert_eq!(
        read(&file, None, None).unwrap_err().to_string(),
        "d.xmi:1:1: several views have a text, and none is _InitialView: html, plain; keep one of them"
    );
    let file = whole(&view(3, "_InitialView", " sofaURI=\"file:a.txt\""));
    assert!(
        read(&file, None, None)
            .unwrap_err()
            .to_string()
            .contains("there is no text")
    );
}

#[test]
fn the_type_system_is_found_next_to_the_file() {
    let folder = std::env::temp_dir().join(format!("spanrs-xmi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("A.b.xmi");
    let file = xmi(
        "ab",
        "<custom:Span xmi:id=\"2\" sofa=\"1\" begin=\"0\" end=\"1\" kind=\"K\"/>",
    );
    std::fs::write(&path, file).unwrap();
    let open = |layer| super::open(&path.clone().into(), None, layer, Limits::default());
    assert_eq!(
        open(None).unwrap_err().to_string(),
        format!(
            "{}:3:1: the type webanno.custom.Span is described in the type system, which was not \
             found; put the file TypeSystem.xml of the export next to this file, or pass it",
            path.display()
        )
    );
    std::fs::write(folder.join("typesystem.XML"), system("")).unwrap();
    assert!(
        open(None)
            .unwrap_err()
            .to_string()
            .ends_with("use the type system of the same export")
    );
    let types = system("webanno.custom.Span uima.tcas.Annotation kind=uima.cas.String");
    std::fs::write(folder.join("a.b.typesystem.xml"), types).unwrap();
    assert_eq!(spans(&open(None).unwrap()), rows(&[("K", 0, 1)]));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn xml_1_1_allows_control_characters() {
    let file = xmi("a&#1;b", "").replace("version=\"1.0\"", "version=\"1.1\"");
    assert_eq!(read(&file, None, None).unwrap().text, "a\u{1}b");
    assert!(
        read(&xmi("a&#1;b", ""), None, None)
            .unwrap_err()
            .to_string()
            .contains("U+0001")
    );
}

fn written(documents: &[&Document]) -> (Vec<String>, String, DocumentWriter) {
    let mut writer = DocumentWriter::new(Format::UimaXmi);
    let mut files = Vec::new();
    for document in documents {
        let mut out = Vec::new();
        writer.write(document, &mut out).unwrap();
        files.push(String::from_utf8(out).unwrap());
    }
    assert_eq!(writer.companion(), None);
    writer.finish(&mut Vec::new());
    let companion = writer.companion().unwrap();
    assert_eq!(companion.name, "TypeSystem.xml");
    (files, String::from_utf8(companion.bytes).unwrap(), writer)
}

/// Annotations, relations and facts of a document.
fn described(document: &Document) -> impl PartialEq + std::fmt::Debug {
    let annotation = |at: usize| {
        let mut attributes: Vec<_> = document.attributes(&document.annotations[at]).collect();
        attributes.sort_unstable();
        format!("{:?} {attributes:?}", spans(document)[at])
    };
    let annotations: Vec<_> = (0..document.annotations.len()).map(annotation).collect();
    let links = format!("{:?}", links(document));
    let facts = (
        document.id.clone(),
        document.name.clone(),
        document.metadata.clone(),
    );
    (document.text.clone(), annotations, links, facts)
}

/// Start, length, type, layer and attributes of an annotation.
type Drawn = (u32, u32, String, Option<String>, Vec<(String, String)>);

fn annotations() -> impl Strategy<Value = Vec<Drawn>> {
    let name = prop_oneof!["[a-c]{1,2}", "value_?", "begin", "identifier", "é"];
    let layer = prop::option::of(prop_oneof!["Span", "a\\.b\\.C", "Link", "x\\.type\\.T"]);
    let attributes = prop::collection::btree_map(name, "[a<&\"\n\t ;😀]{0,4}", 0..3);
    let attributes = attributes.prop_map(|all| all.into_iter().collect());
    let ty = prop_oneof!["[A<&\"' ]{1,3}", "lex"];
    let annotation = (0..26_u32, 0..9_u32, ty, layer, attributes);
    prop::collection::vec(annotation, 0..8).prop_map(|mut annotations: Vec<Drawn>| {
        annotations.sort_by_key(|annotation| annotation.2 != "lex");
        annotations
    })
}

fn documents() -> impl Strategy<Value = Document> {
    let text = "[a-c \n\t\r<&\">'é😀\u{85}\u{2028}]{0,24}";
    let relations = prop::collection::vec(("[a<]{1,2}", 0..8_usize, 0..8_usize), 0..4);
    let values = [
        json!(null),
        json!(true),
        json!([1, {"a": "<"}]),
        json!("x"),
        json!(2.5),
    ];
    let name = prop_oneof!["language", "isLastSegment", "documentUri", "[a\n]{0,2}"];
    let metadata = prop::collection::vec((name, prop::sample::select(values.to_vec())), 0..4);
    let names = (
        prop::option::of("[a&]{1,3}"),
        prop::option::of("[b\"]{1,3}"),
    );
    let parts = (text, annotations(), relations, names, metadata);
    parts.prop_map(|(text, annotations, relations, names, metadata)| {
        let length = text.chars().count() as u32;
        let mut document = Document::new(text);
        ((document.id, document.name), document.metadata) = (names, metadata);
        for (start, extent, ty, layer, attributes) in annotations {
            let start = start.min(length);
            let id = document.intern(&ty);
            document.push(id, start, (start + extent).min(length));
            let layer = layer.map(|layer| ("layer".to_owned(), layer));
            let all = layer.into_iter().chain(attributes);
            for (name, value) in all.filter(|_| ty != "lex") {
                document.add_attribute(&name, value);
            }
        }
        let count = document.annotations.len();
        for (ty, from, to) in relations {
            if from < count && to < count {
                document.relate(&ty, from as u32, to as u32);
            }
        }
        document
    })
}

proptest! {
    #[test]
    fn documents_are_restored(first in documents(), second in documents()) {
        let (files, types, writer) = written(&[&first, &second]);
        prop_assert!(writer.losses().list().is_empty());
        let mut again = Vec::new();
        for (file, document) in files.iter().zip([&first, &second]) {
            let restored = read(file, Some(&types), None).unwrap();
            prop_assert_eq!(described(&restored), described(document), "{}", file);
            prop_assert_eq!(restored.left_out_count, 0);
            again.push(restored);
        }
        let (files_again, types_again, _) = written(&[&again[0], &again[1]]);
        prop_assert_eq!(files_again, files);
        prop_assert_eq!(types_again, types);
    }

    #[test]
    fn no_file_causes_a_panic(elements in prop::collection::vec(
        "<(custom:Span|cas:FSArray|cas:View|type5:Token|cas:NonEmptyFSList|custom:Link)( (xmi:id|sofa|begin|end|elements|head|tail|members|s|role|target)=\"[0-3 ]{0,4}\"){0,5}/>", 0..6)) {
        let types = system("
            webanno.custom.Span uima.tcas.Annotation s=uima.cas.FSList role=uima.cas.String
            webanno.custom.Link uima.cas.TOP target=uima.tcas.Annotation role=uima.cas.String");
        let _ = read(&xmi("\u{1F600}a", &elements.join("")), Some(&types), None);
    }
}

#[test]
fn everything_that_cannot_be_written_is_counted() {
    let mut document = Document::new("Bob".to_owned());
    let (ty, empty) = (document.intern("A\u{1}"), document.intern(""));
    document.push(ty, 0, 3);
    document.add_attribute("layer", "a-b");
    document.add_attribute("x y", "1");
    document.add_attribute("x_y", "2");
    document.push(empty, 0, 3);
    document.relate("", 0, 1);
    let (_, _, writer) = written(&[&document]);
    let counted: Vec<_> = writer
        .losses()
        .list()
        .iter()
        .map(|loss| (&*loss.kind, loss.number))
        .collect();
    assert_eq!(
        counted,
        [
            ("names of layers that UIMA does not allow, changed", 1),
            (
                "values with characters that XML does not allow, replaced by spaces",
                1
            ),
            ("names of attributes that UIMA does not allow, changed", 1),
            ("further attributes of the same name", 1),
            (
                "annotations without a type, read as the name of the layer",
                1
            ),
            (
                "relations without a type, read as the name of their layer",
                1
            ),
        ]
    );
    let mut writer = DocumentWriter::new(Format::UimaXmi);
    let refused = writer.write(&Document::new("a\u{c}".to_owned()), &mut Vec::new());
    assert_eq!(
        refused.unwrap_err().to_string(),
        "document 0: the text has the character U+000C at 1, which XML 1.0 does not allow; replace \
         it by a space"
    );
}
