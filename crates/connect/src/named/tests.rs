use std::sync::Mutex;

use bowshot_core::testing::Numbers;
use bowshot_core::{Naming, Value};

use super::*;

/// A database that knows some texts, and writes down all that it is asked.
#[derive(Default)]
struct Few {
    known: Vec<(&'static str, Option<&'static str>)>,
    heard: Mutex<Vec<String>>,
}

impl Source for Few {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        let sql = request.queries[0].sql.clone();
        self.heard.lock().unwrap().push(sql.clone());
        match self.known.iter().find(|(known, _)| *known == sql) {
            Some((_, None)) => Numbers { partitions: 1, rows: 1 }.plan(request, cancel),
            Some((_, Some("gone"))) => Err(Error::new(ErrorKind::ConnectionLost, "the connection broke")),
            Some((_, Some(state))) => Err(Error::new(ErrorKind::Sql, "it is denied").with_sqlstate(*state)),
            None => Err(Error::new(ErrorKind::Sql, format!("no: {sql}")).with_sqlstate("42P01")),
        }
    }

    fn naming(&self, _: &Cancel) -> Result<Naming> {
        Ok(bowshot_sql::Dialect::Postgres.naming())
    }
}

fn read(few: &Few, text: &str, columns: &[&str]) -> Result<bool> {
    let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let params = Params::Positional(vec![Value::Int(1)]);
    let text = Text { text, columns: &columns, params: &params };
    plan_text(few, text, &Options::default(), &Cancel::new()).map(|named| named.is_table)
}

/// Whether it is a table, and what was asked.
fn asked(known: &[&'static str], text: &str) -> (Option<bool>, Vec<String>) {
    let few = Few { known: known.iter().map(|known| (*known, None)).collect(), heard: Mutex::default() };
    let table = read(&few, text, &[]).ok();
    (table, few.heard.into_inner().unwrap())
}

#[test]
fn sql_is_asked_once_and_nothing_else() {
    let sql = "SELECT a FROM t WHERE x = 1";
    assert_eq!(asked(&[sql], sql), (Some(false), vec![sql.to_owned()]));
    assert_eq!(asked(&[], sql), (None, vec![sql.to_owned()]));
    assert_eq!(asked(&["show tables"], "show tables"), (Some(false), vec!["show tables".to_owned()]));
}

#[test]
fn names_are_tables() {
    let whole = r#"SELECT * FROM "Order Details""#;
    assert_eq!(asked(&[whole], "Order Details"), (Some(true), vec![whole.to_owned()]));
    assert_eq!(asked(&[r#"SELECT * FROM "t""#], "t").0, Some(true));
    assert_eq!(asked(&[r#"SELECT * FROM "Table of Contents""#], "Table of Contents").0, Some(true));
    assert_eq!(asked(&[r#"SELECT * FROM "select""#, "select"], "select").0, Some(true));
    assert_eq!(asked(&["select"], "select").0, Some(false));
    assert_eq!(asked(&[r#"SELECT * FROM "orders""#], "Orders").0, Some(true));
    assert_eq!(asked(&["t"], "t").0, None);
}

#[test]
fn the_error_says_what_was_tried() {
    let error = read(&Few::default(), "Order Detials", &[]).unwrap_err();
    assert_eq!(error.message(), "no: Order Detials");
    assert_eq!(error.hint(), Some(r#"it is not the name of a table either: no: SELECT * FROM "Order Detials""#));
    let denied = Few { known: vec![(r#"SELECT * FROM "a b""#, Some("42501"))], heard: Mutex::default() };
    assert_eq!(read(&denied, "a b", &[]).unwrap_err().message(), "it is denied");
    let gone = Few { known: vec![(r#"SELECT * FROM "a b""#, Some("gone"))], heard: Mutex::default() };
    assert_eq!(read(&gone, "a b", &[]).unwrap_err().kind(), ErrorKind::ConnectionLost);
    assert_eq!(gone.heard.into_inner().unwrap().len(), 1);
}

#[test]
fn a_column_that_is_not_there_is_named() {
    let few = Few { known: vec![(r#"SELECT * FROM "a b""#, None)], heard: Mutex::default() };
    let error = read(&few, "a b", &["n", "nope"]).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some("nope")));
    assert_eq!(error.message(), "columns= names \"nope\", which the table a b does not have");
    assert_eq!(error.hint(), Some("its columns are n"));
}
