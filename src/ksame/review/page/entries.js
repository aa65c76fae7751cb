// The faces of one photo or clip as a list beside it: whose they are, and what can be done.

import { h, picture } from "./dom.js";
import { choosePerson } from "./picker.js";
import { DISMISSED, DRAWN, EXTENDED, act } from "./state.js";
import { name } from "./stage.js";

export async function who(face) {
  const person = await choosePerson("Whose face is this?", [face.person]);
  if (person) act({ do: "move", faces: [face.id], person });
}

export const dismiss = (face) => act({ do: "dismiss", faces: [face.id], on: !(face.flags & DISMISSED) });

export const entry = (face, current, onclick) => h("div", { class: `entry${face.id === current ? " on" : ""}`, onclick }, picture("face", face.id),
  h("div", {}, h("b", { text: name(face) }),
    face.stop ? h("div", { class: "soft number", text: `frames ${face.first + 1} to ${face.stop}` }) : null,
    face.flags & DRAWN ? h("div", { class: "soft", text: "drawn by you" }) : face.flags & EXTENDED ? h("div", { class: "soft", text: "extended by you" }) : null,
    face.why ? h("div", { class: "soft", text: `will be hidden: ${face.why}` }) : null),
  h("div", { class: "row" }, face.flags & DISMISSED
    ? h("button", { text: "It is a face", onclick: () => act({ do: "dismiss", faces: [face.id], on: false }) })
    : [h("button", { text: "Somebody else…", "aria-label": `${name(face)} is somebody else`, onclick: () => who(face) }),
      h("button", { text: "New person", "aria-label": `${name(face)} is a new person`, onclick: () => act({ do: "move", faces: [face.id] }) }),
      h("button", { text: face.flags & DRAWN ? "Take away" : "Not a face", "aria-label": `${name(face)} is not a face`, onclick: () => dismiss(face) })]));
