//! One query on the cluster, from its first answer to its last.

use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use http::HeaderMap;
use rustls::ClientConfig;

use crate::error::failed;
use crate::http1::{Answer, Client};
use crate::page::{Described, Page};
use crate::session::Session;
use crate::uri::Target;

/// Where queries are sent to, and as whom.
#[derive(Clone)]
pub(crate) struct Cluster {
    pub(crate) target: Arc<Target>,
    pub(crate) tls: Option<Arc<ClientConfig>>,
    pub(crate) session: Session,
}

/// A query that runs. Dropped before its last answer, it is ended on the cluster too.
pub(crate) struct Statement {
    client: Client,
    /// What was sent, for the places of errors: the query without the `EXECUTE IMMEDIATE` around it.
    sql: String,
    id: String,
    /// Where the next answer is.
    next: Option<String>,
    /// The first answer with columns, which may hold rows.
    first: Option<Page>,
    /// How many of its warnings are known: each answer tells all of them.
    warned: usize,
    /// What the answers change in the session.
    pub(crate) session: Session,
}

impl Statement {
    /// Hands in `text`, which runs `sql`.
    pub(crate) fn start(cluster: &Cluster, sql: &str, text: &str, cancel: &Cancel) -> Result<Self> {
        let mut client = Client::new(Arc::clone(&cluster.target), cluster.tls.clone())?;
        let answer = client.post(&cluster.session.headers(&cluster.target)?, text, cancel)?;
        let session = cluster.session.clone();
        let mut statement =
            Statement { client, sql: sql.to_owned(), id: String::new(), next: None, first: None, warned: 0, session };
        let page = statement.take(answer, true, cancel)?;
        statement.id = page.id.clone();
        statement.first = Some(page);
        Ok(statement)
    }

    /// The query's number on the cluster.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Waits until the columns are known.
    pub(crate) fn columns(&mut self, cancel: &Cancel) -> Result<Vec<Described>> {
        loop {
            let columns = self.first.as_mut().and_then(|page| page.columns.take());
            // Statements such as SET SESSION have a list without a column.
            if let Some(columns) = columns.filter(|columns| !columns.is_empty()) {
                return Ok(columns);
            }
            self.first = Some(self.advance(true, cancel)?.ok_or_else(|| {
                Error::new(ErrorKind::Sql, "the statement has no result: the server names no columns")
                    .with_hint("only queries can be read; statements before them belong into the option \"before\"")
            })?);
        }
    }

    /// The next answer; `None` after the last one. The one after it is asked for at once.
    pub(crate) fn next(&mut self, cancel: &Cancel) -> Result<Option<Page>> {
        let page = match self.first.take() {
            Some(page) => page,
            None => match self.advance(false, cancel)? {
                Some(page) => page,
                None => return Ok(None),
            },
        };
        if let Some(path) = &self.next {
            self.client.ask(path, cancel)?;
        }
        Ok(Some(page))
    }

    /// Runs to the end.
    pub(crate) fn finish(&mut self, cancel: &Cancel) -> Result<()> {
        self.first = None;
        while self.advance(false, cancel)?.is_some() {}
        Ok(())
    }

    fn advance(&mut self, with_columns: bool, cancel: &Cancel) -> Result<Option<Page>> {
        let Some(path) = &self.next else { return Ok(None) };
        let answer = self.client.get(path, cancel)?;
        self.take(answer, with_columns, cancel).map(Some)
    }

    fn take(&mut self, Answer { headers, body }: Answer, with_columns: bool, cancel: &Cancel) -> Result<Page> {
        self.learn(&headers)?;
        let mut page = Page::parse(body, with_columns)?;
        if self.next.is_some() && page.next == self.next {
            return Err(Error::new(ErrorKind::Protocol, format!("{} leads in a circle", self.client.target())));
        }
        self.next = page.next.take();
        let new = page.warnings.drain(..).skip(self.warned);
        self.warned += new.map(|warning| cancel.notices().add(warning)).count();
        match page.failure.take() {
            // Ended by itself.
            Some(failure) => {
                self.next = None;
                Err(failed(failure, &self.sql))
            }
            None => Ok(page),
        }
    }

    fn learn(&mut self, headers: &HeaderMap) -> Result<()> {
        self.session.learn(headers)
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        if let Some(path) = self.next.take() {
            self.client.delete(&path);
        }
    }
}
