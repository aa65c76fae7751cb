// People as rows of their faces: select, drag, merge, split.

import { $, dialog, h, key, many, picture, typing } from "./dom.js";
import { choosePerson } from "./picker.js";
import { look } from "./look.js";
import { DISMISSED, DRAWN, HIDDEN, act, label, state } from "./state.js";
import { virtual } from "./virtual.js";

const HEAD = 46, GAP = 8, PAD = 12, BETWEEN = 12, FACE = 76, NOBODY = "\u0000nobody", GONE = "\u0000gone";
const WORDS = { gender: "Sex", age_band: "Age", tone: "Tone" };
const chosen = new Set();
let list = null, columns = 1, at = null, anchor = null;

export function rows() {
  const found = state.order.map((name) => state.people.get(name));
  const loose = [...state.faces.values()].filter((face) => face.person === null && !state.photos[face.photo].aside);
  const nobody = loose.filter((face) => !(face.flags & DISMISSED)), gone = loose.filter((face) => face.flags & DISMISSED);
  if (nobody.length) found.push({ name: NOBODY, faces: nobody, title: "Nobody", note: "hidden: filled or black" });
  if (gone.length) found.push({ name: GONE, faces: gone, title: "Not faces", note: "left as they are, by your decision" });
  return found;
}

export function showPeople(main) {
  const intro = h("div", { class: "intro" }, h("h2", { text: "Who is who" }),
    h("p", { class: "soft", text: "Each row is one person. Drag a row or faces onto another row, or select faces with Space. Press ? for all keys." }));
  list = virtual(main, { layout, draw, intro });
  list.scroller.addEventListener("keydown", onKey);
  onFaces(list.scroller);
  bar();
  return {
    update() {
      for (const id of [...chosen]) if (!state.faces.has(id)) chosen.delete(id);
      const place = at;
      list.repaint();
      refresh();
      if (place && document.activeElement === document.body) focusFace(place);
      bar();
    },
    counted() {  // what was measured is told later than who is who
      document.querySelectorAll(".person").forEach((row) => {
        const person = state.people.get(row.dataset.person), button = row.querySelector(".looks");
        if (!person || !button) return;
        button.textContent = told(person);
        button.setAttribute("aria-label", `Looks of ${label(person.name)}: ${told(person)}`);
      });
    },
    key: onKey,
    focus() { const all = rows(); if (all.length) focusFace(all[0].faces[0]?.id); },
    end() { list.end(); list = null; $("selection").hidden = true; },
  };
}

function layout(width) {
  columns = Math.max(1, Math.floor((width - 2 * PAD + GAP) / (FACE + GAP)));
  let top = 0;
  const places = rows().map((person) => {
    const lines = Math.ceil(person.faces.length / columns);
    const height = HEAD + lines * (FACE + GAP) - GAP + PAD;
    const place = { key: person.name, top, height, person };
    top += height + BETWEEN;
    return place;
  });
  return { height: top + 90, places };
}

const drawn = new WeakMap();  // an element's version, and the faces it shows
function draw({ person, height }, seen, old) {
  const print = `${state.version} ${columns}`;
  let element = old, known = old && drawn.get(old);
  if (!known || known.print !== print) {
    element = frame(person);
    known = { print, faces: new Map() };
    drawn.set(element, known);
  }
  element.style.height = `${height}px`;
  const low = Math.max(0, Math.floor((seen.from - HEAD) / (FACE + GAP)) * columns);
  const high = Math.min(person.faces.length, Math.ceil((seen.to - HEAD) / (FACE + GAP)) * columns);
  for (const [i, one] of known.faces) {
    if ((i < low || i >= high) && one !== document.activeElement) { one.remove(); known.faces.delete(i); }
  }
  for (let i = low; i < high; i++) {
    if (known.faces.has(i)) continue;
    const one = button(person, i);
    known.faces.set(i, one);
    element.append(one);
  }
  return element;
}

function frame(person) {
  const title = person.title ?? label(person.name), real = state.people.has(person.name);
  const hidden = person.faces.filter((face) => face.flags & HIDDEN).length;
  const head = h("header", { draggable: real ? "true" : null, ondragstart: (event) => drag(event, { person: person.name }) },
    h("h3", { text: title, title }),
    h("span", { class: "soft number", text: many(person.faces.length, "face") }),
    person.note ? h("span", { class: "soft", text: person.note }) : null,
    real && hidden ? h("span", { class: "badge", text: `${hidden} will be hidden`, title: person.faces.find((face) => face.why)?.why }) : null,
    person.kept ? h("span", { class: "badge bad", text: "shown as is, by consent" }) : null,
    h("span", { class: "space" }),
    ...(real ? controls(person, title) : [h("button", { class: "plain", text: person.name === GONE ? "Take all back" : "Select all", onclick: () => person.name === GONE ? act({ do: "dismiss", faces: person.faces.map((face) => face.id), on: false }) : select(person.faces) })]));
  return h("section", {
    class: `person${person.kept ? " kept" : ""}`, "aria-label": `${title}, ${many(person.faces.length, "face")}`, data: { person: person.name },
    ondragover: (event) => { if (real) { event.preventDefault(); event.currentTarget.classList.add("over"); } },
    ondragleave: (event) => event.currentTarget.classList.remove("over"),
    ondrop: (event) => drop(event, person),
  }, head);
}

