// What the page asks of the agent.
import { stream } from "./stream.js";

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

// How many texts the agent reads as Markdown at once, and about how many characters of them.
const TEXTS = 100;
const CHARACTERS = 200000;

export async function trees(texts) {
  const read = [];
  let from = 0;
  while (from < texts.length) {
    let [to, size] = [from, 0];
    do {
      size += texts[to].length;
      to += 1;
    } while (to < texts.length && to - from < TEXTS && size + texts[to].length <= CHARACTERS);
    read.push(...(await post("/v1/markdown", { texts: texts.slice(from, to) })).trees);
    from = to;
  }
  return read;
}

// How long after the browser has given up it is tried again, in milliseconds.
const AGAIN = 3000;

// How long the agent may take to say that it is there, in milliseconds.
const PATIENCE = 8000;

async function listenAgain(hear, stands) {
  await new Promise((go) => setTimeout(go, AGAIN));
  try {
    await ask("/v1/page", { signal: AbortSignal.timeout(PATIENCE) });
  } catch (error) {
    // Whoever is signed out loads the page again.
    if (error.status !== 401) listenAgain(hear, stands);
    return;
  }
  listen(hear, stands);
}

// Hears what is told. Where the browser gives up, it is tried anew. Another conversation is heard from its beginning. `stands`
// learns why nothing is heard: `offline`, `closed` or `held`; and null once something is.
export function listen(hear, stands) {
  const kinds = ["start", "now", "sent", "begin", "queued", "refused", "aside", "working", "waiting", "words", "action",
    "failed", "notice", "text", "question", "settled", "picture", "file", "broadcast", "reminder", "end"];
  const hears = Object.fromEntries(kinds.map((kind) => [kind, hear]));
  const switched = (told) => {
    end();
    hear(told);
    listen(hear, stands);
  };
  const end = stream("/v1/page/events", { ...hears, switched }, (why) => {
    stands(why);
    if (why === "closed") listenAgain(hear, stands);
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
