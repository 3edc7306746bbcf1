// The parts of the page beside the questions: lists whose rows change one by one, so that nothing loses its focus.
import { button, make, visible } from "./dom.js";
import { get, post } from "./server.js";
import { word } from "./words.js";

export class List {
  // `build` makes an element of an item; `key` names it. Items of one name stand one behind the other.
  constructor(place, { key, build, empty }) {
    Object.assign(this, { place, key, build, rows: new Map() });
    this.empty = empty;
  }

  show(items) {
    const seen = new Set();
    let before = null;
    for (const item of items) {
      let key = this.key(item);
      while (seen.has(key)) key += " again";
      const stands = JSON.stringify(item);
      seen.add(key);
      let row = this.rows.get(key);
      if (!row || row.stands !== stands) {
        const element = this.build(item);
        if (row) row.element.replaceWith(element);
        row = { element, stands };
        this.rows.set(key, row);
      }
      const next = before ? before.nextSibling : this.place.firstChild;
      if (next !== row.element) this.place.insertBefore(row.element, next);
      before = row.element;
    }
    for (const [key, row] of this.rows) {
      if (seen.has(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    this.empty.hidden = items.length > 0;
  }
}

export function panel(id, title, ...parts) {
  return make("section", { class: "panel", id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), ...parts);
}

// A table that is wider than a phone is moved sideways, also by keys.
export function table(name, heads, body) {
  const row = make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": name }, make("table", {}, make("thead", {}, row), body));
}

export const cells = (...values) =>
  make("tr", {}, ...values.map((value) => (value instanceof Node ? make("td", {}, value) : make("td", {}, ...visible(String(value))))));

export function size(bytes) {
  const units = ["B", "KB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < 3) {
    value /= 1000;
    unit += 1;
  }
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

// A list of things that can be done to each item; a failure is told beside it.
export function act(text, kind, deed, acted) {
  const told = make("span", { class: "told", role: "status" });
  const press = button(text, kind, async () => {
    told.textContent = "";
    try {
      const done = await post("/v1/deeds", deed());
      if (done.asks) return ask(done.asks, told, async () => {
        const again = await post("/v1/deeds", { ...deed(), may_be_twice: true });
        told.replaceChildren(...visible(again.said));
        acted(again.said);
      });
      told.replaceChildren(...visible(done.said));
      // The next look may take the row away, with what is told in it.
      acted(done.said);
    } catch (error) {
      told.textContent = error.message;
      acted();
    }
  });
  return make("span", { class: "act" }, press, told);
}

// Asks once more before something that may be done twice, or that lets everything go on.
export function ask(question, place, yes) {
  const close = () => place.replaceChildren();
  const agree = async () => {
    try {
      await yes();
    } catch (error) {
      place.textContent = error.message;
    }
  };
  place.replaceChildren(make("span", { class: "asks" }, ...visible(question), " ",
    button(word("ask.no"), "deny", close), " ", button(word("ask.yes"), "allow", agree)));
}

export function explainForm() {
  const action = make("input", { id: "explain-action", autocomplete: "off", spellcheck: "false", value: "CREATE_POST", maxlength: "64" });
  const params = make("textarea", { id: "explain-params", rows: "3", spellcheck: "false" }, "{}");
  const taint = make("select", { id: "explain-taint" }, ...["", "T", "P", "TP"].map((bits) => make("option", { value: bits }, word(`explain.taint${bits || "None"}`))));
  const told = make("pre", { class: "told", role: "status", tabindex: "0", "aria-label": word("explain.title"), hidden: true });
  const press = button(word("explain.ask"), "main", async () => {
    told.hidden = false;
    try {
      const body = { action: action.value.trim(), params: params.value, session: "owner", principal: "console:owner", taint: taint.value };
      told.replaceChildren(...visible((await post("/v1/explain", body)).told));
    } catch (error) {
      told.textContent = error.message;
    }
  });
  const field = (label, element) => make("p", {}, make("label", { for: element.id }, label), element);
  return panel("explain", word("explain.title"), make("p", { class: "about" }, word("explain.about")),
    make("div", { class: "fields" }, field(word("explain.action"), action), field(word("explain.params"), params), field(word("explain.taint"), taint)), press, told);
}

export function auditPanel() {
  const rows = make("pre", { class: "rows", tabindex: "0", role: "region", "aria-label": word("audit.title") });
  const proofs = make("ul", { class: "proofs", role: "status" });
  const show = async () => {
    const stays = rows.scrollTop + rows.clientHeight < rows.scrollHeight - 20;
    const text = (await get("/v1/rows")).rows.join("\n");
    if (text === rows.dataset.text) return;
    rows.dataset.text = text;
    rows.replaceChildren(...visible(text || word("audit.none")));
    if (!stays) rows.scrollTop = rows.scrollHeight;
  };
  const verify = button(word("audit.verify"), "main", async () => {
    proofs.replaceChildren(make("li", {}, word("audit.verifying")));
    try {
      const told = (await post("/v1/verify")).proofs;
      const items = told.map((proof) => make("li", { class: proof.holds ? "holds" : "broken" }, `${proof.holds ? word("audit.holds") : word("audit.broken")} `, ...visible(proof.told)));
      proofs.replaceChildren(...(items.length ? items : [make("li", {}, word("audit.none"))]));
    } catch (error) {
      proofs.replaceChildren(make("li", { class: "broken" }, error.message));
    }
  });
  return { element: panel("audit", word("audit.title"), rows, verify, proofs), show };
}
