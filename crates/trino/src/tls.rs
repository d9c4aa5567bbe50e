//! TLS as the URI asks for it.

use std::sync::Arc;

use bowshot_core::Result;
use bowshot_net::{OptionNames, TlsOptions, Verify};
use rustls::ClientConfig;

use crate::uri::Target;

/// How the URI calls the options.
const NAMES: OptionNames = OptionNames {
    roots: "ca",
    revoked: "",
    certificate: "cert",
    key: "key",
    without_name: "tls_skip_verify=true",
    system: None,
};

/// What every encrypted connection of a target is made with.
pub(crate) fn configure(target: &Target) -> Result<Arc<ClientConfig>> {
    let mut options = TlsOptions::new(NAMES);
    options.verify = if target.tls_skip_verify { Verify::Nothing } else { Verify::Name };
    options.system_roots = !target.tls_skip_verify && target.ca.is_none();
    options.root_file = target.ca.clone();
    options.protocol = Some(b"http/1.1");
    options.config()
}
