// `query --reproducible`, `export --reproducible` and `tune --reproducible`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tests/tuner/program.h"
#include "tests/tuner/stored_winners.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A = 1 is the default.
class ReproducibleCommandTest : public ::testing::Test {
 protected:
  struct Row {
    std::int64_t a;
    double time_ns;
    model::Counters counters;
  };

  static model::Counters bits(double outputs, double differing = 0.0) {
    return {{"compared_launches", 14.0},
            {"differing_launches", differing},
            {"input_digest", 1.0},
            {"output_digest", outputs}};
  }

  void SetUp() override {
    kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
    std::filesystem::create_directories(warptune_.database().parent_path());
  }

  void store(const std::vector<Row>& rows, const char* gpu = "NVIDIA Big", int sm_count = 132) {
    db::Store store(warptune_.database());
    const kernel_templates::KernelInstance instance(kernel_templates::load_kernel_definition(kernel_), {},
                                                    testing::named_gpu(gpu, sm_count));
    db::Session session;
    session.workload = knowledge::workload_of(instance, model::CacheState::kCold);
    const std::int64_t id = store.begin_session(session);
    for (const Row& row : rows) {
      model::Measurement measurement = testing::measured({{"A", row.a}, {"B", false}}, row.time_ns);
      measurement.counters = row.counters;
      store.add_measurement(id, measurement);
    }
  }

  // A = 4 was not compared, A = 3 differs from launch to launch, A = 2 has the bits of the default.
  void store_usual_rows() {
    store({{1, 400, bits(7)}, {2, 300, bits(7)}, {3, 200, bits(7, 2)}, {4, 100, {}}});
  }

  testing::Warptune warptune_;
  std::string kernel_;
};

