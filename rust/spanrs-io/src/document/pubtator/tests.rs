use proptest::prelude::*;

use super::super::testing::{links, rows, spans};
use super::super::{DocumentWriter, Format, Losses, Reader, project, round_trip};
use super::*;

fn read(text: &str) -> Vec<Document> {
    Reader::new(Format::Pubtator)
        .read("p", text.as_bytes())
        .unwrap()
}

fn refused(text: &str) -> String {
    let error = Reader::new(Format::Pubtator).read("p", text.as_bytes());
    error.unwrap_err().to_string()
}

fn attributes(document: &Document) -> Vec<Vec<(&str, &str)>> {
    let all = document.annotations.iter();
    all.map(|a| document.attributes(a).collect()).collect()
}

const FILE: &str = "10491763|t|Hepatocyte nuclear factor-6\r\n\
    10491763|a|HNF-6 causes breast and ovarian cancer.\r\n\
    10491763\t0\t27\tHepatocyte nuclear factor-6\tGene\t3175\r\n\
    10491763\t41\t66\tbreast and ovarian cancer\tDisease\tD001943|D010051\tbreast cancer|ovarian cancer\r\n\
    10491763\t28\t33\tHNF-6\tGene\t\r\n\
    10491763\tAssociation\t3175\tD010051\tNovel\r\n\
    10491763\tAssociation\t3175\tD1\r\n\
    \r\n\
    2|t|No abstract|t|here\n2|a|\n";

#[test]
fn titles_and_abstracts_are_texts() {
    let documents = read(FILE);
    let [first, second] = documents.as_slice() else {
        panic!("{} documents", documents.len())
    };
    assert_eq!(first.id.as_deref(), Some("10491763"));
    let expected = "Hepatocyte nuclear factor-6\nHNF-6 causes breast and ovarian cancer.";
    assert_eq!(first.text, expected);
    assert_eq!(
        spans(first),
        rows(&[("Gene", 0, 27), ("Disease", 41, 66), ("Gene", 28, 33)])
    );
    let composite = vec![
        ("identifier", "D001943|D010051"),
        ("mentions", "breast cancer|ovarian cancer"),
    ];
    assert_eq!(
        attributes(first),
        [vec![("identifier", "3175")], composite, vec![]]
    );
    assert_eq!(links(first), [("Association", 0, 1)]);
    assert_eq!(
        first.relations_left_out,
        ["relation \"Association\" from 3175 to D1: no annotation has the id D1"]
    );
    assert_eq!(
        (second.id.as_deref(), &*second.text),
        (Some("2"), "No abstract|t|here")
    );
}

#[test]
fn quoted_texts_decide_on_the_unit_of_offsets() {
    let text = "1|t|\u{1F600}\u{e9} Bob\n1|a|x Ann\n";
    for (bob, ann, unit) in [
        (3, 9, None),
        (4, 10, Some("UTF-16 code units")),
        (7, 13, Some("bytes of UTF-8")),
    ] {
        let file = format!(
            "{text}1\t{bob}\t{}\tBob\tPER\n1\t{ann}\t{}\tAnn\tPER\t-\n",
            bob + 3,
            ann + 3
        );
        let source = Source::stream("p", Box::new(std::io::Cursor::new(file)));
        let mut reader = Reader::new(Format::Pubtator).open(&source).unwrap();
        let document = reader.next().unwrap().unwrap();
        assert_eq!(spans(&document), rows(&[("PER", 3, 6), ("PER", 9, 12)]));
        let expected =
            unit.map(|unit| format!("offsets count {unit} in 1 document (first: document 1)"));
        assert_eq!(reader.notices(), Vec::from_iter(expected));
    }
}

#[test]
fn annotations_of_another_text_are_left_out() {
    let document = &read("1|t|Bob ate\n1\t0\t3\tAnn\tPER\n1\t4\t70\tate\tX\n1\t4\t7\tate\tX\n")[0];
    assert_eq!(spans(document), rows(&[("X", 4, 7)]));
    assert_eq!(
        document.left_out,
        [
            "PER 0-3: the text is \"Bob\", but the file says \"Ann\"",
            "X 4-70 is not within the text"
        ]
    );
}

#[test]
fn malformed_lines_are_rejected_with_their_place() {
    let syntax = SYNTAX;
    assert_eq!(
        refused("\n1|a|b\n"),
        format!("p:2:1: a document begins with its title; {syntax}")
    );
    assert_eq!(
        refused("1|t|b\n1|a|c\n1|a|d"),
        "p:3:1: a second abstract of the same document"
    );
    assert_eq!(
        refused("1|t|b\n2\t0\t1\tb\tX"),
        "p:2:1: the id is 2, but the document that begins on line 1 is 1; each document begins with \
         its title"
    );
    assert_eq!(
        refused("1|t|b\n1\t0\t1.5\tb\tX"),
        format!("p:2:5: an offset is not a whole number from 0; {syntax}")
    );
    assert_eq!(
        refused("1|t|b\n1\t0\t1\n"),
        format!("p:2:1: a line with less than four fields; {syntax}")
    );
}

