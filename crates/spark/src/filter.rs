//! Spark's predicates as they come from the JVM.

use bowshot_border::Texts;
use bowshot_core::{Error, ErrorKind, Result};

/// How deep predicates may be nested.
const DEEPEST: usize = 64;

/// A predicate on columns. Its meaning is Spark's: of NULL, nothing is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// All of them.
    And(Vec<Filter>),
    /// One of them.
    Or(Vec<Filter>),
    /// A column, compared with a value.
    Compare(String, Comparison, Literal),
    /// A column is one of some values.
    In(String, Vec<Literal>),
    /// A column is NULL.
    Null(String),
    /// A column is not NULL.
    NotNull(String),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A value of Spark's.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number of any width.
    Integer(i64),
    /// A decimal number, as it is written.
    Decimal(String),
    /// A floating-point number.
    Float(f64),
    /// A truth value.
    Boolean(bool),
    /// Text.
    Text(String),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since 1970-01-01 UTC.
    Instant(i64),
    /// Microseconds since 1970-01-01, in no time zone.
    Timestamp(i64),
}

impl Comparison {
    /// As SQL has it.
    #[must_use]
    pub fn sql(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

impl Filter {
    /// The filters that the JVM wrote from the text at `place` on, each as what it is, how many parts follow, and these.
    ///
    /// # Errors
    /// Of kind [`Internal`](ErrorKind::Internal) for texts that make no sense.
    pub fn read_all(texts: &Texts, place: &mut usize) -> Result<Vec<Filter>> {
        let mut reader = Reader { texts, place };
        (0..reader.count()?).map(|_| reader.filter(0)).collect()
    }
}

struct Reader<'a> {
    texts: &'a Texts,
    place: &'a mut usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<&'a str> {
        let text = self.texts.text(*self.place)?;
        *self.place += 1;
        Ok(text)
    }

    fn parsed<T: std::str::FromStr>(&mut self) -> Result<T> {
        let text = self.next()?;
        text.parse().map_err(|_| broken(text))
    }

    fn count(&mut self) -> Result<usize> {
        let count: usize = self.parsed()?;
        if count > self.texts.len() { Err(broken("a count")) } else { Ok(count) }
    }

    fn filter(&mut self, depth: usize) -> Result<Filter> {
        if depth > DEEPEST {
            return Err(broken("its depth"));
        }
        let word = self.next()?;
        Ok(match word {
            "and" => Filter::And(self.filters(depth)?),
            "or" => Filter::Or(self.filters(depth)?),
            "null" => Filter::Null(self.next()?.to_owned()),
            "not null" => Filter::NotNull(self.next()?.to_owned()),
            "in" => {
                let column = self.next()?.to_owned();
                Filter::In(column, (0..self.count()?).map(|_| self.literal()).collect::<Result<_>>()?)
            }
            word => {
                let comparison = match word {
                    "=" => Comparison::Equal,
                    "<>" => Comparison::NotEqual,
                    "<" => Comparison::Less,
                    "<=" => Comparison::LessOrEqual,
                    ">" => Comparison::Greater,
                    ">=" => Comparison::GreaterOrEqual,
                    _ => return Err(broken(word)),
                };
                Filter::Compare(self.next()?.to_owned(), comparison, self.literal()?)
            }
        })
    }

    fn filters(&mut self, depth: usize) -> Result<Vec<Filter>> {
        (0..self.count()?).map(|_| self.filter(depth + 1)).collect()
    }

    fn literal(&mut self) -> Result<Literal> {
        let kind = self.next()?;
        Ok(match kind {
            "integer" => Literal::Integer(self.parsed()?),
            "decimal" => Literal::Decimal(self.next()?.to_owned()),
            "float" => Literal::Float(self.parsed()?),
            "boolean" => Literal::Boolean(self.parsed()?),
            "text" => Literal::Text(self.next()?.to_owned()),
            "date" => Literal::Date(self.parsed()?),
            "instant" => Literal::Instant(self.parsed()?),
            "timestamp" => Literal::Timestamp(self.parsed()?),
            _ => return Err(broken(kind)),
        })
    }
}

fn broken(what: &str) -> Error {
    Error::new(ErrorKind::Internal, format!("a filter of Spark's is not understood: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Vec<Filter>> {
        let mut place = 1;
        let texts = [&["before"], texts].concat();
        Filter::read_all(
            &Texts::from(texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>()),
            &mut place,
        )
    }

    #[test]
    fn filters_are_read() {
        let filters = read(&[
            "2", "or", "2", "=", "a", "integer", "-5", "null", "a", "and", "2", "in", "b", "2", "text", "x", "text",
            "", ">=", "c", "date", "3",
        ]);
        let text = |text: &str| Literal::Text(text.into());
        let expected = [
            Filter::Or(vec![
                Filter::Compare("a".into(), Comparison::Equal, Literal::Integer(-5)),
                Filter::Null("a".into()),
            ]),
            Filter::And(vec![
                Filter::In("b".into(), vec![text("x"), text("")]),
                Filter::Compare("c".into(), Comparison::GreaterOrEqual, Literal::Date(3)),
            ]),
        ];
        assert_eq!(filters.unwrap(), expected);
        assert_eq!(read(&["0"]).unwrap(), []);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let deep = [vec!["1"], [["and", "1"]; 100].concat()].concat();
        for texts in [&[][..], &["1"], &["9"], &["x"], &["1", "~", "a"], &["1", "=", "a", "integer", "1.5"], &deep] {
            assert_eq!(read(texts).unwrap_err().kind(), ErrorKind::Internal, "{texts:?}");
        }
    }
}
