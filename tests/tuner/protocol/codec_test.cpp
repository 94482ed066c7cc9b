// Encodes and decodes every message, and lists what the codec refuses.
#include "tuner/protocol/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace warptune::tuner::protocol {
namespace {

using model::Status;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
T sent(const T& message) {
  const base::Result<Message> got = decode(encode(message));
  if (!got) throw std::runtime_error(got.error());
  return std::get<T>(*got);
}

// Why bytes are not a message.
std::string refusal(const std::string& bytes, const Limits& limits = {}) {
  const base::Result<Message> got = decode(bytes, limits);
  return got ? "accepted" : got.error();
}

// CBOR after its length, without attached bytes.
std::string framed(const std::string& cbor) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(cbor.size() >> (8 * i) & 0xFFU));
  return bytes + cbor;
}

std::string cbor(const json& form) {
  std::string bytes;
  json::to_cbor(form, bytes);
  return framed(bytes);
}

std::string all_bytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  return bytes;
}

kernel_templates::CompiledKernel compiled_kernel() {
  kernel_templates::CompiledKernel compiled;
  compiled.cubin = all_bytes();
  compiled.entries = {{"f<1>", "_Z1f", 40, 1024, 16, 8}};
  compiled.variables = {{"&c", "_Zc"}};
  compiled.log = "ptxas info\n";
  compiled.compile_ms = 12.5;
  compiled.from_cache = true;
  return compiled;
}

model::Measurement full_measurement() {
  model::Measurement measurement;
  measurement.configuration = {{"B", std::int64_t{2}}, {"A", false}};
  measurement.status = Status::kMeasured;
  measurement.reason = "none";
  measurement.time = {1000.5, 990.25, 1010.75};
  measurement.samples_ns = {990.25, 1000.5, 1010.75};
  measurement.resources = {32, 1024, 2048, 16, 256, 512, 6, 0.75};
  measurement.counters = {{"dram__bytes.sum", 1.0e12}, {"a", 0.1}};
  measurement.compile_ms = 12.5;
  measurement.measure_ms = 3.25;
  measurement.time_stamp_ms = 1700000000123;
  return measurement;
}

TEST(CodecTest, EveryMessageComesBackAsItself) {
  const auto check = [](const auto& message) {
    const base::Result<Message> got = decode(encode(message));
    ASSERT_TRUE(got) << message.kName << ": " << got.error();
    EXPECT_TRUE(std::holds_alternative<std::decay_t<decltype(message)>>(*got)) << message.kName;
    EXPECT_EQ(encode(*got), encode(message)) << message.kName;
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (check(std::variant_alternative_t<I, Message>{}), ...); }
  (std::make_index_sequence<std::variant_size_v<Message>>());
}

TEST(CodecTest, ValuesKeepOrderTypesAndAllDigits) {
  Evaluate message;
  message.configuration = {{"Z", std::int64_t{9007199254740993}},
                           {"A", std::numeric_limits<std::int64_t>::min()},
                           {"M", std::numeric_limits<std::int64_t>::max()},
                           {"B", true},
                           {"one", 1.0},
                           {"tenth", 0.1},
                           {"tiny", 5e-324},
                           {"text", std::string("a\nb\"c\\")},
                           {"empty", std::string()}};
  message.id = ~std::uint64_t{0};
  message.incumbent_ns = 1e300;
  message.compiled = compiled_kernel();
  const Evaluate got = sent(message);
  EXPECT_EQ(got.configuration, message.configuration);
  EXPECT_EQ(got.id, message.id);
  EXPECT_EQ(got.incumbent_ns, message.incumbent_ns);
  EXPECT_EQ(got.compiled.cubin, all_bytes());
  EXPECT_EQ(got.compiled.entries.at(0).spill_bytes, 8);
  EXPECT_EQ(got.compiled.variables.at(0).lowered_name, "_Zc");
  EXPECT_TRUE(got.compiled.from_cache);
}

TEST(CodecTest, AMeasurementComesBackWhole) {
  const Evaluated got = sent(Evaluated{7, full_measurement(), true, true});
  EXPECT_TRUE(got.counting);
  EXPECT_EQ(got.measurement.configuration, full_measurement().configuration);
  EXPECT_EQ(got.measurement.samples_ns, full_measurement().samples_ns);
  EXPECT_EQ(got.measurement.counters, full_measurement().counters);
  EXPECT_EQ(got.measurement.resources.theoretical_occupancy, 0.75);
  EXPECT_EQ(encode(got), encode(Evaluated{7, full_measurement(), true, true}));
}

