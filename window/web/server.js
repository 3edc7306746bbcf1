// What the page asks of the router. The token stands in a header: a cookie would also go to other ports of this host.
const KEPT = "token";

// How long the router may take to show something, in milliseconds: a connection that died without a word would never answer.
const PATIENCE = 8000;

export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

export const isOpen = () => Boolean(sessionStorage.getItem(KEPT));

async function ask(path, options = {}) {
  const token = sessionStorage.getItem(KEPT);
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(path, { ...options, headers, credentials: "omit", redirect: "error" });
  const value = read(await answer.text());
  if (answer.ok && value) return value;
  // Another one may have been given meanwhile.
  if (answer.status === 401 && sessionStorage.getItem(KEPT) === token) sessionStorage.removeItem(KEPT);
  throw new Refused(answer.status, value?.error?.code, value?.error?.message || answer.statusText || `HTTP ${answer.status}`);
}

// A proxy may answer for a router that is away, in a form of its own.
function read(text) {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    return null;
  }
}

export const get = (path) => ask(path, { signal: AbortSignal.timeout(PATIENCE) });

export const post = (path, body = {}, options = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), ...options });

export async function open(code) {
  const { token } = await post("/v1/open", { code }, { signal: AbortSignal.timeout(PATIENCE) });
  sessionStorage.setItem(KEPT, token);
}

// Forgets the token, whether or not the router hears of it.
export function lock() {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(KEPT)}` };
  sessionStorage.removeItem(KEPT);
  ask("/v1/lock", { method: "POST", headers, signal: AbortSignal.timeout(PATIENCE) }).catch(() => {});
}
