// The page: hears what is told, shows it, and says what is typed.
import { Chats } from "./chats.js";
import { Composer } from "./composer.js";
import { tell } from "./dom.js";
import { Attached, Kept } from "./dropped.js";
import { Log, older } from "./log.js";
import { ModelPanel } from "./model.js";
import { get, listen, post, setClock } from "./server.js";
import { load, word } from "./words.js";

const at = (id) => document.getElementById(id);
const NEAR = 120;
let attached;
let thinks;
let before = 0;
// How often a conversation has begun to be shown from its start.
let starts = 0;
let isLive = false;
// Whether something of the owner's is on the page.
let isIn = false;
let isOffline = false;
let follows = true;
// How far from its end the conversation was seen before this page was loaded again, until somebody moves it.
const KEPT = "scroll";
let pinned = Number(sessionStorage.getItem(KEPT)) || 0;

function alertWith(text) {
  tell(at("alert"), text);
  at("alert").hidden = !text;
}

// Leaves nothing on the screen and nothing in the browser: the page that is loaded then says how to sign in.
function leave() {
  // At the very end: what fails meanwhile may be kept as a draft once more.
  addEventListener("pagehide", () => sessionStorage.clear());
  location.reload();
}

function failed(error) {
  if (error.status === 401 && isIn) return leave();
  alertWith(error.status === 401 ? word("page.signedOut") : error.message);
}

// A name of a file is nothing that a person typed, so it never goes as a part of the text.
function say(text, files) {
  if (files.length) return post("/v1/files/say", { text, files: files.map((file) => file.id) });
  return post("/v1/messages", { text, wait: false });
}

async function send({ text, files: claimed }) {
  try {
    const files = await attached.ready(claimed);
    await say(text, files);
    attached.drop(claimed);
    alertWith("");
    return true;
  } catch (error) {
    attached.release(claimed);
    failed(error);
    return false;
  }
}

// Says once more what was said, with its files.
async function retry({ words, files }) {
  try {
    await say(words, files);
  } catch (error) {
    failed(error);
  }
}

function scroller() {
  return at("scroller");
}

function isAtEnd() {
  const view = scroller();
  return view.scrollHeight - view.scrollTop - view.clientHeight < NEAR;
}

// To where the reader wants to be, now that the conversation has grown. A card that somebody is at stays under the pointer.
function follow(log) {
  if (pinned || (follows && !log.isAtCard)) toPlace();
  log.open.forEach((card) => card.moved());
}

function toEnd() {
  scroller().scrollTop = scroller().scrollHeight;
}

// To where it was seen before, or to its end.
function toPlace() {
  if (pinned) scroller().scrollTop = scroller().scrollHeight - pinned;
  else toEnd();
}

function keepPlace() {
  follows = isAtEnd();
  if (pinned) return;
  const view = scroller();
  sessionStorage.setItem(KEPT, follows ? "0" : String(view.scrollHeight - view.scrollTop));
}

function unpin() {
  pinned = 0;
}

async function showOlder() {
  if (!before) return;
  const [place, from] = [before, starts];
  before = 0;
  try {
    const page = await get(`/v1/history?before=${place}`);
    const elements = await older(page.events, failed);
    // Another conversation may have begun meanwhile.
    if (from !== starts) return;
    const view = scroller();
    const fromEnd = view.scrollHeight - view.scrollTop;
    at("before").prepend(...elements);
    view.scrollTop = view.scrollHeight - fromEnd;
    before = page.before;
  } catch (error) {
    if (from !== starts) return;
    before = place;
    failed(error);
  }
  at("older").hidden = !before;
}

// Shows who thinks and what has come in; says whether this browser is signed in, as far as is known.
async function showStanding() {
  try {
    const standing = await get("/v1/page");
    const parts = [word("page.model", { model: standing.model })];
    if (standing.trust.untrusted) parts.push(word("page.untrusted"));
    if (standing.trust.private) parts.push(word("page.private"));
    at("standing").textContent = parts.join(" · ");
    isIn = true;
    return true;
  } catch (error) {
    failed(error);
    return error.status !== 401;
  }
}

function mark(log) {
  document.title = log.waiting ? `(${log.waiting}) ${word("page.waiting")}` : "SafeClaw";
}

function notify(title, body, tag) {
  if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
  try {
    new Notification(title, { body, tag });
  } catch {
    // Chrome for Android shows none of a page's own. What it would tell stands on the page.
  }
}

function setBusy(busy) {
  at("stop").hidden = !busy;
  if (!busy) at("state").textContent = "";
}

