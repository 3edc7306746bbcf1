// A session's editor: its name, what it is about, and the agents that are copied in. Nothing of it changes once something was said.
import { button, make, written } from "/web/dom.js";
import { line } from "./agent.js";
import { ask, at, field, head, link, page, tries, warning } from "./form.js";
import { word } from "./words.js";

export async function editor(place, id) {
  return id === undefined ? fresh(place) : change(place, id);
}

async function fresh(place) {
  const { agents } = await ask("GET", at("agents"));
  const name = make("input", { required: true, maxlength: "120", autocomplete: "off" });
  const premise = make("textarea", { required: true, rows: "6", dir: "auto" });
  const boxes = agents.filter((agent) => !agent.fault).map((agent) => {
    const box = make("input", { type: "checkbox", value: agent.name, checked: true });
    return { box, shown: make("label", { class: "choice" }, box, line(agent, null)) };
  });
  const form = make("form", { class: "editor" },
    field(word("session.name"), name, word("session.nameHint")),
    field(word("session.premise"), premise, word("session.premiseHint")),
    make("fieldset", {}, make("legend", {}, word("session.agents")), ...boxes.map((one) => one.shown),
      make("p", { class: "hint" }, word("session.copied"))),
    make("div", { class: "tools" }, make("button", { class: "main", type: "submit" }, word("session.create"))));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = boxes.filter((one) => one.box.checked).map((one) => one.box.value);
    tries(async () => {
      if (!chosen.length) throw new Error(word("session.nobody"));
      const made = await ask("POST", at("storms"), { name: name.value, premise: premise.value, agents: chosen });
      location.assign(page("conversation", made.name));
    });
  });
  place.append(head(word("sessions.new")), form);
  name.focus();
}

async function change(place, id) {
  const session = await ask("GET", at("storms", id));
  const open = link(word("session.open"), page("conversation", id), "button");
  place.append(head(session.name, open), warning(session.fault) ?? "");
  if (session.count) {
    place.append(make("p", {}, word("session.begun")), make("p", { class: "premise", dir: "auto" }, ...written(session.premise)),
      make("ul", { class: "agents" }, ...session.agents.map((agent) => make("li", {}, line(agent, null)))));
    return;
  }
  const premise = make("textarea", { required: true, rows: "6", dir: "auto" });
  premise.value = session.premise;
  const done = make("p", { class: "hint", role: "status" });
  const form = make("form", { class: "editor" }, field(word("session.premise"), premise, word("session.premiseHint")),
    make("div", { class: "tools" }, make("button", { class: "main", type: "submit" }, word("form.save")), done));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const saved = await tries(async () => {
      await ask("PUT", `${at("storms", id)}/premise`, { premise: premise.value, revision: session.revision });
      Object.assign(session, await ask("GET", at("storms", id)));
    });
    done.textContent = saved ? word("form.saved") : "";
  });
  const list = make("ul", { class: "agents" });
  const add = make("select", {});
  const copy = button(word("session.copy"), "", async () => {
    if (await tries(() => ask("POST", `${at("storms", id)}/agents`, { template: add.value }))) await fill();
  });
  const adding = make("div", { class: "tools" }, field(word("session.add"), add), copy);
  const fill = async () => {
    const [now, all] = await Promise.all([ask("GET", at("storms", id)), ask("GET", at("agents"))]);
    list.replaceChildren(...now.agents.map((agent) => own(agent, id, fill)));
    const left = all.agents.filter((agent) => !agent.fault && !now.agents.some((one) => one.name === agent.name));
    add.replaceChildren(...left.map((agent) => make("option", {}, agent.name)));
    adding.hidden = !left.length;
  };
  place.append(form, make("h3", {}, word("session.agents")), list, adding);
  await fill();
}

function own(agent, id, fill) {
  const { name } = agent;
  const remove = button(word("session.remove"), "quiet", async () => {
    if (!confirm(word("session.sure", { name }))) return;
    if (await tries(() => ask("DELETE", at("storms", id, "agents", name)))) await fill();
    document.getElementById("main").focus();
  });
  remove.setAttribute("aria-label", word("session.removeThis", { name }));
  const where = `${page("agent-editor", name)}?session=${encodeURIComponent(id)}`;
  return make("li", {}, line(agent, where), make("div", { class: "tools" }, remove));
}
