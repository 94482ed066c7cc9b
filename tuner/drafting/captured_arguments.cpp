#include "tuner/drafting/captured_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "tuner/drafting/toml_text.h"

namespace warptune::tuner::drafting {

using kernel_templates::DataType;
using profiling::captures::CapturedBuffer;

namespace {

bool is_zero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

// Removes a name with its length before it, such as `9c_weights`, from the begin of `mangled`.
std::optional<std::string> take_name(std::string_view& mangled) {
  std::size_t at = 0;
  std::size_t length = 0;
  for (; at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])) != 0 &&
         length < mangled.size();
       ++at)
    length = 10 * length + static_cast<std::size_t>(mangled[at] - '0');
  if (length == 0 || length > mangled.size() - at) return std::nullopt;
  std::string name(mangled.substr(at, length));
  mangled.remove_prefix(at + length);
  return name;
}

// The name of a variable that is in no namespace: `c_weights` or, if it is static, `_ZL9c_weights`.
std::optional<std::string> plain_name(std::string_view mangled) {
  constexpr std::string_view kStatic = "_ZL";
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  if (!mangled.starts_with(kStatic)) return std::nullopt;
  mangled.remove_prefix(kStatic.size());
  return take_name(mangled);
}

// The last part of a nested name: `w` of `_ZN2ns1wE`, and of `_ZN2nsL1wE` if it is static. Returns
// std::nullopt if the name has other parts than these.
std::optional<std::string> last_name(std::string_view mangled) {
  constexpr std::string_view kNested = "_ZN";
  if (!mangled.starts_with(kNested)) return std::nullopt;
  mangled.remove_prefix(kNested.size());
  std::optional<std::string> last;
  while (!mangled.empty() && mangled.front() != 'E') {
    if (mangled.front() == 'L') mangled.remove_prefix(1);
    last = take_name(mangled);
    if (!last) return std::nullopt;
  }
  return last;
}

class ArgumentWriter {
 public:
  ArgumentWriter(const ArgumentSource& from, ProblemSizes& sizes) : from_(from), sizes_(sizes) {}

  CapturedArguments run() {
    for (const MatchedParameter& parameter : from_.parameters) {
      if (parameter.range) {
        add_buffer(parameter);
      } else {
        add_number(parameter);
      }
    }
    for (const CapturedBuffer& buffer : from_.launch.buffers) {
      if (!buffer.variable.empty()) add_variable(buffer);
    }
    note_shared_memory();
    note_other_changes();
    return std::move(made_);
  }

 private:
  std::string type_text(const MatchedParameter& parameter) const {
    const std::string entry =
        parameter.template_type.empty() ? "" : from_.type_entry(parameter.template_type);
    return entry.empty() ? std::string(info(parameter.type).name) : entry;
  }

  void add_number(const MatchedParameter& parameter) {
    const std::optional<std::int64_t> size = sizes_.used_value(parameter.size);
    const bool is_named = size && size == parameter.value;
    made_.text +=
        fmt::format("[[argument]]\nname = \"{}\"\nkind = \"scalar\"\ntype = \"{}\"\nvalue = \"{}\"\n\n",
                    parameter.name, type_text(parameter), is_named ? parameter.size : parameter.literal);
  }

  // The text of `init`. Contents other than zeros become a file, whose name is appended to `file`.
  std::string init_text(const std::string& name, DataType type, std::string_view contents,
                        std::string& file) {
    if (is_zero(contents)) return "{ kind = \"constant\", value = 0 }";
    file = name + ".npy";
    made_.files.push_back({file, type, contents});
    return fmt::format("{{ kind = \"file\", path = {} }}", toml_string(from_.folder + "/" + file));
  }

  void add_buffer(const MatchedParameter& parameter) {
    const CapturedBuffer& buffer = from_.launch.buffers[parameter.range->buffer];
    const std::int64_t elements = elements_of(parameter);
    if (elements < 1) {
      throw base::InputError(fmt::format("'{}' of {} points to the end of an allocation in the capture",
                                         parameter.name, from_.source.kernel().name));
    }
    const std::size_t bytes = static_cast<std::size_t>(elements) * info(parameter.type).size_bytes;
    const std::string_view before = std::string_view(buffer.before).substr(parameter.range->begin, bytes);
    const std::string_view after =
        buffer.after ? std::string_view(*buffer.after).substr(parameter.range->begin, bytes) : before;
    std::string file;
    const std::string init = init_text(parameter.name, parameter.type, before, file);
    const bool changed = before != after;
    if (!parameter.is_constant) add_expected(parameter, after, changed ? "" : file);
    if (!parameter.is_constant && !changed) {
      made_.notes.push_back(
          fmt::format("The launch did not change '{}'. If it is an output, a kernel that writes nothing "
                      "passes the check: "
                      "capture a launch that changes it. If it is an input, make it kind = \"in\".",
                      parameter.name));
    }
    note_guesses(parameter);
    const std::optional<std::string> count = sizes_.count(elements);
    made_.text += fmt::format(
        "[[argument]]\nname = \"{}\"\nkind = \"{}\"{}\ntype = \"{}\"{}\ncount = \"{}\"{}\ninit = {}\n\n",
        parameter.name, parameter.is_constant ? "in" : "inout",
        parameter.is_constant ? "" : "  # \"out\" if the kernel only writes it, and all of it",
        type_text(parameter),
        parameter.unknown_type.empty()
            ? ""
            : fmt::format("  # bytes of '{}'", base::printable_line(parameter.unknown_type)),
        count ? *count : std::to_string(elements), count_comment(parameter, count, elements), init);
  }

