// The frame of the page: which view is shown, what is undone, what the corrections mean for k.

import { $, dialog, h, key, many, settle, typing } from "./dom.js";
import { clear, showPeople } from "./people.js";
import { noFace, showPhotos } from "./photos.js";
import { showQuestions } from "./questions.js";
import { askRelease, showDone, showFailed, showProgress } from "./release.js";
import { act, listen, state, watch } from "./state.js";

const VIEWS = { questions: ["Questions", showQuestions], people: ["People", showPeople], photos: ["Photos", showPhotos] };
let view = null, shown = null, opened = null;

function go(name, focus = true) {
  view?.end();
  shown = name;
  settle();
  view = VIEWS[name][1]($("main"), go);
  frame();
  if (focus) view.focus();
}

function frame() {
  const reviewing = state.phase === "reviewing";
  const counts = { questions: state.pairs.length, people: state.people.size, photos: state.photos.length };
  $("views").replaceChildren(...(reviewing ? Object.entries(VIEWS).map(([name, [title]]) => h("button", {
    "aria-current": name === shown ? "page" : null, class: name === "questions" && counts.questions ? "todo" : "", onclick: () => go(name), id: `view-${name}`,
  }, title, h("span", { class: "count number", text: counts[name].toLocaleString("en") }))) : []));
  $("tools").replaceChildren(...(reviewing ? [
    h("button", { class: "plain", id: "undo", disabled: !state.undo, title: state.undo ? `Undo: ${state.undo}` : "Nothing to undo", onclick: () => act({ do: "undo" }) }, "Undo"),
    h("button", { class: "plain", id: "redo", disabled: !state.redo, title: state.redo ? `Do again: ${state.redo}` : "Nothing to do again", onclick: () => act({ do: "redo" }) }, "Redo"),
    h("button", { class: "plain", "aria-label": "Keys", title: "Keys", onclick: help }, "?"),
    h("button", { class: "primary", id: "release", disabled: !state.effect?.possible, onclick: askRelease }, "Release…"),
  ] : []));
  effect(reviewing);
}

function effect(reviewing) {
  const { effect: found } = state, box = $("effect");
  if (!reviewing) return box.replaceChildren();
  if (!found) return box.replaceChildren(h("span", { class: "soft", text: "counting…" }));
  const sizes = found.groups, open = box.querySelector("details")?.open;
  const range = sizes.length && sizes[0] !== sizes.at(-1) ? `${sizes[0]} to ${sizes.at(-1)}` : `${sizes[0]}`;
  const head = found.possible
    ? h("span", { class: "good" }, h("b", { text: `k = ${state.options.k} holds` }), ` · ${many(found.people, "person", "people")} in ${many(sizes.length, "group")} of ${range}`)
    : h("span", { class: "bad" }, h("b", { text: `k = ${state.options.k} cannot be met` }), ` · ${many(found.people, "person", "people")}`);
  const joins = found.classes.filter(([, , into]) => into);
  box.replaceChildren(h("details", { open }, h("summary", { "aria-label": "What this means for k" }, head, joins.length ? h("span", { class: "soft", text: ` · ${many(joins.length, "small class", "small classes")} joined` }) : null, found.waiting ? h("span", { class: "bad", text: ` · ${many(found.waiting, "person waits", "people wait")}` }) : null),
    h("div", { class: "sheet", tabindex: "0", role: "region", "aria-label": "Groups and classes" }, found.possible ? null : h("p", { class: "warning", text: found.why }),
      found.known ? h("p", { text: `${many(found.known, "person keeps", "people keep")} the face that they share already.` }) : null,
      found.joined ? h("p", { text: `${many(found.joined, "person joins", "people join")} a group that stays: they are too few for one of their own.` }) : null,
      found.waiting ? h("p", { class: "warning", text: `${many(found.waiting, "person is", "people are")} new and too few for a group of their own: their photos are withheld.` }) : null,
      h("p", { class: "soft", text: "People of like looks share a face. A part is a range of skin tones, a count of how many photos somebody is in. A class with too few people joins its neighbour." }),
      !found.classes.length ? null : h("table", {}, h("thead", {}, h("tr", {}, h("th", { text: "Class" }), h("th", { text: "People" }), h("th", { text: "" }))),
        h("tbody", {}, found.classes.map(([name, count, into]) => h("tr", {}, h("td", { text: name }), h("td", { class: "number", text: count }),
          h("td", { class: "soft", text: into ? `${count === 1 ? "1 is" : `${count} are`} too few: joins ${into}` : "" }))))))));
}

function help() {
  const keys = [["1 2 3", "Questions, people, photos"], ["Arrows", "Move between faces or photos"], ["Space", "Select a face"], ["Shift+click", "Select a range"],
    ["A", "Select all faces of a person"], ["N", "Selected faces are a new person (split)"], ["M", "Move selected faces, or merge a person"], ["X", "Not a face, or a face after all"],
    ["H", "Nobody: hide"], ["K", "Keep a person as is, by consent"], ["Enter", "Open the photo"], ["D", "In a photo or clip: draw a face; arrows move it, Shift+arrows resize it, Enter draws it"],
    ["← →", "In a clip: one frame back or on; with Shift ten"], ["[ ]", "In a clip: to where a track begins or ends"], ["E", "In a clip: extend the selected track to this frame"], ["F L", "In a clip: a drawn track begins or ends at this frame"],
    ["S", "In a photo: set it aside. In a question: same person"], ["Ctrl+Z", "Undo"], ["Ctrl+Y", "Redo"], ["R", "Release"], ["Esc", "Close, or clear the selection"]];
  const box = dialog("help", "Keys", h("div", { class: "inside" }, h("h2", { text: "Everything by keyboard" }),
    h("dl", {}, keys.flatMap(([name, what]) => [h("dt", {}, key(name)), h("dd", { text: what })])),
    h("div", { class: "end" }, h("button", { text: "Close", onclick: () => box.close() }))));
}

document.addEventListener("keydown", (event) => {
  if (state.phase !== "reviewing") return;
  const command = event.ctrlKey || event.metaKey, letter = event.key.toLowerCase();
  if (command && letter === "z") { event.preventDefault(); return void act({ do: event.shiftKey ? "redo" : "undo" }); }
  if (command && letter === "y") { event.preventDefault(); return void act({ do: "redo" }); }
  if (typing(event) || document.querySelector("dialog[open]")) return;
  const names = Object.keys(VIEWS);
  if ("123".includes(event.key)) go(names[Number(event.key) - 1]);
  else if (event.key === "?") help();
  else if (event.key === "r" && state.effect?.possible) askRelease();
  else if (event.key === "Escape") clear();
  else if (event.target === document.body) return void view?.key?.(event);
  else return;
  event.preventDefault();
});

watch((what) => {
  if (what === "effect") {
    if (opened !== "reviewing") return undefined;
    frame();
    return view?.counted?.();
  }
  if (what === "progress") return void (state.phase !== "reviewing" && view?.update());
  const { phase } = state;
  if (phase === "reviewing") {
    if (opened !== phase) { opened = phase; document.title = "ksame review"; go(state.pairs.length ? "questions" : noFace() === state.photos.length ? "photos" : "people"); }
    else { frame(); view.update(); }
    return;
  }
  if (opened !== phase) {
    opened = phase;
    view?.end();
    document.querySelectorAll("dialog[open]").forEach((box) => box.close());
    frame();
    const show = { done: showDone, failed: showFailed }[phase] ?? showProgress;
    view = show($("main"));
    if (phase === "done" || phase === "failed") view.focus();
  } else view?.update();
});

listen();
