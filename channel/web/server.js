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
  const text = await answer.text();
  const value = text ? JSON.parse(text) : {};
  if (!answer.ok) throw new Refused(answer.status, value.error ? value.error.message : answer.statusText, value.error && value.error.code);
  return value;
}

export const get = (path) => ask(path);

export const post = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const upload = (file) =>
  ask(`/v1/files?name=${encodeURIComponent(file.name)}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

export const trees = async (texts) => (await post("/v1/markdown", { texts })).trees;

// Hears what is told. The browser connects again by itself and names the last event that it has. Another conversation is heard
// from its beginning.
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
  source.addEventListener("error", () => stop(source));
}

// How far the clock of this machine is ahead of the agent's, in milliseconds.
let ahead = 0;

// Takes in what time it is for the agent.
export function setClock(at) {
  ahead = Date.now() - at;
}

// The time of the agent's clock, by which questions wait.
export const now = () => Date.now() - ahead;
