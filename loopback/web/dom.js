// Makes elements. Text is set as text alone: nothing here reads HTML.
export function make(name, attributes = {}, ...parts) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...parts.filter((part) => part !== null && part !== undefined));
  return element;
}

// Sets a text if it is another: what is read out on a change is read out once.
export function tell(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function button(text, kind, action) {
  const element = make("button", { type: "button", class: kind }, text);
  element.addEventListener("click", action);
  return element;
}

// A panel that a button shows and hides, and Escape hides; whenever it is shown, `shown` fills it. Gives what shows or hides it.
export function folding(panel, toggle, shown) {
  const show = (is) => {
    panel.hidden = !is;
    toggle.setAttribute("aria-expanded", String(is));
    if (is) shown();
  };
  toggle.addEventListener("click", () => show(panel.hidden));
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    show(false);
    toggle.focus();
  });
  return show;
}

// Characters that are not seen, or that turn the order of others round.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]/gu;

// Those that a script or a picture of letters needs: between letters that join, within an emoji, and behind a sign that is one.
const JOINS = /(?<=[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Extended_Pictographic}0-9#*])\ufe0f/gu;

// The parts of a text as it was written, for what nobody decides by.
export function written(text) {
  return visible(text, new Set([...text.matchAll(JOINS)].map((found) => found.index)));
}

// The parts of a text in which each hidden character is shown by its number, but for those at `kept`.
export function visible(text, kept = new Set()) {
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (kept.has(found.index)) continue;
    parts.push(text.slice(last, found.index));
    const number = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    parts.push(make("span", { class: "hidden-character" }, `U+${number}`));
    last = found.index + found[0].length;
  }
  parts.push(text.slice(last));
  return parts;
}
