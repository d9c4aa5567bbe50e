// How much was sent in each of the last seconds.

import { draw } from "./chart.js";
import { at, element } from "./element.js";
import { bytesApart, bytesShort, rowsApart, short, time } from "./format.js";

let last = null;

const measure = () => document.querySelector("input[name=measure]:checked").value;

/** Draws what `/api/throughput` says, and the figures of the last whole second. */
export function showThroughput(throughput) {
  last = throughput;
  const whole = throughput.seconds[throughput.seconds.length - 2];
  figure("figure-rows", rowsApart(whole.rows));
  figure("figure-bytes", bytesApart(whole.bytes));
  redraw();
}

function figure(id, [digits, unit]) {
  at(id).replaceChildren(digits, unit ? element("small", "", unit) : "");
}

function redraw() {
  if (!last || at("throughput").clientWidth === 0) return;
  const seconds = recent(last.seconds);
  const labels = seconds.map((_, place) => time(last.end_ms - (seconds.length - place) * 1000));
  const values = (name) => seconds.map((second) => second[name]);
  const series = measure() === "rows"
    ? [{ name: "rows", values: values("rows") }]
    : [{ name: "Arrow", values: values("bytes") }, { name: "on the wire", values: values("wire_bytes") }];
  const format = measure() === "rows" ? short : bytesShort;
  // At round seconds, so that the times wander with the line.
  const room = 100 * seconds.length / at("throughput").clientWidth;
  const every = [5, 10, 15, 30, 60].find((step) => step >= room) ?? 120;
  const marked = (place) => Math.floor(last.end_ms / 1000 - (seconds.length - place)) % every === 0;
  draw(at("throughput"), { series, labels, marked, kind: "area", format });
  const names = series.map((one, number) => element("span", number === 0 ? "" : "second", `${one.name} a second`));
  at("throughput-legend").replaceChildren(...names);
}

/** The last minute, or as many of the last five as anything was sent in. The last second has only begun, and is left out. */
function recent(seconds) {
  const first = seconds.findIndex((second) => second.rows > 0 || second.wire_bytes > 0);
  const minutes = first < 0 ? 1 : Math.min(5, Math.ceil((seconds.length - first) / 60));
  return seconds.slice(-60 * minutes - 1, -1);
}

/** Draws anew when it has another size or shows something else. */
export function watchThroughput() {
  new ResizeObserver(redraw).observe(at("throughput"));
  document.querySelectorAll("input[name=measure]").forEach((choice) => choice.addEventListener("change", redraw));
}