TEST_F(ReproducibleCommandTest, QueryPassesOverWhatIsNotKnownToBeReproducibleAndSaysHowMany) {
  store_usual_rows();
  EXPECT_THAT(warptune_.run({"query", kernel_}).out, Not(HasSubstr("reproducible")));
  const testing::ProgramRun run = warptune_.run({"query", kernel_, "--reproducible"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(
      run.out,
      AllOf(HasSubstr("reproducible (bits): gave the same bits in 14 launches, and those of the default\n"),
            HasSubstr("passed over, although they rank above: 1 configuration does not, and of 1 other "
                      "it is not known, which `warptune tune "),
            HasSubstr("--reproducible=bits` finds out\n"), Not(HasSubstr("gave other bits"))));
  const nlohmann::json answer = warptune_.json_of({"query", kernel_, "--reproducible=bits"});
  EXPECT_EQ(answer.at("configuration").at("A"), 2);
  EXPECT_EQ(answer.at("reproducible").at("demand"), "bits");
  EXPECT_EQ(answer.at("reproducible").at("unmet_count"), 1);
  EXPECT_EQ(answer.at("reproducible").at("unknown_count"), 1);
  EXPECT_EQ(answer.at("reproducible").at("passed_over").at(0).at("known"), false);
  EXPECT_EQ(warptune_.json_of({"query", kernel_}).at("reproducible"), nullptr);
}

TEST_F(ReproducibleCommandTest, ExplainNamesThosePassedOver) {
  store_usual_rows();
  EXPECT_THAT(warptune_.run({"query", kernel_, "--reproducible=runs", "--explain"}).out,
              AllOf(HasSubstr("  A=4 B=false (100 ns): its launches were not compared\n"),
                    HasSubstr("  A=3 B=false (200 ns): gave other bits in 2 of 14 launches\n")));
}

TEST_F(ReproducibleCommandTest, OtherBitsThanTheDefaultAreEnoughForRuns) {
  store({{1, 400, bits(7)}, {2, 300, bits(8)}});
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--reproducible=runs"}).at("configuration").at("A"), 2);
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--reproducible=bits"}).at("configuration").at("A"), 1);
}

TEST_F(ReproducibleCommandTest, AConfirmedRowWinsOverOneThatIsHardlyFaster) {
  model::Counters confirmed = bits(7);
  confirmed["verified_launches"] = 300.0;
  confirmed["deviating_launches"] = 0.0;
  store({{1, 400, bits(7)}, {2, 301, confirmed}, {3, 300, bits(7)}, {4, 320, confirmed}});
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--reproducible"}).at("configuration").at("A"), 2);
}

TEST_F(ReproducibleCommandTest, AnErrorIsBounded) {
  store({{1, 400, {{"error_max_relative", 1e-7}}}, {2, 300, {{"error_max_relative", 1e-3}}}});
  const nlohmann::json answer = warptune_.json_of({"query", kernel_, "--reproducible=relative=1e-5"});
  EXPECT_EQ(answer.at("configuration").at("A"), 1);
  EXPECT_EQ(answer.at("reproducible").at("passed_over").at(0).at("reason"), "has error_max_relative 0.001");
}

TEST_F(ReproducibleCommandTest, WithoutARowThatMeetsTheDemandThereIsNoAnswer) {
  store({{1, 400, {}}, {2, 300, bits(7, 1)}});
  const testing::ProgramRun run = warptune_.run({"query", kernel_, "--reproducible"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("nothing that is stored of toy N=1024 on NVIDIA Big gives the bits of the "
                              "default in each launch: 1 configuration does not, and of 1 other it is "
                              "not known"),
                    HasSubstr("--reproducible=bits` finds out")));
}

TEST_F(ReproducibleCommandTest, ResultsOfAnotherSizeProveNothing) {
  store_usual_rows();
  const testing::ProgramRun run = warptune_.run({"query", kernel_, "--reproducible", "--size", "N=2048"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("nothing is stored of toy N=2048 on NVIDIA Big"),
                             HasSubstr("say nothing about the outputs here")));
}

TEST_F(ReproducibleCommandTest, AnObjectiveThatNoRowHasIsNotCalledAMissingResult) {
  store_usual_rows();
  const testing::ProgramRun run =
      warptune_.run({"query", kernel_, "--reproducible", "--objective", "energy"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err,
              HasSubstr("nothing that is stored of toy N=1024 on NVIDIA Big from a cold L2 cache has "
                        "the objective energy"));
}

TEST_F(ReproducibleCommandTest, ExportHasOnlyWhatMeetsTheDemand) {
  store_usual_rows();
  store({{1, 400, bits(9)}, {4, 300, {}}}, "NVIDIA Small", 40);
  const testing::ProgramRun run = warptune_.run({"export", kernel_, "--reproducible"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("NVIDIA Big, N=1024: median 300 ns"),
                             HasSubstr("NVIDIA Small, N=1024: median 400 ns")));
  EXPECT_THAT(run.err, HasSubstr("toy N=1024: the outputs have other bits on "));
  store({{4, 100, {}}}, "NVIDIA Third", 60);
  EXPECT_THAT(
      warptune_.run({"export", kernel_, "--reproducible"}).err,
      HasSubstr("nothing that is stored of toy N=1024 on NVIDIA Third gives the bits of the default"));
}

TEST_F(ReproducibleCommandTest, APortableChoiceMeetsTheDemandOnEachGpuAndHasTheSameBitsOnAll) {
  store({{1, 400, bits(7)}, {2, 300, bits(7)}, {3, 100, bits(7)}});
  store({{1, 400, bits(7)}, {2, 300, bits(7)}, {3, 100, bits(8)}}, "NVIDIA Small", 40);
  EXPECT_EQ(warptune_.json_of({"query", kernel_, "--portable"}).at("configuration").at("A"), 3);
  const nlohmann::json answer = warptune_.json_of({"query", kernel_, "--portable", "--reproducible"});
  EXPECT_EQ(answer.at("configuration").at("A"), 2);
  EXPECT_THAT(answer.at("passed_over").at("reason").get<std::string>(),
              HasSubstr("gives other bits than the default"));
  EXPECT_EQ(
      warptune_.json_of({"query", kernel_, "--portable", "--reproducible=runs"}).at("configuration").at("A"),
      3);
}

TEST_F(ReproducibleCommandTest, GpusWhoseDefaultsDifferHaveNoPortableBits) {
  store({{1, 400, bits(7)}});
  store({{1, 400, bits(8)}}, "NVIDIA Small", 40);
  const testing::ProgramRun run = warptune_.run({"query", kernel_, "--portable", "--reproducible"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("gives the bits of the default in each launch"));
}

TEST_F(ReproducibleCommandTest, AGpuWithoutRowsHasNoPortableChoiceWithADemand) {
  store({{1, 400, bits(7)}, {2, 300, bits(7)}});
  const std::vector<std::string> asked = {"query",      kernel_, "--portable",   "--gpu",
                                          "NVIDIA Big", "--gpu", "cc=80,sms=108"};
  EXPECT_EQ(warptune_.run(asked).exit_code, 0);
  std::vector<std::string> demanding = asked;
  demanding.emplace_back("--reproducible=runs");
  const testing::ProgramRun run = warptune_.run(demanding);
  EXPECT_EQ(run.exit_code, 1) << run.out;
  EXPECT_THAT(run.err, HasSubstr("gives the same bits in each launch"));
}

TEST_F(ReproducibleCommandTest, BitsOnOtherInputsAreNotComparedAcrossGpus) {
  model::Counters other_inputs = bits(8);
  other_inputs["input_digest"] = 2.0;
  store({{1, 400, bits(7)}});
  store({{1, 400, other_inputs}}, "NVIDIA Small", 40);
  EXPECT_EQ(warptune_.run({"query", kernel_, "--portable", "--reproducible"}).exit_code, 1);
  EXPECT_EQ(warptune_.run({"query", kernel_, "--portable", "--reproducible=runs"}).exit_code, 0);
}

TEST_F(ReproducibleCommandTest, AnExportWithoutAnythingReproducibleSaysWhyOnce) {
  store({{4, 100, {}}});
  const testing::ProgramRun run = warptune_.run({"export", kernel_, "--reproducible"});
  EXPECT_EQ(run.exit_code, 1);
  const std::string why = "nothing that is stored of toy N=1024 on NVIDIA Big gives the bits of the default";
  EXPECT_THAT(run.err, HasSubstr(why));
  EXPECT_EQ(run.err.find(why), run.err.rfind(why)) << run.err;
}

TEST_F(ReproducibleCommandTest, ARecordingHasNoOutputsToCompare) {
  const std::string recording = (warptune_.folder() / "toy.wtrec.zst").string();
  const testing::ProgramRun replayed =
      warptune_.run({"tune", kernel_, "--replay", recording, "--reproducible"});
  EXPECT_EQ(replayed.exit_code, 2);
  EXPECT_THAT(replayed.err,
              HasSubstr("--reproducible compares the outputs of launches, and a recording has"));
}

TEST_F(ReproducibleCommandTest, AnObjectiveWithoutFinalRoundsAndAWrongDemandAreRefused) {
  const testing::ProgramRun energy =
      warptune_.run({"tune", kernel_, "--objective", "energy", "--reproducible"});
  EXPECT_EQ(energy.exit_code, 2);
  EXPECT_THAT(energy.err, HasSubstr("--reproducible compares outputs in the final rounds"));
  const testing::ProgramRun wrong = warptune_.run({"query", kernel_, "--reproducible=tight"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--reproducible=tight: expected runs|bits|absolute=X|relative=X|ulp=X"));
}

}  // namespace
}  // namespace warptune::tuner::commands
