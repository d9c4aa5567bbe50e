//! The gateway, as its console asks it.

use std::net::IpAddr;
use std::time::{Duration, Instant, SystemTime};

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_gateway::{Gateway, Monitor, Question};
use bowshot_gateway_access::Identity;
use bowshot_gateway_console::{Answer, Ask, Host, SourceStatus, Who};
use tokio::runtime::Handle;

use super::logins::Logins;
use super::reach::Reach;
use crate::gateway::Named;

/// The program that asks, as the monitor shows it.
pub(crate) const CLIENT: &str = "console";

/// After how many bytes of Arrow the console has enough: what it shows of them is far less.
const BYTES: usize = 64 << 20;

/// A gateway and what its console needs besides.
pub(crate) struct GatewayHost {
    gateway: Gateway,
    runtime: Handle,
    reach: Reach,
    logins: Logins,
}

impl GatewayHost {
    /// The gateway in front of these sources, whose logins hold for so long. Statements wait for their turn in `runtime`.
    pub(crate) fn new(gateway: Gateway, sources: &[Named], runtime: Handle, login_time: Duration) -> Self {
        GatewayHost { gateway, runtime, reach: Reach::new(sources), logins: Logins::new(login_time) }
    }

    fn identity(&self, who: &Who) -> Result<Identity> {
        match self.gateway.is_open() {
            // There, everybody has the same rights.
            true => self.gateway.login(None, None),
            false => self.logins.find(&who.user, Instant::now(), SystemTime::now()),
        }
    }
}

impl Host for GatewayHost {
    fn monitor(&self) -> &Monitor {
        self.gateway.monitor()
    }

    fn is_open(&self) -> bool {
        self.gateway.is_open()
    }

    fn login(&self, authorization: Option<&str>, peer: IpAddr) -> Result<Who> {
        let identity = self.gateway.login(authorization, Some(peer))?;
        if !self.gateway.is_open() {
            self.logins.remember(&identity, Instant::now());
        }
        Ok(Who { user: identity.user().to_owned(), sees_all: identity.rights().is_all() })
    }

    fn sources(&self, who: &Who) -> Vec<SourceStatus> {
        let Ok(identity) = self.identity(who) else { return Vec::new() };
        let mut sources = self.reach.look(|name| identity.rights().may_see_source(name));
        if !who.sees_all {
            // Errors name hosts and users.
            sources.iter_mut().for_each(|source| source.detail = None);
        }
        sources
    }

    fn run(&self, who: &Who, ask: &Ask, cancel: &Cancel) -> Result<Answer> {
        let identity = self.identity(who)?;
        let Ask { sql, source, rows } = ask.clone();
        let question = Question { client: CLIENT.to_owned(), sql, source, rows, bytes: BYTES };
        let excerpt = self.runtime.block_on(self.gateway.excerpt(&identity, question, cancel))?;
        Ok(Answer { schema: excerpt.schema, batches: excerpt.batches, truncated: excerpt.truncated })
    }

    fn ready(&self) -> Result<()> {
        match self.gateway.is_draining() {
            true => Err(Error::new(ErrorKind::Connect, "the gateway is draining: it ends soon")),
            false => Ok(()),
        }
    }
}
