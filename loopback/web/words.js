// The words of the page, in the browser's language.
const KNOWN = ["en", "de"];
let words = {};

export async function load() {
  const wanted = navigator.languages.map((name) => name.split("-")[0]);
  const language = wanted.find((name) => KNOWN.includes(name)) || "en";
  const read = async (name) => (await fetch(`/web/strings/${name}.json`)).json();
  words = { ...(await read("en")), ...(await read(language)) };
  document.documentElement.lang = language;
}

export function word(key, values = {}) {
  return (words[key] || key).replace(/\{(\w+)\}/g, (gap, name) => values[name] ?? gap);
}
