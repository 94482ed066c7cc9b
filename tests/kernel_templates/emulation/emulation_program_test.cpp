#include "kernel_templates/emulation/emulation_program.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "kernel_templates/emulation/program_files.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "tests/kernel_templates/definitions.h"
#include "tests/kernel_templates/library_cases.h"

namespace warptune::kernel_templates::emulation {
namespace {

// The text of a definition with a line that names a standard. Its kernel can only be compiled if
// `__cplusplus` has this value.
std::string text_with(const std::string& line, const std::string& value) {
  const std::string entry = "entry = \"scale\"\n";
  const std::string check = "\n[check]\nreference = \"expression\"\nexpression = \"x[i] * 2\"\n";
  return embedded(with(kScaleToml, entry, entry + line + "\n") + check,
                  "static_assert(__cplusplus == " + value + ");\n" + kScaleCode);
}

TEST(EmulationProgramTest, IsCompiledInTheStandardOfItsDefinition) {
  for (const auto& [line, value] :
       {std::pair("language = 'c++17'", "201703L"), std::pair("language = 'c++20'", "202002L"),
        std::pair("flags = ['--std=c++20']", "202002L")}) {
    const TemporaryFolder folder;
    const KernelDefinition definition =
        load_kernel_definition(folder.write("scale.cu", text_with(line, value)));
    const KernelInstance instance(definition, {}, model::fictional_gpu());
    EmulationProgram program("");
    const auto added = program.add_against_reference(instance, instance.default_configuration());
    ASSERT_TRUE(added.has_value()) << added.error();
    const ProgramOutcome outcome = compile_and_run(program);
    EXPECT_TRUE(outcome.compiled) << line << "\n" << outcome.output;
    EXPECT_EQ(outcome.exit_code, 0) << line << "\n" << outcome.output;
  }
}

}  // namespace
}  // namespace warptune::kernel_templates::emulation
