// Statements that have ended.

import { at, element } from "./element.js";
import { bytes, count, duration, time, whole } from "./format.js";

const COLUMNS = [
  ["Statement", ""], ["Began", ""], ["State", ""], ["User", ""], ["Source", ""], ["SQL", ""], ["Rows", "number"],
  ["Arrow", "number"], ["First rows", "number"], ["Took", "number"],
];

let statements = [];
let again = () => {};
/** The numbers of the statements that are shown whole. */
const open = new Set();
let drawn = "";

/** Shows what `/api/history` says. */
export function showHistory(history) {
  statements = history;
  redraw();
}

/** Listens to the filter; `askAgain` takes a statement's text to the SQL box. */
export function watchHistory(askAgain) {
  again = askAgain;
  at("history").tHead.append(element("tr", "", ...COLUMNS.map(([name, kind]) => element("th", kind, name))));
  at("history-filter").addEventListener("input", redraw);
  at("history-state").addEventListener("change", redraw);
}

function fits(statement) {
  const state = at("history-state").value;
  if (state && statement.state !== state) return false;
  const words = at("history-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [statement.sql, statement.user, statement.source, statement.client, statement.error].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function redraw() {
  const shown = statements.filter(fits);
  const key = JSON.stringify([shown.map((statement) => statement.id), [...open]]);
  at("history-count").textContent = shown.length === statements.length
    ? count(shown.length, "statement") : `${whole(shown.length)} of ${count(statements.length, "statement")}`;
  // What has ended never changes: only another choice of statements is another table.
  if (key === drawn) return;
  drawn = key;
  const focus = document.activeElement?.dataset?.statement;
  at("history").hidden = shown.length === 0;
  at("history-empty").hidden = shown.length > 0;
  at("history-empty").textContent = statements.length > 0 ? "No statement fits the filter." : "No statement has ended yet.";
  at("history").tBodies[0].replaceChildren(...shown.flatMap(rows));
  if (focus) document.querySelector(`[data-statement="${focus}"]`)?.focus();
}

function rows(statement) {
  const button = element("button", "open", String(statement.id));
  button.type = "button";
  button.dataset.statement = statement.id;
  button.setAttribute("aria-expanded", open.has(statement.id));
  button.setAttribute("aria-label", `Statement ${statement.id}, details`);
  button.addEventListener("click", () => {
    if (!open.delete(statement.id)) open.add(statement.id);
    redraw();
  });
  const first = statement.first_batch_ms === null ? "" : duration(statement.first_batch_ms);
  const row = element("tr", "",
    element("td", "", button),
    element("td", "", time(statement.started_ms)),
    element("td", "", element("span", `state ${statement.state}`, statement.state)),
    element("td", "", statement.user),
    element("td", "", statement.source ?? ""),
    element("td", "text", statement.sql.replace(/\s+/g, " ")),
    element("td", "number", whole(statement.rows)),
    element("td", "number", bytes(statement.bytes)),
    element("td", "number", first),
    element("td", "number", duration(statement.duration_ms)));
  return open.has(statement.id) ? [row, details(statement)] : [row];
}

function details(statement) {
  const ask = element("button", "quiet", "Open in Query");
  ask.type = "button";
  ask.addEventListener("click", () => again(statement.sql, statement.source));
  const parts = [statement.client, statement.endpoints === null ? null : count(statement.endpoints, "endpoint"), statement.reason,
    statement.planned_ms === null ? "never planned" : `planned in ${duration(statement.planned_ms)}`,
    statement.queued_ms === null ? null : `queued for ${duration(statement.queued_ms)}`,
    statement.wire_bytes > 0 ? `${bytes(statement.wire_bytes)} on the wire` : null];
  const kind = statement.error_kind ? `${statement.error_kind.replaceAll("_", " ")}: ` : "";
  const cell = element("td", "",
    element("pre", "sql", statement.sql),
    statement.error ? element("p", statement.state === "failed" ? "wrong" : "meta", `${kind}${statement.error}`) : null,
    element("p", "meta", parts.filter(Boolean).join(" · ")),
    ask);
  cell.colSpan = COLUMNS.length;
  return element("tr", "more", cell);
}
