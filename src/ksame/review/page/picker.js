// Choosing a person by typing or with the arrow keys.

import { dialog, h, many, picture } from "./dom.js";
import { label, state } from "./state.js";

const MOST = 60;  // people listed at a time; typing narrows them down

export function choosePerson(title, without = []) {
  return new Promise((answer) => {
    let names = [], at = 0;
    const list = h("div", { class: "choices", role: "listbox", id: "choices", "aria-label": "People" });
    const input = h("input", {
      type: "search", placeholder: "Type a name or number", "aria-label": "Find a person", role: "combobox",
      "aria-controls": "choices", "aria-expanded": "true", "aria-autocomplete": "list", autocomplete: "off",
      oninput: () => fill(), onkeydown: (event) => {
        if (event.key === "ArrowDown") mark(at + 1);
        else if (event.key === "ArrowUp") mark(at - 1);
        else if (event.key === "Enter") { if (names[at]) take(names[at]); }
        else return;
        event.preventDefault();
      },
    });
    const box = dialog("picker", title, h("div", { class: "inside" }, h("h2", { text: title }), input, list));
    let taken = null;
    box.addEventListener("close", () => answer(taken));
    function take(name) { taken = name; box.close(); }
    function fill() {
      const text = input.value.trim().toLowerCase();
      names = state.order.filter((name) => !without.includes(name) && label(name).toLowerCase().includes(text)).slice(0, MOST);
      list.replaceChildren(...names.map((name, i) => {
        const person = state.people.get(name);
        return h("div", { role: "option", id: `choice-${i}`, "aria-selected": "false", onclick: () => take(name) },
          picture("face", person.faces[0].id), h("span", { text: label(name) }),
          h("span", { class: "soft", text: many(person.faces.length, "face") }));
      }));
      if (!names.length) list.append(h("div", { role: "option", "aria-selected": "false", "aria-disabled": "true", class: "soft", text: "Nobody by that name" }));
      mark(0);
    }
    function mark(place) {
      at = Math.max(0, Math.min(place, names.length - 1));
      [...list.children].forEach((one, i) => one.setAttribute("aria-selected", String(i === at && names.length > 0)));
      if (names.length) { input.setAttribute("aria-activedescendant", `choice-${at}`); list.children[at].scrollIntoView({ block: "nearest" }); }
    }
    fill();
    input.focus();
  });
}
