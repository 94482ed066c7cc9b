// Makes a first definition of a kernel from its signature. What the signature does not show is guessed, and a
// person has to check it. Lines with such a guess have a comment.
#include "kernel_templates/inspection/first_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/inspection/kernel_signatures.h"

namespace warptune::kernel_templates::inspection {

namespace {

// A type of C++ as sources write it, and the data type of definitions.
struct WrittenType {
  std::string_view written;
  std::string_view type;
  int elements;  // More than 1 for a vector type.
};
constexpr std::array<WrittenType, 44> kWrittenTypes = {{{"float", "f32", 1},
                                                        {"double", "f64", 1},
                                                        {"__half", "f16", 1},
                                                        {"half", "f16", 1},
                                                        {"__nv_bfloat16", "bf16", 1},
                                                        {"nv_bfloat16", "bf16", 1},
                                                        {"bool", "u8", 1},
                                                        {"char", "i8", 1},
                                                        {"signed char", "i8", 1},
                                                        {"unsigned char", "u8", 1},
                                                        {"int8_t", "i8", 1},
                                                        {"uint8_t", "u8", 1},
                                                        {"short", "i16", 1},
                                                        {"unsigned short", "u16", 1},
                                                        {"int16_t", "i16", 1},
                                                        {"uint16_t", "u16", 1},
                                                        {"int", "i32", 1},
                                                        {"signed int", "i32", 1},
                                                        {"signed", "i32", 1},
                                                        {"unsigned", "u32", 1},
                                                        {"unsigned int", "u32", 1},
                                                        {"uint", "u32", 1},
                                                        {"int32_t", "i32", 1},
                                                        {"uint32_t", "u32", 1},
                                                        {"long", "i64", 1},
                                                        {"long long", "i64", 1},
                                                        {"long long int", "i64", 1},
                                                        {"long int", "i64", 1},
                                                        {"unsigned long", "u64", 1},
                                                        {"unsigned long long", "u64", 1},
                                                        {"unsigned long long int", "u64", 1},
                                                        {"int64_t", "i64", 1},
                                                        {"uint64_t", "u64", 1},
                                                        {"size_t", "u64", 1},
                                                        {"std::size_t", "u64", 1},
                                                        {"ptrdiff_t", "i64", 1},
                                                        {"float2", "f32", 2},
                                                        {"float3", "f32", 3},
                                                        {"float4", "f32", 4},
                                                        {"double2", "f64", 2},
                                                        {"int2", "i32", 2},
                                                        {"int4", "i32", 4},
                                                        {"uint2", "u32", 2},
                                                        {"uint4", "u32", 4}}};

const WrittenType* written_type(std::string_view written) {
  const auto* found = std::find_if(kWrittenTypes.begin(), kWrittenTypes.end(),
                                   [&](const WrittenType& row) { return row.written == written; });
  return found == kWrittenTypes.end() ? nullptr : found;
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Writes the definition of one kernel.
class DefinitionWriter {
 public:
  DefinitionWriter(const KernelSignature& kernel, std::string code, std::string source_name)
      : kernel_(kernel), code_(std::move(code)), source_name_(std::move(source_name)) {
    compiling::add_identifiers(code_, names_);
  }

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
        kernel_.name, kernel_.name, entry, source_name_);
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
    if (!kernel_.is_template) return kernel_.name;
    std::string text;
    for (const WrittenParameter& parameter : kernel_.template_parameters) {
      const bool is_type = parameter.type == "typename" || parameter.type == "class";
      const std::string name = is_type
                                   ? (types_.empty() ? "dtype" : fmt::format("dtype{}", types_.size() + 1))
                                   : unused(upper_case(parameter.name) + "_VALUE");
      text += fmt::format("{}{{{}}}", text.empty() ? "" : ", ", name);
      if (is_type) {
        types_.push_back(name);
        type_names_.push_back(parameter.name);
      } else {
        add_template_value(parameter, name);
      }
    }
    return fmt::format("{}<{}>", kernel_.name, text);
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

  std::string unused(std::string name) const {
    while (names_.contains(name)) name += "_";
    return name;
  }

  // The macro of the block: one that the source uses without defining it, or else a name that does not occur
  // in the source.
  std::string block_name() const {
    if (has_block_) return block_;
    for (const char* name : {"BLOCK_SIZE", "BLOCK", "BLOCKSIZE", "THREADS_PER_BLOCK", "THREADS"}) {
      const bool defined = code_.find(fmt::format("define {}", name)) != std::string::npos;
      const bool declared = code_.find(fmt::format(" {} =", name)) != std::string::npos;
      if (names_.contains(name) && !defined && !declared) return name;
    }
    return unused("BLOCK");
  }

  std::string name_of(std::size_t index) const {
    const std::string& name = kernel_.parameters[index].name;
    return name.empty() ? fmt::format("argument_{}", index + 1) : name;
  }

  // An integer of 32 bits or more becomes a size.
  void add_size(std::size_t index) {
    const WrittenType* type = written_type(kernel_.parameters[index].type);
    const bool wide = type != nullptr && (type->type.ends_with("32") || type->type.ends_with("64"));
    if (!wide || type->type[0] == 'f' || type->elements != 1) return;
    const std::string size = upper_case(name_of(index));
    if (std::find(sizes_.begin(), sizes_.end(), size) == sizes_.end()) sizes_.push_back(size);
  }

  std::string argument_text(std::size_t index, const std::string& elements) const {
    const std::string name = name_of(index);
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
    type.pop_back();
    const bool constant = type.starts_with("const ") || type.ends_with("const");
    if (type.starts_with("const ")) type.erase(0, 6);
    if (type.ends_with("const")) type.erase(type.size() - 5);
    type = std::string(base::trim(type));
    if (type.find('*') != std::string::npos)
      throw base::InputError(fmt::format(
          "'{}' of {} is a pointer to pointers, which a definition cannot pass", name, kernel_.name));
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
    if (known.empty() || (written != nullptr && written->elements != 1))
      throw base::InputError(
          fmt::format("'{}' of {} has the type '{}', which a definition cannot pass; "
                      "expected a number or a pointer",
                      name, kernel_.name, type));
    const bool is_size = std::find(sizes_.begin(), sizes_.end(), upper_case(name)) != sizes_.end();
    return fmt::format("[[argument]]\nname = \"{}\"\nkind = \"scalar\"\ntype = \"{}\"\nvalue = \"{}\"{}\n\n",
                       name, known, is_size ? upper_case(name) : "1", is_size ? "" : "  # the value to pass");
  }

  const KernelSignature& kernel_;
  std::string code_;
  std::string source_name_;
  std::unordered_set<std::string> names_;
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
  const std::string file = source.string();
  const std::string code = base::read_file(source);
  if (!compiling::split_source(code, file).description.empty())
    throw base::InputError("the source has a tuning description already", {file, 1, 1});
  const std::vector<KernelSignature> kernels = kernel_signatures(code);
  std::vector<std::string> known;
  known.reserve(kernels.size());
  for (const KernelSignature& kernel : kernels) known.push_back(kernel.name);
  if (kernels.empty()) throw base::InputError("expected a __global__ function, found none", {file, 0, 0});
  if (!entry && kernels.size() > 1)
    throw base::InputError(
        fmt::format("there are several kernels: choose one with --entry: {}", fmt::join(known, ", ")),
        {file, 0, 0});
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const KernelSignature& kernel) {
    return !entry || kernel.name == *entry;
  });
  if (found == kernels.end())
    throw base::InputError(fmt::format("there is no kernel '{}'{}; the kernels are {}", *entry,
                                       base::did_you_mean(*entry, known), fmt::join(known, ", ")),
                           {file, 0, 0});
  if (found->parameters.empty())
    throw base::InputError(
        fmt::format("{} has no parameters, but a definition needs an argument", found->name),
        {file, found->line, 0});
  return DefinitionWriter(*found, code, source.filename().string()).run();
}

}  // namespace warptune::kernel_templates::inspection
