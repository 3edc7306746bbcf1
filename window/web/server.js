// What the page asks of the router. The token stands in a header: a cookie would also go to other ports of this host.
const KEPT = "token";

// How long the router may take to show something, in milliseconds: a connection that died without a word would never answer.
const PATIENCE = 8000;

export class Refused extends Error {
  constructor(status, code, message) {
    super(message || code);
    Object.assign(this, { status, code });
  }
}

export const isOpen = () => Boolean(sessionStorage.getItem(KEPT));

async function ask(path, options = {}) {
  const token = sessionStorage.getItem(KEPT);
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(path, { ...options, headers, credentials: "omit", redirect: "error" });
  const text = await answer.text();
  const value = text ? JSON.parse(text) : {};
  if (answer.ok) return value;
  if (answer.status === 401) sessionStorage.removeItem(KEPT);
  throw new Refused(answer.status, value.error?.code || answer.statusText, value.error?.message);
}

export const get = (path) => ask(path, { signal: AbortSignal.timeout(PATIENCE) });

export const post = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export async function open(code) {
  const { token } = await post("/v1/open", { code });
  sessionStorage.setItem(KEPT, token);
}

export async function lock() {
  await post("/v1/lock").catch(() => {});
  sessionStorage.removeItem(KEPT);
}
