// One clip: step by frame, see every track over time, draw a face that was missed, extend a track.

import { dialog, h, key, many, toast, typing } from "./dom.js";
import { dismiss, entry, who } from "./entries.js";
import { drag, fitting, frame as boxed, middle, nudged, outline, rounded, small } from "./stage.js";
import { DISMISSED, act, boxesOf, state, watch } from "./state.js";
import { clock, cursor, timeline } from "./timeline.js";

const CHUNK = 240, LEAP = 10;  // frames: whose boxes are asked for together, and of a longer step
let box = null, now = null, current = null, look = null;
let at = 0, seen = -1, loading = false;  // the frame that is wanted, and the one that is shown
let drawing = null, extending = null, pending = null;  // corners; the track they extend; a drawn track whose frames are to be named
let chunks = new Map(), known = -1;

export function openClip(number, face, next) {
  [now, current, look, drawing, extending, pending, seen, loading] = [number, face, next, null, null, null, -1, false];
  chunks = new Map();
  const { clip, faces } = state.photos[number], before = document.activeElement;
  at = (state.faces.get(face) ?? faces[0])?.best ?? Math.floor(clip.frames / 2);
  box = dialog("clip", "Clip");
  box.className = "viewer";
  box.addEventListener("close", () => { box = null; before?.isConnected && before.focus(); });
  box.addEventListener("keydown", onKey);
  box.addEventListener("cancel", (event) => { if (drawing || pending) { event.preventDefault(); stop(); } });
  show();
}

addEventListener("resize", () => { if (box) show(); });
watch((what) => { if (box && (what === "table" || what === "all")) show(); });
const stop = () => { drawing = extending = pending = null; show(); };

function show() {
  const photo = state.photos[now];
  if (!photo?.clip) return box.close();
  if (current !== null && !state.faces.has(current)) current = null;
  if (known !== state.version) { chunks = new Map(); known = state.version; }
  const { clip } = photo, focused = document.activeElement?.id, stage = h("div", { class: "stage" });
  const face = state.faces.get(current), step = (by, text, name, id) => h("button", { id, text, "aria-label": name, title: name, onclick: () => to(at + by) });
  box.replaceChildren(
    h("div", { class: "head" }, h("h2", { text: photo.name }),
      h("button", { id: "draw", text: "Draw a face", "aria-pressed": String(!!drawing && !extending), onclick: draw }, key("D")),
      h("button", { id: "extend", text: "Extend to here", disabled: !able(face), title: "The selected track goes on to this frame", "aria-pressed": String(!!extending), onclick: extend }, key("E")),
      h("button", { id: "aside", text: photo.aside ? "Take in again" : "Set aside", onclick: aside }, key("S")),
      h("button", { id: "previous", text: "‹", "aria-label": "Previous photo", disabled: now === 0, onclick: () => go(-1) }),
      h("button", { id: "next", text: "›", "aria-label": "Next photo", disabled: now === state.photos.length - 1, onclick: () => go(1) }),
      h("button", { id: "shut", text: "Close", onclick: () => box.close() }, key("Esc"))),
    h("div", { class: "body" }, stage, side(photo)),
    h("div", { class: "time" },
      h("div", { class: "steps" }, step(-LEAP, "«", `Back ${LEAP} frames`, "back10"), step(-1, "‹", "Back one frame", "back"), step(1, "›", "On one frame", "on"), step(LEAP, "»", `On ${LEAP} frames`, "on10"),
        h("output", { id: "frame", class: "number", "aria-live": "off" }),
        h("input", { type: "range", id: "scrub", min: 0, max: clip.frames - 1, value: at, "aria-label": "Frame", oninput: (event) => to(Number(event.target.value)) }),
        h("button", { id: "earlier", text: "⇤ Track", "aria-label": "To where a track begins or ends before", onclick: () => edge(-1) }, key("[")),
        h("button", { id: "later", text: "Track ⇥", "aria-label": "To where a track begins or ends after", onclick: () => edge(1) }, key("]"))),
      timeline(photo, current, pending && [pending.first, pending.last], (one, frame) => { current = one.id; to(frame); show(); })));
  const canvas = h("div", {
    class: `canvas${drawing ? " drawing" : ""}`, id: "canvas", style: fitting(stage, photo),
    onpointerdown: (event) => drawing && drag(event, canvas, photo, (corners) => { drawing = corners; }, drawn),
  }, h("img", { id: "still", alt: "A frame of the clip" }));
  stage.append(canvas);
  seen = -1;
  to(at);
  (focused && document.getElementById(focused) || document.getElementById(current === null ? "scrub" : `track-${current}`))?.focus();
}

