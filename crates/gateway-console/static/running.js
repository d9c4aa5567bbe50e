// Statements that run, and their endpoints.

import { Problem, change } from "./api.js";
import { at, element, keep, write } from "./element.js";
import { bytes, count, duration, whole } from "./format.js";

/** Shows what `/api/running` says; `refresh` is called when a statement was ended. */
export function showRunning(statements, refresh) {
  const endpoints = statements.flatMap((statement) => statement.readings ?? []);
  const standing = (state) => whole(endpoints.filter((endpoint) => endpoint.state === state).length);
  const queued = statements.filter((statement) => statement.state === "queued").length;
  write(at("figure-running"), whole(statements.length - queued));
  write(at("figure-queued"), whole(queued));
  write(at("figure-reading"), standing("reading"));
  write(at("figure-waiting"), standing("waiting"));
  at("running-empty").hidden = statements.length > 0;
  keep(at("running"), statements, (statement) => statement.id, (statement) => make(statement, refresh), update);
}

function make(statement, refresh) {
  const kill = element("button", "kill", "End");
  kill.type = "button";
  kill.setAttribute("aria-label", `End statement ${statement.id}`);
  kill.addEventListener("click", () => confirm(statement, refresh));
  const names = [statement.source, statement.client].filter(Boolean).map((name) => element("span", "", name));
  const head = element("div", "who", element("strong", "", statement.user), ...names, element("span", "state"),
    element("span", "elapsed"), kill);
  return element("li", "", head, element("pre", "sql", statement.sql), element("p", "meta"), element("ul", "endpoints"));
}

function update(item, statement) {
  const state = item.querySelector(".state");
  state.className = `state ${statement.state}`;
  write(state, statement.state);
  write(item.querySelector(".elapsed"), duration(statement.duration_ms));
  write(item.querySelector(".meta"), meta(statement));
  const readings = statement.readings ?? [];
  const most = Math.max(...readings.map((reading) => reading.bytes), 1);
  keep(item.querySelector(".endpoints"), readings, (reading) => reading.endpoint, makeEndpoint,
    (endpoint, reading) => updateEndpoint(endpoint, reading, most));
}

function meta(statement) {
  if (statement.state === "queued") return "It waits for its turn.";
  if (statement.endpoints === null) return "Its source is planning it.";
  const parts = [count(statement.rows, "row"), `${bytes(statement.bytes)} of Arrow`];
  if (statement.wire_bytes > 0 && statement.wire_bytes < statement.bytes) parts.push(`${bytes(statement.wire_bytes)} on the wire`);
  if (statement.first_batch_ms !== null) parts.push(`first rows after ${duration(statement.first_batch_ms)}`);
  const why = statement.reason ? ` because ${statement.reason}` : "";
  return [...parts, `${count(statement.endpoints, "endpoint")}${why}`].join(" · ");
}

function makeEndpoint() {
  const track = element("div", "track", element("div", "fill"));
  return element("li", "endpoint", track, element("p", "", element("span"), element("span")));
}

function updateEndpoint(item, reading, most) {
  item.className = `endpoint ${reading.state}`;
  item.querySelector(".fill").style.width = `${(100 * reading.bytes / most).toFixed(1)}%`;
  const [name, sent] = item.querySelectorAll("p span");
  // A client that has taken nothing for a while is what holds an endpoint up.
  const stalls = reading.state === "reading" && reading.quiet_ms > 2000;
  write(name, `${reading.endpoint} ${stalls ? `quiet for ${duration(reading.quiet_ms)}` : reading.state}`);
  write(sent, reading.bytes > 0 ? bytes(reading.bytes) : "");
  item.title = `endpoint ${reading.endpoint}: ${count(reading.rows, "row")}, waited ${duration(reading.waited_ms)} for its client`;
}

/** Asks whether a statement shall end, and ends it. */
function confirm(statement, refresh) {
  const dialog = at("kill");
  const say = (text) => write(at("kill-what"), text);
  say(`${statement.user} began it ${duration(Date.now() - statement.started_ms)} ago.`);
  at("kill-sql").textContent = statement.sql;
  at("kill-yes").disabled = false;
  at("kill-no").onclick = () => dialog.close();
  at("kill-yes").onclick = async () => {
    at("kill-yes").disabled = true;
    try {
      await change(`kill/${statement.id}`);
      dialog.close();
      refresh();
    } catch (error) {
      say(error instanceof Problem ? `${error.message}; ${error.hint ?? ""}` : String(error));
    }
  };
  dialog.showModal();
  at("kill-no").focus();
}
