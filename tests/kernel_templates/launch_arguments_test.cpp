// What launches pass to their kernels, if it is not all arguments in order: parts of buffers, values,
// structs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "definitions.h"
#include "kernel_templates/emulation/emulation_program.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "library_cases.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::HasSubstr;

std::string passing(const std::string& list) {
  return with(kScaleToml, "block = [\"BLOCK\"]\n", "block = [\"BLOCK\"]\narguments = " + list + "\n");
}

model::Outcome<LaunchPlan> plan_of(const std::string& list) {
  const KernelInstance instance(load_embedded(passing(list)), {}, model::fictional_gpu());
  return instance.launch_plan(instance.default_configuration());
}

std::string refusal(const std::string& list) {
  try {
    load_embedded(passing(list));
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

TEST(LaunchArguments, ArePartsOfBuffersAndValues) {
  const auto plan = plan_of(
      R"(["y", { name = "x", offset = "N - BLOCK" }, { value = "0", type = "i64" }, { name = "x", offset = "N" }])");
  ASSERT_TRUE(plan.has_value()) << plan.error().reason;
  const auto& passed = *plan->main_launch()->arguments;
  ASSERT_EQ(passed.size(), 4U);
  EXPECT_EQ(passed[0].argument, 1U);
  EXPECT_EQ(passed[0].offset_bytes, 0);
  EXPECT_EQ(passed[1].argument, 0U);
  EXPECT_EQ(passed[1].offset_bytes, 936 * 4);
  EXPECT_FALSE(passed[2].argument);
  EXPECT_EQ(passed[2].value, std::vector<std::byte>(8));
  EXPECT_EQ(passed[3].offset_bytes, 4000) << "the end of the buffer";
  EXPECT_TRUE(passed[1].passes(0) && !passed[1].passes(1) && !passed[2].passes(0));
}

TEST(LaunchArguments, StructsHaveNumbersAndAddresses) {
  const auto plan = plan_of(
      R"([{ struct = 24, members = [{ at = 2, value = "BLOCK", type = "i16" }, { at = 8, name = "y", offset = 3 }, { at = 16, value = 1.0, type = "dtype" }] }])");
  ASSERT_TRUE(plan.has_value()) << plan.error().reason;
  const PassedArgument& passed = plan->main_launch()->arguments->front();
  EXPECT_FALSE(passed.argument);
  ASSERT_EQ(passed.value.size(), 24U);
  EXPECT_EQ(passed.value[2], std::byte{64});
  EXPECT_EQ(passed.value[19], std::byte{0x3F}) << "1.0F";
  ASSERT_EQ(passed.addresses.size(), 1U);
  EXPECT_EQ(passed.addresses[0].argument, 1U);
  EXPECT_EQ(passed.addresses[0].offset_bytes, 12);
  EXPECT_EQ(passed.addresses[0].at, 8U);
  EXPECT_TRUE(passed.passes(1) && !passed.passes(0));
}

TEST(LaunchArguments, ThatCannotBeAreRefused) {
  EXPECT_THAT(plan_of(R"([{ name = "x", offset = "N + 1" }])").error().reason,
              HasSubstr("expected 0 to 1000"));
  EXPECT_THAT(refusal(R"(["z"])"), HasSubstr("'z' is not one of them"));
  EXPECT_THAT(refusal(R"([{ name = "x", offset = "M" }])"), HasSubstr("M"));
  EXPECT_THAT(refusal(R"([{ struct = 0, members = [] }])"),
              HasSubstr("the bytes of the struct, from 1 to 32764"));
  EXPECT_THAT(refusal(R"([{ struct = 8, members = [{ at = 4, name = "x" }] }])"),
              HasSubstr("8 bytes of the struct after those of the member before"));
  EXPECT_THAT(
      refusal(
          R"([{ struct = 8, members = [{ at = 0, value = 1, type = "i64" }, { at = 4, value = 1, type = "i32" }] }])"),
      HasSubstr("which end at 8"));
  EXPECT_THAT(refusal(R"([{ struct = 8, members = [{ at = 0, name = "n" }] }])"),
              HasSubstr("a buffer, whose address the struct has"));
  EXPECT_THAT(refusal(R"([{ struct = 8, members = [{ name = "x" }] }])"),
              HasSubstr("the place of the member"));
  EXPECT_THAT(refusal(R"([{ struct = 8, members = [{ at = 0, value = "Q", type = "i64" }] }])"),
              HasSubstr("Q"));
}

TEST(LaunchArguments, AMemberMayNotGrowOverTheNextOne) {
  const auto definition = load_embedded(passing(
      R"([{ struct = 16, members = [{ at = 0, value = 1.0, type = "dtype" }, { at = 4, value = 1, type = "i32" }] }])"));
  const KernelInstance instance(definition, {{"dtype", std::string("f64")}}, model::fictional_gpu());
  const auto plan = instance.launch_plan(instance.default_configuration());
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().reason, HasSubstr("the member at byte 4 begins before the end of the one before"));
}

// Stored rows must keep their hash, so a definition without the key has the hash from before the key existed.
TEST(LaunchArguments, ChangeTheHash) {
  const auto hash = [](const std::string& list) { return load_embedded(passing(list)).hash; };
  const std::string all = load_embedded(kScaleToml).hash;
  const std::string one = hash(R"([{ struct = 8, members = [{ at = 0, name = "x" }] }])");
  EXPECT_NE(hash(R"(["x", "y", "n"])"), all);
  EXPECT_NE(hash(R"([{ struct = 16, members = [{ at = 0, name = "x" }] }])"), one);
  EXPECT_NE(hash(R"([{ struct = 16, members = [{ at = 8, name = "x" }] }])"),
            hash(R"([{ struct = 16, members = [{ at = 0, name = "x" }] }])"));
  EXPECT_EQ(hash(R"([{ struct = 8, members = [{ at = 0, name = "x" }] }])"), one);
}

// A struct with two addresses of one buffer, a null pointer, and two outputs that alternate.
TEST(LaunchArguments, AreThoseOfAnEmulatedKernel) {
  const KernelDefinition definition =
      load_kernel((tested_sources() / "tests/profiling/data/passed_struct.cu").string());
  const KernelInstance instance(definition, {{"N", std::int64_t{1000}}}, model::fictional_gpu());
  for (const std::int64_t missing : {0, 1}) {
    model::NamedValues configuration = instance.default_configuration();
    for (auto& [name, value] : configuration) {
      if (name == "END") value = missing;
    }
    emulation::EmulationProgram program("");
    const auto added = program.add_against_reference(instance, configuration);
    ASSERT_TRUE(added.has_value()) << added.error();
    const emulation::ProgramOutcome outcome = compile_and_run(program);
    ASSERT_TRUE(outcome.compiled) << outcome.output;
    EXPECT_EQ(outcome.exit_code, missing) << outcome.output;
  }
}

}  // namespace
}  // namespace warptune::kernel_templates
