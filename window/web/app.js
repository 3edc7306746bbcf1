// The wall's window: opens with a link's code, then looks at the router every two seconds.
import { Chart, rates } from "./chart.js";
import { button, make, tell, visible } from "./dom.js";
import { List, act, ask, auditPanel, cells, explainForm, panel, size, table } from "./panels.js";
import { Questions } from "./questions.js";
import { get, isOpen, lock, open, post } from "./server.js";
import { load, word } from "./words.js";

const at = (id) => document.getElementById(id);
const LOOKS = 2000;
const LOOKS_UNSEEN = 10000;

// The code is taken out of the address before anything else, so that nobody reads or remembers it there.
let code = "";
function takeCode() {
  const given = location.hash.slice(1);
  if (!given) return;
  code = given;
  history.replaceState(null, "", "/");
}
takeCode();

// How the router calls a link that never opens the window.
const BAD = ["unknown", "expired", "used", "too_many"];

let parts = null;
let timer = null;

function alertWith(text) {
  tell(at("alert"), text);
  at("alert").hidden = !text;
}

function announce(text) {
  at("said").textContent = text;
  if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
  try {
    new Notification(word("questions.title"), { body: text });
  } catch {
    // Chrome for Android shows none of a page's own. The question stands on the page.
  }
}

function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return word("time.seconds", { count: seconds });
  if (seconds < 3600) return word("time.minutes", { count: Math.floor(seconds / 60) });
  if (seconds < 86400) return word("time.hours", { count: Math.floor(seconds / 3600) });
  return word("time.days", { count: Math.floor(seconds / 86400) });
}

// Nothing of what the window showed stays behind a door.
function showDoor(text) {
  clearTimeout(timer);
  parts = null;
  at("wall").replaceChildren();
  at("wall").hidden = true;
  at("lock").hidden = true;
  at("switch").replaceChildren();
  delete at("switch").dataset.stands;
  document.body.classList.remove("stopped");
  document.title = word("page.title");
  for (const id of ["standing", "said"]) at(id).textContent = "";
  alertWith("");
  const door = at("door");
  door.hidden = false;
  const told = text ? make("p", { role: "alert" }, text) : null;
  if (!code) return door.replaceChildren(...[told, make("p", {}, word("door.how"))].filter(Boolean));
  const press = button(word("door.open"), "main", async () => {
    press.disabled = true;
    const used = code;
    let why = "";
    try {
      await open(used);
    } catch (error) {
      why = whyShut(error);
      // Without a word of the router the link may be good yet.
      if (!BAD.includes(error.code)) return showDoor(why);
    }
    // Another link may have been opened in this tab meanwhile.
    if (code === used) code = "";
    if (why) showDoor(why);
    else showWall();
  });
  door.replaceChildren(...[told, make("p", {}, word("door.lead")), press].filter(Boolean));
}

// Why it stays shut, in the page's words where it has any.
function whyShut(error) {
  const key = `door.${error.code}`;
  if (word(key) !== key) return word(key);
  return error.status ? error.message : word("door.offline");
}

