// The memory of buffers: managed memory with its residency and advice, write-combined memory, and prefetches.

#include "kernel_templates/buffer_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "definitions.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::NamedValues;
using ::testing::HasSubstr;

const std::string kMemoryCode = R"(
extern "C" __global__ void scale(const float* x, float* y, long long n) {}
)";

const std::string kToml = R"toml([kernel]
[problem]
N = 1000
[parameters]
MEMORY = ["managed", "write_combined", "device"]
PLACE = ["device", "host", "none"]
[default]
MEMORY = "managed"
PLACE = "host"
[host]
[[host.loop]]
[[host.loop.step]]
prefetch = { buffer = "x", offset = 10, count = 90, to = "device" }
when = "MEMORY == 'managed'"
[[host.loop.step]]
launch = "scale"
grid = ["ceil_div(N, 128)"]
block = [128]
[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"
memory = "MEMORY"
residency = "PLACE"
advise = { read_mostly = "PLACE == 'host'", preferred_location = "PLACE", accessed_by = "device" }
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"
)toml";

KernelInstance memory_instance(const std::string& toml) {
  return {load_embedded(toml, kMemoryCode), {}, model::fictional_gpu()};
}

NamedValues configuration(const std::string& memory, const std::string& place) {
  return {{"MEMORY", memory}, {"PLACE", place}};
}

TEST(BufferMemory, HasANameForEachKind) {
  EXPECT_EQ(to_string(Memory::kDevice), "device");
  EXPECT_EQ(to_string(Memory::kWriteCombined), "write_combined");
  EXPECT_EQ(to_string(Memory::kManaged), memory_names().back());
  EXPECT_EQ(to_string(PagePlace::kHost), page_place_names().back());
}

TEST(BufferMemory, IsThatOfTheConfiguration) {
  const KernelInstance instance = memory_instance(kToml);
  const ResolvedArgument managed = instance.arguments(configuration("managed", "host"))->at(0);
  EXPECT_EQ(managed.memory, Memory::kManaged);
  EXPECT_EQ(managed.pages, (ManagedPages{PagePlace::kHost, true, PagePlace::kHost, PagePlace::kDevice}));
  const ResolvedArgument other = instance.arguments(configuration("managed", "device"))->at(0);
  EXPECT_EQ(other.pages, (ManagedPages{PagePlace::kDevice, false, PagePlace::kDevice, PagePlace::kDevice}));
  EXPECT_EQ(instance.arguments(configuration("write_combined", "host"))->at(0).memory,
            Memory::kWriteCombined);
}

TEST(ManagedMemory, ResidesOnTheGpuWithoutAdviceUnlessTheDefinitionSaysOtherwise) {
  const std::string plain = with(with(kToml, "residency = \"PLACE\"\n", ""),
                                 "advise = { read_mostly = \"PLACE == 'host'\", preferred_location = "
                                 "\"PLACE\", accessed_by = \"device\" }\n",
                                 "");
  EXPECT_EQ(memory_instance(plain).arguments(configuration("managed", "host"))->at(0).pages, ManagedPages{});
}

TEST(ManagedMemory, MayHaveNoPreferredLocationInAConfiguration) {
  const KernelInstance instance =
      memory_instance(with(kToml, "residency = \"PLACE\"", "residency = \"device\""));
  EXPECT_EQ(instance.arguments(configuration("managed", "none"))->at(0).pages.preferred_location,
            std::nullopt);
}

TEST(ManagedMemory, OfAnotherPlaceIsRejectedWhereItIsManaged) {
  const KernelInstance instance = memory_instance(kToml);
  EXPECT_THAT(instance.arguments(configuration("managed", "none")).error().reason,
              HasSubstr("the residency of 'x' is none, expected one of device, host"));
  EXPECT_TRUE(instance.arguments(configuration("device", "none"))) << "its residency has no effect";
  const auto advised =
      memory_instance(with(kToml, "preferred_location = \"PLACE\"", "preferred_location = \"MEMORY\""))
          .arguments(configuration("managed", "host"));
  EXPECT_THAT(advised.error().reason,
              HasSubstr("the preferred_location of 'x' is managed, expected one of device, host, none"));
}

TEST(Prefetches, HaveTheirRangeAndTheirPlace) {
  const LaunchPlan plan = memory_instance(kToml).launch_plan(configuration("managed", "host")).value();
  const auto& step = std::get<PrefetchStep>(plan.steps.at(0).action);
  EXPECT_EQ(step.range.buffer, 0U);
  EXPECT_EQ(step.range.offset_bytes, 40);
  EXPECT_EQ(step.range.bytes, 360);
  EXPECT_EQ(step.to, PagePlace::kDevice);
  EXPECT_EQ(memory_instance(kToml).launch_plan(configuration("device", "host"))->steps.size(), 1U);
}