function controls(person, title) {
  return [Object.keys(state.options.looks).length ? h("button", { class: `plain looks${Object.keys(person.looks).length ? " set" : ""}`, data: { k: "looks" },
    text: told(person), title: "Correct what this person looks like", "aria-label": `Looks of ${title}: ${told(person)}`, onclick: () => correct(person.name) }) : null,
  h("button", { text: "Merge…", data: { k: "merge" }, "aria-label": `Merge ${title} with somebody`, onclick: () => merge(person.name) }),
  h("button", { text: "Keep as is", data: { k: "keep" }, "aria-pressed": String(person.kept), "aria-label": `Keep ${title} as is, by consent`, title: "Shown unprotected, because this person consented. The certificate lists it.", onclick: () => keep(person) })];
}

const measured = (person) => ({ ...state.effect?.looks[person.name], ...person.looks });
function told(person) {
  const words = measured(person);
  return Object.keys(state.options.looks).map((name) => words[name]).filter(Boolean).join(" · ") || "Looks…";
}

// Sex, age band and tone of one person: a row shows them as words, this changes them.
function correct(name) {
  const person = state.people.get(name), title = label(name), words = measured(person);
  const box = dialog("looks", `Looks of ${title}`, h("div", { class: "inside" }, h("h2", { text: `Looks of ${title}` }),
    h("p", { class: "soft", text: "A face of nobody is chosen by these. Correct what was measured wrongly." }),
    h("dl", {}, Object.entries(state.options.looks).flatMap(([look, all]) => [h("dt", { text: WORDS[look] }), h("dd", {}, h("select", {
      class: person.looks[look] ? "set" : "", "aria-label": `${WORDS[look]} of ${title}`,
      onchange: (event) => act({ do: "looks", person: name, looks: { [look]: event.target.value } }),
    }, h("option", { value: "", text: person.looks[look] || !words[look] ? "as measured" : `${words[look]} (measured)` }),
    ...all.map((word) => h("option", { value: word, text: word, selected: person.looks[look] === word }))))])),
    h("div", { class: "end" }, h("button", { class: "primary", text: "Done", onclick: () => box.close() }))));
}

function button(person, i) {
  const face = person.faces[i], photo = state.photos[face.photo];
  const line = Math.floor(i / columns), column = i % columns;
  return h("button", {
    class: `face${face.stop ? " moving" : ""}${face.flags & HIDDEN ? " hidden" : ""}${face.flags & DRAWN ? " drawn" : ""}`, id: `face-${face.id}`,
    "aria-pressed": String(chosen.has(face.id)), draggable: "true", tabindex: i === 0 || face.id === at ? "0" : "-1",
    "aria-label": `Face ${i + 1} of ${person.faces.length}, ${person.title ?? label(person.name)}, ${face.stop ? "clip" : "photo"} ${photo.name}${face.why ? `, will be hidden: ${face.why}` : ""}`,
    title: face.why || photo.name, data: { face: face.id, k: face.id },
    style: { left: `${PAD + column * (FACE + GAP)}px`, top: `${HEAD + line * (FACE + GAP)}px` },
  }, picture("face", face.id));
}

// One listener for all faces: thousands of them pass by while somebody scrolls.
function onFaces(scroller) {
  const on = (kind, what) => scroller.addEventListener(kind, (event) => {
    const one = event.target.closest?.(".face");
    if (one) what(state.faces.get(Number(one.dataset.face)), event);
  });
  on("click", (face, event) => pick(face, event));
  on("dblclick", (face) => look(face.photo, face.id));
  on("focusin", (face) => { at = face.id; });
  on("dragstart", (face, event) => drag(event, { faces: chosen.has(face.id) ? [...chosen] : [face.id] }));
}

function pick({ id }, event) {
  const name = event.target.closest(".person").dataset.person, person = rows().find((one) => one.name === name);
  const i = person.faces.findIndex((face) => face.id === id);
  if (event.shiftKey && anchor?.person === person.name) {
    const [low, high] = [Math.min(anchor.i, i), Math.max(anchor.i, i)];
    for (let j = low; j <= high; j++) chosen.add(person.faces[j].id);
  } else if (chosen.has(id)) chosen.delete(id); else chosen.add(id);
  anchor = { person: person.name, i };
  refresh();
}

function select(faces) { faces.forEach((face) => chosen.add(face.id)); refresh(); }
export function clear() { chosen.clear(); refresh(); }

function refresh() {
  document.querySelectorAll(".face").forEach((one) => one.setAttribute("aria-pressed", String(chosen.has(Number(one.dataset.face)))));
  bar();
}

