//! Parquet: reading the wanted columns of a file row by row.
//!
//! Rows come in batches, so that memory does not grow with the file. Only the
//! columns that are wanted are decoded.

use std::fs::File;

use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use crate::error::{Error, Place};
use crate::rows::guard::guarded;
use crate::rows::header::Header;
use crate::rows::parquet_column::Column;
use crate::text::reason;
use crate::unpack::Allowance;

const BATCH_ROWS: usize = 8192;

/// Sees one row: its place, the decoded columns, and where it stands in them.
type Visitor<'a> = dyn FnMut(Place, &[Column], usize) -> Result<(), Error> + 'a;

/// An open Parquet file.
pub(crate) struct ParquetFile {
    reader: SerializedFileReader<File>,
    allowance: Allowance,
    /// For each top-level column where its values are, or why they are not read.
    leaves: Vec<Result<usize, String>>,
}

impl ParquetFile {
    /// Opens a file; also gives the names of its top-level columns.
    pub(crate) fn open(input: File, file: &str) -> Result<(Self, Vec<String>), Error> {
        let allowance = Allowance::of(input.metadata().map_or(0, |about| about.len()));
        let reader = guarded(|| SerializedFileReader::new(input));
        let reader = reader.map_err(|error| unreadable(file, &error))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let roots = schema.root_schema().get_fields();
        let names = roots.iter().map(|root| root.name().to_owned()).collect();
        let mut leaves: Vec<_> = vec![Err("a nested type".to_owned()); roots.len()];
        for (leaf, column) in schema.columns().iter().enumerate() {
            let root = schema.get_column_root_idx(leaf);
            let plain = column.path().parts().len() == 1 && column.max_rep_level() == 0;
            if let Some(slot) = leaves.get_mut(root).filter(|_| plain) {
                *slot = refused_type(column).map_or(Ok(leaf), Err);
            }
        }
        Ok((Self { reader, allowance, leaves }, names))
    }

    /// Shows every row to `visit`, with the `wanted` columns decoded.
    pub(crate) fn for_each_row(
        &self,
        header: &Header,
        wanted: &[usize],
        visit: &mut Visitor<'_>,
    ) -> Result<(), Error> {
        let fail = |error: ParquetError| unreadable(&header.file, &error);
        let mut leaves = Vec::with_capacity(wanted.len());
        for &at in wanted {
            match self.leaves.get(at) {
                Some(Ok(leaf)) => leaves.push(*leaf),
                other => {
                    let found = match other {
                        Some(Err(found)) => found,
                        _ => "nothing",
                    };
                    let name = header.names.get(at).map_or("", String::as_str);
                    let problem = format!("expected plain numbers or text, found {found}");
                    return Err(Error::in_column(&header.file, None, name, problem));
                }
            }
        }
        let too_much = |why| Error::in_file(&header.file, why);
        let mut allowance = self.allowance;
        let mut row = 0;
        for group in 0..self.reader.num_row_groups() {
            let open = || {
                let group = self.reader.get_row_group(group)?;
                let schema = group.metadata().schema_descr();
                let columns = leaves.iter().map(|&leaf| {
                    let reader = group.get_column_reader(leaf)?;
                    Ok(Column::new(reader, &schema.column(leaf)))
                });
                let columns = columns.collect::<Result<Vec<_>, ParquetError>>()?;
                let announced =
                    leaves.iter().map(|&leaf| group.metadata().column(leaf).uncompressed_size());
                let announced = announced.filter_map(|bytes| u64::try_from(bytes).ok());
                let announced = announced.fold(0, u64::saturating_add);
                Ok((columns, group.metadata().num_rows(), announced))
            };
            let (mut columns, rows, announced) = guarded(open).map_err(fail)?;
            // Pages are unpacked whole; what they announce is looked at before, what comes out is
            // counted.
            { allowance }.take(announced).map_err(too_much)?;
            let mut left = usize::try_from(rows).unwrap_or(0);
            while left > 0 {
                let count = left.min(BATCH_ROWS);
                let decode = || columns.iter_mut().try_for_each(|column| column.decode(count));
                guarded(decode).map_err(fail)?;
                let bytes = columns.iter().map(Column::bytes).sum();
                allowance.take(bytes).map_err(too_much)?;
                for at in 0..count {
                    row += 1;
                    visit(Place::Row(row), &columns, at)?;
                }
                left -= count;
            }
        }
        Ok(())
    }
}

