//! What a reading client can take.

use bowshot_ipc::Reads;

use crate::Codec;

/// What a client can take, as far as its `user-agent` tells.
///
/// A client that is not known gets what every one can read: plain types, nothing compressed.
///
/// ```
/// use bowshot_gateway_wire::{Client, Codec};
///
/// let python = Client::of(Some("ADBC Flight SQL Driver v1.13.0 grpc-go/1.76.0"));
/// assert!(python.reads(Codec::Zstd) && python.reads_views());
/// let tableau = Client::of(Some("JDBC Flight SQL Driver 19.0.0 grpc-java-netty/1.76.0"));
/// assert!(!tableau.reads(Codec::Lz4) && tableau.reads(Codec::None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Client {
    compression: bool,
    views: bool,
    order: bool,
    in_turn: bool,
    java: bool,
    /// What it reads beside Arrow's own messages.
    beside: Reads,
}

/// Whoever says this in its user-agent is known to read compressed bodies and view types, and to take endpoints in their order:
/// Bowshot itself, ADBC's driver in Go (with Python, R and C on top), other clients in Go, and those in C++ with pyarrow.
const ABLE: [&str; 4] = ["bowshot/", "ADBC Flight SQL Driver", "grpc-go/", "grpc-c++/"];

/// And whoever says this does not, whatever else it says: arrow-java reads no compressed body (arrow-java #926) and, before the end
/// of 2025, no view (#807); its JDBC driver reads endpoints as they complete.
const UNABLE: [&str; 2] = ["JDBC Flight SQL Driver", "grpc-java"];

/// Whoever says this opens all endpoints at once, takes a few batches ahead of each, and yields the rows of one after those of another.
const IN_TURN: [&str; 1] = ["ADBC Flight SQL Driver"];

impl Client {
    /// The client that calls itself so.
    pub fn of(user_agent: Option<&str>) -> Client {
        let says = |words: &[&str]| user_agent.is_some_and(|agent| words.iter().any(|word| agent.contains(word)));
        let able = says(&ABLE) && !says(&UNABLE);
        Client {
            compression: able,
            views: able,
            order: able,
            in_turn: able && says(&IN_TURN),
            java: says(&UNABLE),
            beside: Reads::default(),
        }
    }

    /// The same client, which says by other means whether it reads compressed bodies.
    #[must_use]
    pub fn with_compression(self, compression: bool) -> Client {
        Client { compression, ..self }
    }

    /// The same client, which says by other means whether it reads view types.
    #[must_use]
    pub fn with_views(self, views: bool) -> Client {
        Client { views, ..self }
    }

    /// The same client, which says what it reads beside Arrow's own messages.
    #[must_use]
    pub fn with_reads(self, reads: Reads) -> Client {
        Client { beside: reads, ..self }
    }

    /// Whether it reads [packed](bowshot_ipc::pack) batches.
    pub fn reads_packed(self) -> bool {
        self.beside.packed
    }

    /// Whether it reads [excerpts](bowshot_ipc::ExcerptNote) of Parquet files.
    pub fn reads_excerpts(self) -> bool {
        self.beside.excerpts
    }

    /// Whether it reads bodies that are compressed so.
    pub fn reads(self, codec: Codec) -> bool {
        self.compression || codec == Codec::None
    }

    /// Whether it reads `Utf8View`, `BinaryView`, `ListView` and `LargeListView`.
    pub fn reads_views(self) -> bool {
        self.views
    }

    /// Whether it yields the rows of several endpoints in the order of these. Where the order matters and it does not, all
    /// rows belong into one endpoint.
    pub fn keeps_order(self) -> bool {
        self.order
    }

    /// Whether it takes the rows of one endpoint after those of another, so that who sends the second one waits for the first.
    pub fn reads_in_turn(self) -> bool {
        self.in_turn
    }

    /// Whether it binds times and timestamps as milliseconds whatever unit it is told: Arrow's JDBC driver, which up to 18.3 only
    /// says that it is Java.
    pub fn binds_milliseconds(self) -> bool {
        self.java
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_known_by_what_they_call_themselves() {
        for (agent, able) in [
            (Some("bowshot/0.1.0"), true),
            (Some("ADBC Flight SQL Driver v1.13.0 grpc-go/1.76.0"), true),
            (Some("ADBC Flight SQL Driver (unknown or development build) grpc-go/1.71.0"), true),
            (Some("grpc-go/1.76.0"), true),
            (Some("grpc-c++/1.71.0 grpc-c/46.0.0 (linux; chttp2)"), true),
            (Some("JDBC Flight SQL Driver 19.0.0 grpc-java-netty/1.76.0"), false),
            (Some("ADBC Flight SQL Driver grpc-java-netty/1.76.0"), false),
            (Some("tonic/0.14.9"), false),
            (Some("grpc-dotnet/2.71.0"), false),
            (Some(""), false),
            (None, false),
        ] {
            let client = Client::of(agent);
            assert_eq!(client.reads_views(), able, "{agent:?}");
            assert_eq!(client.keeps_order(), able, "{agent:?}");
            assert_eq!(Codec::ALL.map(|codec| client.reads(codec)), [true, able, able], "{agent:?}");
        }
    }

    #[test]
    fn endpoints_are_read_in_turn_by_adbc_in_go() {
        for (agent, in_turn) in [
            ("ADBC Flight SQL Driver v1.13.0 grpc-go/1.76.0", true),
            ("ADBC Flight SQL Driver grpc-java-netty/1.76.0", false),
            ("grpc-go/1.76.0", false),
            ("bowshot/0.1.0", false),
        ] {
            assert_eq!(Client::of(Some(agent)).reads_in_turn(), in_turn, "{agent}");
        }
    }

    #[test]
    fn a_client_may_say_more_than_its_name() {
        let client = Client::of(None).with_compression(true).with_views(true);
        assert!(
            client.reads(Codec::Zstd) && client.reads_views() && !client.keeps_order() && !client.binds_milliseconds()
        );
        assert!(Client::of(Some("grpc-java-netty/1.71.0")).binds_milliseconds());
    }
}
