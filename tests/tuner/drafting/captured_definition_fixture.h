#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.h"
#include "kernel_templates/definition/data_file.h"
#include "kernel_templates/kernel_definition.h"
#include "tests/temporary_folder.h"
#include "tests/tuner/drafting/launch_builder.h"
#include "tuner/drafting/captured_definition.h"

namespace warptune::tuner::drafting {

/// Makes definitions of `kernel.cu` from launches, and reads them again.
class CapturedDefinitionFixture : public ::testing::Test {
 protected:
  CapturedDefinition made(const std::string& code, LaunchBuilder& builder) {
    base::write_file_atomically(source_, code);
    return captured_definition(source_, std::nullopt, builder.launch(), "kernel.data");
  }
  // Writes a definition with its files, and reads it.
  kernel_templates::KernelDefinition written(const CapturedDefinition& definition) {
    std::filesystem::create_directory(folder_.path() / "kernel.data");
    for (const ContentsFile& file : definition.files)
      base::write_file_atomically(folder_.path() / "kernel.data" / file.name,
                                  kernel_templates::definition::npy_text(file.type, file.elements));
    base::write_file_atomically(folder_.path() / "kernel.toml", definition.text);
    return kernel_templates::load_kernel_definition(folder_.path() / "kernel.toml");
  }
  tests::TemporaryFolder folder_;
  std::filesystem::path source_ = folder_.path() / "kernel.cu";
};

}  // namespace warptune::tuner::drafting
