use proptest::prelude::*;
use serde_json::json;

use super::super::random_documents::{TEXT, distinct_documents};
use super::super::testing::{links, rows, spans};
use super::super::{DocumentWriter, Format, Reader, round_trip};
use super::*;

fn read_with(file: &str, layers: LayerChoice) -> Result<Document> {
    let reader = Reader {
        layers,
        ..Reader::new(Format::GateXml)
    };
    Ok(reader.read("x", file.as_bytes())?.remove(0))
}

fn refused(file: &str) -> String {
    read_with(file, LayerChoice::Sole).unwrap_err().to_string()
}

/// A file with an annotation set in the default set and in each of the named sets.
fn sets(types: &str, names: &[&str]) -> String {
    let annotations = |types: &str, from: usize| -> String {
        let types = types.split_whitespace().enumerate();
        let annotation = |(at, ty)| {
            let id = from + at;
            format!(
                "<Annotation Id=\"{id}\" Type=\"{ty}\" StartNode=\"0\" EndNode=\"3\">\n</Annotation>\n"
            )
        };
        types.map(annotation).collect()
    };
    let named: String = (1..)
        .zip(names)
        .map(|(at, name)| {
            let own = annotations(if name.starts_with("Empty") { "" } else { "X" }, at * 10);
            format!("<AnnotationSet Name=\"{name}\">\n{own}</AnnotationSet>\n")
        })
        .collect();
    format!(
        "<?xml version='1.0' encoding='UTF-8'?>\n<GateDocument version=\"3\">\n<GateDocumentFeatures>\n\
         </GateDocumentFeatures>\n<TextWithNodes><Node id=\"0\"/>Bob<Node id=\"3\"/></TextWithNodes>\n\
         <AnnotationSet>\n{}</AnnotationSet>\n{named}</GateDocument>",
        annotations(types, 0)
    )
}

const FILE: &str = r#"<?xml version='1.0' encoding='windows-1252'?>
<GateDocument version="3">
<!-- The document's features-->

<GateDocumentFeatures>
<Feature>
  <Name className="java.lang.String">gate.SourceURL</Name>
  <Value className="java.lang.String">file:/corpus/the%20first.txt</Value>
</Feature>
<Feature><Name className="java.lang.String">pages</Name><Value className="java.lang.Integer">3</Value></Feature>
</GateDocumentFeatures>
<!-- The document content area with serialized nodes -->

<TextWithNodes><Node id="0"/>&#x1F600;<Node id="2"/> <Node id="3" /><![CDATA[<Bob>]]><Node id="77"></Node>&#xd;
ate</TextWithNodes>
<AnnotationSet>
<Annotation Id="5" Type="Token" StartNode="3" EndNode="77">
</Annotation>
<Annotation Id="9" Type="Person" StartNode="3" EndNode="77">
<Feature><Name className="java.lang.String">matches</Name>
<Value className="gate.corpora.ObjectWrapper">&lt;gate.corpora.ObjectWrapper&gt;
  &lt;value class=&quot;list&quot;&gt;&lt;int&gt;9&lt;/int&gt;&lt;null/&gt;&lt;/value&gt;
&lt;/gate.corpora.ObjectWrapper&gt;</Value></Feature>
<Feature><Name>old</Name><Value className="java.util.ArrayList" itemClassName="java.lang.Long">1;2</Value></Feature>
<Feature><Name>sure</Name><Value className="java.lang.Boolean">true</Value></Feature>
<Feature><Name>p</Name><Value className="java.lang.Double">0.5</Value></Feature>
<Feature><Name>odd</Name><Value className="java.lang.Integer">many</Value></Feature>
<Feature><Name>url</Name><Value className="java.net.URL">http://x</Value></Feature>
<Feature><Name>wrapped</Name><Value className="gate.corpora.ObjectWrapper">no XML</Value></Feature>
</Annotation>
<Annotation Id="10" Type="Person" StartNode="4" EndNode="77"></Annotation>
</AnnotationSet>
<RelationSet>
<Relation Id="11" Type="coref" Members="9;5;9"><UserData>x</UserData></Relation>
<Relation Id="12" Type="coref" Members="9;11"><UserData></UserData></Relation>
<Relation Id="13" Type="coref" Members="9"><UserData></UserData></Relation>
</RelationSet>
</GateDocument>
"#;

