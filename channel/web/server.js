// What the page asks of the agent.
import { stream } from "./stream.js";
import { word } from "./words.js";

export class Refused extends Error {
  constructor(status, message, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function ask(path, options = {}) {
  let [answer, text] = [null, ""];
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
    text = await answer.text();
  } catch {
    // What the browser says of it is in a language of its own.
    throw new Refused(0, word("page.offline"));
  }
  const value = read(text);
  if (answer.ok && value) return value;
  const { code, message } = value?.error || {};
  throw new Refused(answer.status, inWords(code) || message || answer.statusText || `HTTP ${answer.status}`, code);
}

// A refusal in the language of the page, where it has words for it.
function inWords(code) {
  const key = `refused.${code}`;
  return word(key) === key ? "" : word(key);
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

// After how long a request counts as lost that is answered at once, in milliseconds: no later one should wait for it.
const LOST = 30000;

const sent = (path, body, more) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), ...more });

export const post = (path, body = {}) => sent(path, body, { signal: AbortSignal.timeout(LOST) });

// Answered once all that was asked for is done.
export const postAndWait = (path, body) => sent(path, body, {});

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
    "failed", "notice", "text", "question", "settled", "picture", "file", "broadcast", "reminder", "wrote", "end"];
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
