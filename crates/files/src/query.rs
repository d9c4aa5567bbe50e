//! The grammar of plain reads: `SELECT * | columns FROM table [LIMIT n]`, a table's name alone, or nothing.

use bowshot_core::{Error, ErrorKind, Params, Query, Result};
use sqlparser::ast::{Expr, Ident, LimitClause, SelectItem, SetExpr, Statement, TableFactor, Value};
use sqlparser::dialect::DuckDbDialect;
use sqlparser::parser::Parser;

/// What a query asks for.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    /// `None` is everything.
    pub(crate) columns: Option<Vec<Wish>>,
    pub(crate) limit: Option<u64>,
    /// `None` where the query names none.
    pub(crate) table: Option<String>,
}

impl Wanted {
    /// Whether it may read the column of this name.
    pub(crate) fn may_take(&self, column: &str) -> bool {
        let columns = self.columns.as_deref();
        columns.is_none_or(|columns| columns.iter().any(|wish| wish.name.to_lowercase() == column.to_lowercase()))
    }
}

/// One column of the list.
#[derive(Debug, PartialEq)]
pub(crate) struct Wish {
    pub(crate) name: String,
    /// Whether the letters' case has to be the same.
    pub(crate) quoted: bool,
    /// What it is called in the result.
    pub(crate) alias: Option<String>,
}

/// Reads a query, strictly.
pub(crate) fn parse(query: &Query) -> Result<Wanted> {
    if query.params != Params::None {
        return Err(unsupported("a query over files takes no parameters"));
    }
    let sql = query.sql.trim().trim_end_matches(';').trim();
    if sql.is_empty() {
        return Ok(Wanted::default());
    }
    let starts_with_select = sql.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
    if !starts_with_select {
        return alone(sql);
    }
    let failed = |error: sqlparser::parser::ParserError| {
        Error::new(ErrorKind::Sql, format!("the query is not understood: {error}")).with_hint(HINT)
    };
    let mut statements = Parser::parse_sql(&DuckDbDialect {}, sql).map_err(failed)?;
    match (statements.pop(), statements.pop()) {
        (Some(Statement::Query(query)), None) => plain(&query),
        _ => Err(unsupported("a query over files is one SELECT")),
    }
}

const HINT: &str = "files are read plainly: SELECT * FROM data, SELECT a, b FROM data LIMIT 100; filter, join and compute in \
     the dataframe, or with an engine such as DuckDB";

fn unsupported(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, what).with_hint(HINT)
}

/// A table's name alone.
fn alone(sql: &str) -> Result<Wanted> {
    let inner = ['"', '\''].into_iter().find_map(|quote| sql.strip_prefix(quote)?.strip_suffix(quote));
    let simple = |text: &str| !text.contains(char::is_whitespace) && !text.contains(['"', '\'', '(', ')', ',']);
    match inner {
        Some(name) if !name.contains(['"', '\'']) => Ok(Wanted { table: Some(name.to_owned()), ..Wanted::default() }),
        None if simple(sql) => Ok(Wanted { table: Some(sql.to_owned()), ..Wanted::default() }),
        _ => Err(unsupported("the query is neither a SELECT nor the name of a table")),
    }
}

fn plain(query: &sqlparser::ast::Query) -> Result<Wanted> {
    let SetExpr::Select(select) = query.body.as_ref() else {
        return Err(unsupported("the query is more than one SELECT"));
    };
    let [from] = select.from.as_slice() else {
        return Err(unsupported("the query does not read exactly one table"));
    };
    let TableFactor::Table { name, .. } = &from.relation else {
        return Err(unsupported("the query reads something that is no table"));
    };
    let [table] = name.0.as_slice() else {
        return Err(unsupported(format!("{name} is no file of this source")));
    };
    let Some(table) = table.as_ident() else { return Err(unsupported("the query calls a function for its table")) };
    let (columns, mut expected) = match select.projection.as_slice() {
        [SelectItem::Wildcard(_)] => (None, "SELECT *".to_owned()),
        items => {
            let wishes: Vec<Wish> = items.iter().map(wish).collect::<Result<_>>()?;
            let shown: Vec<String> = items.iter().map(ToString::to_string).collect();
            (Some(wishes), format!("SELECT {}", shown.join(", ")))
        }
    };
    expected += &format!(" FROM {table}");
    let limit = match &query.limit_clause {
        None => None,
        Some(LimitClause::LimitOffset { limit: Some(Expr::Value(value)), offset: None, .. }) => {
            let Value::Number(number, _) = &value.value else {
                return Err(unsupported("LIMIT takes a number"));
            };
            expected += &format!(" LIMIT {number}");
            let limit = number.parse().map_err(|_| unsupported(format!("LIMIT {number} is no whole number")))?;
            Some(limit)
        }
        Some(_) => return Err(unsupported("the query limits its rows by something else than LIMIT n")),
    };
    // Written out again, nothing may stand in the query that was not taken from it: no WHERE, no ORDER BY, no anything.
    let written = query.to_string();
    if written != expected {
        let same = written.bytes().zip(expected.bytes()).take_while(|(one, other)| one == other).count();
        let rest = written.get(same..).unwrap_or_default().trim();
        let shown: String = rest.chars().take(40).collect();
        return Err(unsupported(format!("files are read plainly, which leaves no room for: {shown}")));
    }
    Ok(Wanted { columns, limit, table: Some(table.value.clone()) })
}

