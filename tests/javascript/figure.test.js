import assert from "node:assert/strict";
import { test } from "node:test";
import { drawFigure } from "../../mdcore/browser/shell/figure.js";

const NAME = "<img src=x onerror=\"attack()\">&lt; $x$ =1+1 \u202eexe";

class Line {
  constructor() {
    this.children = [{ textContent: NAME, tagName: "TH", classList: { contains: () => true }, querySelector: () => null }];
  }
  closest() { return null; }
}

const canvas = { width: 10, height: 5, toDataURL: () => "data:image/png;base64," };
const part = { textContent: NAME, closest: () => null, querySelector: (wanted) => (wanted === "h2" ? { textContent: NAME } : canvas) };
const views = {
  querySelector: () => part,
  querySelectorAll: (wanted) => (wanted.endsWith(" tr") ? [new Line()] : [part]),
};

globalThis.HTMLElement = Line;
globalThis.getComputedStyle = () => ({ backgroundColor: "#fff", color: "#000" });
globalThis.document = { createElement: () => ({ getContext: () => ({ measureText: (text) => ({ width: 10 * text.length }) }) }) };

test("names stay text in a figure, wherever they stand", () => {
  const { text } = drawFigure({}, views, { sentence: NAME, settings: NAME });
  const words = [...text.matchAll(/>([^<]*)</g)].map(([, found]) => found.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)));
  // sentence, settings, a panel, a chart, the legend, the table and its caption, a bound
  assert.equal(words.filter((found) => found === NAME).length, 8);
  const marks = text.replaceAll(/>[^<]*</g, "><");
  assert.deepEqual(new Set(marks.match(/<\w+/g)), new Set(["<svg", "<rect", "<text", "<image"]));
  assert.ok(!marks.includes("onerror"));
});