#[test]
fn documents_of_gate_are_read() {
    let document = read_with(FILE, LayerChoice::Sole).unwrap();
    assert_eq!(document.name.as_deref(), Some("the first.txt"));
    let source = json!("file:/corpus/the%20first.txt");
    let metadata = [(SOURCE.to_owned(), source), ("pages".to_owned(), json!(3))];
    assert_eq!(document.metadata, metadata);
    assert_eq!(document.text, "\u{1F600} <Bob>\r\nate");
    assert_eq!(spans(&document), rows(&[("lex", 2, 7), ("Person", 2, 7)]));
    let person = &document.annotations[1];
    let values: Vec<(&str, &Value)> = document.attribute_values(person).collect();
    let expected = [
        ("matches", &json!([9, null])),
        ("old", &json!([1, 2])),
        ("sure", &json!(true)),
        ("p", &json!(0.5)),
        ("odd", &json!("many")),
        ("url", &json!("http://x")),
        ("wrapped", &json!("no XML")),
    ];
    assert_eq!(values, expected);
    assert!(document.layers.is_empty());
    assert_eq!(
        document.left_out,
        ["Person 4-77: there is no node 4 in the text"]
    );
    assert_eq!(links(&document), [("coref", 1, 0), ("coref", 1, 1)]);
    assert_eq!(
        document.relations_left_out,
        [
            "features of relation 11 (coref) are not read",
            "relation 12 (coref): there is no annotation with the id 11, or there are several",
            "relation 13 (coref) has only one member",
        ]
    );
    round_trip::check_layers(Format::GateXml, &document);
}

#[test]
fn the_set_with_annotations_is_found() {
    let types = |file: &str, layers| {
        let document = read_with(file, layers).unwrap();
        let spans = spans(&document).into_iter().map(|(ty, ..)| ty);
        let names = document
            .layers
            .iter()
            .map(|l| l.name.clone().unwrap_or_default());
        (
            spans.collect::<Vec<_>>().join(" "),
            names.collect::<Vec<_>>().join(" "),
        )
    };
    let row = |types: &str, layers: &str| (types.to_owned(), layers.to_owned());
    let sole = || LayerChoice::Sole;
    let named = |name: &str| LayerChoice::Named(name.to_owned());
    assert_eq!(
        types(&sets("Token Person", &["Key"]), sole()),
        row("lex Person", "")
    );
    assert_eq!(
        types(&sets("Token Sentence", &["Key"]), sole()),
        row("X", "Key")
    );
    assert_eq!(
        types(&sets("Token", &["Original markups"]), sole()),
        row("lex", "")
    );
    assert_eq!(types(&sets("", &["Key", "Empty"]), sole()), row("X", "Key"));
    assert_eq!(types(&sets("", &["Empty"]), sole()), row("", "Empty"));
    assert_eq!(
        types(&sets("", &["Empty", "Empty too"]), sole()),
        row("", "")
    );
    let several = sets("Token", &["Key", "Response"]);
    assert_eq!(types(&several, named("Response")), row("X", "Response"));
    assert_eq!(types(&several, named("0")), row("X", "Key"));
    assert_eq!(types(&several, named("")), row("lex", ""));
    assert_eq!(
        types(&several, LayerChoice::All),
        row("lex X X", " Key Response")
    );
    assert_eq!(
        types(&sets("", &["Empty"]), LayerChoice::All),
        row("", "Empty")
    );
    assert_eq!(
        refused(&several),
        "x: there are several annotation sets: \"Key\" with 1 annotation, \"Response\" with 1 annotation; \
         choose one (--annotator), or read all layers"
    );
    assert_eq!(
        read_with(&several, named("key")).unwrap_err().to_string(),
        "x: no annotation set \"key\"; the file has the default set with 1 annotation, \"Key\" with 1 \
         annotation, \"Response\" with 1 annotation"
    );
}

