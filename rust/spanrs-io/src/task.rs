//! Reader of MAT's task.xml: the annotation types that a task declares, and the names under which
//! these types are reported.
//!
//! A task file declares types (`Tag`) in one of two syntaxes, which may both occur in the same
//! file:
//!
//! ```text
//! <task name="NE">                                    MAT 1.3
//!   <tags inherit_structure="yes">
//!     <tag name="ENAMEX" category="content">
//!       <attr_set name="PERSON"><attr name="type" value="PER"/></attr_set></tag></tags></task>
//!
//! <task name="NE">                                    MAT 2.0
//!   <annotation_set_descriptors inherit="category:zone,category:token">
//!     <annotation_set_descriptor category="content">
//!       <annotation label="ENAMEX"/>
//!       <attribute of_annotation="ENAMEX" name="type">
//!         <choice effective_label="PERSON">PER</choice></attribute>
//!     </annotation_set_descriptor></annotation_set_descriptors></task>
//! ```
//!
//! Both declare the type `ENAMEX` in the category content, with the alias `PERSON` for annotations
//! whose attribute `type` is `PER`, and inherit `lex` (the tokens) and `zone`. The category
//! determines whether a type is scored; aliases split a type by the value of an attribute.
//!
//! The file is first read into a tree of depth at most [`DEPTH`]. Internal subsets of the document
//! type are rejected, because they may declare entities that expand without bound.

use std::collections::HashMap;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use spanrs_base::Position;
pub use spanrs_base::{Alias, Category, Tag, Task};

use crate::error::{Code, Error, Result};

/// A task that is being read.
///
/// `places` has an entry for each item of `task.tags`, so that a type that is declared more than
/// once remains a single type. A draft belongs to one `task` element; types of other tasks in the
/// file are not included.
#[derive(Default)]
struct Draft {
    /// The task so far.
    task: Task,
    /// Index of each type in `task.tags`, by name.
    places: HashMap<String, usize>,
    /// Size in bytes of the aliases so far, including their strings.
    bytes: usize,
}

/// Maximum size in bytes of the aliases of a task. Every value of an attribute can be an alias of
/// every type, so the aliases of a small file could exceed memory.
const ALIAS_BYTES: usize = 1 << 24;

impl Draft {
    /// Returns the index of a type, adding the type if it is new. A type that has already been
    /// declared or inherited gets the new category.
    fn add(&mut self, name: &str, category: Category) -> usize {
        if let Some(&at) = self.places.get(name) {
            // Inherited types can be declared again.
            self.task.tags[at].category = category;
            return at;
        }
        let at = self.task.tags.len();
        self.task.tags.push(Tag {
            name: name.to_owned(),
            category,
            aliases: Vec::new(),
        });
        self.places.insert(name.to_owned(), at);
        at
    }

    /// Adds an alias to the type at index `at`, for annotations that have all of `attributes` (name
    /// and value).
    ///
    /// The same alias may be added more than once, with different values: `PERSON` for `PER` and
    /// for `Person`. The strings of each alias are counted, because a list of thousands of types in
    /// one attribute multiplies the choices.
    ///
    /// # Errors
    /// A message if the aliases exceed [`ALIAS_BYTES`].
    fn add_alias(
        &mut self,
        at: usize,
        name: &str,
        attributes: &[(&str, &str)],
    ) -> Result<(), String> {
        let strings: usize = attributes
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum();
        self.bytes += size_of::<Alias>() + name.len() + strings;
        if self.bytes > ALIAS_BYTES {
            let most = ALIAS_BYTES >> 20;
            return Err(format!(
                "the aliases of a task take more than {most} MiB, the limit"
            ));
        }
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        self.task.tags[at].aliases.push(Alias {
            name: name.to_owned(),
            attributes: attributes.iter().map(owned).collect(),
        });
        Ok(())
    }
}

