use super::*;

fn column(sql_type: i16, size: usize, digits: i16, type_name: &str) -> Description {
    Description { name: "x".into(), sql_type, size, digits, type_name: type_name.into(), ..Description::default() }
}

fn names(family: Family, column: &Description) -> String {
    format_type(&rule(column, family).data_type)
}

#[test]
fn decimals_keep_their_digits() {
    for (precision, scale, name) in [
        (15, 2, "decimal128(15, 2)"),
        (38, 38, "decimal128(38, 38)"),
        (65, 30, "decimal256(65, 30)"),
        (3, 5, "decimal128(5, 5)"),
        (1000, 2, "utf8"),
        (10, -2, "utf8"),
        (0, 0, "utf8"),
    ] {
        assert_eq!(names(Family::Other, &column(sql::NUMERIC, precision, scale, "")), name);
    }
    assert_eq!(names(Family::Postgres, &column(sql::LONGVARCHAR, 8190, 0, "numeric")), "decimal256(76, 38)");
}

#[test]
fn what_drivers_convert_wrongly_is_asked_for_in_another_form() {
    let date = rule(&column(sql::DATE, 10, 0, "date"), Family::Postgres);
    assert_eq!((date.form, date.cast), (Form::Days, Some(Cast::Days)));
    let stamp = rule(&column(sql::TIMESTAMP, 29, 6, "timestamp"), Family::Postgres);
    assert_eq!((stamp.form, stamp.cast), (Form::Text, Some(Cast::Text)));
    assert_eq!(rule(&column(sql::DATE, 10, 0, "date"), Family::Other).form, Form::Structure);
    let float = rule(&column(sql::REAL, 7, 0, "float"), Family::MariaDb);
    assert_eq!(float.access, Access::Fixed { c_type: c::DOUBLE, size: 8 });
}

#[test]
fn text_of_postgres_stays_bytes_where_it_is_bound() {
    let text = rule(&column(sql::WVARCHAR, 10, 0, "varchar"), Family::Postgres);
    assert_eq!((text.form, text.access), (Form::Text, Access::Bounded { c_type: c::BINARY, size: 40 }));
    let long = |family| rule(&column(sql::WLONGVARCHAR, 8190, 0, "text"), family);
    assert_eq!(long(Family::Postgres).access, Access::Long { c_type: c::WCHAR });
    assert_eq!(long(Family::PostgresAnsi).access, Access::Long { c_type: c::CHAR });
}

#[test]
fn dates_of_mariadb_are_structures_that_are_marked_or_text() {
    for (description, data_type, c_type, size) in [
        (column(sql::DATE, 10, 0, "date"), DataType::Date32, c::DATE, 6),
        (column(sql::TIMESTAMP, 19, 0, "datetime"), DataType::Timestamp(TimeUnit::Microsecond, None), c::TIMESTAMP, 16),
    ] {
        let own = rule(&description, Family::MariaDb);
        assert_eq!((own.form, own.access), (Form::Structure, Access::Marked { c_type, size }));
        let wanted = chosen(&description, own.clone(), &DataType::Utf8, Family::MariaDb).unwrap();
        assert_eq!((wanted.form, wanted.data_type), (Form::Text, DataType::Utf8));
        let text = own.without_marks();
        assert_eq!((text.form, &text.data_type), (Form::Text, &data_type));
        assert_eq!(text.access, Access::Bounded { c_type: c::CHAR, size: 48 });
    }
}

#[test]
fn unsigned_numbers_are_unsigned() {
    for (sql_type, unsigned, name) in [
        (sql::TINYINT, true, "uint8"),
        (sql::SMALLINT, true, "uint16"),
        (sql::INTEGER, true, "uint32"),
        (sql::BIGINT, true, "uint64"),
        (sql::BIGINT, false, "int64"),
    ] {
        let column = Description { unsigned, ..column(sql_type, 0, 0, "") };
        assert_eq!(names(Family::MariaDb, &column), name);
        assert_eq!(names(Family::Other, &column), name);
    }
}

#[test]
fn lengths_that_are_not_known_are_not_bound() {
    let is_long = |family, column: &Description| rule(column, family).access.is_long();
    assert!(!is_long(Family::Postgres, &column(sql::WVARCHAR, 100, 0, "varchar")));
    assert!(is_long(Family::Postgres, &column(sql::WVARCHAR, UNKNOWN_VARCHAR, 0, "varchar")));
    assert!(is_long(Family::Postgres, &column(sql::WLONGVARCHAR, 8190, 0, "text")));
    assert!(is_long(Family::Postgres, &column(sql::WVARCHAR, 5, 0, "unknown")));
    assert!(is_long(Family::Other, &column(sql::WVARCHAR, 0, 0, "nvarchar")));
    assert!(is_long(Family::Other, &column(sql::VARCHAR, 8000, 0, "varchar")));
    assert!(is_long(Family::Other, &column(sql::LONGVARBINARY, 4, 0, "image")));
}

#[test]
fn the_user_settles_types() {
    let own = |family, column: &Description, wanted: DataType| {
        chosen(column, rule(column, family), &wanted, family).map(|rule| (rule.access.is_long(), rule.form, rule.cast))
    };
    let stamp = column(sql::TIMESTAMP, 26, 6, "timestamptz");
    assert_eq!(own(Family::Postgres, &stamp, DataType::Utf8).unwrap(), (false, Form::Text, Some(Cast::Text)));
    let number = column(sql::LONGVARCHAR, 8190, 0, "numeric");
    assert_eq!(own(Family::Postgres, &number, DataType::Utf8).unwrap(), (true, Form::Text, None));
    assert_eq!(own(Family::Postgres, &number, DataType::Float64).unwrap(), (true, Form::Text, None));
    let days = column(sql::DATE, 10, 0, "date");
    assert_eq!(own(Family::Postgres, &days, DataType::LargeUtf8).unwrap(), (false, Form::Text, Some(Cast::Text)));
    let text = column(sql::WVARCHAR, 10, 0, "varchar");
    assert_eq!(own(Family::Postgres, &text, DataType::LargeUtf8).unwrap(), (true, Form::Wide, None));
    let bytes = column(sql::VARBINARY, 10, 0, "varbinary");
    assert!(own(Family::MariaDb, &bytes, DataType::LargeBinary).unwrap().0);
    assert_eq!(own(Family::MariaDb, &bytes, DataType::Int32).unwrap_err().kind(), ErrorKind::Config);
    assert!(own(Family::Other, &text, DataType::Null).is_err());
}
