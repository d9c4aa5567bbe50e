//! The page itself: files that lie in the program, so that nothing is fetched from elsewhere.

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::routing::get;

use crate::console::Inner;

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, type and content.
const FILES: [(&str, &str, &str); 15] = [
    ("/", "text/html; charset=utf-8", include_str!("../static/index.html")),
    ("/icon.svg", "image/svg+xml", include_str!("../static/icon.svg")),
    ("/style.css", "text/css; charset=utf-8", include_str!("../static/style.css")),
    ("/parts.css", "text/css; charset=utf-8", include_str!("../static/parts.css")),
    ("/main.js", SCRIPT, include_str!("../static/main.js")),
    ("/api.js", SCRIPT, include_str!("../static/api.js")),
    ("/chart.js", SCRIPT, include_str!("../static/chart.js")),
    ("/element.js", SCRIPT, include_str!("../static/element.js")),
    ("/format.js", SCRIPT, include_str!("../static/format.js")),
    ("/history.js", SCRIPT, include_str!("../static/history.js")),
    ("/query.js", SCRIPT, include_str!("../static/query.js")),
    ("/result.js", SCRIPT, include_str!("../static/result.js")),
    ("/running.js", SCRIPT, include_str!("../static/running.js")),
    ("/sources.js", SCRIPT, include_str!("../static/sources.js")),
    ("/throughput.js", SCRIPT, include_str!("../static/throughput.js")),
];

pub(crate) fn routes() -> Router<Arc<Inner>> {
    FILES.into_iter().fold(Router::new(), |router, (path, kind, content)| {
        router.route(path, get(move || async move { ([(header::CONTENT_TYPE, kind)], content) }))
    })
}
