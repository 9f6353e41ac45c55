//! Files of named arrays of numbers with a header: the file format of all models (safetensors).
//!
//! All tensors have one dimension and are little-endian. The metadata of the safetensors header has
//! one entry, whose key identifies the kind of model.

use std::collections::HashMap;
use std::fmt;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

/// Error: the bytes are not a tensor file of the expected kind, or a tensor is missing or has an
/// unexpected type or shape. The message describes the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TensorError(String);

impl TensorError {
    /// Creates an error with the message of another error.
    fn of(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// An element type of tensors.
pub trait TensorNumber: Copy {
    /// The element type in the file.
    #[doc(hidden)]
    const DTYPE: Dtype;

    /// Returns numbers as little-endian bytes.
    #[doc(hidden)]
    fn to_bytes(numbers: impl IntoIterator<Item = Self>) -> Vec<u8>;

    /// Decodes numbers from little-endian bytes.
    #[doc(hidden)]
    fn of_bytes(bytes: &[u8]) -> Vec<Self>;
}

/// Implements [`TensorNumber`] for standard number types.
macro_rules! tensor_numbers {
    ($($number:ty: $dtype:ident),*) => {$(
        impl TensorNumber for $number {
            const DTYPE: Dtype = Dtype::$dtype;

            fn to_bytes(numbers: impl IntoIterator<Item = Self>) -> Vec<u8> {
                numbers.into_iter().flat_map(Self::to_le_bytes).collect()
            }

            fn of_bytes(bytes: &[u8]) -> Vec<Self> {
                let (numbers, _) = bytes.as_chunks();
                numbers.iter().map(|number| Self::from_le_bytes(*number)).collect()
            }
        }
    )*};
}

tensor_numbers!(i16: I16, u16: U16, u32: U32, u64: U64, i32: I32, f64: F64);

/// Collects the tensors to be written to a file.
///
/// # Examples
///
/// ```
/// use spanrs_base::{TensorFile, TensorWriter};
/// let mut tensors = TensorWriter::default();
/// tensors.numbers("ends", [3_u64, 5]);
/// tensors.bytes("names", b"AdaPo".to_vec());
/// let bytes = tensors.finish("example", "{}".to_owned()).unwrap();
/// let file = TensorFile::open(&bytes, "example", "an example").unwrap();
/// assert_eq!(file.header(), "{}");
/// assert_eq!(file.numbers::<u64>("ends").unwrap(), [3, 5]);
/// assert_eq!(file.bytes("names").unwrap(), b"AdaPo");
/// ```
#[derive(Debug, Default)]
pub struct TensorWriter(Vec<(String, Dtype, Vec<u8>)>);

impl TensorWriter {
    /// Adds a tensor of numbers.
    pub fn numbers<T: TensorNumber>(
        &mut self,
        name: impl Into<String>,
        numbers: impl IntoIterator<Item = T>,
    ) {
        self.0.push((name.into(), T::DTYPE, T::to_bytes(numbers)));
    }

    /// Adds a tensor of bytes.
    pub fn bytes(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.0.push((name.into(), Dtype::U8, bytes));
    }

    /// Returns the bytes of the file; `header` is the entry of the metadata under `key`. The bytes
    /// do not depend on the order in which the tensors were added.
    ///
    /// # Errors
    /// [`TensorError`] if the header is too large for the format.
    pub fn finish(self, key: &str, header: String) -> Result<Vec<u8>, TensorError> {
        let views = self.0.iter().map(|(name, dtype, bytes)| {
            let len = bytes.len() * 8 / dtype.bitsize();
            let view = TensorView::new(*dtype, vec![len], bytes).map_err(TensorError::of)?;
            Ok((name.as_str(), view))
        });
        let views = views.collect::<Result<Vec<_>, _>>()?;
        let metadata = HashMap::from([(key.to_owned(), header)]);
        safetensors::serialize(views, Some(metadata)).map_err(TensorError::of)
    }
}

/// Whether the beginning of a file is text: UTF-8 without control characters, possibly cut off.
fn is_text(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text.is_empty()
        && !text
            .chars()
            .any(|c| c.is_control() && !"\t\r\n".contains(c))
}

/// The tensors of an untrusted file. All tensors are known to lie within the file, so memory use is
/// limited by the file size; the caller must check the values of the numbers.
#[derive(Debug)]
pub struct TensorFile<'a> {
    /// The tensors.
    tensors: SafeTensors<'a>,
    /// The metadata entry.
    header: String,
}

impl<'a> TensorFile<'a> {
    /// Reads a file that has an entry under `key` in its metadata. `kind` describes such files in
    /// the error message, with an article: "a CRF of spanrs".
    ///
    /// # Errors
    /// [`TensorError`] if the file is damaged or has no entry under `key`.
    pub fn open(file: &'a [u8], key: &str, kind: &str) -> Result<Self, TensorError> {
        // A model begins with the length of its header, whose upper bytes are 0.
        let is_text = is_text(&file[..file.len().min(512)]);
        let damaged = |error| {
            TensorError(if is_text {
                "a text file, not a model; check the order of the arguments".to_owned()
            } else {
                format!("not a spanrs model, or damaged: {error}")
            })
        };
        let (_, metadata) = SafeTensors::read_metadata(file).map_err(damaged)?;
        let entry = metadata.metadata().as_ref().and_then(|all| all.get(key));
        match entry {
            Some(header) => Ok(Self {
                tensors: SafeTensors::deserialize(file).map_err(damaged)?,
                header: header.clone(),
            }),
            None => Err(TensorError(format!("a safetensors file, but not {kind}"))),
        }
    }