function build() {
  const acted = (said) => {
    if (said) tell(at("said"), said);
    look();
  };
  const questions = make("div", {});
  const list = (tag, empty, key, row) => {
    const place = make(tag, {});
    const none = make("p", { class: "empty" }, empty);
    return { place, none, list: new List(place, { key, build: row, empty: none }) };
  };
  const time = (ms) => new Date(ms).toLocaleString([], { dateStyle: "short", timeStyle: "medium" });
  const running = list("ul", word("running.none"), (run) => run.id, (run) =>
    make("li", {}, make("strong", {}, run.action), ` · ${word("card.session", { session: run.session })} · `,
      run.since ? make("span", { "data-since": run.since }) : word("running.elsewhere", { router: run.router || "?" })));
  const ended = list("ul", word("ended.none"), (end) => `${end.id} ${end.at}`, (end) =>
    make("li", { class: `end ${end.status}` }, make("strong", {}, end.action), ` · ${end.status} · ${word("card.session", { session: end.session })} · ${time(end.at)}`,
      end.message ? make("span", { class: "why" }, ...visible(end.message)) : null));
  const letters = list("ul", word("letters.none"), (letter) => letter.name, (letter) =>
    make("li", {}, make("strong", {}, ...visible(letter.action)), ` · ${letter.reason} · ${time(letter.at)}`,
      make("span", { class: "why" }, ...visible(letter.message)),
      letter.may_have_run ? make("span", { class: "may" }, word("letters.may")) : null,
      act(word("letters.retry"), "quiet", () => ({ deed: "retry", name: letter.name }), acted)));
  const grants = list("ul", word("grants.none"), (grant) => grant.id, (grant) =>
    make("li", {}, make("strong", {}, ...visible(grant.what)), ` · ${word("card.session", { session: grant.session })} · `,
      make("span", { "data-until": grant.until }), ` · ${word("grants.used", { used: grant.used, by: grant.by })} `,
      act(word("grants.revoke"), "quiet", () => ({ deed: "revoke", id: grant.id }), acted)));
  const skills = list("tbody", word("skills.none"), (skill) => skill.name, (skill) => {
    const state = skill.off ? make("span", { class: "off" }, ...visible(skill.off)) : word("skills.on");
    const failed = skill.failed ? make("span", { class: "why" }, `${time(skill.failed[0])} · `, ...visible(skill.failed[1])) : "";
    return cells(make("strong", { title: skill.about }, skill.name), state, skill.effect, skill.reads, skill.hosts.join(", ") || word("skills.noNet"),
      make("code", { title: skill.digest }, skill.digest.slice(0, 12)), failed);
  });
  const traffic = list("tbody", word("traffic.none"), (row) => `${row.skill} ${row.host}`, (row) =>
    cells(row.skill, row.host, row.allowed, row.refused, size(row.sent), size(row.received), time(row.since), time(row.last)));
  const audit = auditPanel();
  const charts = {
    waiting: new Chart(word("chart.waiting")), running: new Chart(word("chart.running")),
    ended: new Chart(word("chart.ended")), notDone: new Chart(word("chart.notDone")),
  };
  const queue = make("p", { class: "about" });
  at("wall").replaceChildren(
    panel("questions", word("questions.title"), questions),
    panel("queue", word("queue.title"), queue, make("div", { class: "charts" }, ...Object.values(charts).map((chart) => chart.element))),
    panel("running", word("running.title"), running.none, running.place, make("h3", {}, word("ended.title")), ended.none, ended.place),
    panel("letters", word("letters.title"), letters.none, letters.place),
    panel("grants", word("grants.title"), grants.none, grants.place),
    panel("skills", word("skills.title"), skills.none, table(word("skills.title"), ["name", "state", "effect", "reads", "hosts", "digest", "failed"].map((key) => word(`skills.${key}`)), skills.place)),
    panel("traffic", word("traffic.title"), traffic.none, table(word("traffic.title"), ["skill", "host", "allowed", "refused", "sent", "received", "since", "last"].map((key) => word(`traffic.${key}`)), traffic.place)),
    explainForm(),
    audit.element,
  );
  return { questions: new Questions(questions, { acted, announce }), running, ended, letters, grants, skills, traffic, audit, charts, queue };
}

// How the places stand together, and in words.
function standing(stops) {
  const [stopped, on] = [stops.filter((stop) => stop.why), stops.filter((stop) => !stop.why)];
  const names = (some) => some.map((stop) => stop.place).join(", ");
  if (!stopped.length) return ["on", word("switch.on")];
  if (!on.length) return ["stopped", word("switch.stopped", { where: names(stopped) })];
  return ["partly", word("switch.partly", { where: names(stopped), not: names(on) })];
}

