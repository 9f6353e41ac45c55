//! XMI of a UIMA CAS, version 2, as exported by INCEpTION and WebAnno (UIMA CAS XMI, for XML 1.0 and
//! 1.1), written by Apache cTAKES and other UIMA software, and by dkpro-cassis in Python.
//!
//! ```xml
//! <xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
//!     xmlns:ner="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore" xmi:version="2.0">
//!   <cas:NULL xmi:id="0"/>
//!   <ner:NamedEntity xmi:id="2" sofa="1" begin="0" end="3" value="PER"/>
//!   <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Bob ate"/>
//!   <cas:View sofa="1" members="2"/>
//! </xmi:XMI>
//! ```
//!
//! The types and their features are described in another file, the type system. It is given, or it
//! is the file `NAME.typesystem.xml` or `TypeSystem.xml` (in any case) next to the file. Without a
//! type system, files can be read that contain only the types of DKPro Core for tokens, sentences,
//! parts of speech, lemmas, named entities and metadata.
//!
//! | in the file | in the document |
//! |---|---|
//! | the text of the view `_InitialView`, or the only text | the text |
//! | types that inherit from DKPro Core's or cTAKES' token | annotations of type `lex` |
//! | other types that inherit from `uima.tcas.Annotation` | annotations; one of the features is the type ([`super::uima_layers`]) |
//! | types with the features `Governor` and `Dependent`, or `source` and `target` | relations; the feature is the type. Further features are not read |
//! | slots (features with links that have `role` and `target`) | relations; the role is the type |
//! | other features whose values are annotations | relations; the feature is the type |
//! | features with other feature structures, such as cTAKES' concepts | attributes with objects |
//! | cTAKES' relations (`arg1`, `arg2`) | relations; `category` is the type |
//! | `documentTitle`, `documentId` | name and id of the document |
//! | other features of `DocumentMetaData`, and layers for document metadata | metadata |
//! | sentences, descriptions of layers and tag sets | not read |
//! | properties of tokens (parts of speech, lemmas, dependencies) | read if the layer is selected |
//!
//! Offsets count UTF-16 code units; an annotation that begins or ends within a character is left out
//! with a report, as are annotations of other views and annotations that are not in the indexes of
//! their view (`members`), which in UIMA are deleted annotations.
//!
//! Sources: <https://uima.apache.org/d/uimaj-current/ref.html#ugr.ref.xmi>,
//! <https://uima.apache.org/d/uimaj-current/ref.html#ugr.ref.xml.component_descriptor.type_system>.

mod build;
mod elements;
mod kinds;
#[cfg(test)]
mod tests;
mod type_system;
mod write;
mod xml;

use std::path::{Path, PathBuf};

use spanrs_base::{Limits, Position};

pub(super) use write::Writer;

use super::annotated_text::Document;
use super::encoding::utf8;
use super::uima_layers::Choice;
use crate::error::{Code, Error, Result};
use crate::source::Source;
use build::build;
use elements::{Cas, Elements};
use kinds::Role;
use type_system::TypeSystem;
use xml::Xml;

/// Reads the document of a file. `types` is the type system; if it is not given, it is looked up
/// next to the file. `layer` is the layer that is read, by its full name or its name without
/// package, or None for all layers except properties of tokens.
///
/// # Errors
/// [`Code::BadDocument`] with line and column for a violation of the format, for a type or a feature
/// that is not in the type system, and for references to feature structures that are not valid;
/// [`Code::BadDocument`] for several texts, and for a layer that neither the file nor its type system
/// has; [`Code::Entities`], [`Code::TooDeep`], and the errors of [`Source::contents`].
pub(super) fn open(
    source: &Source,
    types: Option<&Source>,
    layer: Option<&str>,
    limits: Limits,
) -> Result<Document> {
    let found = source.path().and_then(type_system_of).map(Source::from);
    let system = match types.or(found.as_ref()) {
        None => TypeSystem::well_known(),
        Some(types) => {
            let bytes = types.contents(limits)?;
            let text = utf8(types.name(), &bytes)?;
            TypeSystem::parse(types.name(), text, limits.nesting)?
        }
    };
    let bytes = source.contents(limits)?;
    let text = utf8(source.name(), &bytes)?;
    let xml = Xml::new(source.name(), text, limits.nesting);
    let (mut cas, xml) = Elements::new(xml, &system, layer.is_some()).read()?;
    let choice = choose(source.name(), &mut cas, &system, layer)?;
    build(&cas, &xml, &choice)
}

/// Returns the path of the type system next to a file; None if there is none.
fn type_system_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let name = [".gz", ".zst"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    let stem = name
        .strip_suffix(".xmi")
        .or_else(|| name.strip_suffix(".xml"))
        .unwrap_or(name);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    // The usual names are found without listing the directory, which may have many files.
    let base = path.file_name()?.to_str()?;
    let base = base.split_once(".xm").map_or(base, |(base, _)| base);
    let usual = [
        format!("{base}.typesystem.xml"),
        "TypeSystem.xml".to_owned(),
    ];
    if let Some(found) = usual
        .iter()
        .map(|name| path.with_file_name(name))
        .find(|path| path.is_file())
    {
        return Some(found);
    }
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let wanted = [
        format!("{stem}.typesystem.xml"),
        "typesystem.xml".to_owned(),
    ];
    let files = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().to_str()?.to_lowercase();
        let rank = wanted.iter().position(|wanted| *wanted == name)?;
        Some((rank, entry.path()))
    });
    // Of several files that differ in case, the first by name is read.
    files.min().map(|(_, path)| path)
}

/// Selects the layers that are read.
fn choose(
    name: &str,
    cas: &mut Cas<'_>,
    types: &TypeSystem,
    layer: Option<&str>,
) -> Result<Choice> {
    let mut layers: Vec<(&str, Option<&str>)> = Vec::new();
    for kind in cas.kinds.iter().filter(|kind| kind.is_layer()) {
        layers.push((&kind.name, kind.base()));
        if kind.role == Role::Span {
            let inherited = kind
                .supertypes
                .iter()
                .filter(|name| !name.starts_with("uima."));
            layers.extend(inherited.map(|name| (name.as_str(), None)));
        }
    }
    layers.sort_unstable();
    layers.dedup_by_key(|(name, _)| *name);
    let choice = match Choice::new(layer, layers.iter().copied()) {
        Ok(choice) => choice,
        // Not every file has annotations in all layers of the project.
        Err(_) if layer.is_some_and(|layer| types.has_name(layer)) => Choice::nothing(),
        Err(message) => {
            return Err(Error::new(Code::BadDocument, Position::file(name), message));
        }
    };
    for kind in &mut cas.kinds {
        kind.read &= kind.is_chosen(&choice);
    }
    Ok(choice)
}
