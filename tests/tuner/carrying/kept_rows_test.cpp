// Rows of a kernel whose text changed: docs/database.md, "Rows of a changed text". NVRTC compiles, no GPU is
// needed.
#include "tuner/carrying/kept_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "kernel_templates/compiler.h"
#include "tests/tuner/program.h"
#include "tests/tuner/session_data.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::carrying {
namespace {

using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using model::NamedValues;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kText = R"cu(/* warptune
[kernel]
name = "scaled"
entry = "scaled"
flags = ["-lineinfo"]
defines = { LENGTH = "N" }
[problem]
N = 4096
[parameters]
BLOCK = [32, 64, 128]
UNROLL = [1, 2, 4]
FORM = ["loop", "direct"]
[constraints]
list = ["BLOCK * UNROLL <= 256"]
[default]
BLOCK = 32
UNROLL = 1
FORM = "loop"
[launch]
grid = ["ceil_div(N, BLOCK * UNROLL)"]
block = ["BLOCK"]
[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "N"
[check]
reference = "entry"
entry = "expected"
grid = ["ceil_div(N, 256)"]
block = ["256"]
*/
#define loop 0
#define direct 1
#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void expected(const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < LENGTH) y[i] = x[i] * 3.0f;
}
#endif
extern "C" __global__ void scaled(const float* x, float* y) {
  // The first element of this thread.
  const int begin = blockIdx.x * BLOCK * UNROLL + threadIdx.x;
#if FORM == loop
  for (int step = 0; step < UNROLL; ++step) {
    const int i = begin + step * BLOCK;
    if (i < LENGTH) y[i] = x[i] * 3.0f;
  }
#else
#pragma unroll
  for (int step = 0; step < UNROLL; ++step)
    if (begin + step * BLOCK < LENGTH) y[begin + step * BLOCK] = x[begin + step * BLOCK] * 3.0f;
#endif
}
)cu";

class KeptRowsTest : public ::testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(kernel_) << text; }
  static std::string changed(const std::string& from, const std::string& to, std::string text = kText) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  KernelDefinition definition() const { return kernel_templates::load_kernel_definition(kernel_); }
  KernelInstance instance(const NamedValues& sizes = {}) const {
    return KernelInstance(definition(), sizes, model::fictional_gpu());
  }
  static model::Workload workload(const KernelInstance& instance) {
    return knowledge::workload_of(instance, model::CacheState::kCold);
  }
  static NamedValues at(std::int64_t block, std::int64_t unroll, const std::string& form) {
    return {{"BLOCK", block}, {"UNROLL", unroll}, {"FORM", form}};
  }

  // A session that has measured the whole space, except for one configuration that failed.
  std::int64_t measure(const KernelInstance& measured_instance) {
    db::Session session;
    session.workload = workload(measured_instance);
    session.default_configuration = measured_instance.default_configuration();
    session.finished_ms = 1;
    const std::int64_t id = store_.begin_session(session);
    const model::Space& space = measured_instance.space();
    double time_ns = 100.0;
    for (std::uint64_t i = 0; i < space.size(); ++i) {
      const NamedValues values = space.values_of(space.at(i));
      const bool fails = values == at(64, 4, "direct");
      store_.add_measurement(id, fails ? testing::failed(values, model::Status::kWrongResult, "differs")
                                       : testing::measured(values, time_ns));
      time_ns += 1.0;
    }
    store_.finish_session(id, 1);
    return id;
  }
  std::optional<NotedCode> note(const KernelInstance& noted) {
    return note_code(store_, noted, workload(noted), pool_);
  }
  // Writes the text, and compares it with all others.
  KeptRows keep(const std::string& text) {
    write(text);
    const auto others = workloads_of_other_texts(store_, definition());
    EXPECT_THAT(others, SizeIs(1));
    return others.empty() ? KeptRows{} : keep_rows(store_, definition(), others.front(), pool_);
  }
  std::vector<db::Winner> winners() const { return store_.winners("scaled", definition().hash); }

  testing::TemporaryFolder folder_;
  std::filesystem::path kernel_ = folder_ / "scaled.cu";
  testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_BINARY};
  workers::compiling::CompilePool pool_{2, std::chrono::seconds(60), folder_ / "cache"};
  db::Store store_{folder_ / "w.db"};
};

