// What the pages share: what is asked of the agent, fields with their names, and what is told.
import { make } from "/web/dom.js";
import { inWords, word } from "./words.js";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function ask(method, path, body) {
  const options = { method, credentials: "same-origin" };
  if (body !== undefined) Object.assign(options, { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refused(0, word("page.offline"));
  }
  const value = read(await answer.text());
  if (answer.ok && value) return value;
  const why = value?.error ? inWords(value.error.told ?? value.error.message) : answer.statusText;
  throw new Refused(answer.status, why || word("page.offline"));
}

// A proxy may answer for an agent that is away, in a form of its own.
function read(text) {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    return null;
  }
}

// The address of a thing below `/v1`; each part stays one part.
export const at = (...parts) => `/v1/${parts.map(encodeURIComponent).join("/")}`;

// The address of a page.
export const page = (...parts) => `/storm/${parts.map(encodeURIComponent).join("/")}`;

export function tell(text) {
  const place = document.getElementById("alert");
  place.textContent = text;
  place.hidden = !text;
}

export function failed(error) {
  // Nothing stays on the screen of whoever is signed out.
  if (error.status === 401) {
    document.getElementById("main").replaceChildren();
    document.title = "SafeClaw";
  }
  tell(error.status === 401 ? word("page.signedOut") : error.message);
}

// Does something that may be refused; says whether it was done.
export async function tries(work) {
  try {
    await work();
    tell("");
    return true;
  } catch (error) {
    failed(error);
    return false;
  }
}

let count = 0;

// A field with its name above and what helps below.
export function field(name, input, hint) {
  const id = `field-${count++}`;
  input.id = id;
  const parts = [make("label", { for: id }, name), input];
  if (hint) {
    input.setAttribute("aria-describedby", `${id}-hint`);
    parts.push(make("p", { class: "hint", id: `${id}-hint` }, hint));
  }
  return make("div", { class: "field" }, ...parts);
}

export function link(text, href, kind = "") {
  return make("a", { href, class: kind }, text);
}

export function head(text, ...tools) {
  document.title = `${text} · SafeClaw`;
  return make("div", { class: "head" }, make("h2", {}, text), make("div", { class: "tools" }, ...tools));
}

export function warning(told) {
  return told ? make("p", { class: "line notice" }, inWords(told)) : null;
}
