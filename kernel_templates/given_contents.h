// Contents of buffers that a program gives, instead of those that a definition generates.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fields.h"

namespace warptune::kernel_templates {

struct KernelDefinition;
class KernelInstance;

/// What the file of a buffer is for.
enum class ContentsRole {
  kFirst,     ///< What an input holds before each launch.
  kExpected,  ///< What an output must hold after each launch, within the tolerance.
  kResult     ///< Receives what an output holds, when the program is asked whether that is right.
};

std::string_view to_string(ContentsRole role);
std::optional<ContentsRole> parse_contents_role(std::string_view text);
/// The same, for `model/encoding/json_fields.h`.
inline void parse_text(const std::string& text, std::optional<ContentsRole>& role) {
  role = parse_contents_role(text);
}

/// One buffer. The file has its raw little-endian elements.
struct GivenContents {
  std::string argument;
  ContentsRole role = ContentsRole::kFirst;
  std::string type;  ///< As in definitions: "f32".
  std::filesystem::path file;

  bool operator==(const GivenContents&) const = default;
};

template <model::MaybeConst<GivenContents> Object, class Visit>
void visit_fields(Object& contents, Visit&& visit) {
  visit("argument", contents.argument);
  visit("role", contents.role);
  visit("type", contents.type);
  visit("file", contents.file);
}

/// Lets a definition use the contents. Its hash stays the same, because stored results belong to the kernel
/// and not to its data. Its check becomes `kGiven` or `kJudged` if there are expected values or results. The
/// further cases of `[check]` are dropped, because their sizes do not fit the contents. Throws
/// `base::InputError` in these cases:
/// * Only first contents are given, but the right outputs are in files of the definition.
/// * There is no such buffer, or it is given twice.
/// * First contents are given for something that is not an input, or another role for something that is not
///   an output.
/// * Some outputs have expected values and others do not, or there are both expected values and results.
void use_given_contents(KernelDefinition& definition, const std::vector<GivenContents>& contents);

/// The files with the right outputs, one for each output: those of `[check]`, or those that a program gives.
/// Empty if a program computes or judges the outputs.
std::vector<std::pair<std::string, std::filesystem::path>> expected_files(const KernelDefinition& definition);

/// Whether the contents of a buffer are in a file.
bool reads_files(const KernelDefinition& definition);

/// Throws `base::InputError` if the contents that the definition uses have another type or size than their
/// arguments, and in these cases:
/// * Expected values or results of a program decide what is right, and an input depends on a seed. Its
///   contents must be given, because the program cannot know them.
/// * Files of `[check]` have the right outputs, and the problem is not that of the definition.
void require_contents_fit(const KernelInstance& instance);

/// Writes the elements of a buffer into a file of `ContentsRole::kResult`, which exists. Throws
/// `base::MachineError` if that fails.
void write_result(const std::filesystem::path& file, const std::vector<char>& bytes);

}  // namespace warptune::kernel_templates
