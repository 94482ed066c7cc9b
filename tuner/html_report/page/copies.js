"use strict";

// Configurations as texts that other programs read.
const Copies = {
  // Compiler options, quoted for a shell, as `warptune export --format defines` writes them. Booleans are 0 or 1.
  defines(workload, row) {
    const macro = (value) => (typeof value === "boolean" ? String(Number(value)) : String(value));
    const quoted = (word) => (/^[\w\-=.,:/+@%]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
    return workload.parameters.map((parameter, p) => quoted(`-D${parameter.name}=${macro(workload.typed(p, row) ?? "")}`)).join(" ");
  },

  // An object as in `configuration` of all JSON outputs.
  json(workload, row) {
    return JSON.stringify(Object.fromEntries(workload.parameters.map((parameter, p) => [parameter.name, workload.typed(p, row)])));
  },

  // Buttons that copy a configuration. `which` says in words which one it is.
  buttons(workload, row, which) {
    const said = element("span", { class: "soft", role: "status" });
    const copier = (text, what, of) => button(text, () => Copies.copy(of(), what, said), { "aria-label": `Copy ${which} as ${what}` });
    return element("div", { class: "copies" },
      copier("Copy -D…", "compiler options", () => Copies.defines(workload, row)),
      copier("Copy JSON", "JSON", () => Copies.json(workload, row)),
      copier("Copy link", "a link", () => Links.of(workload, row)), said);
  },

  // Copies a text. Where the browser refuses, the text is shown to be copied by hand.
  async copy(text, what, said) {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = `Copied ${what}.`;
    } catch {
      const field = element("input", { class: "by-hand", value: text, size: "40", "aria-label": `Text to copy: ${what}` });
      said.replaceChildren("Copy this: ", field);
      field.select();
    }
  },
};
