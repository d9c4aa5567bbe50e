//! How the database behind the server writes names, as the server says.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_flight::{FlightDescriptor, FlightEndpoint};
use bowshot_core::{Cancel, Case, ErrorKind, Naming, Options, Result};

use crate::channel::Channel;
use crate::connect::connect;
use crate::error::failed;
use crate::login::login;
use crate::messages::{CommandGetSqlInfo, Named};
use crate::session::Session;
use crate::stream::Stream;
use crate::uri::Target;

/// `SQL_IDENTIFIER_CASE` and `SQL_IDENTIFIER_QUOTE_CHAR`.
const CASE: u32 = 503;
const QUOTE: u32 = 504;

/// The values of `SqlSupportedCaseSensitivity`.
const UPPER: i64 = 2;
const LOWER: i64 = 3;

/// Connects and asks the server; one that does not say quotes as the standard does.
pub(crate) fn naming(target: &Arc<Target>, cancel: &Cancel) -> Result<Naming> {
    let session = Arc::new(Session::new(target, &Options::default()));
    let channel = connect(target, &session, &target.address, cancel)?;
    login(&channel, target, cancel)?;
    match ask(&channel, target, cancel) {
        Ok(naming) => Ok(naming),
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        Err(_) => Ok(Naming::default()),
    }
}

fn ask(channel: &Channel, target: &Target, cancel: &Cancel) -> Result<Naming> {
    channel.wait(cancel, Some(target.connect_timeout), "the question how names are quoted", async {
        let descriptor = FlightDescriptor::new_cmd(CommandGetSqlInfo { info: vec![CASE, QUOTE] }.packed());
        let refused = |status| failed(status, channel.address());
        let info = channel.client().get_flight_info(descriptor).await.map_err(refused)?.into_inner();
        let mut naming = Naming::default();
        for FlightEndpoint { ticket, .. } in info.endpoint {
            let transport = channel.transport();
            let mut stream = Stream::open(transport, ticket.unwrap_or_default(), target.max_message_bytes).await?;
            while let Some(batch) = stream.next().await? {
                learn(&batch, &mut naming);
            }
        }
        Ok(naming)
    })
}

/// Takes what the rows say: a code, and its value in a union of many types.
fn learn(batch: &RecordBatch, naming: &mut Naming) {
    let (Some(codes), Some(values)) = (batch.columns().first(), batch.columns().get(1)) else { return };
    let (Some(codes), Some(values)) = (codes.as_primitive_opt::<UInt32Type>(), values.as_union_opt()) else { return };
    for row in 0..batch.num_rows() {
        let value = values.value(row);
        match codes.value(row) {
            QUOTE => {
                let text = value.as_string_opt::<i32>().filter(|texts| texts.is_valid(0)).map(|texts| texts.value(0));
                if let Some(open) = text.and_then(|text| text.trim().chars().next()) {
                    naming.quotes = Some((open, if open == '[' { ']' } else { open }));
                }
            }
            CASE => {
                let number = arrow_cast::cast(&value, &arrow_schema::DataType::Int64).ok();
                naming.case = match number.as_ref().and_then(|number| number.as_primitive_opt::<Int64Type>()) {
                    Some(number) if number.is_valid(0) && number.value(0) == UPPER => Case::Upper,
                    Some(number) if number.is_valid(0) && number.value(0) == LOWER => Case::Lower,
                    _ => Case::Kept,
                };
            }
            _ => {}
        }
    }
}
