// Profiles of shipped kernels on an H200. Each finding was judged. Diagnosis must report what was judged
// true, and nothing else.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/recording_file.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "profiling/diagnosis/diagnosis.h"
#include "tests/tuner/planted_faults.h"
#include "tuner/explaining/diagnosis_input.h"
#include "tuner/knowledge/known_rows.h"

namespace warptune::tuner::explaining {
namespace {

namespace fs = std::filesystem;
using profiling::diagnosis::Diagnosis;
using profiling::diagnosis::Finding;

constexpr const char* kEnding = ".wtrec.zst";

fs::path profiles_folder() { return planted_faults_folder() / "shipped"; }

/// One profiled configuration.
struct Profile {
  std::string which;  ///< `default`; `best`, and `best_2` where the search of a second session chose another.
  Diagnosis diagnosis;
  std::string command;  ///< The command that shows it.
};

/// The judgement of one finding, as judgements.toml has it.
struct Judgement {
  std::string verdict;  ///< The severity that a true finding has: `fault`, `hint`, `limit`. Or `false`.
  std::string reason;
};
using Judgements = std::map<std::string, Judgement>;  // By rule.

/// All judgements, by the profile's name: `softmax.ragged.best`.
std::map<std::string, Judgements> read_judgements() {
  std::map<std::string, Judgements> all;
  const toml::table root = toml::parse_file((profiles_folder() / "judgements.toml").string());
  for (const auto& [kernel, sizes] : root) {
    for (const auto& [size, profiles] : *sizes.as_table()) {
      for (const auto& [which, rules] : *profiles.as_table()) {
        Judgements& judgements = all[fmt::format("{}.{}.{}", kernel.str(), size.str(), which.str())];
        for (const auto& [rule, judgement] : *rules.as_table())
          judgements[std::string(rule.str())] = {judgement.as_array()->at(0).value_or(std::string()),
                                                 judgement.as_array()->at(1).value_or(std::string())};
      }
    }
  }
  return all;
}

/// The recordings without their ending: `softmax-ragged`.
std::vector<std::string> recorded_profiles() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(profiles_folder())) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(kEnding)) names.push_back(file.substr(0, file.size() - std::string(kEnding).size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string changes_of(const model::NamedValues& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration)
    text += fmt::format(" --set {}={}", name, model::to_text(value));
  return text;
}

std::vector<Profile> profiles_of(const std::string& name) {
  const fs::path file = profiles_folder() / (name + kEnding);
  model::Recording recording = db::read_recording(file);
  const model::NamedValues normal = recording.default_configuration;
  std::sort(recording.measurements.begin(), recording.measurements.end(),
            [](const auto& a, const auto& b) { return a.time->median_ns < b.time->median_ns; });
  std::vector<Profile> profiles;
  std::size_t best = 0;
  for (const model::Measurement& row : recording.measurements) {
    const bool is_default = row.configuration == normal;
    if (!is_default) ++best;
    profiles.push_back({is_default  ? "default"
                        : best == 1 ? "best"
                                    : fmt::format("best_{}", best),
                        profiling::diagnosis::diagnose(diagnosis_input(recording, row)),
                        fmt::format("warptune profile {} --default{}", file.string(),
                                    is_default ? "" : changes_of(row.configuration))});
  }
  return profiles;
}

/// `softmax-ragged` becomes `softmax.ragged`.
std::string key_of(std::string name, const std::string& which) {
  name[name.rfind('-')] = '.';
  return name + "." + which;
}

class ShippedProfileTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedProfileTest, HasTheFindingsThatWereJudgedTrueAndNoOther) {
  const std::map<std::string, Judgements> all = read_judgements();
  for (const Profile& profile : profiles_of(GetParam())) {
    const std::string key = key_of(GetParam(), profile.which);
    SCOPED_TRACE(fmt::format("{}; see it by: {}", key, profile.command));
    const auto known = all.find(key);
    const Judgements judgements = known == all.end() ? Judgements{} : known->second;
    std::set<std::string> reported;
    for (const Finding& finding : profile.diagnosis.findings) {
      reported.insert(finding.rule);
      const auto judged = judgements.find(finding.rule);
      if (judged == judgements.end()) {
        ADD_FAILURE() << finding.rule << " is new: " << finding.title
                      << "\nRead it against the kernel's source, and write the judgement to judgements.toml.";
        continue;
      }
      EXPECT_EQ(judged->second.verdict, to_string(finding.severity))
          << finding.rule << ": " << finding.title << "\njudged: " << judged->second.reason;
    }
    for (const auto& [rule, judgement] : judgements) {
      EXPECT_TRUE(judgement.verdict == "false" || reported.contains(rule))
          << rule << " is no longer reported, but it is true: " << judgement.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, ShippedProfileTest, ::testing::ValuesIn(recorded_profiles()),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

// Writes a recording for each workload of a database that scripts/gpu-profiles made.
void record(const fs::path& database) {
  std::set<std::string> written;
  for (const db::Session& session : db::Store::open_existing(database).sessions()) {
    const model::Workload& workload = session.workload;
    const kernel_templates::KernelInstance usual(kernel_templates::load_kernel(workload.kernel), {},
                                                 workload.gpu);
    const std::string name =
        fmt::format("{}-{}", workload.kernel, usual.problem() == workload.problem ? "default" : "ragged");
    if (!written.insert(name).second) continue;
    knowledge::WorkloadQuestion question;
    question.kernel = workload.kernel;
    question.sizes = workload.problem;
    question.gpu = workload.gpu.name;
    question.database = database;
    db::write_recording(profiles_folder() / (name + kEnding),
                        knowledge::stored_rows(question, {}, {}).recording);
  }
}

// With WARPTUNE_RECORD_PROFILES=DATABASE it first adds the profiles of that database.
TEST(ShippedProfiles, AreThoseThatWereJudged) {
  if (const char* database = std::getenv("WARPTUNE_RECORD_PROFILES")) record(database);
  std::set<std::string> recorded;
  std::map<std::string, int> counts;
  std::map<std::string, int> findings_of_rule;
  for (const std::string& name : recorded_profiles()) {
    for (const Profile& profile : profiles_of(name)) {
      recorded.insert(key_of(name, profile.which));
      for (const Finding& finding : profile.diagnosis.findings) ++findings_of_rule[finding.rule];
    }
  }
  int judged = 0;
  for (const auto& [key, judgements] : read_judgements()) {
    EXPECT_TRUE(recorded.contains(key)) << key << " is judged, but there is no such profile";
    for (const auto& [rule, judgement] : judgements) {
      ++judged;
      ++counts[judgement.verdict];
      EXPECT_FALSE(judgement.reason.empty()) << key << " " << rule;
      EXPECT_TRUE(std::set<std::string>({"fault", "hint", "limit", "false"}).contains(judgement.verdict))
          << key << " " << rule << ": " << judgement.verdict;
    }
  }
  fmt::print("{} profiles, {} judged findings: {} faults, {} hints and {} limits are true, {} are false\n",
             recorded.size(), judged, counts["fault"], counts["hint"], counts["limit"], counts["false"]);
  for (const auto& [rule, findings] : findings_of_rule) fmt::print("{:<26} {}\n", rule, findings);
}

}  // namespace
}  // namespace warptune::tuner::explaining