TEST(CodecTest, UnknownNumbersComeBackUnknown) {
  model::Measurement measurement = full_measurement();
  measurement.resources.blocks_per_sm.reset();
  measurement.resources.theoretical_occupancy.reset();
  const Evaluated got = sent(Evaluated{7, measurement, true, true});
  EXPECT_EQ(got.measurement.resources.blocks_per_sm, std::nullopt);
  EXPECT_EQ(got.measurement.resources.theoretical_occupancy, std::nullopt);
}

TEST(CodecTest, ACompileRequestComesBackWhole) {
  const kernel_templates::CompileRequest request = {"a.cu",  "line\n\x01",  {"f<1>", "g"}, {"-std=c++17", ""},
                                                    "sm_90", {"cudadevrt"}, {"&c"}};
  const Compile got = sent(Compile{request});
  EXPECT_EQ(got.request.program_name, request.program_name);
  EXPECT_EQ(got.request.source, request.source);
  EXPECT_EQ(got.request.entries, request.entries);
  EXPECT_EQ(got.request.options, request.options);
  EXPECT_EQ(got.request.architecture, request.architecture);
  EXPECT_EQ(got.request.libraries, request.libraries);
  EXPECT_EQ(got.request.variables, request.variables);
}

TEST(CodecTest, EveryOptionOfMeasuringReachesTheWorker) {
  profiling::MeasuringOptions options;
  options.seed = 7;
  options.cache = model::CacheState::kWarm;
  options.count = false;
  options.metrics = {"dram__bytes.sum"};
  options.thorough = true;
  options.measure_energy = true;
  options.measure_error = true;
  options.compile_cache = "/a/cache";
  const profiling::MeasuringOptions got = sent(PrepareGpu{{}, 1, options, {}, true}).measuring;
  EXPECT_EQ(got.seed, 7U);
  EXPECT_EQ(got.cache, model::CacheState::kWarm);
  EXPECT_FALSE(got.count);
  EXPECT_EQ(got.metrics, options.metrics);
  EXPECT_TRUE(got.thorough);
  EXPECT_TRUE(got.measure_energy);
  EXPECT_TRUE(got.measure_error);
  EXPECT_EQ(got.compile_cache, "/a/cache");
}

TEST(CodecTest, WhatAProgramGivesAndJudgesComesBackWhole) {
  using kernel_templates::ContentsRole;
  const std::vector<kernel_templates::GivenContents> contents = {
      {"x", ContentsRole::kFirst, "f32", "/proc/1/fd/7"},
      {"y", ContentsRole::kExpected, "i8", "/proc/1/fd/8"},
      {"y", ContentsRole::kResult, "i8", "/proc/1/fd/9"}};
  EXPECT_EQ(sent(protocol::SetUp{"/a/k.cu", {}, {}, contents, false}).contents, contents);
  const Judged judged = sent(Judged{false, "element 3"});
  EXPECT_FALSE(judged.right);
  EXPECT_EQ(judged.reason, "element 3");
  sent(ResultsWritten{});
}

TEST(CodecTest, HotLinesComeBackWhole) {
  profiling::HotLines lines;
  lines.lines.push_back({{"a.cu", 7}, "x = 1;", 12, 0.75, {{"barrier", 9}, {"selected", 3}}});
  lines.samples = 16;
  lines.dropped = 2;
  lines.launches = 5;
  lines.problem = "none";
  const profiling::HotLines got = sent(HotLinesSampled{lines}).lines;
  ASSERT_EQ(got.lines.size(), 1U);
  EXPECT_EQ(got.lines[0].line, lines.lines[0].line);
  EXPECT_EQ(got.lines[0].stalls.at(1).samples, 3U);
  EXPECT_EQ(encode(HotLinesSampled{got}), encode(HotLinesSampled{lines}));
  EXPECT_EQ(got.launches, 5);
}