    /// Returns the metadata entry.
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Returns whether there is a tensor with this name, whatever its type.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// Returns the numbers of a tensor.
    ///
    /// # Errors
    /// [`TensorError`] if there is no such tensor, or if the tensor has another type or several
    /// dimensions.
    pub fn numbers<T: TensorNumber>(&self, name: &str) -> Result<Vec<T>, TensorError> {
        Ok(T::of_bytes(self.data(name, T::DTYPE)?))
    }

    /// Returns the content of a tensor of bytes.
    ///
    /// # Errors
    /// Same as [`TensorFile::numbers`].
    pub fn bytes(&self, name: &str) -> Result<&'a [u8], TensorError> {
        self.data(name, Dtype::U8)
    }

    /// Returns the content of a one-dimensional tensor of type `dtype`.
    fn data(&self, name: &str, dtype: Dtype) -> Result<&'a [u8], TensorError> {
        let view = self.tensors.tensor(name).map_err(TensorError::of)?;
        match view.dtype() == dtype && view.shape().len() == 1 {
            true => Ok(view.data()),
            false => Err(TensorError(format!(
                "tensor {name} has an unexpected type or shape"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file with two tensors.
    fn file() -> Vec<u8> {
        let mut tensors = TensorWriter::default();
        tensors.numbers("weights", [-1_i32, 2]);
        tensors.numbers("scale", [0.5]);
        tensors.finish("spanrs.test", "header".to_owned()).unwrap()
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let bytes = file();
        let file = TensorFile::open(&bytes, "spanrs.test", "a test").unwrap();
        assert_eq!(file.header(), "header");
        assert_eq!(file.numbers::<i32>("weights").unwrap(), [-1, 2]);
        assert_eq!(file.numbers::<f64>("scale").unwrap(), [0.5]);
        assert!(file.has("scale") && !file.has("names"));
    }

    #[test]
    fn the_order_of_the_tensors_does_not_matter() {
        let mut tensors = TensorWriter::default();
        tensors.numbers("scale", [0.5]);
        tensors.numbers("weights", [-1_i32, 2]);
        let bytes = tensors.finish("spanrs.test", "header".to_owned());
        assert_eq!(bytes, Ok(file()));
    }

    #[test]
    fn messages_say_what_is_wrong_with_a_file() {
        let bytes = file();
        let message = |opened: Result<TensorFile<'_>, TensorError>| opened.unwrap_err().to_string();
        let found = message(TensorFile::open(&bytes, "spanrs.crf", "a CRF of spanrs"));
        assert_eq!(found, "a safetensors file, but not a CRF of spanrs");
        let damaged = message(TensorFile::open(&bytes[..20], "spanrs.test", "a test"));
        assert!(damaged.starts_with("not a spanrs model, or damaged: "));
        let text = message(TensorFile::open(b"Ada B-PER\n", "spanrs.test", "a test"));
        assert_eq!(
            text,
            "a text file, not a model; check the order of the arguments"
        );
        let file = TensorFile::open(&bytes, "spanrs.test", "a test").unwrap();
        let found = file.numbers::<u32>("weights").unwrap_err().to_string();
        assert_eq!(found, "tensor weights has an unexpected type or shape");
        assert!(file.numbers::<u32>("names").is_err());
    }
}
