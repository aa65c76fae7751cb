// The last step: say what will happen, watch it, and see the result before and after.

import { $, dialog, h, many, toast } from "./dom.js";
import { noFace } from "./photos.js";
import { DISMISSED, DRAWN, HIDDEN, close, end, label, release, state } from "./state.js";

const PASSES = { "read clips": "Reading the clips", "find in clips": "Looking at the clips' frames", tracks: "Following faces", "write clips": "Replacing faces in clips", "join clips": "Joining clips", vault: "Sealing the originals", find: "Looking at the photos", codes: "Describing faces", write: "Replacing faces", verify: "Verifying every photo", attack: "Attacking the release" };

export function askRelease() {
  const faces = [...state.faces.values()], kept = [...state.people.values()].filter((person) => person.kept);
  const count = (flag) => faces.filter((face) => face.flags & flag).length;
  const aside = state.photos.filter((photo) => photo.aside).length, bare = state.options.allow_faceless ? 0 : noFace();
  const unreadable = state.photos.filter((photo) => photo.why).length, effect = state.effect;
  const lines = [
    [many(count(HIDDEN), "face"), "will be hidden, because they cannot be replaced or are nobody's", count(HIDDEN)],
    [many(count(DRAWN), "face"), "drawn by you", count(DRAWN)],
    [many(count(DISMISSED), "detection"), "dismissed by you: left as they are, and stated in the certificate", count(DISMISSED)],
    [many(aside + bare + unreadable, "photo"), "will be withheld (set aside, without a face, or unreadable)", aside + bare + unreadable],
  ].filter((line) => line[2]);
  const box = dialog("ask", "Release", h("div", { class: "inside" },
    h("h2", { text: `Release ${many(state.photos.length - aside - bare - unreadable, "photo")}?` }),
    h("p", { text: `${many(effect.people, "person", "people")} will share ${many(effect.groups.length, "face")} of nobody; at least ${Math.min(...effect.groups)} people have each.` }),
    lines.length ? h("ul", {}, lines.map(([what, why]) => h("li", {}, h("b", { text: what }), ` ${why}`))) : null,
    state.pairs.length ? h("p", { class: "warning", text: `${many(state.pairs.length, "question")} about who is who ${state.pairs.length === 1 ? "is" : "are"} still open.` }) : null,
    kept.length ? h("p", { class: "warning", text: `Shown unprotected, by consent: ${kept.map((person) => label(person.name)).join(", ")}.` }) : null,
    h("div", { class: "end" }, h("button", { text: "Not yet", onclick: () => box.close() }),
      h("button", { class: "primary", id: "go", text: "Release", onclick: async () => {
        try { await release(); box.close(); } catch (error) { box.close(); toast(error.message); }
      } }))));
  $("go").focus();
}

export function showProgress(main) {
  const finding = state.phase === "finding";
  const text = h("p", { id: "pass" }), bar = h("progress", { "aria-label": "Progress", max: 1 });
  main.replaceChildren(h("div", { class: "centre" }, h("div", { class: "card", style: { width: "34rem" } },
    h("h2", { text: finding ? "Looking for faces" : "Making the release" }),
    h("p", { class: "soft", text: finding ? "This is done once: what is found is kept until the release." : "You may close this page: the release is finished without it." }), bar, text)));
  const update = () => {
    const { label: pass, count = 0, total = 0 } = state.progress;
    if (total) { bar.value = count / total; bar.max = 1; } else bar.removeAttribute("value");
    text.textContent = pass ? `${PASSES[pass] ?? pass}: ${count.toLocaleString("en")} of ${total.toLocaleString("en")}` : "Starting…";
  };
  update();
  return { update, focus: () => main.focus(), end() {} };
}

export function showFailed(main) {
  main.replaceChildren(h("div", { class: "centre" }, h("div", { class: "card" }, h("h2", { text: "Nothing was released" }),
    h("p", { text: state.error }), h("p", { class: "soft", text: "What you did here is kept. Run the same command again to go on." }),
    h("div", { class: "answers" }, h("button", { text: "Close", onclick: leave })))));
  return { update() {}, focus: () => main.focus(), end() {} };
}

async function leave() {
  end();
  await close().catch(() => {});
  document.body.replaceChildren(h("main", { class: "centre" }, h("div", { class: "card" }, h("h2", { text: "Done" }), h("p", { text: "The server has ended. You can close this tab." }))));
}

