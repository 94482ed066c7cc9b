// Copies the buffers of a program to files in memory. The worker reads them like the data files of a
// definition. It writes results to such files, too.
#include "library/tuning/program_data.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/resolution/sized_arguments.h"
#include "profiling/resident_context.h"

namespace warptune::library::tuning {

using kernel_templates::ContentsRole;

void ProgramData::add(const ProgramBuffer& buffer) {
  MemoryFile file(buffer.bytes);
  if (!buffer.device) {
    file.write(buffer.data);
  } else {
    const profiling::ResidentContext context(*buffer.device);
    const profiling::ResidentContext::Use use(context);
    std::vector<std::byte> bytes(buffer.bytes);
    profiling::copy_to_host(bytes.data(), reinterpret_cast<std::uint64_t>(buffer.data), buffer.bytes);
    file.write(bytes.data());
  }
  keep(buffer.argument, buffer.role, buffer.type, std::move(file));
}

void ProgramData::keep(std::string argument, ContentsRole role, std::string type, MemoryFile file) {
  contents_.push_back({std::move(argument), role, std::move(type), file.path()});
  files_.push_back(std::move(file));
}

void ProgramData::ask(ProgramCheck check, const kernel_templates::KernelInstance& instance) {
  const std::size_t given = contents_.size();
  for (const kernel_templates::ResolvedArgument& argument :
       kernel_templates::resolution::sized_arguments(instance)) {
    if (argument.kind != kernel_templates::ArgumentKind::kOut &&
        argument.kind != kernel_templates::ArgumentKind::kInOut)
      continue;
    keep(argument.name, ContentsRole::kResult, std::string(kernel_templates::info(argument.type).name),
         MemoryFile(static_cast<std::uint64_t>(argument.bytes())));
  }
  if (contents_.size() == given) {
    throw base::InputError(
        fmt::format("{} has no argument of kind out or inout, so there is nothing that the program can check",
                    instance.definition().name));
  }
  check_ = std::move(check);
}

std::optional<std::string> ProgramData::judge() const {
  std::vector<ProgramResult> results;
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    if (contents_[i].role == ContentsRole::kResult)
      results.push_back({contents_[i].argument, contents_[i].type, files_[i].read()});
  }
  const std::optional<std::string> why = check_(results);
  if (!why) return std::nullopt;
  return why->empty() ? "the program's check says that the outputs are wrong"
                      : "the program's check says: " + *why;
}

}  // namespace warptune::library::tuning
