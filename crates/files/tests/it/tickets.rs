//! Partitions that are read by their tickets, of these very files or not at all.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use bowshot_core::{Cancel, Error, ErrorKind, Holder, Lease, Options, Query, Request, Result, Source, Stream, Ticket};
use bowshot_files::Files;
use parquet::file::properties::WriterProperties;

use crate::support::{many_types, options, plan, read_with, uri, write_parquet};

pub fn tickets(uri: &str, query: &str, options: &Options) -> Vec<Ticket> {
    let request = Request::new(Query::new(query), options.clone());
    let plan = plan(uri, query, options).unwrap();
    let holder = Holder::new(&plan, &request, Lease::default(), &Cancel::new()).unwrap();
    let tickets = holder.tickets().unwrap();
    assert!(tickets.iter().all(Ticket::has_snapshot));
    tickets
}

pub fn join(uri: &str, ticket: &Ticket) -> Result<Vec<RecordBatch>> {
    let ticket = Ticket::from_bytes(&ticket.to_bytes()?)?;
    let plan = Files::from_uri(uri)?.join(&ticket, &Cancel::new())?;
    Stream::start(plan, &ticket.options(), Cancel::new()).collect()
}

pub fn refused(uri: &str, ticket: &Ticket) -> Error {
    join(uri, ticket).unwrap_err()
}

/// The tickets' rows are those of the whole read, in its order; how many there were.
#[track_caller]
pub fn assert_travels(uri: &str, query: &str, options: &Options) -> usize {
    let whole = read_with(uri, query, options).unwrap();
    let tickets = tickets(uri, query, options);
    let batches: Vec<RecordBatch> = tickets.iter().flat_map(|ticket| join(uri, ticket).unwrap()).collect();
    assert!(batches.iter().all(|batch| batch.schema() == whole.schema()), "{query}");
    assert_eq!(concat_batches(&whole.schema(), &batches).unwrap(), whole, "{query}");
    tickets.len()
}

/// Small buffers, so that small files are divided.
fn divided() -> Options {
    Options { buffer_bytes: 1 << 16, batch_bytes: 1 << 14, ..options() }
}

fn row_groups(rows: usize) -> WriterProperties {
    WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build()
}

fn csv(path: &Path, rows: usize) {
    let mut text = String::from("n,text,price\n");
    for n in 0..rows {
        let quoted = if n % 50 == 7 { "\"two\nlines, and a comma\"" } else { "plain text that takes some room" };
        text.push_str(&format!("{n},{quoted},{}.25\n", n / 3));
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn every_kind_of_file_travels() {
    let folder = tempfile::tempdir().unwrap();
    let parquet = folder.path().join("many.parquet");
    write_parquet(&parquet, &many_types(60_000), row_groups(7_000));
    let address = uri(&parquet);
    assert!(assert_travels(&address, "SELECT * FROM many", &divided()) > 2);
    assert_travels(&address, "SELECT text, id, id AS again FROM many LIMIT 20000", &divided());
    assert_travels(&address, "SELECT * FROM many", &options());

    let text = folder.path().join("lines.csv");
    csv(&text, 60_000);
    assert!(assert_travels(&uri(&text), "SELECT * FROM lines", &divided()) > 1);
    assert_travels(&uri(&text), "SELECT price, n FROM lines LIMIT 100", &divided());

    let lines = folder.path().join("records.jsonl");
    let record =
        |n: usize| format!("{{\"n\":{n},\"on\":[{n}],\"at\":\"2024-01-01\",\"text\":\"{}\"}}\n", "x".repeat(30));
    std::fs::write(&lines, (0..60_000).map(record).collect::<String>()).unwrap();
    assert!(assert_travels(&uri(&lines), "SELECT * FROM records", &divided()) > 1);
    let types = [("day".to_owned(), bowshot_core::parse_type("utf8").unwrap())].into();
    assert!(assert_travels(&uri(&lines), "SELECT at AS day, n FROM records", &Options { types, ..divided() }) > 1);
    let types = [("at".to_owned(), bowshot_core::parse_type("date32").unwrap())].into();
    assert!(assert_travels(&uri(&lines), "SELECT on, at FROM records", &Options { types, ..divided() }) > 1);

    // As deep as values may lie: the schema of a ticket is a message, whose readers have bounds of their own.
    let deep = folder.path().join("deep.jsonl");
    std::fs::write(&deep, format!("{{\"a\":{}1{}}}\n", "[{\"b\":".repeat(24), "}]".repeat(24))).unwrap();
    assert_eq!(assert_travels(&uri(&deep), "", &options()), 1);

    let arrow = folder.path().join("batches.arrow");
    let batch = many_types(30_000);
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(std::fs::File::create(&arrow).unwrap(), &batch.schema()).unwrap();
    for start in (0..30_000).step_by(5_000) {
        writer.write(&batch.slice(start, 5_000)).unwrap();
    }
    writer.finish().unwrap();
    assert!(assert_travels(&uri(&arrow), "SELECT * FROM batches", &divided()) > 1);
}

#[test]
fn folders_with_keys_and_types_of_the_user_s_travel() {
    let folder = tempfile::tempdir().unwrap();
    for day in ["day=2024-01-01", "day=2024-01-02", "day=__HIVE_DEFAULT_PARTITION__"] {
        std::fs::create_dir(folder.path().join(day)).unwrap();
        write_parquet(&folder.path().join(day).join("part.parquet"), &many_types(9_000), row_groups(4_000));
    }
    let address = format!("{}?hive=true", uri(folder.path()));
    let types = [("d9".to_owned(), arrow_schema::DataType::Utf8)].into();
    let options = Options { types, ..divided() };
    assert!(assert_travels(&address, "SELECT day, id, d9, text FROM data", &options) > 1);
    assert!(assert_travels(&format!("{}/*/*.parquet", uri(folder.path())), "SELECT * FROM data", &divided()) > 1);
}

#[test]
fn a_ticket_looks_at_its_own_files_alone() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..20 {
        write_parquet(&folder.path().join(format!("{number:02}.parquet")), &many_types(3_000), row_groups(1_000));
    }
    let tickets = tickets(&uri(folder.path()), "SELECT * FROM data", &divided());
    let rows = |ticket| join(&uri(folder.path()), ticket).unwrap().iter().map(RecordBatch::num_rows).sum::<usize>();
    let first = rows(&tickets[0]);
    // What becomes of the others is none of its business.
    for number in 10..20 {
        std::fs::write(folder.path().join(format!("{number:02}.parquet")), "no parquet any more").unwrap();
    }
    assert_eq!(rows(&tickets[0]), first);
    let last = refused(&uri(folder.path()), tickets.last().unwrap());
    assert_eq!(last.kind(), ErrorKind::SnapshotGone, "{last}");
    assert!(last.message().contains("19.parquet"), "{last}");
}

#[test]
fn files_that_changed_are_gone_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.parquet");
    let address = uri(&path);
    let written = || write_parquet(&path, &many_types(5_000), row_groups(1_000));
    written();
    let ticket = tickets(&address, "SELECT * FROM one", &options()).remove(0);
    let same_size = std::fs::read(&path).unwrap();
    for (what, change) in [
        ("other rows", Box::new(|| write_parquet(&path, &many_types(4_000), row_groups(1_000))) as Box<dyn Fn()>),
        (
            "another file of the same bytes",
            Box::new(|| {
                std::fs::remove_file(&path).unwrap();
                std::fs::write(&path, &same_size).unwrap();
            }),
        ),
        ("a shorter one", Box::new(|| std::fs::write(&path, &same_size[..1000]).unwrap())),
        ("none", Box::new(|| std::fs::remove_file(&path).unwrap())),
    ] {
        change();
        let error = refused(&address, &ticket);
        assert_eq!(error.kind(), ErrorKind::SnapshotGone, "{what}: {error}");
        assert!(error.message().contains("one.parquet") && error.hint().is_some(), "{what}: {error}");
    }
}

