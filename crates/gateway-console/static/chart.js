// Charts: areas, lines and bars over a row of values.

import { shape } from "./element.js";

const MARGIN = { top: 12, right: 6, bottom: 24, left: 64 };

/** Round numbers from below the least value to above the greatest, about `steps` of them. */
export function ticks(least, greatest, steps = 4) {
  const low = Math.min(0, least);
  const high = Math.max(0, greatest) || (low === 0 ? 1 : 0);
  const rough = (high - low) / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  return Array.from({ length: last - first + 1 }, (_, place) => (first + place) * step);
}

/**
 * Draws into an `<svg>`. The series have a `name` and `values` (a number, or null for a gap); `labels` name the places;
 * `kind` is "area", "line" or "bars"; `format` writes a value; `marked` says which labels are written, where it is given.
 */
export function draw(svg, { series, labels, kind, format, marked }) {
  const width = Math.max(svg.clientWidth, 200);
  const height = Math.max(svg.clientHeight, 120);
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  const marks = ticks(Math.min(...values, 0), Math.max(...values, 0));
  const [low, high] = [marks[0], marks[marks.length - 1]];
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const y = (value) => MARGIN.top + inner.height * (1 - (value - low) / (high - low));
  const places = Math.max(labels.length, 1);
  // A bar stands in the middle of its place; a line runs from edge to edge.
  const x = kind === "bars"
    ? (place) => MARGIN.left + inner.width * (place + 0.5) / places
    : (place) => MARGIN.left + inner.width * place / Math.max(places - 1, 1);

  const parts = [];
  for (const mark of marks) {
    const at = Math.round(y(mark)) + 0.5;
    parts.push(shape("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }));
    parts.push(shape("text", { x: MARGIN.left - 10, y: at + 4, "text-anchor": "end" }, format(mark)));
  }
  parts.push(...(kind === "bars" ? bars(series[0], x, y, inner.width / places) : lines(series, kind, x, y)));
  parts.push(...captions(labels, marked, x, width, height));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(...parts);
  const read = (place) => series.map((one) => `${one.name} ${one.values[place] === null ? "NULL" : format(one.values[place])}`);
  follow(svg, places, x, height, (place) => [labels[place], ...read(place)].join(" · "));
}

function bars(series, x, y, room) {
  const width = Math.max(1, Math.min(room * 0.66, 44));
  return series.values.flatMap((value, place) => value === null ? [] : shape("rect", {
    class: "column", x: x(place) - width / 2, width, y: Math.min(y(value), y(0)),
    height: Math.max(Math.abs(y(value) - y(0)), value === 0 ? 0 : 1), rx: Math.min(2, width / 4),
  }));
}

function lines(series, kind, x, y) {
  return series.flatMap((one, number) => {
    // A gap ends a stretch, and what follows begins another.
    const stretches = [[]];
    one.values.forEach((value, place) => {
      if (value === null) stretches.push([]);
      else stretches[stretches.length - 1].push([x(place), y(value)]);
    });
    return stretches.filter((points) => points.length > 0).flatMap((points) => {
      const path = points.map(([left, top]) => `${left.toFixed(1)} ${top.toFixed(1)}`).join("L");
      const line = shape("path", { class: `line ${number === 0 ? "first" : "second"}`, d: `M${path}${points.length === 1 ? "h.1" : ""}` });
      if (kind !== "area" || number > 0) return [line];
      const [from, to] = [points[0][0], points[points.length - 1][0]];
      return [shape("path", { class: "area", d: `M${from} ${y(0)}L${path}L${to} ${y(0)}Z` }), line];
    });
  });
}

/** As many labels as there is room for. */
function captions(labels, marked, x, width, height) {
  const longest = Math.max(...labels.map((label) => label.length), 1);
  const shown = Math.max(2, Math.floor(width / (Math.min(longest, 18) * 7 + 24)));
  const every = Math.max(1, Math.ceil(labels.length / shown));
  const written = marked ?? ((place) => place % every === 0);
  return labels.flatMap((label, place) => {
    if (!written(place)) return [];
    const text = label.length > 18 ? `${label.slice(0, 17)}…` : label;
    const anchor = x(place) > width - 40 ? "end" : "middle";
    return [shape("text", { x: x(place), y: height - 6, "text-anchor": anchor }, text)];
  });
}

/** Shows what stands under the pointer. */
function follow(svg, places, x, height, say) {
  const line = shape("line", { class: "cursor", y1: MARGIN.top, y2: height - MARGIN.bottom, visibility: "hidden" });
  const text = shape("text", { y: MARGIN.top - 2, visibility: "hidden" });
  svg.append(line, text);
  svg.onpointermove = (event) => {
    const left = event.clientX - svg.getBoundingClientRect().left;
    let nearest = 0;
    for (let place = 1; place < places; place += 1) {
      if (Math.abs(x(place) - left) < Math.abs(x(nearest) - left)) nearest = place;
    }
    const at = x(nearest);
    const right = at > svg.clientWidth / 2;
    for (const [name, value] of Object.entries({ x1: at, x2: at, visibility: "visible" })) line.setAttribute(name, value);
    text.textContent = say(nearest);
    const place = { x: right ? at - 8 : at + 8, "text-anchor": right ? "end" : "start", visibility: "visible" };
    for (const [name, value] of Object.entries(place)) text.setAttribute(name, value);
  };
  svg.onpointerleave = () => [line, text].forEach((part) => part.setAttribute("visibility", "hidden"));
}
