// Agents: those that are copied into sessions, and the form of one of them.
import { button, make, visible } from "/web/dom.js";
import { ask, at, field, head, link, page, tell, tries, warning } from "./form.js";
import { inWords, word } from "./words.js";

const KEYS = ["service", "model", "url", "temperature", "sets", "prompt"];

export async function agents(place, name) {
  const session = new URLSearchParams(location.search).get("session");
  if (name !== undefined) return edit(place, name, session);
  const { agents: all } = await ask("GET", at("agents"));
  const list = make("ul", { class: "agents" }, ...all.map((agent) => make("li", {}, line(agent, page("agent-editor", agent.name)))));
  place.append(head(word("agents.title")), make("p", { class: "hint" }, word("agents.lead")), list);
  place.append(make("h3", {}, word("agents.new")), await form({}, null));
}

// An agent in a list: its name, its model, and what is wrong with it.
export function line(agent, href) {
  const name = make("bdi", {}, ...visible(agent.name));
  const model = agent.service ? make("span", { class: "facts" }, `${agent.service} · ${agent.model}`) : null;
  return make("div", { class: "entry" }, href ? link(name, href) : name, model, warning(agent.fault || agent.warning));
}

async function edit(place, name, session) {
  const where = session ? at("storms", session, "agents", name) : at("agents", name);
  const agent = await ask("GET", where);
  const back = session ? page("session-editor", session) : page("agent-editor");
  const remove = button(word("agents.delete"), "quiet", async () => {
    if (!confirm(word("agents.sure", { name }))) return;
    if (await tries(() => ask("DELETE", where))) location.assign(back);
  });
  place.append(head(name, agent.written ? remove : null));
  if (session) place.append(make("p", { class: "hint" }, word("agents.copy", { session })));
  place.append(await form(agent, session));
}

async function form(agent, session) {
  const { services } = await ask("GET", at("services"));
  const name = make("input", { required: true, maxlength: "120", autocomplete: "off", value: agent.name });
  const service = make("select", { required: true }, ...services.map((one) => make("option", {}, one.name)));
  const known = services.find((one) => one.name.toLowerCase() === (agent.service || "").toLowerCase());
  service.value = known ? known.name : (services.find((one) => one.models.length) || services[0]).name;
  const models = make("datalist", { id: "models" });
  const fill = () => {
    const chosen = services.find((one) => one.name === service.value);
    models.replaceChildren(...chosen.models.map((model) => make("option", { value: model })));
  };
  service.addEventListener("change", fill);
  fill();
  const text = (value, more) => make("input", { autocomplete: "off", value: value || null, ...more });
  const model = text(agent.model, { required: true, list: "models" });
  const url = text(agent.url, { placeholder: "http://127.0.0.1:8080/v1" });
  const temperature = text(agent.temperature, { inputmode: "decimal" });
  const sets = text(agent.sets);
  const prompt = make("textarea", { rows: "10", dir: "auto" });
  prompt.value = agent.prompt || "";
  const inputs = { service, model, url, temperature, sets, prompt };
  const more = make("details", {}, make("summary", {}, word("agents.more")),
    field(word("agents.url"), url, word("agents.urlHint")),
    field(word("agents.temperature"), temperature, word("agents.temperatureHint")),
    field(word("agents.sets"), sets, word("agents.setsHint")));
  more.open = Boolean(agent.url || agent.temperature || agent.sets);
  const done = make("p", { class: "hint", role: "status" });
  const shown = make("form", { class: "editor" }, warning(agent.fault || agent.warning),
    agent.name ? null : field(word("agents.name"), name, word("agents.nameHint")),
    field(word("agents.service"), service), field(word("agents.model"), model), models,
    field(word("agents.prompt"), prompt), more,
    make("div", { class: "tools" }, make("button", { class: "main", type: "submit" }, word("form.save")), done));
  shown.addEventListener("submit", async (event) => {
    event.preventDefault();
    const written = Object.fromEntries(KEYS.map((key) => [key, inputs[key].value]));
    const called = agent.name || name.value.trim();
    const where = session ? at("storms", session, "agents", called) : at("agents", called);
    let saved;
    if (!(await tries(async () => { saved = await ask("PUT", where, { ...written, revision: agent.revision ?? null }); }))) return;
    if (!agent.name) return location.assign(page("agent-editor", called));
    Object.assign(agent, await ask("GET", where));
    done.textContent = word("form.saved");
    tell(saved.warning ? inWords(saved.warning) : "");
  });
  shown.addEventListener("input", () => { done.textContent = ""; });
  return shown;
}
