use bowshot_core::testing::Numbers;
use bowshot_gateway_access::{Access, Login, LoginLimits, SessionLimits, Tickets, UserEntry, Users, hash};
use bowshot_gateway_admission::AdmissionLimits;
use bowshot_gateway_catalog::Dialect;
use bowshot_gateway_monitor::{State, StatementView, Viewer};

use super::*;
use crate::Limits;

/// A gateway in front of 100 numbers, in batches of 10 and 5.
fn gateway(users: Users, admission: AdmissionLimits) -> Gateway {
    let login = Login::new(users, None, LoginLimits::default()).unwrap();
    let access = Access::new(login, SessionLimits::default(), Tickets::random().unwrap()).unwrap();
    let gateway = Gateway::new(access, Limits { admission, ..Limits::default() }).unwrap();
    gateway.with_source("numbers", Arc::new(Numbers { partitions: 4, rows: 25 }), Dialect::Sqlite).unwrap()
}

fn open() -> Gateway {
    gateway(Users::none(), AdmissionLimits::default())
}

fn question(rows: usize, bytes: usize) -> Question {
    Question { client: "test".into(), sql: "SELECT 1 AS n".into(), source: None, rows, bytes }
}

fn last(gateway: &Gateway) -> StatementView {
    let ended = gateway.monitor().history(&Viewer::all(""), 1);
    StatementView::clone(ended.first().unwrap())
}

#[tokio::test]
async fn it_reads_as_much_as_is_asked_for_and_says_whether_there_is_more() {
    let gateway = open();
    let anybody = gateway.login(None, None).unwrap();
    for (rows, bytes, got, truncated) in [
        (30, usize::MAX, 30, true),
        (33, usize::MAX, 33, true),
        (100, usize::MAX, 100, false),
        (usize::MAX, usize::MAX, 100, false),
        (0, usize::MAX, 0, true),
        // A batch takes 128 bytes, and the one that reaches the limit is given whole.
        (usize::MAX, 129, 20, true),
    ] {
        let cancel = Cancel::new();
        let excerpt = gateway.excerpt(&anybody, question(rows, bytes), &cancel).await.unwrap();
        let count: usize = excerpt.batches.iter().map(RecordBatch::num_rows).sum();
        assert_eq!((count, excerpt.truncated), (got, truncated), "{rows} rows, {bytes} bytes");
        assert!(!cancel.is_cancelled());
        let view = last(&gateway);
        assert_eq!((view.state, view.rows, view.client.as_str()), (State::Finished, got as u64, "test"));
    }
    assert_eq!(gateway.0.admission.counts().running, 0);
}

#[tokio::test]
async fn a_cancel_ends_the_wait_for_a_turn() {
    let gateway = gateway(Users::none(), AdmissionLimits { running: 1, ..AdmissionLimits::default() });
    let anybody = gateway.login(None, None).unwrap();
    let _turn = gateway.0.admission.enter("somebody").await.unwrap();
    let cancel = Cancel::new();
    let (waiting, ending) = tokio::join!(gateway.excerpt(&anybody, question(1, 1), &cancel), async {
        while gateway.0.admission.counts().queued == 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    let () = ending;
    assert_eq!(waiting.unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(last(&gateway).state, State::Cancelled);
}

#[tokio::test]
async fn what_is_no_query_and_what_comes_too_late_is_refused() {
    let gateway = open();
    let anybody = gateway.login(None, None).unwrap();
    let shared = Question { sql: "DECLARE c CURSOR FOR SELECT 1 INTO 2".into(), ..question(1, 1) };
    let error = gateway.excerpt(&anybody, shared, &Cancel::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    gateway.0.draining.begin();
    let error = gateway.excerpt(&anybody, question(1, 1), &Cancel::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
}

#[test]
fn refused_logins_are_counted() {
    let entry = UserEntry { name: "ann".into(), password_hash: Some(hash("s3cret").unwrap()), rules: Vec::new() };
    let gateway = gateway(Users::new(&[entry]).unwrap(), AdmissionLimits::default());
    assert!(!gateway.is_open());
    // ann:s3cret and ann:wrong.
    assert_eq!(gateway.login(Some("Basic YW5uOnMzY3JldA=="), None).unwrap().user(), "ann");
    for header in [None, Some("Basic YW5uOndyb25n")] {
        assert_eq!(gateway.login(header, None).unwrap_err().kind(), ErrorKind::Authentication);
    }
    assert!(gateway.monitor().metrics().contains("bowshot_logins_refused_total 2"));
}
