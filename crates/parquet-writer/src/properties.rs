//! The options as Parquet's library knows them.

use std::collections::BTreeMap;

use arrow_schema::Schema;
use bowshot_core::{Error, ErrorKind, Result};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

use crate::{Columns, Dictionaries, Options, PageVersion, Statistics};

/// What files say of their writer. Readers parse a name and a version.
const CREATED_BY: &str = concat!("bowshot version ", env!("CARGO_PKG_VERSION"));
/// Distinct values that a Bloom filter is made for at most, unless more are asked for: about 1 MiB in memory.
const USUAL_VALUES: u64 = 1 << 20;

/// The properties of a file of these schemas, in which the columns at these places among the leaves go without dictionaries.
///
/// # Errors
/// The codec lacks the level, or a column that is to have a Bloom filter does not exist.
pub(crate) fn properties(
    options: &Options,
    declared: &Schema,
    columns: &SchemaDescriptor,
    plain: &[usize],
) -> Result<WriterProperties> {
    let builder = WriterProperties::builder()
        .set_compression(options.codec.compression()?)
        .set_created_by(CREATED_BY.to_owned())
        // The writer itself ends row groups: the library would recurse for each one of a batch.
        .set_max_row_group_row_count(None)
        .set_max_row_group_bytes(None)
        .set_data_page_size_limit(options.page_bytes)
        .set_data_page_row_count_limit(options.page_rows)
        .set_dictionary_enabled(matches!(options.dictionary, Dictionaries::Auto | Dictionaries::Of(Columns::All)))
        .set_dictionary_page_size_limit(options.dictionary_bytes)
        .set_offset_index_disabled(options.statistics == Statistics::None)
        .set_statistics_enabled(match options.statistics {
            Statistics::None => EnabledStatistics::None,
            Statistics::Chunk => EnabledStatistics::Chunk,
            Statistics::Page => EnabledStatistics::Page,
        })
        .set_writer_version(match options.page_version {
            PageVersion::One => WriterVersion::PARQUET_1_0,
            PageVersion::Two => WriterVersion::PARQUET_2_0,
        })
        .set_key_value_metadata(Some(metadata(options, declared)));
    let builder = dictionaries(builder, options, columns, plain)?;
    Ok(bloom_filters(builder, options, columns)?.build())
}

/// The footer's keys: the schema's own, as other writers keep them, then the user's, then the Arrow schema.
fn metadata(options: &Options, declared: &Schema) -> Vec<KeyValue> {
    let mut all: BTreeMap<&str, &str> =
        declared.metadata().iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    all.extend(options.metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    all.remove(ARROW_SCHEMA_META_KEY);
    let mut all: Vec<KeyValue> =
        all.into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned())).collect();
    if options.arrow_schema {
        all.push(KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(declared)));
    }
    all
}

fn dictionaries(
    builder: WriterPropertiesBuilder,
    options: &Options,
    columns: &SchemaDescriptor,
    plain: &[usize],
) -> Result<WriterPropertiesBuilder> {
    let leaves = plain.iter().filter_map(|leaf| columns.columns().get(*leaf));
    let builder =
        leaves.fold(builder, |builder, leaf| builder.set_column_dictionary_enabled(leaf.path().clone(), false));
    let Dictionaries::Of(Columns::Named(names)) = &options.dictionary else { return Ok(builder) };
    names.iter().try_fold(builder, |builder, name| {
        Ok(builder.set_column_dictionary_enabled(path("dictionary", name, columns)?, true))
    })
}

fn bloom_filters(
    builder: WriterPropertiesBuilder,
    options: &Options,
    columns: &SchemaDescriptor,
) -> Result<WriterPropertiesBuilder> {
    let fpp = options.bloom_filter_fpp;
    if !(fpp > 0.0 && fpp < 1.0) {
        let error = Error::new(ErrorKind::Config, format!("bloom_filter_fpp is {fpp}"));
        return Err(error.with_hint("give a number between 0 and 1, as 0.01"));
    }
    let rows = u64::try_from(options.row_group_rows).unwrap_or(u64::MAX).min(USUAL_VALUES);
    let values = options.bloom_filter_values.unwrap_or(rows);
    match &options.bloom_filters {
        Columns::None => Ok(builder),
        Columns::All => Ok(builder.set_bloom_filter_fpp(fpp).set_bloom_filter_max_ndv(values)),
        Columns::Named(names) => names.iter().try_fold(builder, |builder, name| {
            let path = path("bloom_filters", name, columns)?;
            let builder = builder.set_column_bloom_filter_fpp(path.clone(), fpp);
            Ok(builder.set_column_bloom_filter_max_ndv(path, values))
        }),
    }
}

/// The path of a column that an option names.
fn path(option: &str, name: &str, columns: &SchemaDescriptor) -> Result<ColumnPath> {
    let leaf = columns.columns().iter().find(|leaf| leaf.path().parts().join(".") == *name);
    Ok(leaf.ok_or_else(|| unknown(option, name, columns))?.path().clone())
}

fn unknown(option: &str, name: &str, columns: &SchemaDescriptor) -> Error {
    // A wide schema must not make a wide error.
    let known: Vec<String> = columns.columns().iter().take(20).map(|leaf| leaf.path().parts().join(".")).collect();
    let message = format!("{option} names the column \"{name}\", which the schema does not have");
    Error::new(ErrorKind::Config, message)
        .with_column(name)
        .with_hint(format!("write names of these: {}", known.join(", ")))
}
