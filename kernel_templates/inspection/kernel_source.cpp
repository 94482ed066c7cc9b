#include "kernel_templates/inspection/kernel_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::inspection {

namespace {

KernelSignature chosen_kernel(const std::string& code, const std::string& file,
                              const std::optional<std::string>& entry) {
  if (!compiling::split_source(code, file).description.empty())
    throw base::InputError("the source has a tuning description already", {file, 1, 1});
  const std::vector<KernelSignature> kernels = kernel_signatures(code);
  std::vector<std::string> known;
  known.reserve(kernels.size());
  for (const KernelSignature& kernel : kernels) known.push_back(kernel.full_name());
  if (kernels.empty()) throw base::InputError("expected a __global__ function, found none", {file, 0, 0});
  if (!entry && kernels.size() > 1)
    throw base::InputError(
        fmt::format("there are several kernels: choose one with --entry: {}", fmt::join(known, ", ")),
        {file, 0, 0});
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const KernelSignature& kernel) {
    return !entry || kernel.full_name() == *entry || kernel.name == *entry;
  });
  if (found == kernels.end())
    throw base::InputError(fmt::format("there is no kernel '{}'{}; the kernels are {}", *entry,
                                       base::did_you_mean(*entry, known), fmt::join(known, ", ")),
                           {file, 0, 0});
  if (found->parameters.empty())
    throw base::InputError(
        fmt::format("{} has no parameters, but a definition needs an argument", found->name),
        {file, found->line, 0});
  return *found;
}

}  // namespace

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

KernelSource::KernelSource(const std::filesystem::path& source, const std::optional<std::string>& entry)
    : path_(source), code_(base::read_file(source)), kernel_(chosen_kernel(code_, source.string(), entry)) {
  compiling::add_identifiers(code_, names_);
}

std::string KernelSource::parameter_name(std::size_t index) const {
  const std::string& name = kernel_.parameters[index].name;
  return name.empty() ? fmt::format("argument_{}", index + 1) : name;
}

bool KernelSource::has_extent(std::int64_t extent) const {
  return code_.find(fmt::format("[{}]", extent)) != std::string::npos;
}

std::string KernelSource::unused(std::string name) const {
  while (uses(name)) name += "_";
  return name;
}

std::string KernelSource::block_macro() const {
  for (const char* name : {"BLOCK_SIZE", "BLOCK", "BLOCKSIZE", "THREADS_PER_BLOCK", "THREADS"}) {
    const bool defined = code_.find(fmt::format("define {}", name)) != std::string::npos;
    const bool declared = code_.find(fmt::format(" {} =", name)) != std::string::npos;
    if (uses(name) && !defined && !declared) return name;
  }
  return unused("BLOCK");
}

void KernelSource::refuse_type(const std::string& name, const std::string& type) const {
  throw base::InputError(fmt::format(
      "'{}' of {} has the type '{}', which a definition cannot pass; expected a number or a pointer", name,
      kernel_.name, type));
}

void KernelSource::refuse_pointer_to_pointers(const std::string& name) const {
  throw base::InputError(
      fmt::format("'{}' of {} is a pointer to pointers, which a definition cannot pass", name, kernel_.name));
}

}  // namespace warptune::kernel_templates::inspection
