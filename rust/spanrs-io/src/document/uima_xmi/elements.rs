//! Elements of an XMI file: feature structures, texts and views.

use std::borrow::Cow;
use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::kinds::{Kind, Role, quoted};
use super::type_system::TypeSystem;
use super::xml::{Node, Value, Xml, local};
use crate::error::Result;

/// A feature structure.
#[derive(Clone, Copy)]
pub(super) struct Record {
    pub(super) id: u32,
    /// Index of the kind.
    pub(super) kind: u32,
    /// Id of the text.
    pub(super) sofa: u32,
    /// First character and one past the last character, in UTF-16 code units.
    pub(super) bounds: (u32, u32),
    /// Index range, end exclusive, into [`Cas::values`].
    pub(super) values: (u32, u32),
}

/// A text with an id.
pub(super) struct Sofa<'a> {
    pub(super) id: u32,
    pub(super) name: Cow<'a, str>,
    pub(super) text: Option<Cow<'a, str>>,
    /// Ids of the feature structures in the indexes of the view, ascending.
    pub(super) members: Vec<u32>,
}

/// The elements of a file.
#[derive(Default)]
pub(super) struct Cas<'a> {
    pub(super) kinds: Vec<Kind>,
    pub(super) records: Vec<Record>,
    /// Index of the feature and value, for the feature structures that are read.
    pub(super) values: Vec<(u32, Cow<'a, str>)>,
    pub(super) sofas: Vec<Sofa<'a>>,
    /// Whether the file has views.
    pub(super) has_views: bool,
    /// Records by id.
    pub(super) ids: HashMap<u32, u32>,
    /// Texts by id.
    sofa_ids: HashMap<u32, usize>,
}

/// The element of a tag.
enum Element {
    Null,
    Sofa,
    View,
    /// A feature structure, with the index of its kind.
    Structure(u32),
}

/// Reads the elements of a file.
pub(super) struct Elements<'a, 't> {
    xml: Xml<'a>,
    types: &'t TypeSystem,
    /// Namespaces by prefix.
    namespaces: HashMap<String, String>,
    /// Kinds by the name of the element.
    kinds: HashMap<String, u32>,
    /// Whether properties of tokens are read.
    linguistic: bool,
    /// The name of the attribute with the id.
    id: String,
    cas: Cas<'a>,
}

impl<'a, 't> Elements<'a, 't> {
    /// Prepares to read a file. If not `linguistic`, properties of tokens are skipped.
    pub(super) fn new(xml: Xml<'a>, types: &'t TypeSystem, linguistic: bool) -> Self {
        Self {
            xml,
            types,
            namespaces: HashMap::new(),
            kinds: HashMap::new(),
            linguistic,
            id: "xmi:id".to_owned(),
            cas: Cas::default(),
        }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`Code::BadDocument`](crate::Code::BadDocument) with line and column for elements that are
    /// not valid, and for types and features that are not in the type system; the errors of
    /// [`Xml::next`].
    pub(super) fn read(mut self) -> Result<(Cas<'a>, Xml<'a>)> {
        // The feature that an element within a feature structure is a value of.
        let mut inner: Option<(u32, String)> = None;
        let mut kind = None;
        loop {
            match self.xml.next()? {
                Node::Start(start) => match self.xml.depth() {
                    1 => self.root(&start)?,
                    2 => {
                        kind = self.element(&start)?;
                        inner = None;
                    }
                    3 => inner = self.feature(kind, local(start.name().0))?,
                    _ => return Err(self.xml.error("an element within the value of a feature")),
                },
                Node::End => {
                    if let (Some((feature, value)), Some(record)) =
                        (inner.take(), self.cas.records.last_mut())
                    {
                        self.cas.values.push((feature, Cow::Owned(value)));
                        record.values.1 = self.cas.values.len() as u32;
                    }
                }
                Node::Text(text) => match &mut inner {
                    Some((_, value)) => value.push_str(&text),
                    None if text.trim().is_empty() || self.xml.depth() == 3 => {}
                    None if self.xml.depth() == 0 => {
                        return Err(self
                            .xml
                            .error("this is not XMI: text outside of the root element"));
                    }
                    None => return Err(self.xml.error("text outside of a feature")),
                },
                Node::Eof => break,
            }
        }
        if self.namespaces.is_empty()
            && self.cas.kinds.is_empty()
            && self.xml.source.trim().is_empty()
        {
            return Err(self.xml.error("this is not XMI: the file is empty"));
        }
        for sofa in &mut self.cas.sofas {
            sofa.members.sort_unstable();
        }
        Ok((self.cas, self.xml))
    }