#[test]
fn ids_are_offsets_in_a_text_without_nodes() {
    let file = "<GateDocument><TextWithNodes>\u{1F600} Bob</TextWithNodes><AnnotationSet>\
        <Annotation Type=\"X\" StartNode=\"3\" EndNode=\"6\"/><Annotation Type=\"X\" StartNode=\"1\" \
        EndNode=\"6\"/></AnnotationSet></GateDocument>";
    let document = read_with(file, LayerChoice::Sole).unwrap();
    assert_eq!(spans(&document), rows(&[("X", 2, 5)]));
    assert_eq!(document.left_out, ["X 1-6: there is no node 1 in the text"]);
}

#[test]
fn malformed_files_are_rejected_with_their_place() {
    let file = |inner: &str| format!("<GateDocument>\n{inner}</GateDocument>");
    let text = "<TextWithNodes>a</TextWithNodes>";
    let cases = [
        (file(""), "x:2:1: there is no <TextWithNodes>"),
        (
            file("<TextWithNodes><b/></TextWithNodes>"),
            "x:2:16: <b> is not an element of GATE's XML",
        ),
        (
            file("<AnnotationSet><Annotation Type='X' StartNode='0'/></AnnotationSet>"),
            "x:2:16: expected <Annotation> with Type, StartNode and EndNode, of which the nodes are whole numbers",
        ),
        (
            file(&format!("{text}{text}")),
            "x:2:33: a second <TextWithNodes>",
        ),
        (file("<a/>"), "x:2:1: <a> is not an element of GATE's XML"),
        (
            "<a/>".to_owned(),
            "x:1:1: the root element is <a>, not <GateDocument>; this is not GATE's XML",
        ),
        (
            file("<RelationSet><Relation Type='a' Members='1,2'/></RelationSet>"),
            "x:2:14: expected <Relation> with Type and Members, whole numbers separated by semicolons",
        ),
        (
            file(
                "<GateDocumentFeatures><Feature><Value>a</Value></Feature></GateDocumentFeatures>",
            ),
            "x:2:48: a feature without <Name>",
        ),
    ];
    for (file, message) in cases {
        assert_eq!(refused(&file), message);
    }
}

#[test]
fn id_name_and_source_are_kept() {
    let source = |text: &str| (SOURCE.to_owned(), json!(text));
    let other = || ("a".to_owned(), json!(1));
    // With a name that differs from the source, with a source that is only a name, and with an id in the metadata.
    let mut document = Document::new("Bob".to_owned());
    document.name = Some("n".to_owned());
    document.metadata = vec![other(), source("file:/m")];
    round_trip::check_layers(Format::GateXml, &document);
    for metadata in [
        vec![other(), source("m")],
        vec![other(), source("x/"), source("m"), source("o")],
        vec![
            other(),
            ("id".to_owned(), json!("7")),
            ("id".to_owned(), json!("8")),
        ],
    ] {
        for name in [None, Some("m"), Some("n")] {
            let mut document = Document::new("Bob".to_owned());
            document.name = name.map(str::to_owned);
            document.metadata = metadata.clone();
            round_trip::check_again(Format::GateXml, &[document]);
        }
    }
}

#[test]
fn what_gate_cannot_hold_is_counted() {
    let mut document = Document::new("a\u{0}b".to_owned());
    let ty = document.intern("Token");
    document.push(ty, 0, 3);
    let mut writer = DocumentWriter::new(Format::GateXml);
    let mut file = Vec::new();
    writer.write(&document, &mut file).unwrap();
    let losses: Vec<_> = writer.losses().list().iter().map(|l| &*l.kind).collect();
    assert_eq!(
        losses,
        [
            "annotations of type Token, which are read as tokens",
            "characters that XML does not allow, replaced by spaces",
        ]
    );
    let file = String::from_utf8(file).unwrap();
    assert!(
        file.contains("<TextWithNodes><Node id=\"0\"/>a b<Node id=\"3\"/></TextWithNodes>"),
        "{file}"
    );
}

#[test]
fn damaged_files_do_not_panic() {
    round_trip::check_damaged(FILE, Format::GateXml);
}

/// Names of all kinds.
const WORDS: &str = "lex|[A-C]&?\u{1F600}?\"?|[n-q]\u{e9}\n?|[a-c/%: &<]{1,3}";

proptest! {
    #[test]
    fn written_documents_are_read_unchanged(document in distinct_documents(TEXT, WORDS)) {
        round_trip::check_layers(Format::GateXml, &document);
    }
}
