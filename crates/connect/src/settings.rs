//! The options of a read as programs give them that know texts only: the ADBC driver and Spark.

use std::collections::BTreeMap;
use std::time::Duration;

use bowshot_core::{Calls, Error, ErrorKind, Impossible, Lease, Options, Partitioning, Result, parse_type};

/// What all of them begin with.
const PREFIX: &str = "bowshot.";

/// The buffer of a program that keeps the whole result anyway.
const UNLIMITED: &str = "unlimited";

/// The option of one column's type, before the column's name.
const TYPE_OF: &str = "bowshot.types.";

/// How queries are read, by options `bowshot.*` whose values are texts.
///
/// ```
/// use bowshot_connect::Settings;
///
/// let mut settings = Settings::default();
/// assert!(settings.set("bowshot.connections", "4")? && settings.set("bowshot.types.price", "float64")?);
/// assert!(!settings.set("bowshot.colour", "red")?, "there is none of this name");
/// assert_eq!(settings.options()?.connections, Some(4));
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Settings {
    options: Options,
    column: Option<String>,
    count: Option<usize>,
    range: Option<(i64, i64)>,
    lease: Lease,
    /// As they were given.
    given: BTreeMap<String, String>,
}

impl Settings {
    /// Sets an option; false where there is none of this name. An empty value is the default.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config) for a value that the option cannot have.
    pub fn set(&mut self, key: &str, text: &str) -> Result<bool> {
        if !key.starts_with(PREFIX) {
            return Ok(false);
        }
        let mut next = self.clone();
        next.given.remove(key);
        let known = if text.is_empty() { next.reset(key) } else { next.change(key, text)? };
        if known {
            if !text.is_empty() {
                next.given.insert(key.to_owned(), text.to_owned());
            }
            *self = next;
        }
        Ok(known)
    }