function side(photo) {
  const { clip } = photo, seenIn = photo.faces.length;
  return h("aside", { "aria-label": "Tracks of this clip" }, h("h3", { text: photo.why ? `Cannot be released: ${photo.why}` : many(seenIn, "track") }),
    drawing ? h("p", { class: "soft", text: `${extending ? "Move the box onto the face in this frame, or drag a new one" : "Drag a box around the face"}. Or with keys: arrows move it, Shift and arrows resize it, Enter takes it, Escape stops.` }) : null,
    pending ? frames(clip) : null,
    !seenIn && !drawing && !pending ? h("p", { class: "soft", text: "Nobody was found here. Step through the clip, and draw whoever is seen." }) : null,
    photo.faces.map((face) => entry(face, current, (event) => { if (event.target.closest("button")) return; current = face.id; to(face.best); show(); })));
}

// A face was drawn in one frame: in which frames is it seen?
function frames(clip) {
  const field = (name, text, letter) => h("label", {}, h("span", { text }),
    h("input", { type: "number", id: `${name}-frame`, min: 1, max: clip.frames, value: pending[name] + 1, onchange: (event) => set(name, Number(event.target.value) - 1) }),
    h("button", { id: `${name}-here`, text: "This frame", "aria-label": `${text}: this frame`, onclick: () => set(name, at) }, key(letter)));
  return h("div", { class: "pending", role: "group", "aria-label": "Frames of the new track" },
    h("p", { text: `Drawn in frame ${pending.frame + 1}. In which frames is the face seen? Step to them, or type their numbers.` }),
    field("first", "First", "F"), field("last", "Last", "L"),
    h("div", { class: "row" }, h("button", { class: "primary", id: "make", text: "Make the track", onclick: make }, key("↵")), h("button", { text: "Stop", onclick: stop })));
}

function set(name, frame) {
  const { frames } = state.photos[now].clip, value = Math.max(0, Math.min(Number.isFinite(frame) ? frame : pending[name], frames - 1));
  pending[name] = name === "first" ? Math.min(value, pending.frame) : Math.max(value, pending.frame);
  show();
}

const able = (face) => !!face && !(face.flags & DISMISSED) && (at < face.first || at >= face.stop);

function to(frame) {
  const { clip } = state.photos[now];
  at = Math.max(0, Math.min(frame, clip.frames - 1));
  document.getElementById("frame").textContent = `Frame ${at + 1} of ${clip.frames.toLocaleString("en")} · ${clock(at, clip.rate)}`;
  const scrub = document.getElementById("scrub");
  scrub.value = at;
  scrub.setAttribute("aria-valuetext", `Frame ${at + 1} of ${clip.frames}`);
  Object.assign(document.getElementById("now").style, cursor(at, clip));
  document.getElementById("extend").disabled = !able(state.faces.get(current));
  if (at !== seen && !loading) load();
}

// the newest wish wins: whoever holds a key down does not wait for every frame in between
async function load() {
  const wanted = at, photo = state.photos[now], still = document.getElementById("still"), number = now;
  loading = true;
  still.src = `/picture/view/${now}/${wanted}`;
  const [boxes] = await Promise.all([boxesAt(wanted), still.decode().catch(() => {})]);
  loading = false;
  if (!box || number !== now) return;
  seen = still.isConnected ? wanted : -1;
  if (at !== seen) return void load();
  const canvas = document.getElementById("canvas");
  canvas.querySelectorAll(".box").forEach((one) => one.remove());
  for (const face of photo.faces) {
    const corners = boxes[face.id];
    if (corners) canvas.append(boxed(face, corners, photo, current, () => { if (!drawing) { current = face.id; show(); } }));
  }
  if (drawing) canvas.append(outline(drawing, photo));
  else if (pending && at >= pending.first && at <= pending.last) canvas.append(outline(pending.box, photo));
  canvas.dataset.frame = at;
}

