DROP TABLE IF EXISTS adbc_alltypes;
CREATE TABLE adbc_alltypes (
  bigint_t bigint, blob_t bytea, boolean_t boolean, date_t date, int_t int, smallint_t smallint, text_t text,
  time_without_time_zone_t time, timestamp_without_time_zone_t timestamp, timestamp_with_time_zone_t timestamptz
);
INSERT INTO adbc_alltypes VALUES (
  42, '\x61626364', true, '2000-01-01', 42, 42, 'foo', '04:05:06.123456', '2000-01-02 03:04:05.123',
  '2000-01-02 03:04:05.123 +06'
), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