    /// The value of an option that was set.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.given.get(key).map(String::as_str)
    }

    /// How long a plan's snapshot is kept for its partitions.
    #[must_use]
    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// How queries are read.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config) for options of which one needs another.
    pub fn options(&self) -> Result<Options> {
        let partitioning = match (&self.column, self.count) {
            (Some(column), Some(count)) => Partitioning::Column { column: column.clone(), count, range: self.range },
            (Some(_), None) => {
                return Err(refused(
                    "bowshot.partition_on",
                    "it needs bowshot.partition_num: how many partitions to make",
                ));
            }
            (None, _) if self.range.is_some() => {
                return Err(refused(
                    "bowshot.partition_range",
                    "it needs bowshot.partition_on: the column that it is of",
                ));
            }
            (None, _) => Partitioning::Auto,
        };
        let mut options = Options { partitioning, ..self.options.clone() };
        // Without a column, the number says how many connections may read at once.
        if self.column.is_none() && options.connections.is_none() {
            options.connections = self.count;
        }
        Ok(options)
    }

    fn change(&mut self, key: &str, text: &str) -> Result<bool> {
        if let Some(column) = key.strip_prefix(TYPE_OF) {
            let kind = parse_type(text).map_err(|error| error.with_column(column))?;
            self.options.types.insert(column.to_owned(), kind);
            return Ok(true);
        }
        let options = &mut self.options;
        match key {
            "bowshot.connections" => options.connections = Some(count(key, text, 1)?),
            "bowshot.partition_on" => self.column = Some(text.to_owned()),
            "bowshot.partition_num" => self.count = Some(count(key, text, 1)?),
            "bowshot.partition_range" => self.range = Some(range(key, text)?),
            "bowshot.partition_bytes" => options.partition_bytes = Some(count(key, text, 1)? as u64),
            "bowshot.one_snapshot" => options.one_snapshot = truth(key, text)?,
            "bowshot.batch_bytes" => options.batch_bytes = count(key, text, 1)?,
            "bowshot.buffer_bytes" if text == UNLIMITED => options.buffer_bytes = isize::MAX.unsigned_abs(),
            "bowshot.buffer_bytes" => options.buffer_bytes = count(key, text, 1)?,
            "bowshot.protocol" => options.protocol = Some(text.to_owned()),
            "bowshot.types" => {
                for (column, name) in object(key, text)? {
                    let kind = parse_type(&name).map_err(|error| error.with_column(column.clone()))?;
                    options.types.insert(column, kind);
                }
            }
            "bowshot.infinity" => options.infinity = impossible(key, text)?,
            "bowshot.zero_dates" => options.zero_dates = impossible(key, text)?,
            "bowshot.before" => options.before = statements(key, text)?,
            "bowshot.calls" => {
                options.calls =
                    Calls::parse(text).map_err(|_| refused(key, "it is neither \"allow\" nor \"refuse\""))?;
            }
            "bowshot.lease" => self.lease = lease(key, text)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn reset(&mut self, key: &str) -> bool {
        let default = Options::default();
        let options = &mut self.options;
        match key {
            "bowshot.connections" => options.connections = default.connections,
            "bowshot.partition_on" => self.column = None,
            "bowshot.partition_num" => self.count = None,
            "bowshot.partition_range" => self.range = None,
            "bowshot.partition_bytes" => options.partition_bytes = default.partition_bytes,
            "bowshot.one_snapshot" => options.one_snapshot = default.one_snapshot,
            "bowshot.batch_bytes" => options.batch_bytes = default.batch_bytes,
            "bowshot.buffer_bytes" => options.buffer_bytes = default.buffer_bytes,
            "bowshot.protocol" => options.protocol = default.protocol,
            "bowshot.types" => options.types = default.types,
            "bowshot.infinity" => options.infinity = default.infinity,
            "bowshot.zero_dates" => options.zero_dates = default.zero_dates,
            "bowshot.before" => options.before = default.before,
            "bowshot.calls" => options.calls = default.calls,
            "bowshot.lease" => self.lease = Lease::default(),
            key => match key.strip_prefix(TYPE_OF) {
                Some(column) => drop(options.types.remove(column)),
                None => return false,
            },
        }
        true
    }
}

/// What becomes of values that Arrow cannot hold.
fn impossible(key: &str, text: &str) -> Result<Impossible> {
    match text {
        "error" => Ok(Impossible::Error),
        "null" => Ok(Impossible::Null),
        _ => Err(refused(key, "it is neither \"error\" nor \"null\"")),
    }
}

/// The lowest and the highest value: `1,1000`.
fn range(key: &str, text: &str) -> Result<(i64, i64)> {
    let ends = text.split_once(',').and_then(|(low, high)| Some((low.trim().parse().ok()?, high.trim().parse().ok()?)));
    ends.ok_or_else(|| refused(key, "write the lowest and the highest value, with a comma between"))
}

/// Seconds.
fn lease(key: &str, text: &str) -> Result<Lease> {
    let seconds = text.trim().parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let lease = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    lease.map(Lease).ok_or_else(|| refused(key, "it is no number of seconds"))
}

/// One statement, or a JSON list of them.
fn statements(key: &str, text: &str) -> Result<Vec<String>> {
    if !text.trim_start().starts_with('[') {
        return Ok(vec![text.to_owned()]);
    }
    serde_json::from_str(text).map_err(|_| refused(key, "it is neither one statement nor a JSON list of statements"))
}

/// A JSON object of texts.
fn object(key: &str, text: &str) -> Result<BTreeMap<String, String>> {
    let why = "write a JSON object of columns and types, such as {\"price\": \"float64\"}, or an option a column: \
               bowshot.types.price";
    serde_json::from_str(text).map_err(|_| refused(key, why))
}

/// A truth value.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config) for another text.
pub fn truth(key: &str, text: &str) -> Result<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(refused(key, "it is neither \"true\" nor \"false\"")),
    }
}

/// A whole number, of at least `least`.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config) for another text.
pub fn count(key: &str, text: &str, least: usize) -> Result<usize> {
    match text.trim().parse::<usize>() {
        Ok(number) if number >= least => Ok(number),
        _ => Err(refused(key, &format!("it is no whole number of at least {least}"))),
    }
}