// A text of the kernel has been measured, and the digests of its code are stored.
class KeptRowsOfAText : public KeptRowsTest {
 protected:
  KeptRowsOfAText() {
    write(kText);
    before_ = definition().hash;
    measure(instance());
    noted_ = note(instance());
  }
  // The text's rows must stay where they are.
  void expect_kept(const std::string& text, const std::string& reason) {
    const KeptRows kept = keep(text);
    EXPECT_THAT(kept.reason, HasSubstr(reason)) << text;
    EXPECT_THAT(winners(), IsEmpty()) << text;
    EXPECT_THAT(store_.winners("scaled", before_), SizeIs(1));
  }

  std::string before_;
  std::optional<NotedCode> noted_;
};

TEST_F(KeptRowsOfAText, AreNotedOnceAndReadFromTheCompileCache) {
  ASSERT_TRUE(noted_.has_value());
  EXPECT_GE(noted_->references, 8U) << "each pair of BLOCK and UNROLL needs a reference of its own";
  EXPECT_LE(noted_->references, 15U) << "15 of 16 rows have a time";
  EXPECT_EQ(noted_->compiled, noted_->references + 1) << "and the reference; the cache was empty";
  EXPECT_FALSE(note(instance()).has_value()) << "they are stored";
  db::codes::WorkloadCodes codes(store_);
  model::WorkloadCode code = codes.find(workload(instance())).value();
  EXPECT_EQ(code.nvrtc_version, kernel_templates::remembered_nvrtc_version());
  code.nvrtc_version -= 10;
  codes.set(workload(instance()), code);
  const auto again = note(instance());
  ASSERT_TRUE(again.has_value()) << "they are of another NVRTC";
  EXPECT_EQ(again->compiled, 0U);
}

TEST_F(KeptRowsOfAText, AreKeptWhenOnlyCommentsNamesAndFormattingChange) {
  std::string text = changed("// The first element of this thread.", "/* Where this thread\n begins */");
  for (int i = 0; i < 6; ++i) text = changed("begin", "first_index", text);
  text =
      changed("for (int step = 0; step < UNROLL; ++step) {", "for (int s = 0; s < UNROLL; ++s)\n  {", text);
  text = changed("step * BLOCK;", "s*BLOCK;", text);
  text = changed("entry = \"scaled\"", "entry = \"multiplied\"", text);
  text = changed("void scaled(", "void multiplied(", text);
  text = changed("[problem]", "# sizes\n[problem]", text);
  const KeptRows kept = keep(text);
  EXPECT_EQ(kept.reason, "");
  EXPECT_EQ(kept.references, noted_->references);
  EXPECT_EQ(kept.rows.measurements, 15U);
  EXPECT_EQ(kept.rows.removed, 1U);
  EXPECT_THAT(sentence_of(kept),
              HasSubstr("now belong to the present text: the machine code is the same at "));
  ASSERT_THAT(winners(), SizeIs(1));
  EXPECT_EQ(winners()[0].best.time->median_ns, 100.0);
  EXPECT_THAT(store_.winners("scaled", before_), IsEmpty());
  EXPECT_THAT(store_.damage(), IsEmpty());
  EXPECT_FALSE(note(instance()).has_value()) << "the digests were carried over, too";
  EXPECT_EQ(keep(kText).reason, "") << "and the way back";
}

