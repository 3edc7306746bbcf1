// Who thinks: the model, how full its window was and with what, and another one to choose.
import { button, folding, make } from "./dom.js";
import { get } from "./server.js";
import { word } from "./words.js";

// Parts that are told under one name.
const SAME = { EARLIER: "USER_INPUT_HISTORY", FORM: "HOW_TO_ANSWER" };
// The smallest part that has a name of its own, in hundredths.
const SMALLEST = 1;

const number = (count) => count.toLocaleString(document.documentElement.lang);

// A count of parameters as models are named by it: 3.1 B.
function rounded(count) {
  const [size, unit] = count < 1e9 ? [count / 1e6, "M"] : [count / 1e9, "B"];
  return `${size.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 })} ${unit}`;
}

// What a prompt was made of: each part's words and hundredths, the largest first.
function parts(shares) {
  const all = shares.reduce((sum, share) => sum + share.bytes, 0) || 1;
  const sizes = new Map();
  for (const { name, bytes } of shares) {
    const key = SAME[name] || name;
    sizes.set(key, (sizes.get(key) || 0) + (100 * bytes) / all);
  }
  return [...sizes].filter(([, percent]) => percent >= SMALLEST).sort(([, one], [, other]) => other - one);
}

// The words for a part; one that the page does not know has its own name.
function called(name) {
  const words = word(`window.${name}`);
  return words === `window.${name}` ? name.toLowerCase().replaceAll("_", " ") : words;
}

export class ModelPanel {
  constructor({ panel, toggle, now, filled, list }, { say, failed }) {
    Object.assign(this, { panel, now, filled, list, say, failed });
    this.show = folding(panel, toggle, () => this.fill());
  }

  async fill() {
    try {
      const told = await get("/v1/model");
      this.now.textContent = word("page.model", { model: told.model });
      this.filled.replaceChildren(...this.gauge(told));
      const items = told.models.map((model) => this.item(model));
      const none = told.why || word("model.none");
      this.list.replaceChildren(...(items.length ? items : [make("li", { class: "note" }, none)]));
    } catch (error) {
      this.failed(error);
    }
  }

  // Fills it again, if it is seen.
  refresh() {
    if (!this.panel.hidden) this.fill();
  }

  gauge({ latest, window: holds }) {
    if (!latest || latest.read === null) {
      return [make("p", { class: "note" }, holds ? word("model.holds", { tokens: number(holds) }) : word("model.unknown"))];
    }
    const used = latest.read + (latest.written || 0);
    const size = latest.window || holds;
    const label = size
      ? word("model.filled", { used: number(used), size: number(size), percent: Math.floor((100 * used) / size) })
      : word("model.used", { used: number(used) });
    const meter = size ? make("meter", { min: 0, max: size, high: 0.8 * size, value: used, "aria-label": label }) : null;
    const rows = parts(latest.shares).map(([name, percent]) =>
      make("li", {}, make("span", {}, called(name)), make("small", {}, `${Math.floor(percent)} %`)));
    const of = rows.length ? make("ul", { "aria-label": word("model.parts") }, ...rows) : null;
    const cut = latest.cut.length ? make("p", { class: "note" }, word("model.cut", { cut: latest.cut.join("; ") })) : null;
    const by = make("p", { class: "note" }, word("model.by", { by: latest.by }));
    return [make("p", {}, label), meter, of, cut, by].filter(Boolean);
  }

  item(model) {
    const facts = [
      model.parameters ? word("model.parameters", { count: rounded(model.parameters) }) : null,
      model.window ? word("model.holds", { tokens: number(model.window) }) : null,
    ].filter(Boolean);
    const name = make("bdi", {}, model.name);
    const about = facts.length ? make("small", {}, facts.join(", ")) : null;
    if (model.asked) return make("li", { "aria-current": "true" }, name, about, make("small", {}, word("model.asked")));
    const choose = (more) => () => this.choose(`/model ${model.name}${more}`);
    const tools = [["model.now", ""], ["model.keep", " --keep"]].map(([key, more]) => {
      const one = button(word(key), "quiet", choose(more));
      one.setAttribute("aria-label", `${model.name}: ${word(key)}`);
      return one;
    });
    return make("li", {}, name, about, ...tools);
  }

  // What comes of it stands in the conversation.
  async choose(command) {
    this.show(false);
    try {
      await this.say(command, []);
    } catch (error) {
      this.failed(error);
    }
  }
}
