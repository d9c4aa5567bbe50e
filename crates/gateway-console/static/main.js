// Brings the parts of the page together: which view is open, and what is asked when.

import { read } from "./api.js";
import { at } from "./element.js";
import { showHistory, watchHistory } from "./history.js";
import { openInQuery, watchQuery } from "./query.js";
import { showRunning } from "./running.js";
import { showSources } from "./sources.js";
import { showThroughput, watchThroughput } from "./throughput.js";

const VIEWS = ["overview", "query", "history"];

/** What each view asks, and every how many seconds. */
const QUESTIONS = [
  { view: "overview", name: "running", seconds: 1, show: (statements) => showRunning(statements, askNow) },
  { view: "overview", name: "throughput", seconds: 1, show: showThroughput },
  { view: "overview", name: "sources", seconds: 10, show: showSources },
  { view: "query", name: "sources", seconds: 10, show: showSources },
  { view: "history", name: "history?limit=500", seconds: 2, show: showHistory },
];

let view = "";

function open() {
  const name = location.hash.slice(1);
  const next = VIEWS.includes(name) ? name : "overview";
  if (next === view) return;
  view = next;
  for (const one of VIEWS) {
    at(`view-${one}`).hidden = one !== view;
    const link = document.querySelector(`nav a[href="#${one}"]`);
    if (one === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view[0].toUpperCase()}${view.slice(1)} · Bowshot`;
  askNow();
}

function askNow() {
  QUESTIONS.forEach((question) => { question.due = 0; });
  tick();
}

/** Asks what is due. A page that nobody looks at asks nothing. */
function tick() {
  if (document.hidden) return;
  const now = Date.now();
  for (const question of QUESTIONS) {
    if (question.view !== view || question.asking || (question.due ?? 0) > now) continue;
    // A little early, so that a clock that ticks late does not skip every other second.
    question.due = now + question.seconds * 1000 - 100;
    ask(question);
  }
}

async function ask(question) {
  question.asking = true;
  try {
    question.show(await read(question.name));
    pulse("live", "live");
  } catch (error) {
    pulse("lost", error.message);
  } finally {
    question.asking = false;
  }
}

function pulse(name, text) {
  at("pulse").className = `pulse ${name}`;
  if (at("pulse").textContent !== text) at("pulse").textContent = text;
}

async function start() {
  watchThroughput();
  watchHistory(openInQuery);
  window.addEventListener("hashchange", open);
  document.addEventListener("visibilitychange", askNow);
  open();
  setInterval(tick, 1000);
  try {
    const who = await read("who");
    at("visitor").textContent = who.sees_all ? who.user : `${who.user}, own statements only`;
    watchQuery(who.query_rows);
  } catch (error) {
    pulse("lost", error.message);
  }
}

start();
