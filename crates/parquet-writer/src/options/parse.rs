//! Options from their texts.

use std::str::FromStr;

use bowshot_core::{Error, ErrorKind, Result};

use super::{Columns, Dictionaries, Intervals, Options, PageVersion, Statistics};
use crate::Codec;

/// Where keys for the footer begin.
const METADATA: &str = "metadata.";
/// Row groups that are smaller cost more than they hold.
const LEAST_BYTES: usize = 64 << 10;
/// The names, for errors.
const NAMES: &str = "compression, compression_level, row_group_rows, row_group_bytes, page_bytes, page_rows, \
    page_version, dictionary, dictionary_bytes, statistics, bloom_filters, bloom_filter_fpp, bloom_filter_values, \
    arrow_schema, intervals, overwrite or metadata.KEY";

impl Options {
    /// The options of names and values; the defaults where nothing is said.
    ///
    /// # Errors
    /// An option that does not exist or stands twice, or a value that it cannot have: the error names both, and says
    /// what would be right.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut options = Options::default();
        let (mut codec, mut level) = (None, None);
        let mut seen = Vec::new();
        for (name, value) in texts {
            if seen.contains(&name) {
                return Err(refused(format!("the option {name} is given twice"), "leave one of them out"));
            }
            seen.push(name);
            match name {
                "compression" => codec = Some(value),
                "compression_level" => level = Some(value),
                "row_group_rows" => options.row_group_rows = whole(name, value, 1)?,
                "row_group_bytes" => options.row_group_bytes = whole(name, value, LEAST_BYTES)?,
                "page_bytes" => options.page_bytes = whole(name, value, 1024)?,
                "page_rows" => options.page_rows = whole(name, value, 1)?,
                "page_version" => options.page_version = one_of(name, value, VERSIONS)?,
                "dictionary" if value == "auto" => options.dictionary = Dictionaries::Auto,
                "dictionary" => options.dictionary = Dictionaries::Of(columns(value, "false", "true")),
                "dictionary_bytes" => options.dictionary_bytes = whole(name, value, 1024)?,
                "statistics" => options.statistics = one_of(name, value, STATISTICS)?,
                "bloom_filters" => options.bloom_filters = columns(value, "none", "all"),
                "bloom_filter_fpp" => options.bloom_filter_fpp = share(name, value)?,
                "bloom_filter_values" => options.bloom_filter_values = Some(whole(name, value, 1)?),
                "arrow_schema" => options.arrow_schema = one_of(name, value, BOOLEANS)?,
                "intervals" => options.intervals = one_of(name, value, INTERVALS)?,
                "overwrite" => options.overwrite = one_of(name, value, BOOLEANS)?,
                _ => match name.strip_prefix(METADATA) {
                    Some(key) if !key.is_empty() => {
                        options.metadata.insert(key.to_owned(), value.to_owned());
                    }
                    _ => return Err(refused(format!("there is no option \"{name}\""), format!("write {NAMES}"))),
                },
            }
        }
        options.codec = Codec::new(codec.unwrap_or("snappy"), level)?;
        Ok(options)
    }
}

const BOOLEANS: &[(&str, bool)] = &[("true", true), ("false", false)];
const VERSIONS: &[(&str, PageVersion)] = &[("1", PageVersion::One), ("2", PageVersion::Two)];
const INTERVALS: &[(&str, Intervals)] = &[("parquet", Intervals::Parquet), ("struct", Intervals::Struct)];
const STATISTICS: &[(&str, Statistics)] =
    &[("none", Statistics::None), ("chunk", Statistics::Chunk), ("page", Statistics::Page)];

fn one_of<T: Copy>(name: &str, value: &str, choices: &[(&str, T)]) -> Result<T> {
    if let Some((_, choice)) = choices.iter().find(|(word, _)| *word == value) {
        return Ok(*choice);
    }
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    Err(refused(format!("{name} is \"{value}\", which it cannot be"), format!("write {}", words.join(" or "))))
}