#[test]
fn what_a_line_cannot_hold_is_replaced_and_counted() {
    let mut document = Document::new("a\tb\nc\rd\n".to_owned());
    document.id = Some("1|2".to_owned());
    let ty = document.intern("X\tY");
    document.push(ty, 0, 5);
    document.add_attribute("identifier", "D1");
    document.add_attribute("sure", "yes");
    document.push(ty, 4, 8);
    document.add_attribute("identifier", "D1");
    document.push(ty, 4, 4);
    for (from, to) in [(0, 1), (0, 2)] {
        document.relate("1of", from, to);
    }
    let mut writer = DocumentWriter::new(Format::Pubtator);
    let mut file = Vec::new();
    writer.write(&document, &mut file).unwrap();
    let file = String::from_utf8(file).unwrap();
    assert_eq!(
        file,
        "1_2|t|a\tb\n1_2|a|c d \n1_2\t0\t5\ta b c\tX Y\tD1\n1_2\t4\t8\tc d \tX Y\tD1\n\
         1_2\t4\t4\t\tX Y\t-\n1_2\t_1of\tD1\tD1\n"
    );
    let losses: Vec<_> = writer
        .losses()
        .list()
        .iter()
        .map(|l| (&*l.kind, l.number))
        .collect();
    assert_eq!(
        losses,
        [
            ("attributes other than identifier and mentions", 1),
            ("relations of annotations without an identifier", 1),
            (
                "relations that move to the first annotation with the same identifier",
                1
            ),
            ("line ends in texts, replaced by spaces", 2),
            (
                "ids of documents with characters that the format does not allow, replaced by _",
                1
            ),
            (
                "types with characters that the format does not allow, replaced by spaces",
                3
            ),
            (
                "types of relations with characters that the format does not allow, replaced",
                1
            ),
        ]
    );
    let again = &read(&file)[0];
    assert_eq!((&*again.text, again.annotations.len()), ("a\tb\nc d ", 3));
}

fn written(document: &Document) -> Vec<u8> {
    let mut writer = DocumentWriter::new(Format::Pubtator);
    let mut file = Vec::new();
    writer.write(document, &mut file).unwrap();
    writer.finish(&mut file);
    file
}

#[test]
fn damaged_files_do_not_panic() {
    round_trip::check_damaged(FILE, Format::Pubtator);
}

proptest! {
    #[test]
    fn written_documents_are_read_unchanged(
        title in "[a-c\u{e9}\u{1F600} |\t]{0,8}",
        rest in proptest::option::of("[a-c\u{e9}\u{1F600} |\t]{1,8}"),
        annotations in proptest::collection::vec((0..20_u32, 0..20_u32, "[A-C|\u{1F600} ]{0,3}",
            proptest::option::of("[D1|;-]{0,2}")), 0..6),
        id in "[a1-9 \u{1F600}]{1,3}",
    ) {
        let text = match rest {
            Some(rest) => format!("{title}\n{rest}"),
            None => title,
        };
        let length = text.chars().count() as u32;
        let mut document = Document::new(text);
        document.id = Some(id);
        let mut seen = std::collections::HashSet::new();
        for (start, end, ty, identifier) in annotations {
            let (start, end) = (start.min(length), end.min(length));
            let ty = document.intern(&ty);
            document.push(ty, start.min(end), start.max(end));
            let unseen = identifier.filter(|i| !i.is_empty() && i != "-" && seen.insert(i.clone()));
            if let Some(identifier) = unseen {
                let at = document.annotations.len() as u32 - 1;
                document.add_attribute("identifier", identifier);
                document.relate("of", at, at);
            }
        }
        let holds = Format::Pubtator.holds();
        let expected = project(&document, &holds, &mut Losses::default()).unwrap();
        let file = written(&document);
        let found = &Reader::new(Format::Pubtator).read("p", &file).unwrap()[0];
        prop_assert_eq!(&found.text, &expected.text);
        prop_assert_eq!(&found.id, &expected.id);
        prop_assert_eq!(spans(found), spans(&expected));
        prop_assert_eq!(attributes(found), attributes(&expected));
        prop_assert_eq!(links(found), links(&expected));
        prop_assert_eq!(written(found), file);
    }
}
