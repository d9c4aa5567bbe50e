//! The statements that the user wants to run before anything else.

use arrow_flight::{FlightData, FlightDescriptor};
use bowshot_core::{Cancel, Error, ErrorKind, Result};
use tonic::codegen::tokio_stream;

use crate::channel::Channel;
use crate::error::failed;
use crate::messages::{CommandStatementUpdate, Named};
use crate::uri::Target;

/// Runs the statements over `channel`, in the session of all connections.
pub(crate) fn run(channel: &Channel, target: &Target, statements: &[String], cancel: &Cancel) -> Result<()> {
    for statement in statements {
        channel.wait(cancel, target.query_timeout, "a statement before the query", async {
            let command = CommandStatementUpdate { query: statement.clone() }.packed();
            let data =
                FlightData { flight_descriptor: Some(FlightDescriptor::new_cmd(command)), ..FlightData::default() };
            let refused = |status: tonic::Status| match failed(status, channel.address()) {
                error if error.kind() == ErrorKind::Unsupported => {
                    Error::new(ErrorKind::Unsupported, "the server runs no statements but queries").with_hint(
                        "leave out the statements before the query; session.NAME=VALUE in the URI may do instead",
                    )
                }
                error => error,
            };
            let mut answers = channel.client().do_put(tokio_stream::once(data)).await.map_err(refused)?.into_inner();
            while answers.message().await.map_err(refused)?.is_some() {}
            Ok(())
        })?;
    }
    Ok(())
}
