// The conversation: what was said, who is next, who is awaited, and a person's word at any time.
import { button, make, visible, written } from "/web/dom.js";
import { stream } from "/web/stream.js";
import { build } from "/web/markdown.js";
import { trees } from "/web/server.js";
import { ask, at, failed, head, link, page, tell, tries, warning } from "./form.js";
import { inWords, time, word } from "./words.js";

const COLOURS = 8;
const NEAR = 120;
// How often words that come are read as Markdown, in milliseconds.
const PACE = 250;
// How long after the browser has given up listening it is tried again, in milliseconds.
const AGAIN = 3000;
const FORMS = ["md", "html", "jsonl"];

export async function conversation(place, id) {
  const talk = new Talk(place, id);
  await talk.load();
  talk.listen();
}

// What tells one message from another.
const mark = (message) => message && JSON.stringify([message.from, message.at, message.text]);

class Talk {
  constructor(place, id) {
    Object.assign(this, { place, id, session: null, speech: null, isRunning: false, isStopping: false, follows: true, hears: false });
    // The marks of all messages that are shown, of which the first is number `first`; and of those that the files had before an
    // event has told of them.
    Object.assign(this, { first: 0, marks: [], untold: [] });
    // How many tokens the agents may take in all, where more than usual was allowed.
    this.tokens = null;
    document.body.classList.add("talk");
    this.premise = make("p", { class: "premise", dir: "auto" });
    this.cast = make("ul", { class: "cast", "aria-label": word("session.agents") });
    this.warnings = make("div", {});
    this.older = button(word("talk.older"), "quiet older", () => tries(() => this.showOlder()));
    this.log = make("div", { role: "log", "aria-live": "polite", "aria-relevant": "additions", "aria-label": word("talk.log") });
    this.state = make("p", { class: "state", role: "status" });
    this.scroller = make("div", { class: "scroller", tabindex: "-1" }, this.older, this.log, this.state);
    this.next = button("", "main", () => this.go(1));
    this.round = button(word("talk.round"), "", () => this.go(this.session.agents.length));
    this.auto = button(word("talk.rounds", { count: 3 }), "", () => this.go(3 * this.session.agents.length));
    this.stop = button(word("talk.stop"), "", () => tries(() => ask("POST", `${at("storms", id)}/stop`, {})));
    this.text = make("textarea", { rows: "1", "aria-label": word("talk.yours"), placeholder: word("talk.yours"), title: word("talk.keys"), dir: "auto", autocomplete: "off" });
    const send = make("button", { type: "submit", class: "main" }, word("talk.say"));
    this.form = make("form", { class: "saying" }, this.text, send);
    this.text.addEventListener("keydown", (event) => {
      // The Enter that ends a word of an input method; some browsers tell it by the code alone.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.form.requestSubmit();
    });
    this.text.addEventListener("input", () => this.grow());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.say();
    });
    const saves = FORMS.map((form) => make("a", { href: `${at("storms", id)}/export/${form}`, download: true, class: "quiet" }, form));
    const exports = make("span", { class: "saves" }, `${word("talk.export")} `, ...saves);
    this.edit = link(word("sessions.edit"), page("session-editor", id), "quiet");
    const about = make("details", { class: "about" }, make("summary", {}, word("session.premise")), this.premise);
    this.parts = [head(id, this.edit, exports), this.warnings, about, this.cast, this.scroller,
      make("div", { class: "controls" }, make("div", { class: "tools" }, this.next, this.round, this.auto, this.stop), this.form)];
    this.scroller.addEventListener("scroll", () => { this.follows = this.isAtEnd(); });
    new ResizeObserver(() => { if (this.follows) this.toEnd(); }).observe(this.log);
  }

  isAtEnd() {
    const view = this.scroller;
    return view.scrollHeight - view.scrollTop - view.clientHeight < NEAR;
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  grow() {
    this.text.style.height = "auto";
    this.text.style.height = `${Math.min(this.text.scrollHeight + 2, innerHeight / 3)}px`;
  }

  // Shows everything as the files have it now.
  async load() {
    const session = await ask("GET", at("storms", this.id));
    // Of a storm that is not there nothing is shown.
    if (!this.session) this.place.append(...this.parts);
    this.session = session;
    this.premise.replaceChildren(...written(session.premise));
    this.cast.replaceChildren(...session.agents.map((agent) => this.member(agent)));
    const wrong = session.agents.filter((agent) => agent.fault || agent.warning);
    const faults = wrong.map((agent) => `${agent.name}: ${inWords(agent.fault || agent.warning)}`);
    this.warnings.replaceChildren(...[session.fault, ...faults, ...session.warnings, session.elsewhere ? word("talk.elsewhere") : null].map(warning).filter(Boolean));
    this.edit.hidden = session.count > 0;
    const later = this.later(session);
    if (!later) this.clear(session.first);
    this.untold = later ? [...this.untold, ...later.map(mark)] : session.messages.map(mark);
    const shown = this.append(later ?? session.messages);
    if (!this.log.childNodes.length) this.log.append(make("p", { class: "line empty" }, word("talk.none")));
    this.controls();
    await this.read(shown);
  }

  // The messages behind those that are shown; null where those in the files are others.
  later({ first, messages }) {
    const from = first - this.first;
    if (from < 0 || from > this.marks.length) return null;
    const known = this.marks.slice(from);
    return known.every((one, index) => one === mark(messages[index])) ? messages.slice(known.length) : null;
  }

  clear(first) {
    this.first = first;
    this.marks = [];
    this.log.replaceChildren();
    if (this.speech) this.log.append(this.speech.element);
  }

  // Adds messages behind those that are shown, and gives what is to be read as Markdown.
  append(messages) {
    if (messages.length) this.log.querySelector(".empty")?.remove();
    const shown = messages.map((message) => this.message(message));
    if (this.speech) this.speech.element.before(...shown);
    else this.log.append(...shown);
    this.marks.push(...messages.map(mark));
    this.older.hidden = !this.first;
    if (this.follows) this.toEnd();
    return shown.map((one) => one.querySelector(".body[data-raw]")).filter(Boolean);
  }

  async showOlder() {
    const session = await ask("GET", `${at("storms", this.id)}?before=${this.first}`);
    const fromEnd = this.scroller.scrollHeight - this.scroller.scrollTop;
    const shown = session.messages.map((message) => this.message(message));
    this.log.prepend(...shown);
    this.marks.unshift(...session.messages.map(mark));
    this.first = session.first;
    this.older.hidden = !this.first;
    this.scroller.scrollTop = this.scroller.scrollHeight - fromEnd;
    await this.read(shown.map((one) => one.querySelector(".body[data-raw]")).filter(Boolean));
  }

  // Reads texts as Markdown.
  async read(bodies) {
    try {
      const read = await trees(bodies.map((body) => body.textOf));
      bodies.forEach((body, index) => {
        body.replaceChildren(...build(read[index]));
        delete body.dataset.raw;
      });
    } catch {
      // The text stands there as it is.
    }
  }

  colour(name) {
    const index = this.session.agents.findIndex((agent) => agent.name === name);
    return index < 0 ? "c-none" : `c${index % COLOURS}`;
  }

  member(agent) {
    return make("li", { class: this.colour(agent.name), title: `${agent.service} · ${agent.model}` }, make("bdi", {}, ...visible(agent.name)));
  }

  message(message) {
    const who = message.person ? word("talk.you") : message.from;
    const body = make("div", { class: "body", dir: "auto" }, ...written(message.text));
    if (!message.person) {
      body.textOf = message.text;
      body.dataset.raw = "";
    }
    const head = make("h3", { class: "who" }, make("bdi", {}, ...visible(who)));
    if (message.at) head.append(" ", make("time", { datetime: message.at }, time(message.at)));
    return make("article", { class: message.person ? "message person" : `message agent ${this.colour(message.from)}` }, head, body);
  }

  add(message) {
    this.session.count += 1;
    this.edit.hidden = true;
    this.read(this.append([message]));
  }

  controls() {
    const { session } = this;
    this.next.textContent = session.next ? word("talk.next", { name: session.next }) : word("talk.nobody");
    for (const one of [this.next, this.round, this.auto]) {
      one.hidden = this.isRunning;
      // What comes of it is heard from the first event on.
      one.disabled = !session.next || !this.hears;
    }
    this.stop.hidden = !this.isRunning;
    this.stop.textContent = this.isStopping ? word("talk.stopNow") : word("talk.stop");
  }

  go(count) {
    // What came of it may be told before this is answered, and stays.
    return ask("POST", `${at("storms", this.id)}/next`, { count, tokens: this.tokens }).catch(failed);
  }

  async say() {
    const text = this.text.value;
    if (!text.trim()) return;
    this.text.value = "";
    this.grow();
    if (await tries(() => ask("POST", `${at("storms", this.id)}/say`, { text }))) return;
    // What was typed meanwhile stays behind it.
    this.text.value = [text, this.text.value].filter(Boolean).join("\n");
    this.grow();
  }

  async listenAgain() {
    await new Promise((go) => setTimeout(go, AGAIN));
    try {
      await ask("GET", at("storms", this.id));
    } catch (error) {
      failed(error);
      // Whoever is signed out loads the page again, and what was deleted tells nothing more.
      if (![401, 404].includes(error.status)) this.listenAgain();
      return;
    }
    this.listen();
  }

  listen() {
    const kinds = { begun: () => this.begins(), awaited: (told) => this.awaits(told.name), piece: (told) => this.speech?.take(told.text),
      anew: () => this.speech?.anew(), waiting: (told) => { this.state.textContent = told.text; },
      said: (told) => this.said(told), notice: (told) => this.log.append(warning(told.text)), stopping: () => { this.isStopping = true; this.controls(); },
      ended: (told) => this.ends(told), failed: (told) => this.fails(told), changed: () => this.load(),
      state: async (told) => {
        this.hears = true;
        // What was missed meanwhile stands in the files.
        await tries(() => this.load());
        this.is(told.running, told.stopping);
        if (told.awaited) {
          this.awaits(told.awaited);
          this.speech.take(told.words);
        }
      } };
    // One after another: what is told while the files are read waits until they are shown.
    let turn = Promise.resolve();
    const inTurn = ([kind, hear]) => [kind, (told) => { turn = turn.then(() => hear(told)).catch(failed); }];
    stream(`${at("storms", this.id)}/events`, Object.fromEntries(Object.entries(kinds).map(inTurn)), (why) => {
      if (why) tell(word(why === "held" ? "page.held" : "page.offline"));
      if (why === "closed") this.listenAgain();
    });
  }

  is(running, stopping = false) {
    this.isRunning = running;
    this.isStopping = stopping;
    if (!running) {
      this.speech?.element.remove();
      this.speech = null;
      this.state.replaceChildren();
    }
    this.controls();
  }

  begins() {
    tell("");
    this.is(true);
  }

  awaits(name) {
    this.speech?.element.remove();
    this.speech = new Speech(this.message({ from: name, text: "" }));
    this.log.querySelector(".empty")?.remove();
    this.log.append(this.speech.element);
    this.state.replaceChildren(make("span", { class: "spinner", "aria-hidden": "true" }), word("talk.awaited", { name }));
    if (this.follows) this.toEnd();
  }

  said(told) {
    if (!told.person) {
      this.speech?.element.remove();
      this.speech = null;
      this.state.replaceChildren();
    }
    // It may have been read from the files already, and what stands there before it was then, too.
    const read = this.untold.indexOf(mark(told));
    if (read < 0) this.add(told);
    else this.untold.splice(0, read + 1);
  }

  ends(told) {
    this.session.next = told.next ?? this.session.next;
    this.is(false);
    if (told.stopped) this.state.textContent = word("talk.stopped");
  }

  fails(told) {
    this.ends(told);
    if (told.told) return tell(inWords(told.told));
    tell(word("talk.spent", { spent: told.spent, limit: told.limit }));
    const more = button(word("talk.more"), "", () => {
      this.tokens = told.spent + told.limit;
      this.go(1);
    });
    document.getElementById("alert").append(" ", more);
  }
}

// The words of an agent while they come.
class Speech {
  constructor(element) {
    this.element = element;
    this.body = element.querySelector(".body");
    this.element.setAttribute("aria-busy", "true");
    delete this.body.dataset.raw;
    this.text = "";
    this.timer = null;
  }

  anew() {
    this.text = "";
    this.body.replaceChildren();
  }

  take(text) {
    if (!text) return;
    this.text += text;
    if (!this.body.childNodes.length) this.body.append(...written(this.text));
    this.timer ??= setTimeout(() => this.show(), PACE);
  }

  async show() {
    const { text } = this;
    this.timer = null;
    try {
      const [tree] = await trees([text]);
      this.body.replaceChildren(...build(tree));
    } catch {
      this.body.replaceChildren(...written(text));
    }
    if (text !== this.text) this.timer ??= setTimeout(() => this.show(), PACE);
  }
}
