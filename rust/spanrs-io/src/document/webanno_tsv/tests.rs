use proptest::prelude::*;

use super::super::testing::{links, rows, spans};
use super::super::{DocumentWriter, Format, Losses, project};
use super::*;

const NER: &str = "#FORMAT=WebAnno TSV 3.3\n\
                   #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n";

fn reading(text: &str) -> Document {
    read("d.tsv", text, None).unwrap()
}

fn refused(text: &str) -> String {
    read("d.tsv", text, None).unwrap_err().to_string()
}

fn attributes(document: &Document, at: usize) -> Vec<(&str, &str)> {
    document.attributes(&document.annotations[at]).collect()
}

#[test]
fn annotations_on_several_tokens_and_stacked_annotations_have_ids() {
    let file = format!(
        "{NER}\n\n#Text=Ms. Haag plays .\n\
         1-1\t0-3\tMs.\tQ1[1]|*[2]\tPER[1]|PERpart[2]\t\n\
         1-2\t4-8\tHaag\tQ1[1]\tPER[1]\t\n\
         1-3\t9-14\tplays\t*\t*\t\n\
         1-3.1\t9-13\tplay\t*\tA\t\n\
         1-3.2\t9-9\t\t*\tB\t\n\
         1-4\t15-16\t.\t_\t_\t\n"
    );
    let document = reading(&file);
    assert_eq!(document.text, "Ms. Haag plays .");
    let lex = [
        ("lex", 0, 3),
        ("lex", 4, 8),
        ("lex", 9, 14),
        ("lex", 15, 16),
    ];
    let annotations = [
        ("PER", 0, 8),
        ("PERpart", 0, 3),
        ("NamedEntity", 9, 14),
        ("A", 9, 13),
        ("B", 9, 9),
    ];
    assert_eq!(spans(&document), rows(&[&lex[..], &annotations].concat()));
    assert_eq!(attributes(&document, 4), [("identifier", "Q1")]);
    assert_eq!(attributes(&document, 5), []);
}

#[test]
fn sentences_are_joined_as_in_webanno() {
    let file = format!(
        "{NER}\r\n\r\n#Sentence.id=s1\r\n#Text=a\\tb \\[\\r\r\n#Text=\r\n1-1\t0-3\ta\\tb\t_\t_\r\n\r\n\
         #Text=c\r\n2-1\t8-9\tc\tx\\_\\|\\*\tP\\[1\\]\\->\\\\\r\n\r\n\
         #Text=d\r\n3-1\t9-10\td\t_\t_\r\n\r\n#Text= e\n4-1\t14-15\te\t_\t_\n"
    );
    let document = reading(&file);
    assert_eq!(document.text, "a\tb [\r\n\nc d\n   e".replace("c d", "cd"));
    assert_eq!(spans(&document)[4..], rows(&[("P[1]->\\", 8, 9)]));
    assert_eq!(attributes(&document, 4), [("identifier", "x_|*")]);
}

#[test]
fn relations_slots_and_chains_are_relations() {
    let file = "#FORMAT=WebAnno TSV 3.2\n\
        #T_SP=webanno.custom.Lu|luvalue\n\
        #T_SP=webanno.custom.Frame|FE|ROLE_webanno.custom.Frame:Roles_webanno.custom.FrameRolesLink|webanno.custom.Lu\n\
        #T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceRelation|referenceType\n\
        #T_RL=webanno.custom.Rel|kind|BT_webanno.custom.Lu\n\n\n\
        #Text=Bob auctioned the clock\n\
        1-1\t0-3\tBob\tbob\t_\t_\t_\tcoref->1-1\tpr[1]\t_\t_\t\n\
        1-2\t4-13\tauctioned\t_\ttransaction\tseller;*\t1-1;1-3[4]\t_\t_\t_\t_\t\n\
        1-3\t14-17\tthe\tclock[4]|x[5]\t_\t_\t_\t*->1-2\t*[1]\tof|*\t1-1[0_4]|1-1[0_9]\t\n\
        1-4\t18-23\tclock\tclock[4]\t_\t_\t_\t*->1-2\t*[1]\t_\t_\t\n";
    let document = reading(file);
    let expected = [
        ("bob", 0, 3),
        ("pr", 0, 3),
        ("transaction", 4, 13),
        ("clock", 14, 23),
        ("x", 14, 17),
        ("CoreferenceLink", 14, 23),
    ];
    assert_eq!(spans(&document)[4..], rows(&expected));
    assert_eq!(
        links(&document),
        [
            ("seller", 6, 4),
            ("Roles", 6, 7),
            ("of", 4, 7),
            ("coref", 5, 9)
        ]
    );
    assert_eq!(
        document.relations_left_out,
        ["line 11: relation \"Rel\" of an annotation that does not exist"]
    );
    assert_eq!(attributes(&document, 4), [("layer", "Lu")]);
    let only = read("d", file, Some("Rel")).unwrap();
    assert_eq!(spans(&only).len(), 4 + 3);
    assert_eq!(links(&only), [("of", 4, 5)]);
    assert!(only.relations_left_out.len() == 1);
}

