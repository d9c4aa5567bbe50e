use proptest::prelude::*;

use super::*;

#[test]
fn where_it_is_stays_and_secrets_go() {
    for (uri, expected) in [
        ("postgresql://ann:s3cret@db.example:5432/shop?sslmode=require", "postgresql://ann@db.example:5432/shop?…"),
        ("postgresql://ann@db/shop", "postgresql://ann@db/shop"),
        ("postgresql://ann:s3@cret@db/shop", "postgresql://ann@db/shop"),
        ("postgresql://ann:s3/cr@et@db/shop", "postgresql://…"),
        ("postgresql://ann:12/s3cret@db/shop", "postgresql://…"),
        ("postgresql://ann:s3#cret@db/shop", "postgresql://ann@db/shop"),
        ("postgresql://ann:s3cret/shop", "postgresql://…"),
        ("postgresql://db/shop?user=ann&password=s3@cret", "postgresql://db/shop?…"),
        ("jdbc:postgresql://db/shop?user=ann&password=s3cret", "jdbc:postgresql://db/shop?…"),
        ("trino://s3cret@db/hive", "trino://…@db/hive"),
        ("snowflake://ann:s3cret@account/db", "snowflake://ann@account/db"),
        ("grpc+tls://h:1?token=s3cret", "grpc+tls://h:1?…"),
        ("mysql:ann:s3cret@db/shop", "mysql:…"),
        ("postgresql:/ann:s3cret@db/shop", "postgresql:…"),
        ("\"postgresql://ann:s3cret@db/shop\"", "…"),
        ("sqlite:///var/shop.db", "sqlite:///var/shop.db"),
        ("sqlite://ann:s3cret@db/shop", "sqlite://…"),
        ("sqlite:shop.db?key=s3cret", "sqlite:shop.db?…"),
        ("file:lake/day=1/*.csv?delimiter=;", "file:lake/day=1/*.csv?…"),
        ("host=/tmp dbname=shop password=s3cret", "host=/tmp dbname=shop"),
        ("host=/tmp password=s3cret dbname=shop", "host=/tmp"),
        ("host=/tmp password='s3 cret'", "…"),
        ("host=db;password=s3cret", "…"),
        ("Server=db;UID=ann;PWD=s3cret", "…"),
        ("odbc:DSN=shop;UID=ann;PWD=s3cret", "odbc:DSN=shop;…"),
        ("odbc:Driver={My Driver};PWD=s3cret", "odbc:Driver={My Driver};…"),
        ("odbc:PWD=s3cret", "odbc:…"),
        ("odbc:PWD=a;DSN=s3cret", "odbc:…"),
        ("odbc:shop", "odbc:shop"),
        ("odbc:ann:s3cret@db", "odbc:…"),
        ("odbc:a:x#s3cret@db", "odbc:…"),
        ("a:s3cret", "…"),
        ("x.csv?a:s3cret@db", "…"),
        ("adbc:snowflake?uri=ann:s3cret@h", "adbc:snowflake?…"),
        ("adbc:snowflake://ann:s3cret@h", "adbc:snowflake://ann@h"),
        ("s3://lake/orders.parquet?secret_access_key=s3cret", "s3://lake/orders.parquet?…"),
        ("s3://key:s3cret@lake/x", "s3://…@lake/x"),
        ("abfss://box@account.dfs.core.windows.net/x", "abfss://box@account.dfs.core.windows.net/x"),
        ("./lake/", "./lake/"),
        ("/data/my shop (1).db", "/data/my shop (1).db"),
        ("lake/day=2024-01-01/x.parquet", "lake/day=2024-01-01/x.parquet"),
        ("lake/2024-??-*.csv", "lake/2024-?…"),
        ("C:\\lake\\x.csv", "C:\\lake\\x.csv"),
        (":memory:", ":memory:"),
        ("ann/s3cret@db:1521/shop", "…"),
        ("mysql -u ann -ps3cret", "…"),
        ("postgresql%3A%2F%2Fann%3As3cret%40db", "…"),
        ("{\"host\": \"db\", \"password\": \"s3cret\"}", "…"),
    ] {
        assert_eq!(Address::new(uri).to_string(), expected, "{uri}");
    }
}

