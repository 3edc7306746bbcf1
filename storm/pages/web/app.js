// Shows the page that the address names.
import { load as loadChatWords } from "/web/words.js";
import { make } from "/web/dom.js";
import { agents } from "./agent.js";
import { conversation } from "./conversation.js";
import { failed, head, page } from "./form.js";
import { editor } from "./session.js";
import { sessions } from "./sessions.js";
import { load, word } from "./words.js";

const PAGES = { sessions, "agent-editor": agents, "session-editor": editor, conversation };

function places(current) {
  const nav = document.getElementById("places");
  nav.setAttribute("aria-label", word("page.places"));
  const entry = (name, text) =>
    make("a", { href: page(name), "aria-current": current === name ? "page" : null }, text);
  nav.append(make("a", { href: "/" }, word("page.chat")), entry("sessions", word("sessions.title")), entry("agent-editor", word("agents.title")));
}

async function main() {
  await Promise.all([load(), loadChatWords()]);
  const [name, ...rest] = location.pathname.replace(/^\/storm\//, "").split("/").filter(Boolean).map(decodeURIComponent);
  places(name);
  const place = document.getElementById("main");
  const show = PAGES[name];
  if (!show || rest.length > 1) {
    place.append(head(word("page.unknown")));
    return;
  }
  try {
    await show(place, rest[0]);
  } catch (error) {
    failed(error);
  }
}

main();
