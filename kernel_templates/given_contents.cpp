// Contents of buffers that a program gives.
//
// They become the initialiser of their argument, as a file of `[[argument]]` does. The definition itself is
// not read again, and its hash is not computed again.
#include "kernel_templates/given_contents.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/definition/data_file.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/resolution/sized_arguments.h"

namespace warptune::kernel_templates {

namespace {

constexpr std::array<std::pair<ContentsRole, std::string_view>, 3> kRoles{
    {{ContentsRole::kFirst, "first"},
     {ContentsRole::kExpected, "expected"},
     {ContentsRole::kResult, "result"}}};

bool is_given_output(const Argument& argument) {
  return argument.kind == ArgumentKind::kOut || argument.kind == ArgumentKind::kInOut;
}

bool is_given_input(const Argument& argument) {
  return argument.kind == ArgumentKind::kIn || argument.kind == ArgumentKind::kInOut;
}

Argument& argument_of(KernelDefinition& definition, const std::string& name) {
  std::vector<std::string> names;
  for (Argument& argument : definition.arguments) {
    if (argument.name == name) return argument;
    names.push_back(argument.name);
  }
  throw base::InputError(fmt::format("{} has no argument '{}'{}; its arguments are {}", definition.name, name,
                                     base::did_you_mean(name, names), fmt::join(names, ", ")));
}

void require_role(const KernelDefinition& definition, const Argument& argument, ContentsRole role) {
  const bool is_first = role == ContentsRole::kFirst;
  if (is_first ? is_given_input(argument) : is_given_output(argument)) return;
  throw base::InputError(fmt::format(
      "{}: argument '{}' cannot have {}: expected an argument of kind {} or inout", definition.name,
      argument.name, is_first ? "first contents" : "expected values", is_first ? "in" : "out"));
}

// The outputs that have contents of a role. Throws if some have and others do not.
std::size_t outputs_with(const KernelDefinition& definition, const std::vector<GivenContents>& contents,
                         ContentsRole role) {
  std::size_t count = 0;
  std::vector<std::string> missing;
  for (const Argument& argument : definition.arguments) {
    if (!is_given_output(argument)) continue;
    const bool is_given = std::any_of(contents.begin(), contents.end(), [&](const GivenContents& one) {
      return one.role == role && one.argument == argument.name;
    });
    if (is_given) {
      ++count;
    } else {
      missing.push_back(argument.name);
    }
  }
  if (count > 0 && !missing.empty()) {
    throw base::InputError(fmt::format("{}: expected values are missing for {}; give them for every output",
                                       definition.name, fmt::join(missing, ", ")));
  }
  return count;
}

}  // namespace

std::string_view to_string(ContentsRole role) { return kRoles[static_cast<std::size_t>(role)].second; }

std::optional<ContentsRole> parse_contents_role(std::string_view text) {
  for (const auto& [role, name] : kRoles) {
    if (name == text) return role;
  }
  return std::nullopt;
}

void use_given_contents(KernelDefinition& definition, const std::vector<GivenContents>& contents) {
  if (contents.empty()) return;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const GivenContents& one = contents[i];
    Argument& argument = argument_of(definition, one.argument);
    require_role(definition, argument, one.role);
    const bool is_again = std::any_of(
        contents.begin(), contents.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const auto& other) { return other.argument == one.argument && other.role == one.role; });
    if (is_again)
      throw base::InputError(fmt::format("{}: argument '{}' is given twice", definition.name, argument.name));
    if (one.role != ContentsRole::kFirst) continue;
    argument.init = Initialiser();
    argument.init.kind = InitialiserKind::kFile;
    argument.init.path = one.file;
  }
  const bool has_expected = outputs_with(definition, contents, ContentsRole::kExpected) > 0;
  const bool has_results = outputs_with(definition, contents, ContentsRole::kResult) > 0;
  if (has_expected && has_results) {
    throw base::InputError(
        fmt::format("{}: expected values and a check by the program exclude each other; give one of them",
                    definition.name));
  }
  if (!has_expected && !has_results && definition.check.reference == ReferenceKind::kFile) {
    throw base::InputError(
        fmt::format("{}: the files of [check] are right only for the definition's own inputs; give expected "
                    "values or a check by the program, too",
                    definition.name));
  }
  if (has_expected) definition.check.reference = ReferenceKind::kGiven;
  if (has_results) definition.check.reference = ReferenceKind::kJudged;
  definition.check.cases.clear();
  definition.given = contents;
}

