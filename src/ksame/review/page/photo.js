// One photo, as large as needed: draw a face, dismiss one, say whose it is, set the photo aside.

import { dialog, h, key, many, picture, toast, typing } from "./dom.js";
import { dismiss, entry, who } from "./entries.js";
import { drag, fitting, frame, middle, nudged, outline, rounded, small } from "./stage.js";
import { act, state, watch } from "./state.js";

let box = null, now = null, current = null, drawing = null, look = null;  // drawing: corners in pixels of the photo

export function openPhoto(number, face, next) {
  [now, current, drawing, look] = [number, face, null, next];
  const before = document.activeElement;
  box = dialog("photo", "Photo");
  box.className = "viewer";
  box.addEventListener("close", () => { box = null; before?.isConnected && before.focus(); });
  box.addEventListener("keydown", onKey);
  box.addEventListener("cancel", (event) => { if (drawing) { event.preventDefault(); drawing = null; show(); } });
  show();
}

addEventListener("resize", () => { if (box) show(); });
watch((what) => { if (box && (what === "table" || what === "all")) show(); });

function show() {
  const photo = state.photos[now];
  if (!photo) return box.close();
  if (current !== null && !state.faces.has(current)) current = null;
  const focused = document.activeElement?.id, stage = h("div", { class: "stage" });
  box.replaceChildren(
    h("div", { class: "head" }, h("h2", { text: photo.name }),
      h("button", { id: "draw", text: "Draw a face", "aria-pressed": String(drawing !== null), onclick: toggle }, key("D")),
      h("button", { id: "aside", text: photo.aside ? "Take in again" : "Set aside", onclick: aside }, key("S")),
      h("button", { id: "previous", text: "‹", "aria-label": "Previous photo", disabled: now === 0, onclick: () => go(-1) }),
      h("button", { id: "next", text: "›", "aria-label": "Next photo", disabled: now === state.photos.length - 1, onclick: () => go(1) }),
      h("button", { id: "shut", text: "Close", onclick: () => box.close() }, key("Esc"))),
    h("div", { class: "body" }, stage, side(photo)));
  const canvas = h("div", {
    class: `canvas${drawing ? " drawing" : ""}`, id: "canvas", style: fitting(stage, photo),
    onpointerdown: (event) => drawing && drag(event, canvas, photo, (corners) => { drawing = corners; }, draw),
  }, picture("view", now, "The photo"), ...photo.faces.map((face) => frame(face, face.box, photo, current, () => { if (!drawing) { current = face.id; show(); } })));
  if (drawing) canvas.append(outline(drawing, photo));
  stage.append(canvas);
  (focused && document.getElementById(focused) || document.getElementById(current === null ? "draw" : `box-${current}`))?.focus();
}

function side(photo) {
  const seen = photo.faces.length;
  return h("aside", { "aria-label": "Faces of this photo" },
    h("h3", { text: photo.why ? `Cannot be released: ${photo.why}` : many(seen, "face") }),
    drawing ? h("p", { class: "soft", text: "Drag a box around the face. Or with keys: arrows move it, Shift and arrows resize it, Enter draws it, Escape stops." }) : null,
    !seen && !drawing ? h("p", { class: "soft", text: state.options.allow_faceless ? "Nobody was found here." : "Nobody was found here: the photo is withheld unless you draw a face." }) : null,
    photo.faces.map((face) => entry(face, current)));
}

const aside = () => act({ do: "aside", photos: [now], on: !state.photos[now].aside });

function go(by) {
  const to = now + by;
  if (!state.photos[to]) return;
  if (state.photos[to].clip) { box.close(); return look(to); }
  now = to;
  current = drawing = null;
  show();
}

function toggle() {
  drawing = drawing ? null : middle(state.photos[now]);
  show();
  document.getElementById("draw").focus();
}

async function draw() {
  const corners = rounded(drawing);
  if (small(corners)) return toast("Draw the box a little larger.");
  drawing = null;
  const before = new Set(state.photos[now].faces.map((face) => face.id));
  if (await act({ do: "draw", photo: now, box: corners })) current = state.photos[now].faces.find((face) => !before.has(face.id))?.id ?? null;
  if (box) show();
}

function onKey(event) {
  if (typing(event)) return;
  const face = current === null ? null : state.faces.get(current);
  if (drawing && event.key.startsWith("Arrow")) drawing = nudged(drawing, event, state.photos[now]);
  else if (drawing && event.key === "Enter") draw();
  else if (event.key === "d") toggle();
  else if (event.key === "s") aside();
  else if (event.key === "x" && face) dismiss(face);
  else if (event.key === "m" && face) who(face);
  else if (event.key === "n" && face) act({ do: "move", faces: [face.id] });
  else if (event.key === "PageDown" || (event.key === "ArrowRight" && !drawing)) go(1);
  else if (event.key === "PageUp" || (event.key === "ArrowLeft" && !drawing)) go(-1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
