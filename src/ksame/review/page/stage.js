// A picture with boxes on it: shared by photos and by the frames of clips.

import { h } from "./dom.js";
import { DISMISSED, HIDDEN, label } from "./state.js";

export const place = ([x0, y0, x1, y1], { width, height }) => ({
  left: `${100 * x0 / width}%`, top: `${100 * y0 / height}%`, width: `${100 * (x1 - x0) / width}%`, height: `${100 * (y1 - y0) / height}%` });
const kind = (face) => face.flags & DISMISSED ? " gone" : face.flags & HIDDEN ? " hidden" : "";
export const name = (face) => face.flags & DISMISSED ? "Not a face" : label(face.person);

export const frame = (face, box, size, current, onclick) => h("button", {
  class: `box${kind(face)}`, id: `box-${face.id}`, style: place(box, size), "aria-pressed": String(face.id === current),
  "aria-label": `${name(face)}${face.why ? `, will be hidden: ${face.why}` : ""}`, onclick,
}, h("span", { text: name(face), "aria-hidden": "true" }));

export const outline = (box, size) => h("div", { class: "box new", id: "new", style: place(box, size) });

export function middle({ width, height }) {
  const side = Math.min(width, height) / 5;
  return [(width - side) / 2, (height - side) / 2, (width + side) / 2, (height + side) / 2];
}

// the scale at which a picture fits into the stage, beside its borders
export function fitting(stage, { width, height }) {
  const room = stage.getBoundingClientRect(), scale = Math.min((room.width - 24) / width, (room.height - 40) / height);
  return { width: `${width * scale}px`, height: `${height * scale}px` };
}

export function drag(event, canvas, size, moved, done) {
  event.preventDefault();
  canvas.setPointerCapture(event.pointerId);
  const room = canvas.getBoundingClientRect(), within = (value) => Math.max(0, Math.min(value, 1));
  const at = (e) => [within((e.clientX - room.left) / room.width) * size.width, within((e.clientY - room.top) / room.height) * size.height];
  const [x, y] = at(event);
  const follow = (e) => {
    const [u, v] = at(e), box = [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];
    moved(box);
    const shown = document.getElementById("new");
    if (shown) Object.assign(shown.style, place(box, size));
  };
  canvas.addEventListener("pointermove", follow);
  canvas.addEventListener("pointerup", () => { canvas.removeEventListener("pointermove", follow); done(); }, { once: true });
}

// a box after an arrow key; with Shift it changes its size
export function nudged([x0, y0, x1, y1], event, size) {
  const { width, height } = size, by = Math.max(1, Math.min(width, height) / 50);
  const [x, y] = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[event.key];
  const [u, v] = [Math.max(-x0, Math.min(x, width - x1)), Math.max(-y0, Math.min(y, height - y1))];
  const box = event.shiftKey ? [x0, y0, Math.max(x0 + 10, Math.min(x1 + x, width)), Math.max(y0 + 10, Math.min(y1 + y, height))] : [x0 + u, y0 + v, x1 + u, y1 + v];
  const shown = document.getElementById("new");
  if (shown) Object.assign(shown.style, place(box, size));
  return box;
}

export const rounded = (box) => box.map((value) => Math.round(value * 100) / 100);
export const small = (box) => Math.min(box[2] - box[0], box[3] - box[1]) < 8;
