// The photos as a grid, faces boxed.

import { h, many, picture, typing } from "./dom.js";
import { look } from "./look.js";
import { DISMISSED, HIDDEN, state } from "./state.js";
import { virtual } from "./virtual.js";

const SIDE = 230, HIGH = 196, CAPTION = 28, GAP = 14;
const FILTERS = {
  "All photos": () => true,
  "No face found": (photo) => !photo.why && !photo.faces.some((face) => !(face.flags & DISMISSED)),
  "With hidden faces": (photo) => photo.faces.some((face) => face.flags & HIDDEN),
  "Set aside": (photo) => photo.aside,
  "Cannot be released": (photo) => photo.why,
};
let filter = "All photos", shown = [], columns = 1, wide = SIDE;

export const noFace = () => state.photos.filter(FILTERS["No face found"]).length;

export function showPhotos(main) {
  const choice = h("select", { "aria-label": "Which photos", onchange: (event) => { filter = event.target.value; list.repaint(); } },
    Object.keys(FILTERS).map((name) => h("option", { value: name, text: `${name} (${state.photos.filter(FILTERS[name]).length})`, selected: name === filter })));
  const intro = h("div", { class: "intro" }, h("h2", { text: "Is every face boxed?" }), choice,
    h("p", { class: "soft", text: "Open a photo to draw a missed face, dismiss a false one, or set the photo aside." }));
  const list = virtual(main, {
    intro,
    layout(width) {
      columns = Math.max(1, Math.floor((width + GAP) / (SIDE + GAP)));
      wide = (width + GAP) / columns - GAP;
      shown = state.photos.filter(FILTERS[filter]);
      const places = [];
      for (let i = 0; i < shown.length; i++) places.push({ key: shown[i].number, i, top: Math.floor(i / columns) * (HIGH + GAP), height: HIGH });
      return { height: Math.ceil(shown.length / columns) * (HIGH + GAP) + 30, places };
    },
    draw({ key, i }, _, old) {
      if (old && old.print === `${state.version} ${columns}`) return old;
      const element = shot(state.photos[key], i);
      element.print = `${state.version} ${columns}`;
      element.style.left = `${(i % columns) * (wide + GAP)}px`;
      element.style.width = `${wide}px`;
      element.style.height = `${HIGH}px`;
      return element;
    },
  });
  const focus = (i) => {
    const photo = shown[Math.max(0, Math.min(i, shown.length - 1))];
    if (!photo) return;
    list.show(photo.number);
    document.getElementById(`shot-${photo.number}`)?.focus({ preventScroll: true });
  };
  list.scroller.addEventListener("keydown", (event) => {
    const one = event.target.closest?.(".shot");
    if (!one || typing(event)) return;
    const i = shown.findIndex((photo) => photo.number === Number(one.dataset.photo));
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, ArrowDown: i + columns, ArrowUp: i - columns, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || to >= shown.length + columns) return;
    event.preventDefault();
    focus(to);
  });
  return { update: () => list.repaint(), focus: () => focus(0), end: () => list.end() };
}

function shot(photo, i) {
  const scale = Math.min(wide / (photo.width || 4), (HIGH - CAPTION) / (photo.height || 3));
  const size = { width: `${photo.width * scale}px`, height: `${photo.height * scale}px` };
  const { clip } = photo;
  // of a clip one frame is shown, and its first track is there
  const boxes = (clip ? photo.faces.slice(0, 1) : photo.faces).map((face) => {
    const [x0, y0, x1, y1] = face.box;
    return h("i", { class: face.flags & DISMISSED ? "gone" : face.flags & HIDDEN ? "hidden" : "", style: {
      left: `${100 * x0 / photo.width}%`, top: `${100 * y0 / photo.height}%`, width: `${100 * (x1 - x0) / photo.width}%`, height: `${100 * (y1 - y0) / photo.height}%` } });
  });
  const found = photo.faces.filter((face) => !(face.flags & DISMISSED)).length;
  const note = photo.aside ? "set aside" : photo.why ? "cannot be released" : found ? "" : "no face found";
  return h("button", {
    class: `shot${photo.aside ? " aside" : ""}`, id: `shot-${photo.number}`, tabindex: i === 0 ? "0" : "-1", data: { photo: photo.number, k: "shot" },
    "aria-label": `${photo.name}, ${clip ? `clip of ${(clip.frames / clip.rate).toFixed(1)} seconds, ${many(found, "track")}` : many(found, "face")}${note ? `, ${note}` : ""}`, title: photo.why || photo.name, onclick: () => look(photo.number),
  }, h("span", { class: "frame" }, photo.why ? null : h("span", { class: "fit", style: size }, picture("thumbnail", photo.number), boxes)),
  clip ? h("span", { class: "badge clip", text: `▶ ${(clip.frames / clip.rate).toFixed(1)} s · ${many(found, "track")}` }) : null,
  note ? h("span", { class: "badge", text: note }) : null, h("span", { class: "caption", text: photo.name }));
}
