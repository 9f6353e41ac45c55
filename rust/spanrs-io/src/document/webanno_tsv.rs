//! WebAnno TSV 3.0 to 3.3, an export format of WebAnno and INCEpTION.
//!
//! ```text
//! #FORMAT=WebAnno TSV 3.3
//! #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value
//! #T_RL=webanno.custom.Relation|label|BT_de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity
//!
//!
//! #Text=Ms. Haag plays Elianti .
//! 1-1<tab>0-3<tab>Ms.<tab>*[1]<tab>PER[1]<tab>_<tab>_
//! 1-2<tab>4-8<tab>Haag<tab>*[1]<tab>PER[1]<tab>_<tab>_
//! 1-3<tab>9-14<tab>plays<tab>_<tab>_<tab>_<tab>_
//! 1-4<tab>15-22<tab>Elianti<tab>Q7<tab>WORK<tab>by<tab>1-1[1_0]
//! 1-5<tab>23-24<tab>.<tab>_<tab>_<tab>_<tab>_
//! ```
//!
//! | in the file | in the document |
//! |---|---|
//! | sentences (`#Text=`) | the text; sentences and their ids are not annotations |
//! | tokens (`1-1`) | annotations of type `lex`, before all others |
//! | layers of spans (`#T_SP`) | annotations; one of the features is the type ([`super::uima_layers`]) |
//! | `*` | a feature without a value, which is not an attribute |
//! | layers of relations (`#T_RL`) | relations; the feature is the type. Further features are not read |
//! | slots (`ROLE_...`) | relations from the annotation with the slot; the role is the type |
//! | chains (`#T_CH`) | annotations, and relations from each to the next |
//!
//! Offsets count UTF-16 code units. The text of each token in the file is compared with the text at
//! its offsets; if they differ, the file is rejected, unless all tokens match with offsets in code
//! points, which is reported. The text between two sentences is not in the file: it is read as a
//! line end, followed by spaces if it is longer, as in WebAnno.
//!
//! Annotations on several tokens have a disambiguation id (`[1]`). The first token determines the
//! features; the id of an annotation with another type is an error. A relation, slot or link whose
//! annotation does not exist is left out with a report.
//!
//! Source: <https://inception-project.github.io/releases/36.4/docs/user-guide.html#sect_webannotsv>
//! and the source code of INCEpTION (`Tsv3XDeserializer`).

mod annotate;
mod assemble;
mod escapes;
mod rows;
mod schema;
#[cfg(test)]
mod tests;
mod units;
mod write;

use spanrs_base::Position;

pub(super) use write::Writer;

use super::annotated_text::{Document, TOKEN};
use super::uima_layers::Choice;
use crate::error::{Code, Error, Result};
use annotate::Annotator;
use assemble::{Unit, assemble};
use rows::Table;
use schema::Kind;

/// Reads the document of a file. `name` is the name of the file in messages; `layer` is the layer
/// that is read, by its full name or its name without package, or None for all layers except
/// properties of tokens.
///
/// A file that declares no layers is read whatever the layer, because WebAnno declares only layers
/// with annotations.
///
/// # Errors
/// [`Code::BadDocument`] with line and column for a violation of the format, for tokens that differ
/// from the text at their offsets, and for a layer that the file does not have;
/// [`Code::LaterVersion`].
pub(super) fn read(name: &str, text: &str, layer: Option<&str>) -> Result<Document> {
    let mut table = Table::parse(name, text)?;
    let choice = choose(name, &mut table, layer)?;
    let (text, unit) = assemble(name, &mut table)?;
    let mut document = Document::new(text);
    if unit == Unit::CodePoints {
        document.leave_out(|| {
            "the offsets count code points, and not UTF-16 code units as in WebAnno TSV; they are \
             read as code points"
                .to_owned()
        });
    }
    for row in table.rows.iter().filter(|row| !row.part) {
        let token = document.intern(TOKEN);
        document.push(token, row.start, row.end);
    }
    let mut annotator = Annotator::new(name, &table, document, &choice)?;
    for row in 0..table.rows.len() {
        annotator.row(row)?;
    }
    Ok(annotator.finish())
}

/// Selects the layers that are read.
fn choose(name: &str, table: &mut Table<'_>, layer: Option<&str>) -> Result<Choice> {
    let schema = &mut table.schema;
    let wanted = layer.filter(|_| !schema.layers.is_empty());
    let layers = schema.layers.iter().map(|layer| (layer.name, layer.base()));
    let choice = Choice::new(wanted, layers)
        .map_err(|message| Error::new(Code::BadDocument, Position::file(name), message))?;
    for layer in &mut schema.layers {
        layer.read = match layer.kind {
            Kind::Relation => choice.reads_relations(layer.name),
            _ => choice.reads(std::iter::once(layer.name)),
        };
    }
    Ok(choice)
}
