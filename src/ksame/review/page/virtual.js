// A long list of which only what is seen exists. Places are numbers, so twenty thousand faces cost
// as much as those on the screen.

import { h } from "./dom.js";

const AROUND = 500;  // pixels drawn above and below what is seen

export function virtual(main, { layout, draw, intro }) {
  // layout(width) -> { height, places: [{ key, top, height, ... }] } ordered by top
  // draw(place, seen, element or undefined) -> element
  const field = h("div", { class: "field" });
  const scroller = h("div", { class: "scroller", tabindex: "-1" }, h("div", { class: "field" }, intro ?? null), field);
  main.replaceChildren(scroller);
  const shown = new Map();
  let plan = { height: 0, places: [] }, known = new Set(), waiting = false, width = 0;

  function first(top) {
    let low = 0, high = plan.places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (plan.places[middle].top + plan.places[middle].height < top) low = middle + 1; else high = middle;
    }
    return low;
  }

  function paint() {
    waiting = false;
    const from = scroller.scrollTop - field.offsetTop - AROUND;
    const to = from + scroller.clientHeight + 2 * AROUND;
    const seen = new Set();
    for (let i = first(from); i < plan.places.length && plan.places[i].top < to; i++) {
      const place = plan.places[i];
      seen.add(place.key);
      const old = shown.get(place.key);
      const element = draw(place, { from: from - place.top, to: to - place.top }, old);
      if (element !== old) {
        const held = old?.contains(document.activeElement) ? document.activeElement.dataset.k : undefined;
        old?.remove();
        field.append(element);
        shown.set(place.key, element);
        if (held) [element, ...element.querySelectorAll("[data-k]")].find((one) => one.dataset.k === held)?.focus({ preventScroll: true });
      }
      element.style.top = `${place.top}px`;
    }
    for (const [key, element] of shown) {
      // what has the focus stays while it exists: a keyboard must not lose its place
      if (seen.has(key) || (known.has(key) && element.contains(document.activeElement))) continue;
      element.remove();
      shown.delete(key);
    }
  }

  const soon = () => { if (!waiting) { waiting = true; requestAnimationFrame(paint); } };
  function arrange() {
    width = field.clientWidth;
    plan = layout(width);
    known = new Set(plan.places.map((place) => place.key));
    field.style.height = `${plan.height}px`;
    paint();
  }
  scroller.addEventListener("scroll", soon, { passive: true });
  const watching = new ResizeObserver(() => { if (field.clientWidth !== width) arrange(); });
  watching.observe(scroller);
  arrange();
  return {
    arrange,
    scroller,
    repaint() { for (const [key, element] of shown) { if (!element.contains(document.activeElement)) { element.remove(); shown.delete(key); } } arrange(); },
    show(key, within = 0, size = 0) {
      const place = plan.places.find((one) => one.key === key);
      if (!place) return;
      const top = field.offsetTop + place.top + within, end = top + (size || place.height);
      if (top < scroller.scrollTop + 8) scroller.scrollTop = top - 8;
      else if (end > scroller.scrollTop + scroller.clientHeight - 70) scroller.scrollTop = end - scroller.clientHeight + 70;
      paint();
    },
    end() { watching.disconnect(); },
  };
}
