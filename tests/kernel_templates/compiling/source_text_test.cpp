#include "kernel_templates/compiling/source_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/text.h"
#include "definitions.h"

namespace warptune::kernel_templates::compiling {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string line_of(const std::string& text, std::size_t line) {
  return base::split(text, '\n').at(line - 1);
}

TEST(SplitSource, KeepsLineNumbersOfBothParts) {
  const std::string text = "// a licence\n\n/* warptune\n[kernel]\nname = \"k\"\n*/\nint code;\n";
  const compiling::SplitSource split = compiling::split_source(text, "k.cu");
  EXPECT_EQ(line_of(split.description, 4), "[kernel]");
  EXPECT_EQ(line_of(split.description, 5), "name = \"k\"");
  EXPECT_EQ(line_of(split.code, 7), "int code;");
  EXPECT_EQ(std::count(split.code.begin(), split.code.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'));
}

TEST(SplitSource, PutsNoCodeIntoTheDescriptionNorTheReverse) {
  const compiling::SplitSource split =
      compiling::split_source("/* warptune\n[kernel]\n*/ int code;\n", "k.cu");
  EXPECT_EQ(split.description, "\n[kernel]\n");
  EXPECT_EQ(split.code, "\n\n int code;\n");
}

TEST(SplitSource, EndsAtTheFirstCloseOfTheComment) {
  const compiling::SplitSource split =
      compiling::split_source("/* warptune\na = 1\n*/\n/* another */\n", "k.cu");
  EXPECT_EQ(split.code, "\n\n\n/* another */\n");
}

TEST(SplitSource, FindsNoDescriptionBehindCodeOrOtherComments) {
  for (const std::string text :
       {"", "   \n", "// only a remark", "int code;\n/* warptune\n[kernel]\n*/\n",
        "/* a licence */\n/* warptune\n[kernel]\n*/\n", "/* warp\n[kernel]\n*/\n", "// remark\n"}) {
    const compiling::SplitSource split = compiling::split_source(text, "k.cu");
    EXPECT_EQ(split.description, "") << text;
    EXPECT_EQ(split.code, text);
  }
}

TEST(SplitSource, NamesTheLineOfADescriptionThatIsNotClosed) {
  for (const std::string text :
       {"\n\n/* warptune\n[kernel]\n", "\n\n/* warptune", "\n\n/* warptune */ int x;\n"}) {
    try {
      compiling::split_source(text, "k.cu");
      ADD_FAILURE() << text;
    } catch (const base::InputError& error) {
      EXPECT_EQ(error.position(), (base::SourcePosition{"k.cu", 3, 1})) << text;
      EXPECT_THAT(error.message(), HasSubstr("not closed by '*/'"));
    }
  }
}

TEST(IncludeClosure, FollowsIncludesOfIncludesAndListsEachOnce) {
  const TemporaryFolder folder;
  folder.write("sub/a.cuh", "#include \"b.cuh\"\n// a");
  folder.write("sub/b.cuh", "// b");
  const std::string code = "#include \"sub/a.cuh\"\n  #  include  \"sub/b.cuh\"\n#include <cuda_fp16.h>\n";
  EXPECT_THAT(compiling::include_closure(folder.write("k.cu", code), code, {}),
              ElementsAre("#include \"b.cuh\"\n// a", "// b"));
}

TEST(IncludeClosure, EndsOnCyclesAndLeavesTheSourceItselfOut) {
  const TemporaryFolder folder;
  folder.write("a.cuh", "#include \"b.cuh\"\n");
  folder.write("b.cuh", "#include \"a.cuh\"\n#include \"k.cu\"\n");
  const std::string code = "#include \"a.cuh\"\n";
  EXPECT_THAT(compiling::include_closure(folder.write("k.cu", code), code, {}),
              ElementsAre("#include \"b.cuh\"\n", "#include \"a.cuh\"\n#include \"k.cu\"\n"));
}

TEST(IncludeClosure, SearchesBesideTheIncludingFileBeforeTheFolders) {
  const TemporaryFolder folder;
  folder.write("near.cuh", "beside");
  folder.write("include/near.cuh", "in the folder");
  folder.write("include/far.cuh", "far");
  const std::string code = "#include \"near.cuh\"\n#include \"far.cuh\"\n#include \"nowhere.cuh\"\n";
  EXPECT_THAT(compiling::include_closure(folder.write("k.cu", code), code, {folder.path() / "include"}),
              ElementsAre("beside", "far"));
}

TEST(IncludeClosure, FindsWhatTheCompilerFindsThroughItsFolders) {
  const TemporaryFolder folder;
  folder.write("include/angled.cuh", "angled");
  folder.write("sub/a.cuh", "#include \"beside_the_source.cuh\"\n");
  folder.write("beside_the_source.cuh", "beside the source");
  const std::string code = "#include <angled.cuh>\n#include \"sub/a.cuh\"\n";
  EXPECT_THAT(compiling::include_closure(folder.write("k.cu", code), code, {folder.path() / "include"}),
              UnorderedElementsAre("angled", "#include \"beside_the_source.cuh\"\n", "beside the source"));
}

TEST(IncludeClosure, IgnoresWhatIsNoInclude) {
  const TemporaryFolder folder;
  folder.write("a.cuh", "a");
  const std::string code =
      "// #include \"a.cuh\"\nint include; \"a.cuh\"\n#define X \"a.cuh\"\n#include \"a.cuh\n";
  EXPECT_THAT(compiling::include_closure(folder.write("k.cu", code), code, {}), ElementsAre());
}

TEST(Identifiers, StandOutsideOfCommentsLiteralsAndNumbers) {
  std::unordered_set<std::string> names;
  EXPECT_FALSE(compiling::add_identifiers(
      "int a_1 = b; // c\n/* d\n d */ e(\"f \\\" f\", 'g', 0x1h, 2.0f); i\\\nj k$", names));
  EXPECT_THAT(names, UnorderedElementsAre("int", "a_1", "b", "e", "ij", "k$"));
  EXPECT_TRUE(compiling::add_identifiers("#define X(a) a ## b", names));
  EXPECT_FALSE(compiling::add_identifiers("// a ## b\n\"##\"", names));
}

}  // namespace
}  // namespace warptune::kernel_templates::compiling
