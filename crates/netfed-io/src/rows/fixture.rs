//! Input files for the tests of this module.

use std::fs;
use std::io::Write;
use std::path::{MAIN_SEPARATOR, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::basic::Compression as Codec;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::error::Error;

/// A folder for the files of one test, removed at its end.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file as it stands.
    pub(crate) fn plain(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a gzipped file.
    pub(crate) fn packed(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(bytes).unwrap();
        self.plain(name, &packer.finish().unwrap())
    }

    /// Writes a Parquet file. Each part of `groups` is one row group with the
    /// columns of `schema`, such as `required int32 a; optional binary b (UTF8);`.
    pub(crate) fn parquet(
        &self,
        name: &str,
        schema: &str,
        codec: Codec,
        groups: Vec<Vec<Data>>,
    ) -> PathBuf {
        let path = self.path(name);
        let schema = parse_message_type(&format!("message table {{ {schema} }}")).unwrap();
        let properties = WriterProperties::builder().set_compression(codec).build();
        let file = fs::File::create(&path).unwrap();
        let mut writer =
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).unwrap();
        for group in groups {
            let mut into = writer.next_row_group().unwrap();
            for data in group {
                let mut column = into.next_column().unwrap().unwrap();
                macro_rules! put {
                    ($kind:ty, $cells:expr) => {{
                        let levels: Vec<i16> = $cells.iter().map(|c| c.is_some().into()).collect();
                        let values: Vec<_> = $cells.into_iter().flatten().collect();
                        let column = column.typed::<$kind>();
                        column.write_batch(&values, Some(&levels), None).unwrap();
                    }};
                }
                match data {
                    Data::Truth(cells) => put!(BoolType, cells),
                    Data::Int32(cells) => put!(Int32Type, cells),
                    Data::Int64(cells) => put!(Int64Type, cells),
                    Data::Float(cells) => put!(FloatType, cells),
                    Data::Double(cells) => put!(DoubleType, cells),
                    Data::Bytes(cells) => {
                        let cells = cells.into_iter().map(|c| c.map(ByteArray::from));
                        let cells: Vec<_> = cells.collect();
                        put!(ByteArrayType, cells);
                    }
                }
                column.close().unwrap();
            }
            into.close().unwrap();
        }
        writer.close().unwrap();
        path
    }

    /// The message of an error, with file names as if the folder were the
    /// current one.
    pub(crate) fn message(&self, error: &Error) -> String {
        let folder = format!("{}{MAIN_SEPARATOR}", self.0.path().display());
        let message = error.to_string().replace(&folder, "");
        assert!(message.ends_with('.') && !message.contains('\n'), "{message}");
        message
    }
}

/// The cells of one Parquet column; `None` is a null.
#[derive(Clone)]
pub(crate) enum Data {
    Truth(Vec<Option<bool>>),
    Int32(Vec<Option<i32>>),
    Int64(Vec<Option<i64>>),
    Float(Vec<Option<f32>>),
    Double(Vec<Option<f64>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

impl Data {
    /// A text column without nulls.
    pub(crate) fn texts(texts: &[&str]) -> Self {
        Self::Bytes(texts.iter().map(|text| Some(text.as_bytes().to_vec())).collect())
    }

    /// A column of doubles without nulls.
    pub(crate) fn doubles(values: &[f64]) -> Self {
        Self::Double(values.iter().copied().map(Some).collect())
    }
}
