//! Options, errors, queries, changes, metadata, partitions.

use std::collections::HashSet;

use adbc_core::error::{Error, Status};
use adbc_core::options::{
    InfoCode, IngestMode, ObjectDepth, OptionConnection, OptionDatabase, OptionStatement, OptionValue,
};
use adbc_core::{Connection, Database, Driver, Optionable, Statement};
use adbc_driver_bowshot::{BowshotConnection, BowshotDriver, BowshotStatement};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{RecordBatch, RecordBatchReader};

fn shop() -> (tempfile::TempDir, BowshotConnection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch(
            "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL);
             INSERT INTO items VALUES (1, 'bow', 12.5), (2, 'arrow', NULL), (3, 'quiver', 8);
             CREATE VIEW cheap AS SELECT * FROM items WHERE price < 10;",
        )
        .unwrap();
    let connection = connect(path.to_str().unwrap()).unwrap();
    (folder, connection)
}

fn connect(uri: &str) -> Result<BowshotConnection, Error> {
    let options = [(OptionDatabase::Uri, OptionValue::from(uri))];
    BowshotDriver.new_database_with_opts(options)?.new_connection()
}

fn statement(connection: &mut BowshotConnection, sql: &str) -> BowshotStatement {
    let mut statement = connection.new_statement().unwrap();
    statement.set_sql_query(sql).unwrap();
    statement
}

fn all(reader: Box<dyn RecordBatchReader + Send>) -> RecordBatch {
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    assert!(batches.len() < 2, "the tests' results are small");
    batches.into_iter().next().unwrap_or_else(|| RecordBatch::new_empty(schema))
}

#[test]
fn a_query_s_rows_and_its_schema_beforehand() {
    let (_folder, mut connection) = shop();
    let mut statement = statement(&mut connection, "SELECT id, name FROM items WHERE id > ? ORDER BY id");
    let id = arrow_array::Int64Array::from(vec![1]);
    let bound = RecordBatch::try_from_iter([("id", std::sync::Arc::new(id) as _)]).unwrap();
    statement.bind(bound.clone()).unwrap();
    let rows = all(statement.execute().unwrap());
    assert_eq!(rows.column(0).as_primitive::<Int64Type>().values(), &[2, 3]);
    assert_eq!(rows.schema().field(1).name(), "name");
    statement.bind(bound).unwrap();
    assert_eq!(&statement.execute_schema().unwrap(), rows.schema().as_ref());
}

#[test]
fn changes_count_their_rows_and_a_read_only_connection_has_none() {
    let (_folder, mut connection) = shop();
    let mut update = statement(&mut connection, "UPDATE items SET price = 1 WHERE id < 3");
    assert_eq!(update.execute_update().unwrap(), Some(2));
    connection.set_option(OptionConnection::ReadOnly, "true".into()).unwrap();
    let mut update = statement(&mut connection, "UPDATE items SET price = 2");
    assert_eq!(update.execute_update().unwrap_err().status, Status::InvalidState);
}

#[test]
fn an_ingest_makes_its_table_and_appends_to_it() {
    let (_folder, mut connection) = shop();
    let batch = all(statement(&mut connection, "SELECT * FROM items").execute().unwrap());
    for (mode, expected) in [(IngestMode::Create, 3), (IngestMode::Append, 6), (IngestMode::Replace, 3)] {
        let mut ingest = connection.new_statement().unwrap();
        ingest.set_option(OptionStatement::TargetTable, "copies".into()).unwrap();
        ingest.set_option(OptionStatement::IngestMode, mode.into()).unwrap();
        ingest.bind(batch.clone()).unwrap();
        assert_eq!(ingest.execute_update().unwrap(), Some(3));
        let count = all(statement(&mut connection, "SELECT count(*) AS n FROM copies").execute().unwrap());
        assert_eq!(count.column(0).as_primitive::<Int64Type>().value(0), expected);
    }
}

