// The words of the page, in the browser's language.
const KNOWN = ["en", "de"];
let words = {};

export async function load() {
  const wanted = navigator.languages.map((name) => name.split("-")[0]);
  const language = wanted.find((name) => KNOWN.includes(name)) || "en";
  const read = async (name) => (await fetch(`/web/strings/${name}.json`)).json();
  const [english, own] = await Promise.all([read("en"), language === "en" ? {} : read(language)]);
  words = { ...english, ...own };
  document.documentElement.lang = language;
}

export function word(key, values = {}) {
  return (words[key] || key).replace(/\{(\w+)\}/g, (gap, name) => values[name] ?? gap);
}
