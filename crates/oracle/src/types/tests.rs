use super::*;

fn column(kind: u8, precision: i8, scale: i8) -> ColumnMetadata {
    ColumnMetadata::new("C", kind).with_precision(precision).with_scale(scale).with_csfrm(1).with_buffer_size(22)
}

#[track_caller]
fn is(column: &ColumnMetadata, data_type: DataType, source: &str) {
    match choose(column, None) {
        Choice::Read(reading) => assert_eq!(reading.data_type, data_type),
        other => panic!("{other:?}"),
    }
    assert_eq!(name(column), source);
}

#[test]
fn numbers_keep_their_digits() {
    for (precision, scale, data_type, source) in [
        (10, 2, DataType::Decimal128(10, 2), "NUMBER(10,2)"),
        (9, 0, DataType::Int64, "NUMBER(9)"),
        (18, 0, DataType::Int64, "NUMBER(18)"),
        (19, 0, DataType::Decimal128(19, 0), "NUMBER(19)"),
        (38, 0, DataType::Decimal128(38, 0), "NUMBER(38)"),
        (0, -127, DataType::Decimal256(76, 38), "NUMBER"),
        (0, 0, DataType::Decimal256(76, 38), "NUMBER"),
        (0, 2, DataType::Decimal128(38, 2), "NUMBER(*,2)"),
        (3, -2, DataType::Int64, "NUMBER(3,-2)"),
        (18, -2, DataType::Decimal128(20, 0), "NUMBER(18,-2)"),
        (38, -30, DataType::Decimal256(68, 0), "NUMBER(38,-30)"),
        (38, -84, DataType::Utf8, "NUMBER(38,-84)"),
        (3, 5, DataType::Decimal128(5, 5), "NUMBER(3,5)"),
        (3, 50, DataType::Decimal256(50, 50), "NUMBER(3,50)"),
        (3, 127, DataType::Utf8, "NUMBER(3,127)"),
        (126, -127, DataType::Float64, "FLOAT(126)"),
        (53, -127, DataType::Float64, "FLOAT(53)"),
    ] {
        is(&column(ORA_TYPE_NUM_NUMBER, precision, scale), data_type, source);
    }
}

#[test]
fn the_user_may_choose_how_a_number_is_read() {
    let number = column(ORA_TYPE_NUM_NUMBER, 0, -127);
    for (wanted, decoder) in [
        (DataType::Utf8, Decoder::NumberText),
        (DataType::Float64, Decoder::NumberDouble),
        (DataType::Int64, Decoder::NumberInt64),
        (DataType::Decimal128(20, 4), Decoder::Number128(20, 4)),
        (DataType::Decimal256(60, 4), Decoder::Number256(60, 4)),
    ] {
        let Choice::Read(reading) = choose(&number, Some(&wanted)) else { panic!("{wanted}") };
        assert_eq!((reading.data_type, reading.decoder), (wanted, decoder));
    }
}

#[test]
fn moments_are_counted_as_finely_as_they_are_kept() {
    let utc = || Some("UTC".into());
    is(&column(ORA_TYPE_NUM_DATE, 0, 0), DataType::Timestamp(TimeUnit::Second, None), "DATE");
    for (kind, zone, words) in [
        (ORA_TYPE_NUM_TIMESTAMP, None, ""),
        (ORA_TYPE_NUM_TIMESTAMP_TZ, utc(), " WITH TIME ZONE"),
        (ORA_TYPE_NUM_TIMESTAMP_LTZ, utc(), " WITH LOCAL TIME ZONE"),
    ] {
        for (scale, unit) in [
            (0, TimeUnit::Microsecond),
            (6, TimeUnit::Microsecond),
            (7, TimeUnit::Nanosecond),
            (9, TimeUnit::Nanosecond),
        ] {
            is(&column(kind, 0, scale), DataType::Timestamp(unit, zone.clone()), &format!("TIMESTAMP({scale}){words}"));
        }
    }
}

#[test]
fn text_and_bytes() {
    for (kind, data_type, source, national) in [
        (ORA_TYPE_NUM_VARCHAR, DataType::Utf8, "VARCHAR2", "NVARCHAR2"),
        (ORA_TYPE_NUM_CHAR, DataType::Utf8, "CHAR", "NCHAR"),
        (ORA_TYPE_NUM_CLOB, DataType::Utf8, "CLOB", "NCLOB"),
        (ORA_TYPE_NUM_LONG, DataType::Utf8, "LONG", "LONG"),
        (ORA_TYPE_NUM_RAW, DataType::Binary, "RAW", "RAW"),
        (ORA_TYPE_NUM_LONG_RAW, DataType::Binary, "LONG RAW", "LONG RAW"),
        (ORA_TYPE_NUM_BLOB, DataType::Binary, "BLOB", "BLOB"),
        (ORA_TYPE_NUM_ROWID, DataType::Utf8, "ROWID", "ROWID"),
        (ORA_TYPE_NUM_UROWID, DataType::Utf8, "UROWID", "UROWID"),
        (ORA_TYPE_NUM_BOOLEAN, DataType::Boolean, "BOOLEAN", "BOOLEAN"),
        (ORA_TYPE_NUM_BINARY_FLOAT, DataType::Float32, "BINARY_FLOAT", "BINARY_FLOAT"),
        (ORA_TYPE_NUM_BINARY_DOUBLE, DataType::Float64, "BINARY_DOUBLE", "BINARY_DOUBLE"),
    ] {
        is(&column(kind, 0, 0), data_type.clone(), source);
        is(&column(kind, 0, 0).with_csfrm(CS_FORM_NCHAR), data_type, national);
    }
    let clob = column(ORA_TYPE_NUM_CLOB, 0, 0);
    let Choice::Read(reading) = choose(&clob, None) else { panic!() };
    let sent = define(&clob, reading.sent_as);
    assert_eq!((sent.ora_type_num(), sent.buffer_size()), (ORA_TYPE_NUM_LONG, LONGEST));
}

#[test]
fn what_has_no_bytes_of_its_own_is_cast_or_refused() {
    let casts = |column| matches!(choose(&column, None), Choice::Cast(_));
    assert!(casts(column(ORA_TYPE_NUM_JSON, 0, 0)));
    assert!(casts(column(ORA_TYPE_NUM_VECTOR, 0, 0)));
    let object = |schema: &str, name: &str| {
        column(ORA_TYPE_NUM_OBJECT, 0, 0)
            .with_object_schema(Some(schema.into()))
            .with_object_type_name(Some(name.into()))
    };
    assert!(casts(object("SYS", "XMLTYPE")));
    assert_eq!(name(&object("SYS", "XMLTYPE")), "XMLTYPE");
    assert!(matches!(choose(&object("SCOTT", "ADDRESS"), None), Choice::Refused(..)));
    assert_eq!(name(&object("SCOTT", "ADDRESS")), "SCOTT.ADDRESS");
    for kind in [102, 114, 200] {
        assert!(matches!(choose(&column(kind, 0, 0), None), Choice::Refused(..)), "{kind}");
    }
}