/// The error of a value that an option cannot have. The value itself is not repeated: it may be a secret under a wrong name.
#[must_use]
pub fn refused(key: &str, why: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the option {key} has a value that it cannot have: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_schema::DataType;

    fn set(pairs: &[(&str, &str)]) -> Result<Settings> {
        let mut settings = Settings::default();
        for (key, text) in pairs {
            assert!(settings.set(key, text)?, "{key}");
        }
        Ok(settings)
    }

    #[test]
    fn options_are_what_they_say() {
        let settings = set(&[
            ("bowshot.connections", " 3 "),
            ("bowshot.one_snapshot", "false"),
            ("bowshot.types", r#"{"a": "float64", "b": "utf8"}"#),
            ("bowshot.types.b", "decimal128(15, 2)"),
            ("bowshot.before", r#"["SET a = 1", "SET b = 2"]"#),
            ("bowshot.calls", "allow"),
            ("bowshot.infinity", "null"),
            ("bowshot.lease", "2.5"),
        ]);
        let settings = settings.unwrap();
        let options = settings.options().unwrap();
        assert_eq!(options.connections, Some(3));
        assert!(!options.one_snapshot && options.calls == Calls::Allow && options.infinity == Impossible::Null);
        assert_eq!(options.types["a"], DataType::Float64);
        assert_eq!(options.types["b"], DataType::Decimal128(15, 2));
        assert_eq!(options.before, ["SET a = 1", "SET b = 2"]);
        assert_eq!(settings.lease(), Lease(Duration::from_millis(2500)));
        assert_eq!(settings.get("bowshot.calls"), Some("allow"));
    }

    #[test]
    fn an_empty_value_is_the_default_again() {
        let mut settings = set(&[("bowshot.connections", "3"), ("bowshot.before", "SET a = 1")]).unwrap();
        assert!(settings.set("bowshot.connections", "").unwrap() && settings.set("bowshot.before", "").unwrap());
        assert_eq!(settings.options().unwrap(), Options::default());
        assert_eq!(settings.get("bowshot.connections"), None);
    }

    #[test]
    fn partitions_are_of_a_column_or_of_as_many_connections() {
        assert_eq!(set(&[("bowshot.partition_num", "4")]).unwrap().options().unwrap().connections, Some(4));
        let of_column =
            [("bowshot.partition_on", "id"), ("bowshot.partition_num", "4"), ("bowshot.partition_range", "1, 9")];
        let options = set(&of_column).unwrap().options().unwrap();
        let expected = Partitioning::Column { column: "id".into(), count: 4, range: Some((1, 9)) };
        assert_eq!((options.partitioning, options.connections), (expected, None));
        for missing in [&of_column[..1], &of_column[2..]] {
            assert_eq!(set(missing).unwrap().options().unwrap_err().kind(), ErrorKind::Config);
        }
    }

    #[test]
    fn who_keeps_the_whole_result_says_so() {
        let options = set(&[("bowshot.buffer_bytes", "unlimited")]).unwrap().options().unwrap();
        assert!(options.keeps_all() && !set(&[]).unwrap().options().unwrap().keeps_all());
        let sized = set(&[("bowshot.partition_bytes", "1048576")]).unwrap().options().unwrap();
        assert_eq!(sized.partition_bytes, Some(1 << 20));
    }

    #[test]
    fn nonsense_is_refused_and_changes_nothing() {
        let mut settings = set(&[("bowshot.connections", "3")]).unwrap();
        for (key, text) in [
            ("bowshot.connections", "0"),
            ("bowshot.connections", "-1"),
            ("bowshot.connections", "99999999999999999999"),
            ("bowshot.one_snapshot", "perhaps"),
            ("bowshot.types", "a=float64"),
            ("bowshot.types.a", "dezimal"),
            ("bowshot.before", "[1]"),
            ("bowshot.lease", "-1"),
            ("bowshot.lease", "1e300"),
            ("bowshot.partition_range", "1"),
            ("bowshot.infinity", "inf"),
            ("bowshot.calls", "hunter2"),
        ] {
            let error = settings.set(key, text).unwrap_err();
            assert!(error.kind() == ErrorKind::Config && !error.to_string().contains("hunter2"), "{error}");
        }
        assert_eq!(settings.options().unwrap().connections, Some(3));
        assert!(!settings.set("bowshot.conections", "1").unwrap() && !settings.set("connections", "1").unwrap());
    }
}
