"use strict";

// Turns a parsed filter expression into a function of a row, and finds mistakes of meaning. A node of the
// tree becomes { kind, of(row) }: the type of its value, and the value for a row. A value that a row lacks is null, and a comparison
// with null does not hold.
class FilterMeaning {
  static functions = {
    min: (...all) => Math.min(...all), max: (...all) => Math.max(...all), abs: Math.abs, floor: Math.floor, sqrt: Math.sqrt,
    log2: Math.log2, exp: Math.exp, pow: Math.pow, ceil_div: (a, b) => Math.ceil(a / b), round_up: (a, b) => Math.ceil(a / b) * b,
    is_pow2: (n) => n > 0 && Number.isInteger(Math.log2(n)),
  };

  static comparisons = {
    "==": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
  };

  static arithmetic = {
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "%": (a, b) => a % b, "//": (a, b) => Math.trunc(a / b),
    "/": (a, b) => (Number.isInteger(a) && Number.isInteger(b) ? Math.trunc(a / b) : a / b),
  };

  constructor(names) {
    this.names = names;
  }

  // A condition as a function from a row to true or false.
  condition(node) {
    const { kind, of } = this.of(node);
    if (kind === "text") throw new FilterMistake("This is text, not a condition: compare it, as in NAME == \"text\".", node.at, node.end);
    return (row) => Boolean(of(row));
  }

  of(node) {
    return this[node.kind](node);
  }

  value({ value }) {
    return { kind: typeof value === "string" ? "text" : "number", of: () => value };
  }

  name(node) {
    if (node.name === "true" || node.name === "false") return { kind: "boolean", of: () => node.name === "true" };
    const name = FilterNames.find(this.names, node.name);
    if (name !== null) return this.names.get(name);
    const near = FilterNames.nearest([...this.names.keys()], node.name);
    const parameters = [...this.names].filter(([, { values }]) => values !== null).map(([known]) => known);
    throw new FilterMistake(`${node.name} is not known. ${near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `The parameters are ${parameters.join(", ")}.`}`,
      node.at, node.end);
  }

  unary({ sign, inner }) {
    const { of } = sign === "!" ? { of: this.condition(inner) } : this.number(inner);
    return sign === "!" ? { kind: "boolean", of: (row) => !of(row) } : { kind: "number", of: (row) => -of(row) };
  }

  number(node) {
    const meaning = this.of(node);
    if (meaning.kind === "text") throw new FilterMistake("This is text; a number is needed here.", node.at, node.end);
    return meaning;
  }

  choice({ condition, yes, no }) {
    const [test, a, b] = [this.condition(condition), this.of(yes), this.of(no)];
    return { kind: a.kind, of: (row) => (test(row) ? a.of(row) : b.of(row)) };
  }

  call({ name, parts, at, end }) {
    const known = FilterMeaning.functions;
    if (!Object.hasOwn(known, name)) {
      throw new FilterMistake(`There is no function ${name}. The functions are ${Object.keys(known).join(", ")}.`, at, end);
    }
    const wanted = Math.max(known[name].length, 1);
    const several = name === "min" || name === "max";
    if (several ? parts.length < 2 : parts.length !== wanted) {
      throw new FilterMistake(`${name} needs ${several ? "two or more arguments" : plural(wanted, "argument")}.`, at, end);
    }
    const values = parts.map((part) => this.number(part).of);
    return { kind: name === "is_pow2" ? "boolean" : "number", of: (row) => {
      const given = values.map((value) => value(row));
      return given.includes(null) ? null : known[name](...given);
    } };
  }

  binary(node) {
    const { sign, left, right } = node;
    if (sign === "&&" || sign === "||") {
      const [a, b] = [this.condition(left), this.condition(right)];
      return { kind: "boolean", of: sign === "&&" ? (row) => a(row) && b(row) : (row) => a(row) || b(row) };
    }
    if (sign in FilterMeaning.comparisons) return this.comparison(node);
    const [a, b] = [this.number(left).of, this.number(right).of];
    const compute = FilterMeaning.arithmetic[sign];
    return { kind: "number", of: (row) => {
      const [x, y] = [a(row), b(row)];
      return x === null || y === null ? null : compute(Number(x), Number(y));
    } };
  }

  // A comparison. If a parameter with text values is compared with a word without quotes, the word is one of these values.
  comparison({ sign, left, right, at, end }) {
    const [a, b] = [this.side(left, right), this.side(right, left)];
    if ((a.kind === "text") !== (b.kind === "text")) {
      const [text, node] = a.kind === "text" ? [a, left] : [b, right];
      throw new FilterMistake(`${node.name ?? "This"} is text${text.values ? `, one of ${text.values.join(", ")}` : ""}; it cannot be compared with a number.`, at, end);
    }
    if (a.kind === "text" && sign !== "==" && sign !== "!=") throw new FilterMistake("Text is only equal or not equal.", at, end);
    const plain = (value) => (typeof value === "boolean" ? Number(value) : value);
    const compare = FilterMeaning.comparisons[sign];
    this.requireValue(sign, a, right, b);
    this.requireValue(sign, b, left, a);
    return { kind: "boolean", of: (row) => {
      const [x, y] = [plain(a.of(row)), plain(b.of(row))];
      return x !== null && y !== null && compare(x, y);
    } };
  }

  side(node, other) {
    const kept = other.kind === "name" ? FilterNames.find(this.names, other.name) : null;
    const values = kept === null ? null : this.names.get(kept).values;
    if (node.kind === "name" && values !== null && FilterNames.find(this.names, node.name) === null && this.names.get(kept).kind === "text") {
      const value = values.find((known) => String(known).toLowerCase() === node.name.toLowerCase());
      return this.value({ value: value ?? node.name });
    }
    return this.of(node);
  }

  // A parameter is compared with a value: it must be one that the parameter can have.
  requireValue(sign, parameter, node, constant) {
    if (!parameter.values || (sign !== "==" && sign !== "!=") || (node.kind !== "value" && node.kind !== "name") || constant.values) return;
    if (node.kind === "name" && FilterNames.find(this.names, node.name) !== null) return;
    const value = constant.of(0);
    if (parameter.values.some((known) => known === value || Number(known) === value || (typeof known === "boolean" && known === Boolean(value) && typeof value !== "string"))) return;
    const near = typeof value === "string" ? FilterNames.nearest(parameter.values.map(String), value)[0] : undefined;
    throw new FilterMistake(`The parameter never has the value ${value}. ${near ? `Did you mean ${near}? ` : ""}Its values are ${parameter.values.join(", ")}.`, node.at, node.end);
  }
}
