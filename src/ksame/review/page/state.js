// What the server knows, and how a tab asks for changes. The server decides; tabs only show.

import { $, h, many, toast } from "./dom.js";

export const DRAWN = 1, DISMISSED = 2, HIDDEN = 4, EXTENDED = 8;
export const state = {
  version: -1, phase: "", progress: {}, options: { looks: {} }, photos: [], faces: new Map(), people: new Map(),
  order: [], pairs: [], effect: null, undo: null, redo: null, steps: 0, error: "", outcome: null,
};
const watchers = new Set();
export const watch = (watcher) => watchers.add(watcher);
const tell = (what) => watchers.forEach((watcher) => watcher(what));

const face = (id, [photo, x0, y0, x1, y1, person, flags, why, span]) => {
  const [first, stop, best, marks] = span ?? [];
  return { id: Number(id), photo, box: [x0, y0, x1, y1], person, flags, why, first, stop, best, marks };
};

function put(table) {
  for (const [n, row] of Object.entries(table.photos)) {
    const [name, width, height, why, aside, clip] = row;
    state.photos[n] = { number: Number(n), name, width, height, why, aside, clip: clip && { frames: clip[0], rate: clip[1], cuts: clip[2] }, faces: [] };
  }
  const from = new Map();
  for (const [id, row] of Object.entries(table.faces)) {
    const old = state.faces.get(Number(id));
    if (row === null) state.faces.delete(Number(id));
    else {
      if (old?.person && row[5] && old.person !== row[5]) from.set(row[5], old.person);
      state.faces.set(Number(id), face(id, row));
    }
  }
  for (const [name, row] of Object.entries(table.people)) {
    if (row === null) state.people.delete(name);
    else state.people.set(name, { name, kept: row[0], looks: row[1], faces: [] });
  }
  state.pairs = table.pairs;
  gather(from);
}

function gather(from) {
  for (const photo of state.photos) photo.faces = [];
  for (const person of state.people.values()) person.faces = [];
  for (const one of state.faces.values()) {
    state.photos[one.photo].faces.push(one);
    if (one.person !== null) state.people.get(one.person)?.faces.push(one);
  }
  if (!state.order.length) {
    state.order = [...state.people.keys()].sort(
      (a, b) => state.people.get(b).faces.length - state.people.get(a).faces.length || (a < b ? -1 : 1));
    return;
  }
  const known = new Set(state.order);
  state.order = state.order.filter((name) => state.people.has(name));
  for (const name of state.people.keys()) {
    if (known.has(name)) continue;
    const place = state.order.indexOf(from.get(name));  // whoever was split off stays beside
    state.order.splice(place + 1, 0, name);
  }
}

export function label(name) {
  if (name === null) return "Nobody";
  const found = /^person-0*(\d+)$/.exec(name);
  return found ? `Person ${Number(found[1]) + 1}` : name;
}

async function ask(path, body) {
  const sent = body === undefined ? {} :
    { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, { cache: "no-store", ...sent });
  const value = answer.headers.get("content-type")?.startsWith("application/json") ? await answer.json() : {};
  if (!answer.ok) throw new Error(value.error ?? `the server refused (${answer.status})`);
  return value;
}

function take(news) {
  for (const name of ["version", "phase", "progress", "undo", "redo", "steps", "error", "outcome", "effect"]) {
    if (name in news) state[name] = news[name];
  }
}

let loading = Promise.resolve(), counted = null;
export function load() {
  loading = loading.then(reload).catch(() => {});  // without an answer the server is gone: `lost` says so
  return loading;
}

async function reload() {
  const news = await ask("/api/state");
  take(news);
  if (!state.effect && counted?.version === state.version) state.effect = counted.effect;  // it was faster
  state.options = news.options;
  state.photos = [];
  state.faces.clear();
  state.people.clear();
  if (news.table) put(news.table);
  tell("all");
}

function change(news) {
  if (news.version <= state.version) return;  // this tab heard of it already
  if (news.since !== state.version) return void load();
  take(news);
  put(news.table);
  tell("table");
}

let busy = Promise.resolve();
export function act(request) {
  // one after another: keys are faster than answers
  busy = busy.then(async () => {
    try {
      const news = await ask("/api/act", request);
      change(news);
      const done = request.do === "undo" ? `Undone: ${news.redo}` : request.do === "redo" ? `Done again: ${news.undo}` : news.undo;
      const back = request.do === "undo" ? null : h("button", { text: "Undo", onclick: () => act({ do: "undo" }) });
      toast(done[0].toUpperCase() + done.slice(1), back);
      return true;
    } catch (error) {
      toast(error instanceof TypeError ? "The server does not answer." : error.message);
      return false;
    }
  });
  return busy;
}

export const boxesOf = (photo, chunk) => ask(`/api/boxes/${photo}/${chunk}`);
export const release = () => ask("/api/release", {});
export const close = () => ask("/api/close", {});

export function listen() {
  const source = new EventSource("/api/events");
  const on = (kind, what) => source.addEventListener(kind, (event) => what(JSON.parse(event.data)));
  // everything is loaded once news are heard of, so that none is missed in between
  on("hello", () => { $("lost").hidden = true; load(); });
  source.onerror = () => setTimeout(() => { if (source.readyState !== 1 && !ended) lost(); }, 1500);
  on("change", change);
  on("effect", (news) => {
    counted = news;
    if (news.version === state.version) { state.effect = news.effect; tell("effect"); }
  });
  on("progress", (news) => { state.progress = news; tell("progress"); });
  on("phase", (news) => {
    if (news.phase === "reviewing" || state.phase === "") return void load();  // with the table, or not at all
    take(news);
    tell("all");
  });
  on("reload", () => load());
}

let ended = false;
export function end() { ended = true; }

function lost() {
  const box = $("lost");
  box.hidden = false;
  box.replaceChildren(h("div", {},
    h("h2", { text: "The server has ended" }),
    h("p", { text: "Everything that you did is kept. Run the same command again to go on where you stopped." }),
    h("p", { class: "soft", text: `${many(state.steps, "step")} saved.` })));
}