    /// Checks the root element, and reads its namespaces.
    fn root(&mut self, start: &BytesStart<'_>) -> Result<()> {
        match local(start.name().0) {
            "XMI" => {}
            "CAS" => {
                let message = "this is XCAS, an older format of UIMA; export UIMA CAS XMI";
                return Err(self.xml.error(message));
            }
            "typeSystemDescription" => {
                let message = "this is a type system; read the .xmi files, and leave the type \
                               system next to them";
                return Err(self.xml.error(message));
            }
            other => {
                let message = format!(
                    "this is not XMI, whose root is xmi:XMI, but {}",
                    quoted(other)
                );
                return Err(self.xml.error(message));
            }
        }
        self.declare(start)
    }

    /// Adds the namespaces that an element declares.
    fn declare(&mut self, start: &BytesStart<'_>) -> Result<()> {
        let (namespaces, id) = (&mut self.namespaces, &mut self.id);
        self.xml.attributes(start, |name, value| {
            if let Some(prefix) = name.strip_prefix("xmlns") {
                let prefix = prefix.strip_prefix(':').unwrap_or(prefix);
                if value.raw() == "http://www.omg.org/XMI" {
                    *id = format!("{prefix}:id");
                }
                namespaces.insert(prefix.to_owned(), value.raw().to_owned());
            }
            Ok(())
        })
    }

    /// Reads an element of the file: a feature structure, a text or a view. Returns the kind of a
    /// feature structure.
    fn element(&mut self, start: &BytesStart<'_>) -> Result<Option<u32>> {
        match self.classify(start)? {
            Element::Null => Ok(None),
            Element::Sofa => self.sofa(start).map(|()| None),
            Element::View => self.view(start).map(|()| None),
            Element::Structure(kind) => self.structure(start, kind).map(|()| Some(kind)),
        }
    }

    /// Returns the kind of an element.
    fn classify(&mut self, start: &BytesStart<'_>) -> Result<Element> {
        let name = start.name().0;
        if let Some(&kind) = self.kinds.get(name) {
            return Ok(Element::Structure(kind));
        }
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        if !self.namespaces.contains_key(prefix) {
            self.declare(start)?;
        }
        let namespace = self.namespaces.get(prefix).map(String::as_str);
        let Some(package) = namespace.and_then(package) else {
            let message = format!(
                "the prefix of <{}> has no namespace http:///PACKAGE.ecore",
                quoted(name)
            );
            return Err(self.xml.error(message));
        };
        let ty = match package.as_str() {
            "uima.noNamespace" => local.to_owned(),
            package => format!("{package}.{local}"),
        };
        match ty.as_str() {
            "uima.cas.NULL" => return Ok(Element::Null),
            "uima.cas.Sofa" => return Ok(Element::Sofa),
            "uima.cas.View" => return Ok(Element::View),
            _ => {}
        }
        let resolved = self
            .types
            .resolve(&ty)
            .map_err(|message| self.xml.error(message))?;
        let mut kind = Kind::new(&ty, resolved);
        kind.read &= self.linguistic || !kind.is_linguistic();
        let number = self.cas.kinds.len() as u32;
        self.cas.kinds.push(kind);
        self.kinds.insert(name.to_owned(), number);
        Ok(Element::Structure(number))
    }

    /// Parses a number.
    fn number(&self, name: &str, value: &Value<'_>) -> Result<u32> {
        value.number().ok_or_else(|| {
            let value = quoted(value.raw());
            self.xml.error(format!(
                "{name}={value:?} is not a whole number from 0 to 4294967295"
            ))
        })
    }