/// Reads the tasks in a task.xml, in the syntax of MAT 1.3 (`tags`) or MAT 2.0
/// (`annotation_set_descriptors`).
///
/// The root is a `task`, or any element with `task` elements as children. `name` is the file name
/// for messages. Types are in the order of the file; in each block, inherited types precede
/// declared types.
///
/// # Errors
/// [`Code::BadDocument`] if the file is not XML or contains no task, [`Code::Entities`] if the file
/// declares entities, [`Code::TooDeep`] if elements are nested more than 100 deep,
/// [`Code::DocumentTooLong`] if the aliases would take more than 16 MiB.
///
/// # Examples
/// ```
/// let task = r#"<task name="NE"><tags inherit_structure="yes"><tag name="ENAMEX" category="content">
///   <attr_set name="PERSON"><attr name="type" value="PER"/></attr_set></tag></tags></task>"#;
/// let tasks = spanrs_io::read_tasks("task.xml", task).unwrap();
/// let names: Vec<_> = tasks[0].tags.iter().map(|tag| &*tag.name).collect();
/// assert_eq!(names, ["lex", "zone", "ENAMEX"]);
/// assert_eq!(tasks[0].tags[2].aliases[0].name, "PERSON");
/// ```
pub fn read_tasks(name: &str, text: &str) -> Result<Vec<Task>> {
    let root = tree(name, text)?;
    let found: Vec<&Element> = match &*root.name {
        "task" => vec![&root],
        _ => root.all("task").collect(),
    };
    if found.is_empty() {
        let message = format!("<{}> contains no <task>; this is not a task.xml", root.name);
        return Err(Error::new(Code::BadDocument, Position::file(name), message));
    }
    let tasks: Result<Vec<Task>, String> = found.into_iter().map(task).collect();
    tasks.map_err(|message| Error::new(Code::DocumentTooLong, Position::file(name), message))
}

/// Reads a `task` element, in either syntax. The error is a message about the size of the aliases.
fn task(element: &Element) -> Result<Task, String> {
    let mut draft = Draft::default();
    draft.task.name = element.get("name").unwrap_or_default().to_owned();
    for tags in element.all("tags") {
        if tags.get("inherit_structure") == Some("yes") {
            draft.add("lex", Category::Token);
            draft.add("zone", Category::Zone);
        }
        for tag in tags.all("tag") {
            old_tag(&mut draft, tag)?;
        }
    }
    for descriptors in element.all("annotation_set_descriptors") {
        for inherited in list(descriptors.get("inherit")) {
            match inherited {
                "category:token" => drop(draft.add("lex", Category::Token)),
                "category:zone" => drop(draft.add("zone", Category::Zone)),
                _ => {}
            }
        }
        for descriptor in descriptors.all("annotation_set_descriptor") {
            new_tags(&mut draft, descriptor)?;
        }
    }
    Ok(draft.task)
}

