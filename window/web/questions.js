// The questions that wait, each as a card that stays after its answer and tells what came of it.
import { button, make, visible } from "./dom.js";
import { post } from "./server.js";
import { word } from "./words.js";

// How many cards that were answered stay.
const STAY = 10;

class Card {
  constructor(question, acted) {
    Object.assign(this, { question, acted, answered: false });
    const id = `question-${question.id}`;
    const heading = make("h3", { id }, ...visible(question.brief));
    const exact = make("pre", { tabindex: "0", role: "region", "aria-label": word("card.exact") }, ...visible(question.exact));
    const facts = make("p", { class: "facts" }, `${word("card.session", { session: question.session })} · ${word("card.digest", { digest: question.digest })} · `,
      make("span", { "data-until": question.until }));
    this.code = question.wants_code ? make("input", { autocomplete: "off", spellcheck: "false", maxlength: "4", size: "6" }) : null;
    // A PIN says that this chat is the owner's, so it is typed there.
    const label = question.wants_pin ? make("span", {}, word("card.pin")) : this.code && make("label", {}, word("card.code"), " ", this.code);
    const always = question.grant && button(word("card.always", { grant: question.grant }), "quiet", () => this.answer("always"));
    this.buttons = make("div", { class: "answers" },
      button(word("card.deny"), "deny", () => this.answer("no")), label,
      question.wants_pin ? null : button(word("card.allow"), "allow", () => this.answer("yes")), always);
    this.outcome = make("p", { class: "outcome", role: "status" });
    this.element = make("section", { class: "card", "aria-labelledby": id, tabindex: "-1" }, heading, exact, facts, this.buttons, this.outcome);
  }

  async answer(choice) {
    const code = this.code && choice !== "no" ? this.code.value.trim() : null;
    if (code === "") {
      this.outcome.textContent = word("card.codeFirst");
      return this.code.focus();
    }
    this.outcome.textContent = word("card.sending");
    // A look may see that it is answered before the answer to it is here.
    this.sending = true;
    try {
      const done = await post("/v1/deeds", { deed: "answer", id: this.question.id, answer: choice, code });
      this.settle(done.said);
    } catch (error) {
      this.outcome.textContent = error.message;
    } finally {
      this.sending = false;
    }
    this.acted();
  }

  settle(text) {
    if (this.answered) return;
    this.answered = true;
    // The focus stays at the question when its buttons go.
    if (this.buttons.contains(document.activeElement)) this.element.focus();
    this.buttons.remove();
    this.element.classList.add("settled");
    const time = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    this.outcome.replaceChildren(...visible(`${time} · ${text}`));
  }

  // What came of the command, once it has ended.
  ended(end) {
    if (!this.answered || this.told) return;
    this.told = true;
    const how = end.message ? `${end.status}: ${end.message}` : end.status;
    this.outcome.append(make("br"), ...visible(word("card.came", { how })));
  }
}

export class Questions {
  constructor(place, { acted, announce }) {
    Object.assign(this, { place, acted, announce, cards: new Map(), first: true });
    this.empty = make("p", { class: "empty" }, word("questions.none"));
    place.append(this.empty);
  }

  show(sight) {
    const waiting = new Set(sight.questions.map((question) => question.id));
    for (const question of sight.questions) {
      if (this.cards.has(question.id)) continue;
      const card = new Card(question, this.acted);
      this.cards.set(question.id, card);
      this.empty.before(card.element);
      if (!this.first) this.announce(word("questions.new", { what: question.brief }));
    }
    this.first = false;
    for (const [id, card] of this.cards) {
      if (!waiting.has(id) && !card.sending) card.settle(word("card.elsewhere"));
      const end = sight.ended.find((end) => end.id === card.question.message_id && end.status !== "pending");
      if (end) card.ended(end);
    }
    const settled = [...this.cards].filter(([, card]) => card.answered);
    for (const [id, card] of settled.slice(0, Math.max(0, settled.length - STAY))) {
      card.element.remove();
      this.cards.delete(id);
    }
    this.empty.hidden = sight.questions.length > 0;
    return sight.questions.length;
  }
}
