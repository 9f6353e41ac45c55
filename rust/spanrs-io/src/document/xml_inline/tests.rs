use super::*;

type Found = (String, Vec<(String, u32, u32)>);

fn found(source: &str, elements: &Elements) -> Found {
    let document = read("d.xml", source, elements, 100).unwrap();
    let all = document.annotations.iter();
    let spans = all.map(|a| (document.type_of(a).to_owned(), a.start, a.end));
    (document.text.clone(), spans.collect())
}

fn refused(source: &str) -> String {
    let error = read("d.xml", source, &Elements::default(), 100);
    error.unwrap_err().to_string()
}

#[test]
fn elements_are_annotations_of_decoded_text() {
    let source = "<?xml version=\"1.0\"?>\n<doc>x &amp; <A k='&lt;1'>&#233;t&#xE9;\r\n</A><![CDATA[<A>]]><B/></doc>\n";
    let (text, spans) = found(source, &Elements::default());
    assert_eq!(text, "x & été\r\n<A>");
    let names: Vec<_> = spans.iter().map(|(n, s, e)| (n.as_str(), *s, *e)).collect();
    assert_eq!(names, [("doc", 0, 12), ("A", 4, 9), ("B", 12, 12)]);
    let document = read("d", source, &Elements::default(), 100).unwrap();
    let attributes: Vec<_> = document.attributes(&document.annotations[1]).collect();
    assert_eq!(attributes, [("k", "<1")]);
}

#[test]
fn an_overlay_keeps_what_is_not_declared() {
    let elements = Elements {
        declared: Some(["P".to_owned()].into()),
        overlay: true,
    };
    let source = "<doc><p a='>'>B &amp; &#65; <P>S<br/></P></p><!-- c -->\r\n</doc>\n";
    let (text, spans) = found(source, &elements);
    assert_eq!(
        text,
        "<doc><p a='>'>B &amp; A S<br/></p><!-- c -->\r\n</doc>\n"
    );
    assert_eq!(spans, [("P".to_owned(), 24, 30)]);
    let plain = Elements {
        overlay: false,
        ..elements
    };
    assert_eq!(found(source, &plain).0, "B & A S\r\n");
}

#[test]
fn what_is_no_xml_is_refused_at_its_place() {
    let declared = "<!DOCTYPE d [<!ENTITY a \"aaaa\">]><d>&a;</d>";
    assert!(refused(declared).starts_with("d.xml:1:1: the document type declares entities"));
    assert_eq!(
        refused("<doc>\n<A>a</doc>").split(": ").next(),
        Some("d.xml:2:5")
    );
    assert_eq!(refused("<doc>\n<A>a"), "d.xml:2:1: <A> is never closed");
    assert_eq!(
        refused("<a/>b"),
        "d.xml:1:5: text outside of the root element"
    );
    assert!(refused("<a/><b/>").contains("XML has one root"));
    assert!(refused("<a>&nbsp;</a>").contains("&nbsp; is not an XML entity"));
    assert!(refused("<a>x < y</a>").starts_with("d.xml:1:"));
    assert!(refused("<a>\u{1}</a>").contains("control character"));
    assert!(refused("<a>&#0;</a>").contains("is not a valid character"));
    assert!(refused("<a x='1' x='2'/>").starts_with("d.xml:1:1: <a>"));
    assert!(refused("").contains("there is no element"));
    for source in [
        "<a$b/>",
        "<a b$='1'/>",
        "\n<?xml version='1.0'?><a/>",
        "<a/><?xml version='1.0'?>",
        "<?xml?><a/>",
        "<??><a/>",
        "<!DOCTYPE a><!DOCTYPE a><a/>",
        "<a/><!DOCTYPE a>",
    ] {
        assert!(refused(source).starts_with("d.xml:"), "{source}");
    }
    let elements = Elements {
        declared: Some(["P".to_owned()].into()),
        overlay: false,
    };
    assert!(read("d", "<a b=1/>", &elements, 9).is_err());
    assert!(refused(&"<a>".repeat(101)).contains("more than 100 nested elements"));
}