function hear(log, told) {
  switch (told.type) {
    case "start":
      starts += 1;
      isLive = false;
      log.clear();
      at("before").replaceChildren();
      setBusy(false);
      before = told.before;
      at("older").hidden = !before;
      return;
    case "now":
      setClock(told.at);
      log.cards.forEach((card) => card.tick());
      if (!isLive) {
        isLive = true;
        toPlace();
        if (before) showOlder().then(toPlace);
      }
      mark(log);
      return;
    case "begin": setBusy(true); at("state").textContent = word("chat.working"); break;
    case "end": setBusy(false); showStanding(); thinks.refresh(); break;
    case "switched": unpin(); return void showStanding();
    case "working":
    case "waiting": at("state").textContent = told.text; break;
    case "words": at("state").textContent = ""; break;
  }
  log.take(told);
  mark(log);
  if (isLive && told.type === "question") notify(word("page.waiting"), told.brief || "", told.id);
  if (isLive && told.type === "reminder") notify(told.text, "", told.at);
}

async function main() {
  await load();
  at("older").textContent = word("page.older");
  at("show-chats").textContent = word("chats.title");
  at("chats").setAttribute("aria-label", word("chats.title"));
  at("new-chat").textContent = word("chats.new");
  at("find-chat").placeholder = word("chats.find");
  at("find-chat").setAttribute("aria-label", word("chats.find"));
  at("stop").textContent = word("chat.stop");
  at("send").textContent = word("chat.send");
  at("storms").textContent = word("page.storms");
  at("sign-out").textContent = word("page.signOut");
  at("text").setAttribute("aria-label", word("chat.text"));
  at("text").placeholder = word("chat.text");
  at("completion").setAttribute("aria-label", word("chat.text"));
  for (const id of ["show-files", "files"]) at(id).setAttribute("aria-label", word("files.title"));
  at("show-files").textContent = word("files.title");
  for (const id of ["show-model", "model"]) at(id).setAttribute("aria-label", word("model.title"));
  at("show-model").textContent = word("model.title");
  at("attach").setAttribute("aria-label", word("files.add"));
  at("attach").title = word("files.add");
  at("attached").setAttribute("aria-label", word("files.attached"));
  attached = new Attached({ list: at("attached"), pick: at("pick"), open: at("attach"), place: at("composer") }, alertWith);
  new Kept({ panel: at("files"), toggle: at("show-files"), list: at("file-list") }, failed);
  const model = { panel: at("model"), toggle: at("show-model"), now: at("model-now"), filled: at("model-window"), list: at("model-list") };
  thinks = new ModelPanel(model, { say, failed });
  const composer = new Composer(at("composer"), attached, send);
  const log = new Log(at("log"), { failed, retry });
  const parts = { panel: at("chats"), toggle: at("show-chats"), list: at("chat-list"), field: at("find-chat"), fresh: at("new-chat") };
  new Chats(parts, { failed, opened: () => at("text").focus() });
  at("older").addEventListener("click", showOlder);
  at("stop").addEventListener("click", () => post("/v1/cancel").catch(failed));
  at("sign-out").addEventListener("click", () => post("/v1/sign-out").then(leave).catch(failed));
  at("composer").addEventListener("submit", () => {
    if ("Notification" in window && Notification.permission === "default") Notification.requestPermission();
  }, { once: true });
  // An answer grows after it has come, once its Markdown is read.
  scroller().addEventListener("scroll", () => {
    keepPlace();
    // Whoever scrolls knows where the cards are.
    log.open.forEach((card) => card.note());
  });
  for (const moved of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(moved, unpin, { passive: true });
  const grown = new ResizeObserver(() => follow(log));
  grown.observe(at("log"));
  grown.observe(at("before"));
  setInterval(() => log.cards.forEach((card) => card.tick()), 15000);
  if (!(await showStanding())) {
    for (const id of ["composer", "sign-out", "show-chats", "show-files", "show-model"]) at(id).hidden = true;
    return;
  }
  // Without them nothing is completed, and all else goes on.
  const complete = () => get("/v1/commands").then(({ commands }) => { composer.commands = commands; }).catch(failed);
  complete();
  at("text").focus();
  listen((told) => hear(log, told), (why) => {
    // What else was said stays where it is.
    if (!why && isOffline) {
      alertWith("");
      showStanding();
      if (!composer.commands.length) complete();
    }
    isOffline = Boolean(why);
    if (why === "closed") showStanding();
    else if (why) alertWith(word(`page.${why}`));
  });
}

main();
