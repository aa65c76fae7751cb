// The tracks of a clip over time: one bar each, the frame that is looked at across all of them.

import { h } from "./dom.js";
import { name } from "./stage.js";
import { DISMISSED, DRAWN, HIDDEN } from "./state.js";

export const clock = (frame, rate) => {
  const seconds = frame / rate, minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - 60 * minutes).toFixed(2).padStart(5, "0")}`;
};
const kind = (face) => `${face.flags & DISMISSED ? " gone" : face.flags & HIDDEN ? " hidden" : ""}${face.flags & DRAWN ? " drawn" : ""}`;
const share = (frame, clip) => `${100 * frame / clip.frames}%`;

// pending: the frames of a track that is being drawn
export function timeline(photo, current, pending, choose) {
  const { clip } = photo;
  const bar = (first, stop, class_) => h("i", { class: class_, style: { left: share(first, clip), width: share(stop - first, clip) } });
  const cuts = clip.cuts.map((cut) => h("u", { style: { left: share(cut, clip) } }));
  const row = (face) => h("div", { class: `track${face.id === current ? " on" : ""}` },
    h("button", { id: `track-${face.id}`, "aria-pressed": String(face.id === current), text: name(face), title: name(face),
      "aria-label": `Track of ${name(face)}, frames ${face.first + 1} to ${face.stop}${face.why ? `, will be hidden: ${face.why}` : ""}`, onclick: () => choose(face, face.best) }),
    h("div", { class: "lane", onclick: (event) => {
      const room = event.currentTarget.getBoundingClientRect();
      choose(face, Math.min(clip.frames - 1, Math.floor(clip.frames * (event.clientX - room.left) / room.width)));
    } }, cuts.map((cut) => cut.cloneNode()), bar(face.first, face.stop, `bar${kind(face)}`), face.marks.map((mark) => h("b", { style: { left: share(mark[0] + 0.5, clip) } }))));
  const tracks = [...photo.faces].sort((a, b) => a.first - b.first || a.id - b.id);
  return h("div", { class: "tracks", role: "group", "aria-label": "Tracks" }, tracks.map(row),
    pending ? h("div", { class: "track on" }, h("span", { class: "name", text: "New track" }), h("div", { class: "lane" }, bar(pending[0], pending[1] + 1, "bar drawn"))) : null,
    h("div", { class: "now", id: "now" }));
}

export const cursor = (frame, clip) => ({ left: `calc(var(--names) + (100% - var(--names)) * ${(frame + 0.5) / clip.frames})` });
