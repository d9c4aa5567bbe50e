//! What functions do with text and decimals.

use crate::doubt::Need;

/// What a scalar function does with its arguments. A function that is not known does the worst.
pub(super) fn scalar(name: &str) -> Need {
    match name {
        // Character by character, or as a whole.
        "arrow_cast"
        | "arrow_typeof"
        | "ascii"
        | "bit_length"
        | "btrim"
        | "character_length"
        | "chr"
        | "coalesce"
        | "concat"
        | "concat_ws"
        | "date_trunc"
        | "decode"
        | "digest"
        | "encode"
        | "get_field"
        | "initcap"
        | "left"
        | "lower"
        | "lpad"
        | "ltrim"
        | "make_array"
        | "md5"
        | "named_struct"
        | "nvl"
        | "nvl2"
        | "octet_length"
        | "repeat"
        | "reverse"
        | "right"
        | "rpad"
        | "rtrim"
        | "sha224"
        | "sha256"
        | "sha384"
        | "sha512"
        | "struct"
        | "substr"
        | "to_date"
        | "to_hex"
        | "to_timestamp"
        | "to_timestamp_micros"
        | "to_timestamp_millis"
        | "to_timestamp_nanos"
        | "to_timestamp_seconds"
        | "upper"
        | "abs"
        | "ceil"
        | "floor"
        | "round"
        | "signum"
        | "trunc"
        | "array_element"
        | "array_length"
        | "cardinality"
        | "array_to_string" => Need::Nothing,
        // Which find a text in another.
        "contains" | "ends_with" | "find_in_set" | "levenshtein" | "nullif" | "regexp_count" | "regexp_instr"
        | "regexp_like" | "regexp_match" | "regexp_replace" | "replace" | "split_part" | "starts_with" | "strpos"
        | "substr_index" | "translate" | "array_has" | "array_has_all" | "array_has_any" | "array_position"
        | "array_positions" | "array_distinct" => Need::Equality,
        "power" | "gcd" | "lcm" => Need::Division,
        _ => Need::Order,
    }
}

/// What an aggregate or a window function does with its arguments.
pub(super) fn aggregate(name: &str, distinct: bool) -> Need {
    match name {
        "avg"
        | "mean"
        | "median"
        | "approx_median"
        | "approx_percentile_cont"
        | "percentile_cont"
        | "quantile_cont"
        | "stddev"
        | "stddev_pop"
        | "stddev_samp"
        | "var"
        | "var_pop"
        | "var_samp"
        | "var_sample"
        | "var_population"
        | "covar"
        | "covar_pop"
        | "covar_samp"
        | "corr" => Need::Division,
        "array_agg" | "bool_and" | "bool_or" | "count" | "first_value" | "grouping" | "lag" | "last_value" | "lead"
        | "nth_value" | "string_agg" | "sum" => {
            if distinct {
                Need::Equality
            } else {
                Need::Nothing
            }
        }
        "approx_distinct" => Need::Equality,
        _ => Need::Order,
    }
}

/// Whether the result is neither text nor a decimal: a length, a truth value, bytes, a time.
pub(super) fn returns_another_kind(name: &str) -> bool {
    matches!(
        name,
        "array_has"
            | "array_has_all"
            | "array_has_any"
            | "array_length"
            | "array_position"
            | "array_positions"
            | "ascii"
            | "bit_length"
            | "cardinality"
            | "character_length"
            | "contains"
            | "count"
            | "decode"
            | "digest"
            | "ends_with"
            | "find_in_set"
            | "grouping"
            | "levenshtein"
            | "octet_length"
            | "regexp_count"
            | "regexp_instr"
            | "regexp_like"
            | "sha224"
            | "sha256"
            | "sha384"
            | "sha512"
            | "starts_with"
            | "strpos"
            | "to_date"
            | "to_timestamp"
            | "to_timestamp_micros"
            | "to_timestamp_millis"
            | "to_timestamp_nanos"
            | "to_timestamp_seconds"
    )
}
