// Definitions from an untrusted author: none of them can read, write or execute anything outside of its own
// folder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

#include "base/files.h"
#include "definitions.h"
#include "folder_beside_a_secret.h"

namespace warptune::kernel_templates {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// A change to the small correct definition, and code before its own code. `$` represents a folder that does
/// not belong to the definition and has `secret.cuh`. `@` marks the expected position of the error.
struct Hostile {
  const char* name;
  std::string old_part;
  std::string new_part;
  std::string code;
};

void PrintTo(const Hostile& row, std::ostream* out) { *out << row.name; }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

class HostileDefinition : public FolderBesideASecret, public ::testing::WithParamInterface<Hostile> {};

TEST_P(HostileDefinition, IsRefusedAtItsPlaceAndReadsAndWritesNothingOutside) {
  const Hostile& row = GetParam();
  const std::string plain = with(kScaleToml, "[default]\nBLOCK = 64\nFACTOR = 2\n\n", "");
  const std::string toml = row.old_part.empty() ? plain : with(plain, row.old_part, row.new_part);
  std::string text = replaced(embedded(toml, row.code + kScaleCode), "$", outside_.path().string());
  base::SourcePosition expected{(own_ / "scale.cu").string(), 0, 0};
  const std::size_t mark = text.find('@');
  if (mark != std::string::npos) {
    const std::string before = text.substr(0, mark);
    expected.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    expected.column = static_cast<int>(mark - (before.rfind('\n') + 1)) + 1;
    text.erase(mark, 1);
  }
  const fs::path definition = outside_.write("own/scale.cu", text);
  const std::set<std::string> before = files();
  const Attempt attempt = this->attempt(definition);
  EXPECT_TRUE(attempt.refused) << attempt.said;
  EXPECT_THAT(attempt.said, Not(HasSubstr("SECRET_LINE")));
  EXPECT_NE(attempt.said, "");
  EXPECT_EQ(files(), before) << "it wrote something";
  EXPECT_EQ(base::read_file(secret()), "SECRET_LINE;\n");
  if (mark == std::string::npos) return;
  EXPECT_EQ(base::to_string(attempt.position), base::to_string(expected)) << attempt.said;
}

Hostile flag(const char* name, const std::string& flags) {
  return {name, "entry = \"scale\"", "flags = [" + flags + "]\nentry = \"scale\"", ""};
}
Hostile flag_of_parameters(const char* name, const std::string& flag, const std::string& parameters) {
  return {name, "entry = \"scale\"\n\n[problem]\nN = 1000\ndtype = \"f32\"\n\n[parameters]",
          "entry = \"scale\"\nflags = [" + flag +
              "]\n\n[problem]\nN = 1000\ndtype = \"f32\"\n\n[parameters]\n" + parameters,
          ""};
}
Hostile source(const char* name, const std::string& code) { return {name, "", "", code}; }

const Hostile kOptions[] = {
    flag("CreatesPrecompiledHeaders", R"(@"--create-pch=$/x.pch")"),
    flag("CreatesThemWithOneDash", R"(@"-create-pch=$/x.pch")"),
    flag("UsesPrecompiledHeaders", R"("-lineinfo", @"--use-pch=$/secret.cuh")"),
    flag("PrecompiledHeadersInAFolder", R"(@"-pch --pch-dir=$")"),
    flag("WritesTimes", R"(@"--time=$/secret.cuh")"),
    flag("WritesTimesWithOneDash", R"(@"-time=$/x.csv")"),
    flag("WritesATrace", R"(@"--fdevice-time-trace=$/trace")"),
    flag("WritesInASecondWord", R"(@"-lineinfo --time=$/x.csv")"),
    flag("WritesBehindATab", "@\"-lineinfo\\t--time=$/x.csv\""),
    flag("WritesInPlaceOfAMacro", R"("-D", @"--time=$/x.csv")"),
    flag("WritesInPlaceOfANumber", R"("--maxrregcount", @"--time=$/x.csv")"),
    flag("IncludesBefore", R"(@"--pre-include=$/secret.cuh")"),
    flag("IncludesBeforeInTwoWords", R"(@"-include", "$/secret.cuh")"),
    flag("IncludesAFolder", R"(@"-I$")"),
    flag("IncludesAFolderInTwoWords", R"("-I", @"$")"),
    flag("IncludesAFolderByItsLongName", R"(@"--include-path=$")"),
    flag("TellsTheFrontEnd", R"(@"-Xcudafe=--list=$/x")"),
    flag("AssemblerReadsOptions", R"("-Xptxas", @"--options-file=$/secret.cuh")"),
    flag("AssemblerReadsOptionsByTheShortName", R"(@"-Xptxas=-optf=$/secret.cuh")"),
    flag("AssemblerWrites", R"(@"-Xptxas=-o=$/x.cubin")"),
    flag("AssemblerReadsAFile", R"(@"-Xptxas=-O -Xptxas=$/secret.cuh")"),
    flag("AssemblerWritesATrace", R"(@"--ptxas-options=--fdevice-time-trace=$/x")"),
    flag("AnotherKindOfCode", R"(@"-optix-ir")"),
    flag("AnotherArchitecture", R"(@"--gpu-architecture=sm_80")"),
    flag("NoOptionAtAll", R"(@"$/x")"),
    flag("AnUnknownOption", R"(@"--time-everything=$/x")"),
    {"WritesByTheLanguage", "entry", "language = @\"c++17 --time=$/x.csv\"\nentry", ""},
    flag_of_parameters("WritesByAParameter", R"(@"{A}")", R"(A = ["", "--time=$/x.csv"])"),
    flag_of_parameters("WritesByTwoParameters", R"(@"{A}{B}")", R"(A = ["-w", "--time"]
B = ["", "=$/x.csv"])"),
    flag_of_parameters("WritesByAnExpression", R"(@"{N > 5 ? A : ''}")", R"(A = ["--time=$/x.csv"])"),
    flag_of_parameters("IncludesAFolderOfTwoParameters", R"(@"-I{A}{B}")", R"(A = [".", "$"]
B = ["", "/own"])"),
};

const Hostile kFiles[] = {
    {"IncludeFolderOutside", "entry", "include = @[\"$\"]\nentry", ""},
    {"IncludeFolderAbove", "entry", "include = @[\"..\"]\nentry", ""},
    {"IncludeFolderByALink", "entry", "include = @[\"linked\"]\nentry", ""},
    {"DataOutside", "kind = \"in\"", "kind = \"in\"\ninit = { kind = \"file\", path = @\"$/secret.cuh\" }",
     ""},
    {"DataAbove", "kind = \"in\"", "kind = \"in\"\ninit = { kind = \"file\", path = @\"../secret.cuh\" }",
     ""},
    {"DataByALink", "kind = \"in\"", "kind = \"in\"\ninit = { kind = \"file\", path = @\"link.cuh\" }", ""},
    {"DataOfTheProcess", "kind = \"in\"",
     "kind = \"in\"\ninit = { kind = \"file\", path = @\"/proc/self/environ\" }", ""},
    {"VariantOutside", "[launch]",
     "[[variant]]\nname = \"a\"\nentry = \"scale\"\n[[variant]]\nname = \"b\"\nsource = "
     "@\"../outer.cu\"\n[launch]",
     ""},
};

const Hostile kIncludes[] = {
    source("Absolute", "@#include \"$/secret.cuh\"\n"),
    source("AbsoluteInAngles", "@#include <$/secret.cuh>\n"),
    source("Above", "@#include \"../secret.cuh\"\n"),
    source("AboveTheToolkit", "@#include <../../../../../../../../$/secret.cuh>\n"),
    source("ByALink", "@#include \"link.cuh\"\n"),
    source("ByALinkedFolder", "@#include \"linked/secret.cuh\"\n"),
    source("ByALinkedFolderAndBack", "@#include \"linked/own/../secret.cuh\"\n"),
    source("OfAFileOfItsOwn", "#include \"sub/deep.cuh\"\n"),
    source("OfTheProcess", "@#include \"/proc/self/environ\"\n"),
    source("OfADescriptor", "@#include \"/proc/self/fd/77\"\n"),
    source("OfADescriptorByALink", "@#include \"nowhere.cuh\"\n"),
    source("OfADevice", "@#include \"/dev/stdin\"\n"),
    source("SplicedWord", "@#inc\\\nlude \"$/secret.cuh\"\n"),
    source("SplicedName", "@#include \"$/sec\\\nret.cuh\"\n"),
    source("SplicedByWindows", "@#inc\\\r\nlude \"$/secret.cuh\"\r\n"),
    source("BehindAComment", "/* a\n */ @# /* b */ include /* c */ \"$/secret.cuh\"\n"),
    source("InTwoLinesByAComment", "@# /*\n */ include \"$/secret.cuh\"\n"),
    source("OddBlanks", "\v@#\f include\v\"$/secret.cuh\"\n"),
    source("BehindANul", "#include \"nul.cuh\"\n"),
    source("Digraph", "@%:include \"$/secret.cuh\"\n"),
    source("NextOne", "@#include_next \"$/secret.cuh\"\n"),
    {"NextOfTwoFolders", "entry", "include = [\"first\", \"second\"]\nentry", "@#include_next <next.cuh>\n"},
    source("BehindAQuoteThatStaysOpen", "#if 0\n' /*\n#endif\n@#include \"$/secret.cuh\"\n// */\n"),
    source("BehindAQuoteInADirective", "#pragma don't /*\n@#inc\\\nlude \"$/secret.cuh\"\n// */\n"),
    source("BehindARawString",
           "const char* const r = R\"(\" /* )\";\n@#inc\\\nlude \"$/secret.cuh\"\n// */\n"),
    source("BehindARawStringSpliced",
           "const char* const r = R\"( )\\\n\" /* )\";\n@%:include \"$/secret.cuh\"\n// */\n"),
    source("BehindSeparatedDigits", "constexpr int q = 1'000; /* '*/\n@#inc\\\nlude \"$/secret.cuh\"\n"),
    source("BehindATrigraphThatIsNone", "// ?\?/\n@#inc\\\nlude \"$/secret.cuh\"\n"),
    {"TrigraphOfAnOldStandard", "entry", "language = \"c++03\"\nentry", "@?\?=include \"$/secret.cuh\"\n"},
    {"TrigraphOfAnotherStandardInFlags", "entry", "flags = [\"-std=c++03\"]\nentry",
     "@?\?=inc?\?/\nlude \"$/secret.cuh\"\n"},
    source("MacroInQuotes", "#define FILE \"$/secret.cuh\"\n@#include FILE\n"),
    source("MacroInAngles", "#define FILE <$/secret.cuh>\n@#include FILE\n"),
    source("MacroOfAMacro", "#define A \"$/secret.cuh\"\n#define B A\n@#include B\n"),
    source("OneOfItsMacros",
           "#define A \"sub/none.cuh\"\n#undef A\n#define A \"$/secret.cuh\"\n@#include A\n"),
    source("MacroWithArguments", "#define S(x) #x\n#define T(x) S(x)\n@#include T($/secret.cuh)\n"),
    source("MacroOfNothingKnown", "@#include SOMEWHERE\n"),
    {"MacroOfAFlag", "entry", "flags = [\"-DFILE=\\\"$/secret.cuh\\\"\"]\nentry", "@#include FILE\n"},
    {"MacroOfAParameter", "FACTOR = [2, 3]",
     "FACTOR = [2, 3]\nFILE = ['\"sub/none.cuh\"', '\"$/secret.cuh\"']", "@#include FILE\n"},
    {"MacroOfADefine", "entry", "defines = { FILE = \"'<$/secret.cuh>'\" }\nentry", "@#include FILE\n"},
    source("AsksForAFile", "#if @__has_include(\"$/secret.cuh\")\n#error SECRET_LINE\n#endif\n"),
    source("AsksInASplicedWord", "#if @__has_\\\ninclude(<$/secret.cuh>)\n#error SECRET_LINE\n#endif\n"),
    source("BesideAHeaderOfTheToolkit", "#include <cuda_fp16.h>\n"),
};

const Hostile kTexts[] = {
    {"EntryWithALine", "entry = \"scale\"", "entry = \"scale\\n#include \\\"$/secret.cuh\\\"\"", ""},
    {"ParameterWithALine", "FACTOR = [2, 3]",
     "FACTOR = [2, 3]\nFILE = [\"1\\n#include \\\"$/secret.cuh\\\"\"]",
     "#include <cuda/std/cstdint>\nconstexpr int file = FILE;\n"},
    {"ParameterThatOpensARawString", "FACTOR = [2, 3]", "FACTOR = [2, 3]\nFILE = ['1 R\"(']",
     "#include <cuda/std/cstdint>\n// FILE\nint FILE; /* )\"\n%:include \"$/secret.cuh\"\n*/\n"},
    {"DefineWithALine", "entry", "defines = { FILE = \"'1\\n#include <$/secret.cuh>'\" }\nentry",
     "#include <cuda/std/cstdint>\nconstexpr int file = FILE;\n"},
    {"CheckThatIncludes", "[[argument]]\nname = \"x\"",
     "[check]\nreference = \"expression\"\nexpression = \"0\\n#include \\\"$/secret.cuh\\\"\\n\"\n\n"
     "[[argument]]\nname = \"x\"",
     ""},
    // ptxas has no directive that reads a file, so these give errors of the assembler.
    source("AssemblyThatIncludes",
           "__device__ void f() { asm volatile(\"\\n.include \\\"$/secret.cuh\\\"\\n\"); }\n"
           "__global__ void g() { f(); }\n"),
    source("AssemblyThatTakesBytes",
           "__device__ void f() { asm volatile(\"\\n.incbin \\\"$/secret.cuh\\\"\\n\"); }\n"
           "__global__ void g() { f(); }\n"),
    source("EmbeddedBytes", "const char bytes[] = {\n#embed \"$/secret.cuh\"\n};\n"),
    source("Imported", "@#import \"$/secret.cuh\"\n"),
};

constexpr auto kName = [](const auto& row) { return std::string(row.param.name); };
INSTANTIATE_TEST_SUITE_P(Options, HostileDefinition, ::testing::ValuesIn(kOptions), kName);
INSTANTIATE_TEST_SUITE_P(Files, HostileDefinition, ::testing::ValuesIn(kFiles), kName);
INSTANTIATE_TEST_SUITE_P(Includes, HostileDefinition, ::testing::ValuesIn(kIncludes), kName);
INSTANTIATE_TEST_SUITE_P(Texts, HostileDefinition, ::testing::ValuesIn(kTexts), kName);

}  // namespace
}  // namespace warptune::kernel_templates
