//! Types of columns that contain sentences of tags.

use arrow_schema::DataType;

use crate::error::ImportError;

/// Rejects types that do not contain sentences of tags; see the table in the documentation of the
/// crate.
pub(crate) fn supported(kind: &DataType) -> Result<(), ImportError> {
    let (DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)) =
        kind
    else {
        return Err(ImportError::Type(kind.to_string()));
    };
    let strings = |kind: &DataType| {
        matches!(
            kind,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        )
    };
    let item = item.data_type();
    let known = match item {
        DataType::Null => true,
        DataType::Dictionary(_, values) => strings(values),
        other => strings(other) || other.is_integer(),
    };
    if known {
        return Ok(());
    }
    Err(ImportError::Type(format!("lists of {item}")))
}
