// Files: those that go with the next message, those that a message tells of, and the list of all that are kept.
import { button, folding, make, visible } from "./dom.js";
import { get, post, upload } from "./server.js";
import { word } from "./words.js";

const LARGEST = 10 * 1024 * 1024;
const MOST = 20;
const KEPT = "attached";
const OFFERED = "offered";
// The line that the agent writes for each file of a message.
const LINE = /^\[file "([^"\n]*)", (\d+) bytes, ([a-z0-9/.+-]+), kept as files\/([0-9a-f]{32})(\.[a-z]+)?\]$/gm;

export function size(bytes) {
  const [count, unit] = bytes < 1000 ? [bytes, "byte"] : bytes < 1e6 ? [bytes / 1e3, "kilobyte"] : [bytes / 1e6, "megabyte"];
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, maximumFractionDigits: 1 }).format(count);
}

// What a refusal says in the language of the page.
export function why(error) {
  const said = error.code && word(`files.${error.code}`);
  return said && said !== `files.${error.code}` ? said : error.message;
}

const kept = (key) => JSON.parse(sessionStorage.getItem(key) || "[]");

// The files that go with the next message. A reload keeps those that have come.
export class Attached {
  constructor({ list, pick, open, place }, tell) {
    Object.assign(this, { list, tell, items: kept(KEPT), claimed: [], coming: Promise.resolve() });
    open.addEventListener("click", () => pick.click());
    pick.addEventListener("change", () => {
      this.take([...pick.files]);
      pick.value = "";
    });
    const holdsFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
    addEventListener("dragover", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      place.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) place.classList.remove("dropping");
    });
    addEventListener("drop", (event) => {
      place.classList.remove("dropping");
      if (!holdsFiles(event)) return;
      event.preventDefault();
      this.take([...event.dataTransfer.files]);
    });
    place.addEventListener("paste", (event) => {
      // A program for offices or tables puts a picture of the words beside them: the words are meant.
      const { files, types } = event.clipboardData;
      if (files.length && !types.includes("text/plain")) this.take([...files]);
    });
    this.show();
  }

  take(files) {
    const refused = [];
    for (const file of files) {
      if (this.items.length >= MOST) refused.push(`${file.name}: ${word("files.too_many")}`);
      else if (file.size > LARGEST) refused.push(`${file.name}: ${word("files.too_large")}`);
      else if (!file.size) refused.push(`${file.name}: ${word("files.empty")}`);
      else this.send(file);
    }
    this.tell(refused.join("\n"));
    this.show();
  }

  // One after the other, so that the rest of the page is served meanwhile.
  send(file) {
    const item = { name: file.name, bytes: file.size };
    this.items.push(item);
    this.coming = this.coming.then(async () => {
      if (![...this.claimed, ...this.items].includes(item)) return;
      try {
        Object.assign(item, await upload(file));
      } catch (error) {
        item.why = `${file.name}: ${why(error)}`;
        this.drop([item]);
        this.tell(item.why);
      }
      this.show();
    });
  }

  // Takes those that are there for a message. What is added from now on waits for the next one.
  claim() {
    const items = this.items.splice(0);
    this.claimed.push(...items);
    this.show();
    return items;
  }

  // These, once all have come; an error when one has not.
  async ready(items) {
    if (!items.length) return items;
    await this.coming;
    const lost = items.filter((item) => item.why);
    if (lost.length) throw new Error(lost.map((item) => item.why).join("\n"));
    return items;
  }

  // Gives back what a message has not taken along.
  release(items) {
    const back = items.filter((item) => this.claimed.includes(item));
    this.drop(back);
    this.items.unshift(...back);
    this.show();
  }

  // Forgets these: they are sent, or nobody wants them.
  drop(items) {
    for (const list of ["items", "claimed"]) this[list] = this[list].filter((item) => !items.includes(item));
    this.show();
  }

  show() {
    const all = [...this.claimed, ...this.items];
    sessionStorage.setItem(KEPT, JSON.stringify(all.filter((item) => item.id)));
    this.list.hidden = !all.length;
    this.list.replaceChildren(...all.map((item) => {
      const isClaimed = this.claimed.includes(item);
      const out = isClaimed ? null : button("\u00d7", "quiet", () => this.drop([item]));
      if (out) out.setAttribute("aria-label", word("files.leave", { name: item.name }));
      const state = item.id && !isClaimed ? size(item.bytes) : word("files.coming");
      return make("li", {}, make("bdi", {}, ...visible(item.name)), " ", make("small", {}, state), out);
    }));
  }
}