export function showDone(main) {
  const { outcome } = state;
  const figure = (value, text) => h("li", {}, h("b", { text: typeof value === "number" ? value.toLocaleString("en") : value }), h("span", { text }));
  const least = Math.min(...outcome.groups);
  main.replaceChildren(h("div", { class: "scroller" }, h("div", { class: "done" },
    h("h2", { text: "Released and verified", tabindex: "-1", id: "title" }),
    h("p", { text: `Every replaced face is shared by at least ${least} people. The folder is ${outcome.out}; its private ledger lies beside it.` }),
    h("ul", { class: "figures" }, figure(outcome.photos, "photos"), figure(outcome.people, "people"), figure(outcome.faces, "faces replaced"),
      figure(outcome.hidden, "faces hidden"), figure(outcome.groups.length, "groups"), figure(outcome.withheld.length, "photos withheld"),
      outcome.attacks.map((attack) => figure(`${(100 * attack.rate).toFixed(1)}%`, `recognised by ${attack.recogniser} (1/k is ${(100 / outcome.k).toFixed(0)}%)`))),
    outcome.pairs.length ? compare(outcome.pairs) : null,
    outcome.withheld.length ? h("details", {}, h("summary", { text: `Withheld: ${many(outcome.withheld.length, "photo")}` }),
      h("ul", {}, outcome.withheld.map(([name, why]) => h("li", { text: `${name}: ${why}` })))) : null,
    h("div", { class: "end" }, h("a", { href: "/report", target: "_blank", rel: "noopener", text: "Open the report" }), h("button", { class: "primary", text: "Finish", onclick: leave })))));
  return { update() {}, focus: () => $("title").focus(), end() {} };
}

function compare(frames) {  // of each pair; 0 for a photo
  const count = frames.length;
  let at = 0;
  const before = h("img", { alt: "Before" }), after = h("img", { alt: "After" }), line = h("div", { class: "line" });
  const pair = h("div", { class: "pair" }, before, after, line);
  const slider = h("input", { type: "range", min: 0, max: 100, value: 50, id: "slider", "aria-label": "Before on the left, after on the right", oninput: split });
  const text = h("span", { class: "number soft" });
  const scrub = h("input", { type: "range", min: 0, value: 0, id: "moment", "aria-label": "Frame of the clip", oninput: pictures });
  const moment = h("div", { class: "controls", hidden: true }, h("span", { text: "Frame" }), scrub);
  const strip = h("div", { class: "strip" });
  const first = Math.min(count, 40);
  for (let i = 0; i < first; i++) strip.append(h("button", { "aria-label": `Photo ${i + 1}`, onclick: () => show(i) }, h("img", { src: `/picture/after/${i}${frames[i] ? "/0" : ""}`, alt: "", loading: "lazy" })));
  function split() {
    after.style.clipPath = `inset(0 0 0 ${slider.value}%)`;
    line.style.left = `${slider.value}%`;
  }
  function pictures() {
    const where = `${at}${frames[at] ? `/${scrub.value}` : ""}`;
    before.src = `/picture/before/${where}`;
    after.src = `/picture/after/${where}`;
  }
  function show(i) {
    at = (i + count) % count;
    moment.hidden = !frames[at];
    [scrub.max, scrub.value] = [Math.max(frames[at] - 1, 0), 0];
    pictures();
    text.textContent = `${at + 1} of ${count}`;
    [...strip.children].forEach((one, j) => one.setAttribute("aria-pressed", String(j === at)));
  }
  after.addEventListener("load", () => {
    const wide = Math.min(1180, (620 * after.naturalWidth) / after.naturalHeight);
    Object.assign(pair.style, { maxWidth: `${wide}px`, aspectRatio: `${after.naturalWidth} / ${after.naturalHeight}` });
  });
  pair.addEventListener("pointermove", (event) => {
    const room = pair.getBoundingClientRect();
    slider.value = (100 * (event.clientX - room.left)) / room.width;
    split();
  });
  show(0);
  split();
  return h("section", { class: "compare", "aria-label": "Before and after" }, pair,
    h("div", { class: "controls" }, h("button", { text: "‹", "aria-label": "Previous photo", onclick: () => show(at - 1) }), h("span", { text: "Before" }), slider, h("span", { text: "After" }),
      text, h("button", { text: "›", "aria-label": "Next photo", onclick: () => show(at + 1) })), moment, strip);
}
