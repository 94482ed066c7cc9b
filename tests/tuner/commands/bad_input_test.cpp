// Typing errors: the exit code is 2, standard error says what was expected, and standard output stays empty.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/recording_file.h"
#include "tests/sanitizers.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::HasSubstr;

struct BadInput {
  std::vector<std::string> arguments;  ///< `{kernel}`, `{recording}` and `{folder}` stand for paths.
  std::vector<std::string> expected;   ///< Texts that the message contains.
};

const std::vector<BadInput>& slips() {
  static const std::vector<BadInput> kSlips = {
      {{"tunee"}, {"unknown command 'tunee' (did you mean tune"}},
      {{"qqqqqqqq"}, {"unknown command", "warptune --help"}},
      {{"tune"}, {"KERNEL is missing; usage: warptune tune KERNEL"}},
      {{"tune", "sgem"}, {"unknown kernel 'sgem' (did you mean sgemm", "give the path of your own kernel"}},
      {{"new", "{kernel}", "--output", "{folder}/z.txt"}, {"z.txt: expected a file with the ending .toml"}},
      {{"survey"}, {"a program or a stored survey is missing; usage: warptune survey -- PROGRAM"}},
      {{"survey", "--"}, {"PROGRAM is missing after --"}},
      {{"survey", "{kernel}"}, {"expected a zstd-compressed survey"}},
      {{"survey", "{recording}"}, {"expected a survey, found"}},
      {{"survey", "{folder}/a.wtcapture.zst"},
       {"; its name is that of a captured launch, for warptune bench"}},
      {{"bench", "{folder}/a.wtsurvey.zst"}, {"; its name is that of a survey, for warptune survey"}},
      {{"survey", "{recording}", "--", "/bin/true"}, {"a stored survey", "cannot be combined"}},
      {{"bench"}, {"CAPTURE"}},
      {{"bench", "missing.wtcapture.zst"}, {"missing.wtcapture.zst: cannot be read"}},
      {{"bench", "{kernel}"}, {"expected a zstd-compressed capture"}},
      {{"bench", "{recording}"}, {"expected a capture of a launch, found another file"}},
      {{"bench", "{recording}", "--metrics", "none,core"}, {"none cannot be combined with other names"}},
      {{"bench", "{recording}", "--metrics", "energy_j"}, {"bench does not measure energy"}},
      {{"bench", "{recording}", "--device", "all"}, {"--device"}},
      {{"survey", "--capture", "", "--", "/bin/true"}, {"--capture: expected the name of a kernel"}},
      {{"survey", "--capture-launch", "2", "--", "/bin/true"}, {"--capture-launch is for --capture KERNEL"}},
      {{"survey", "--capture", "k", "--capture-launch", "0", "--", "/bin/true"}, {"--capture-launch"}},
      {{"survey", "--capture", "k", "--capture-limit", "4000", "--", "/bin/true"}, {"expected at most 2048"}},
      {{"survey", "--duration", "soon", "--", "/bin/true"}, {"--duration soon: expected seconds"}},
      {{"query", "reductoin"}, {"did you mean reduction"}},
      {{"cover", "{kernel}"}, {"--sizes is missing: expected a range such as M=64..8192, or a file"}},
      {{"cover", "sgem", "--sizes", "M=1..2"}, {"unknown kernel 'sgem' (did you mean sgemm"}},
      {{"cover", "{kernel}", "--sizes", "N=9..8"}, {"--sizes:1:6: expected a size above 9"}},
      {{"cover", "{kernel}", "--sizes", "{folder}/none.txt"}, {"none.txt"}},
      {{"cover", "{kernel}", "--sizes", "N=8..9", "--within", "5"},
       {"--within 5: expected a share above 0%"}},
      {{"cover", "{kernel}", "--sizes", "N=8..9", "--within", "0%"},
       {"--within 0%: expected a share above 0%"}},
      {{"cover", "{kernel}", "--sizes", "N=8..9", "--within", "nan%"}, {"--within nan%: expected a share"}},
      {{"cover", "{kernel}", "--sizes", "N=8..9", "--budget", "all"},
       {"--budget all: expected a number of evaluations or a time, for example"}},
      {{"cover", "{kernel}", "--sizes", "N=8..9", "--check-budget", "soon"},
       {"--check-budget soon: expected a number of evaluations or a time"}},
      {{"cover", "{kernel}", "--sizes", "N=8..9", "--checks", "1001"},
       {"--checks 1001: expected at most 1000"}},
      {{"tune", "sgemm", "--cover", "5%"}, {"warptune cover finds few configurations for many sizes"}},
      {{"tune", "sgemm", "--sizes", "M=1..2"}, {"warptune cover finds few configurations for many sizes"}},
      {{"recheck", "sgem"}, {"unknown kernel 'sgem' (did you mean sgemm"}},
      {{"recheck", "{kernel}", "--db", "{folder}/none.db"}, {"none.db", "warptune tune"}},
      {{"recheck", "--within", "3"}, {"--within 3: expected a share from 0% to 100%, for example 5%"}},
      {{"recheck", "--within", "-1%"}, {"--within -1%: expected a share"}},
      {{"recheck", "--within", "nan%"}, {"--within nan%: expected a share"}},
      {{"recheck", "--rivals", "many"}, {"--rivals many: expected an integer, 0 or more"}},
      {{"recheck", "--rivals", "101"}, {"--rivals 101: expected at most 100"}},
      {{"recheck", "--device", "all"}, {"--device all: expected an integer"}},
      {{"tune", "sgemm", "--sise", "N=1"}, {"unknown option --sise (did you mean --size", "tune --help"}},
      {{"tune", "sgemm", "-x"}, {"unknown option -x"}},
      {{"tune", "sgemm", "transpose"}, {"one KERNEL is expected, found 2: sgemm transpose"}},
      {{"tune", "sgemm", "--seed"}, {"--seed", "tune --help"}},
      {{"tune", "sgemm", "--seed", "1", "--seed", "2"}, {"--seed", "more than once"}},
      {{"tune", "{kernel}", "--size", "N"}, {"--size N: expected NAME=VALUE"}},
      {{"tune", "{kernel}", "--size", "=4"}, {"--size =4: expected NAME=VALUE"}},
      {{"tune", "{kernel}", "--size", "N=1", "--size", "N=2"}, {"--size gives N twice"}},
      {{"tune", "{kernel}", "--size", "M=1"}, {"M", "N"}},
      {{"tune", "{kernel}", "--size", "N=many"}, {"N"}},
      {{"tune", "{kernel}", "--size", "N=-1"}, {"for the given sizes N=-1: argument 'x' has -1 elements"}},
      {{"tune", "{kernel}", "--budget", "soon"}, {"--budget soon: expected a number of evaluations"}},
      {{"tune", "{kernel}", "--budget", "0"}, {"--budget 0"}},
      {{"tune", "{kernel}", "--budget", "1e30s"}, {"--budget 1e30s: expected at most 8760 hours (one year)"}},
      {{"node", "--store", "spool:{folder}", "--name", "a\nb"}, {"cannot be the name of a node"}},
      {{"tune", "{kernel}", "--until", "soon"}, {"--until soon: expected a share of the roof (0.9roof"}},
      {{"tune", "{kernel}", "--until", "90roof"}, {"--until 90roof", "at most 2roof"}},
      {{"tune", "{kernel}", "--until", "0%"}, {"--until 0%"}},
      {{"tune", "{kernel}", "--until", "0.9roof", "--objective", "registers"},
       {"--until 0.9roof is a share of the time, but --objective is registers"}},
      {{"tune", "{folder}/workless.cu", "--replay", "{folder}/workless.zst", "--until", "0.9roof"},
       {"--until 0.9roof: toy has no [work]"}},
      {{"tune", "{kernel}", "--replay", "{folder}/roofless.zst", "--until", "0.9roof"},
       {"--until 0.9roof: the roof of toy on", "is not known"}},
      {{"tune", "{kernel}", "--seed", "-1"}, {"--seed -1: expected an integer, 0 or more"}},
      {{"tune", "{kernel}", "--seed", "x"}, {"--seed x: expected an integer"}},
      {{"tune", "{kernel}", "--jobs", "many"}, {"--jobs many"}},
      {{"tune", "{kernel}", "--device", "first"}, {"--device first"}},
      {{"tune", "{kernel}", "--device", "0,0"}, {"--device 0,0: 0 is listed twice"}},
      {{"tune", "{kernel}", "--objective", "tim"},
       {"--objective:1:1: unknown name 'tim' (did you mean time"}},
      {{"tune", "{kernel}", "--objective", "a__b.sum", "--metrics", "none"},
       {"--metrics none: ", "a__b.sum"}},
      {{"tune", "{kernel}", "--metrics", "all"}, {"--metrics all: expected core, none, full or "}},
      {{"tune", "{kernel}", "--cache", "hot"}, {"--cache hot: expected cold or warm"}},
      {{"tune", "{kernel}", "--compile-cache", ""}, {"--compile-cache"}},
      {{"tune", "{kernel}", "--allow-read", "{kernel}"}, {"--allow-read", "expected a folder that exists"}},
      {{"tune", "{kernel}", "--format", "xml"}, {"--format xml: expected text or json"}},
      {{"tune", "{kernel}", "--log-level", "loud"}, {"loud"}},
      {{"tune", "{kernel}", "--replay", "{recording}", "--strategy", "exhaustiv"},
       {"unknown strategy 'exhaustiv' (did you mean exhaustive"}},
      {{"tune", "{kernel}", "--replay", "{folder}/none.zst"}, {"none.zst"}},
      {{"tune", "{kernel}", "--replay", "{kernel}"}, {"toy.cu"}},
      {{"tune", "{kernel}", "--replay", "{folder}/cut.zst"}, {"cut.zst"}},
      {{"tune", "{kernel}", "--replay", "{recording}", "--size", "N=4"}, {"a replay cannot change sizes"}},
      {{"tune", "sgemm", "--replay", "{recording}"},
       {"toy.wtrec.zst is one of the kernel toy, not of sgemm"}},
      {{"tune", "{folder}/none.cu"}, {"none.cu"}},
      {{"tune", "{folder}/broken.toml"}, {"broken.toml:2:"}},
      {{"tune", "{folder}/plain.cu"}, {"plain.cu"}},
      {{"tune", "{kernel}", "--replay", "{recording}", "--db", "{folder}/corrupt.db"}, {"corrupt.db"}},
      {{"query", "{kernel}", "--db", "{folder}/none.db"}, {"none.db", "warptune tune"}},
      {{"query", "{kernel}", "--db", "{folder}/corrupt.db"}, {"corrupt.db"}},
      {{"export"}, {"KERNEL is missing"}},
      {{"export", "{kernel}", "--format", "hedder"}, {"--format hedder", "did you mean header"}},
      {{"space", "{kernel}", "--check", "A=1"}, {"--check: ", "B"}},
      {{"space", "{kernel}", "--check", "A=99", "--check", "B=false"}, {"A"}},
      {{"space", "{kernel}", "--check", "A=1", "--check", "C=2"}, {"--check: 'C' is not a parameter"}},
      {{"space", "{kernel}", "--check", "A=1", "--check", "A=2"}, {"A"}},
      {{"space", "{kernel}", "--check", "A"}, {"--check"}},
      {{"space", "{kernel}", "--list", "1", "--sample", "1"}, {"only one of --sample, --list and --check"}},
      {{"space", "{kernel}", "--sample", "many"}, {"--sample many: expected an integer"}},
      {{"space", "{folder}/circle.cu"}, {"circle.cu:10:", "in a circle: A -> B -> A"}},
      {{"space", "{folder}/empty.cu"}, {"empty.cu", "is empty for N=1024: no configuration meets"}},
      {{"space", "{kernel}", "--list", "-3"}, {"--list -3: expected an integer"}},
      {{"show", "1", "--db", "{folder}/none.db"}, {"none.db", "warptune tune"}},
      {{"list", "sgemm"}, {"list --help"}},
      {{"campaign"}, {"ACTION is missing"}},
      {{"campaign", "statsu"}, {"campaign statsu: expected init, add, list", "did you mean status"}},
      {{"campaign", "list"}, {"--store is missing", "WARPTUNE_STORE"}},
      {{"campaign", "list", "--store", "{folder}"}, {"expected the address of a store: spool:FOLDER"}},
      {{"campaign", "list", "--store", "spool:"}, {"expected spool:FOLDER"}},
      {{"campaign", "list", "--store", "spool:{folder}"}, {"is not a spool", "correct the address"}},
      {{"campaign", "init", "--store", "spool:{folder}"}, {"is not a spool", "choose an empty folder"}},
      {{"query", "{kernel}", "--db", "spool:{folder}"}, {"is not a spool", "correct the address"}},
      {{"campaign", "watch", "nightly", "--page=0", "--store", "spool:{folder}"}, {"--page=0: a port is"}},
      {{"campaign", "status", "--store", "spool:{folder}"}, {"NAME is missing; usage: warptune campaign"}},
      {{"tune", "{kernel}", "--db", "spool:{folder}"}, {"only nodes (warptune node) add rows"}},
      {{"explain", "{kernel}", "--db", "spool:{folder}"}, {"only nodes (warptune node) add rows"}},
      {{"recheck", "{kernel}", "--db", "spool:{folder}"}, {"only nodes (warptune node) add rows"}},
      {{"devices", "--measure-roofs", "--db", "spool:{folder}"}, {"only nodes (warptune node) add rows"}},
      {{"db", "merge", "other.db", "--db", "spool:{folder}"}, {"only nodes (warptune node) add rows"}},
      {{"db", "import", "{recording}", "--db", "spool:{folder}"}, {"only nodes (warptune node) add rows"}},
      {{"db", "prune", "--failed", "--db", "spool:{folder}"}, {"only nodes (warptune node) add rows"}},
      {{"db", "compact", "--db", "spool:{folder}"}, {"only nodes (warptune node) add rows"}},
      {{"db"}, {"ACTION is missing"}},
      {{"db", "inof"},
       {"db inof: expected info, verify, backup, merge, import, export, carry, prune, compact",
        "did you mean"}},
  };
  return kSlips;
}

class BadInputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
    recording_ = (warptune_ / "toy.wtrec.zst").string();
    db::write_recording(recording_, testing::toy_recording(kernel_));
    model::Recording other = testing::toy_recording(kernel_);
    other.roofs = {};
    db::write_recording(warptune_ / "roofless.zst", other);
    other.work = {};
    db::write_recording(warptune_ / "workless.zst", other);
    std::string source = testing::slurp(kernel_);
    warptune_.file("workless.cu",
                   source.erase(source.find("[work]"), source.find("*/") - source.find("[work]")));
    warptune_.file("broken.toml", "[kernel]\nname = \n");
    const auto changed = [this](const std::string& from, const std::string& to) {
      std::string toy = testing::slurp(kernel_);
      return toy.replace(toy.find(from), from.size(), to);
    };
    warptune_.file("circle.cu", changed("A = { range = [1, 4] }\nB = [false, true]",
                                        "A = { range = [1, 4], when = \"B\" }\n"
                                        "B = { values = [false, true], when = \"A == 2\" }"));
    warptune_.file("empty.cu", changed("[default]", "[constraints]\nlist = [\"A / 0 == 1\"]\n[default]"));
    warptune_.file("plain.cu", "__global__ void f() {}\n");
    warptune_.file("corrupt.db", std::string(8192, 'x'));
    const std::string whole = testing::slurp(recording_);
    warptune_.file("cut.zst", whole.substr(0, whole.size() / 2));
  }

  std::string filled(std::string text) const {
    const std::pair<std::string, std::string> holes[] = {
        {"{kernel}", kernel_}, {"{recording}", recording_}, {"{folder}", warptune_.folder().path().string()}};
    for (const auto& [hole, value] : holes) {
      const std::size_t at = text.find(hole);
      if (at != std::string::npos) text.replace(at, hole.size(), value);
    }
    return text;
  }

  testing::Warptune warptune_;
  std::string kernel_;
  std::string recording_;
};

