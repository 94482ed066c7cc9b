#include "tuner/campaigns/campaign_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "base/error.h"
#include "base/hash.h"
#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"
#include "tuner/campaigns/definition_bundle.h"

namespace warptune::tuner::campaigns {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class CampaignFileTest : public ::testing::Test {
 protected:
  fleet::Campaign read(const std::string& text) { return read_file(text).campaign; }
  CampaignFile read_file(const std::string& text) {
    std::ofstream(folder_ / "campaign.toml") << text;
    return read_campaign_file(folder_ / "campaign.toml");
  }
  // The message of the error, without the folder.
  std::string error_of(const std::string& text) {
    try {
      read(text);
    } catch (const base::InputError& error) {
      std::string message = error.what();
      const std::string folder = (folder_ / "campaign.toml").parent_path().string() + "/";
      for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder))
        message.erase(at, folder.size());
      return message;
    }
    return "no error";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CampaignFileTest, EachCombinationOfSizesAndEachGpuIsATask) {
  const fleet::Campaign campaign = read(R"(name = "gemm"
[[tune]]
kernel = "sgemm"
sizes = { M = [1024, 2048], N = "512..2k log2", K = 256 }
gpus = ["*H100*", { compute_capability = ">=8.0", memory = "40 GiB" }]
budget = 200
until = "0.9roof"
strategy = "random"
cache = "warm"
metrics = "none"
seed = 7
thorough = true
transfer = true
reproducible = "bits"
priority = 3
)");
  EXPECT_EQ(campaign.name, "gemm");
  ASSERT_THAT(campaign.classes, SizeIs(2));
  const fleet::TaskClass& first = campaign.classes[0];
  EXPECT_EQ(first.kernel, "sgemm");
  EXPECT_EQ(first.kernel_hash, kernel_templates::load_kernel("sgemm").hash);
  EXPECT_EQ(first.bundle, "");
  EXPECT_EQ(first.gpu.text(), "*H100*");
  EXPECT_EQ(first.priority, 3);
  EXPECT_EQ(first.options, (fleet::SessionOptions{"200", "0.9roof", "random", "time", "warm", "none", 7, true,
                                                  true, "bits"}));
  EXPECT_EQ(campaign.classes[1].gpu.text(), "compute capability 8.0 and above, memory 40 GiB and above");
  ASSERT_THAT(campaign.tasks, SizeIs(12));
  EXPECT_EQ(model::to_text(campaign.tasks[0].sizes), "M=1024 N=512 K=256");
  EXPECT_EQ(model::to_text(campaign.tasks[2].sizes), "M=1024 N=2048 K=256");
  EXPECT_EQ(model::to_text(campaign.tasks[3].sizes), "M=2048 N=512 K=256");
  EXPECT_EQ(campaign.tasks[5].class_index, 0U);
  EXPECT_EQ(campaign.tasks[6].class_index, 1U);
}

TEST_F(CampaignFileTest, DefaultsHoldForAllTablesThatSayNothingElse) {
  const fleet::Campaign campaign = read(R"(name = "two"
[defaults]
budget = "5m"
gpus = ["*H200*"]
priority = 1
[[tune]]
kernel = "transpose"
[[tune]]
kernel = "sgemm"
sizes = [{ M = 64, N = 64 }, { M = "1k..3k step 1k" }]
budget = "all"
gpus = [{ compute_capability = "9.0" }]
)");
  ASSERT_THAT(campaign.classes, SizeIs(2));
  EXPECT_EQ(campaign.classes[0].options.budget, "5m");
  EXPECT_EQ(campaign.classes[0].gpu.name, "*H200*");
  EXPECT_EQ(campaign.classes[1].options.budget, "all");
  EXPECT_EQ(campaign.classes[1].priority, 1);
  EXPECT_EQ(campaign.classes[1].gpu.text(), "compute capability 9.0");
  ASSERT_THAT(campaign.tasks, SizeIs(5));
  EXPECT_THAT(campaign.tasks[0].sizes, SizeIs(0));
  EXPECT_EQ(model::to_text(campaign.tasks[4].sizes), "M=3072");
}

