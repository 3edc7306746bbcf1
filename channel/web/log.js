// The conversation as it is shown.
import { Card } from "./card.js";
import { button, make, written } from "./dom.js";
import { chip, output, parts } from "./dropped.js";
import { build } from "./markdown.js";
import { trees } from "./server.js";
import { word } from "./words.js";

// How often an answer that comes is read as Markdown, in milliseconds.
const PACE = 200;

export class Log {
  constructor(place, { failed, retry }) {
    Object.assign(this, { place, failed, retry });
    this.clear();
  }

  clear() {
    this.place.replaceChildren();
    this.cards = new Map();
    this.sent = new Map();
    this.answer = null;
    this.latest = null;
    this.asked = "";
  }

  // The cards that wait for an answer.
  get open() {
    return [...this.cards.values()].filter((card) => !card.element.classList.contains("settled"));
  }

  get waiting() {
    return this.open.length;
  }

  // Whether the pointer or the focus is in a card that waits, which then should not move.
  get isAtCard() {
    return this.open.some((card) => card.element.matches(":hover, :focus-within"));
  }

  // Adds what belongs to the turn. The answer so far is whole, and what comes of it later is another.
  add(element) {
    this.answer?.end();
    this.answer = null;
    return this.aside(element);
  }

  // Adds what comes from elsewhere, beside an answer that goes on.
  aside(element) {
    this.place.append(element);
    return element;
  }

  line(kind, text) {
    return this.add(line(kind, text));
  }

  // Takes one thing that is told.
  take(told) {
    switch (told.type) {
      case "sent": {
        const shown = this.aside(message("person", "http:owner", told.text, this.failed));
        shown.append(make("p", { class: "note" }, word("chat.sent")));
        this.sent.set(told.ticket, shown);
        return;
      }
      case "begin": {
        const early = this.sent.get(told.ticket);
        this.asked = told.text;
        if (early) early.remove();
        this.sent.delete(told.ticket);
        this.add(message("person", told.from, told.text, this.failed));
        return;
      }
      case "queued": {
        const behind = told.ahead === 1 ? word("chat.queuedBehindOne") : word("chat.queuedBehind", { count: told.ahead });
        return this.note(told.ticket, behind);
      }
      case "refused": return this.note(told.ticket, told.message);
      case "aside": {
        if (!this.sent.has(told.ticket)) return;
        this.note(told.ticket, "");
        this.sent.delete(told.ticket);
        return void this.aside(line("text", told.text));
      }
      case "words": return this.words(told.text);
      case "action": return void this.line("action", told.told);
      case "notice": return void this.line("notice", told.text);
      case "text": return void this.line("text", told.text);
      case "reminder":
      case "broadcast": return void this.aside(line("text", told.text));
      case "failed": {
        // What was asked about ends later than its message, and tells how by itself.
        const text = this.asked;
        if (!text) return;
        const line = this.line("notice", word("chat.failed"));
        line.append(" ", button(word("chat.retry"), "quiet", () => this.retry(parts(text))));
        return;
      }
      case "question": {
        if (this.cards.has(told.id)) return this.cards.get(told.id).again();
        const card = new Card(told, this.failed);
        this.cards.set(told.id, card);
        return void this.add(card.element);
      }
      case "settled": {
        const card = this.cards.get(told.id);
        if (card) card.settle(told.text, told.at);
        else this.line("notice", told.text);
        return;
      }
      case "picture": {
        const name = told.path.split("/").pop();
        return void this.add(make("img", { src: `/v1/pictures/${encodeURIComponent(name)}`, alt: name, class: "picture" }));
      }
      case "file": return void this.add(output(told.path));
      case "wrote": return this.latest?.wrote(told.by);
      case "end": {
        this.asked = "";
        this.answer?.end();
        this.answer = null;
      }
    }
  }

  note(ticket, text) {
    const shown = this.sent.get(ticket);
    if (shown) shown.querySelector(".note").textContent = text;
  }

  words(text) {
    if (!this.answer) {
      const answer = new Answer();
      this.add(answer.element);
      this.answer = answer;
      this.latest = answer;
    }
    this.answer.take(text);
  }
}

// An answer that comes piece by piece.
class Answer {
  constructor() {
    this.text = "";
    this.body = make("div", { class: "body", dir: "auto" });
    // It is read out once it is whole.
    this.who = make("h2", { class: "who" }, word("chat.agent"));
    this.element = make("article", { class: "message agent", "aria-busy": "true" }, this.who, this.body);
    this.timer = null;
  }

  take(text) {
    this.text += text;
    if (!this.body.childNodes.length) this.body.textContent = this.text;
    this.timer ??= setTimeout(() => this.show(), PACE);
  }

  wrote(by) {
    this.who.replaceChildren(...agent(by));
  }

  end() {
    clearTimeout(this.timer);
    this.element.removeAttribute("aria-busy");
    this.show();
  }

  async show() {
    const text = this.text;
    this.timer = null;
    try {
      const [tree] = await trees([text]);
      this.body.replaceChildren(...build(tree));
    } catch {
      this.body.textContent = text;
    }
    if (text !== this.text) this.timer ??= setTimeout(() => this.show(), PACE);
  }
}

function line(kind, text) {
  return make("p", { class: `line ${kind}`, dir: "auto" }, ...written(text));
}

// Who answered, and by which model.
function agent(by) {
  return [word("chat.agent"), ...(by ? [" ", make("small", {}, make("bdi", {}, by))] : [])];
}

export function message(kind, from, text, failed) {
  const own = from === "http:owner" || !from ? word("chat.you") : from;
  const body = make("div", { class: "body", dir: "auto" });
  const shown = make("article", { class: `message ${kind}` }, make("h2", { class: "who" }, ...(kind === "agent" ? agent(from) : [own])));
  if (kind === "agent") {
    shown.append(body);
    return shown;
  }
  const { words, files } = parts(text);
  body.append(...written(words));
  if (words) shown.append(body);
  shown.append(...files.map((file) => chip(file, failed)));
  return shown;
}

// What the journal holds of earlier turns.
export async function older(events, failed) {
  const said = events.filter((event) => event.role === "assistant" || event.role === "persona");
  const read = said.length ? await trees(said.map((event) => event.text)) : [];
  return events.map((event) => {
    if (said.includes(event)) {
      const shown = message("agent", event.from, event.text);
      shown.querySelector(".body").append(...build(read[said.indexOf(event)]));
      return shown;
    }
    if (event.role === "action") return make("p", { class: "line action", dir: "auto" }, ...written(event.text));
    return message("person", event.from, event.text, failed);
  });
}
