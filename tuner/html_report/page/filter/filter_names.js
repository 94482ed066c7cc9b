"use strict";

// The names that filter expressions may use for a workload. Each has { kind, of(row), values, about }. The kind is "number",
// "text" or "boolean". `values` are the values of a parameter, or null. A row that lacks a number gives null.
const FilterNames = {
  resources: { registers: "registers_per_thread", threads: "threads_per_block", occupancy: "theoretical_occupancy" },

  of(workload) {
    const names = new Map();
    const add = (name, of, about, kind = "number", values = null) => {
      if (!names.has(name)) names.set(name, { kind, of, values, about });
    };
    workload.parameters.forEach((parameter, p) => {
      add(parameter.name, (row) => workload.typed(p, row), parameter.description, FilterNames.kind(parameter.values), parameter.values);
    });
    for (const [unit, scale] of timeUnits) add(`time_${unit}`, (row) => workload.time(row) / scale, `the time in ${unit}`);
    add("x_best", (row) => workload.relative(row), "the time over the best time");
    add("roof_share", (row) => workload.roofShare(row), "the share of the roof, 0 to 1");
    add("dropped", (row) => workload.isDropped(row), "whether it was dropped, so that its time is an estimate", "boolean");
    for (const [name, full] of Object.entries(FilterNames.resources)) add(name, (row) => workload.resource(full, row), resourceNames[full]);
    for (const [name, about] of Object.entries(resourceNames)) add(name, (row) => workload.resource(name, row), about);
    for (const name of workload.counterNames) add(name, (row) => workload.counter(name, row), workload.metric(name).title);
    return names;
  },

  kind(values) {
    const kinds = new Set(values.map((value) => typeof value));
    return kinds.size === 1 && kinds.has("boolean") ? "boolean" : kinds.has("string") ? "text" : "number";
  },

  // The name as the workload writes it; upper and lower case are the same where only one name fits.
  find(names, wanted) {
    if (names.has(wanted)) return wanted;
    const similar = [...names.keys()].filter((name) => name.toLowerCase() === wanted.toLowerCase());
    return similar.length === 1 ? similar[0] : null;
  },

  // The names that are most like a misspelt one, at most three.
  nearest(known, wanted) {
    const near = known.map((name) => [FilterNames.distance(name.toLowerCase(), wanted.toLowerCase()), name])
      .filter(([far, name]) => far <= Math.max(2, name.length / 3) || (wanted.length > 2 && name.toLowerCase().includes(wanted.toLowerCase())));
    return near.sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, name]) => name);
  },

  // The number of letters to insert, delete or replace (Levenshtein).
  distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; ++i) {
      const next = [i];
      for (let j = 1; j <= b.length; ++j) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      row = next;
    }
    return row[b.length];
  },
};