  // A count that is not one size alone is a guess.
  static std::string count_comment(const MatchedParameter& parameter, const std::optional<std::string>& count,
                                   std::int64_t elements) {
    const std::string up_to =
        parameter.ends_before.empty() ? "" : fmt::format(", up to '{}'", parameter.ends_before);
    if (!count) return fmt::format("  # as captured{}; no size explains it", up_to);
    const bool is_size = count->find(' ') == std::string::npos;
    return is_size && up_to.empty() ? "" : fmt::format("  # {} in the capture{}", elements, up_to);
  }

  void note_guesses(const MatchedParameter& parameter) {
    if (!parameter.ends_before.empty()) {
      made_.notes.push_back(
          fmt::format("'{0}' and '{1}' point into one allocation, so '{0}' ends where '{1}' begins. If the "
                      "kernel reads or writes more of '{0}', its count and its contents are wrong.",
                      parameter.name, parameter.ends_before));
    }
    if (!parameter.unknown_type.empty() && !parameter.is_constant) {
      made_.notes.push_back(fmt::format(
          "The elements of '{}' are compared as bytes, so numbers with another rounding count as wrong.",
          parameter.name));
    }
  }

  // `file` has the same elements, if it is not empty.
  void add_expected(const MatchedParameter& parameter, std::string_view after, std::string file) {
    if (file.empty()) {
      file = parameter.name + ".after.npy";
      made_.files.push_back({file, parameter.type, after});
    }
    made_.expected.emplace_back(parameter.name, file);
  }

  // The elements of variables are bytes: their type matters to no comparison.
  void add_variable(const CapturedBuffer& buffer) {
    const std::optional<std::string> name = plain_name(buffer.variable);
    if (!name) note_nested(buffer);
    if (!name || !from_.source.uses(*name) || buffer.before.empty()) return;
    note_changed(*name, buffer);
    const bool is_taken = std::any_of(from_.parameters.begin(), from_.parameters.end(),
                                      [&](const MatchedParameter& one) { return one.name == *name; });
    const std::string argument = is_taken ? *name + "_variable" : *name;
    std::string file;
    const std::string init = init_text(argument, DataType::kU8, buffer.before, file);
    made_.text += fmt::format(
        "[[argument]]\nname = \"{}\"\nkind = \"in\"\ntype = \"u8\"  # bytes of the variable\ncount = \"{}\"\n"
        "symbol = \"{}\"\ninit = {}\n\n",
        argument, buffer.before.size(), *name, init);
  }

  void note_changed(const std::string& variable, const CapturedBuffer& buffer) {
    if (!buffer.after) return;
    made_.notes.push_back(fmt::format(
        "The launch changed the variable '{}'. A definition neither restores nor compares it.", variable));
  }

  // Notes a variable of a namespace or class, if the source may name it.
  void note_nested(const CapturedBuffer& buffer) {
    const std::optional<std::string> last = last_name(buffer.variable);
    if (last && !from_.source.uses(*last)) return;
    const std::string name = base::printable_line(last ? *last : buffer.variable);
    made_.notes.push_back(fmt::format(
        "The variable '{}' is in a namespace or class, where a definition can set none. Its captured "
        "contents are left out, so the kernel reads its initial value. Move it to the top level of the "
        "source.",
        name));
    note_changed(name, buffer);
  }

  void note_shared_memory() {
    for (std::size_t i = 0; i < from_.parameters.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const MatchedParameter& one = from_.parameters[j];
        const MatchedParameter& other = from_.parameters[i];
        if (!one.range || !other.range || one.range->buffer != other.range->buffer ||
            one.range->begin >= other.range->end || other.range->begin >= one.range->end ||
            (one.is_constant && other.is_constant))
          continue;
        made_.notes.push_back(
            fmt::format("'{}' and '{}' share memory in the capture. The definition gives each its own, so "
                        "times may differ.",
                        one.name, other.name));
      }
    }
  }

  // The end of the last whole element. What follows is not compared.
  static std::uint64_t compared_end(const MatchedParameter& parameter) {
    return parameter.range->begin +
           static_cast<std::uint64_t>(elements_of(parameter)) * info(parameter.type).size_bytes;
  }

  // Changes outside of the elements of outputs are not compared.
  void note_other_changes() {
    for (std::size_t i = 0; i < from_.launch.buffers.size(); ++i) {
      const CapturedBuffer& buffer = from_.launch.buffers[i];
      if (!buffer.after || !buffer.variable.empty()) continue;
      std::vector<std::pair<std::uint64_t, std::uint64_t>> covered;
      for (const MatchedParameter& parameter : from_.parameters) {
        if (parameter.range && parameter.range->buffer == i && !parameter.is_constant)
          covered.emplace_back(parameter.range->begin, compared_end(parameter));
      }
      std::sort(covered.begin(), covered.end());
      covered.emplace_back(buffer.before.size(), buffer.before.size());
      std::uint64_t end = 0;
      bool differs = false;
      for (const auto& [begin, next] : covered) {
        if (begin > end)
          differs |= std::string_view(buffer.before).substr(end, begin - end) !=
                     std::string_view(*buffer.after).substr(end, begin - end);
        end = std::max(end, next);
      }
      if (!differs) continue;
      made_.notes.emplace_back(
          "The launch changed memory outside of the elements of outputs. The check does not compare it.");
      return;
    }
  }

  const ArgumentSource& from_;
  ProblemSizes& sizes_;
  CapturedArguments made_;
};

}  // namespace

std::int64_t elements_of(const MatchedParameter& parameter) {
  return static_cast<std::int64_t>((parameter.range->end - parameter.range->begin) /
                                   info(parameter.type).size_bytes);
}

CapturedArguments captured_arguments(const ArgumentSource& from, ProblemSizes& sizes) {
  return ArgumentWriter(from, sizes).run();
}

}  // namespace warptune::tuner::drafting
