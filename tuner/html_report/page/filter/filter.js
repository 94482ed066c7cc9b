"use strict";

// Filters the configurations of a workload by an expression, and says what is wrong if the expression has a mistake.
const Filter = {
  // Returns { rows, mistake, conditions }. If the expression has a mistake ({ message, at, end }), all rows are kept.
  apply(workload, source) {
    try {
      const conditions = Filter.read(workload, source);
      const rows = workload.timed.filter((row) => conditions.every(({ holds }) => holds(row)));
      return { rows, mistake: null, conditions };
    } catch (mistake) {
      if (!(mistake instanceof FilterMistake)) throw mistake;
      return { rows: workload.timed, mistake, conditions: [] };
    }
  },

  // The conditions that must all hold, each with its text.
  read(workload, source) {
    const meaning = new FilterMeaning(FilterNames.of(workload));
    return new FilterParser(source).conditions()
      .map((node) => ({ text: source.slice(node.at, node.end), holds: meaning.condition(node) }));
  },

  // Why nothing is left: how many configurations each condition alone keeps.
  whyNone(workload, conditions) {
    const kept = conditions.map(({ text, holds }) => `${text}: ${workload.timed.filter(holds).length.toLocaleString("en")}`);
    return `No configuration is left of ${workload.timed.length.toLocaleString("en")}. ` +
      (kept.length > 1 ? `By each condition alone there are: ${kept.join("; ")}.` : "");
  },

  // The answer to a mistake: the expression with the place marked, and what is wrong.
  answer(source, { message, at, end }) {
    return [
      element("code", {}, source.slice(0, at), element("mark", {}, source.slice(at, end) || " "), source.slice(end)),
      element("br"), message];
  },

  // A field for an expression. `changed` is called with each new text. The element with the id `filter-said` has the answer.
  field(workload, source, changed) {
    const [p] = workload.varied;
    const like = p === undefined ? "" : `${workload.parameters[p].name} == ${JSON.stringify(workload.typed(p, workload.timed[0]))} && `;
    const input = element("input", { type: "search", class: "filter", value: source, placeholder: `${like}x_best < 1.1`,
      "aria-describedby": "filter-said", spellcheck: false, autocomplete: "off", oninput: () => changed(input.value) });
    return { input, label: element("label", { class: "choice" }, "Only with ", input) };
  },

  // The names that expressions may use, as a list that a reader can open.
  help(workload) {
    const terms = [...FilterNames.of(workload)].flatMap(([name, { about, values }]) => [
      element("dt", {}, name), element("dd", {}, [about, values ? `one of ${values.join(", ")}` : ""].filter((text) => text).join("; "))]);
    return element("details", { class: "help" }, element("summary", {}, "Names and operators for expressions"),
      element("p", { class: "note" }, "Operators are those of C: && || ! == != < <= > >= + - * / %, and c ? a : b. " +
        "Conditions side by side must all hold, and = compares: BLOCK=256 VECTOR=4. Functions: " + `${Object.keys(FilterMeaning.functions).join(", ")}.`),
      element("dl", { tabindex: "0", "aria-label": "Names for expressions" }, ...terms));
  },
};