TEST(CodecTest, TracedStepsComeBackWhole) {
  using profiling::tracing::StepKind;
  using profiling::tracing::StepMemory;
  profiling::tracing::ProgramTimeline program;
  for (const StepKind kind :
       {StepKind::kLaunch, StepKind::kCopy, StepKind::kFill, StepKind::kPrefetch, StepKind::kLibraryCall,
        StepKind::kAllocate, StepKind::kWait, StepKind::kSynchronise})
    program.steps.push_back({kind, "a to b", 1, 64, StepMemory::kPinned, StepMemory::kPageable});
  program.steps.push_back({StepKind::kCopy, "a to b", 0, 8, StepMemory::kManaged, StepMemory::kDevice});
  program.kernels = {{"k", {1, 2, 3}, {4, 5, 6}, {7, 8, 9}, 10, 11, 12, 13}};
  program.streams = 2;
  program.graph = true;
  program.timed_by_host = true;
  program.runs = {{100, {{0, 5}, {5, 9}}, {{1, std::nullopt, {-3, 7}}, {0, 0, {8, 9}}}}};
  program.dropped = 4;
  program.problem = "none";
  const profiling::tracing::ProgramTimeline got = sent(StepsTraced{program}).program;
  EXPECT_EQ(got.steps, program.steps);
  EXPECT_EQ(got.kernels, program.kernels);
  EXPECT_EQ(got.runs, program.runs);
  EXPECT_EQ(encode(StepsTraced{got}), encode(StepsTraced{program}));
  TraceSteps asked;
  asked.kernel = "a.cu";
  asked.ordinal = 3;
  asked.configuration = {{"A", std::int64_t{1}}};
  EXPECT_EQ(encode(sent(asked)), encode(asked));
}

TEST(CodecTest, ARequestForOneLaunchIsTheSameAfterwards) {
  LaunchOnce asked;
  asked.kernel = "a.cu";
  asked.ordinal = 3;
  asked.seed = 7;
  asked.configuration = {{"A", std::int64_t{1}}};
  asked.compiled.cubin = std::string("\0code", 5);
  asked.deadline_s = 65;
  const LaunchOnce got = sent(asked);
  EXPECT_EQ(got.compiled.cubin, asked.compiled.cubin);
  EXPECT_EQ(got.deadline_s, 65);
  EXPECT_EQ(encode(got), encode(asked));
  EXPECT_EQ(sent(LaunchedOnce{"it failed"}).problem, "it failed");
}

TEST(CodecTest, EveryStatusCauseAndKindComesBack) {
  for (const Status status : model::all_statuses()) {
    EXPECT_EQ(sent(Rejected{{status, "no"}}).rejection.status, status);
  }
  for (const model::RejectionCause cause : model::all_rejection_causes()) {
    EXPECT_EQ(sent(Rejected{{Status::kCompileFailed, "no", cause}}).rejection.cause, cause);
  }
  for (const base::ErrorKind kind : {base::ErrorKind::kWork, base::ErrorKind::kInput,
                                     base::ErrorKind::kMachine, base::ErrorKind::kInternal}) {
    EXPECT_EQ(sent(Failure{kind, {}, "no"}).kind, kind);
  }
}

TEST(CodecTest, ANumberThatIsNoneComesBackAsNone) {
  model::Measurement measurement = full_measurement();
  measurement.time = {kInfinity, -kInfinity, std::nullopt};
  measurement.counters = {{"a", kNan}};
  EXPECT_EQ(sent(Evaluated{1, measurement, false, false}).measurement.time, measurement.time);
  measurement.time = {kNan, 4.0, kInfinity};
  const model::Measurement got = sent(Evaluated{1, measurement, false, false}).measurement;
  EXPECT_EQ(model::median_ns_of(got), std::nullopt);
  EXPECT_EQ(model::low_ns_of(got), 4.0);
  EXPECT_EQ(model::high_ns_of(got), kInfinity);
  EXPECT_TRUE(std::isnan(got.counters.at("a")));
  measurement.time.reset();
  EXPECT_EQ(sent(Evaluated{1, measurement, false, false}).measurement.time, std::nullopt);
}

TEST(CodecTest, WhatIsNoMessageIsRefusedWithTheReason) {
  EXPECT_EQ(refusal(""), "it is incomplete");
  EXPECT_THAT(refusal(framed("")), HasSubstr("not CBOR"));
  EXPECT_THAT(refusal(framed("\xff\xff\xff")), HasSubstr("not CBOR"));
  EXPECT_EQ(refusal(encode(ListGpus{}) + "x"), "expected no more attached bytes than announced");
  const std::string whole = encode(Evaluate{1, {}, compiled_kernel(), 0.0});
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(refusal(whole.substr(0, length)), "accepted") << length;
  EXPECT_EQ(refusal(whole.substr(0, whole.size() - 1)), "expected as many attached bytes as announced");
  EXPECT_THAT(refusal(cbor(json::array({1, 2}))), HasSubstr("an object"));
  EXPECT_THAT(refusal(cbor({{"id", 1}})), HasSubstr("the name of a message"));
  EXPECT_THAT(refusal(cbor({{"type", "dance"}})), HasSubstr("'dance'"));
  EXPECT_EQ(refusal(cbor({{"type", "counted"}})), "there is no id");
}