TEST_F(KeptRowsOfAText, StayWithTheirTextWhenTheCodeChanges) {
  expect_kept(changed("y[i] = x[i] * 3.0f;\n  }\n#else", "y[i] = x[i] * 3.5f;\n  }\n#else"),
              "has other code");
  expect_kept(changed("  for (int step = 0; step < UNROLL; ++step) {",
                      "#pragma unroll 1\n  for (int step = 0; step < UNROLL; ++step) {"),
              "has other code");
  expect_kept(changed("void scaled(const float* x", "void scaled(const float* __restrict__ x"),
              "has other code");
  expect_kept(changed("void scaled(", "void __launch_bounds__(256) scaled("), "has other code");
  expect_kept(changed("void scaled(", "void undefined_name scaled("), "has no code");
}

TEST_F(KeptRowsOfAText, StayWithTheirTextWhenTheCodeOfOneValueChanges) {
  for (const char* value : {"BLOCK == 128", "UNROLL == 4", "BLOCK == 32", "FORM == direct"}) {
    expect_kept(changed("const int begin = blockIdx", std::string("\n#if ") + value +
                                                          "\n  if (x == nullptr) return;\n#endif\n"
                                                          "  const int begin = blockIdx"),
                "has other code");
    expect_kept(changed("  // The first element of this thread.",
                        std::string("\n#if ") + value + "\n  __syncthreads();\n#endif\n"),
                "has other code");
  }
}

TEST_F(KeptRowsOfAText, StayWithTheirTextWhenTheBestConfigurationChangesAlone) {
  expect_kept(changed("  // The first element of this thread.",
                      "\n#if BLOCK == 32 && UNROLL == 1 && FORM == loop\n  __syncthreads();\n#endif\n"),
              "has other code");
}

TEST_F(KeptRowsOfAText, StayWithTheirTextWhenMoreThanTheSourceChanges) {
  const char* const reason = "more than the source has changed";
  expect_kept(changed("flags = [\"-lineinfo\"]", "flags = [\"-lineinfo\", \"-use_fast_math\"]"), reason);
  expect_kept(changed("BLOCK = [32, 64, 128]", "BLOCK = [32, 64, 128, 256]"), reason);
  expect_kept(changed("<= 256", "<= 255"), reason);
  expect_kept(
      changed("grid = [\"ceil_div(N, BLOCK * UNROLL)\"]", "grid = [\"ceil_div(N, BLOCK * UNROLL) + 0\"]"),
      reason);
  expect_kept(changed("type = \"f32\"\ncount = \"N\"", "type = \"f32\"\ncount = \"N + 1\""), reason);
}

TEST_F(KeptRowsOfAText, StayWithTheirTextWhenTheReferenceProgramChanges) {
  expect_kept(
      changed("if (i < LENGTH) y[i] = x[i] * 3.0f;\n}", "if (i < LENGTH) y[i] = x[i] * 3.0f + 0.5f;\n}"),
      "the program that computes the right outputs has other code");
}

TEST_F(KeptRowsOfAText, StayWithTheirTextWhenNothingCanBeProven) {
  db::codes::WorkloadCodes codes(store_);
  const model::Workload measured_workload = workload(instance());
  const model::WorkloadCode code = codes.find(measured_workload).value();
  const std::string text = changed("// The first", "// the first");
  model::WorkloadCode other = code;
  other.nvrtc_version = 12080;
  codes.set(measured_workload, other);
  expect_kept(text, "NVRTC 12.8");
  other = code;
  std::erase_if(other.configurations, [](const auto& one) { return one.configuration == at(32, 1, "loop"); });
  codes.set(measured_workload, other);
  expect_kept(text, "the reference configurations lack the best one, BLOCK=32 UNROLL=1 FORM=loop");
  other = code;
  std::erase_if(other.configurations, [](const auto& one) {
    return *model::find(one.configuration, "BLOCK") == model::Value(std::int64_t{128});
  });
  codes.set(measured_workload, other);
  expect_kept(text, "no reference configuration has BLOCK=128");
  codes.set(measured_workload, code);
  EXPECT_EQ(keep(text).reason, "");
}