function bar() {
  const box = $("selection"), count = chosen.size;
  box.hidden = count === 0 || list === null;
  if (box.hidden) return;
  const gone = [...chosen].every((id) => state.faces.get(id)?.flags & DISMISSED);
  box.replaceChildren(h("span", { class: "number", text: `${many(count, "face")} selected` }), ...(gone
    ? [h("button", { text: "It is a face", onclick: () => done({ do: "dismiss", on: false }) }, key("X"))]
    : [h("button", { text: "New person", onclick: () => done({ do: "move" }) }, key("N")),
      h("button", { text: "Move to…", onclick: move }, key("M")),
      h("button", { text: "Not a face", onclick: () => done({ do: "dismiss" }) }, key("X")),
      h("button", { text: "Hide", title: "Nobody's: filled or black in the release", onclick: () => done({ do: "hide" }) }, key("H"))]),
  h("button", { class: "plain", text: "Clear", onclick: clear }, key("Esc")));
}

async function done(request) {
  const faces = chosen.size ? [...chosen] : at !== null && state.faces.has(at) ? [at] : [];
  if (!faces.length) return;
  const ids = new Set(faces), next = rows().flatMap((person) => person.faces).find((face) => !ids.has(face.id) && face.id > Math.min(...faces));
  if (await act({ ...request, faces })) {
    chosen.clear();
    refresh();
    focusFace(request.do === "move" ? faces[0] : next?.id ?? null);
  }
}

async function move() {
  const name = await choosePerson("Whose faces are these?");
  if (name) done({ do: "move", person: name });
}

async function merge(name) {
  const other = await choosePerson(`Who is ${label(name)} too?`, [name]);
  if (other && await act({ do: "merge", people: [other, name] })) focusFace(state.people.get(other).faces[0].id);
}

export async function keep(person) {
  if (!person.kept && !window.confirm(`Show ${label(person.name)} unprotected in ${many(person.faces.length, "place")}? Only with this person's consent. The certificate will list it.`)) return;
  act({ do: "keep", person: person.name, on: !person.kept });
}

function drag(event, what) {
  event.stopPropagation();
  event.dataTransfer.setData("text/plain", JSON.stringify(what));
  event.dataTransfer.effectAllowed = "move";
}

function drop(event, person) {
  event.preventDefault();
  event.currentTarget.classList.remove("over");
  let what = {};
  try { what = JSON.parse(event.dataTransfer.getData("text/plain")); } catch { return; }
  if (what.person && what.person !== person.name) act({ do: "merge", people: [person.name, what.person] });
  if (Array.isArray(what.faces)) { act({ do: "move", faces: what.faces, person: person.name }); clear(); }
}

export function focusFace(id) {
  if (id === null || id === undefined || !list) return;
  for (const person of rows()) {
    const i = person.faces.findIndex((face) => face.id === id);
    if (i < 0) continue;
    at = id;
    list.show(person.name, HEAD + Math.floor(i / columns) * (FACE + GAP), FACE);
    $(`face-${id}`)?.focus({ preventScroll: true });
  }
}

function step(event) {
  const all = rows(), row = all.findIndex((person) => person.faces.some((face) => face.id === at));
  if (row < 0 && event.key !== "Home" && event.key !== "End") return;
  const faces = all[row]?.faces ?? [], i = faces.findIndex((face) => face.id === at);
  const to = (r, j) => { const there = all[r]; if (there) focusFace(there.faces[Math.max(0, Math.min(j, there.faces.length - 1))].id); };
  const moves = {
    ArrowRight: () => i + 1 < faces.length ? to(row, i + 1) : to(row + 1, 0),
    ArrowLeft: () => i > 0 ? to(row, i - 1) : to(row - 1, Infinity),
    ArrowDown: () => i + columns < faces.length ? to(row, i + columns) : to(row + 1, i % columns),
    ArrowUp: () => i >= columns ? to(row, i - columns) : to(row - 1, i % columns),
    Home: () => to(0, 0), End: () => to(all.length - 1, 0),
    PageDown: () => to(Math.min(row + 4, all.length - 1), 0), PageUp: () => to(Math.max(row - 4, 0), 0),
  };
  if (!moves[event.key]) return;
  event.preventDefault();
  moves[event.key]();
}

function onKey(event) {
  if (typing(event)) return;
  const lost = event.target === document.body;  // the focus fell off with what was removed: go on where it was
  const face = lost ? at !== null && $(`face-${at}`) : event.target.closest?.(".face");
  const person = state.people.get((face || event.target).closest?.(".person")?.dataset.person);
  if (face || lost) step(event);
  const keys = {
    Enter: face && (() => look(state.faces.get(Number(face.dataset.face)).photo, Number(face.dataset.face))),
    n: () => done({ do: "move" }), m: () => chosen.size ? move() : person && merge(person.name),
    x: () => done({ do: "dismiss", on: ![...(chosen.size ? chosen : [at])].every((id) => state.faces.get(id)?.flags & DISMISSED) }),
    h: () => done({ do: "hide" }), a: () => person && select(person.faces), k: () => person && keep(person),
  };
  const what = keys[event.key];
  if (!what || (event.key === "Enter" && !face)) return;
  event.preventDefault();
  what();
}
