//! Parameters: how they are declared and sent.

use bowshot_core::{Cancel, Options, Params, Query, Request, Result, Source, Stream, Value};
use bowshot_mssql::MsSql;

use super::mock::{Mock, Parameter, Reply};
use super::support::uri;
use super::tokens::{self, described, numbers};

fn mock() -> Mock {
    Mock::start(|request| {
        Reply::Tokens(match request.is_describe() {
            true => tokens::description(&[described("n", 56, "int", 10, 0)]),
            false => numbers("n", &[1]),
        })
    })
}

fn read(mock: &Mock, sql: &str, params: Params) {
    let query = Query { sql: sql.to_owned(), params };
    let options = Options { before: vec!["SET LANGUAGE us_english".to_owned()], ..Options::default() };
    let request = Request::new(query, options);
    let cancel = Cancel::new();
    let plan = MsSql::from_uri(&uri(mock.port)).unwrap().plan(&request, &cancel).unwrap();
    let batches: Vec<_> = Stream::start(plan, &request.options, cancel).collect::<Result<_>>().unwrap();
    assert_eq!(batches.len(), 1);
}

#[test]
fn parameters_are_sent_with_their_types() {
    let mock = mock();
    let long = "ä".repeat(4001);
    let values = vec![
        Value::Null,
        Value::Bool(true),
        Value::Int(-2),
        Value::Float(0.5),
        Value::Text("it's ä😀".into()),
        Value::Text(long.clone()),
        Value::Bytes(vec![1, 2]),
        Value::Bytes(vec![3; 8001]),
    ];
    read(&mock, "SELECT n FROM t WHERE a IN (?, ?, ?, ?, ?, ?, ?, ?)", Params::Positional(values));
    let queries = mock.queries();
    let sql = "SELECT n FROM t WHERE a IN (@P1, @P2, @P3, @P4, @P5, @P6, @P7, @P8)";
    // First the user's own statement, then the question for the columns, then the query.
    assert_eq!(queries[0].sql, "SET LANGUAGE us_english");
    assert_eq!(queries[1].parameters[0].text(), sql);
    assert_eq!(
        queries[1].parameters[1].text(),
        "@P1 nvarchar(1), @P2 bit, @P3 bigint, @P4 float, @P5 nvarchar(max), @P6 nvarchar(max), @P7 varbinary(max), \
         @P8 varbinary(max)"
    );
    let query = &queries[2];
    assert_eq!(query.sql, sql);
    let declared = query.declared.to_ascii_lowercase();
    for one in ["@p1 nvarchar(1)", "@p2 bit", "@p3 bigint", "@p4 float", "@p6 nvarchar(max)", "@p8 varbinary(max)"] {
        assert!(declared.contains(one), "{declared}");
    }
    let sent = |index: usize| &query.parameters[index];
    let bytes = |index: usize| sent(index).value.clone().unwrap();
    assert_eq!(sent(0), &Parameter { name: "@P1".into(), token: 0xE7, value: None });
    assert_eq!((sent(1).token, bytes(1)), (0x68, vec![1]));
    assert_eq!((sent(2).token, bytes(2)), (0x26, (-2_i64).to_le_bytes().to_vec()));
    assert_eq!((sent(3).token, bytes(3)), (0x6D, 0.5_f64.to_le_bytes().to_vec()));
    assert_eq!((sent(4).text(), sent(5).text()), ("it's ä😀".to_owned(), long));
    assert_eq!((bytes(6), bytes(7)), (vec![1, 2], vec![3; 8001]));
}

#[test]
fn without_parameters_the_text_is_sent_as_it_is() {
    let mock = mock();
    read(&mock, "SELECT 'a?b@c 100%s' AS n -- the end\n;", Params::None);
    let queries = mock.queries();
    assert_eq!(queries.last().unwrap().sql, "SELECT 'a?b@c 100%s' AS n");
    assert!(queries.last().unwrap().parameters.is_empty());
}
