// The field in which a message is typed: Enter sends, Shift and Enter make a line, and what was typed is kept over a reload.
import { make } from "./dom.js";

const KEPT = "draft";

// Whether Enter ends a word of an input method. Safari says so by the code of the key alone.
const isComposing = (event) => event.isComposing || event.keyCode === 229;

export class Composer {
  constructor(form, attached, send) {
    this.attached = attached;
    this.form = form;
    this.field = form.querySelector("textarea");
    this.list = form.querySelector("#completion");
    this.commands = [];
    // What was sent and has not come yet, and the end of the latest message: one goes after the other.
    this.unsent = [];
    this.sending = Promise.resolve();
    this.field.value = sessionStorage.getItem(KEPT) || "";
    this.field.addEventListener("input", () => this.changed());
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit(send);
    });
    this.grow();
  }

  submit(send) {
    const text = this.field.value;
    if (!text.trim() && !this.attached.items.length) return;
    // A command takes no files along and stands behind nothing that is on its way, so that /stop stops at once.
    const isCommand = text.trim().startsWith("/");
    const message = { text, files: isCommand ? [] : this.attached.claim() };
    this.unsent.push(message);
    this.set("");
    const sending = (isCommand ? Promise.resolve() : this.sending).then(async () => {
      const isSent = await send(message);
      this.unsent.splice(this.unsent.indexOf(message), 1);
      // What was typed meanwhile stays behind it.
      this.set(isSent ? this.field.value : [text, this.field.value].filter(Boolean).join("\n"));
    });
    if (!isCommand) this.sending = sending;
  }

  set(text) {
    this.field.value = text;
    this.changed();
  }

  changed() {
    const texts = [...this.unsent.map((message) => message.text), this.field.value];
    sessionStorage.setItem(KEPT, texts.filter(Boolean).join("\n"));
    this.grow();
    this.complete();
  }

  grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight + 2, innerHeight / 3)}px`;
  }

  complete() {
    const typed = this.field.value;
    const fits = /^\/\S*$/.test(typed) ? this.commands.filter((command) => command.usage.startsWith(typed.toLowerCase())) : [];
    this.list.hidden = !fits.length;
    this.list.replaceChildren(...fits.slice(0, 8).map((command) => {
      const item = make("li", { role: "option" }, make("code", {}, command.usage), ` ${command.about}`);
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        this.take(command);
      });
      return item;
    }));
    this.first = fits[0];
  }

  take(command) {
    this.set(`${command.usage.split(" ")[0]} `);
    this.field.focus();
  }

  pressed(event) {
    if (event.key === "Tab" && !this.list.hidden && this.first && !event.shiftKey) {
      event.preventDefault();
      this.take(this.first);
    } else if (event.key === "Enter" && !event.shiftKey && !isComposing(event)) {
      event.preventDefault();
      this.form.requestSubmit();
    } else if (event.key === "Escape") {
      this.list.hidden = true;
    }
  }
}
