//! Made-up rows.

use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, Date32Array, Decimal128Array, Int64Array, RecordBatch, StringArray};
use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_gateway_console::{Answer, Ask};

const NATIONS: [&str; 8] = ["BRAZIL", "CANADA", "EGYPT", "FRANCE", "INDIA", "JAPAN", "KENYA", "PERU"];

/// What a statement returns: it is known by a word in it.
pub(crate) fn answer(ask: &Ask, cancel: &Cancel) -> Result<Answer> {
    let sql = ask.sql.to_lowercase();
    if sql.contains("pg_sleep") {
        while !cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(20));
        }
        return Err(Error::cancelled());
    }
    if let Some(at) = sql.find("lineitems") {
        let position = ask.sql.get(..at).map_or(0, |before| before.chars().count()) + 1;
        return Err(Error::new(ErrorKind::Sql, "relation \"lineitems\" does not exist")
            .with_sqlstate("42P01")
            .with_position(position)
            .with_hint("perhaps you meant the table \"lineitem\""));
    }
    let batch = if sql.contains("nation") { nations()? } else { orders(ask.rows)? };
    let truncated = !sql.contains("nation");
    Ok(Answer { schema: batch.schema(), batches: vec![batch], truncated })
}

/// Revenue by nation.
fn nations() -> Result<RecordBatch> {
    let cents = [8_841_207_i128, 6_120_050, 2_395_000, 9_710_499, 12_033_120, 7_500_275, 931_010, 3_174_460];
    let revenue =
        Decimal128Array::from_iter_values(cents.map(|cents| cents * 1_000)).with_precision_and_scale(18, 2)?;
    let orders = Int64Array::from(vec![
        Some(6_120),
        Some(4_017),
        Some(1_801),
        Some(6_930),
        Some(8_204),
        Some(5_112),
        None,
        Some(2_345),
    ]);
    Ok(RecordBatch::try_from_iter_with_nullable([
        ("nation", Arc::new(StringArray::from_iter_values(NATIONS)) as ArrayRef, false),
        ("orders", Arc::new(orders) as _, true),
        ("revenue", Arc::new(revenue) as _, false),
    ])?)
}

/// As many orders as are asked for, with keys that JavaScript's numbers cannot hold.
fn orders(count: usize) -> Result<RecordBatch> {
    let keys = (0..).map(|row: i64| 9_007_199_254_740_993 + row).take(count);
    let days = (9_000..).map(|day: i32| day).take(count);
    let prices = (0..).map(|row: i128| 1_234_567 + row * row % 900_001).take(count);
    let prices = Decimal128Array::from_iter_values(prices).with_precision_and_scale(15, 2)?;
    let nations = NATIONS.into_iter().cycle().take(count);
    Ok(RecordBatch::try_from_iter([
        ("o_orderkey", Arc::new(Int64Array::from_iter_values(keys)) as ArrayRef),
        ("o_orderdate", Arc::new(Date32Array::from_iter_values(days)) as _),
        ("o_nation", Arc::new(StringArray::from_iter_values(nations)) as _),
        ("o_totalprice", Arc::new(prices) as _),
    ])?)
}
