use bowshot_core::{ErrorKind, Options, Partitioning, SOURCE_TYPE};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

use crate::support::*;

#[test]
fn every_type_in_every_compression() {
    let folder = tempfile::tempdir().unwrap();
    let batch = many_types(1_000);
    for (number, compression) in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
        Compression::LZ4,
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(format!("{number}.parquet"));
        let version = if number % 2 == 0 { WriterVersion::PARQUET_1_0 } else { WriterVersion::PARQUET_2_0 };
        let properties = WriterProperties::builder().set_compression(compression).set_writer_version(version);
        write_parquet(&path, &batch, properties.set_max_row_group_row_count(Some(300)).build());
        assert_same(&read(&uri(&path), ""), &batch);
    }
    let all = read(&uri(folder.path()), "");
    assert_eq!(all.num_rows(), 7_000);
    let field = all.schema_ref().field_with_name("d9").unwrap().clone();
    assert_eq!(field.metadata()[SOURCE_TYPE], "INT32 (DECIMAL(9, 2))");
    assert!(!all.schema_ref().field_with_name("id").unwrap().is_nullable());
}

#[test]
fn large_row_groups_are_split_and_small_ones_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let batch = many_types(60_000);
    let one = folder.path().join("one.parquet");
    write_parquet(&one, &batch, WriterProperties::builder().set_data_page_size_limit(20_000).build());
    let options = Options { buffer_bytes: 4 << 20, ..options() };
    let plan_of_one = plan(&uri(&one), "", &options).unwrap();
    assert!(plan_of_one.partitions.len() > 3, "{plan_of_one}");
    assert!(plan_of_one.partitions[1].label.starts_with("rows "), "{:?}", plan_of_one.partitions);
    assert_same(&finish(plan_of_one, &options).unwrap(), &batch);

    let many = folder.path().join("many.parquet");
    write_parquet(&many, &batch, WriterProperties::builder().set_max_row_group_row_count(Some(500)).build());
    let plan_of_many = plan(&uri(&many), "", &options).unwrap();
    let partitions = plan_of_many.partitions.len();
    assert!((3..40).contains(&partitions), "{partitions}");
    assert_same(&finish(plan_of_many, &options).unwrap(), &batch);

    let single = Options { partitioning: Partitioning::Single, ..options };
    let plan_of_all = plan(&uri(folder.path()), "", &single).unwrap();
    assert_eq!(plan_of_all.partitions.len(), 1);
    assert_eq!(finish(plan_of_all, &single).unwrap().num_rows(), 120_000);
}

#[test]
fn columns_are_chosen_ordered_renamed_and_limited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.parquet");
    let batch = many_types(10_000);
    write_parquet(&path, &batch, WriterProperties::builder().set_max_row_group_row_count(Some(1_000)).build());
    let found = read(&uri(&path), "SELECT text, id AS number, \"struct\", TEXT AS again FROM many LIMIT 2500");
    assert_eq!(found.num_rows(), 2_500);
    let names: Vec<_> = found.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["text", "number", "struct", "again"]);
    assert_eq!(found.column(1), &batch.column_by_name("id").unwrap().slice(0, 2_500));
    assert_eq!(found.column(3), &batch.column_by_name("text").unwrap().slice(0, 2_500));
    assert_eq!(read(&uri(&path), "SELECT * FROM 'many.parquet' LIMIT 0").num_rows(), 0);
    assert_eq!(read(&uri(&path), "SELECT id FROM data LIMIT 99999").num_rows(), 10_000);

    let error = failure(&uri(&path), "SELECT nothing FROM many");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Sql, Some("nothing")));
    assert!(failure(&uri(&path), "SELECT * FROM other").to_string().contains("FROM many"));
    assert!(failure(&uri(&path), "SELECT * FROM many WHERE id = 1").to_string().contains("WHERE id = 1"));
}

#[test]
fn users_types_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    write_parquet(&path, &many_types(500), WriterProperties::default());
    let with = |name: &str, of: &str| {
        let types = [(name.to_owned(), bowshot_core::parse_type(of).unwrap())].into();
        read_with(&uri(&path), "", &Options { types, ..options() })
    };
    assert_eq!(with("id", "int16").unwrap().column(0).data_type(), &arrow_schema::DataType::Int16);
    let error = with("id", "int8").unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("id")));
    assert_eq!(with("nothing", "int8").unwrap_err().kind(), ErrorKind::Config);
}

#[test]
fn what_files_cannot_do_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    write_parquet(&path, &many_types(10), WriterProperties::default());
    let uri = uri(&path);
    let column = Partitioning::Column { column: "id".into(), count: 2, range: None };
    for (options, kind) in [
        (Options { partitioning: column, ..options() }, ErrorKind::Unsupported),
        (Options { protocol: Some("binary".into()), ..options() }, ErrorKind::Config),
        (Options { before: vec!["SET x = 1".into()], ..options() }, ErrorKind::Config),
    ] {
        assert_eq!(read_with(&uri, "", &options).unwrap_err().kind(), kind);
    }
    assert_eq!(failure("file:///no/such/file.parquet", "").kind(), ErrorKind::Io);
    assert!(failure("file:///no/such/*.parquet", "").to_string().contains("no files"));
}

#[test]
fn lists_of_queries_are_partitions() {
    use bowshot_core::{Cancel, Query, Request, Source};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    write_parquet(&path, &many_types(100), WriterProperties::default());
    let request = |queries: [&str; 2]| Request { queries: queries.map(Query::new).to_vec(), options: options() };
    let source = bowshot_files::Files::from_uri(&uri(&path)).unwrap();
    let plan = source.plan(&request(["SELECT id FROM data", "SELECT id FROM data LIMIT 10"]), &Cancel::new()).unwrap();
    assert_eq!(plan.partitions.len(), 2);
    assert_eq!(finish(plan, &options()).unwrap().num_rows(), 110);
    let error = source.plan(&request(["SELECT id FROM data", "SELECT text FROM data"]), &Cancel::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}
