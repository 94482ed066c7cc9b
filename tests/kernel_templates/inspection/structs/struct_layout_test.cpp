#include "kernel_templates/inspection/structs/struct_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warptune::kernel_templates::inspection::structs {
namespace {

using ::testing::ElementsAre;

// "at type name" of each member, and the size last. Empty if the layout is unknown.
std::vector<std::string> members_of(const std::string& code, const std::string& name = "S") {
  const std::optional<StructLayout> layout = struct_layout(code, name);
  if (!layout) return {};
  std::vector<std::string> texts;
  for (const StructMember& member : layout->members)
    texts.push_back(std::to_string(member.at) + " " + member.type + " " + member.name);
  texts.push_back(std::to_string(layout->bytes));
  return texts;
}

TEST(StructLayout, AlignsEachMemberToItsSize) {
  EXPECT_THAT(members_of("struct S {\n  int count;  // of elements; all\n  double scale = 1.0;\n"
                         "  const float* __restrict__ from; float* to;\n  char last;\n};"),
              ElementsAre("0 int count", "8 double scale", "16 const float* from", "24 float* to",
                          "32 char last", "40"));
}

TEST(StructLayout, ArraysAndVectorsAreTheirElements) {
  EXPECT_THAT(members_of("struct S { short a, b; float w[2]; float3 three; float4 four; };"),
              ElementsAre("0 short a", "2 short b", "4 float w_0", "8 float w_1", "12 float three_0",
                          "16 float three_1", "20 float three_2", "32 float four_0", "36 float four_1",
                          "40 float four_2", "44 float four_3", "48"));
}

TEST(StructLayout, IsUnknownForWhatTheTextDoesNotSay) {
  for (const char* code :
       {"struct T { int a; };", "struct S;", "struct S : T { int a; };",
        "struct S { int f() const; int a; };", "struct S { T a; };", "struct S { int a : 3; };",
        "struct alignas(16) S { int a; };", "struct S { int a[N]; };", "struct S { static int a; int b; };",
        "template <class T> struct S { int a; };", "struct S { };",
        "struct S { int a; };\nnamespace x { struct S { int b; }; }", "struct S { float *a, *b; };",
        "struct S { union { int a; float b; }; };"})
    EXPECT_THAT(members_of(code), ElementsAre()) << code;
}

}  // namespace
}  // namespace warptune::kernel_templates::inspection::structs
