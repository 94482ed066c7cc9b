// Buffers whose rows have padding between them.
#include "kernel_templates/resolution/memory_resolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/buffer_memory.h"
#include "kernel_templates/emulation/emulation_program.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "model/gpu_description.h"
#include "tests/kernel_templates/definitions.h"
#include "tests/kernel_templates/library_cases.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

KernelDefinition padded_rows_definition() {
  return load_kernel((tested_sources() / "tests/profiling/data/padded_rows.cu").string());
}

// The usual definition whose first argument, of N elements, has these keys, too.
std::string with_row_keys(const std::string& keys, const std::string& kind = "in") {
  return with(kScaleToml, "kind = \"in\"\n", "kind = \"" + kind + "\"\n" + keys);
}

std::string refusal_of_rows(const std::string& toml) {
  try {
    const KernelInstance instance(load_embedded(toml), {}, model::fictional_gpu());
    const auto arguments = instance.arguments(instance.default_configuration());
    return arguments ? "no error" : arguments.error().reason;
  } catch (const base::InputError& error) {
    return error.what();
  }
}

TEST(PaddedRows, HaveAPitchThatMayDependOnParameters) {
  const KernelInstance instance(padded_rows_definition(), {}, model::fictional_gpu());
  for (const std::int64_t pad : {0, 1, 20}) {
    const auto arguments = instance.arguments({{"PAD", pad}, {"FAULT", std::int64_t{0}}});
    ASSERT_TRUE(arguments.has_value()) << arguments.error().reason;
    const ResolvedArgument& x = arguments->front();
    EXPECT_EQ(x.is_padded(), pad > 0);
    EXPECT_EQ(x.count, 50 * 300);
    EXPECT_EQ(x.bytes(), 50 * 300 * 4);
    EXPECT_EQ(x.placed_count(), 50 * (300 + pad));
  }
  EXPECT_EQ(resolution::argument_with_tuned_pitch(instance.definition())->name, "x");
  const auto fixed = load_embedded(with_row_keys("width = 10\npitch = \"10 + N % 7\"\n"));
  EXPECT_EQ(resolution::argument_with_tuned_pitch(fixed), nullptr);
}

TEST(PaddedRows, OfTheReferenceAreThoseOfTheDefaultOrPacked) {
  const KernelInstance by_entry(padded_rows_definition(), {}, model::fictional_gpu());
  EXPECT_EQ(by_entry.reference_arguments()->front().pitch, 301);
  std::string toml = with_row_keys("width = 10\npitch = 16\n");
  toml =
      toml.substr(0, toml.find("[check]")) + "[check]\nreference = \"expression\"\nexpression = \"x[i]\"\n";
  const KernelInstance by_expression(load_embedded(toml), {}, model::fictional_gpu());
  EXPECT_FALSE(by_expression.reference_arguments()->front().is_padded());
  EXPECT_EQ(by_expression.arguments(by_expression.default_configuration())->front().pitch, 16);
}

TEST(PaddedRows, ThatCannotBeAreRefused) {
  EXPECT_THAT(refusal_of_rows(with_row_keys("pitch = 16\n")), HasSubstr("argument.width"));
  EXPECT_THAT(refusal_of_rows(with_row_keys("width = 10\n")), HasSubstr("argument.pitch"));
  EXPECT_THAT(refusal_of_rows(with_row_keys("width = 7\npitch = 16\n")),
              HasSubstr("a multiple of its width 7"));
  EXPECT_THAT(refusal_of_rows(with_row_keys("width = 0\npitch = 16\n")),
              HasSubstr("a multiple of its width 0"));
  EXPECT_THAT(refusal_of_rows(with_row_keys("width = 10\npitch = 9\n")),
              HasSubstr("the pitch '9' of argument 'x' is 9 elements, expected 10 (its width) to"));
  EXPECT_THAT(refusal_of_rows(with_row_keys("width = 10\npitch = \"pow(2, 40)\"\n")), HasSubstr("the pitch"));
  EXPECT_THAT(refusal_of_rows(with_row_keys("width = \"BLOCK\"\npitch = 16\n")),
              HasSubstr("the same for all"));
  EXPECT_THAT(refusal_of_rows(with_row_keys("width = 10\npitch = 16\n", "scratch")),
              HasSubstr("no such key"));
  EXPECT_EQ(refusal_of_rows(with_row_keys("width = 10\npitch = 16\n")), "no error");
}