TEST_F(BadInputTest, IsToldOnStandardErrorWithExitCode2) {
  for (const BadInput& slip : slips()) {
    std::vector<std::string> arguments;
    std::string line;
    for (const std::string& argument : slip.arguments) {
      arguments.push_back(filled(argument));
      line += " " + argument;
    }
    const testing::ProgramRun done = warptune_.run(arguments);
    EXPECT_EQ(done.exit_code, 2) << line << "\n" << done.err;
    EXPECT_EQ(done.out, "") << line;
    for (const std::string& part : slip.expected) EXPECT_THAT(done.err, HasSubstr(part)) << line;
    EXPECT_THAT(done.err, ::testing::StartsWith("warptune: ")) << line;
  }
}

TEST_F(BadInputTest, NamesAChipThatCuptiDoesNotKnow) {
  if (tests::kAddressSanitizer) GTEST_SKIP() << "CUPTI's host library does not load under it";
  const testing::ProgramRun done = warptune_.run({"metrics", "--chip", "GH1000"});
  EXPECT_EQ(done.exit_code, 2) << done.err;
  EXPECT_THAT(done.err, HasSubstr("GH1000"));
}

TEST_F(BadInputTest, LeavesACorruptDatabaseAsItWas) {
  const std::string path = (warptune_ / "corrupt.db").string();
  warptune_.run({"tune", kernel_, "--replay", recording_, "--db", path});
  EXPECT_EQ(testing::slurp(path), std::string(8192, 'x'));
}

