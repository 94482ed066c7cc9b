"use strict";

// The light or dark theme. It follows the system until the button is used. Colours are custom properties of the style
// sheet, so that charts and page have the same ones.
const Theme = {
  listeners: [],

  colours: new Map(),

  // A colour of the style sheet. Charts ask thousands of times, so each colour is read only once for a theme.
  colour(name) {
    if (!Theme.colours.has(name)) Theme.colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    return Theme.colours.get(name);
  },

  chosen: null,

  isDark() {
    return Theme.chosen === null ? matchMedia("(prefers-color-scheme: dark)").matches : Theme.chosen === "dark";
  },

  // The colour of value number `place` of `count` ordered values. The scale increases evenly in lightness and does not
  // rely on red against green.
  ordered(place, count) {
    const stops = Theme.isDark()
      ? [[58, 96, 168], [72, 142, 190], [96, 184, 176], [166, 214, 130], [240, 228, 92]]
      : [[27, 42, 110], [38, 98, 158], [34, 146, 150], [120, 180, 74], [214, 190, 20]];
    const at = count < 2 ? 0 : (place / (count - 1)) * (stops.length - 1);
    const below = Math.min(Math.floor(at), stops.length - 2);
    const mixed = stops[below].map((part, i) => Math.round(part + (stops[below + 1][i] - part) * (at - below)));
    return `rgb(${mixed.join(",")})`;
  },

  // The colour of one of several sessions or workloads. The palette is based on that of Okabe and Ito.
  category(place) {
    const names = ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6"];
    return Theme.colour(names[place % names.length]);
  },

  // The shape of the points of one of several series, so that colour is not needed to distinguish them.
  shape(place) {
    return ["circle", "rect", "triangle", "rectRot", "star", "crossRot"][place % 6];
  },

  apply() {
    Theme.colours.clear();
    document.documentElement.dataset.theme = Theme.isDark() ? "dark" : "light";
    const button = document.getElementById("theme");
    button.textContent = Theme.isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", Theme.isDark() ? "Show the page light" : "Show the page dark");
    if (window.Chart) {  // The page of a survey draws without it.
      Chart.defaults.color = Theme.colour("text-soft");
      Chart.defaults.borderColor = Theme.colour("grid");
    }
    for (const listener of Theme.listeners) listener();
  },

  start() {
    document.getElementById("theme").addEventListener("click", () => {
      Theme.chosen = Theme.isDark() ? "light" : "dark";
      Theme.apply();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => Theme.apply());
  },
};