function showSwitch(sight) {
  const [stands, words] = standing(sight.stops);
  document.body.classList.toggle("stopped", stands !== "on");
  tell(at("standing"), words);
  if (at("switch").dataset.stands === stands) return;
  at("switch").dataset.stands = stands;
  const told = make("span", { class: "told", role: "status" });
  const done = async (deed) => {
    try {
      told.textContent = (await post("/v1/deeds", { deed })).said;
    } catch (error) {
      told.textContent = error.message;
    }
    look();
  };
  const resume = button(word("switch.resume"), "quiet", () => ask(word("switch.sure"), told, () => done("resume")));
  const stop = button(word("switch.stop"), "stop", () => done("stop"));
  const had = at("switch").contains(document.activeElement);
  at("switch").replaceChildren(...(stands === "stopped" ? [] : [stop]), ...(stands === "on" ? [] : [resume]), told);
  // The button that was pressed is gone.
  if (had) at("switch").focus();
}

function tick(now) {
  for (const element of document.querySelectorAll("[data-since]")) tell(element, word("time.since", { span: span(now - element.dataset.since) }));
  for (const element of document.querySelectorAll("[data-until]")) {
    const left = element.dataset.until - now;
    tell(element, left > 0 ? word("time.left", { span: span(left) }) : word("time.over"));
  }
}

function show({ sight, samples }) {
  const { queue } = sight;
  const waiting = parts.questions.show(sight);
  document.title = waiting ? `(${waiting}) ${word("questions.title")}` : word("page.title");
  parts.running.list.show(sight.running);
  parts.ended.list.show(sight.ended.slice(0, 20));
  parts.letters.list.show(sight.letters);
  parts.grants.list.show(sight.grants);
  parts.skills.list.show(sight.skills);
  parts.traffic.list.show(sight.traffic);
  const told = [queue.place, word("queue.routers", { count: queue.routers }), word("queue.dead", { count: queue.dead })];
  if (queue.trouble) told.push(queue.trouble);
  tell(parts.queue, told.join(" · "));
  const now = { waiting: queue.waiting ?? 0, running: sight.running.length };
  parts.charts.waiting.show(samples.map((sample) => sample.waiting), now.waiting);
  parts.charts.running.show(samples.map((sample) => sample.running), now.running);
  for (const [key, chart] of [["ended", parts.charts.ended], ["not_done", parts.charts.notDone]]) {
    const values = rates(samples, key);
    chart.show(values, values.at(-1) || 0);
  }
  showSwitch(sight);
  tick(sight.now);
}

async function look() {
  clearTimeout(timer);
  const shown = parts;
  if (!shown) return;
  try {
    const seen = await get("/v1/sight");
    // It may have been locked meanwhile.
    if (parts !== shown) return;
    show(seen);
    await shown.audit.show();
    if (parts !== shown) return;
    alertWith("");
  } catch (error) {
    if (parts !== shown) return;
    if (error.status === 401) return showDoor(word("door.shut"));
    alertWith(error.status ? error.message : word("page.offline"));
  }
  clearTimeout(timer);
  timer = setTimeout(look, document.hidden ? LOOKS_UNSEEN : LOOKS);
}

function showWall() {
  at("door").hidden = true;
  at("wall").hidden = false;
  at("lock").hidden = false;
  parts ??= build();
  look();
}

async function main() {
  await load();
  at("title").textContent = word("page.title");
  document.title = word("page.title");
  at("lock").textContent = word("door.lock");
  at("lock").addEventListener("click", () => {
    lock();
    showDoor(word("door.locked"));
  });
  // A new link that was opened in the same tab.
  addEventListener("hashchange", () => {
    takeCode();
    if (code && !isOpen()) showDoor("");
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden && isOpen()) look(); });
  document.addEventListener("click", () => {
    if ("Notification" in window && Notification.permission === "default") Notification.requestPermission();
  }, { once: true });
  if (isOpen()) showWall();
  else showDoor("");
}

main();