#[test]
fn special_characters_are_understood_where_they_have_one_meaning() {
    for (uri, expected) in [
        ("mysql://ann:a#b@db/shop", "mysql://ann:a%23b@db/shop"),
        ("mysql://ann:a@b@db/shop", "mysql://ann:a%40b@db/shop"),
        ("mysql://ann:a:b[c]@[::1]:1/shop", "mysql://ann:a%3Ab%5Bc%5D@[::1]:1/shop"),
        ("mysql://ann:a b\u{fc}@db", "mysql://ann:a%20b%C3%BC@db"),
        ("mysql://ann:100%@db", "mysql://ann:100%25@db"),
        ("mysql://ann:100%zz%41@db", "mysql://ann:100%25zz%41@db"),
        // A port is a number: the slash cannot end a host.
        ("mysql://ann:a/b@db/shop?x=1", "mysql://ann:a%2Fb@db/shop?x=1"),
        ("mysql://ann:a?b@db:1/shop", "mysql://ann:a%3Fb@db:1/shop"),
        ("mysql://db/shop?user=a@b&password=c@d", "mysql://db/shop?user=a@b&password=c@d"),
        ("mysql://db:3306/shop?user=a@b&password=c", "mysql://db:3306/shop?user=a@b&password=c"),
        ("mysql://ann@db/shop?email=a@b", "mysql://ann@db/shop?email=a@b"),
        ("host=db password=a/b@c", "host=db password=a/b@c"),
    ] {
        assert_eq!(login::encoded(uri).unwrap(), expected, "{uri}");
    }
}

#[test]
fn nothing_is_asked_of_a_host_that_may_not_be_meant() {
    for uri in [
        "mysql://ann:12/hunter2@db/shop",
        "mysql://ann:12?hunter2@db/shop",
        "mysql://ann:/hunter2@db/shop",
        "mysql://ann/x:hunter2@db/shop",
        "mysql://ann:a@b/hunter2@db/shop",
        "mysql://ann:a@b?hunter2@db/shop",
        "mysql://ann:a@b/shop?x=hunter2@db",
        "mysql://ann:a/hunter2@b@db/shop",
        "mysql://ann:pw@db hunter2/shop",
        "mysql://ann:hunter2%ff@db/shop",
        "mysql://hunter2\"@db{}/shop",
    ] {
        let error = Address::read_uri(uri, |plain| Ok(plain.to_owned())).unwrap_err();
        let text = format!("{error:?}");
        assert!(!text.contains("hunter2") && text.contains("%2F"), "{uri}: {text}");
    }
}

#[test]
fn what_parses_an_address_cannot_tell_its_secrets() {
    for (uri, told) in [
        ("mysql://ann:hunter2@db/shop", "\"hunter2\" is no password"),
        ("mysql://db/shop?password=a&hunter2=x", "there is no option \"hunter2\""),
        ("odbc:DSN=x;PWD=a;hunter2=1;x", "hunter2"),
        ("trino://hunter2@db", "hunter2"),
        // The password begins with two slashes, so that what stands before it may be a scheme.
        ("mysql:ann://hunter2@db/shop", "hunter2"),
        ("https://db/x.csv?sig=hunter2", "hunter2"),
    ] {
        let refuse = |_: &str| Err::<(), _>(crate::Error::new(crate::ErrorKind::Config, told));
        let error = Address::read(uri, refuse).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{uri}: {error}");
    }
    let refuse =
        |_: &str| Err::<(), _>(crate::Error::new(crate::ErrorKind::Config, "no option \"nonsense\" of ann at db"));
    let error = Address::read("mysql://ann:hunter2@db/?nonsense=1", refuse).unwrap_err();
    assert_eq!(error.to_string(), "no option \"nonsense\" of ann at db");
}

proptest! {
    #[test]
    fn no_password_is_ever_shown(before in "[a-z0-9:@/?#&=%;' \\[]{0,6}", after in "[a-z0-9:@/?#&=%;' \\[]{0,6}", form in 0..7_u8) {
        let password = format!("{before}Qz7x{after}");
        let uri = match form {
            0 => format!("mysql://ann@db/shop?password={password}"),
            1 => format!("mysql://ann:{password}@db/shop"),
            2 => format!("host=db password={password}"),
            3 => format!("odbc:DSN=a;PWD={password}"),
            4 => format!("jdbc:mysql://ann:{password}@db/shop"),
            5 => format!("Server=db;PWD={password}"),
            _ => format!("mysql:ann:{password}@db/shop"),
        };
        let shown = Address::new(&uri).to_string();
        prop_assert!(!shown.contains("Qz7x"), "{uri}: {shown}");
        let tell = |plain: &str| Err::<(), _>(crate::Error::new(crate::ErrorKind::Config, plain));
        let error = Address::read_uri(&uri, |plain| tell(plain)).unwrap_err();
        prop_assert!(!error.to_string().contains("Qz7x"), "{uri}: {error}");
    }

    #[test]
    fn an_encoded_password_is_the_same_one(user in "[^:/?@%\\PC]{1,5}", password in "[^/?%\\PC]{0,12}") {
        let uri = format!("mysql://{user}:{password}@db:1/shop");
        let encoded = login::encoded(&uri).unwrap();
        let (login, place) = login::split(encoded.strip_prefix("mysql://").unwrap()).unwrap();
        let (user_found, password_found) = login.unwrap().split_once(':').unwrap();
        let decode = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned();
        prop_assert_eq!((decode(user_found), decode(password_found), place), (user, password, "db:1/shop"));
    }
}