/// The type of a column if its values are not plain numbers or text.
fn refused_type(column: &ColumnDescriptor) -> Option<String> {
    use ConvertedType as Converted;
    use LogicalType as Logical;
    let physical = column.physical_type();
    if matches!(physical, PhysicalType::INT96 | PhysicalType::FIXED_LEN_BYTE_ARRAY) {
        return Some(format!("the Parquet type {physical}"));
    }
    match column.logical_type_ref() {
        None | Some(Logical::String | Logical::Enum | Logical::Integer(_)) => {}
        Some(Logical::Json | Logical::Unknown) => {}
        Some(Logical::Decimal(_)) => return Some("the Parquet type DECIMAL".to_owned()),
        Some(Logical::Date) => return Some("the Parquet type DATE".to_owned()),
        Some(Logical::Time(_)) => return Some("the Parquet type TIME".to_owned()),
        Some(Logical::Timestamp(_)) => return Some("the Parquet type TIMESTAMP".to_owned()),
        Some(_) => return Some("another Parquet type".to_owned()),
    }
    match column.converted_type() {
        Converted::NONE | Converted::UTF8 | Converted::ENUM | Converted::JSON => None,
        Converted::INT_8 | Converted::INT_16 | Converted::INT_32 | Converted::INT_64 => None,
        Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32 | Converted::UINT_64 => None,
        other => Some(format!("the Parquet type {other}")),
    }
}

