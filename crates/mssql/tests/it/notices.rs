//! What a server says between any two parts of an answer: the result stays the same, and people hear of it.

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Notice, Options, Query, Request, Result, Source, Stream};
use bowshot_mssql::MsSql;

use super::mock::{Mock, Reply};
use super::support::uri;
use super::tokens::{self, column, described, done, int, nvarchar, row};

/// The parts of an answer of two rows.
fn parts() -> Vec<Vec<u8>> {
    let head = tokens::columns(&[column("n", tokens::INT), column("t", tokens::NVARCHAR)]);
    vec![head, row(&[int(1), nvarchar("a")]), row(&[int(2), nvarchar("b")]), done()]
}

fn description() -> Vec<u8> {
    tokens::description(&[described("n", 56, "int", 10, 0), described("t", 231, "nvarchar(128)", 0, 0)])
}

/// How many rows are read in how many batches, and what is said meanwhile.
fn read(describe: Vec<u8>, answer: Vec<u8>) -> Result<(usize, usize, Vec<Notice>)> {
    let mock = Mock::start(move |request| match request.is_describe() {
        true => Reply::Tokens(describe.clone()),
        false => Reply::Tokens(answer.clone()),
    });
    let (cancel, request) = (Cancel::new(), Request::new(Query::new("SELECT n, t FROM t"), Options::default()));
    let plan = MsSql::from_uri(&uri(mock.port))?.plan(&request, &cancel)?;
    let batches = Stream::start(plan, &request.options, cancel.clone()).collect::<Result<Vec<_>>>()?;
    Ok((batches.iter().map(RecordBatch::num_rows).sum(), batches.len(), cancel.notices().all()))
}

#[test]
fn anything_harmless_may_come_anywhere() {
    let long = "x".repeat(30_000);
    let between = [tokens::info_of(0, "printed"), tokens::environment(), tokens::info_of(50_000, &long)].concat();
    let thousands: Vec<u8> = (0..2000).flat_map(|number| tokens::info_of(0, &format!("number {number}"))).collect();
    for place in 0..parts().len() {
        let with = |between: &[u8]| {
            let mut all = parts();
            all.insert(place, between.to_vec());
            all.concat()
        };
        let (rows, batches, said) = read(description(), with(&between)).unwrap();
        assert_eq!((rows, batches, said.len()), (2, 1, 2), "at {place}");
        assert_eq!(said[0].to_string(), "NOTICE: printed");
        assert_eq!((said[1].code(), said[1].message().ends_with('…')), (Some("50000"), true));
        let (rows, _, said) = read(description(), with(&thousands)).unwrap();
        assert_eq!((rows, said.len()), (2, 100), "at {place}");
    }
    // Around the description, whose parts are not told apart here.
    let warning = "Warning: Null value is eliminated by an aggregate or other SET operation.";
    let (rows, _, said) = read([tokens::info_of(8153, warning), description()].concat(), parts().concat()).unwrap();
    assert_eq!((rows, said.len()), (2, 1));
    assert_eq!(said[0].to_string(), format!("WARNING: {warning} (code 8153)"));
}

#[test]
fn what_every_login_hears_is_told_to_nobody() {
    let (rows, _, said) = read(description(), parts().concat()).unwrap();
    assert_eq!((rows, said), (2, vec![]));
}
