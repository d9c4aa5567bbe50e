//! A gateway on a free port.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use bowshot_core::Source;
use bowshot_gateway::{Gateway, Limits};
use bowshot_gateway_access::{Access, Login, LoginLimits, SessionLimits, Tickets, UserEntry, Users};
use bowshot_gateway_catalog::Dialect;
use tokio::sync::oneshot;

/// A gateway in threads of its own; dropping it ends them.
pub struct Running {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Without users: everybody may read.
    pub fn open(sources: &[(&str, Arc<dyn Source>, Dialect)], limits: Limits) -> Running {
        Running::start(Users::none(), sources, limits, false)
    }

    /// With users, who have passwords like their names.
    pub fn with_users(names: &[&str], sources: &[(&str, Arc<dyn Source>, Dialect)]) -> Running {
        let entry = |name: &&str| {
            let hash = bowshot_gateway_access::hash(name).unwrap();
            UserEntry { name: (*name).to_owned(), password_hash: Some(hash), rules: Vec::new() }
        };
        let entries: Vec<UserEntry> = names.iter().map(entry).collect();
        Running::start(Users::new(&entries).unwrap(), sources, Limits::default(), false)
    }

    /// With one user, whose password is like the name, and who has these rules.
    pub fn with_rules(name: &str, rules: &[&str], sources: &[(&str, Arc<dyn Source>, Dialect)]) -> Running {
        let password_hash = Some(bowshot_gateway_access::hash(name).unwrap());
        let rules = rules.iter().map(|&rule| rule.to_owned()).collect();
        let entry = UserEntry { name: name.to_owned(), password_hash, rules };
        Running::start(Users::new(&[entry]).unwrap(), sources, Limits::default(), false)
    }

    /// Without users, and everybody may write.
    pub fn writable(sources: &[(&str, Arc<dyn Source>, Dialect)], limits: Limits) -> Running {
        Running::start(Users::none(), sources, limits, true)
    }

    fn start(users: Users, sources: &[(&str, Arc<dyn Source>, Dialect)], limits: Limits, writable: bool) -> Running {
        let login = Login::new(users, None, LoginLimits::default()).unwrap();
        let access = Access::new(login, SessionLimits::default(), Tickets::random().unwrap()).unwrap();
        // Tests leave results behind that nobody will fetch.
        let limits = Limits { drain: Duration::from_millis(200), ..limits };
        let mut gateway = Gateway::new(access, limits).unwrap();
        for (name, source, dialect) in sources {
            gateway = gateway.with_source(name, Arc::clone(source), *dialect).unwrap();
            if writable {
                gateway = gateway.with_writable(name).unwrap();
            }
        }
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = Gateway::listen(([127, 0, 0, 1], 0).into()).await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                gateway.serve(listener, async { drop(stopped.await) }).await.unwrap();
            });
        });
        Running { address: told.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    /// The URI for Bowshot's client.
    pub fn uri(&self, login: &str) -> String {
        format!("grpc://{login}{}", self.address)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}
