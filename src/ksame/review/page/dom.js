// Elements without a framework. Text only ever becomes text: no name can become markup.

export const $ = (id) => document.getElementById(id);

export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const many = (count, one, more = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

export const key = (text) => h("kbd", { text, "aria-hidden": "true" });

let leaving = 0;
export function toast(text, action) {
  clearTimeout(leaving);
  $("toast").replaceChildren(h("div", {}, h("span", { text }), action ?? null));
  leaving = setTimeout(() => $("toast")?.replaceChildren(), 6000);  // the last screen has none
}

export function dialog(id, label, ...children) {
  const box = h("dialog", { id, "aria-label": label, onclose: () => box.remove() }, ...children);
  document.body.append(box);
  box.showModal();
  return box;
}

// Pictures are asked for once an element has stayed on the screen for a moment: whoever scrolls
// past twenty thousand faces asks for the few that are stopped at.
const waiting = new Set();
let settling = 0;
const MOST = 600;  // pictures waited for: more than a screen and its surroundings hold
export function picture(kind, number, alt = "") {
  const image = h("img", { alt, decoding: "async", draggable: "false" });
  image.wanted = `/picture/${kind}/${number}`;
  waiting.add(image);
  if (waiting.size > MOST) {  // those that were scrolled past are forgotten, or they would pile up
    for (const old of waiting) if (!old.isConnected && old !== image && waiting.size > MOST / 2) waiting.delete(old);
  }
  settle();
  return image;
}
const SETTLED = 140, FEW = 12;  // milliseconds without anything new; pictures asked for at a time
export function settle(delay = SETTLED) {
  clearTimeout(settling);
  settling = setTimeout(() => {
    let count = 0;
    for (const image of waiting) {
      waiting.delete(image);
      if (!image.isConnected) continue;
      image.src = image.wanted;
      if (++count === FEW) return settle(16);
    }
  }, delay);
}

export const typing = (event) =>
  event.target.matches?.("input[type=search], input[type=number], select, textarea") || event.altKey || event.metaKey || event.ctrlKey;