    /// Reads a feature structure.
    fn structure(&mut self, start: &BytesStart<'_>, number: u32) -> Result<()> {
        let kind = &self.cas.kinds[number as usize];
        let from = self.cas.values.len() as u32;
        let (mut id, mut sofa, mut bounds) = (None, 0, (0, 0));
        let mut values = std::mem::take(&mut self.cas.values);
        self.xml.attributes(start, |name, value| {
            match name {
                _ if name == self.id => id = Some(self.number(name, &value)?),
                "sofa" => sofa = self.number(name, &value)?,
                "begin" if kind.role != Role::Object => bounds.0 = self.number(name, &value)?,
                "end" if kind.role != Role::Object => bounds.1 = self.number(name, &value)?,
                _ if !kind.read || kind.role == Role::Token => {}
                _ if name.starts_with("xmlns") || name.starts_with("xmi:") => {}
                _ => {
                    let feature = self.feature_of(kind, name)?;
                    values.push((feature, self.xml.decode(value)?));
                }
            }
            Ok(())
        })?;
        let Some(id) = id else {
            return Err(self
                .xml
                .error(format!("<{}> has no {}", quoted(start.name().0), self.id)));
        };
        if self
            .cas
            .ids
            .insert(id, self.cas.records.len() as u32)
            .is_some()
        {
            return Err(self.xml.error(format!(
                "{}=\"{id}\" occurs twice; ids must be unique",
                self.id
            )));
        }
        let to = values.len() as u32;
        self.cas.values = values;
        self.cas.records.push(Record {
            id,
            kind: number,
            sofa,
            bounds,
            values: (from, to),
        });
        Ok(())
    }

    /// Returns the index of a feature.
    fn feature_of(&self, kind: &Kind, name: &str) -> Result<u32> {
        kind.index_of(name).ok_or_else(|| {
            let (name, ty) = (quoted(name), quoted(&kind.name));
            self.xml.error(format!(
                "the type {ty} has no feature {name:?} in the type system; use the type system of \
                 the same export"
            ))
        })
    }

    /// Returns the feature of an element within a feature structure; None if it is not read.
    fn feature(&self, kind: Option<u32>, name: &str) -> Result<Option<(u32, String)>> {
        let kind = kind.and_then(|kind| self.cas.kinds.get(kind as usize));
        match kind {
            Some(kind) if kind.read && kind.role != Role::Token => {
                Ok(Some((self.feature_of(kind, name)?, String::new())))
            }
            _ => Ok(None),
        }
    }

    /// Reads a text.
    fn sofa(&mut self, start: &BytesStart<'_>) -> Result<()> {
        let (mut id, mut name, mut text) = (None, None, None);
        self.xml.attributes(start, |attribute, value| {
            match attribute {
                _ if attribute == self.id => id = Some(self.number(attribute, &value)?),
                "sofaID" => name = Some(self.xml.decode(value)?),
                "sofaString" => text = Some(self.xml.decode(value)?),
                _ => {}
            }
            Ok(())
        })?;
        let Some(id) = id else {
            return Err(self.xml.error(format!("a text without {}", self.id)));
        };
        let name = name.unwrap_or_default();
        let sofa = self.sofa_with(id);
        if sofa.text.is_some() || !sofa.name.is_empty() {
            return Err(self
                .xml
                .error(format!("two texts have the id {id}; ids must be unique")));
        }
        (sofa.name, sofa.text) = (name, text);
        Ok(())
    }

    /// Returns the text with an id, adding it if it is new: its view may precede it.
    fn sofa_with(&mut self, id: u32) -> &mut Sofa<'a> {
        let sofas = &mut self.cas.sofas;
        let at = *self.cas.sofa_ids.entry(id).or_insert(sofas.len());
        if at == sofas.len() {
            sofas.push(Sofa {
                id,
                name: Cow::Borrowed(""),
                text: None,
                members: Vec::new(),
            });
        }
        &mut sofas[at]
    }

    /// Reads the indexes of a view.
    fn view(&mut self, start: &BytesStart<'_>) -> Result<()> {
        let (mut sofa, mut members) = (None, Vec::<u32>::new());
        self.xml.attributes(start, |name, value| {
            match name {
                "sofa" => sofa = Some(self.number(name, &value)?),
                "members" => {
                    for member in value.raw().split_ascii_whitespace() {
                        let Ok(number) = member.parse() else {
                            let message = format!("{:?} is not an id", quoted(member));
                            return Err(self.xml.error(message));
                        };
                        members.push(number);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        self.cas.has_views = true;
        // A view without a text has no annotations.
        if let Some(sofa) = sofa {
            self.sofa_with(sofa).members.extend(members);
        }
        Ok(())
    }
}

/// Returns the package of a namespace: `a.b` for `http:///a/b.ecore`.
fn package(namespace: &str) -> Option<String> {
    let path = namespace.strip_prefix("http:///")?.strip_suffix(".ecore")?;
    Some(path.replace('/', "."))
}
