// A question of the wall's, and the ways to answer it.
import { button, make, tell, visible } from "./dom.js";
import { now, post } from "./server.js";
import { word } from "./words.js";

const MINUTE = 60000;
// How many digits of a question's id people read and type.
const SHORT = 8;
// For how long a click may have been meant for what stood there before, in milliseconds.
const DOUBT = 1000;

export class Card {
  constructor(question, failed) {
    this.id = question.id;
    this.until = question.seconds === null ? null : question.at + question.seconds * 1000;
    const heading = make("h3", { id: `question-${question.id}` }, ...visible(question.brief || word("card.title")));
    const beside = question.beside === null ? null : make("p", {}, word("card.beside", { first: question.beside.slice(0, SHORT) }));
    const text = make("pre", { tabindex: "0", "aria-label": word("card.exact") }, ...visible(question.question));
    // What is just like another question is told in short, and whole to who wants to read it.
    const exact = beside ? make("details", {}, make("summary", {}, word("card.exact")), text) : text;
    this.left = make("p", { class: "left" });
    this.code = question.wants_code ? make("input", { autocomplete: "off", maxlength: "4", size: "6", "aria-label": word("card.code") }) : null;
    // A PIN is shown nowhere, and stays in no field.
    this.pin = question.wants_pin ? make("input", { type: "password", inputmode: "numeric", autocomplete: "off", maxlength: "6", size: "8", "aria-label": word("card.pin") }) : null;
    const answer = async (choice) => {
      const typed = (field) => (field && choice !== "no" ? field.value.trim() : undefined);
      const [code, pin] = [typed(this.code), typed(this.pin)];
      if (code === "") return this.code.focus();
      if (pin === "") return this.pin.focus();
      if (this.pin) this.pin.value = "";
      this.outcome.textContent = word("card.sending");
      try {
        await post("/v1/answers", { id: question.id, answer: choice, code, pin });
      } catch (error) {
        this.outcome.textContent = "";
        failed(error);
      }
    };
    const yes = (choice) => (event) => {
      // A key goes to what has the focus, wherever that stands.
      if (this.doubt && event.detail) return;
      answer(choice);
    };
    const always = question.grant === null ? null : button(word("card.always", { grant: question.grant }), "quiet", yes("always"));
    const allow = button(word(this.pin ? "card.goOn" : "card.allow"), "allow", yes("yes"));
    this.grants = [allow, always].filter(Boolean);
    const field = this.code || this.pin;
    const label = field ? make("label", {}, `${word(this.pin ? "card.pin" : "card.code")}: `, field) : null;
    this.buttons = make("div", { class: "answers" }, button(word("card.deny"), "deny", () => answer("no")), label, allow, always);
    this.outcome = make("p", { class: "outcome", role: "status" });
    this.element = make("section", { class: "card", "aria-labelledby": heading.id, tabindex: "-1" }, heading, beside, exact, this.left, this.buttons, this.outcome);
    this.tick();
    this.moved();
  }

  // Takes no click on a yes for a moment, if it stands elsewhere than before.
  moved() {
    if (!this.note()) return;
    this.show(true);
    clearTimeout(this.doubt);
    this.doubt = setTimeout(() => this.show(false), DOUBT);
  }

  // Notes where it stands, and says whether that is elsewhere than before.
  note() {
    const before = this.top;
    this.top = Math.round(this.element.getBoundingClientRect().top);
    return this.top !== before;
  }

  show(isInDoubt) {
    if (!isInDoubt) this.doubt = null;
    for (const one of this.grants) one.setAttribute("aria-disabled", String(isInDoubt));
  }

  tick() {
    if (this.until === null || !this.buttons.isConnected && this.element.isConnected) return;
    const left = this.until - now();
    tell(this.left, left > 0 ? word("card.left", { minutes: Math.ceil(left / MINUTE) }) : word("card.over"));
  }

  // It is put again, because what was typed was not right.
  again() {
    this.outcome.textContent = "";
  }

  settle(text, at) {
    // The focus stays at the question when its buttons go.
    if (this.buttons.contains(document.activeElement)) this.element.focus();
    this.buttons.remove();
    this.left.remove();
    const time = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    this.outcome.replaceChildren(...visible(`${time} · ${text}`));
    this.element.classList.add("settled");
  }
}
