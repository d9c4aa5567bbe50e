// The result of a query: a table, and a chart where there are numbers.

import { draw } from "./chart.js";
import { at, choices, element } from "./element.js";
import { short, whole } from "./format.js";

/** How many rows join the table at a time: a browser lays out thousands of rows slowly. */
const STEP = 200;
/** How many values a chart shows. */
const MOST_PLACES = 500;

let answer = null;

export function watchResult() {
  at("more").addEventListener("click", more);
  const inputs = ["chart-value", "chart-label"].map(at).concat([...document.querySelectorAll("input[name=chart-kind]")]);
  inputs.forEach((input) => input.addEventListener("change", redraw));
  new ResizeObserver(redraw).observe(at("chart"));
}

export function clearResult() {
  answer = null;
  at("result").hidden = true;
  at("drawing").hidden = true;
  at("query-empty").hidden = false;
}

/** Shows what `/api/query` says. */
export function showResult(given) {
  answer = given;
  at("result").hidden = false;
  at("query-empty").hidden = true;
  const heads = answer.columns.map((column) => element("th", column.kind, column.name, element("small", "", column.type)));
  const table = at("rows");
  table.tHead.replaceChildren(element("tr", "", ...heads));
  table.tBodies[0].replaceChildren();
  more();
  offerChart();
}

function more() {
  const body = at("rows").tBodies[0];
  const from = body.rows.length;
  body.append(...answer.rows.slice(from, from + STEP).map(row));
  const left = answer.rows.length - body.rows.length;
  at("more").hidden = left === 0;
  at("more").textContent = `Show ${whole(Math.min(STEP, left))} more of ${whole(left)}`;
}

function row(values) {
  return element("tr", "", ...values.map((value, place) => {
    const cell = element("td", value === null ? "null" : answer.columns[place].kind, value ?? "NULL");
    if (value !== null && value.length > 40) cell.title = value;
    return cell;
  }));
}

/** A chart is offered where there is a number to show. */
function offerChart() {
  const named = answer.columns.map((column, place) => [String(place), column.name, column.kind]);
  const numbers = named.filter(([, , kind]) => kind === "number");
  at("drawing").hidden = numbers.length === 0 || answer.rows.length < 2;
  if (at("drawing").hidden) return;
  const labels = [["", "place"], ...named];
  choices(at("chart-value"), numbers);
  choices(at("chart-label"), labels);
  // By the first column that is no number; of the last that is one, since keys come first.
  at("chart-value").value = numbers[numbers.length - 1][0];
  at("chart-label").value = (named.find(([, , kind]) => kind !== "number") ?? named.find(([place]) => place !== at("chart-value").value) ?? [""])[0];
  const time = answer.columns[Number(at("chart-label").value)]?.kind === "time";
  document.querySelector(`input[name=chart-kind][value=${time || answer.rows.length > 60 ? "line" : "bars"}]`).checked = true;
  redraw();
}

function redraw() {
  const svg = at("chart");
  if (!answer || at("drawing").hidden || svg.clientWidth === 0) return;
  const [value, label] = [Number(at("chart-value").value), at("chart-label").value];
  const rows = answer.rows.slice(0, MOST_PLACES);
  const number = (text) => text === null || !Number.isFinite(Number(text)) ? null : Number(text);
  const labels = rows.map((row, place) => label === "" ? String(place + 1) : row[Number(label)] ?? "NULL");
  const name = answer.columns[value].name;
  const kind = document.querySelector("input[name=chart-kind]:checked").value;
  draw(svg, { series: [{ name, values: rows.map((row) => number(row[value])) }], labels, kind, format: short });
  const part = rows.length < answer.rows.length ? `the first ${rows.length} rows` : "all rows";
  svg.setAttribute("aria-label", `${name} of ${part} as ${kind === "bars" ? "bars" : "a line"}; the table below has the values`);
}
