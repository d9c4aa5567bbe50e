// Elements of the page, made of text that is never taken for HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element with a class, and children that are elements or text. */
export function element(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** An element of a drawing, with its attributes. */
export function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The element that has this id. */
export const at = (id) => document.getElementById(id);

/** Writes a text where it differs, so that readers of screens and selections are left in peace. */
export function write(into, text) {
  if (into.textContent !== text) into.textContent = text;
}

/**
 * Keeps the children of a list in step with items: one child for each key, made once and updated afterwards, so that the
 * keyboard's focus stays where it is.
 */
export function keep(list, items, keyOf, make, update) {
  const old = new Map([...list.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, place) => {
    const key = String(keyOf(item));
    let child = old.get(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    old.delete(key);
    update(child, item);
    if (list.children[place] !== child) list.insertBefore(child, list.children[place] ?? null);
  });
  for (const gone of old.values()) gone.remove();
}

/** Options for a select; what was chosen stays chosen where it is still there. */
export function choices(select, options) {
  const before = select.value;
  select.replaceChildren(...options.map(([value, text]) => {
    const option = element("option", "", text);
    option.value = value;
    return option;
  }));
  if (options.some(([value]) => value === before)) select.value = before;
}