/// Reads a `tag` of MAT 1.3. An alias is a set of attributes, all of which an annotation must have.
/// A tag without a name is skipped.
///
/// ```text
/// <tag name="ENAMEX" category="content">
///   <attr_set name="PERSON">
///     <attr name="type" value="PER"/><attr name="sure" value="yes"/></attr_set></tag>
/// ```
///
/// This declares `ENAMEX`, and the alias `PERSON` for annotations with `type` PER and `sure` yes.
/// Attributes without a name or a value are ignored.
fn old_tag(draft: &mut Draft, element: &Element) -> Result<(), String> {
    let Some(name) = element.get("name") else {
        return Ok(());
    };
    let tag = draft.add(name, category(element.get("category")));
    for set in element.all("attr_set") {
        if let Some(alias) = set.get("name") {
            let pairs = set.all("attr");
            let pairs = pairs.filter_map(|attr| Some((attr.get("name")?, attr.get("value")?)));
            draft.add_alias(tag, alias, &pairs.collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

/// Reads an `annotation_set_descriptor` of MAT 2.0. An alias is the effective label of a single
/// value of an attribute.
///
/// Annotations without spans (`span="no"`) do not occur in the score tables and are skipped, as are
/// attributes of types that have not been declared yet. An attribute of several types,
/// `of_annotation="A,B"`, adds an alias to each type; a choice without an effective label adds no
/// alias.
///
/// # Errors
/// Same as [`Draft::add_alias`].
fn new_tags(draft: &mut Draft, descriptor: &Element) -> Result<(), String> {
    let category = category(descriptor.get("category"));
    for annotation in descriptor.all("annotation") {
        // Annotations without spans do not occur in the score tables.
        if let (Some(label), true) = (
            annotation.get("label"),
            annotation.get("span") != Some("no"),
        ) {
            draft.add(label, category);
        }
    }
    for attribute in descriptor.all("attribute") {
        let Some(name) = attribute.get("name") else {
            continue;
        };
        let labels = list(attribute.get("of_annotation"));
        let tags: Vec<usize> = labels
            .filter_map(|label| draft.places.get(label).copied())
            .collect();
        for choice in attribute.all("choice") {
            let Some(alias) = choice.get("effective_label") else {
                continue;
            };
            for &tag in &tags {
                draft.add_alias(tag, alias, &[(name, choice.text.trim())])?;
            }
        }
    }
    Ok(())
}

/// Returns the category with this name; [`Category::Other`] for all other names and for None.
fn category(name: Option<&str>) -> Category {
    match name {
        Some("content") => Category::Content,
        Some("token") => Category::Token,
        Some("zone") => Category::Zone,
        _ => Category::Other,
    }
}

/// Returns the nonempty items of a comma-separated list, without surrounding white space.
fn list(text: Option<&str>) -> impl Iterator<Item = &str> {
    let parts = text.unwrap_or_default().split(',');
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// An element of the tree.
#[derive(Default)]
struct Element {
    /// Name as in the file, including the namespace prefix.
    name: String,
    /// Names and values of the attributes, decoded, in order.
    attributes: Vec<(String, String)>,
    /// Child elements, in order.
    children: Vec<Element>,
    /// Text directly in this element, without comments and children, decoded and joined.
    text: String,
}

impl Element {
    /// Returns the value of an attribute.
    fn get(&self, name: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        all.find_map(|(key, value)| (key == name).then_some(&**value))
    }

    /// Returns the children with this name, in order.
    fn all(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Maximum depth of nested elements; task files are five elements deep.
const DEPTH: usize = 100;

/// Parses a text as XML and returns its root element.
///
/// Comments, processing instructions and a document type without internal subset are skipped. Text
/// and CDATA sections are decoded and joined; XML's five predefined entities and numeric references
/// are resolved, all other entities are errors.
///
/// # Errors
/// Same as [`read_tasks`], with line and column if the problem has a single position.
fn tree(name: &str, text: &str) -> Result<Element> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    // The first open element is a placeholder whose child is the root.
    let mut open = vec![Element::default()];
    loop {
        let at = reader.buffer_position() as usize;
        let error = |code, at: usize, message: String| {
            let before = &text.as_bytes()[..at.min(text.len())];
            Error::new(code, crate::document::place(name, before), message)
        };
        let bad = |message: String| error(Code::BadDocument, at, message);
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                if open.len() > DEPTH {
                    let message = format!("more than {DEPTH} nested elements");
                    return Err(error(Code::TooDeep, at, message));
                }
                open.push(element(&start).map_err(|error| bad(error.to_string()))?);
            }
            Ok(Event::End(_)) => {
                if let (Some(done), Some(parent)) = (open.pop(), open.last_mut()) {
                    parent.children.push(done);
                }
            }
            Ok(Event::Text(content)) => add_text(&mut open, &content),
            Ok(Event::CData(content)) => add_text(&mut open, &content),
            Ok(Event::GeneralRef(reference)) => {
                let escaped = format!("&{};", &*reference);
                let text = quick_xml::escape::unescape(&escaped);
                add_text(&mut open, &text.map_err(|error| bad(error.to_string()))?);
            }
            Ok(Event::DocType(doctype)) if doctype.contains('[') => {
                let message =
                    "the document type declares entities or elements, which is not supported";
                return Err(error(Code::Entities, at, message.to_owned()));
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(wrong) => {
                let at = reader.error_position() as usize;
                return Err(error(
                    Code::BadDocument,
                    at,
                    format!("this is not XML: {wrong}"),
                ));
            }
        }
    }
    let whole = |outside: &Element| outside.children.len() == 1 && outside.text.trim().is_empty();
    let root = match (open.pop(), open.is_empty()) {
        (Some(mut outside), true) if whole(&outside) => outside.children.pop(),
        _ => None,
    };
    root.ok_or_else(|| {
        let message =
            "this is not XML: there must be exactly one root element, and all elements must be closed";
        Error::new(Code::BadDocument, Position::file(name), message)
    })
}

/// Creates an element from its start tag, without children and text.
fn element(start: &BytesStart<'_>) -> quick_xml::Result<Element> {
    let mut element = Element {
        name: start.name().0.to_owned(),
        ..Element::default()
    };
    for attribute in start.attributes() {
        let attribute = attribute?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
        let key = attribute.key.0.to_owned();
        element.attributes.push((key, value.into_owned()));
    }
    Ok(element)
}

/// Appends text to the innermost open element.
fn add_text(open: &mut [Element], text: &str) {
    if let Some(last) = open.last_mut() {
        last.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_2_0_name_values() {
        let text = r#"<tasks><task name="A"/><task name="G">
            <annotation_set_descriptors inherit="category:zone, category:token">
              <annotation_set_descriptor category="content" name="content">
                <annotation label="ENAMEX"/><annotation label="REL" span="no"/>
                <attribute of_annotation="ENAMEX" name="type">
                  <choice effective_label="R&amp;D">P&amp;D</choice><choice>LOC</choice>
                </attribute>
              </annotation_set_descriptor>
            </annotation_set_descriptors></task></tasks>"#;
        let tasks = read_tasks("task.xml", text).unwrap();
        let task = &tasks[1];
        assert_eq!(tasks.len(), 2);
        let names: Vec<_> = task
            .tags
            .iter()
            .map(|tag| (&*tag.name, tag.category))
            .collect();
        let expected = [
            ("zone", Category::Zone),
            ("lex", Category::Token),
            ("ENAMEX", Category::Content),
        ];
        assert_eq!(names, expected);
        let alias = Alias {
            name: "R&D".to_owned(),
            attributes: vec![("type".to_owned(), "P&D".to_owned())],
        };
        assert_eq!(task.tags[2].aliases, [alias]);
    }

    #[test]
    fn aliases_that_take_too_much_memory_are_refused() {
        let refused = |labels: usize, value: &str, choices: usize| {
            let (labels, value) = ("A,".repeat(labels), value.repeat(1000));
            let choices = format!("<choice effective_label=\"c\">{value}</choice>").repeat(choices);
            let text = format!(
                "<task><annotation_set_descriptors><annotation_set_descriptor><annotation label=\"A\"/>\
                 <attribute name=\"a\" of_annotation=\"{labels}\">{choices}</attribute>\
                 </annotation_set_descriptor></annotation_set_descriptors></task>"
            );
            read_tasks("t.xml", &text).unwrap_err().to_string()
        };
        let message = "t.xml: the aliases of a task take more than 16 MiB, the limit";
        assert_eq!(refused(1000, "", 400), message);
        assert_eq!(refused(100, "x".repeat(200).as_str(), 1), message);
    }

    #[test]
    fn what_is_no_task_file_is_refused() {
        let refused = |text: &str| read_tasks("t.xml", text).unwrap_err().to_string();
        assert_eq!(
            refused("<a/>"),
            "t.xml: <a> contains no <task>; this is not a task.xml"
        );
        assert!(refused("<task>").contains("must be closed"));
        assert!(refused("<task name='A'/><task name='B'/>").contains("exactly one root"));
        assert!(refused("x<task name='A'/>").contains("exactly one root"));
        assert!(refused("\n<task></a>").starts_with("t.xml:2:7: this is not XML"));
        assert!(refused("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>").contains("declares entities"));
        assert!(refused(&"<a>".repeat(200)).contains("more than 100"));
    }
}
