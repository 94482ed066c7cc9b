// libwarptune for C++17: a kernel definition that a program builds. docs/library.md explains its use.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>

#include "warptune.hpp"
#include "warptune_tuning.h"

namespace warptune {

/// Builds a kernel definition in code. docs/kernel-definition.md explains what each part means. `text` adds
/// parts for which this class has no function.
class Definition {
 public:
  /// `name` is the kernel's name, by which its results are stored. It is also the name of the kernel's
  /// function in `source`, unless `entry` names another.
  Definition(const std::string& name, std::string source) : name_(name), source_(std::move(source)) {
    entry(name);
  }

  /// The kernel's function, if its name differs from the kernel's: "saxpy<{BLOCK}>".
  Definition& entry(const std::string& entry) {
    entry_ = "entry = " + quoted(entry) + "\n";
    return *this;
  }
  /// A problem entry, and the value that it has unless a caller gives another.
  Definition& problem(const std::string& name, const Value& value) {
    problem_ += name + " = " + toml(value) + "\n";
    return *this;
  }
  /// A parameter with its values.
  Definition& parameter(const std::string& name, std::initializer_list<Value> values) {
    parameters_ += name + " = [";
    const char* separator = "";
    for (const Value& value : values) {
      parameters_ += separator + toml(value);
      separator = ", ";
    }
    parameters_ += "]\n";
    return *this;
  }
  /// A parameter with its values, and its value in the default configuration. Either all parameters have such
  /// a value, or none.
  Definition& parameter(const std::string& name, std::initializer_list<Value> values, const Value& usual) {
    default_ += name + " = " + toml(usual) + "\n";
    return parameter(name, values);
  }
  /// Values of parameters that are good where the condition `when` holds, an expression of the problem and
  /// the GPU ("true": always). All other parameters have the values of the default. The first recommendation
  /// whose condition holds is the answer where nothing was measured. Among recommendations that follow each
  /// other and all have a cost, it is the one with the lowest cost. `cost` is an expression of the same
  /// names, such as the expected time; if it is empty, the recommendation has no cost.
  Definition& recommended(const std::string& when,
                          std::initializer_list<std::pair<const char*, Value>> values,
                          const std::string& cost = "") {
    recommended_ += "\n[[recommended]]\nwhen = " + quoted(when) + "\n";
    if (!cost.empty()) recommended_ += "cost = " + quoted(cost) + "\n";
    recommended_ += "[recommended.values]\n";
    for (const auto& [name, value] : values) recommended_ += name + (" = " + toml(value)) + "\n";
    return *this;
  }
  /// A condition that all configurations must meet.
  Definition& constraint(const std::string& expression) {
    constraints_ += "  " + quoted(expression) + ",\n";
    return *this;
  }
  /// Expressions for the grid and the block: one to three each.
  Definition& launch(std::initializer_list<const char*> grid, std::initializer_list<const char*> block,
                     const std::string& shared_bytes = "0") {
    launch_ = "grid = " + list(grid) + "\nblock = " + list(block) + "\n";
    if (shared_bytes != "0") launch_ += "shared_bytes = " + quoted(shared_bytes) + "\n";
    return *this;
  }
  /// `in` to `scalar` add the arguments of the kernel's function, in order. `type` is a data type, or a
  /// problem entry that names one. `count` is an expression for the number of elements.
  Definition& in(const std::string& name, const std::string& type, const std::string& count) {
    return argument(name, "in", type, "count", count);
  }
  Definition& out(const std::string& name, const std::string& type, const std::string& count) {
    return argument(name, "out", type, "count", count);
  }
  Definition& inout(const std::string& name, const std::string& type, const std::string& count) {
    return argument(name, "inout", type, "count", count);
  }
  Definition& scratch(const std::string& name, const std::string& type, const std::string& count) {
    return argument(name, "scratch", type, "count", count);
  }
  Definition& scalar(const std::string& name, const std::string& type, const std::string& value) {
    return argument(name, "scalar", type, "value", value);
  }
  /// The rows of the buffer that was added last have padding between them. `width` and `pitch` are
  /// expressions: the elements of a row, and those from row to row. The `count` is without padding. Programs
  /// that launch the kernel give it buffers with this pitch, so it must not depend on parameters there.
  Definition& rows(const std::string& width, const std::string& pitch) {
    arguments_ += "width = " + quoted(width) + "\npitch = " + quoted(pitch) + "\n";
    return *this;
  }
  /// The right value of element `i` of the output, as a CUDA expression.
  Definition& check(const std::string& expression) {
    check_ = "\n[check]\nreference = \"expression\"\nexpression = " + quoted(expression) + "\n" + check_;
    return *this;
  }
  /// Further TOML. It comes after everything that the other functions have written.
  Definition& text(const std::string& toml) {
    text_ += toml + "\n";
    return *this;
  }

  /// The definition as TOML.
  std::string toml() const {
    std::string all = "[kernel]\nname = " + quoted(name_) + "\n" + entry_;
    const auto add = [&all](const char* table, const std::string& lines) {
      if (!lines.empty()) all += std::string("\n[") + table + "]\n" + lines;
    };
    add("problem", problem_);
    add("parameters", parameters_);
    add("default", default_);
    if (!constraints_.empty()) all += "\n[constraints]\nlist = [\n" + constraints_ + "]\n";
    add("launch", launch_);
    return all + recommended_ + arguments_ + check_ + text_;
  }
  const std::string& source() const { return source_; }

 private:
  static std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      char escape[8];
      if (c == '"' || c == '\\') {
        result += {'\\', c};
      } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        std::snprintf(escape, sizeof escape, "\\u%04X", static_cast<unsigned>(c));
        result += escape;
      } else {
        result += c;
      }
    }
    return result + "\"";
  }
  static std::string toml(const Value& value) {
    if (value.type == WARPTUNE_VALUE_TEXT) return quoted(value.as.text);
    if (value.type == WARPTUNE_VALUE_BOOLEAN) return value.as.integer != 0 ? "true" : "false";
    if (value.type == WARPTUNE_VALUE_INTEGER) return std::to_string(value.as.integer);
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", value.as.real);
    std::string text = number;
    for (char& c : text) {
      if (c == ',') c = '.';  // The program's locale decides what snprintf writes.
    }
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  static std::string list(std::initializer_list<const char*> expressions) {
    std::string text = "[";
    for (const char* expression : expressions) text += (text.size() > 1 ? ", " : "") + quoted(expression);
    return text + "]";
  }
  Definition& argument(const std::string& name, const char* kind, const std::string& type, const char* key,
                       const std::string& expression) {
    arguments_ += "\n[[argument]]\nname = " + quoted(name) + "\nkind = \"" + kind +
                  "\"\ntype = " + quoted(type) + "\n" + key + " = " + quoted(expression) + "\n";
    return *this;
  }

  std::string name_;
  std::string source_;
  std::string entry_;
  std::string problem_;
  std::string parameters_;
  std::string default_;
  std::string recommended_;
  std::string constraints_;
  std::string launch_;
  std::string arguments_;
  std::string check_;
  std::string text_;
};

/// Writes a definition to a file beside the library's database (`warptune_define`). Returns the path, for
/// `Library::kernel` and `TuningRequest`.
inline std::string define(const Library& library, const Definition& definition) {
  const char* kernel = nullptr;
  check(warptune_define(library.get(), definition.toml().c_str(), definition.source().c_str(), &kernel));
  return kernel;
}

}  // namespace warptune