#[test]
fn an_ingest_that_does_not_fit_its_table_says_so() {
    let (_folder, mut connection) = shop();
    let mut refusal = |table: &str, mode: IngestMode, sql: &str| {
        let batch = all(statement(&mut connection, sql).execute().unwrap());
        let mut ingest = connection.new_statement().unwrap();
        ingest.set_option(OptionStatement::TargetTable, table.into()).unwrap();
        ingest.set_option(OptionStatement::IngestMode, mode.into()).unwrap();
        ingest.bind(batch).unwrap();
        ingest.execute_update().unwrap_err().status
    };
    assert_eq!(refusal("items", IngestMode::Create, "SELECT * FROM items"), Status::AlreadyExists);
    for mode in [IngestMode::Append, IngestMode::CreateAppend] {
        assert_eq!(refusal("items", mode, "SELECT 7 AS colour FROM items"), Status::AlreadyExists);
    }
    assert_eq!(refusal("nothing", IngestMode::Append, "SELECT * FROM items"), Status::NotFound);
}

#[test]
fn partitions_are_read_by_another_connection() {
    let (folder, mut connection) = shop();
    let mut query = statement(&mut connection, "SELECT id FROM items");
    let partitions = query.execute_partitions().unwrap();
    let other = connect(folder.path().join("shop.db").to_str().unwrap()).unwrap();
    let rows: usize =
        partitions.partitions.iter().map(|ticket| all(other.read_partition(ticket).unwrap()).num_rows()).sum();
    assert_eq!(rows, 3);
    let Err(error) = other.read_partition(b"no ticket") else { panic!("anything is read") };
    assert_eq!(error.status, Status::InvalidArguments);
}

#[test]
fn metadata_of_every_depth() {
    let (_folder, connection) = shop();
    for depth in [ObjectDepth::Catalogs, ObjectDepth::Schemas, ObjectDepth::Tables, ObjectDepth::All] {
        let objects = all(connection.get_objects(depth, None, None, None, None, None).unwrap());
        assert_eq!(objects.num_rows(), 1);
    }
    let objects = all(connection.get_objects(ObjectDepth::All, None, None, Some("it%"), None, Some("name")).unwrap());
    let text = format!("{:?}", objects.column(1));
    assert!(text.contains("items") && text.contains("name") && !text.contains("cheap"), "{text}");
    let schema = connection.get_table_schema(None, None, "items").unwrap();
    assert_eq!(schema.fields().len(), 3);
    assert_eq!(connection.get_table_schema(None, None, "nothing").unwrap_err().status, Status::NotFound);
    assert!(all(connection.get_table_types().unwrap()).num_rows() > 2);
    let info = all(connection.get_info(Some(HashSet::from([InfoCode::DriverName, InfoCode::VendorVersion]))).unwrap());
    assert_eq!(info.num_rows(), 2);
    let statistics = all(connection.get_statistics(None, None, None, true).unwrap());
    assert_eq!(statistics.num_rows(), 1);
    assert_eq!(all(connection.get_statistic_names().unwrap()).num_rows(), 0);
}

#[test]
fn options_that_are_none_are_named() {
    let Err(error) = connect("") else { panic!("nothing is connected to") };
    assert_eq!(error.status, Status::InvalidArguments);
    let (_folder, mut connection) = shop();
    let unknown = connection.set_option(OptionConnection::Other("bowshot.speed".into()), "high".into()).unwrap_err();
    assert_eq!(unknown.status, Status::NotImplemented);
    assert!(unknown.message.contains("bowshot.speed"), "{}", unknown.message);
    let mut statement = statement(&mut connection, "SELECT nothing FROM items");
    let Err(error) = statement.execute() else { panic!("there is no such column") };
    assert!(error.message.contains("nothing"), "{}", error.message);
    let off = connection.set_option(OptionConnection::AutoCommit, "false".into()).unwrap_err();
    assert_eq!(off.status, Status::NotImplemented);
}

#[test]
fn a_password_is_in_no_error_and_no_option() {
    let options = [
        (OptionDatabase::Uri, OptionValue::from("postgresql://ann@127.0.0.1:1/shop")),
        (OptionDatabase::Password, OptionValue::from("s3cret")),
    ];
    let database = BowshotDriver.new_database_with_opts(options).unwrap();
    assert!(database.get_option_string(OptionDatabase::Password).is_err());
    assert!(!database.get_option_string(OptionDatabase::Uri).unwrap().contains("s3cret"));
    let mut connection = database.new_connection().unwrap();
    let Err(error) = statement(&mut connection, "SELECT 1").execute() else { panic!("nobody listens there") };
    assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
}
