// The buffers of a program become files in memory, which the worker reads as the data files of a definition.
// Results come back through such files, too.
#include "library/tuning/program_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/resolution/sized_arguments.h"
#include "profiling/gpu.h"
#include "profiling/resident_context.h"

namespace warptune::library::tuning {

using kernel_templates::ContentsRole;

namespace {

constexpr std::size_t kReasonBytes = 1024;

std::string type_name(std::int32_t type, const std::string& argument) {
  const auto& types = kernel_templates::data_types();
  if (type < 0 || static_cast<std::size_t>(type) >= types.size())
    throw base::InputError(fmt::format("argument '{}': unknown type {}", argument, type));
  return std::string(types[static_cast<std::size_t>(type)].name);
}

ContentsRole role_of(const warptune_contents& one) {
  if (one.role == WARPTUNE_CONTENTS_FIRST) return ContentsRole::kFirst;
  if (one.role == WARPTUNE_CONTENTS_EXPECTED) return ContentsRole::kExpected;
  throw base::InputError(
      fmt::format("argument '{}': unknown role {} of its contents", one.argument, one.role));
}

}  // namespace

ProgramData::ProgramData(const warptune_tuning_options& options,
                         const kernel_templates::KernelDefinition& definition,
                         const model::NamedValues& problem, int ordinal)
    : check_(options.recording == nullptr ? options.check : nullptr), check_context_(options.check_context) {
  if (options.contents == nullptr && options.contents_count > 0)
    throw base::InputError("expected contents of buffers, found null");
  for (std::size_t i = 0; i < options.contents_count; ++i) copy(options.contents[i], ordinal);
  if (check_ != nullptr) add_results({definition, problem, profiling::local_gpu(ordinal)});
}

void ProgramData::copy(const warptune_contents& one, int ordinal) {
  if (one.argument == nullptr || (one.data == nullptr && one.bytes > 0))
    throw base::InputError("expected the name of an argument and its contents, found null");
  std::string type = type_name(one.type, one.argument);
  const ContentsRole role = role_of(one);
  MemoryFile file(one.bytes);
  if (one.memory == WARPTUNE_HOST_MEMORY) {
    file.write(one.data);
  } else if (one.memory == WARPTUNE_DEVICE_MEMORY) {
    const profiling::ResidentContext context(ordinal);
    const profiling::ResidentContext::Use use(context);
    std::vector<std::byte> bytes(one.bytes);
    profiling::copy_to_host(bytes.data(), reinterpret_cast<std::uint64_t>(one.data), one.bytes);
    file.write(bytes.data());
  } else {
    throw base::InputError(fmt::format("argument '{}': unknown kind of memory {}", one.argument, one.memory));
  }
  contents_.push_back({one.argument, role, std::move(type), file.path()});
  files_.push_back(std::move(file));
}

void ProgramData::add_results(const kernel_templates::KernelInstance& instance) {
  for (const kernel_templates::ResolvedArgument& argument :
       kernel_templates::resolution::sized_arguments(instance)) {
    if (argument.kind != kernel_templates::ArgumentKind::kOut &&
        argument.kind != kernel_templates::ArgumentKind::kInOut)
      continue;
    MemoryFile file(static_cast<std::uint64_t>(argument.bytes()));
    contents_.push_back({argument.name, ContentsRole::kResult,
                         std::string(kernel_templates::info(argument.type).name), file.path()});
    files_.push_back(std::move(file));
  }
  const bool any = std::any_of(contents_.begin(), contents_.end(),
                               [](const auto& one) { return one.role == ContentsRole::kResult; });
  if (!any) {
    throw base::InputError(fmt::format(
        "{} has no argument of kind out or inout, so a check of the program has nothing to look at",
        instance.definition().name));
  }
}

std::optional<std::string> ProgramData::judge() const {
  std::vector<std::vector<std::byte>> held;
  std::vector<warptune_result> results;
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    if (contents_[i].role != ContentsRole::kResult) continue;
    const std::vector<std::byte>& bytes = held.emplace_back(files_[i].read());
    const auto type = static_cast<std::int32_t>(*kernel_templates::parse_data_type(contents_[i].type));
    results.push_back({contents_[i].argument.c_str(), type, 0, bytes.data(), bytes.size()});
  }
  std::array<char, kReasonBytes> reason{};
  const std::int32_t answer =
      check_(check_context_, results.data(), results.size(), reason.data(), reason.size() - 1);
  if (answer == WARPTUNE_CHECK_RIGHT) return std::nullopt;
  if (answer == WARPTUNE_CHECK_WRONG) {
    const std::string why(reason.data(), ::strnlen(reason.data(), reason.size()));
    return why.empty() ? "the program's check says that the outputs are wrong"
                       : "the program's check says: " + why;
  }
  throw base::WorkError("the program's check has ended the tuning");
}

}  // namespace warptune::library::tuning