fn unreadable(file: &str, error: &ParquetError) -> Error {
    let why = reason(error);
    let why = why.trim_start_matches("Parquet error: ");
    Error::in_file(file, format!("it cannot be read as Parquet ({why})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Rows;
    use crate::rows::fixture::{Data, Folder};
    use parquet::basic::{Compression, GzipLevel, ZstdLevel};
    use std::path::Path;

    /// All cells as ids, row by row.
    fn ids(path: &Path) -> Result<Vec<Vec<String>>, Error> {
        let table = Rows::open(path)?;
        let wanted: Vec<_> = (0..table.header.names.len()).collect();
        let mut rows = Vec::new();
        table.for_each_row(&wanted, &mut |row| {
            let cells = wanted.iter().map(|&at| row.id(at).map(String::from));
            rows.push(cells.collect::<Result<_, _>>()?);
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn every_plain_type_is_read() {
        let folder = Folder::new();
        let schema = "required boolean t; required int32 b (INT_8); required int32 u (UINT_32); \
                      required int64 w (UINT_64); optional int64 l; required float f; \
                      required double d; required binary s (UTF8); required binary r;";
        let path = folder.parquet(
            "t.parquet",
            schema,
            Compression::UNCOMPRESSED,
            vec![vec![
                Data::Truth(vec![Some(true)]),
                Data::Int32(vec![Some(-8)]),
                Data::Int32(vec![Some(-1)]),
                Data::Int64(vec![Some(-1)]),
                Data::Int64(vec![Some(i64::MIN)]),
                Data::Float(vec![Some(0.5)]),
                Data::doubles(&[2.0]),
                Data::texts(&[" é "]),
                Data::texts(&["raw"]),
            ]],
        );
        let wanted = ["1", "-8", "4294967295", "18446744073709551615"];
        let wanted = [&wanted[..], &["-9223372036854775808", "0.5", "2", "é", "raw"]].concat();
        assert_eq!(ids(&path).unwrap(), [wanted]);
    }

    #[test]
    fn every_usual_codec_is_read_across_batches() {
        let folder = Folder::new();
        let count = BATCH_ROWS + 10;
        let column = || Data::Int32((0..count as i32).map(Some).collect());
        for codec in [
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::ZSTD(ZstdLevel::default()),
            Compression::LZ4_RAW,
        ] {
            let groups = vec![vec![column()], vec![column()]];
            let path = folder.parquet("t.pq", "optional int32 a;", codec, groups);
            let rows = ids(&path).unwrap();
            assert_eq!(rows.len(), 2 * count);
            assert_eq!(rows[count - 1], [(count - 1).to_string()]);
            assert_eq!(rows[2 * count - 1], [(count - 1).to_string()]);
        }
    }

    #[test]
    fn what_cannot_be_a_cell_is_refused() {
        let folder = Folder::new();
        let day = Data::Int32(vec![Some(1)]);
        let cases = [
            ("required int32 a (DATE);", day.clone(), "the Parquet type DATE"),
            ("required int32 a (DECIMAL(5, 2));", day.clone(), "the Parquet type DECIMAL"),
            ("required group a { required int32 b; }", day.clone(), "a nested type"),
        ];
        for (schema, data, found) in cases {
            let path = folder.parquet("t.pq", schema, Compression::SNAPPY, vec![vec![data]]);
            let message = folder.message(&ids(&path).unwrap_err());
            let wanted =
                format!("t.pq, column \"a\": expected plain numbers or text, found {found}.");
            assert_eq!(message, wanted);
        }
        let bytes = Data::Bytes(vec![Some(vec![0xff])]);
        let groups = vec![vec![bytes]];
        let path = folder.parquet("t.pq", "required binary a;", Compression::SNAPPY, groups);
        let message = folder.message(&ids(&path).unwrap_err());
        let wanted =
            "t.pq, row 1, column \"a\": expected a node id, found bytes that are not UTF-8 text.";
        assert_eq!(message, wanted);
    }

    #[test]
    fn what_comes_out_is_counted() {
        let folder = Folder::new();
        // A thousand equal numbers take a few bytes.
        let column = Data::doubles(&[0.5; 1000]);
        let path =
            folder.parquet("t.pq", "required double a;", Compression::SNAPPY, vec![vec![column]]);
        let packed = std::fs::metadata(&path).unwrap().len();
        assert!(packed < 1000, "{packed}");
        for (allowed, good) in [(8000, true), (7999, false), (20, false)] {
            let input = File::open(&path).unwrap();
            let (mut file, names) = ParquetFile::open(input, "t.pq").unwrap();
            file.allowance = Allowance::exactly(allowed);
            let header = Header::new("t.pq".into(), None, names).unwrap();
            let mut rows = 0;
            let read = file.for_each_row(&header, &[0], &mut |_, _, _| {
                rows += 1;
                Ok(())
            });
            assert_eq!((read.is_ok(), rows), (good, if good { 1000 } else { 0 }));
            let message = read.err().map(|e| e.to_string()).unwrap_or_default();
            assert!(good || message.starts_with("t.pq: it unpacks to more than"), "{message}");
        }
    }

    #[test]
    fn a_damaged_file_is_refused_or_read_but_never_panics() {
        let folder = Folder::new();
        let schema = "required binary a (UTF8); optional int64 b;";
        let data =
            vec![Data::texts(&["p", "q", "p"]), Data::Int64(vec![Some(1), Some(1), Some(2)])];
        let path = folder.parquet("t.pq", schema, Compression::SNAPPY, vec![data]);
        let whole = std::fs::read(&path).unwrap();
        let mut refused = 0;
        for at in 0..whole.len() {
            for byte in [0x00, 0x15, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                let path = folder.plain("t.pq", &bytes);
                if let Err(error) = ids(&path) {
                    assert!(folder.message(&error).starts_with("t.pq"));
                    refused += 1;
                }
            }
        }
        assert!(refused > whole.len());
    }
}