fn whole<T: FromStr + PartialOrd + std::fmt::Display>(name: &str, value: &str, least: T) -> Result<T> {
    let way = format!("write a number of {least} or more");
    match value.parse::<T>() {
        Ok(number) if number >= least => Ok(number),
        Ok(_) => Err(refused(format!("{name} is {value}, which is too small"), way)),
        Err(_) => Err(refused(format!("{name} is \"{value}\", which is no whole number"), way)),
    }
}

fn share(name: &str, value: &str) -> Result<f64> {
    match value.parse::<f64>() {
        Ok(number) if number > 0.0 && number < 1.0 => Ok(number),
        _ => Err(refused(format!("{name} is \"{value}\""), "write a number between 0 and 1, as 0.01")),
    }
}

/// Names are separated by commas; only [`Options`] can name a column that has one in its name.
fn columns(value: &str, none: &str, all: &str) -> Columns {
    match value {
        value if value == none => Columns::None,
        value if value == all => Columns::All,
        names => Columns::Named(names.split(',').map(|name| name.trim().to_owned()).collect()),
    }
}

fn refused(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, message).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_is_understood() {
        let options = Options::from_texts([
            ("compression", "brotli"),
            ("compression_level", "5"),
            ("row_group_rows", "1"),
            ("row_group_bytes", "65536"),
            ("page_bytes", "2048"),
            ("page_rows", "7"),
            ("page_version", "2"),
            ("dictionary", "false"),
            ("dictionary_bytes", "4096"),
            ("statistics", "none"),
            ("bloom_filters", "a, b.c"),
            ("bloom_filter_fpp", "0.5"),
            ("bloom_filter_values", "10"),
            ("arrow_schema", "false"),
            ("intervals", "struct"),
            ("overwrite", "true"),
            ("metadata.owner", "me"),
        ])
        .unwrap();
        let expected = Options {
            codec: Codec::Brotli(5),
            row_group_rows: 1,
            row_group_bytes: 65_536,
            page_bytes: 2048,
            page_rows: 7,
            page_version: PageVersion::Two,
            dictionary: Dictionaries::Of(Columns::None),
            dictionary_bytes: 4096,
            statistics: Statistics::None,
            bloom_filters: Columns::Named(vec!["a".into(), "b.c".into()]),
            bloom_filter_fpp: 0.5,
            bloom_filter_values: Some(10),
            arrow_schema: false,
            intervals: Intervals::Struct,
            metadata: [("owner".to_owned(), "me".to_owned())].into(),
            overwrite: true,
        };
        assert_eq!(options, expected);
        assert_eq!(Options::from_texts([]).unwrap(), Options::default());
    }

    #[test]
    fn errors_name_the_option_its_value_and_what_is_right() {
        for (name, value, words) in [
            ("codec", "snappy", ["no option \"codec\"", "write compression,"]),
            ("metadata.", "x", ["no option \"metadata.\"", "metadata.KEY"]),
            ("row_group_rows", "0", ["row_group_rows is 0", "1 or more"]),
            ("row_group_rows", "1e6", ["row_group_rows is \"1e6\"", "1 or more"]),
            ("row_group_bytes", "-1", ["row_group_bytes is \"-1\"", "65536 or more"]),
            ("row_group_bytes", "99999999999999999999", ["row_group_bytes is", "65536 or more"]),
            ("overwrite", "yes", ["overwrite is \"yes\"", "true or false"]),
            ("statistics", "all", ["statistics is \"all\"", "none or chunk or page"]),
            ("page_version", "3", ["page_version is \"3\"", "1 or 2"]),
            ("bloom_filter_fpp", "NaN", ["bloom_filter_fpp is \"NaN\"", "between 0 and 1"]),
            ("intervals", "", ["intervals is \"\"", "parquet or struct"]),
        ] {
            let error = Options::from_texts([(name, value)]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
        }
        let error = Options::from_texts([("dictionary", "true"), ("dictionary", "false")]).unwrap_err();
        assert!(error.to_string().contains("dictionary is given twice"), "{error}");
    }
}
