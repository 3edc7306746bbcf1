// The conversations that were put away: a list that finds, opens, names, saves and removes them.
import { button, folding, make } from "./dom.js";
import { get, postAndWait } from "./server.js";
import { word } from "./words.js";

const PAUSE = 200;

export class Chats {
  constructor({ panel, toggle, list, field, fresh }, { failed, opened }) {
    Object.assign(this, { list, field, failed, opened, timer: null });
    this.show = folding(panel, toggle, () => {
      field.focus();
      this.fill();
    });
    fresh.addEventListener("click", () => this.say("/new").then((done) => done && this.taken()));
    field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.fill(), PAUSE);
    });
  }

  async fill() {
    try {
      const words = encodeURIComponent(this.field.value.trim());
      const { open, conversations } = await get(`/v1/conversations?words=${words}`);
      const items = conversations.map((chat) => this.item(chat, chat.number === open));
      this.list.replaceChildren(...(items.length ? items : [make("li", { class: "note" }, word("chats.none"))]));
    } catch (error) {
      this.failed(error);
    }
  }

  item(chat, isOpen) {
    const title = chat.title || word("chats.untitled");
    const day = new Date(chat.last).toLocaleDateString(document.documentElement.lang);
    const open = button("", "chat-title", () => this.open(chat.number));
    open.append(make("bdi", {}, title), make("small", {}, day));
    if (isOpen) open.setAttribute("aria-current", "true");
    const save = make("a", { href: `/v1/conversations/${chat.number}?form=html`, download: true, class: "quiet" }, word("chats.save"));
    const rename = button(word("chats.rename"), "quiet", () => {
      const name = prompt(word("chats.name"), title);
      if (name && name.trim()) this.say(`/rename ${chat.number} ${name.replace(/\s+/g, " ").trim()}`).then(() => this.fill());
    });
    const remove = isOpen ? null : button(word("chats.remove"), "quiet", () => {
      if (confirm(word("chats.sure", { title }))) this.say(`/delete ${chat.number} yes`).then(() => this.fill());
    });
    return make("li", {}, open, make("div", { class: "chat-tools" }, rename, save, remove));
  }

  async open(number) {
    if (await this.say(`/open ${number}`)) this.taken();
  }

  // The conversation itself comes as whoever looks at the page sees it.
  taken() {
    this.show(false);
    this.opened();
  }

  // Says a command and waits until it is carried out.
  async say(text) {
    try {
      await postAndWait("/v1/messages", { text, wait: true });
      return true;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }
}
