//! The connections of one reader: to the server that ran the query, and to the places where its endpoints are.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Cancel, Result};

use crate::before;
use crate::channel::Channel;
use crate::connect::{connect, connect_within};
use crate::session::Session;
use crate::uri::{Address, Target};

/// The connections of one reader.
pub(crate) struct Lines {
    target: Arc<Target>,
    session: Arc<Session>,
    /// What every connection to the server runs first.
    before: Arc<[String]>,
    base: Option<Channel>,
    others: BTreeMap<Address, Channel>,
}

impl Lines {
    pub(crate) fn new(
        target: Arc<Target>,
        session: Arc<Session>,
        before: Arc<[String]>,
        base: Option<Channel>,
    ) -> Self {
        Lines { target, session, before, base, others: BTreeMap::new() }
    }

    /// The connection to the server that ran the query.
    pub(crate) fn base(&mut self, cancel: &Cancel) -> Result<&Channel> {
        let channel = match self.base.take() {
            Some(channel) => channel,
            None => {
                let channel = connect(&self.target, &self.session, &self.target.address, cancel)?;
                before::run(&channel, &self.target, &self.before, cancel)?;
                channel
            }
        };
        Ok(self.base.insert(channel))
    }

    /// The connection to another place.
    pub(crate) fn other(&mut self, address: &Address, limit: Duration, cancel: &Cancel) -> Result<&Channel> {
        let channel = match self.others.remove(address) {
            Some(channel) => channel,
            None => connect_within(&self.target, &self.session, address, limit, cancel)?,
        };
        Ok(self.others.entry(address.clone()).or_insert(channel))
    }

    /// A connection that is open.
    pub(crate) fn open(&self, address: Option<&Address>) -> Option<&Channel> {
        match address {
            None => self.base.as_ref(),
            Some(address) => self.others.get(address),
        }
    }

    /// Forgets a connection that broke.
    pub(crate) fn forget(&mut self, address: Option<&Address>) {
        match address {
            None => self.base = None,
            Some(address) => drop(self.others.remove(address)),
        }
    }

    /// The connection to the server, for others to use.
    pub(crate) fn take_base(&mut self) -> Option<Channel> {
        self.base.take()
    }
}