TEST_F(BadInputTest, MakesNoDatabase) {
  warptune_.run({"tune", "sgem"});
  warptune_.run({"tune", kernel_, "--size", "M=1"});
  warptune_.run({"tune", kernel_});  // There is no GPU.
  EXPECT_FALSE(std::filesystem::exists(warptune_.database()));
}

TEST_F(BadInputTest, LeavesNoSessionBehind) {
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "1"}).exit_code, 0);
  warptune_.run({"tune", kernel_, "--replay", recording_, "--strategy", "exhaustiv"});
  warptune_.run({"tune", kernel_, "--replay", recording_, "--size", "N=4"});
  EXPECT_EQ(warptune_.json_of({"db", "info"}).at("session_count"), 1);
}

TEST_F(BadInputTest, ASessionThatIsNotThereIsNamed) {
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "1"}).exit_code, 0);
  for (const char* session : {"2", "-1", "first"}) {
    const testing::ProgramRun done = warptune_.run({"show", "--", session});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_THAT(done.err, HasSubstr(std::string("there is no session ") + session));
  }
  const testing::ProgramRun gpu = warptune_.run({"query", kernel_, "--gpu", "nothing like it"});
  EXPECT_EQ(gpu.exit_code, 2);
  EXPECT_THAT(gpu.err,
              HasSubstr("none of the database's GPUs match, but exactly one must; the database has "));
}

}  // namespace
}  // namespace warptune::tuner::commands