std::vector<std::pair<std::string, std::filesystem::path>> expected_files(
    const KernelDefinition& definition) {
  if (definition.check.reference == ReferenceKind::kFile) return definition.check.files;
  std::vector<std::pair<std::string, std::filesystem::path>> files;
  for (const GivenContents& one : definition.given) {
    if (one.role == ContentsRole::kExpected) files.emplace_back(one.argument, one.file);
  }
  return files;
}

bool reads_files(const KernelDefinition& definition) {
  return !definition.given.empty() || definition.check.reference == ReferenceKind::kFile ||
         std::any_of(definition.arguments.begin(), definition.arguments.end(),
                     [](const Argument& argument) { return argument.init.kind == InitialiserKind::kFile; });
}

namespace {

// The files that the definition names. Those with the right outputs hold for its own problem only.
void require_own_files_fit(const KernelInstance& instance) {
  const KernelDefinition& definition = instance.definition();
  const Check& check = definition.check;
  if (check.reference == ReferenceKind::kFile && instance.problem() != definition.problem) {
    throw base::InputError(
        fmt::format("the files of [check] have the right outputs for {}, found {}; other sizes or types need "
                    "another reference",
                    model::to_text(definition.problem), model::to_text(instance.problem())),
        check.position);
  }
  for (ResolvedArgument argument : resolution::sized_arguments(instance)) {
    if (argument.init.kind == InitialiserKind::kFile) definition::require_data_file_fits(argument);
    for (const auto& [output, file] : check.files) {
      if (output != argument.name) continue;
      argument.init.path = file;
      definition::require_data_file_fits(argument);
    }
  }
}

}  // namespace

void require_contents_fit(const KernelInstance& instance) {
  const KernelDefinition& definition = instance.definition();
  if (!reads_files(definition)) return;
  if (definition.given.empty()) return require_own_files_fit(instance);
  for (const ResolvedArgument& argument : resolution::sized_arguments(instance)) {
    for (const GivenContents& one : definition.given) {
      if (one.argument != argument.name) continue;
      if (one.type != info(argument.type).name) {
        throw base::InputError(fmt::format("{}: argument '{}' has elements of type {}, found {}",
                                           definition.name, argument.name, info(argument.type).name,
                                           one.type));
      }
      std::error_code error;
      const std::uintmax_t bytes = std::filesystem::file_size(one.file, error);
      if (error || bytes != static_cast<std::uintmax_t>(argument.bytes())) {
        throw base::InputError(fmt::format("{}: argument '{}' has {} bytes ({} x {}) for {}, found {}",
                                           definition.name, argument.name, argument.bytes(), argument.count,
                                           info(argument.type).name, model::to_text(instance.problem()),
                                           error ? error.message() : std::to_string(bytes)));
      }
    }
    const bool is_input = argument.kind == ArgumentKind::kIn || argument.kind == ArgumentKind::kInOut;
    if (instance.has_reference() && !instance.compiles_reference() && is_input &&
        depends_on_seed(argument.init)) {
      throw base::InputError(fmt::format(
          "{}: the contents of argument '{}' are random; give those for which the expected values "
          "or the check of the program hold",
          definition.name, argument.name));
    }
  }
}

void write_result(const std::filesystem::path& file, const std::vector<char>& bytes) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  std::size_t written = 0;
  bool fails = descriptor < 0;
  while (!fails && written < bytes.size()) {
    const ssize_t count =
        ::pwrite(descriptor, bytes.data() + written, bytes.size() - written, static_cast<off_t>(written));
    if (count > 0) written += static_cast<std::size_t>(count);
    fails = count == 0 || (count < 0 && errno != EINTR);
  }
  const int reason = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (fails) {
    throw base::MachineError(
        fmt::format("the results cannot be passed to the program: {}", std::strerror(reason)),
        "make room in memory");
  }
}

}  // namespace warptune::kernel_templates
