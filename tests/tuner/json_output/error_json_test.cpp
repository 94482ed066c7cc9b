#include "tuner/json_output/error_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/program.h"

namespace warptune::tuner::json_output {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ErrorJsonTest, AnErrorHasKindMessagePlaceAndExitCode) {
  const json error = error_json(base::InputError("expected a name", {"a.cu", 3, 7}));
  EXPECT_EQ(error.at("format"), "warptune-error");
  EXPECT_EQ(error.at("error"), (json{{"kind", "input"},
                                     {"message", "expected a name"},
                                     {"place", {{"file", "a.cu"}, {"line", 3}, {"column", 7}}},
                                     {"exit_code", 2}}));
  const json machine = error_object(base::MachineError("no GPU", "plug one in"));
  EXPECT_EQ(machine.at("message"), "no GPU; plug one in");
  EXPECT_TRUE(machine.at("place").is_null());
  EXPECT_EQ(machine.at("exit_code"), 3);
  EXPECT_EQ(interruption_json("stopped").at("error").at("exit_code"), 130);
}

class ErrorOutputTest : public ::testing::Test {
 protected:
  // The error that a command prints as its only output.
  json error_of(const std::vector<std::string>& arguments) {
    const testing::ProgramRun done = warptune_.run(arguments);
    EXPECT_NE(done.exit_code, 0);
    EXPECT_THAT(done.err, HasSubstr("warptune: ")) << "people read the log";
    const json output = json::parse(done.out, nullptr, false);
    EXPECT_FALSE(output.is_discarded()) << done.out;
    EXPECT_EQ(output.at("error").at("exit_code"), done.exit_code);
    return output.at("error");
  }

  testing::Warptune warptune_;
};

TEST_F(ErrorOutputTest, IsJsonAlsoWhereTheCommandLineIsWrong) {
  EXPECT_EQ(error_of({"list", "--formt", "text", "--format", "json"}).at("kind"), "input");
  EXPECT_EQ(error_of({"lst", "--format=json"}).at("kind"), "input");
  EXPECT_EQ(error_of({"devices", "--format", "json"}).at("kind"), "machine");
}

TEST_F(ErrorOutputTest, HasThePlaceInADefinition) {
  const std::string kernel = warptune_.file("wrong.cu", "/* warptune\n[kernel]\nnam = 1\n*/\n");
  const json error = error_of({"space", kernel, "--format", "json"});
  EXPECT_EQ(error.at("place").at("line"), 3);
  EXPECT_THAT(error.at("message").get<std::string>(), ::testing::Not(HasSubstr("wrong.cu")));
}

TEST_F(ErrorOutputTest, IsTextForPeopleAlone) {
  EXPECT_THAT(warptune_.run({"devices"}).out, IsEmpty());
  EXPECT_THAT(warptune_.run({"lst"}).out, IsEmpty());
}

}  // namespace
}  // namespace warptune::tuner::json_output
