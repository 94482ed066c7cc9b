"use strict";

// Parses a filter expression into a tree of { kind, ..., at, end }. The language is that of constraints (docs/expressions.md).
// Two things are added: `=` compares as `==` does, and conditions may stand side by side, as in `BLOCK=256 VECTOR=4`.
class FilterParser {
  static levels = [["||"], ["&&"], ["==", "!=", "=", "<", "<=", ">", ">="], ["+", "-"], ["*", "/", "//", "%"]];
  static words = { and: "&&", or: "||", not: "!" };

  constructor(source) {
    this.source = source;
    this.words = FilterWords.of(source);
    this.place = 0;
  }

  // The conditions that stand side by side or are joined by `&&`, or none for an empty text.
  conditions() {
    const found = [];
    while (this.word.kind !== "end") {
      found.push(...this.split(this.conditional()));
      this.takes(",");
    }
    return found;
  }

  split(node) {
    return node.kind === "binary" && node.sign === "&&" ? [...this.split(node.left), ...this.split(node.right)] : [node];
  }

  get word() {
    return this.words[this.place];
  }

  // The sign at this place: also `and`, `or`, `not`.
  get sign() {
    const { kind, text } = this.word;
    return kind === "sign" ? text : kind === "name" ? FilterParser.words[text] : undefined;
  }

  takes(sign) {
    if (this.sign !== sign) return false;
    ++this.place;
    return true;
  }

  expects(sign, why) {
    if (!this.takes(sign)) throw new FilterMistake(`${sign} is missing: ${why}.`, this.word.at, this.word.end);
  }

  conditional() {
    const condition = this.binary(0);
    if (!this.takes("?")) return condition;
    const yes = this.conditional();
    this.expects(":", "c ? a : b needs both");
    const no = this.conditional();
    return { kind: "choice", condition, yes, no, at: condition.at, end: no.end };
  }

  binary(level) {
    if (level === FilterParser.levels.length) return this.unary();
    let left = this.binary(level + 1);
    while (FilterParser.levels[level].includes(this.sign)) {
      const { at, end } = this.word;
      const sign = this.sign === "=" ? "==" : this.sign;
      ++this.place;
      if (level === 2 && left.kind === "binary" && left.level === 2 && !left.closed) {
        throw new FilterMistake("Comparisons are not chained: write 1 <= A && A <= 3.", at, end);
      }
      const right = this.binary(level + 1);
      left = { kind: "binary", sign, level, left, right, at: left.at, end: right.end };
    }
    return left;
  }

  unary() {
    const { at } = this.word;
    for (const sign of ["-", "!"]) {
      if (this.takes(sign)) {
        const inner = this.unary();
        return { kind: "unary", sign, inner, at, end: inner.end };
      }
    }
    return this.primary();
  }

  primary() {
    const { kind, text, at, end } = this.word;
    if (this.takes("(")) {
      const inner = this.conditional();
      this.expects(")", "a parenthesis is open");
      return { ...inner, closed: true, at, end: this.words[this.place - 1].end };
    }
    if (kind === "end" || kind === "sign" || text in FilterParser.words) {
      throw new FilterMistake(kind === "end" ? "Something is missing at the end." : `Before ${text} something is missing.`, at, end);
    }
    ++this.place;
    if (kind === "number") return { kind: "value", value: Number(text), at, end };
    if (kind === "text") return { kind: "value", value: text.slice(1, -1).replace(/\\(.)/gs, "$1"), at, end };
    if (this.sign === "(" && this.word.at === end) return this.call(text, at);
    return { kind: "name", name: text, at, end };
  }

  call(name, at) {
    ++this.place;
    const parts = [];
    while (!this.takes(")")) {
      parts.push(this.conditional());
      if (this.sign !== ")") this.expects(",", "arguments are separated by commas");
    }
    return { kind: "call", name, parts, at, end: this.words[this.place - 1].end };
  }
}
