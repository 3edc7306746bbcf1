// The field in which a message is typed: Enter sends, Shift and Enter make a line, and what was typed is kept over a reload.
import { make } from "./dom.js";

const KEPT = "draft";

export class Composer {
  constructor(form, attached, send) {
    this.attached = attached;
    this.form = form;
    this.field = form.querySelector("textarea");
    this.list = form.querySelector("#completion");
    this.commands = [];
    this.field.value = sessionStorage.getItem(KEPT) || "";
    this.field.addEventListener("input", () => this.changed());
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit(send);
    });
    this.grow();
  }

  async submit(send) {
    const text = this.field.value;
    if (!text.trim() && !this.attached.items.length) return;
    this.set("");
    if (!(await send(text))) this.set(text);
  }

  set(text) {
    this.field.value = text;
    this.changed();
  }

  changed() {
    sessionStorage.setItem(KEPT, this.field.value);
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
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.form.requestSubmit();
    } else if (event.key === "Escape") {
      this.list.hidden = true;
    }
  }
}
