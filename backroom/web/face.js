// Avatars: one for each name. People are an initial on a colour, bots look like bots.

import { drawn } from "./words.js";

const COLOURS = ["#8a3d29", "#2f6b4f", "#3c5a8c", "#7a4a86", "#98690f", "#3f6f73", "#8b3a5b", "#5a6b2c"];

// A hash of the name.
const number = (name) => [...name].reduce((sum, sign) => (sum * 31 + sign.codePointAt(0)) >>> 0, 7);

export function face(name, isBot) {
  const n = number(name);
  const svg = drawn("svg", { viewBox: "0 0 24 24", class: "face", "aria-hidden": "true" });
  const fill = COLOURS[n % COLOURS.length];
  if (!isBot) {
    svg.append(drawn("circle", { cx: 12, cy: 12, r: 12, fill }), drawn("text", { x: 12, y: 16.6, "text-anchor": "middle", "font-size": 13, "font-weight": 650, fill: "#fff" }, [...name][0].toUpperCase()));
    return svg;
  }
  const eye = (n >>> 3) % 3, mouth = (n >>> 5) % 3, antenna = (n >>> 7) % 3;
  const top = [["M12 5V1.5", 12], ["M9 5L6.5 1.8", 6.5], ["M15 5L17.5 1.8", 17.5]][antenna];
  svg.append(drawn("path", { d: top[0], stroke: fill, "stroke-width": 1.6 }), drawn("circle", { cx: top[1], cy: 2, r: 1.7, fill: "#d9a441" }));
  svg.append(drawn("rect", { x: 2, y: 5, width: 20, height: 17, rx: 5, fill }), drawn("rect", { x: 4.5, y: 8, width: 15, height: 7, rx: 3.5, fill: "#f6ecd8" }));
  for (const x of [8.5, 15.5]) {
    svg.append(eye === 0 ? drawn("circle", { cx: x, cy: 11.5, r: 1.9, fill: "#2b221b" }) : eye === 1 ? drawn("rect", { x: x - 1.6, y: 10, width: 3.2, height: 3.2, fill: "#2b221b" }) : drawn("path", { d: `M${x - 2} 12.6q2-3 4 0`, fill: "none", stroke: "#2b221b", "stroke-width": 1.5 }));
  }
  svg.append(drawn("path", { d: ["M8 18.5h8", "M8 18q4 2.6 8 0", "M8.5 17.4v2m2.3-2v2m2.4-2v2m2.3-2v2"][mouth], fill: "none", stroke: "#f6ecd8", "stroke-width": 1.4, "stroke-linecap": "round" }));
  return svg;
}
