//! Where a query goes, and as whose.

use std::sync::Arc;

use bowshot_core::{Calls, Cancel, Error, ErrorKind, Plan, Query, Request};
use bowshot_gateway_access::{Identity, Rights};
use bowshot_gateway_catalog::TablePath;
use bowshot_gateway_monitor::Viewer;
use bowshot_gateway_route::{Refused, Route};

use crate::again::Origin;
use crate::caller::{Caller, sees};
use crate::columns::of_source;
use crate::engine::Asker;
use crate::gateway::Inner;
use crate::own;

/// What of a caller decides where a query goes.
pub(crate) struct Asking {
    identity: Identity,
    preferred: Option<String>,
}

impl Asking {
    fn sees(&self, path: &TablePath) -> bool {
        sees(&self.identity, path)
    }

    pub(crate) fn rights(&self) -> &Rights {
        self.identity.rights()
    }

    pub(crate) fn preferred(&self) -> Option<&str> {
        self.preferred.as_deref()
    }

    pub(crate) fn of(caller: &Caller) -> Self {
        Asking::new(caller.session.identity().clone(), caller.catalog())
    }

    /// Somebody, and the source that is asked where the query does not say it.
    pub(crate) fn new(identity: Identity, preferred: Option<String>) -> Self {
        Asking { identity, preferred }
    }
}

impl Inner {
    /// Has a query planned where it belongs, and says whether its order matters, and which source planned it, if one alone did. Blocks.
    pub(crate) fn planned(
        &self,
        request: Request,
        asking: &Asking,
        cancel: &Cancel,
    ) -> Result<(Plan, bool, Option<Origin>), Refused> {
        let [Query { sql, params }] = request.queries.as_slice() else {
            return Err(Refused::Error(Error::new(ErrorKind::Internal, "a statement is one query")));
        };
        let (rights, preferred) = (asking.rights(), asking.preferred());
        match self.router.route(sql, preferred, rights, &self.catalogs, cancel)? {
            Route::Source { index, sql, ordered, .. } => {
                let served = self.sources.get(index).ok_or_else(|| nowhere("this source"))?;
                let mut options = request.options.clone();
                options.before.clone_from(&served.before);
                // Whoever may change the source may run what changes it.
                let writable = self.router.served().get(index).is_some_and(bowshot_gateway_route::Served::is_writable);
                if writable && rights.may_write_source(&served.name) {
                    options.calls = Calls::Allow;
                }
                let request = Request::new(Query { sql, params: params.clone() }, options);
                let plan = of_source(served.source.plan(&request, cancel)?, &served.name);
                Ok((plan, ordered, Some(Origin { source: Arc::clone(&served.source), request })))
            }
            Route::Engine { ordered, .. } => {
                let engine = self.engine.as_ref().ok_or_else(|| nowhere("files, or for several sources at once"))?;
                let visible = |path: &TablePath| asking.sees(path);
                let own = [own::queries(&self.monitor, &asking.identity)];
                let asker = Asker { preferred, visible: &visible, own: &own };
                Ok((engine.plan(&request, &asker, cancel)?, ordered, None))
            }
        }
    }
}

/// How much of the others' work somebody sees.
pub(crate) fn viewer(identity: &Identity) -> Viewer {
    if identity.rights().is_all() { Viewer::all(identity.user()) } else { Viewer::own(identity.user()) }
}

fn nowhere(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("this gateway has no engine for {what}"))
        .with_hint("name one source with the session option or the header \"catalog\"")
}
