// The shipped experiments. Their code compiles for every architecture, their pages match their recordings,
// and theory holds for every core counter. This command writes the pages:
//   WARPTUNE_UPDATE_SNAPSHOTS=1 ctest -R tuner.*LabPage

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/compiler.h"
#include "profiling/counters/metrics.h"
#include "tests/kernel_templates/library_cases.h"
#include "tuner/lab/lab_page.h"

namespace warptune::tuner::lab {
namespace {

namespace fs = std::filesystem;
using kernel_templates::Experiment;

fs::path lab_folder() { return kernel_templates::tested_sources() / "kernel_templates/lab"; }

// The folder in the checkout. The list is needed before the environment of the tests is set.
std::vector<std::string> experiments() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(lab_folder())) {
    if (entry.path().extension() != ".toml") continue;
    const std::string text = base::read_file(entry.path());
    if (text.rfind("[experiment]", 0) == 0 || text.find("\n[experiment]") != std::string::npos)
      names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Experiment shipped(const std::string& name) {
  return kernel_templates::load_experiment(lab_folder() / (name + ".toml"));
}

fs::path recordings() { return kernel_templates::tested_sources() / "recordings/lab"; }

fs::path pages() { return kernel_templates::tested_sources() / "docs/lab"; }

bool updating() { return std::getenv("WARPTUNE_UPDATE_SNAPSHOTS") != nullptr; }

void compare(const LabFile& file) {
  const fs::path path = pages() / file.first;
  if (updating()) {
    fs::create_directories(pages());
    base::write_file_atomically(path, file.second);
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << path << " is missing; WARPTUNE_UPDATE_SNAPSHOTS=1 writes it";
  EXPECT_EQ(base::read_file(path), file.second)
      << path << " differs; WARPTUNE_UPDATE_SNAPSHOTS=1 writes it anew";
}

class LabPage : public ::testing::TestWithParam<std::string> {};

TEST_P(LabPage, IsWhatTheRecordingSays) {
  if (!is_recorded(shipped(GetParam()), recordings())) {
    EXPECT_FALSE(fs::exists(pages() / (GetParam() + ".md"))) << "a page without a recording";
    GTEST_SKIP() << "there is no recorded run";
  }
  const LabResult result = read_lab_result(shipped(GetParam()), recordings());
  const LabJudgement judgement = judge(result);
  for (const LabFile& file : lab_page(result, judgement)) compare(file);
  EXPECT_EQ(judgement.count(LabVerdict::kUnknown), 0U) << "a verdict for every claim";
  for (const JudgedClaim& claim : judgement.claims) {
    for (const JudgedEvidence& evidence : claim.evidence) {
      EXPECT_THAT(evidence.values, ::testing::Each(::testing::Ne(std::nullopt))) << evidence.text;
      EXPECT_TRUE(evidence.values.size() == 1 || !evidence.labels.empty()) << evidence.text;
    }
  }
}

class LabCompile : public ::testing::TestWithParam<std::string> {};

// For the GPU of the recordings this compiles all configurations. For other GPUs it compiles one
// configuration for each session. Shipped kernels are left out there, because their own test compiles them.
TEST_P(LabCompile, RowsCompileForEveryArchitecture) {
  try {
    kernel_templates::nvrtc_version();
  } catch (const base::MachineError&) {
    GTEST_SKIP() << "NVRTC cannot be loaded";
  }
  const Experiment experiment = shipped(GetParam());
  std::size_t turn = 0;
  for (const model::GpuDescription& gpu : kernel_templates::tested_gpus()) {
    LabPlan plan = plan_experiment(experiment, gpu);
    ++turn;
    for (LabSession& session : plan.sessions) {
      auto& all = session.configurations;
      if (gpu.compute_major == 9 || all.empty()) continue;
      const bool of_the_lab = fs::equivalent(session.instance->definition().path.parent_path(), lab_folder());
      std::vector<model::NamedValues> chosen;
      if (of_the_lab) chosen.push_back(all[turn % all.size()]);
      all = std::move(chosen);
    }
    EXPECT_THAT(compile_problems(plan), ::testing::IsEmpty()) << gpu.architecture();
  }
}

const auto kName = [](const auto& parameter) { return parameter.param; };
INSTANTIATE_TEST_SUITE_P(Shipped, LabPage, ::testing::ValuesIn(experiments()), kName);
INSTANTIATE_TEST_SUITE_P(Shipped, LabCompile, ::testing::ValuesIn(experiments()), kName);

TEST(LabPageNames, AreOfEveryExperimentThatIsInstalled) {
  EXPECT_EQ(kernel_templates::shipped_experiments(), experiments());
}

class LabPages : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& name : experiments()) {
      if (!is_recorded(shipped(name), recordings())) {
        unrecorded_.push_back(name);
        continue;
      }
      results_.push_back(std::make_unique<LabResult>(read_lab_result(shipped(name), recordings())));
      judgements_.push_back(std::make_unique<LabJudgement>(judge(*results_.back())));
    }
  }

  std::vector<std::unique_ptr<LabResult>> results_;
  std::vector<std::unique_ptr<LabJudgement>> judgements_;
  std::vector<std::string> unrecorded_;
};

TEST_F(LabPages, TheIndexListsAllOfThem) {
  std::vector<std::pair<const LabResult*, const LabJudgement*>> pairs;
  for (std::size_t i = 0; i < results_.size(); ++i)
    pairs.emplace_back(results_[i].get(), judgements_[i].get());
  compare(lab_index(pairs, unrecorded_));
}

TEST_F(LabPages, EveryCoreCounterMovesAsTheorySays) {
  std::set<std::string> proven;
  for (const auto& judgement : judgements_) {
    for (const JudgedTheory& row : judgement->theory) {
      if (row.within) proven.insert(row.row->metric);
    }
  }
  EXPECT_THAT(proven, ::testing::IsSupersetOf(profiling::counters::core_metrics()));
}

TEST_F(LabPages, AreOfShippedExperimentsOnly) {
  std::set<std::string> known = {"README.md"};
  for (std::size_t i = 0; i < results_.size(); ++i) {
    for (const LabFile& file : lab_page(*results_[i], *judgements_[i])) known.insert(file.first);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(pages()))
    EXPECT_EQ(known.count(entry.path().filename().string()), 1U) << entry.path();
}

}  // namespace
}  // namespace warptune::tuner::lab