#[test]
fn copies_elsewhere_are_the_same_if_their_times_are() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    std::fs::create_dir(&here).unwrap();
    std::fs::create_dir(&there).unwrap();
    write_parquet(&here.join("a.parquet"), &many_types(5_000), row_groups(1_000));
    let ticket = tickets(&uri(&here), "SELECT id FROM data", &options()).remove(0);
    std::fs::copy(here.join("a.parquet"), there.join("a.parquet")).unwrap();
    assert_eq!(refused(&uri(&there), &ticket).kind(), ErrorKind::SnapshotGone);
    let written = std::fs::metadata(here.join("a.parquet")).unwrap().modified().unwrap();
    std::fs::File::options().write(true).open(there.join("a.parquet")).unwrap().set_modified(written).unwrap();
    assert_eq!(join(&uri(&there), &ticket).unwrap(), join(&uri(&here), &ticket).unwrap());
}

#[test]
fn a_ticket_does_not_lead_out_of_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
    for place in [&inside, &outside] {
        std::fs::create_dir(place).unwrap();
        write_parquet(&place.join("a.parquet"), &many_types(100), row_groups(100));
    }
    let of_a_file = tickets(&uri(&outside.join("a.parquet")), "SELECT id FROM data", &options()).remove(0);
    assert_eq!(refused(&uri(&inside), &of_a_file).kind(), ErrorKind::Config);
    let of_a_folder = tickets(&uri(folder.path()), "SELECT id FROM data", &options()).remove(0);
    assert_eq!(refused(&uri(&inside.join("a.parquet")), &of_a_folder).kind(), ErrorKind::Config);
    let pattern = format!("{}/out*/*.parquet", folder.path().display());
    assert!(join(&pattern, &tickets(&pattern, "SELECT id FROM data", &options()).remove(0)).is_ok());
    assert_eq!(refused(&pattern, &of_a_folder).kind(), ErrorKind::Config);
}

#[test]
fn damaged_states_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write_parquet(&path("one.parquet"), &many_types(500), row_groups(100));
    crate::arrow::write_file(&path("two.arrow"), &many_types(200), 50, None);
    csv(&path("three.csv"), 200);
    for (name, query) in [
        ("one.parquet", "SELECT id, text FROM data"),
        ("two.arrow", "SELECT id, text FROM data"),
        ("three.csv", "SELECT price, text FROM data LIMIT 100"),
    ] {
        let uri = uri(&path(name));
        let ticket = tickets(&uri, query, &divided()).remove(0);
        // With a right check sum, as somebody makes it who wants to see what happens.
        let bytes = ticket.to_bytes().unwrap();
        let body = &bytes[..bytes.len() - 8];
        for place in (8..body.len()).step_by(3) {
            for value in [0, 1, 0x7f, 0xff] {
                let mut forged = body.to_vec();
                forged[place] = value;
                // Rows of these files or an error; never a panic, never a hang.
                if let Ok(forged) = bowshot_core::testing::ticket_of(&forged) {
                    let _ = join(&uri, &forged);
                }
            }
        }
        assert!(join(&uri, &ticket).is_ok(), "{name}");
    }
}
