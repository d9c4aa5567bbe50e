//! Sources that only list, for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use bowshot_core::{Cancel, Error, ErrorKind, Plan, Request, Result, Source};
use bowshot_gateway_access::Rights;
use bowshot_gateway_catalog::{Catalog, Dialect};

use crate::{Refused, Route, Router, Served};

/// A database that lists tables, written `schema.table`; those of `pg_catalog` and the like are its own.
pub(crate) struct Shelf {
    batch: RecordBatch,
    /// How often it was asked.
    pub(crate) asked: AtomicUsize,
    /// It does not answer.
    silent: bool,
}

const SYSTEM: &[&str] = &["pg_catalog", "information_schema", "mysql"];

impl Shelf {
    pub(crate) fn new(tables: &[&str]) -> Arc<Self> {
        let names: Vec<_> = tables.iter().map(|name| name.split_once('.').unwrap()).collect();
        let kind = |schema: &str, table: &str| {
            if SYSTEM.contains(&schema) || table.starts_with("sqlite_") { "SYSTEM TABLE" } else { "TABLE" }
        };
        let column = |values: Vec<&str>| Arc::new(StringArray::from(values)) as ArrayRef;
        let batch = RecordBatch::try_from_iter([
            ("schema", column(names.iter().map(|name| name.0).collect())),
            ("name", column(names.iter().map(|name| name.1).collect())),
            ("type", column(names.iter().map(|name| kind(name.0, name.1)).collect())),
            ("remarks", column(vec![""; names.len()])),
        ]);
        Arc::new(Shelf { batch: batch.unwrap(), asked: AtomicUsize::new(0), silent: false })
    }

    pub(crate) fn silent() -> Arc<Self> {
        Arc::new(Shelf {
            batch: RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty())),
            asked: AtomicUsize::new(0),
            silent: true,
        })
    }
}

impl Source for Shelf {
    fn plan(&self, _: &Request, _: &Cancel) -> Result<Plan> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if self.silent {
            return Err(Error::new(ErrorKind::Connect, "the shelf is closed"));
        }
        Ok(Plan::ready(self.batch.clone(), "it is one list"))
    }
}

/// A gateway with a PostgreSQL `shop`, a MySQL `crm` with the database `crm`, files `lake` and its own `bowshot.queries`.
pub(crate) struct Desk {
    pub(crate) router: Router,
    pub(crate) catalogs: Vec<Catalog>,
    pub(crate) shop: Arc<Shelf>,
    pub(crate) rights: Rights,
}

pub(crate) const SHOP: &[&str] = &[
    "public.orders",
    "public.items",
    "public.salaries_view",
    "public.both",
    "hr.salaries",
    "hr.staff",
    "hr.Orders",
    "twice.items",
    "pg_catalog.pg_class",
    "pg_catalog.pg_shadow",
    "information_schema.tables",
];
const CRM: &[&str] = &["crm.clients", "crm.both", "crm.Notes", "crm.orders_crm", "mysql.user", "hr.salaries"];

impl Desk {
    /// Only the shop.
    pub(crate) fn shop(rules: &[&str]) -> Desk {
        let shop = Shelf::new(SHOP);
        Desk {
            router: Router::new(vec![Served::database("shop", bowshot_sql::Dialect::Postgres)]),
            catalogs: vec![Catalog::new("shop", Arc::clone(&shop) as Arc<dyn Source>, Dialect::Postgres)],
            shop,
            rights: Rights::parse(rules).unwrap(),
        }
    }

    /// All of it.
    pub(crate) fn all(rules: &[&str]) -> Desk {
        let mut desk = Desk::shop(rules);
        let mut served = desk.router.served().to_vec();
        served.push(Served::database("crm", bowshot_sql::Dialect::MySql).with_default_schema("crm"));
        served.push(Served::files("lake"));
        served.push(Served::own("bowshot", ["queries".to_owned()]));
        desk.router = Router::new(served);
        desk.catalogs.push(Catalog::new("crm", Shelf::new(CRM), Dialect::MySql));
        let files = Catalog::new("lake", Shelf::new(&[]), Dialect::Other).with_tables(["events".to_owned()]);
        desk.catalogs.push(files);
        desk
    }

    pub(crate) fn with_source(mut self, served: Served, catalog: Catalog) -> Desk {
        let mut all = self.router.served().to_vec();
        all.push(served);
        self.router = Router::new(all);
        self.catalogs.push(catalog);
        self
    }

    pub(crate) fn ask(&self, sql: &str, preferred: Option<&str>) -> Result<Route, Refused> {
        self.router.route(sql, preferred, &self.rights, &self.catalogs, &Cancel::new())
    }

    /// Where it goes, in short: `shop: SELECT …`, `engine: lake..events shop.public.orders`, `denied: …`, `error: …`.
    pub(crate) fn told(&self, sql: &str, preferred: Option<&str>) -> String {
        match self.ask(sql, preferred) {
            Ok(Route::Source { index, sql, .. }) => format!("{}: {sql}", self.router.served()[index].name()),
            Ok(Route::Engine { tables, .. }) => {
                let paths: Vec<String> = tables.iter().map(|table| table.path.to_string()).collect();
                format!("engine: {}", paths.join(" "))
            }
            Err(Refused::PermissionDenied(error)) => format!("denied: {error}"),
            Err(Refused::Error(error)) => format!("error: {error}"),
        }
    }
}
