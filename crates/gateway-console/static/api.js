// What the page asks the gateway.

/** An error that the gateway tells, with its kind and its hint. */
export class Problem extends Error {
  constructor(told) {
    super(told.message);
    Object.assign(this, told);
  }
}

async function call(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ kind: "connect", message: "the gateway does not answer", hint: "it may be restarting" });
  }
  if (response.status === 204) return null;
  const text = await response.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Problem({ kind: "protocol", message: `the gateway answered with status ${response.status} and no JSON` });
  }
  if (!response.ok) throw new Problem(body.error);
  return body;
}

/** Reads something under `/api/`. */
export const read = (name) => call(`/api/${name}`, { signal: AbortSignal.timeout(10_000) });

/** Changes something under `/api/`; the header tells the gateway that this page does it. */
export const change = (name, body, signal) => call(`/api/${name}`, {
  method: "POST",
  headers: { "content-type": "application/json", "x-bowshot-console": "1" },
  body: body === undefined ? undefined : JSON.stringify(body),
  signal,
});
