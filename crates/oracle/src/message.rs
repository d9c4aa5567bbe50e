//! The messages between the rows of a response, as far as their length has to be known to get past them.

use oracledb_protocol::ProtocolError;
use oracledb_protocol::thin::{
    TNS_MSG_TYPE_PARAMETER, TNS_MSG_TYPE_SERVER_SIDE_PIGGYBACK, TNS_MSG_TYPE_STATUS, TNS_MSG_TYPE_TOKEN,
};
use oracledb_protocol::wire::TtcReader;

type Result<T> = std::result::Result<T, ProtocolError>;

/// A message whose type byte was read: gets past it; `false` if it is none of those that may stand anywhere.
pub(crate) fn skip(kind: u8, reader: &mut TtcReader<'_>) -> Result<bool> {
    match kind {
        // Padding.
        0 => {}
        TNS_MSG_TYPE_STATUS => {
            reader.read_ub4()?;
            reader.read_ub2()?;
        }
        TNS_MSG_TYPE_TOKEN => {
            reader.read_ub8()?;
        }
        TNS_MSG_TYPE_PARAMETER => parameters(reader)?,
        TNS_MSG_TYPE_SERVER_SIDE_PIGGYBACK => piggyback(reader)?,
        WARNING => warning(reader)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The server did what was asked, and has something to say about it.
const WARNING: u8 = 15;

fn warning(reader: &mut TtcReader<'_>) -> Result<()> {
    let number = reader.read_ub2()?;
    let length = reader.read_ub2()?;
    reader.read_ub2()?;
    if number != 0 && length > 0 {
        reader.skip_bytes_field()?;
    }
    Ok(())
}

/// What came of an execution, besides its rows.
fn parameters(reader: &mut TtcReader<'_>) -> Result<()> {
    for _ in 0..reader.read_ub2()? {
        reader.read_ub4()?;
    }
    let transaction = reader.read_ub2()?;
    reader.skip(usize::from(transaction))?;
    pairs(reader)?;
    let registration = reader.read_ub2()?;
    reader.skip(usize::from(registration))
}

fn pairs(reader: &mut TtcReader<'_>) -> Result<()> {
    for _ in 0..reader.read_ub2()? {
        sized(reader)?;
        sized(reader)?;
        reader.read_ub2()?;
    }
    Ok(())
}

/// Bytes behind their length, which is said twice.
pub(crate) fn sized(reader: &mut TtcReader<'_>) -> Result<()> {
    if reader.read_ub4()? > 0 { reader.skip_bytes_field() } else { Ok(()) }
}

/// News of the session that ride along.
fn piggyback(reader: &mut TtcReader<'_>) -> Result<()> {
    match reader.read_u8()? {
        // Invalidated results and traces have no content.
        1 | 3 => {}
        // The process that serves us.
        2 => {
            reader.read_ub2()?;
            reader.skip_bytes_field()?;
        }
        // The session that we were given.
        4 => {
            reader.read_ub2()?;
            reader.skip(1)?;
            let count = reader.read_ub2()?;
            if count > 0 {
                reader.skip(1)?;
                for _ in 0..count {
                    for _ in 0..2 {
                        if reader.read_ub2()? > 0 {
                            reader.skip_bytes_field()?;
                        }
                    }
                    reader.read_ub2()?;
                }
            }
            reader.read_ub4()?;
            reader.read_ub4()?;
            reader.read_ub2()?;
        }
        // Settings that changed.
        5 => {
            reader.read_ub2()?;
            reader.skip(1)?;
            let count = reader.read_ub2()?;
            reader.skip(1)?;
            for _ in 0..count {
                sized(reader)?;
                sized(reader)?;
                reader.read_ub2()?;
            }
            reader.read_ub4()?;
        }
        // The name of the transaction.
        7 => sized(reader)?,
        // What a replay would need.
        8 => {
            reader.read_ub2()?;
            reader.skip(1)?;
            reader.read_ub4()?;
            reader.read_ub4()?;
            reader.skip(1)?;
            sized(reader)?;
        }
        9 => {
            reader.read_ub2()?;
            reader.skip(1)?;
        }
        // A signature of the session's state.
        10 => {
            reader.read_ub2()?;
            reader.skip(1)?;
            for _ in 0..3 {
                reader.read_ub8()?;
            }
        }
        _ => return Err(ProtocolError::UnsupportedFeature("news of an unknown kind")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use oracledb_protocol::wire::TtcWriter;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_are_left_behind() {
        let mut writer = TtcWriter::new();
        writer.write_ub2(2);
        writer.write_ub4(70_000);
        writer.write_ub4(1);
        writer.write_ub2(3);
        writer.write_raw(b"abc");
        writer.write_ub2(1);
        writer.write_bytes_with_two_lengths(Some(b"SCHEMA")).unwrap();
        writer.write_bytes_with_two_lengths(None).unwrap();
        writer.write_ub2(168);
        writer.write_ub2(0);
        writer.write_u8(99);
        let bytes = writer.into_bytes();
        let mut reader = TtcReader::new(&bytes);
        assert!(skip(TNS_MSG_TYPE_PARAMETER, &mut reader).unwrap());
        assert_eq!(reader.read_u8().unwrap(), 99);
        assert!(!skip(TNS_MSG_TYPE_STATUS + 1, &mut TtcReader::new(&[])).unwrap());
    }

    proptest! {
        #[test]
        fn strange_bytes_are_errors(kind in any::<u8>(), bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = skip(kind, &mut TtcReader::new(&bytes));
        }
    }
}