TEST(Prefetches, ThatCannotWorkAreRejectedWithTheReason) {
  const auto reason = [](const std::string& old_part, const std::string& new_part, const char* memory) {
    const auto plan =
        memory_instance(with(kToml, old_part, new_part)).launch_plan(configuration(memory, "host"));
    return plan ? "a plan" : plan.error().reason;
  };
  EXPECT_THAT(reason("when = \"MEMORY == 'managed'\"\n", "", "write_combined"),
              HasSubstr("the prefetch of \"x\": only managed memory can be prefetched, and it is in "
                        "write_combined memory"));
  EXPECT_THAT(reason("count = 90", "count = 991", "managed"),
              HasSubstr("the prefetch of \"x\": 991 elements"));
  EXPECT_THAT(reason("to = \"device\" }\nwhen", "to = \"MEMORY\" }\nwhen", "managed"),
              HasSubstr("the prefetch of \"x\": the key to is managed, expected one of device, host"));
  EXPECT_THAT(reason("[host]", "[host]\ngraph = true", "managed"),
              HasSubstr("the host cannot prefetch inside a graph"));
  EXPECT_THAT(reason("[host]", "[host]\ntimed = \"gpu\"", "managed"),
              HasSubstr("the host cannot prefetch in a program that is timed by the GPU"));
}

TEST(BufferMemory, ThatIsMalformedSaysWhatWasExpected) {
  struct Wrong {
    const char* what;
    std::string toml;
    std::string message;
  };
  const std::string advise = "advise = { read_mostly";
  const std::vector<Wrong> rows = {
      {"a residency of GPU memory", with(kToml, "memory = \"MEMORY\"\n", ""),
       "no such key: only a buffer with memory = \"managed\" has it"},
      {"advice about pinned memory",
       with(with(kToml, "memory = \"MEMORY\"", "memory = \"pinned\""), "residency = \"PLACE\"\n", ""),
       "advise is a table, expected no such key"},
      {"an unknown advice", with(kToml, advise, "advise = { reed_mostly"), "did you mean read_mostly"},
      {"advice that is no table",
       with(kToml, "residency = \"PLACE\"\nadvise = {", "residency = \"PLACE\"\nadvise = \"host\"\ninit = {"),
       "expected a table"},
      {"an unknown place", with(kToml, "residency = \"PLACE\"", "residency = \"hots\""),
       "'hots' names 'hots', which cannot be used here (did you mean host?); expected device, host, or an "
       "expression "
       "with such a value"},
      {"an unknown kind of memory", with(kToml, "memory = \"MEMORY\"", "memory = \"Managed\""),
       "(did you mean managed?); expected device, pinned, pageable, write_combined, managed, or"},
      {"an unknown name in a kind of memory",
       with(kToml, "memory = \"MEMORY\"", "memory = \"MEMROY == 1 ? 'device' : 'managed'\""),
       "names 'MEMROY', which cannot be used here (did you mean MEMORY?)"},
      {"an unknown place in an advice",
       with(kToml, "preferred_location = \"PLACE\"", "preferred_location = \"hots\""),
       "expected device, host, none, or"},
      {"an unknown name in an advice", with(kToml, "PLACE == 'host'", "PLAICE == 'host'"),
       "names 'PLAICE', which cannot be used here"},
      {"a residency of a scalar", with(kToml, "value = \"N\"", "value = \"N\"\nresidency = \"host\""),
       "a scalar is not in memory"},
      {"a prefetch without its place", with(kToml, ", to = \"device\" }\nwhen", " }\nwhen"), "to is missing"},
      {"a prefetch of no buffer", with(kToml, "buffer = \"x\"", "buffer = \"n\""),
       "expected one of the buffer arguments x, y"},
      {"a prefetch with another key", with(kToml, "count = 90", "bytes = 90"),
       "[host.loop.step.prefetch] has buffer, offset, count, to"}};
  for (const Wrong& row : rows) {
    const TemporaryFolder folder;
    EXPECT_THAT(load_failure(folder.write("k.cu", embedded(row.toml, kMemoryCode))), HasSubstr(row.message))
        << row.what;
  }
}

}  // namespace
}  // namespace warptune::kernel_templates
