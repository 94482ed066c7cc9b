// Experiments of the lab as users write them.

#include "kernel_templates/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "definitions.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kExperimentToml = R"toml([experiment]
title = "Scaling"
summary = "Wider is faster"
about = "What a book says."
sources = ["A book, chapter 3"]

[[table]]
name = "sizes"
title = "By block"
kernel = "scale.cu"
problem = { N = 4096 }
set = { BLOCK = 64 }
cache = "warm"
baseline = "small"
[[table.row]]
id = "small"
label = "a small block"
[[table.sweep]]
set = { BLOCK = [32, 128], N = [8, 16] }
[[table.row]]
id = "best"
set = { FACTOR = 2 }
tune = { BLOCK = [32, 64, 128] }
[[table.column]]
title = "GB/s"
value = "bytes / time_ns"
digits = 1

[quantities]
ratio = "sizes.small.time_ns / sizes.best.time_ns"
twice = "2 * ratio"

[[claim]]
text = "Tuning doubles the speed"
value = "ratio"
unit = "x"
expected = 2.0
holds = "value >= 1.9 && twice > 3"
weaker = "value >= 1.1"
because = { holds = "It is {ratio @ .2f} x.", weaker = "Only {value}.", fails = "No: {sizes.small.dram__bytes.sum} bytes." }
[[claim.evidence]]
text = "DRAM bytes"
values = ["sizes.small.dram__bytes.sum", "sizes.best.dram__bytes.sum"]

[[theory]]
text = "bytes are bytes"
metric = "dram__bytes.sum"
value = "sizes.small.dram__bytes.sum"
expected = "8 * 4096 * gpu.sm_count / gpu.sm_count"
tolerance = 0.01

[[chart]]
title = "Times"
x = { title = "block", value = "BLOCK", scale = "log" }
y = { title = "us", value = "time_us" }
series = [ { title = "measured", table = "sizes" } ]
lines = [ { title = "roof", value = "x * roofs.copy_bytes_per_s" } ]
)toml";

Experiment loaded(const std::string& text) {
  const TemporaryFolder folder;
  return load_experiment(folder.write("scaling.toml", text));
}

TEST(ExperimentTest, ItsKernelsLieInItsFolderOrInOneThatTheUserGrants) {
  const TemporaryFolder folder;
  const std::string text = with(kExperimentToml, "kernel = \"", "kernel = \"../");
  const std::filesystem::path path = folder.write("own/scaling.toml", text);
  try {
    load_experiment(path);
    FAIL() << "it was taken";
  } catch (const base::InputError& error) {
    EXPECT_GT(error.position().line, 0);
    EXPECT_THAT(error.message(),
                HasSubstr("--allow-read " + std::filesystem::canonical(folder.path()).string()));
  }
  const Experiment experiment = load_experiment(path, {{folder.path()}});
  EXPECT_THAT(experiment.scope.permissions().readable, ElementsAre(folder.path()));
}

TEST(ExperimentTest, HasRowsInTheOrderWritten) {
  const Experiment experiment = loaded(kExperimentToml);
  EXPECT_EQ(experiment.name, "scaling");
  ASSERT_EQ(experiment.tables.size(), 1U);
  const ExperimentTable& table = experiment.tables.front();
  EXPECT_EQ(table.cache, model::CacheState::kWarm);
  std::vector<std::string> ids;
  for (const ExperimentRow& row : table.rows) ids.push_back(row.id);
  EXPECT_THAT(
      ids, ElementsAre("small", "BLOCK_32_N_8", "BLOCK_32_N_16", "BLOCK_128_N_8", "BLOCK_128_N_16", "best"));
  EXPECT_EQ(table.rows[0].label, "a small block");
  EXPECT_EQ(table.rows[2].label, "BLOCK = 32, N = 16");
  EXPECT_EQ(model::to_text(table.rows[0].problem), "N=4096");
}

TEST(ExperimentTest, RowsTakeWhatTheirTableSets) {
  const Experiment experiment = loaded(kExperimentToml);
  const std::vector<ExperimentRow>& rows = experiment.tables.front().rows;
  EXPECT_EQ(model::to_text(rows[0].set), "BLOCK=64");
  EXPECT_EQ(model::to_text(rows[1].set), "BLOCK=32 N=8");
  EXPECT_EQ(model::to_text(rows[5].set), "BLOCK=64 FACTOR=2");
  ASSERT_EQ(rows[5].tune.size(), 1U);
  EXPECT_EQ(rows[5].tune[0].second.size(), 3U);
}

TEST(ExperimentTest, AnotherKernelOfARowKnowsNothingOfTheTablesProblem) {
  const Experiment experiment =
      loaded(with(kExperimentToml, "id = \"best\"\n", "id = \"best\"\nkernel = \"copy\"\n"));
  const ExperimentRow& row = experiment.tables.front().rows.back();
  EXPECT_EQ(row.kernel, "copy");
  EXPECT_TRUE(row.problem.empty());
  EXPECT_EQ(model::to_text(row.set), "FACTOR=2");
}

TEST(ExperimentTest, SplitsTextAtItsNumbers) {
  const TextWithNumbers text = loaded(kExperimentToml).claims.front().because_holds;
  EXPECT_THAT(text.texts, ElementsAre("It is ", " x."));
  ASSERT_EQ(text.numbers.size(), 1U);
  EXPECT_EQ(text.numbers[0].value.text(), "ratio");
  EXPECT_EQ(text.numbers[0].format, ".2f");
}

