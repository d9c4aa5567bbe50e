//! Connections within one machine send without a timer.

use tokio::net::TcpListener;

/// What every Linux has, lets every user choose, and does not pace.
#[cfg(target_os = "linux")]
const UNPACED: &str = "reno";

/// Has the connections of a listener on loopback send as soon as they may, where the system would pace them.
///
/// BBR sends by timers, at the rate that it believes the way to have (Cardwell and others, ACM Queue 14(5), 2016, "Pacing").
/// Loopback has none, and the timers' work falls to whoever runs, often the client. Only a listener may change it: a connection that was
/// once paced stays so.
#[cfg(target_os = "linux")]
pub(crate) fn unpaced(listener: &TcpListener) {
    use nix::sys::socket::sockopt::TcpCongestion;
    use nix::sys::socket::{getsockopt, setsockopt};

    let is_local = listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
    let paces = |name: &std::ffi::OsString| name.to_str().is_some_and(|name| name.starts_with("bbr"));
    if is_local && getsockopt(listener, TcpCongestion).is_ok_and(|name| paces(&name)) {
        // Where it is refused, all works as before.
        let _ = setsockopt(listener, TcpCongestion, &UNPACED.into());
    }
}

/// Other systems do not pace.
#[cfg(not(target_os = "linux"))]
pub(crate) fn unpaced(_: &TcpListener) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use nix::sys::socket::getsockopt;
    use nix::sys::socket::sockopt::TcpCongestion;
    use tokio::net::TcpStream;

    use crate::Gateway;

    #[tokio::test]
    async fn connections_on_loopback_are_not_paced() {
        let listener = Gateway::listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (accepted, _) = listener.accept().await.unwrap();
        let name = getsockopt(&accepted, TcpCongestion).unwrap();
        assert!(!name.to_str().unwrap().starts_with("bbr"), "{name:?}");
    }
}