TEST(CodecTest, WhyAMessageIsRefusedIsNeverSaidInTheWordsOfTheJsonLibrary) {
  const std::string whole = encode(Interleaved{{{{1.5}, model::Rejection{Status::kWrongResult, "differs"}}}});
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      const std::string why = refusal(bytes);
      EXPECT_THAT(why, Not(HasSubstr("json.exception"))) << at << ": " << value;
      if (why != "accepted") ++refused;
    }
  }
  EXPECT_GT(refused, 1000U);
}

TEST(CodecTest, AMemberOfAnotherTypeOrRangeIsRefusedByItsName) {
  const auto counted = [](const json& id) { return refusal(cbor({{"type", "counted"}, {"id", id}})); };
  EXPECT_EQ(counted("1"), "id: expected an integer");
  EXPECT_EQ(counted(1.5), "id: expected an integer");
  EXPECT_EQ(counted(-1), "id: expected an integer in range");
  EXPECT_EQ(counted(1), "accepted");
  const auto failure = [](const json& kind, const json& line) {
    return refusal(cbor({{"type", "failure"},
                         {"kind", kind},
                         {"file", ""},
                         {"line", line},
                         {"column", 0},
                         {"message", "failure"}}));
  };
  EXPECT_EQ(failure("odd", 1), "kind: expected a known name");
  EXPECT_EQ(failure("work", std::int64_t{1} << 40), "line: expected an integer in range");
  EXPECT_EQ(refusal(cbor({{"type", "evaluate"},
                          {"id", 1},
                          {"configuration", json::array({json::array({"A"})})},
                          {"compiled", nullptr},
                          {"incumbent_ns", 0}})),
            "configuration: expected a name with its value");
}

TEST(CodecTest, EveryLengthHasALimit) {
  Limits limits;
  const std::string longer = encode(Warning{std::string(100, 'x')});
  limits.message_bytes = longer.size() - 1;
  EXPECT_THAT(refusal(longer, limits), HasSubstr("bytes where"));
  EXPECT_THROW(encode(Warning{std::string(100, 'x')}, limits), base::InternalError);
  limits = {};
  limits.text_bytes = 99;
  EXPECT_EQ(refusal(longer, limits), "a text of 100 where 99 are accepted");
  EXPECT_THAT(refusal(encode(Evaluate{1, {}, compiled_kernel(), 0.0}), limits), HasSubstr("bytes of 256"));
  limits = {};
  limits.items = 4;
  EXPECT_EQ(refusal(encode(Interleaved{{{{1.0, 2.0, 3.0, 4.0, 5.0}, {}}}}), limits),
            "items of 5 where 4 are accepted");
  EXPECT_EQ(refusal(encode(Interleaved{{{{1.0, 2.0, 3.0, 4.0}, {}}}}), limits), "accepted");
}

TEST(CodecTest, DepthHasALimitSoThatNoMessageOverflowsTheStack) {
  const std::string lists(1 << 20, '\x81');  // Lists nested in each other.
  EXPECT_THAT(refusal(framed(lists)), HasSubstr("a depth of 13"));
  const std::string objects = [] {
    std::string bytes;
    for (int i = 0; i < 1 << 20; ++i) bytes += std::string("\xa1\x61") + "a";
    return bytes;
  }();
  EXPECT_THAT(refusal(framed(objects)), HasSubstr("a depth of 13"));
}

TEST(CodecTest, AnAnnouncedLengthTakesNoMemory) {
  // A list, a text and bytes that claim to have 2^60 items.
  for (const char* head : {"\x9b", "\x7b", "\x5b"}) {
    const std::string bytes = std::string(head) + '\x10' + std::string(7, '\0');
    EXPECT_NE(refusal(framed(bytes)), "accepted");
  }
}

TEST(FailureTest, AnErrorKeepsItsKindMessageAndPosition) {
  const auto thrown_again = [](const std::exception& error) { throw_failure(sent(failure_of(error))); };
  try {
    thrown_again(base::InputError("found ')'", {"k.cu", 3, 7}));
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(), "k.cu:3:7: found ')'");
    EXPECT_EQ(error.message(), "found ')'");
    EXPECT_EQ(error.position(), (base::SourcePosition{"k.cu", 3, 7}));
  }
  EXPECT_THROW(thrown_again(base::MachineError("no GPU", "buy one")), base::MachineError);
  EXPECT_THROW(thrown_again(base::WorkError("nothing")), base::WorkError);
  try {
    thrown_again(base::InternalError("a bug"));
    FAIL();
  } catch (const base::InternalError& error) {
    EXPECT_STREQ(error.what(), "internal error: a bug");
  }
  EXPECT_THROW(thrown_again(std::runtime_error("anything")), base::InternalError);
}

}  // namespace
}  // namespace warptune::tuner::protocol
