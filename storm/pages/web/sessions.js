// All sessions, as cards.
import { button, make, visible, written } from "/web/dom.js";
import { ask, at, head, link, page, tries, warning } from "./form.js";
import { time, word } from "./words.js";

export async function sessions(place) {
  const list = make("ul", { class: "cards" });
  place.append(head(word("sessions.title"), link(word("sessions.new"), page("session-editor"), "button main")), list);
  await fill(list);
}

async function fill(list) {
  const all = (await ask("GET", at("storms"))).sessions;
  list.replaceChildren(...all.map((session) => card(session, list)));
  if (!all.length) list.append(make("li", { class: "empty" }, word("sessions.none")));
}

function card(session, list) {
  const { name } = session;
  const facts = [word("sessions.messages", { count: session.messages ?? 0 })];
  if (session.last) facts.push(time(session.last));
  if (session.running) facts.push(word("talk.running"));
  else if (session.next) facts.push(word("talk.next", { name: session.next }));
  const remove = button(word("sessions.delete"), "quiet", async () => {
    if (!confirm(word("sessions.sure", { name }))) return;
    if (await tries(() => ask("DELETE", at("storms", name)))) await fill(list);
    // Where the button was is nothing any more.
    document.getElementById("main").focus();
  });
  remove.setAttribute("aria-label", word("sessions.deleteThis", { name }));
  const isReadable = session.premise !== undefined;
  const edit = isReadable && !session.messages ? link(word("sessions.edit"), page("session-editor", name), "quiet") : null;
  const title = make("h3", {}, isReadable ? link("", page("conversation", name)) : make("span"));
  title.firstChild.append(make("bdi", {}, ...visible(name)));
  return make("li", { class: "session" }, title,
    isReadable ? make("p", { class: "premise", dir: "auto" }, ...written(session.premise)) : null,
    isReadable ? make("p", { class: "facts" }, session.agents.join(", ")) : null,
    isReadable ? make("p", { class: "facts" }, facts.join(" · ")) : null,
    warning(session.fault),
    make("div", { class: "tools" }, edit, remove));
}