TEST_F(KeptRowsOfAText, StayWithTheirTextWhileASessionMayWriteThem) {
  db::Session running;
  running.workload = workload(instance());
  running.default_configuration = instance().default_configuration();
  running.environment.nvrtc_version = kernel_templates::remembered_nvrtc_version() - 20;
  model::Measurement row = testing::measured(at(64, 2, "loop"), 500.0);
  row.time_stamp_ms = 1LL << 50;
  store_.add_measurement(store_.begin_session(running), row);
  expect_kept(changed("// The first", "// the first"), "a session may still be writing");
  EXPECT_EQ(keep(changed("// The first", "// the first")).older.rows, 0U) << "none was carried over";
}

TEST_F(KeptRowsOfAText, OfAnOlderNvrtcAreSaid) {
  const int present = kernel_templates::remembered_nvrtc_version();
  for (const int version : {present - 20, present - 10, present, 0}) {
    db::Session session;
    session.workload = workload(instance());
    session.environment.nvrtc_version = version;
    const std::int64_t id = store_.begin_session(session);
    store_.add_measurement(id, testing::measured(at(64, 2, "loop"), 500.0));
    store_.add_measurement(id, testing::failed(at(64, 4, "direct"), model::Status::kWrongResult, "differs"));
    store_.finish_session(id, 2);
  }
  // The last session has measured the newest row of the configuration, and its NVRTC is unknown.
  EXPECT_EQ(rows_of_older_nvrtc(store_, workload(instance())).rows, 0U);
  db::Session session;
  session.workload = workload(instance());
  session.environment.nvrtc_version = present - 20;
  const std::int64_t id = store_.begin_session(session);
  store_.add_measurement(id, testing::measured(at(64, 2, "loop"), 500.0));
  store_.finish_session(id, 3);
  const KeptRows kept = keep(changed("// The first", "// the first"));
  EXPECT_EQ(kept.reason, "");
  EXPECT_EQ(kept.older.rows, 1U);
  EXPECT_EQ(kept.older.oldest, present - 20);
  EXPECT_THAT(sentence_of(kept), HasSubstr("; 1 measurement was made with code of an older NVRTC (from "));
}

TEST_F(KeptRowsTest, WithoutDigestsNothingIsProven) {
  write(kText);
  measure(instance());
  const KeptRows kept = keep(changed("// The first", "// the first"));
  EXPECT_THAT(kept.reason, HasSubstr("no digests of their code are stored"));
  EXPECT_THAT(sentence_of(kept), HasSubstr("stay with that text: no digests"));
}

TEST_F(KeptRowsTest, NothingIsNotedOfATextThatHasChangedSinceItWasRead) {
  write(kText);
  const KernelInstance measured_instance = instance();
  measure(measured_instance);
  write(changed("// The first", "// the first"));
  EXPECT_FALSE(note(measured_instance).has_value());
  write(kText);
  EXPECT_TRUE(note(measured_instance).has_value());
}

TEST_F(KeptRowsTest, NothingIsNotedWithoutRows) {
  write(kText);
  EXPECT_FALSE(note(instance()).has_value());
}

TEST_F(KeptRowsTest, EachProblemIsComparedByItself) {
  write(kText);
  measure(instance());
  measure(instance({{"N", std::int64_t{100}}}));
  note(instance());
  note(instance({{"N", std::int64_t{100}}}));
  // Other code only for a small problem.
  write(
      changed("  // The first element of this thread.", "\n#if LENGTH < 1000\n  __syncthreads();\n#endif\n"));
  const auto others = workloads_of_other_texts(store_, definition());
  ASSERT_THAT(others, SizeIs(2));
  EXPECT_EQ(keep_rows(store_, definition(), others[0], pool_).reason, "");
  EXPECT_THAT(keep_rows(store_, definition(), others[1], pool_).reason, HasSubstr("has other code"));
}

}  // namespace
}  // namespace warptune::tuner::carrying
