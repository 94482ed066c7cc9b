// A first definition of a kernel, from its source and a captured launch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/data_type.h"
#include "profiling/captures/captured_launch.h"

namespace warptune::tuner::drafting {

/// A `.npy` file with the contents of a buffer.
struct ContentsFile {
  std::string name;
  kernel_templates::DataType type = kernel_templates::DataType::kU8;
  std::string_view elements;  ///< Within the captured launch.
};

/// A definition and the files that it names.
struct CapturedDefinition {
  std::string text;                 ///< The TOML.
  std::vector<ContentsFile> files;  ///< In the folder that the text names.
  std::vector<std::string> notes;   ///< What a person has to know, as sentences.

  std::uint64_t contents_bytes() const;
};

/// Makes a definition of the captured kernel for a `.toml` file beside `source`. It has these parts:
/// * sizes: integers that explain the lengths of buffers or the grid;
/// * parameters: the block and the arguments of the template, with the captured ones as the default;
/// * arguments: with the captured contents and values;
/// * the check: the outputs of the captured launch.
/// `folder` is the name of the folder with the files, beside the source. `launch` must outlive the result.
/// Throws `base::InputError` if the capture has a launch of another kernel, or does not fit the source
/// (`matched_parameters`), and where `KernelSource` throws. It also throws if an argument of the template is
/// a lambda.
CapturedDefinition captured_definition(const std::filesystem::path& source,
                                       const std::optional<std::string>& entry,
                                       const profiling::captures::CapturedLaunch& launch,
                                       const std::string& folder);

}  // namespace warptune::tuner::drafting