/// A change to the correct experiment. `@` marks the expected position of the error. Without it, the error
/// only names the file.
struct WrongExperiment {
  const char* name;
  const char* old_part;
  const char* new_part;
  std::vector<std::string> words;
};

void PrintTo(const WrongExperiment& row, std::ostream* out) { *out << row.name; }

class MalformedExperiment : public ::testing::TestWithParam<WrongExperiment> {};

TEST_P(MalformedExperiment, SaysWhereWhatAndWhatWasExpected) {
  const WrongExperiment& row = GetParam();
  std::string text = with(kExperimentToml, row.old_part, row.new_part);
  const std::size_t mark = text.find('@', text.find(std::string(row.new_part).substr(0, 12)));
  int line = 0;
  int column = 0;
  if (std::string(row.new_part).find('@') != std::string::npos) {
    const std::string before = text.substr(0, mark);
    line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    column = static_cast<int>(mark - (before.rfind('\n') + 1)) + 1;
    text.erase(mark, 1);
  }
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("scaling.toml", text);
  try {
    load_experiment(path);
    FAIL() << "it was taken:\n" << text;
  } catch (const base::InputError& error) {
    EXPECT_EQ(base::to_string(error.position()), base::to_string({path.string(), line, column}))
        << error.what();
    for (const std::string& word : row.words) EXPECT_THAT(error.message(), HasSubstr(word));
  }
}

const WrongExperiment kMalformed[] = {
    {"NoExperiment", "[experiment]", "@[experimental]", {"unknown key 'experimental'", "did you mean"}},
    {"UnknownKeyOfATable", "cache = \"warm\"", "cash = @\"warm\"", {"'table.cash'", "did you mean cache"}},
    {"CacheOfNoKind", "cache = \"warm\"", "cache = @\"lukewarm\"", {"expected cold or warm"}},
    {"NameThatIsNoIdentifier", "name = \"sizes\"", "name = @\"the sizes\"", {"expected an identifier"}},
    {"RowTwice",
     "[[table.row]]\nid = \"best\"",
     "@[[table.row]]\nid = \"small\"",
     {"'small' is listed twice"}},
    {"SweepOverNothing", "BLOCK = [32, 128], N", "BLOCK = @[], N", {"expected a list of values"}},
    {"ClaimOfAnUnknownTable",
     "\"sizes.small.time_ns / sizes.best.time_ns\"",
     "\"@size.small.time_ns / sizes.best.time_ns\"",
     {"no table 'size'", "did you mean sizes"}},
    {"ClaimOfAnUnknownRow",
     "\"sizes.small.time_ns / sizes.best.time_ns\"",
     "\"@sizes.smal.time_ns / sizes.best.time_ns\"",
     {"no row of table sizes 'smal'", "did you mean small"}},
    {"ClaimOfAnUnknownQuantity", "value = \"ratio\"", "value = \"@ration\"", {"no quantity 'ration'"}},
    {"QuantityBeforeItIsKnown",
     "ratio = \"sizes.small",
     "before = \"@twice\"\nratio = \"sizes.small",
     {"no quantity 'twice'"}},
    {"RowWithoutANumber",
     "value = \"ratio\"",
     "value = \"@sizes.small\"",
     {"is a row", "sizes.small.time_ns"}},
    {"NoEvidence",
     "[[claim.evidence]]\ntext = \"DRAM bytes\"",
     "@[[thing]]\ntext = \"DRAM bytes\"",
     {"unknown key 'thing'"}},
    {"LabelsThatAreTooFew",
     "[[claim.evidence]]\ntext = \"DRAM bytes\"",
     "[[claim.evidence]]\nlabels = @[\"one\", \"two\", \"three\"]\ntext = \"DRAM bytes\"",
     {"one for each value"}},
    {"OpenBrace",
     "because = { holds = \"It is {ratio @ .2f} x.\"",
     "because = { holds = @\"It is {ratio\"",
     {"a } after every {"}},
    {"BadFormat", "weaker = \"Only {value}.\"", "weaker = @\"Only {value @ blue}.\"", {"found 'blue'"}},
    {"NegativeTolerance", "tolerance = 0.01", "tolerance = @-1.0", {"at least 0"}},
    {"SeriesOfNoTable", "table = \"sizes\"", "table = \"size\"", {"there is no table 'size'"}},
};

INSTANTIATE_TEST_SUITE_P(Form, MalformedExperiment, ::testing::ValuesIn(kMalformed),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(ExperimentTest, AClaimWithoutEvidenceIsRefused) {
  std::string text = kExperimentToml;
  const std::size_t begin = text.find("[[claim.evidence]]");
  text.erase(begin, text.find("[[theory]]") - begin);
  try {
    loaded(text);
    FAIL() << "it was taken";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.message(), HasSubstr("the values that support the verdict"));
  }
}

TEST(ExperimentTest, ABaselineIsARow) {
  try {
    loaded(with(kExperimentToml, "baseline = \"small\"", "baseline = \"smal\""));
    FAIL() << "it was taken";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.message(), HasSubstr("baseline is 'smal'"));
    EXPECT_EQ(error.position().line, 7);
  }
}

TEST(ExperimentTest, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_EQ(find_experiment("some/where.toml"), std::filesystem::path("some/where.toml"));
  EXPECT_THROW(find_experiment("no_such_experiment"), base::InputError);
}

}  // namespace
}  // namespace warptune::kernel_templates
