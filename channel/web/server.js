// What the page asks of the agent.
export class Refused extends Error {
  constructor(status, message, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function ask(path, options = {}) {
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  const value = read(await answer.text());
  if (answer.ok && value) return value;
  throw new Refused(answer.status, value?.error?.message || answer.statusText || `HTTP ${answer.status}`, value?.error?.code);
}

// A proxy may answer for an agent that is away, in a form of its own.
function read(text) {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    return null;
  }
}

export const get = (path) => ask(path);

export const post = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const upload = (file) =>
  ask(`/v1/files?name=${encodeURIComponent(file.name)}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

export const trees = async (texts) => (await post("/v1/markdown", { texts })).trees;

// How long after the browser has given up it is tried again, in milliseconds.
const AGAIN = 3000;

async function listenAgain(hear, stop) {
  await new Promise((go) => setTimeout(go, AGAIN));
  try {
    await get("/v1/page");
  } catch (error) {
    // Whoever is signed out loads the page again.
    if (error.status !== 401) listenAgain(hear, stop);
    return;
  }
  listen(hear, stop);
}

// Hears what is told. The browser connects again by itself and names the last event that it has; where it gives up, because
// somebody else answers for the agent, it is tried anew. Another conversation is heard from its beginning.
export function listen(hear, stop) {
  const source = new EventSource("/v1/page/events");
  const kinds = ["start", "now", "sent", "begin", "queued", "refused", "aside", "working", "waiting", "words", "action",
    "failed", "notice", "text", "question", "settled", "picture", "file", "broadcast", "reminder", "end"];
  for (const kind of kinds) source.addEventListener(kind, (event) => hear(JSON.parse(event.data)));
  source.addEventListener("switched", (event) => {
    source.close();
    hear(JSON.parse(event.data));
    listen(hear, stop);
  });
  source.addEventListener("open", () => stop(null));
  source.addEventListener("error", () => {
    stop(source);
    if (source.readyState === EventSource.CLOSED) listenAgain(hear, stop);
  });
}

// How far the clock of this machine is ahead of the agent's, in milliseconds.
let ahead = 0;

// Takes in what time it is for the agent.
export function setClock(at) {
  ahead = Date.now() - at;
}

// The time of the agent's clock, by which questions wait.
export const now = () => Date.now() - ahead;
