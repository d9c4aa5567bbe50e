// Figures as people read them.

const grouped = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** A whole number, its digits in groups. */
export const whole = (value) => grouped.format(value);

/** A number in steps of a thousand: its digits and its unit, apart. */
function scaled(value, units) {
  let step = 0;
  while (Math.abs(value) >= 999.5 && step < units.length - 1) {
    value /= 1000;
    step += 1;
  }
  const digits = step === 0 || Math.abs(value) >= 99.5 ? 0 : Math.abs(value) >= 9.95 ? 1 : 2;
  return [value.toFixed(digits), units[step]];
}

/** Bytes, apart: `["1.25", "GB"]`. */
export const bytesApart = (value) => scaled(value, ["B", "kB", "MB", "GB", "TB", "PB"]);

/** Rows, apart: `["1.25", "M"]`. */
export const rowsApart = (value) => scaled(value, ["", "k", "M", "G", "T"]);

/** Bytes: `1.25 GB`. */
export const bytes = (value) => bytesApart(value).join(" ");

/** Without zeros at the end: `1 GB`, not `1.00 GB`. */
const trimmed = ([digits, unit]) => `${Number(digits)} ${unit}`.trim();

/** Bytes for an axis: `1 GB`. */
export const bytesShort = (value) => trimmed(bytesApart(value));

/** A number for an axis: `1.25 M`. */
export const short = (value) => Math.abs(value) < 10 ? String(Number(value.toPrecision(3))) : trimmed(rowsApart(value));

/** Milliseconds: `12 ms`, `1.3 s`, `2 min 05 s`, `3 h 07 min`. */
export function duration(milliseconds) {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  const two = (value) => String(Math.floor(value)).padStart(2, "0");
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** A time of day; with its date where that is not today. */
export function time(milliseconds) {
  const moment = new Date(milliseconds);
  const today = moment.toDateString() === new Date().toDateString();
  return today ? clock.format(moment) : `${day.format(moment)}, ${clock.format(moment)}`;
}

/** `1 row`, `2 rows`. */
export const count = (value, word) => `${whole(value)} ${word}${value === 1 ? "" : "s"}`;