// where the faces are in one frame
async function boxesAt(frame) {
  const chunk = Math.floor(frame / CHUNK);
  if (!chunks.has(chunk)) chunks.set(chunk, boxesOf(now, chunk).catch(() => ({})));
  const all = await chunks.get(chunk);
  return Object.fromEntries(Object.entries(all).map(([id, rows]) => [id, rows[frame - chunk * CHUNK]]));
}

function draw() {
  drawing = drawing && !extending ? null : middle(state.photos[now]);
  extending = pending = null;
  show();
  document.getElementById("draw").focus();
}

async function extend() {
  const face = state.faces.get(current);
  if (!able(face)) return toast("Select a track, and go to a frame in which it is not.");
  const end = at < face.first ? face.first : face.stop - 1;
  drawing = (await boxesAt(end))[face.id] ?? face.box;
  [extending, pending] = [face.id, null];
  show();
  document.getElementById("extend").focus();
}

async function drawn() {
  const corners = rounded(drawing), face = extending;
  if (small(corners)) return toast("Draw the box a little larger.");
  drawing = extending = null;
  if (face !== null) {
    toast("Looking at these frames…");
    await act({ do: "extend", face, frame: at, box: corners });
  } else {
    const { clip } = state.photos[now], reach = Math.round(clip.rate / 2), start = Math.max(0, ...clip.cuts.filter((cut) => cut <= at)), end = Math.min(clip.frames, ...clip.cuts.filter((cut) => cut > at));
    pending = { box: corners, frame: at, first: Math.max(start, at - reach), last: Math.min(end - 1, at + reach) };
  }
  if (!box) return;
  show();
  document.getElementById(pending ? "make" : `track-${face}`)?.focus();
}

async function make() {
  const { box: corners, ...range } = pending, before = new Set(state.photos[now].faces.map((face) => face.id));
  toast("Looking at these frames…");
  if (await act({ do: "draw", photo: now, box: corners, ...range })) {
    pending = null;
    current = state.photos[now].faces.find((face) => !before.has(face.id))?.id ?? null;
  }
  if (box) show();
}

const aside = () => act({ do: "aside", photos: [now], on: !state.photos[now].aside });

function go(by) {
  if (!state.photos[now + by]) return;
  box.close();
  look(now + by);
}

function edge(by) {
  const { faces, clip } = state.photos[now], chosen = state.faces.get(current);
  const ends = (chosen ? [chosen] : faces).flatMap((face) => [face.first, face.stop - 1]).concat([0, clip.frames - 1]).sort((a, b) => a - b);
  to(by < 0 ? ends.findLast((frame) => frame < at) ?? 0 : ends.find((frame) => frame > at) ?? clip.frames - 1);
}

function onKey(event) {
  if (typing(event)) return;
  const face = state.faces.get(current), long = event.shiftKey ? LEAP : 1;
  const keys = {
    ArrowLeft: () => to(at - long), ArrowRight: () => to(at + long), Home: () => to(0), End: () => to(Infinity), "[": () => edge(-1), "]": () => edge(1),
    d: draw, e: extend, s: aside, f: pending && (() => set("first", at)), l: pending && (() => set("last", at)),
    x: face && (() => dismiss(face)), m: face && (() => who(face)), n: face && (() => act({ do: "move", faces: [face.id] })), PageDown: () => go(1), PageUp: () => go(-1),
  };
  if (drawing && event.key.startsWith("Arrow")) drawing = nudged(drawing, event, state.photos[now]);
  else if (drawing && event.key === "Enter") drawn();
  else if (pending && event.key === "Enter" && event.target.tagName !== "BUTTON") make();
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
