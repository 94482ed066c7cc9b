#include "kernel_templates/compiling/compiler_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "definitions.h"

namespace warptune::kernel_templates::compiling {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<compiling::CompilerOption> read(const std::string& flag) {
  return compiling::read_compiler_options(compiling::words_of(flag, {"k.cu", 3, 10}));
}

std::string message_of(const std::string& flag) {
  try {
    read(flag);
    return "it was taken";
  } catch (const base::InputError& error) {
    EXPECT_EQ(base::to_string(error.position()), "k.cu:3:10");
    return error.message();
  }
}

class AllowedOption : public ::testing::TestWithParam<const char*> {};

TEST_P(AllowedOption, IsReadAndIsNoneThatNvrtcRefuses) {
  const std::string flag = GetParam();
  EXPECT_NO_THROW(read(flag));
  if (nvrtc_missing()) return;
  CompileRequest request{"k.cu", "extern \"C\" __global__ void k() {}", {"k"}, {}, "sm_90"};
  for (const compiling::OptionWord& word : compiling::words_of(flag, {}))
    request.options.push_back(word.text);
  const auto compiled = compile(request);
  EXPECT_TRUE(compiled.has_value()) << compiled.error().reason;
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, AllowedOption,
    ::testing::Values("-DX", "-DX=1", "-D X=1", "-D=X", "--define-macro=X=1", "--define-macro X", "-UX",
                      "-U X", "--undefine-macro=X", "--use_fast_math", "-use_fast_math", "--fmad=false",
                      "-fmad=false", "--fmad false", "--ftz=true", "-prec-div=false", "-prec-sqrt=false",
                      "--maxrregcount=32", "-maxrregcount 32", "-extra-device-vectorization", "-restrict",
                      "-dopt=on", "--dopt on", "--device-debug", "-G", "-lineinfo", "--generate-line-info",
                      "-default-device", "--device-as-default-execution-space", "-w", "-diag-suppress=1,2",
                      "--diag-error 3", "-diag-warn=1", "--std=c++20", "-std=c++14", "-Xptxas -v",
                      "-Xptxas=-O1", "--ptxas-options=-dlcm=cg", "-Xptxas --opt-level=2 -Xptxas -warn-spills",
                      "-Xptxas=--maxrregcount=32", "-Ofc=min", "--Ofast-compile=max", "-jtd=50",
                      "--split-compile=1", "-err-no", "--no-display-error-number", "-brief-diag=true",
                      "--optimization-info=inline", "--modify-stack-limit=false", "-device-int128",
                      "--minimal", "--frandom-seed=a1", "--builtin-move-forward=false", "-I/usr", "-I /usr",
                      "--include-path=/usr"));

TEST(CompilerOptionsTest, TheOptionsAreToldApartByTheirLongNames) {
  const std::vector<compiling::CompilerOption> options = read("-DX=a=b -I inc --fmad=true -w -Xptxas -v");
  ASSERT_EQ(options.size(), 4U);
  EXPECT_EQ(options[0].name, "define-macro");
  EXPECT_EQ(options[0].value, "X=a=b");
  EXPECT_EQ(options[1].name, "include-path");
  EXPECT_EQ(options[1].value, "inc");
  EXPECT_EQ(options[2].value, "true");
  EXPECT_EQ(options[3].name, "disable-warnings");
}

// Emulated and exported programs read macros, folders and the standard among the options of a program.
TEST(CompilerOptionsTest, MacrosFoldersAndStandardsHaveOneForm) {
  const auto texts = [](const std::string& flag) { return read_worded_options(words_of(flag, {})).words; };
  for (const char* flag : {"-DN=4", "-D N=4", "--define-macro=N=4", "--define-macro N=4", "-D=N=4"})
    EXPECT_THAT(texts(flag), ElementsAre("-DN=4")) << flag;
  for (const char* flag : {"-UN", "-U N", "--undefine-macro=N"}) EXPECT_THAT(texts(flag), ElementsAre("-UN"));
  for (const char* flag : {"-Iinclude", "--include-path include"})
    EXPECT_THAT(texts(flag), ElementsAre("-Iinclude")) << flag;
  for (const char* flag : {"-std=c++20", "--std=c++20", "--std c++20", "-std c++20"})
    EXPECT_THAT(texts(flag), ElementsAre("-std=c++20")) << flag;
  EXPECT_THAT(texts("--maxrregcount 32 -DA -Xptxas -v --use_fast_math"),
              ElementsAre("--maxrregcount", "32", "-DA", "-Xptxas", "-v", "--use_fast_math"));
}

TEST(CompilerOptionsTest, AValueOfAnotherFormIsRefused) {
  EXPECT_THAT(message_of("--fmad=maybe"), HasSubstr("has the value 'maybe', expected true or false"));
  EXPECT_THAT(message_of("--maxrregcount=many"), HasSubstr("expected an integer, 0 or more"));
  EXPECT_THAT(message_of("--diag-error=1,x"), HasSubstr("expected integers separated by commas"));
  EXPECT_THAT(message_of("--std=gnu++17"), HasSubstr("expected c++03, c++11, c++14, c++17, c++20"));
  EXPECT_THAT(message_of("-D -w"), HasSubstr("has the value '-w', expected the name of a macro"));
  EXPECT_THAT(message_of("-w=1"), HasSubstr("has the value '1', expected no value"));
  EXPECT_THAT(message_of("--maxrregcount"), HasSubstr("has no value"));
  EXPECT_THAT(message_of("-Xptxas=-dlcm"), HasSubstr("the assembler's option '-dlcm' has no value"));
}

TEST(CompilerOptionsTest, AnUnknownOneIsRefusedWithTheNearestKnown) {
  EXPECT_THAT(message_of("--use-fast-math"), HasSubstr("did you mean use_fast_math"));
  EXPECT_THAT(message_of("--use-fast-math"), HasSubstr("docs/kernel-definition.md"));
  EXPECT_THAT(message_of("-O3"), HasSubstr("'-O3' is not among those"));
  EXPECT_THAT(message_of("---w"), HasSubstr("is not among those"));
}

TEST(CompilerOptionsTest, OneThatIsRefusedForAReasonSaysIt) {
  EXPECT_THAT(message_of("--time=x"),
              HasSubstr("'--time=x' is not allowed in a definition: it writes a file"));
  EXPECT_THAT(message_of("-include x.h"), HasSubstr("write the #include into the source"));
  EXPECT_THAT(message_of("-arch=sm_80"), HasSubstr("it follows from the GPU that is tuned for"));
}

TEST(CompilerOptionsTest, TheirPageListsAllOfThem) {
  const std::string page =
      base::read_file(std::filesystem::path(WARPTUNE_SOURCE_FOLDER) / "docs" / "kernel-definition.md");
  for (const auto& names : {compiling::compiler_option_names(), compiling::assembler_option_names()}) {
    for (const std::string_view name : names)
      EXPECT_THAT(page, HasSubstr("`--" + std::string(name))) << "docs/kernel-definition.md lacks it";
  }
}

}  // namespace
}  // namespace warptune::kernel_templates::compiling
