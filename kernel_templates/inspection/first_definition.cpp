// Makes a first definition of a kernel from its signature. What the signature does not show is guessed, and a
// person has to check it. Lines with such a guess have a comment.
#include "kernel_templates/inspection/first_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel_templates/inspection/kernel_signatures.h"
#include "kernel_templates/inspection/kernel_source.h"
#include "kernel_templates/inspection/written_types.h"

namespace warptune::kernel_templates::inspection {

namespace {

// Writes the definition of one kernel.
class DefinitionWriter {
 public:
  explicit DefinitionWriter(const KernelSource& source) : source_(source), kernel_(source.kernel()) {}

  std::string run() {
    const std::string entry = entry_text();
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) add_size(i);
    if (sizes_.empty()) sizes_.emplace_back("N");
    std::string elements;
    for (const std::string& size : sizes_) elements += (elements.empty() ? "" : " * ") + size;
    std::string arguments;
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) arguments += argument_text(i, elements);
    const std::string block = block_name();
    std::string text = fmt::format(
        "# A first definition of {}. Look at the lines with a comment, and change what they guess.\n"
        "[kernel]\nname = \"{}\"\nentry = \"{}\"\nsource = \"{}\"\n\n[problem]\n",
        kernel_.name, kernel_.name, entry, source_.file_name());
    for (const std::string& size : sizes_)
      text += fmt::format("{} = {}  # a size that you use\n", size, usual_size());
    for (const std::string& type : types_) text += fmt::format("{} = \"f32\"\n", type);
    text += "\n[parameters]\n" + parameters_;
    if (!has_block_)
      text += fmt::format("{} = {{ values = [64, 128, 256, 512], description = \"threads per block\" }}\n",
                          block);
    text += "\n[default]\n" + defaults_ + (has_block_ ? "" : fmt::format("{} = 256\n", block));
    text += fmt::format(
        "\n[launch]\n# one thread for each element; kernels with rows or tiles need another grid\n"
        "grid = [\"ceil_div({}, {})\"]\nblock = [\"{}\"]\n\n{}"
        "[check]\n# the default is the reference; an entry or an expression of your own is a better one\n"
        "reference = \"configuration\"\n",
        elements, block, block, arguments);
    return text;
  }

 private:
  std::int64_t usual_size() const {
    return sizes_.size() == 1 ? 1 << 20 : sizes_.size() == 2 ? 1 << 10 : 1 << 7;
  }

  // The entry with its template arguments. A macro of a parameter must not have the name of a template
  // parameter, because the macro would replace that name.
  std::string entry_text() {
    if (!kernel_.is_template) return kernel_.full_name();
    std::string text;
    for (const WrittenParameter& parameter : kernel_.template_parameters) {
      const bool is_type = parameter.type == "typename" || parameter.type == "class";
      const std::string name = is_type
                                   ? (types_.empty() ? "dtype" : fmt::format("dtype{}", types_.size() + 1))
                                   : source_.unused(upper_case(parameter.name) + "_VALUE");
      text += fmt::format("{}{{{}}}", text.empty() ? "" : ", ", name);
      if (is_type) {
        types_.push_back(name);
        type_names_.push_back(parameter.name);
      } else {
        add_template_value(parameter, name);
      }
    }
    return fmt::format("{}<{}>", kernel_.full_name(), text);
  }

  void add_template_value(const WrittenParameter& parameter, const std::string& name) {
    const std::string upper = upper_case(parameter.name);
    const bool block = !has_block_ && (upper.find("BLOCK") != std::string::npos ||
                                       upper.find("THREADS") != std::string::npos);
    if (parameter.type == "bool") {
      parameters_ += fmt::format("{} = [false, true]\n", name);
      defaults_ += fmt::format("{} = false\n", name);
    } else if (block) {
      parameters_ += fmt::format("{} = [64, 128, 256, 512]  # treated as the threads per block\n", name);
      defaults_ += fmt::format("{} = 256\n", name);
      block_ = name;
      has_block_ = true;
    } else {
      parameters_ += fmt::format("{} = [1, 2, 4]  # values that the kernel allows\n", name);
      defaults_ += fmt::format("{} = 1\n", name);
    }
  }

  std::string block_name() const { return has_block_ ? block_ : source_.block_macro(); }

  // An integer of 32 bits or more becomes a size.
  void add_size(std::size_t index) {
    const WrittenType* type = written_type(kernel_.parameters[index].type);
    if (type == nullptr || !is_size(*type)) return;
    const std::string size = upper_case(source_.parameter_name(index));
    if (std::find(sizes_.begin(), sizes_.end(), size) == sizes_.end()) sizes_.push_back(size);
  }

  std::string argument_text(std::size_t index, const std::string& elements) const {
    const std::string name = source_.parameter_name(index);
    const std::string& type = kernel_.parameters[index].type;
    return type.ends_with('*') ? buffer_text(name, type, elements) : scalar_text(name, type);
  }

  // The data type of a written type, or the problem entry of a template's type. Empty if there is none.
  std::string type_text(const std::string& written) const {
    for (std::size_t i = 0; i < type_names_.size(); ++i) {
      if (type_names_[i] == written) return types_[i];
    }
    const WrittenType* type = written_type(written);
    return type == nullptr ? "" : std::string(type->type);
  }

  std::string buffer_text(const std::string& name, std::string type, const std::string& elements) const {
    const PointedType pointee = pointed_type(type);
    const bool constant = pointee.is_constant;
    type = pointee.type;
    if (type.find('*') != std::string::npos) source_.refuse_pointer_to_pointers(name);
    const WrittenType* written = written_type(type);
    const std::string known = type_text(type);
    const int per_element = written == nullptr ? 1 : written->elements;
    std::string count = elements;
    if (known.empty()) {
      count = fmt::format("64 * {}", elements);
    } else if (per_element > 1) {
      count = fmt::format("{} * {}", per_element, elements);
    }
    return fmt::format(
        "[[argument]]\nname = \"{}\"\nkind = \"{}\"{}\ntype = \"{}\"{}\ncount = \"{}\"  # elements\n\n", name,
        constant ? "in" : "inout", constant ? "" : "  # \"out\" if the kernel only writes it",
        known.empty() ? "u8" : known, known.empty() ? fmt::format("  # bytes of '{}'", type) : "", count);
  }

  std::string scalar_text(const std::string& name, const std::string& type) const {
    const std::string known = type_text(type);
    const WrittenType* written = written_type(type);
    if (known.empty() || (written != nullptr && written->elements != 1)) source_.refuse_type(name, type);
    const bool is_named = std::find(sizes_.begin(), sizes_.end(), upper_case(name)) != sizes_.end();
    return fmt::format("[[argument]]\nname = \"{}\"\nkind = \"scalar\"\ntype = \"{}\"\nvalue = \"{}\"{}\n\n",
                       name, known, is_named ? upper_case(name) : "1",
                       is_named ? "" : "  # the value to pass");
  }

  const KernelSource& source_;
  const KernelSignature& kernel_;
  std::vector<std::string> sizes_;
  std::vector<std::string> types_;       ///< Problem entries that name types.
  std::vector<std::string> type_names_;  ///< The template parameters that they stand for.
  std::string parameters_;
  std::string defaults_;
  std::string block_;
  bool has_block_ = false;
};

}  // namespace

std::string first_definition(const std::filesystem::path& source, const std::optional<std::string>& entry) {
  const KernelSource kernel(source, entry);
  return DefinitionWriter(kernel).run();
}

}  // namespace warptune::kernel_templates::inspection
