"use strict";

// A mistake in a filter expression: what is wrong, and its place in the text, from `at` up to but not including `end`.
class FilterMistake extends Error {
  constructor(message, at, end) {
    super(message);
    this.at = at;
    this.end = Math.max(end, at + 1);
  }
}

// The words of a filter expression, each as { kind, text, at, end }. Names may have dots, as those of counters do.
const FilterWords = {
  kinds: [
    ["number", /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y],
    ["name", /[A-Za-z_]\w*(?:\.\w+)*/y],
    ["text", /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y],
    ["sign", /&&|\|\||==|!=|<=|>=|\/\/|[-+*\/%<>=!()?:,]/y],
  ],

  of(source) {
    const words = [];
    let at = 0;
    while (at < source.length) {
      if (/\s/.test(source[at])) {
        ++at;
        continue;
      }
      const word = FilterWords.next(source, at);
      words.push(word);
      at = word.end;
    }
    words.push({ kind: "end", text: "", at: source.length, end: source.length });
    return words;
  },

  next(source, at) {
    for (const [kind, pattern] of FilterWords.kinds) {
      pattern.lastIndex = at;
      const found = pattern.exec(source);
      if (found) return { kind, text: found[0], at, end: at + found[0].length };
    }
    const letter = source[at];
    if (letter === '"' || letter === "'") throw new FilterMistake("The text does not end: its closing quote is missing.", at, source.length);
    if (letter === "&" || letter === "|") throw new FilterMistake(`Write ${letter}${letter} instead of ${letter}.`, at, at + 1);
    if (/[\d.]/.test(letter)) throw new FilterMistake("A number is expected here. Put text that begins with a digit into quotes.", at, at + 1);
    throw new FilterMistake(`The character ${letter} means nothing here.`, at, at + 1);
  },
};
