// One photo, as large as needed: draw a face, dismiss one, say whose it is, set the photo aside.

import { dialog, h, key, many, picture, toast, typing } from "./dom.js";
import { choosePerson } from "./picker.js";
import { DISMISSED, DRAWN, HIDDEN, act, label, state, watch } from "./state.js";

let box = null, now = null, current = null, drawing = null;  // drawing: corners in pixels of the photo

export function openPhoto(number, face = null) {
  now = number;
  current = face;
  drawing = null;
  const before = document.activeElement;
  box = dialog("photo", "Photo");
  box.addEventListener("close", () => { box = null; before?.isConnected && before.focus(); });
  box.addEventListener("keydown", onKey);
  box.addEventListener("cancel", (event) => { if (drawing) { event.preventDefault(); drawing = null; show(); } });
  show();
}

watch((what) => { if (box && (what === "table" || what === "all")) show(); });

function show() {
  const photo = state.photos[now];
  if (!photo) return box.close();
  if (current !== null && !state.faces.has(current)) current = null;
  const focused = document.activeElement?.id;
  const stage = h("div", { class: "stage" });
  box.replaceChildren(
    h("div", { class: "head" }, h("h2", { text: photo.name }),
      h("button", { id: "draw", text: "Draw a face", "aria-pressed": String(drawing !== null), onclick: toggle }, key("D")),
      h("button", { id: "aside", text: photo.aside ? "Take in again" : "Set aside", onclick: () => act({ do: "aside", photos: [now], on: !photo.aside }) }, key("S")),
      h("button", { id: "previous", text: "‹", "aria-label": "Previous photo", disabled: now === 0, onclick: () => go(-1) }),
      h("button", { id: "next", text: "›", "aria-label": "Next photo", disabled: now === state.photos.length - 1, onclick: () => go(1) }),
      h("button", { id: "shut", text: "Close", onclick: () => box.close() }, key("Esc"))),
    h("div", { class: "body" }, stage, side(photo)));
  const room = stage.getBoundingClientRect();
  const scale = Math.min((room.width - 24) / photo.width, (room.height - 40) / photo.height);
  const canvas = h("div", {
    class: `canvas${drawing ? " drawing" : ""}`, id: "canvas", style: { width: `${photo.width * scale}px`, height: `${photo.height * scale}px` },
    onpointerdown: (event) => drawing && begin(event, canvas, photo),
  }, picture("view", now, "The photo"), ...photo.faces.map((face) => frame(face, photo)));
  if (drawing) canvas.append(outline(photo));
  stage.append(canvas);
  (focused && document.getElementById(focused) || document.getElementById(current === null ? "draw" : `box-${current}`))?.focus();
}

const place = ([x0, y0, x1, y1], photo) => ({
  left: `${100 * x0 / photo.width}%`, top: `${100 * y0 / photo.height}%`, width: `${100 * (x1 - x0) / photo.width}%`, height: `${100 * (y1 - y0) / photo.height}%` });
const kind = (face) => face.flags & DISMISSED ? " gone" : face.flags & HIDDEN ? " hidden" : "";
const name = (face) => face.flags & DISMISSED ? "Not a face" : label(face.person);

function frame(face, photo) {
  return h("button", {
    class: `box${kind(face)}`, id: `box-${face.id}`, style: place(face.box, photo), "aria-pressed": String(face.id === current),
    "aria-label": `${name(face)}${face.why ? `, will be hidden: ${face.why}` : ""}`, onclick: () => { if (!drawing) { current = face.id; show(); } },
  }, h("span", { text: name(face), "aria-hidden": "true" }));
}

function outline(photo) { return h("div", { class: "box new", id: "new", style: place(drawing, photo) }); }

