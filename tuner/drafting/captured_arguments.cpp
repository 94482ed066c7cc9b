#include "tuner/drafting/captured_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "tuner/drafting/captured_passing.h"
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
    // Numbers are written last: they are sizes where buffers or offsets use these.
    for (const DraftedBuffer& buffer : from_.buffers) sizes_.count(buffer.elements);
    if (!passes_all_in_order(from_.parameters, from_.buffers))
      made_.passed = passing_text(from_.parameters, from_.buffers, sizes_, [&](const MatchedParameter& one) {
        return type_text(one.template_type, one.type);
      });
    for (const MatchedParameter& parameter : from_.parameters) {
      if (parameter.struct_bytes == 0) add_value(parameter, false);
      for (const MatchedParameter& member : parameter.members) add_value(member, true);
    }
    for (const CapturedBuffer& buffer : from_.launch.buffers) {
      if (!buffer.variable.empty()) add_variable(buffer);
    }
    note_ends();
    note_other_changes();
    return std::move(made_);
  }

 private:
  // Members of structs that are numbers are in the list of what the launch passes.
  void add_value(const MatchedParameter& parameter, bool is_member) {
    note_pointers_within(parameter);
    if (!parameter.place) {
      note_pointer(parameter);
      if (!parameter.is_bits && !is_member) add_number(parameter);
    } else if (drafted(parameter).name == parameter.name) {
      add_buffer(drafted(parameter));
    }
  }

  std::string type_text(const std::string& template_type, DataType type) const {
    const std::string entry = template_type.empty() ? "" : from_.type_entry(template_type);
    return entry.empty() ? std::string(info(type).name) : entry;
  }

  const DraftedBuffer& drafted(const MatchedParameter& pointer) const {
    return drafted_buffer(from_.buffers, pointer.place->buffer);
  }

  void add_number(const MatchedParameter& parameter) {
    made_.text += fmt::format(
        "[[argument]]\nname = \"{}\"\nkind = \"scalar\"\ntype = \"{}\"\nvalue = \"{}\"\n\n", parameter.name,
        type_text(parameter.template_type, parameter.type), number_text(parameter, sizes_));
  }

  // The text of `init`. Contents other than zeros become a file, whose name is appended to `file`.
  std::string init_text(const std::string& name, DataType type, std::string_view contents,
                        std::string& file) {
    if (is_zero(contents)) return "{ kind = \"constant\", value = 0 }";
    file = name + ".npy";
    made_.files.push_back({file, type, contents});
    return fmt::format("{{ kind = \"file\", path = {} }}", toml_string(from_.folder + "/" + file));
  }

  void add_buffer(const DraftedBuffer& drafted) {
    const CapturedBuffer& buffer = from_.launch.buffers[drafted.buffer];
    const std::size_t bytes = compared_bytes(drafted);
    const std::string_view before = std::string_view(buffer.before).substr(0, bytes);
    const std::string_view after = buffer.after ? std::string_view(*buffer.after).substr(0, bytes) : before;
    std::string file;
    const std::string init = init_text(drafted.name, drafted.type, before, file);
    const bool changed = before != after;
    if (!drafted.is_constant) add_expected(drafted, after, changed ? "" : file);
    note_buffer(drafted, changed);
    const std::optional<std::string> count = sizes_.count(drafted.elements);
    made_.text += fmt::format(
        "[[argument]]\nname = \"{}\"{}\nkind = \"{}\"{}\ntype = \"{}\"{}\ncount = \"{}\"{}\ninit = {}\n\n",
        drafted.name, pointers_comment(drafted), drafted.is_constant ? "in" : "inout", kind_comment(drafted),
        type_text(drafted.template_type, drafted.type),
        drafted.bytes_of.empty() ? "" : fmt::format("  # bytes of {}", drafted.bytes_of),
        count ? *count : std::to_string(drafted.elements), count_comment(count, drafted.elements), init);
  }

  static std::string pointers_comment(const DraftedBuffer& drafted) {
    if (drafted.pointers.size() < 2) return "";
    const std::vector<std::string> others(drafted.pointers.begin() + 1, drafted.pointers.end());
    return fmt::format("  # an allocation with {}, too", fmt::join(others, ", "));
  }

  static const char* kind_comment(const DraftedBuffer& drafted) {
    const bool is_alone = !drafted.is_constant && drafted.pointers.size() == 1;
    return is_alone ? "  # \"out\" if the kernel only writes it, and all of it" : "";
  }

  // A count that is not one size alone is a guess.
  static std::string count_comment(const std::optional<std::string>& count, std::int64_t elements) {
    if (!count) return "  # as captured; no size explains it";
    return count->find(' ') == std::string::npos ? "" : fmt::format("  # {} in the capture", elements);
  }

  void note_pointer(const MatchedParameter& parameter) {
    if (!parameter.is_pointer || parameter.place || parameter.literal == "0") return;
    made_.notes.push_back(fmt::format(
        "'{}' points to no memory that the capture has. The definition passes the same number, so a "
        "kernel that reads or writes there fails.",
        parameter.name));
  }

  // A pointer to the begin of a buffer may be the end of the range that the pointer before it begins.
  void note_ends() {
    const MatchedParameter* before = nullptr;
    visit_values(from_.parameters, [&](const MatchedParameter& one) {
      const MatchedParameter* begin = std::exchange(before, one.place ? &one : nullptr);
      if (!begin || !one.place || one.place->within != 0 || begin->place->buffer == one.place->buffer) return;
      const CapturedBuffer& range = from_.launch.buffers[begin->place->buffer];
      const bool ends =
          range.address + range.before.size() == from_.launch.buffers[one.place->buffer].address;
      if (!ends || begin->type != one.type || begin->is_constant != one.is_constant) return;
      made_.notes.push_back(fmt::format(
          "'{}' points to the end of '{}' and to the begin of another buffer. The definition passes the "
          "other buffer. If the two are a range, write {{ name = \"{}\", offset = ... }} for '{}'.",
          one.name, drafted(*begin).name, drafted(*begin).name, one.name));
    });
  }

  // Addresses of captured memory are found in the contents. Others are only known by the type.
  void note_pointers_within(const MatchedParameter& pointer) {
    if (!pointer.has_pointers || !pointer.place) return;
    const std::size_t buffer = pointer.place->buffer;
    if (first_address_in(from_.launch, buffer) < from_.launch.buffers[buffer].before.size()) return;
    made_.notes.push_back(fmt::format(
        "'{}' points to pointers, or to structs with pointers. They keep the addresses that they had in the "
        "program, so a kernel that follows them fails or has other outputs.",
        pointer.name));
  }

  void note_buffer(const DraftedBuffer& drafted, bool changed) {
    if (!drafted.is_constant && !changed) {
      made_.notes.push_back(
          fmt::format("The launch did not change '{}'. If it is an output, a kernel that writes nothing "
                      "passes the check: "
                      "capture a launch that changes it. If it is an input, make it kind = \"in\".",
                      drafted.name));
    }
    if (!drafted.bytes_of.empty() && !drafted.is_constant) {
      made_.notes.push_back(fmt::format(
          "The elements of '{}' are compared as bytes, so numbers with another rounding count as wrong.",
          drafted.name));
    }
    const std::size_t address = first_address_in(from_.launch, drafted.buffer);
    if (address == from_.launch.buffers[drafted.buffer].before.size()) return;
    made_.notes.push_back(fmt::format(
        "'{}' has addresses of captured memory, the first at byte {}. A definition does not adapt "
        "them, so a kernel that follows them fails or has other outputs.",
        drafted.name, address));
  }

  // `file` has the same elements, if it is not empty.
  void add_expected(const DraftedBuffer& drafted, std::string_view after, std::string file) {
    if (file.empty()) {
      file = drafted.name + ".after.npy";
      made_.files.push_back({file, drafted.type, after});
    }
    made_.expected.emplace_back(drafted.name, file);
  }

  // The elements of variables are bytes: their type matters to no comparison.
  void add_variable(const CapturedBuffer& buffer) {
    const std::optional<std::string> name = plain_name(buffer.variable);
    if (!name) note_nested(buffer);
    if (!name || !from_.source.uses(*name) || buffer.before.empty()) return;
    note_changed(*name, buffer);
    bool is_taken = false;
    visit_values(from_.parameters, [&](const MatchedParameter& one) { is_taken |= one.name == *name; });
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

  // The bytes of whole elements. What follows is not compared.
  static std::size_t compared_bytes(const DraftedBuffer& drafted) {
    return static_cast<std::size_t>(drafted.elements) * info(drafted.type).size_bytes;
  }

  // Changes outside of the elements of outputs are not compared.
  void note_other_changes() {
    for (std::size_t i = 0; i < from_.launch.buffers.size(); ++i) {
      const CapturedBuffer& buffer = from_.launch.buffers[i];
      if (!buffer.after || !buffer.variable.empty()) continue;
      const auto drafted =
          std::find_if(from_.buffers.begin(), from_.buffers.end(),
                       [&](const DraftedBuffer& one) { return one.buffer == i && !one.is_constant; });
      const std::size_t end = drafted == from_.buffers.end() ? 0 : compared_bytes(*drafted);
      if (std::string_view(buffer.before).substr(end) == std::string_view(*buffer.after).substr(end))
        continue;
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

CapturedArguments captured_arguments(const ArgumentSource& from, ProblemSizes& sizes) {
  return ArgumentWriter(from, sizes).run();
}

}  // namespace warptune::tuner::drafting