TEST_F(CampaignFileTest, ADefinitionOfTheUserIsFoundBesideTheFileAndBecomesABundle) {
  testing::write_toy_kernel(folder_);
  const CampaignFile file =
      read_file("name = 'own'\n[[tune]]\nkernel = 'toy.cu'\nsizes = { N = [32, 64] }\n");
  ASSERT_THAT(file.bundles, SizeIs(1));
  const fleet::TaskClass& own = file.campaign.classes.at(0);
  EXPECT_EQ(own.kernel, "toy");
  EXPECT_EQ(own.bundle, base::hash_hex(file.bundles[0]));
  const DefinitionBundle bundle = bundle_from_bytes(file.bundles[0]);
  EXPECT_EQ(bundle.kernel_hash, own.kernel_hash);
  EXPECT_EQ(bundle.signature, "");
}

TEST_F(CampaignFileTest, TheSameFileGivesTheSameCampaignAndBundle) {
  testing::write_toy_kernel(folder_);
  const std::string text = "name = 'own'\n[[tune]]\nkernel = './toy.cu'\n";
  const CampaignFile first = read_file(text);
  const CampaignFile second = read_file(text);
  EXPECT_EQ(first.campaign.digest(), second.campaign.digest());
  EXPECT_EQ(first.bundles, second.bundles);
}

struct WrongFile {
  const char* text;
  const char* message;
};

