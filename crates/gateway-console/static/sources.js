// The sources behind the gateway.

import { at, choices, element, keep, write } from "./element.js";

/** Shows what `/api/sources` says, here and in the SQL box. */
export function showSources(sources) {
  at("sources-empty").hidden = sources.length > 0;
  keep(at("sources"), sources, (source) => source.name, make, update);
  const names = sources.map((source) => [source.name, source.name]);
  choices(at("source"), sources.length === 1 ? names : [["", "as the query says"], ...names]);
}

function make(source) {
  const name = element("p", "", element("b", "", source.name), element("span", "", source.kind));
  return element("li", "", element("span"), name, element("small"));
}

function update(item, source) {
  const [dot, , detail] = item.children;
  const known = { true: ["yes", "reachable"], false: ["no", "not reachable"] }[source.reachable] ?? ["", "not asked yet"];
  dot.className = `dot ${known[0]}`;
  const words = source.detail ? `${known[1]}: ${source.detail}` : known[1];
  write(detail, words);
}
