// The SQL box.

import { Problem, change } from "./api.js";
import { at, choices, element } from "./element.js";
import { count, duration, whole } from "./format.js";
import { clearResult, showResult, watchResult } from "./result.js";

/** What stops the query that runs. */
let running = null;

/** Listens to the box; a query returns at most `most` rows. */
export function watchQuery(most) {
  const limits = [100, 1_000, 10_000, 100_000].filter((limit) => limit < most).concat(most);
  choices(at("limit"), limits.map((limit) => [String(limit), whole(limit)]));
  at("limit").value = String(limits.includes(1_000) ? 1_000 : most);
  at("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  at("sql").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  at("stop").addEventListener("click", () => running?.abort());
  watchResult();
}

/** Puts a statement into the box. */
export function openInQuery(sql, source) {
  at("sql").value = sql;
  // The sources may not be known yet: they are asked for when the box is opened.
  if (source && ![...at("source").options].some((option) => option.value === source)) at("source").append(new Option(source));
  at("source").value = source ?? "";
  location.hash = "query";
  at("sql").focus();
}

async function run() {
  if (running) return;
  const sql = at("sql").value;
  running = new AbortController();
  working(true);
  at("problem").replaceChildren();
  at("answered").textContent = "Running …";
  clearResult();
  try {
    const question = { sql, source: at("source").value || null, limit: Number(at("limit").value) };
    const answer = await change("query", question, running.signal);
    showResult(answer);
    at("answered").textContent = summary(answer);
  } catch (error) {
    at("answered").textContent = error.name === "AbortError" ? "Stopped; the source was told." : "";
    if (error.name !== "AbortError") at("problem").replaceChildren(problem(error, sql));
  } finally {
    running = null;
    working(false);
  }
}

function working(on) {
  at("run").disabled = on;
  at("stop").hidden = !on;
  at("query-empty").hidden = true;
}

function summary(answer) {
  const parts = [count(answer.rows.length, "row"), count(answer.columns.length, "column"), duration(answer.duration_ms)];
  if (answer.truncated) parts.push("there are more rows than these");
  if (answer.cut > 0) parts.push(`${count(answer.cut, "long value")} cut off`);
  return parts.join(" · ");
}

/** An error as the gateway tells it: what, where, the way out. */
function problem(error, sql) {
  const shown = element("div", "problem", element("h3", "", error.message));
  const place = error.position ? where(sql, error.position) : null;
  if (place) shown.append(element("pre", "where", place));
  if (error.hint) shown.append(element("p", "", error.hint));
  if (!(error instanceof Problem)) return shown;
  const code = [error.kind?.replaceAll("_", " "), error.sqlstate && `SQLSTATE ${error.sqlstate}`].filter(Boolean);
  shown.append(element("p", "hint", code.join(" · ")));
  return shown;
}

/** The line with a character of the SQL, counted from 1, and a caret below it. */
function where(sql, position) {
  const letters = [...sql];
  const before = letters.slice(0, position - 1).join("");
  const start = before.lastIndexOf("\n") + 1;
  const line = sql.slice(start).split("\n", 1)[0];
  return `${line}\n${" ".repeat([...before.slice(start)].length)}^`;
}