TEST_F(CampaignFileTest, EveryMistakeIsOneSentenceWithItsPlace) {
  const std::string head = "name = 'x'\n[[tune]]\nkernel = 'transpose'\n";  // Three lines.
  const WrongFile wrong[] = {
      {"", "campaign.toml:1:1: name is missing, expected text"},
      {"name = 'a b'\n", "campaign.toml:1:8: 'a b' cannot be the name of a campaign"},
      {"name = 'x'\n", "campaign.toml: the campaign has no tasks"},
      {"name = 'x'\n[tune]\nkernel = 'transpose'\n", "campaign.toml:2:1: tune is a table"},
      {"name = 'x'\nbudget = '5s'\n", "campaign.toml:2:10: unknown key 'budget'"},
      {"name = 'x'\n[[tune]]\nsizes = {}\n", "campaign.toml:2:1: tune.kernel is missing"},
      {"name = 'x'\n[[tune]]\nkernel = 'transpos'\n", "campaign.toml:3:10: "},
      {"name = 'x'\n[[tune]]\nkernel = 'nowhere/k.cu'\n", "nowhere/k.cu"},
      {"name = ", "campaign.toml:1:"},
  };
  for (const WrongFile& one : wrong) EXPECT_THAT(error_of(one.text), HasSubstr(one.message)) << one.text;
  const WrongFile wrong_tune[] = {
      {"bugdet = '5s'\n", "campaign.toml:4:10: unknown key 'tune.bugdet' (did you mean budget"},
      {"budget = 'soon'\n", "campaign.toml:4:10: budget soon: expected a number of evaluations"},
      {"budget = true\n", "campaign.toml:4:10: tune.budget is true, expected text"},
      {"until = 'tomorrow'\n", "campaign.toml:4:9: until tomorrow"},
      {"until = '0.9roof'\nobjective = 'energy'\n",
       "campaign.toml:4:9: until 0.9roof is a share of the time"},
      {"strategy = 'lucky'\n", "campaign.toml:4:12: unknown strategy 'lucky'"},
      {"objective = 'tiem'\n", "campaign.toml:4:13: "},
      {"cache = 'lukewarm'\n", "campaign.toml:4:9: cache lukewarm: expected cold or warm"},
      {"metrics = 'a b'\n", "campaign.toml:4:11: metrics"},
      {"seed = -1\n", "campaign.toml:4:8: tune.seed is the integer -1, expected an integer, 0 or more"},
      {"thorough = 1\n", "campaign.toml:4:12: tune.thorough is the integer 1, expected true or false"},
      {"reproducible = 'often'\n", "campaign.toml:4:16: reproducible=often: expected runs|bits|"},
      {"reproducible = true\n", "campaign.toml:4:16: tune.reproducible is true, expected text"},
      {"reproducible = 'bits'\nobjective = 'energy'\n",
       "campaign.toml:4:16: reproducible compares outputs in the final rounds"},
      {"priority = 'high'\n", "campaign.toml:4:12: tune.priority is the text"},
      {"gpus = '*H100*'\n", "campaign.toml:4:8: tune.gpus is the text"},
      {"gpus = []\n", "campaign.toml:4:8: tune.gpus names no GPU"},
      {"gpus = ['']\n", "campaign.toml:4:9: the pattern of a GPU's name is empty"},
      {"gpus = [{}]\n", "campaign.toml:4:9: a GPU of this list has no condition"},
      {"gpus = [3]\n", "campaign.toml:4:9: an entry of tune.gpus is the integer 3"},
      {"gpus = [{ nam = 'x' }]\n", "unknown key 'tune.gpus.nam' (did you mean name"},
      {"gpus = [{ compute_capability = 'nine' }]\n", "campaign.toml:4:32: compute_capability is 'nine'"},
      {"gpus = [{ memory = 'much' }]\n", "campaign.toml:4:20: memory is 'much'"},
      {"sizes = 3\n", "campaign.toml:4:9: tune.sizes is the integer 3, expected a table of sizes"},
      {"sizes = [3]\n", "campaign.toml:4:10: an entry of tune.sizes is the integer 3"},
      {"sizes = { Q = 3 }\n", "campaign.toml:4:9: 'transpose' has no problem entry 'Q'"},
      {"sizes = { M = [] }\n", "campaign.toml:4:15: tune.sizes.M has no value"},
      {"sizes = { M = '' }\n", "campaign.toml:4:15: tune.sizes.M has an empty text, expected a value"},
      {"sizes = { M = [64, ' '] }\n", "campaign.toml:4:20: tune.sizes.M has an empty text"},
      {"sizes = { M = ['64', ' 128'] }\n",
       "campaign.toml:4:22: tune.sizes.M has the text ' 128', which begins or ends with a blank; write "
       "'128'"},
      {"sizes = { M = '99999999999999999999' }\n",
       "campaign.toml:4:15: tune.sizes.M has the size 99999999999999999999, and the largest is 9223"},
      {"sizes = { M = 99999999999999999999 }\n", "is not representable in 64 bits"},
      {"sizes = { M = '64 .. 128 log2' }\n", "campaign.toml:4:15: the range '64 .. 128 log2' does not begin"},
      {"sizes = { M = 4611686018427387904, N = 4611686018427387904 }\n", "campaign.toml:4:9: for the given"},
      {"sizes = { M = { a = 1 } }\n", "campaign.toml:4:15: tune.sizes.M is a table, expected a value"},
      {"sizes = { M = '1..8' }\n", "campaign.toml:4:15: the range '1..8' does not say how it continues"},
      {"sizes = { M = '1..1000000 step 1' }\n", "there are more than 100000 tasks"},
      {"sizes = [{ M = 64 }, { M = 64 }]\n", "campaign.toml:4:22: the task transpose M=64 is listed twice"},
  };
  for (const WrongFile& one : wrong_tune) EXPECT_THAT(error_of(head + one.text), HasSubstr(one.message));
}

TEST_F(CampaignFileTest, AFileWithoutAnEndIsRefused) {
  try {
    read_campaign_file("/dev/zero");
    FAIL() << "the file was read";
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(), "/dev/zero: is larger than 16 MiB, the limit of a campaign file");
  }
}

TEST_F(CampaignFileTest, TooManyTasksInAllTablesTogetherAreRefused) {
  std::string text = "name = 'x'\n";
  for (const char* gpu : {"a", "b"}) {
    text += std::string(
                "[[tune]]\nkernel = 'transpose'\nsizes = { M = '32..512 step 32', N = '32..512 step "
                "32' }\n") +
            "gpus = [";
    for (int i = 0; i < 250; ++i) text += "'" + std::string(gpu) + std::to_string(i) + "', ";
    text += "]\n";
  }
  EXPECT_THAT(error_of(text), HasSubstr("campaign.toml:6:1: there are more than 100000 tasks"));
}

}  // namespace
}  // namespace warptune::tuner::campaigns