function side(photo) {
  const seen = photo.faces.length;
  return h("aside", { "aria-label": "Faces of this photo" },
    h("h3", { text: photo.why ? `Cannot be released: ${photo.why}` : many(seen, "face") }),
    drawing ? h("p", { class: "soft", text: "Drag a box around the face. Or with keys: arrows move it, Shift and arrows resize it, Enter draws it, Escape stops." }) : null,
    !seen && !drawing ? h("p", { class: "soft", text: state.options.allow_faceless ? "Nobody was found here." : "Nobody was found here: the photo is withheld unless you draw a face." }) : null,
    photo.faces.map((face) => h("div", { class: `entry${face.id === current ? " on" : ""}` }, picture("face", face.id),
      h("div", {}, h("b", { text: name(face) }), face.flags & DRAWN ? h("div", { class: "soft", text: "drawn by you" }) : null,
        face.why ? h("div", { class: "soft", text: `will be hidden: ${face.why}` }) : null),
      h("div", { class: "row" }, face.flags & DISMISSED
        ? h("button", { text: "It is a face", onclick: () => act({ do: "dismiss", faces: [face.id], on: false }) })
        : [h("button", { text: "Somebody else…", "aria-label": `${name(face)} is somebody else`, onclick: () => who(face) }),
          h("button", { text: "New person", "aria-label": `${name(face)} is a new person`, onclick: () => act({ do: "move", faces: [face.id] }) }),
          h("button", { text: face.flags & DRAWN ? "Take away" : "Not a face", "aria-label": `${name(face)} is not a face`, onclick: () => dismiss(face) })]))));
}

async function who(face) {
  const person = await choosePerson("Whose face is this?", [face.person]);
  if (person) act({ do: "move", faces: [face.id], person });
}

const dismiss = (face) => act({ do: "dismiss", faces: [face.id], on: !(face.flags & DISMISSED) });

function go(by) {
  now = Math.max(0, Math.min(now + by, state.photos.length - 1));
  current = drawing = null;
  show();
}

function toggle() {
  const { width, height } = state.photos[now], side = Math.min(width, height) / 5;
  drawing = drawing ? null : [(width - side) / 2, (height - side) / 2, (width + side) / 2, (height + side) / 2];
  show();
  document.getElementById("draw").focus();
}

function begin(event, canvas, photo) {
  event.preventDefault();
  canvas.setPointerCapture(event.pointerId);
  const room = canvas.getBoundingClientRect();
  const at = (e) => [Math.max(0, Math.min((e.clientX - room.left) / room.width, 1)) * photo.width, Math.max(0, Math.min((e.clientY - room.top) / room.height, 1)) * photo.height];
  const [x, y] = at(event);
  const moved = (e) => {
    const [u, v] = at(e);
    drawing = [Math.min(x, u), Math.min(y, v), Math.max(x, u), Math.max(y, v)];
    Object.assign(document.getElementById("new").style, place(drawing, photo));
  };
  canvas.addEventListener("pointermove", moved);
  canvas.addEventListener("pointerup", () => { canvas.removeEventListener("pointermove", moved); draw(); }, { once: true });
}

async function draw() {
  const corners = drawing.map((value) => Math.round(value * 100) / 100);
  if (Math.min(corners[2] - corners[0], corners[3] - corners[1]) < 8) return toast("Draw the box a little larger.");
  drawing = null;
  const before = new Set(state.photos[now].faces.map((face) => face.id));
  if (await act({ do: "draw", photo: now, box: corners })) current = state.photos[now].faces.find((face) => !before.has(face.id))?.id ?? null;
  show();
}

function nudge(event) {
  const { width, height } = state.photos[now], by = Math.max(1, Math.min(width, height) / 50);
  const [x, y] = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[event.key];
  const [x0, y0, x1, y1] = drawing;
  if (event.shiftKey) drawing = [x0, y0, Math.max(x0 + 10, Math.min(x1 + x, width)), Math.max(y0 + 10, Math.min(y1 + y, height))];
  else {
    const [u, v] = [Math.max(-x0, Math.min(x, width - x1)), Math.max(-y0, Math.min(y, height - y1))];
    drawing = [x0 + u, y0 + v, x1 + u, y1 + v];
  }
  Object.assign(document.getElementById("new").style, place(drawing, state.photos[now]));
}

function onKey(event) {
  if (typing(event)) return;
  const face = current === null ? null : state.faces.get(current);
  if (drawing && event.key.startsWith("Arrow")) nudge(event);
  else if (drawing && event.key === "Enter") draw();
  else if (event.key === "d") toggle();
  else if (event.key === "s") act({ do: "aside", photos: [now], on: !state.photos[now].aside });
  else if (event.key === "x" && face) dismiss(face);
  else if (event.key === "m" && face) who(face);
  else if (event.key === "n" && face) act({ do: "move", faces: [face.id] });
  else if (event.key === "PageDown" || (event.key === "ArrowRight" && !drawing)) go(1);
  else if (event.key === "PageUp" || (event.key === "ArrowLeft" && !drawing)) go(-1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