fn wish(item: &SelectItem) -> Result<Wish> {
    let (expr, alias) = match item {
        SelectItem::UnnamedExpr(expr) => (expr, None),
        SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.clone())),
        other => return Err(unsupported(format!("{other} is no column"))),
    };
    let ident: &Ident = match expr {
        Expr::Identifier(ident) if ident.quote_style != Some('\'') => ident,
        other => return Err(unsupported(format!("{other} is no column, and nothing is computed here"))),
    };
    Ok(Wish { name: ident.value.clone(), quoted: ident.quote_style.is_some(), alias })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(sql: &str) -> Result<Wanted> {
        parse(&Query::new(sql))
    }

    #[test]
    fn plain_reads_are_understood() {
        assert_eq!(wanted(" ; ").unwrap(), Wanted::default());
        for sql in
            ["x.parquet", "'x.parquet'", "\"x.parquet\"", "SELECT * FROM 'x.parquet';", "select * from \"x.parquet\""]
        {
            let wanted = wanted(sql).unwrap();
            assert_eq!(
                (wanted.table.as_deref(), wanted.columns, wanted.limit),
                (Some("x.parquet"), None, None),
                "{sql}"
            );
        }
        let columns = wanted("SELECT a, \"B c\" AS d FROM data -- all\n LIMIT 7").unwrap();
        assert_eq!(columns.limit, Some(7));
        let names: Vec<_> =
            columns.columns.unwrap().into_iter().map(|wish| (wish.name, wish.quoted, wish.alias)).collect();
        assert_eq!(names, [("a".into(), false, None), ("B c".into(), true, Some("d".into()))]);
    }

    #[test]
    fn anything_more_is_refused_with_a_way_out() {
        for sql in [
            "SELECT * FROM data WHERE a > 1",
            "SELECT DISTINCT a FROM data",
            "SELECT a + 1 FROM data",
            "SELECT count(*) FROM data",
            "SELECT 'a' FROM data",
            "SELECT * FROM data, other",
            "SELECT * FROM data JOIN other USING (id)",
            "SELECT * FROM data ORDER BY a",
            "SELECT a FROM data GROUP BY a",
            "SELECT * FROM data LIMIT 1 OFFSET 2",
            "SELECT * FROM data LIMIT 1.5",
            "SELECT * FROM data d",
            "SELECT * FROM data TABLESAMPLE BERNOULLI (1)",
            "SELECT * EXCLUDE (a) FROM data",
            "SELECT data.* FROM data",
            "SELECT a FROM data UNION ALL SELECT a FROM data",
            "WITH x AS (SELECT 1) SELECT * FROM x",
            "SELECT * FROM read_parquet('x')",
            "SELECT * FROM (SELECT 1)",
            "SELECT * FROM data FOR UPDATE",
            "SELECT 1",
            "FROM data",
            "DROP TABLE data",
        ] {
            let error = wanted(sql).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{sql}: {error}");
            assert!(error.to_string().contains("dataframe"), "{sql}: {error}");
        }
        assert_eq!(wanted("SELECT FROM FROM").unwrap_err().kind(), ErrorKind::Sql);
        let limited = parse(&Query { sql: "data".into(), params: Params::Positional(vec![]) });
        assert_eq!(limited.unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
