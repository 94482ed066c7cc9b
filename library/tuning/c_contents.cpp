// Converts the contents and the check of the C interface to the types of `ProgramData`.
#include "library/tuning/c_contents.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel_templates/data_type.h"

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

ProgramBuffer buffer_of(const warptune_contents& one, int ordinal) {
  if (one.argument == nullptr || (one.data == nullptr && one.bytes > 0))
    throw base::InputError("expected the name of an argument and its contents, found null");
  ProgramBuffer buffer{one.argument, role_of(one), type_name(one.type, one.argument), one.data, one.bytes};
  if (one.memory == WARPTUNE_DEVICE_MEMORY) {
    buffer.device = ordinal;
  } else if (one.memory != WARPTUNE_HOST_MEMORY) {
    throw base::InputError(fmt::format("argument '{}': unknown kind of memory {}", one.argument, one.memory));
  }
  return buffer;
}

std::optional<std::string> ask(warptune_check check, void* context,
                               const std::vector<ProgramResult>& results) {
  std::vector<warptune_result> passed;
  passed.reserve(results.size());
  for (const ProgramResult& result : results) {
    const auto type = static_cast<std::int32_t>(*kernel_templates::parse_data_type(result.type));
    passed.push_back({result.argument.c_str(), type, 0, result.bytes.data(), result.bytes.size()});
  }
  std::array<char, kReasonBytes> reason{};
  const std::int32_t answer = check(context, passed.data(), passed.size(), reason.data(), reason.size() - 1);
  if (answer == WARPTUNE_CHECK_RIGHT) return std::nullopt;
  if (answer == WARPTUNE_CHECK_WRONG)
    return std::string(reason.data(), ::strnlen(reason.data(), reason.size()));
  throw base::WorkError("the program's check has ended the tuning");
}

}  // namespace

void add_contents(ProgramData& data, const warptune_tuning_options& options, int ordinal) {
  if (options.contents == nullptr && options.contents_count > 0)
    throw base::InputError("expected contents of buffers, found null");
  for (std::size_t i = 0; i < options.contents_count; ++i) data.add(buffer_of(options.contents[i], ordinal));
}

ProgramCheck check_of(const warptune_tuning_options& options) {
  return [check = options.check, context = options.check_context](const std::vector<ProgramResult>& results) {
    return ask(check, context, results);
  };
}

}  // namespace warptune::library::tuning
