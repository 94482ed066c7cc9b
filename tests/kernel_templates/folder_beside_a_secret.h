#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/error.h"
#include "definitions.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {

/// The result of loading and compiling a definition.
struct Attempt {
  bool refused = false;  ///< The definition or each of its programs was refused.
  std::string said;
  base::SourcePosition position;
};

/// A folder `own` for definitions. Beside it is a file that definitions may not read, and `own` has links to
/// that file.
class FolderBesideASecret : public ::testing::Test {
 protected:
  FolderBesideASecret() {
    outside_.write("secret.cuh", "SECRET_LINE;\n");
    outside_.write("outer.cu", embedded(kScaleToml));
    own_ = outside_.path() / "own";
    outside_.write("own/sub/deep.cuh", "#include \"../../secret.cuh\"\n");
    outside_.write("own/nul.cuh", std::string(1, '\0') + "#include \"../secret.cuh\"\n");
    outside_.write("own/nv/target", "#include \"" + secret() + "\"\n");
    outside_.write("own/first/next.cuh", "\n");
    outside_.write("own/second/none.cuh", "\n");
    std::filesystem::create_symlink(secret(), own_ / "second/next.cuh");
    std::filesystem::create_symlink(secret(), own_ / "link.cuh");
    std::filesystem::create_directory_symlink(outside_.path(), own_ / "linked");
    std::filesystem::create_symlink("/proc/self/fd/77", own_ / "nowhere.cuh");
    std::filesystem::create_symlink("../outer.cu", own_ / "linked.cu");
  }

  std::string secret() const { return (outside_.path() / "secret.cuh").string(); }
  std::set<std::string> files() const {
    std::set<std::string> found;
    for (const std::filesystem::directory_entry& entry :
         std::filesystem::recursive_directory_iterator(outside_.path()))
      found.insert(entry.path().string());
    return found;
  }

  static Attempt attempt(const std::filesystem::path& definition) {
    Attempt attempt;
    try {
      const KernelInstance instance(load_kernel_definition(definition), {}, model::fictional_gpu());
      attempt.refused = true;
      for (std::uint64_t i = 0; i < instance.space().size(); ++i)
        add(instance.compile_request(instance.space().values_of(instance.space().at(i))), attempt);
      if (instance.has_reference()) add(instance.reference_request(), attempt);
    } catch (const base::InputError& error) {
      attempt = {true, error.what(), error.position()};
    }
    return attempt;
  }

  TemporaryFolder outside_;
  std::filesystem::path own_;

 private:
  // A program that is not refused is compiled. The compiler's messages then show what it read.
  static void add(const model::Outcome<CompileRequest>& request, Attempt& attempt) {
    if (!request) {
      attempt.said += request.error().reason;
      return;
    }
    if (nvrtc_missing()) return;
    const model::Outcome<CompiledKernel> compiled = compile(*request);
    if (compiled) attempt.refused = false;
    attempt.said += compiled ? compiled->log : compiled.error().reason;
  }
};

}  // namespace warptune::kernel_templates
