#include "kernel_templates/inspection/structs/struct_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "kernel_templates/data_type.h"
#include "kernel_templates/inspection/kernel_signatures.h"
#include "kernel_templates/inspection/written_types.h"

namespace warptune::kernel_templates::inspection::structs {

namespace {

constexpr std::uint32_t kPointerBytes = 8;
constexpr std::uint32_t kMaxArrayElements = 1024;

std::uint32_t rounded_up(std::uint32_t bytes, std::uint32_t unit) { return (bytes + unit - 1) / unit * unit; }

// The alignment of a vector type of CUDA: its size, at most 16 bytes. With three elements, it is that
// of one element (CUDA C++ Programming Guide, "Built-in Vector Types").
std::uint32_t alignment_of(const WrittenType& type, std::uint32_t element_bytes) {
  constexpr std::uint32_t kMaxAlignment = 16;
  const auto elements = static_cast<std::uint32_t>(type.elements);
  return elements == 3 ? element_bytes : std::min(elements * element_bytes, kMaxAlignment);
}

class LayoutReader {
 public:
  explicit LayoutReader(const std::vector<CodeToken>& tokens) : tokens_(tokens) {}

  // Reads the members between the brackets at `open` and `close`.
  std::optional<StructLayout> run(std::size_t open, std::size_t close) {
    std::size_t begin = open + 1;
    for (std::size_t i = begin; i < close; ++i) {
      if (tokens_[i].text != ";") continue;
      if (!add_statement(begin, i)) return std::nullopt;
      begin = i + 1;
    }
    if (begin != close || layout_.members.empty()) return std::nullopt;
    layout_.bytes = rounded_up(layout_.bytes, alignment_);
    return layout_;
  }

 private:
  // `float x, y;`: the later names have the type of the first one, which must not be a pointer then.
  bool add_statement(std::size_t begin, std::size_t end) {
    constexpr std::string_view kForbidden = "(){}:<>&";
    for (std::size_t i = begin; i < end; ++i) {
      const std::string& text = tokens_[i].text;
      if (text == "static" || text == "using" || text == "typedef" || text == "alignas" ||
          (text.size() == 1 && kForbidden.find(text) != std::string_view::npos))
        return false;
    }
    std::string type;
    for (std::size_t i = begin; i <= end; ++i) {
      if (i < end && tokens_[i].text != ",") continue;
      if (!add_declaration(begin, i, type)) return false;
      begin = i + 1;
    }
    return true;
  }

  bool add_declaration(std::size_t begin, std::size_t end, std::string& type) {
    end = std::min(end, find("=", begin, end));
    const std::size_t array = find("[", begin, end);
    std::uint32_t elements = 1;
    if (array < end && !read_length(array, end, elements)) return false;
    std::string name;
    if (type.empty()) {
      const WrittenParameter written = written_parameter(tokens_, begin, array);
      type = written.type;
      name = written.name;
    } else if (array == begin + 1 && is_word(tokens_[begin].text) && !type.ends_with('*')) {
      name = tokens_[begin].text;
    }
    return !name.empty() && add_members(type, name, elements, array < end);
  }

  std::size_t find(std::string_view text, std::size_t begin, std::size_t end) const {
    while (begin < end && tokens_[begin].text != text) ++begin;
    return begin;
  }

  // `[4]` and nothing else.
  bool read_length(std::size_t array, std::size_t end, std::uint32_t& elements) const {
    if (array + 3 != end || tokens_[array + 2].text != "]") return false;
    const std::string& text = tokens_[array + 1].text;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), elements);
    return error == std::errc() && rest == text.data() + text.size() && elements >= 1 &&
           elements <= kMaxArrayElements;
  }

  bool add_members(const std::string& type, const std::string& name, std::uint32_t elements, bool is_array) {
    if (type.ends_with('*')) {
      add(type, name, kPointerBytes, kPointerBytes, elements, is_array);
      return true;
    }
    const WrittenType* known = written_type(type);
    if (known == nullptr) return false;
    const auto bytes = static_cast<std::uint32_t>(info(*parse_data_type(known->type)).size_bytes);
    if (known->elements == 1) {
      add(type, name, bytes, bytes, elements, is_array);
      return true;
    }
    const std::string element(info(*parse_data_type(known->type)).cuda_name);
    for (std::uint32_t i = 0; i < elements; ++i)
      add(element, is_array ? fmt::format("{}_{}", name, i) : name, bytes, alignment_of(*known, bytes),
          static_cast<std::uint32_t>(known->elements), true);
    return true;
  }

  void add(const std::string& type, const std::string& name, std::uint32_t bytes, std::uint32_t alignment,
           std::uint32_t elements, bool is_array) {
    layout_.bytes = rounded_up(layout_.bytes, alignment);
    alignment_ = std::max(alignment_, alignment);
    for (std::uint32_t i = 0; i < elements; ++i) {
      layout_.members.push_back({type, is_array ? fmt::format("{}_{}", name, i) : name, layout_.bytes});
      layout_.bytes += bytes;
    }
  }

  const std::vector<CodeToken>& tokens_;
  StructLayout layout_;
  std::uint32_t alignment_ = 1;
};

// Whether one of the lines from `first` to `last` begins with `#`.
bool has_preprocessor_line(std::string_view code, int first, int last) {
  int line = 1;
  bool is_begin = true;
  for (const char c : code) {
    if (is_begin && c == '#' && line >= first && line <= last) return true;
    is_begin = c == '\n' || (is_begin && (c == ' ' || c == '\t'));
    line += c == '\n' ? 1 : 0;
  }
  return false;
}

// `Params` of `struct ns::Params` and of `const Params`.
std::string_view last_name(std::string_view type) {
  const std::size_t blank = type.find_last_of(" :");
  return blank == std::string_view::npos ? type : type.substr(blank + 1);
}

}  // namespace

bool has_pointers(const StructLayout& layout) {
  return std::any_of(layout.members.begin(), layout.members.end(),
                     [](const StructMember& member) { return member.type.ends_with('*'); });
}

std::optional<StructLayout> struct_layout(std::string_view code, std::string_view type) {
  const std::string_view name = last_name(type);
  const std::vector<CodeToken> tokens = code_tokens(code);
  std::optional<StructLayout> found;
  bool is_defined = false;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool begins = tokens[i].text == "struct" || tokens[i].text == "class";
    if (!begins || tokens[i + 1].text != name || tokens[i + 2].text == ";") continue;
    if (tokens[i + 2].text != "{") {
      if (tokens[i + 2].text == ":") return std::nullopt;  // It has base classes.
      continue;
    }
    const bool is_template = i > 0 && tokens[i - 1].text == ">";
    if (is_defined || is_template) return std::nullopt;
    is_defined = true;
    const std::size_t close = closing_of(tokens, i + 2);
    if (close == tokens.size() || has_preprocessor_line(code, tokens[i].line, tokens[close].line))
      return std::nullopt;
    found = LayoutReader(tokens).run(i + 2, close);
  }
  return found;
}

}  // namespace warptune::kernel_templates::inspection::structs
