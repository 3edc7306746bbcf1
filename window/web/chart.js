// Small charts of how the queue stood in the last hour.
import { make } from "./dom.js";
import { word } from "./words.js";

const SPACE = "http://www.w3.org/2000/svg";
const WIDE = 240;
const HIGH = 48;

function drawn(name, attributes) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// How many commands ended between two samples, in a minute.
export function rates(samples, key) {
  return samples.slice(1).map((sample, index) => {
    const before = samples[index];
    const minutes = (sample.at - before.at) / 60000;
    return minutes > 0 ? Math.max(0, sample[key] - before[key]) / minutes : 0;
  });
}

export class Chart {
  constructor(label) {
    this.label = label;
    this.number = make("strong", { class: "number" });
    this.area = drawn("path", { class: "area" });
    this.line = drawn("path", { class: "line" });
    this.picture = drawn("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img" });
    this.picture.append(this.area, this.line);
    this.most = make("span", { class: "most" });
    this.element = make("figure", { class: "chart" }, make("figcaption", {}, label, " ", this.number), this.picture, this.most);
  }

  show(values, now) {
    const most = Math.max(1, ...values);
    const shown = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));
    this.number.textContent = shown(now);
    this.most.textContent = word("chart.most", { most: shown(Math.max(0, ...values, now)) });
    this.picture.setAttribute("aria-label", `${this.label}: ${shown(now)}. ${this.most.textContent}`);
    const step = WIDE / Math.max(1, values.length - 1);
    const points = values.map((value, index) => `${(index * step).toFixed(1)},${(HIGH - 2 - (value / most) * (HIGH - 4)).toFixed(1)}`);
    const path = points.length > 1 ? `M${points.join("L")}` : "";
    this.line.setAttribute("d", path);
    this.area.setAttribute("d", path && `${path}L${WIDE},${HIGH}L0,${HIGH}Z`);
  }
}
