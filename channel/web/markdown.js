// Builds elements from the tree that the agent has read Markdown into.
import { button, make } from "./dom.js";
import { word } from "./words.js";

const PLAIN = { p: "p", quote: "blockquote", item: "li", row: "tr", em: "em", strong: "strong", del: "del", span: "span", plain: "pre", br: "br", hr: "hr" };

export function build(tree) {
  return tree.map((part) => (typeof part === "string" ? part : element(part)));
}

function element(part) {
  const parts = build(part.c || []);
  switch (part.t) {
    case "h": return make(`h${Math.min(part.level + 2, 6)}`, {}, ...parts);
    case "code": return make("code", {}, ...parts);
    case "block": return block(part, parts);
    case "list": return make(part.start === null ? "ul" : "ol", { start: part.start }, ...parts);
    case "task": return make("input", { type: "checkbox", disabled: true, checked: part.done });
    case "table": return make("div", { class: "table" }, table(part, parts));
    case "head": return make("tr", {}, ...parts.map((cell) => make("th", { scope: "col" }, ...cell.childNodes)));
    case "cell": return make("td", {}, ...parts);
    case "a": return link(part, parts);
    case "picture": return link(part, [`${word("chat.picture")}: `, ...parts]);
    default: return make(PLAIN[part.t] || "span", {}, ...parts);
  }
}

function link(part, parts) {
  const host = make("span", { class: "host" }, part.host);
  return make("a", { href: part.href, rel: "noopener noreferrer", target: "_blank", title: part.href }, host, make("bdi", {}, ...parts));
}

function table(part, rows) {
  for (const row of rows) {
    [...row.children].forEach((cell, at) => cell.classList.add(part.sides[at] || "left"));
  }
  return make("table", {}, ...rows);
}

function block(part, parts) {
  const code = make("pre", { tabindex: "0" }, make("code", {}, ...parts));
  const copy = button(word("chat.copy"), "quiet copy", async () => {
    await navigator.clipboard.writeText(code.textContent);
    copy.textContent = word("chat.copied");
  });
  return make("div", { class: "block" }, make("div", { class: "bar" }, make("span", {}, part.language), copy), code);
}
