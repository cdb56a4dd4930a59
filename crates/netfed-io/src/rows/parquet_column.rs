//! One Parquet column: decoding its values and handing them out as cells.
//!
//! Values are decoded a batch at a time into a typed buffer that is used again.

use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::schema::types::ColumnDescriptor;

use crate::rows::row::Cell;

/// One wanted column of one row group, with the batch now decoded.
pub(crate) struct Column {
    reader: ColumnReader,
    unsigned: bool,
    nullable: bool,
    levels: Vec<i16>,
    first_null: usize,
    values: Values,
}

#[derive(Default)]
struct Values {
    truths: Vec<bool>,
    int32s: Vec<i32>,
    int64s: Vec<i64>,
    floats: Vec<f32>,
    doubles: Vec<f64>,
    texts: Vec<ByteArray>,
}

impl Column {
    /// A column about to be read.
    pub(crate) fn new(reader: ColumnReader, about: &ColumnDescriptor) -> Self {
        let unsigned = match about.logical_type_ref() {
            Some(LogicalType::Integer(integer)) => !integer.is_signed,
            _ => matches!(
                about.converted_type(),
                ConvertedType::UINT_8
                    | ConvertedType::UINT_16
                    | ConvertedType::UINT_32
                    | ConvertedType::UINT_64
            ),
        };
        Self {
            reader,
            unsigned,
            nullable: about.max_def_level() > 0,
            levels: Vec::new(),
            first_null: usize::MAX,
            values: Values::default(),
        }
    }

    /// Decodes the next `count` rows in place of the ones before.
    pub(crate) fn decode(&mut self, count: usize) -> ParquetResult<()> {
        let (levels, values) = (&mut self.levels, &mut self.values);
        let read = match &mut self.reader {
            ColumnReader::BoolColumnReader(from) => fill(from, count, levels, &mut values.truths),
            ColumnReader::Int32ColumnReader(from) => fill(from, count, levels, &mut values.int32s),
            ColumnReader::Int64ColumnReader(from) => fill(from, count, levels, &mut values.int64s),
            ColumnReader::FloatColumnReader(from) => fill(from, count, levels, &mut values.floats),
            ColumnReader::DoubleColumnReader(from) => {
                fill(from, count, levels, &mut values.doubles)
            }
            ColumnReader::ByteArrayColumnReader(from) => {
                fill(from, count, levels, &mut values.texts)
            }
            ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
                Err(ParquetError::NYI("this column type".to_owned()))
            }
        }?;
        if read != count {
            let problem = format!("a column ends {} rows early", count.saturating_sub(read));
            return Err(ParquetError::EOF(problem));
        }
        self.first_null =
            if self.nullable { self.levels.iter().position(|&level| level == 0) } else { None }
                .unwrap_or(usize::MAX);
        Ok(())
    }

    /// Bytes of the values of the batch; numbers become numbers of eight bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let Values { truths, int32s, int64s, floats, doubles, texts } = &self.values;
        let numbers = truths.len() + int32s.len() + int64s.len() + floats.len() + doubles.len();
        let texts: usize = texts.iter().map(|text| 8 + text.len()).sum();
        (8 * numbers + texts) as u64
    }

    /// The cell in row `at` of the batch. Only the values that are not null are
    /// stored, so from the first null on, which ends the reading, all is null.
    pub(crate) fn cell(&self, at: usize) -> Cell<'_> {
        if at >= self.first_null {
            return Cell::Null;
        }
        let (values, unsigned) = (&self.values, self.unsigned);
        let cell = match self.reader {
            ColumnReader::BoolColumnReader(_) => {
                values.truths.get(at).map(|&truth| Cell::Integer(truth.into()))
            }
            ColumnReader::Int32ColumnReader(_) => values.int32s.get(at).map(|&value| {
                let whole = if unsigned { value.cast_unsigned().into() } else { value.into() };
                Cell::Integer(whole)
            }),
            ColumnReader::Int64ColumnReader(_) => values.int64s.get(at).map(|&value| {
                let whole = if unsigned { value.cast_unsigned().into() } else { value.into() };
                Cell::Integer(whole)
            }),
            ColumnReader::FloatColumnReader(_) => {
                values.floats.get(at).map(|&value| Cell::Real(value.into()))
            }
            ColumnReader::DoubleColumnReader(_) => values.doubles.get(at).copied().map(Cell::Real),
            ColumnReader::ByteArrayColumnReader(_) => values.texts.get(at).map(|text| {
                let text = std::str::from_utf8(text.data());
                text.map_or(Cell::NotText, |text| Cell::Text(text.trim()))
            }),
            _ => None,
        };
        cell.unwrap_or(Cell::Null)
    }
}

/// Decodes `count` rows of one column; gives how many there were.
fn fill<T: DataType>(
    from: &mut ColumnReaderImpl<T>,
    count: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> ParquetResult<usize> {
    levels.clear();
    values.clear();
    let (rows, _, _) = from.read_records(count, Some(levels), None, values)?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::fixture::{Data, Folder};
    use parquet::basic::Compression;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    /// Opens the only column of a file with one row group.
    fn column(schema: &str, data: Data) -> Column {
        let folder = Folder::new();
        let path = folder.parquet("t.pq", schema, Compression::SNAPPY, vec![vec![data]]);
        let file = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        let group = file.get_row_group(0).unwrap();
        let about = group.metadata().schema_descr().column(0);
        Column::new(group.get_column_reader(0).unwrap(), &about)
    }

    #[test]
    fn batches_follow_each_other() {
        let data = Data::Int32(vec![Some(1), Some(2), Some(3)]);
        let mut column = column("optional int32 a;", data);
        column.decode(2).unwrap();
        assert_eq!(column.cell(1), Cell::Integer(2));
        assert_eq!(column.cell(2), Cell::Null);
        column.decode(1).unwrap();
        assert_eq!(column.cell(0), Cell::Integer(3));
        assert!(column.decode(1).is_err());
    }

    #[test]
    fn everything_from_the_first_null_on_is_null() {
        let data = Data::Double(vec![Some(0.5), None, Some(1.5)]);
        let mut column = column("optional double a;", data);
        column.decode(3).unwrap();
        let cells = [0, 1, 2].map(|at| column.cell(at));
        assert_eq!(cells, [Cell::Real(0.5), Cell::Null, Cell::Null]);
    }
}