// Where the buffer is, whatever the kind of memory or its expression.
TEST(PaddedRows, AreInTheMemoryOfTheGpuOnly) {
  const std::string rows = "width = 10\npitch = 16\n";
  std::vector<std::string> memories = {R"("N > 4 ? \"pinned\" : \"device\"")"};
  for (const std::string& name : memory_names()) memories.push_back("\"" + name + "\"");
  for (const std::string& memory : memories) {
    EXPECT_THAT(refusal_of_rows(with_row_keys(rows + "memory = " + memory + "\n")),
                AllOf(HasSubstr("argument.memory"), HasSubstr("padded rows is in the GPU's memory")))
        << memory;
  }
  EXPECT_THAT(refusal_of_rows(with_row_keys(rows + "symbol = \"c_x\"\n")),
              AllOf(HasSubstr("argument.symbol"), HasSubstr("kernels get its address")));
}

TEST(PaddedRows, AreThoseOfBuffersOnly) {
  for (const std::string key : {"width", "pitch"}) {
    EXPECT_THAT(
        refusal_of_rows(with(kScaleToml, "kind = \"scalar\"\n", "kind = \"scalar\"\n" + key + " = 16\n")),
        AllOf(HasSubstr("argument." + key), HasSubstr("a scalar is not in memory")));
  }
  // The pitch of a texture is that of the memory that it reads. It pads no buffer.
  const std::string texture =
      "\n[[argument]]\nname = \"t\"\nkind = \"texture\"\nof = \"x\"\nwidth = 10\nheight = 2\n";
  EXPECT_THAT(refusal_of_rows(std::string(kScaleToml) + texture + "pitch = 16\nmemory = \"device\"\n"),
              HasSubstr("memory"));
  const KernelInstance instance(load_embedded(std::string(kScaleToml) + texture + "pitch = 32\n"), {},
                                model::fictional_gpu());
  const auto arguments = instance.arguments(instance.default_configuration());
  ASSERT_TRUE(arguments.has_value()) << arguments.error().reason;
  EXPECT_FALSE(arguments->front().is_padded());
}

// Stored rows must keep their hash, so a definition without the keys has the hash from before they existed.
TEST(PaddedRows, ChangeTheHash) {
  const auto hash = [](const std::string& keys) { return load_embedded(with_row_keys(keys)).hash; };
  EXPECT_NE(hash("width = 10\npitch = 16\n"), hash(""));
  EXPECT_NE(hash("width = 10\npitch = 16\n"), hash("width = 10\npitch = 20\n"));
  EXPECT_NE(hash("width = 10\npitch = 16\n"), hash("width = 5\npitch = 16\n"));
}

TEST(PaddedRows, OffsetsCountTheirPaddingToo) {
  const auto end = [](const std::string& offset) {
    const std::string toml =
        with(with_row_keys("width = 10\npitch = 16\n"), "block = [\"BLOCK\"]\n",
             "block = [\"BLOCK\"]\narguments = [{ name = \"x\", offset = " + offset + " }, \"y\", \"n\"]\n");
    const KernelInstance instance(load_embedded(toml), {}, model::fictional_gpu());
    return instance.launch_plan(instance.default_configuration()).has_value();
  };
  EXPECT_TRUE(end("1600")) << "100 rows";
  EXPECT_FALSE(end("1601"));
}

TEST(PaddedRows, OfAnEmulatedKernelMayNotBeWrittenOrUsedBetweenThem) {
  const KernelInstance instance(padded_rows_definition(), {}, model::fictional_gpu());
  emulation::EmulationProgram right("");
  for (const std::int64_t pad : {0, 1, 20})
    ASSERT_TRUE(
        right.add_against_reference(instance, {{"PAD", pad}, {"FAULT", std::int64_t{0}}}).has_value());
  const emulation::ProgramOutcome outcome = compile_and_run(right);
  ASSERT_TRUE(outcome.compiled) << outcome.output;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  emulation::EmulationProgram wrong("");
  for (const std::int64_t fault : {1, 2, 3})
    ASSERT_TRUE(
        wrong.add_against_reference(instance, {{"PAD", std::int64_t{1}}, {"FAULT", fault}}).has_value());
  const emulation::ProgramOutcome faults = compile_and_run(wrong);
  ASSERT_TRUE(faults.compiled) << faults.output;
  EXPECT_THAT(faults.output, HasSubstr("wrong\t0\ty\tforward\twas written in the padding between its rows"));
  EXPECT_THAT(faults.output, HasSubstr("wrong\t1\tsum\tforward\telement 0 of 15000"));
  EXPECT_THAT(faults.output, HasSubstr("wrong\t2\ty\tforward\twas written in the padding between its rows"));
}

}  // namespace
}  // namespace warptune::kernel_templates
