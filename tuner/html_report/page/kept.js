"use strict";

// What a reader chose in each section. It is kept at a redraw with new data, and forgotten when another workload is chosen.
const Kept = {
  workload: null,
  states: new Map(),

  // The state of a section. At first it is `defaults`; then it is the object that was returned before.
  of(section, defaults) {
    if (!Kept.states.has(section)) Kept.states.set(section, defaults);
    return Kept.states.get(section);
  },

  // Forgets all states if this is another workload than the last one.
  begin(workload) {
    if (Kept.workload !== workload.key) Kept.states.clear();
    Kept.workload = workload.key;
  },
};
