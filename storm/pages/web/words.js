// The words of these pages, in the browser's language.
const KNOWN = ["en", "de"];
let words = {};

export async function load() {
  const wanted = navigator.languages.map((name) => name.split("-")[0]);
  const language = wanted.find((name) => KNOWN.includes(name)) || "en";
  const read = async (name) => (await fetch(`/storm/web/strings/${name}.json`)).json();
  words = { ...(await read("en")), ...(await read(language)) };
  document.documentElement.lang = language;
}

export function word(key, values = {}) {
  return (words[key] || key).replace(/\{(\w+)\}/g, (gap, name) => values[name] ?? gap);
}

// What the agent has told: in this language where it has words for it, else in English.
export function inWords(told) {
  if (typeof told === "string") return told;
  return words[told.key] ? word(told.key, told.values) : told.text;
}

export function time(at) {
  const when = new Date(at);
  const isToday = when.toDateString() === new Date().toDateString();
  const form = isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return when.toLocaleString(document.documentElement.lang, form);
}