#[test]
fn properties_of_tokens_are_read_if_they_are_selected() {
    let file = "#FORMAT=WebAnno TSV 3.3\n\
        #T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue|coarseValue\n\
        #T_RL=de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency|DependencyType|flavor|BT_de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS\n\n\n\
        #Text=He ran\n1-1\t0-2\tHe\tPRP\tPRON\tSUBJ\tbasic\t1-2\t\n1-2\t3-6\tran\tVBD\t*\tROOT\tbasic\t1-2\t\n";
    assert_eq!(spans(&reading(file)), rows(&[("lex", 0, 2), ("lex", 3, 6)]));
    assert_eq!(reading(file).relations_left_out.len(), 0);
    for layer in ["POS", "Dependency"] {
        let document = read("d", file, Some(layer)).unwrap();
        assert_eq!(spans(&document)[2..], rows(&[("PRP", 0, 2), ("VBD", 3, 6)]));
        assert_eq!(
            links(&document),
            [("SUBJ", 2, 3), ("ROOT", 3, 3)].map(|(t, to, from)| (t, from, to))
        );
    }
    assert_eq!(
        read("d", file, Some("X")).unwrap_err().to_string(),
        "d: no layer \"X\"; the file has de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS, \
         de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency"
    );
}

#[test]
fn offsets_count_utf16_code_units_or_are_reported() {
    let file = |bounds: [&str; 2]| {
        format!(
            "{NER}\n\n#Text=\u{1F600} Bob\n1-1\t{}\t\u{1F600}\t_\t_\n1-2\t{}\tBob\t*\tPER\n",
            bounds[0], bounds[1]
        )
    };
    let expected = rows(&[("lex", 0, 1), ("lex", 2, 5), ("PER", 2, 5)]);
    let document = reading(&file(["0-2", "3-6"]));
    assert_eq!(
        (spans(&document), document.left_out_count),
        (expected.clone(), 0)
    );
    let document = reading(&file(["0-1", "2-5"]));
    assert_eq!((spans(&document), document.left_out_count), (expected, 1));
    assert_eq!(
        refused(&file(["0-4", "5-8"]))
            .split(" but ")
            .next()
            .unwrap(),
        "d.tsv:6:5: the sentence has \"\u{1F600} B\" at these offsets,"
    );
}

/// Annotations and relations in a fixed order.
type Canonical = (Vec<String>, Vec<String>);

fn canonical(document: &Document) -> Canonical {
    let describe = |at: usize| {
        let annotation = &document.annotations[at];
        let mut attributes = attributes(document, at);
        attributes.sort_unstable();
        let (start, end) = (annotation.start, annotation.end);
        format!(
            "{start}-{end} {:?} {attributes:?}",
            document.type_of(annotation)
        )
    };
    let mut annotations: Vec<_> = (0..document.annotations.len()).map(describe).collect();
    let mut relations: Vec<_> = links(document)
        .iter()
        .map(|&(ty, from, to)| {
            format!(
                "{ty:?} {} {}",
                describe(from as usize),
                describe(to as usize)
            )
        })
        .collect();
    annotations.sort_unstable();
    relations.sort_unstable();
    (annotations, relations)
}

fn written(document: &Document) -> (String, DocumentWriter) {
    let mut writer = DocumentWriter::new(Format::WebannoTsv);
    let mut out = Vec::new();
    writer.write(document, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), writer)
}

