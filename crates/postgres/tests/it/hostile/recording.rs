//! What a real server says, connection by connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

use bowshot_core::Options;
use bowshot_testkit::FalseServer;

use crate::reading::{Database, SERVER, read};

/// A value of every kind of decoder, NULLs, and a table that is split.
pub(super) static DATA: LazyLock<Database> = LazyLock::new(|| {
    Database::make(
        "hostile",
        "CREATE EXTENSION IF NOT EXISTS hstore; CREATE EXTENSION bowshot;
         CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy'); CREATE DOMAIN positive AS int CHECK (VALUE > 0);
         CREATE TYPE pair AS (a int, b text, c numeric(6, 2));
         CREATE TABLE kinds AS SELECT i::int2 AS s, i::int4 AS i, i::int8 AS l, i::float4 AS f, i::float8 AS d, i % 2 = 0 AS b,
           (i / 7.0)::numeric(12, 4) AS n, (10::numeric ^ (i * 4) + 0.5) AS free, i::money AS m, 'text ' || i AS t,
           'c'::char(3) AS c, 'name'::name AS nm, '\\xdeadbeef'::bytea AS by, date '2020-02-29' + i AS da,
           time '12:34:56.789' AS ti, timetz '12:34:56+05:30' AS tz, timestamp '2020-02-29 12:34:56' AS ts,
           timestamptz '2020-02-29 12:34:56+00' AS tsz, interval '1 year 2 days 3.5 seconds' AS iv,
           gen_random_uuid() AS u, '{\"a\": [1, null]}'::json AS j, '{\"a\": [1, null]}'::jsonb AS jb, '10.1.2.0/24'::cidr AS ci,
           '2001:db8::1'::inet AS ine, '08:00:2b:01:02:03'::macaddr AS ma, B'1011' AS bi, B'10110'::varbit AS vb,
           ARRAY[i, NULL, 3] AS ai, '{}'::int[] AS ae, 'ok'::mood AS mo, i::positive AS p,
           ROW(i, 'b', 1.5)::pair AS pa, ARRAY[ROW(i, NULL, 2)::pair] AS paa, int4range(i, i + 5) AS r, numrange(NULL, 2.5) AS nr,
           int4multirange(int4range(1, 2), int4range(5, 9)) AS mr, 'a=>1, b=>NULL'::hstore AS h, point(1, 2) AS po,
           NULL::text AS nothing, '12'::xid AS x, '0/16B3748'::pg_lsn AS lsn
           FROM generate_series(1, 4) i;
         ALTER TABLE kinds ADD COLUMN at text[][] DEFAULT ARRAY[['a', NULL], ['c', 'd']];
         INSERT INTO kinds (at) VALUES (NULL);
         CREATE TABLE big AS SELECT i AS id, rpad('', 900, 'x') AS note FROM generate_series(1, 20000) i; ANALYZE",
    )
});

/// What the server sends while a query is read: one recording a connection, in their order.
pub(super) fn record(sql: &str, options: &Options) -> Vec<Vec<u8>> {
    let recordings: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let port = SERVER.port();
    LazyLock::force(&DATA);
    let shared = Arc::clone(&recordings);
    let proxy = FalseServer::raw(move |mut client| {
        let index = {
            let mut recordings = shared.lock().unwrap();
            recordings.push(Vec::new());
            recordings.len() - 1
        };
        let mut server = TcpStream::connect(("127.0.0.1", port))?;
        let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
        thread::spawn(move || {
            // Either side may hang up first.
            let _ = std::io::copy(&mut from_client, &mut to_server);
            let _ = to_server.shutdown(Shutdown::Write);
        });
        let mut block = vec![0; 64 << 10];
        loop {
            let count = server.read(&mut block)?;
            if count == 0 {
                return client.shutdown(Shutdown::Write);
            }
            shared.lock().unwrap()[index].extend_from_slice(&block[..count]);
            client.write_all(&block[..count])?;
        }
    })
    .unwrap();
    let uri = format!("postgresql://trusted@127.0.0.1:{}/hostile?sslmode=disable", proxy.port());
    read(&uri, sql, options).unwrap();
    let recordings = recordings.lock().unwrap().clone();
    assert!(recordings.iter().all(|recording| !recording.is_empty()));
    recordings
}

/// Where each message of a recording begins and ends.
pub(super) fn messages(recording: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(length) = recording.get(at + 1..at + 5) {
        let length = usize::try_from(u32::from_be_bytes(length.try_into().unwrap())).unwrap();
        found.push(at..at + 1 + length);
        at += 1 + length;
    }
    assert_eq!(at, recording.len());
    found
}