// The words of a message without the lines on its files, and the files.
export function parts(text) {
  const files = [];
  const words = text.replace(LINE, (_, name, bytes, kind, id, ending) => {
    files.push({ name, bytes: Number(bytes), kind, id, paper: Boolean(ending) });
    return "";
  });
  return { words: files.length ? words.trim() : text, files };
}

// A file of a message: its picture, if it is one, a link that saves it, and whether it goes into the library.
export function chip(file, failed) {
  const link = make("a", { href: `/v1/files/${file.id}`, download: file.name }, make("bdi", {}, ...visible(file.name)));
  const shown = make("div", { class: "file" }, link, " ", make("small", {}, size(file.bytes)));
  if (file.kind.startsWith("image/")) {
    const picture = make("img", { src: `/v1/files/${file.id}/picture`, alt: file.name, class: "thumbnail", loading: "lazy" });
    picture.addEventListener("error", () => picture.remove());
    shown.prepend(picture);
  }
  if (file.paper && !kept(OFFERED).includes(file.id)) shown.append(offer(file, failed));
  return shown;
}

function offer(file, failed) {
  const settle = () => {
    sessionStorage.setItem(OFFERED, JSON.stringify([...kept(OFFERED), file.id]));
    place.remove();
  };
  const index = async (label) => {
    try {
      const found = (await get("/v1/files")).files.find((other) => other.id === file.id);
      if (!found) throw new Error(word("files.gone"));
      await post("/v1/messages", { text: `/index ${found.place} ${label}`, wait: false });
      settle();
    } catch (error) {
      failed(error);
    }
  };
  const place = make("div", { class: "offer", role: "group", "aria-label": word("files.library", { name: file.name }) },
    make("span", {}, word("files.toLibrary")),
    button(word("files.public"), "quiet", () => index("public")),
    button(word("files.admin"), "quiet", () => index("admin")),
    button(word("files.skip"), "quiet", settle));
  return place;
}

// A file that was asked for, to save.
export function output(path) {
  const name = path.split("/").pop();
  const link = make("a", { href: `/v1/output/${encodeURIComponent(name)}`, download: name }, make("bdi", {}, ...visible(name)));
  return make("p", { class: "line file" }, word("files.came"), " ", link);
}

// The list of all files that are kept.
export class Kept {
  constructor({ panel, toggle, list }, failed) {
    Object.assign(this, { list, failed });
    this.show = folding(panel, toggle, () => this.fill());
  }

  async fill() {
    try {
      const { files } = await get("/v1/files");
      const items = files.map((file) => this.item(file));
      this.list.replaceChildren(...(items.length ? items : [make("li", { class: "note" }, word("files.none"))]));
    } catch (error) {
      this.failed(error);
    }
  }

  item(file) {
    const save = make("a", { href: `/v1/files/${file.id}`, download: file.name }, make("bdi", {}, ...visible(file.name)));
    const remove = button(word("files.remove"), "quiet", async () => {
      if (!confirm(word("files.sure", { name: file.name }))) return;
      try {
        await post("/v1/files/remove", { id: file.id });
      } catch (error) {
        this.failed(error);
      }
      this.fill();
    });
    remove.setAttribute("aria-label", word("files.removeOne", { name: file.name }));
    return make("li", {}, save, make("small", {}, size(file.bytes)), remove);
  }
}