fn documents() -> impl Strategy<Value = Document> {
    let text = "[a-c \n\t\r\\\\.é😀\u{85}\u{B}]{0,24}";
    let name = prop_oneof!["[a-c]{1,2}", "value_?", "begin", "identifier", "é"];
    let value = prop_oneof!["[a|_;*\\[\\]\\\\>\n\t😀-]{0,5}", "->", "\\*"];
    let layer = prop::option::of(prop_oneof!["Span", "a\\.b\\.C", "Link"]);
    let annotation = (
        0..26_u32,
        0..9_u32,
        "[A-C|\\]\\[_*> -]{1,3}",
        layer,
        prop::collection::btree_map(name, value, 0..3),
    );
    let relations = prop::collection::vec(("[a-c|>-]{1,3}", 0..8_usize, 0..8_usize), 0..4);
    (text, prop::collection::vec(annotation, 0..8), relations).prop_map(
        |(text, annotations, relations)| {
            let length = text.chars().count() as u32;
            let mut document = Document::new(text);
            for (start, extent, ty, layer, attributes) in annotations {
                let start = start.min(length);
                let ty = document.intern(&ty);
                document.push(ty, start, (start + extent).min(length));
                if let Some(layer) = layer {
                    document.add_attribute("layer", layer);
                }
                for (name, value) in attributes {
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
        },
    )
}

/// Keeps the annotations that consist of whole characters of tokens.
fn aligned(document: &Document) -> Document {
    let mut document = project(
        document,
        &Format::WebannoTsv.holds(),
        &mut Losses::default(),
    )
    .unwrap()
    .into_owned();
    let tokens: Vec<_> = document
        .annotations
        .iter()
        .filter(|a| document.is_token(a))
        .copied()
        .collect();
    let keeps: Vec<bool> = document
        .annotations
        .iter()
        .map(|a| {
            let inside = |at: u32, end: bool| {
                tokens.iter().any(|t| {
                    if a.start == a.end {
                        t.start <= at && at <= t.end
                    } else if end {
                        t.start < at && at <= t.end
                    } else {
                        t.start <= at && at < t.end
                    }
                })
            };
            inside(a.start, false) && inside(a.end, true)
        })
        .collect();
    document.retain(&keeps);
    document
}

proptest! {
    #[test]
    fn documents_are_restored(document in documents()) {
        let document = aligned(&document);
        let (file, writer) = written(&document);
        let again = read("d", &file, None).unwrap();
        if document.annotations.is_empty() || !document.text.starts_with(char::is_whitespace) {
            prop_assert_eq!(&again.text, &document.text, "{}", file);
            prop_assert!(writer.losses().list().is_empty(), "{:?}", writer.losses());
        }
        prop_assert_eq!(canonical(&again), canonical(&document), "{}", file);
        prop_assert_eq!(again.left_out_count, 0);
        let (second, _) = written(&again);
        prop_assert_eq!(second, file);
    }

    #[test]
    fn whatever_is_written_can_be_read(document in documents()) {
        let (file, _) = written(&document);
        let again = read("d", &file, None).unwrap();
        prop_assert_eq!(again.text.chars().count(), document.text.chars().count());
        prop_assert_eq!(written(&again).0, file);
    }

    #[test]
    fn no_file_causes_a_panic(lines in prop::collection::vec(
        "(#Text=|1-1\t|1-1\\.1\t|0-1\t|3-4\t|a\t|_\t|\\*\t|x\\[1\\]\t|1-1\\[1_2\\]|->1-1|\\||[a\\\\\n])*", 0..6)) {
        let file = format!("{NER}#T_RL=r|BT_x\n#T_CH=c|referenceRelation\n\n{}", lines.join("\n"));
        let _ = read("d", &file, None);
    }
}

/// A document with much that cannot be written.
fn difficult() -> Document {
    let mut document = Document::new("\n Bob  ate\n\n\tit".to_owned());
    let ty = document.intern("A\r");
    for (start, end) in [(1, 5), (5, 7), (5, 5), (6, 6)] {
        document.push(ty, start, end);
    }
    document.add_attribute("layer", "uima.tcas.Annotation");
    document.add_attribute("a b", "1");
    document.add_attribute("a_b", "2");
    document.relate("", 0, 3);
    document.relate("x", 0, 1);
    document
}

#[test]
fn everything_that_cannot_be_written_is_counted() {
    let (_, writer) = written(&difficult());
    let losses = writer.losses().list().iter();
    let counted: Vec<String> = losses
        .map(|loss| format!("{} {}", loss.number, loss.kind))
        .collect();
    assert_eq!(
        counted,
        [
            "1 annotations without a token",
            "1 relations of annotations that are not written",
            "1 annotations that begin or end between tokens, shortened to tokens",
            "1 empty annotations between tokens, moved to a token",
            "1 names of layers that UIMA does not allow, changed",
            "1 names of attributes that UIMA does not allow, changed",
            "1 further attributes of the same name",
            "1 relations without a type, read as the name of their layer",
            "1 documents whose text before the first token is replaced by spaces",
            "3 values with carriage returns, replaced by spaces",
        ]
    );
}

#[test]
fn files_are_written_as_by_webanno() {
    let expected = [
        "#FORMAT=WebAnno TSV 3.3",
        "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value",
        "#T_SP=webanno.custom.Annotation_|a_b|value",
        "#T_RL=webanno.custom.Relation|label|BT_uima.tcas.Annotation",
        "",
        "",
        "#Text=Bob  ate",
        "#Text=",
        "#Text=\\t",
        "1-1\t2-5\tBob\tA [1]\t_\t_\t_\t_\t",
        "1-1.1\t5-5\t\tA \t1[2]\tA [2]\tRelation\t1-1[1_2]\t",
        "1-2\t7-10\tate\t_\t_\t_\t_\t_\t",
        "",
        "#Text=it",
        "2-1\t13-15\tit\t_\t_\t_\t_\t_\t",
    ];
    let (file, _) = written(&difficult());
    assert_eq!(file.lines().collect::<Vec<_>>(), expected);
}
