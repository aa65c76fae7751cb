// The pairs that clustering could as well have decided the other way, one by one.

import { h, key, many, picture, typing } from "./dom.js";
import { look } from "./look.js";
import { act, label, state } from "./state.js";

let skipped = new Set();
const mark = ([a, b]) => `${a}-${b}`;
const open = () => state.pairs.find((pair) => !skipped.has(mark(pair)));

export function showQuestions(main, go) {
  function draw() {
    const pair = open();
    if (!pair) {
      const left = state.pairs.length;
      main.replaceChildren(h("div", { class: "centre" }, h("div", { class: "card" },
        h("h2", { text: left ? "That was all, but for those you skipped" : "No open questions" }),
        h("p", { text: left ? `${many(left, "pair")} may be one person or two. Whoever is left open stays as found.` : "Everybody is told apart. Look through the people, then through the photos." }),
        h("div", { class: "answers" }, left ? h("button", { text: "Ask again", onclick: () => { skipped = new Set(); draw(); } }) : null,
          h("button", { class: "primary", id: "onward", text: "Look at the people", onclick: () => go("people") })))));
      document.getElementById("onward").focus();
      return;
    }
    const faces = pair.map((id) => state.faces.get(id)), same = faces[0].person === faces[1].person;
    main.replaceChildren(h("div", { class: "centre" }, h("div", { class: "question" },
      h("h2", { text: "Are these the same person?" }),
      h("p", { class: "soft", text: `${same ? "Taken for one person so far" : "Taken for two people so far"}, by a narrow margin · ${many(state.pairs.length, "question")} left` }),
      h("div", { class: "two" }, faces.map((face, i) => side(face, i))),
      h("div", { class: "answers" },
        h("button", { class: "primary", id: "same", text: "Same person", onclick: () => answer(pair, true) }, key("S")),
        h("button", { id: "different", text: "Two people", onclick: () => answer(pair, false) }, key("D")),
        h("button", { class: "plain", text: "Skip", onclick: () => { skipped.add(mark(pair)); draw(); } }, key("→"))))));
    document.getElementById("same").focus({ preventScroll: true });
  }
  const onKey = (event) => {
    const pair = open();
    if (!pair || typing(event)) return;
    const what = { s: () => answer(pair, true), d: () => answer(pair, false), ArrowRight: () => { skipped.add(mark(pair)); draw(); } }[event.key];
    if (what) { event.preventDefault(); what(); }
  };
  main.addEventListener("keydown", onKey);
  draw();
  return { update: draw, focus: draw, end: () => main.removeEventListener("keydown", onKey) };
}

const answer = (pair, same) => act({ do: "settle", pair, same });

function side(face, i) {
  const person = state.people.get(face.person);
  const others = (person?.faces ?? []).filter((one) => one.id !== face.id).slice(0, 5);
  return h("div", { class: "side" },
    h("button", { "aria-label": `${i ? "Right" : "Left"} face, ${label(face.person)}; open its photo`, onclick: () => look(face.photo, face.id) }, picture("face", face.id)),
    h("p", {}, h("b", { text: label(face.person) }), h("span", { class: "soft", text: ` · ${state.photos[face.photo].name}` })),
    h("div", { class: "others" }, others.map((one) => picture("face", one.id))));
}
