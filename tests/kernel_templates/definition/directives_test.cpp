#include "kernel_templates/definition/directives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::kernel_templates::definition {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (const definition::IncludeDirective& include : definition::read_directives(text).includes) {
    const std::string name = include.name.empty() ? "macro " + include.macros : include.name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

TEST(DirectivesTest, BothFormsAreFoundWithTheirPlace) {
  const definition::Directives found =
      definition::read_directives("int a;\n  # include <x/y.h> // why\n#include \"z.h\"\n");
  ASSERT_GE(found.includes.size(), 2U);
  EXPECT_EQ(found.includes[0].name, "x/y.h");
  EXPECT_FALSE(found.includes[0].quoted);
  EXPECT_EQ(found.includes[0].line, 2);
  EXPECT_EQ(found.includes[0].column, 3);
  EXPECT_EQ(found.includes[1].name, "z.h");
  EXPECT_TRUE(found.includes[1].quoted);
  EXPECT_EQ(found.includes[1].line, 3);
}

TEST(DirectivesTest, WordsOfCommentsAndCodeAreNone) {
  EXPECT_THAT(names_in("// the #include of it\n/* # include_next MACRO */ int include = 1;\n"
                       "const char* s = \"#include FILE\";\n int x; #include FILE\n"),
              IsEmpty());
}

TEST(DirectivesTest, WhatMacrosSayIsKeptAsWritten) {
  EXPECT_THAT(names_in("#include FILE // x\n#include  NAME( a,\\\n b )\n"),
              ElementsAre("macro FILE", "macro NAME( a, b )"));
}

TEST(DirectivesTest, MacrosAreFoundWithTheirTexts) {
  const definition::Directives found =
      definition::read_directives("#define A \"a.h\" // x\n#define B(x) #x\n#define C\n%:define D <d.h>\n");
  ASSERT_EQ(found.macros.size(), 4U);
  EXPECT_EQ(found.macros[0].body, "\"a.h\"");
  EXPECT_TRUE(found.macros[1].takes_arguments);
  EXPECT_EQ(found.macros[2].body, "");
  EXPECT_EQ(found.macros[3].name, "D");
  EXPECT_EQ(found.macros[3].body, "<d.h>");
}

TEST(DirectivesTest, AQuestionForAFileIsFoundInAnyCondition) {
  const definition::Directives found =
      definition::read_directives("#if defined(__has_include) && \\\n  __has_include( <a.h> )\n#endif\n");
  ASSERT_EQ(found.includes.size(), 1U);
  EXPECT_TRUE(found.includes[0].probe);
  EXPECT_EQ(found.includes[0].name, "a.h");
  EXPECT_EQ(found.includes[0].line, 2);
}

TEST(DirectivesTest, AStringThatStaysOpenEndsWithItsLine) {
  EXPECT_THAT(names_in("#if 0\ndon't /*\n#endif\n%:include \"a.h\"\n// */\n"), ElementsAre("a.h"));
}

TEST(DirectivesTest, WhatDependsOnTheStandardIsReadInEachWay) {
  EXPECT_THAT(names_in("?\?=include \"a.h\"\n"), Contains("a.h"));
  EXPECT_THAT(names_in("// ?\?/\n%:include \"a.h\"\n"), Contains("a.h"));
  EXPECT_THAT(names_in("const char* r = R\"(\" /* )\";\n%:include \"a.h\"\n// */\n"), Contains("a.h"));
  EXPECT_THAT(names_in("int R = 1; char c[] = u8R\"x(/* )x\" \"*/\";\n%:include \"b.h\"\n"), Contains("b.h"));
  // Standards before C++11 have no raw strings, and standards before C++14 have no digit separators.
  EXPECT_THAT(names_in("R\"(\"\n%:include \"a.h\"\n// )\"\n"), Contains("a.h"));
  EXPECT_THAT(names_in("int q = 1'0 /*';\n%:include \"a.h\"\n// */\n"), Contains("a.h"));
  EXPECT_THAT(names_in("int q = 1'000; /* '*/\n%:include \"a.h\"\n"), Contains("a.h"));
}

TEST(DirectivesTest, ANameOfAHeaderIsOneAlone) {
  definition::IncludeDirective include;
  EXPECT_TRUE(definition::is_header_name("\"a.h\"", include));
  EXPECT_TRUE(include.quoted);
  EXPECT_TRUE(definition::is_header_name("<a/b.h>", include));
  EXPECT_EQ(include.name, "a/b.h");
  EXPECT_FALSE(include.quoted);
  for (const char* none : {"", "\"\"", "\"a", "<a> b", "a.h", "\"a\" \"b\""})
    EXPECT_FALSE(definition::is_header_name(none, include)) << none;
}

}  // namespace
}  // namespace warptune::kernel_templates::definition
