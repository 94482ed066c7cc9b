// Malformed definitions: each error says where it is, what was found and what was expected.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "definitions.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::HasSubstr;

/// A change to the small correct definition. `@` in `new_part` marks the expected position of the error.
/// Without it, the error only names the file.
struct Malformed {
  const char* name;
  const char* old_part;
  const char* new_part;
  std::vector<std::string> words;
};

struct Marked {
  std::string text;
  int line = 0;
  int column = 0;
};

Marked marked(std::string text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return {text, 0, 0};
  const std::string before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;
  return {text.erase(at, 1), static_cast<int>(line), static_cast<int>(at - start) + 1};
}

void PrintTo(const Malformed& row, std::ostream* out) { *out << row.name; }

class MalformedDefinition : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedDefinition, SaysWhereWhatAndWhatWasExpected) {
  const Malformed& row = GetParam();
  const Marked file = marked(embedded(with(kScaleToml, row.old_part, row.new_part)));
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("scale.cu", file.text);
  try {
    const KernelInstance instance(load_kernel_definition(path), {}, model::fictional_gpu());
    FAIL() << "it was taken:\n" << file.text;
  } catch (const base::InputError& error) {
    EXPECT_EQ(base::to_string(error.position()), base::to_string({path.string(), file.line, file.column}))
        << error.what();
    for (const std::string& word : row.words) EXPECT_THAT(error.message(), HasSubstr(word));
  }
}

const Malformed kForm[] = {
    {"BrokenToml", "[problem]", "[problem@\n", {"malformed TOML"}},
    {"TomlKeyTwice", "N = 1000\n", "N = 1000\nN = @4\n", {"malformed TOML"}},
    {"UnknownSection",
     "[constraints]",
     "@[constrains]",
     {"unknown key 'constrains'", "did you mean constraints"}},
    {"UnknownKernelKey",
     "entry",
     "entri = @\"scale\"\nentry",
     {"'kernel.entri'", "did you mean entry", "[kernel]"}},
    {"UnknownLaunchKey", "[launch]", "[launch]\nblok = @1", {"'launch.blok'", "did you mean block"}},
    {"UnknownArgumentKey", "name = \"x\"", "name = \"x\"\nsize = @4", {"'argument.size'"}},
    {"UnknownParameterKey",
     "[32, 64, 128]",
     "{ values = [32], descripton = @\"x\" }",
     {"did you mean description"}},
    {"UnknownInitKey",
     "name = \"x\"",
     "name = \"x\"\ninit = { kind = \"constant\", low = @1 }",
     {"'argument.init.low'", "kind, seed, value"}},
    {"EntryOfAnotherType",
     "entry = \"scale\"",
     "entry = @7",
     {"kernel.entry is the integer 7, expected text"}},
    {"EmptyEntry", "entry = \"scale\"", "entry = @\"\"", {"kernel.entry", "expected text"}},
    {"FlagsOfAnotherType",
     "entry",
     "flags = @\"-O3\"\nentry",
     {"kernel.flags is the text \"-O3\"", "a list of texts"}},
    {"FlagOfAnotherType", "entry", "flags = @[\"-a\", 3]\nentry", {"expected a list of texts"}},
    {"NameWithASpace",
     "entry",
     "name = @\"my kernel\"\nentry",
     {"\"my kernel\"", "letters, digits, _ and -"}},
    {"SourceInItsOwnSource", "entry", "source = @\"x.cu\"\nentry", {"a part of its source"}},
    {"ProblemList", "N = 1000", "N = @[1000]", {"problem.N is a list", "expected an integer, a real"}},
    {"ProblemNameNoMacro", "N = 1000", "N = 1000\n\"a b\" = @4", {"'a b' cannot be a macro"}},
    {"ProblemValuesOfNothing",
     "[parameters]",
     "[problem_values]\nM = @[1]\n[parameters]",
     {"the name of a [problem] entry"}},
    {"ProblemValuesNoList",
     "[parameters]",
     "[problem_values]\nN = @1\n[parameters]",
     {"the integer 1", "a list of values"}},
    {"ProblemValuesOfAnotherType",
     "[parameters]",
     "[problem_values]\nN = @[1, \"x\"]\n[parameters]",
     {"a list of values such as 1000 (integer)"}},
    {"ParameterNoList",
     "BLOCK = [32, 64, 128]",
     "BLOCK = @32",
     {"parameters.BLOCK is the integer 32", "a list of values"}},
    {"ParameterEmpty", "BLOCK = [32, 64, 128]", "BLOCK = @[]", {"parameters.BLOCK", "at least one value"}},
    {"ParameterNested", "[32, 64, 128]", "@[32, [64]]", {"a list of integers, reals, booleans or texts"}},
    {"ParameterNoMacro", "FACTOR = [2, 3]", "FACTOR = [2, 3]\nA-B = @[1]", {"'A-B' cannot be a macro"}},
    {"ParameterOtherwiseWithoutWhen",
     "[2, 3]",
     "@{ values = [2, 3], otherwise = 2 }",
     {"parameters.FACTOR.when is missing", "a condition, because the parameter has 'otherwise'"}},
    {"ParameterOtherwiseNotAValue",
     "[2, 3]",
     "{ values = [2, 3], when = \"BLOCK > 32\", otherwise = @4 }",
     {"parameters.FACTOR.otherwise is the integer 4", "one of the parameter's values"}},
    {"ParameterWhenOfAnUnknownName",
     "[2, 3]",
     "{ values = [2, 3], when = \"@BLOK > 32\" }",
     {"the condition 'BLOK > 32' names 'BLOK'", "did you mean BLOCK"}},
    {"ParameterWhenOfItself",
     "[2, 3]",
     "{ values = [2, 3], when = \"@FACTOR > 2\" }",
     {"in a circle: FACTOR -> FACTOR"}},
    {"ParameterWhenInACircle",
     "BLOCK = [32, 64, 128]\nFACTOR = [2, 3]",
     "BLOCK = { values = [32, 64, 128], when = \"A == 1\" }\n"
     "A = { values = [1, 2], when = \"N > 4 && FACTOR == 2\" }\n"
     "FACTOR = { values = [2, 3], when = \"@BLOCK > 32\" }",
     {"in a circle: BLOCK -> A -> FACTOR -> BLOCK"}},
    {"ParameterDefaultThatDoesNotMatter",
     "BLOCK = [32, 64, 128]\nFACTOR = [2, 3]",
     "BLOCK = [32, 64, 128]\nFACTOR = { values = [2, 3], when = \"BLOCK > 64\", otherwise = 3 }",
     {"[default] is not a valid configuration", "FACTOR matters only when BLOCK > 64, else it is 3"}},
    {"ParameterValueTwice", "BLOCK = [32, 64, 128]", "BLOCK = @[32, 64, 32]", {"'BLOCK'", "32 twice"}},
    {"ParameterOfTwoTypes", "FACTOR = [2, 3]", "FACTOR = @[2, \"x\"]", {"several types", "integer", "text"}},
    {"RangeOfOne", "[32, 64, 128]", "{ range = @[32] }", {"expected [first, last]"}},
    {"RangeDown", "[32, 64, 128]", "{ range = @[64, 32] }", {"first <= last"}},
    {"RangeFromZeroByPowers", "[32, 64, 128]", "{ range = @[0, 64], scale = \"log2\" }", {"first above 0"}},
    {"RangeWithoutAStep", "[32, 64, 128]", "{ range = @[0, 64], step = 0 }", {"a step above 0"}},
    {"RangeTooLong", "[32, 64, 128]", "{ range = @[1, 10001] }", {"at most 10000 values"}},
    {"RangeScale",
     "[32, 64, 128]",
     "{ range = [1, 2], scale = @\"log\" }",
     {"\"log\"", "\"linear\" or \"log2\""}},
    {"RangeStepNoNumber",
     "[32, 64, 128]",
     "{ range = [1, 2], step = @\"two\" }",
     {"\"two\"", "expected a number"}},
    {"ProblemNameIsAParameter",
     "dtype = \"f32\"\n\n[parameters]\nBLOCK = ",
     "dtype = \"f32\"\nBLOCK = 5\n[parameters]\nBLOCK = @",
     {"'BLOCK'", "twice"}},
    {"HintIsNoDefine", "entry", "hints = @[\"FAST\"]\nentry", {"kernel.hints", "names of defines"}},
    {"DefineNameIsAParameter", "entry", "defines = { BLOCK = \"@32\" }\nentry", {"'BLOCK'", "twice"}},
    {"ArgumentNameTwice",
     "[[argument]]\nname = \"y\"",
     "@[[argument]]\nname = \"x\"",
     {"argument name 'x'", "twice"}},
    {"VariantNameTwice",
     "[default]\nBLOCK = 64\nFACTOR = 2\n",
     "@[[variant]]\nname=\"a\"\n[[variant]]\nname=\"a\"\n",
     {"\"a\" twice"}},
};

const Malformed kMeaning[] = {
    {"ConstraintUnknownName",
     "BLOCK * FACTOR <= 256",
     "@BLOK <= 256",
     {"names 'BLOK'", "did you mean BLOCK"}},
    {"ConstraintSyntax", "BLOCK * FACTOR <= 256", "BLOCK * @* FACTOR", {"found", "expected"}},
    {"ConstraintUnclosed", "BLOCK * FACTOR <= 256", "(BLOCK * FACTOR@", {"expected"}},
    {"ConstraintAfterEscapes",
     "\"BLOCK * FACTOR <= 256\"",
     "\"\\\"a\\\" == \\\"b\\\" || @* 2\"",
     {"expected"}},
    {"ConstraintLiteralText", "\"BLOCK * FACTOR <= 256\"", "'BLOCK @@ 2'", {"expected"}},
    {"ConstraintReasonAsTable",
     "\"BLOCK * FACTOR <= 256\"",
     "@{ reason = \"x\" }",
     {"expression is missing"}},
    {"ConstraintsNoList",
     "list = [\"BLOCK * FACTOR <= 256\"]",
     "list = @\"BLOCK > 1\"",
     {"a list of expressions"}},
    {"ConstraintDate",
     "\"BLOCK * FACTOR <= 256\"",
     "@2020-01-01",
     {"a date or time", "expected an expression"}},
    {"DefaultOutsideItsList",
     "BLOCK = 64",
     "BLOCK = @96",
     {"default.BLOCK is the integer 96", "one of 32 64 128"}},
    {"DefaultOfAnotherType", "FACTOR = 2\n", "FACTOR = @\"2\"\n", {"the text \"2\"", "one of 2 3"}},
    {"DefaultIncomplete",
     "[default]\nBLOCK = 64\n",
     "@[default]\n",
     {"default.BLOCK is missing", "one of its values"}},
    {"DefaultUnknown", "FACTOR = 2\n", "FACTOR = 2\nBLOC = @1\n", {"'default.BLOC'", "did you mean BLOCK"}},
    {"GridMissing",
     "[launch]\ngrid = [\"ceil_div(N, BLOCK)\"]\n",
     "@[launch]\n",
     {"launch.grid is missing", "one to three expressions"}},
    {"GridOfFour", "[\"ceil_div(N, BLOCK)\"]", "@[1, 2, 3, 4]", {"launch.grid", "one to three expressions"}},
    {"GridZero", "[\"ceil_div(N, BLOCK)\"]", "@0", {"grid '0' is 0", "1 to 2147483647"}},
    {"GridZeroInAList",
     "[\"ceil_div(N, BLOCK)\"]",
     "[1, @0]",
     {"grid '0' is 0", "1 to 65535 in dimension 1"}},
    {"GridBeyondTheLimit",
     "[\"ceil_div(N, BLOCK)\"]",
     "[1, \"@256 * 256\"]",
     {"is 65536", "1 to 65535 in dimension 1"}},
    {"GridBeyond64Bits",
     "\"ceil_div(N, BLOCK)\"",
     "\"@9223372036854775807 * 2\"",
     {"overflow", "1 to 2147483647"}},
    {"GridZeroForTheProblem", "ceil_div(N, BLOCK)", "@N / 1024", {"grid 'N / 1024' is 0 for N=1000"}},
    {"GridBeyondTheLimitForTheProblem",
     "ceil_div(N, BLOCK)",
     "@N * N * N * N",
     {"is 1000000000000 for N=1000", "1 to 2147483647"}},
    {"GridOfText", "\"ceil_div(N, BLOCK)\"", "'@\"all\"'", {"grid '\"all\"' is text", "an integer"}},
    {"GridOfATextEntry", "ceil_div(N, BLOCK)", "@dtype", {"grid 'dtype' is text", "an integer"}},
    {"BlockBeyondTheLimit", "[\"BLOCK\"]", "@2048", {"block '2048' is 2048", "1 to 1024"}},
    {"SharedBytesOfText", "[launch]\n", "[launch]\nshared_bytes = \"@dtype\"\n", {"is text", "a number"}},
    {"ConstraintOfText", "BLOCK * FACTOR <= 256", "@dtype", {"'dtype' is text, expected a condition"}},
    {"CountOfText", "count = \"N\"", "count = \"@dtype\"", {"'dtype' is text, expected a number"}},
    {"ParameterNamedLikeAType", "FACTOR = [2, 3]", "FACTOR = [2, 3]\nint = @[1]", {"a keyword of C++"}},
    {"ParameterNamedLikeABuiltIn",
     "FACTOR = [2, 3]",
     "FACTOR = [2, 3]\nthreadIdx = @[1]",
     {"'threadIdx'", "a built-in variable of CUDA"}},
    {"ParameterNamedLikeAMacro",
     "FACTOR = [2, 3]",
     "FACTOR = [2, 3]\nWARPTUNE = @[1]",
     {"'WARPTUNE'", "defined by"}},
    {"DefineNamedLikeAKeyword", "entry", "defines = { for = @\"32\" }\nentry", {"'for'", "a keyword of C++"}},
    {"ProblemNamedLikeAKeyword", "N = 1000\n", "N = 1000\nnew = @1\n", {"'new'", "a keyword of C++"}},
    {"GridUnknownName", "ceil_div(N, BLOCK)", "@ceil_div(M, BLOCK)", {"names 'M'"}},
    {"BlockIsATable",
     "block = [\"BLOCK\"]",
     "block = @{ x = 1 }",
     {"launch.block is a table", "expected an expression"}},
    {"BeforeNoTables",
     "[launch]",
     "[launch]\nbefore = @3",
     {"launch.before is the integer 3", "[[launch.before]]"}},
    {"AfterWithoutEntry",
     "[[argument]]",
     "@[[launch.after]]\ngrid=1\nblock=1\n[[argument]]",
     {"launch.after.entry is missing"}},
    {"ConditionUnknownName",
     "[[argument]]",
     "[[launch.after]]\nentry=\"e\"\ngrid=1\nblock=1\nwhen=\"@FINISH == 1\"\n[[argument]]",
     {"the condition", "'FINISH'"}},
    {"ArgumentKind",
     "kind = \"in\"",
     "kind = @\"input\"",
     {"\"input\"", "one of in, out, inout, scratch, scalar"}},
    {"ArgumentType",
     "[[argument]]\nname = \"x\"\nkind = \"in\"\ntype = \"dtype\"",
     "@[[argument]]\nname = \"x\"\nkind = \"in\"\ntype = \"float\"",
     {"type 'float'", "f16, bf16, f32"}},
    {"ArgumentTypeOfASize",
     "N = 1000\ndtype = \"f32\"",
     "N = 1000\ndtype = @1000",
     {"problem.dtype is 1000", "the type of argument 'x'", "f16, bf16, f32"}},
    {"ArgumentTypeOfCpp",
     "dtype = \"f32\"",
     "dtype = @\"float\"",
     {"problem.dtype is \"float\"", "did you mean f32", "f16, bf16, f32"}},
    {"ArgumentNameNoName", "name = \"x\"", "name = @\"1x\"", {"'1x' cannot be a macro"}},
    {"BufferWithoutACount",
     "[[argument]]\nname = \"x\"\nkind = \"in\"\ntype = \"dtype\"\ncount = \"N\"\n",
     "@[[argument]]\nname = \"x\"\nkind = \"in\"\ntype = \"dtype\"\n",
     {"argument.count is missing", "the number of elements of the buffer"}},
    {"BufferWithAValue", "count = \"N\"\n", "count = \"N\"\nvalue = @\"1\"\n", {"a buffer has a count"}},
    {"BufferCountByParameter",
     "count = \"N\"",
     "count = \"@N * BLOCK\"",
     {"the count", "names the parameter 'BLOCK'", "the same for all configurations"}},
    {"ScalarWithACount", "value = \"N\"", "value = \"N\"\ncount = @\"N\"", {"a scalar has a value"}},
    {"ScalarWithoutAValue",
     "[[argument]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"i64\"\nvalue = \"N\"\n",
     "@[[argument]]\nname = \"n\"\nkind = \"scalar\"\ntype = \"i64\"\n",
     {"argument.value is missing"}},
    {"ZeroedInput", "kind = \"in\"", "kind = \"in\"\nzero = @true", {"argument.zero is true", "scratch"}},
    {"InitKind",
     "name = \"x\"",
     "name = \"x\"\ninit = { kind = @\"random\" }",
     {"\"random\"", "uniform, normal, iota, constant, file"}},
    {"InitNoTable", "name = \"x\"", "name = \"x\"\ninit = @3", {"argument.init is the integer 3", "a table"}},
    {"InitSeed", "name = \"x\"", "name = \"x\"\ninit = { seed = @-1 }", {"-1", "0 or more"}},
    {"InitNumber", "name = \"x\"", "name = \"x\"\ninit = { low = @\"a\" }", {"\"a\"", "a number"}},
    {"InitFileWithoutAPath",
     "name = \"x\"",
     "name = \"x\"\ninit = @{ kind = \"file\" }",
     {"argument.init.path is missing"}},
    {"CheckReference",
     "[launch]",
     "[check]\nreference = @\"other\"\n[launch]",
     {"\"other\"", "one of entry, configuration, expression"}},
    {"CheckWithoutAnEntry",
     "[launch]",
     "@[check]\nreference = \"entry\"\ngrid=1\nblock=1\n[launch]",
     {"check.entry is missing"}},
    {"CheckExpressionOfNoOutput",
     "[launch]",
     "[check]\nreference = \"expression\"\nexpression = { x = @\"1\" }\n[launch]",
     {"'check.expression.x'"}},
    {"CheckExpressionMissing",
     "[launch]",
     "@[check]\nreference = \"expression\"\n[launch]",
     {"a CUDA expression for y"}},
    {"CheckExpressionWithoutAnOutput",
     "kind = \"out\"\ntype = \"dtype\"\ncount = \"N\"\n",
     "kind = \"in\"\ntype = \"dtype\"\ncount = \"N\"\n[check]\nreference = \"expression\"\n"
     "expression = @\"1\"\n",
     {"no argument of kind out or inout"}},
    {"CheckSourceMissing",
     "[launch]",
     "[check]\nreference = \"entry\"\nentry = \"e\"\nsource = @\"none.cu\"\ngrid = 1\nblock = 1\n[launch]",
     {"none.cu is missing"}},
    {"CheckSourceOfAnExpression",
     "[launch]",
     "[check]\nreference = \"expression\"\nexpression = \"1\"\nsource = @\"none.cu\"\n[launch]",
     {"check.source", "only a reference that is an entry"}},
    {"CheckArgumentUnknown",
     "[launch]",
     "[check]\nreference = \"entry\"\nentry = \"e\"\ngrid = 1\nblock = 1\narguments = @[\"z\"]\n[launch]",
     {"check.arguments", "x, y, n", "'z' is not one of them"}},
    {"CheckArgumentTypeUnknown",
     "[launch]",
     "[check]\nreference = \"entry\"\nentry = \"e\"\ngrid = 1\nblock = 1\n"
     "arguments = [{ value = \"1\", type = @\"int\" }]\n[launch]",
     {"\"int\"", "a data type such as i32"}},
    {"CheckArgumentValueUnknownName",
     "[launch]",
     "[check]\nreference = \"entry\"\nentry = \"e\"\ngrid = 1\nblock = 1\n"
     "arguments = [{ value = \"@M\", type = \"i32\" }]\n[launch]",
     {"the value 'M'"}},
    {"CheckCaseUnknownSize",
     "[launch]",
     "[check]\nreference = \"configuration\"\ncases = [{ sizes = { M = @4 } }]\n[launch]",
     {"check.cases.sizes.M", "a [problem] entry"}},
    {"CheckCaseSizeOfAnotherType",
     "[launch]",
     "[check]\nreference = \"configuration\"\ncases = [{ sizes = { N = @\"many\" } }]\n[launch]",
     {"a value such as 1000 (integer)"}},
    {"CheckCaseSeed",
     "[launch]",
     "[check]\nreference = \"configuration\"\ncases = [{ seed = @0 }]\n[launch]",
     {"1 or more"}},
    {"ToleranceNegative",
     "[launch]",
     "[check]\nreference = \"configuration\"\nabsolute = @-1\n[launch]",
     {"check.absolute is -1", "0 or more"}},
    {"ToleranceNegativeExpression",
     "[launch]",
     "[check]\nreference = \"configuration\"\nrelative = \"@-N\"\n[launch]",
     {"check.relative is -1000", "0 or more"}},
    {"CheckConfiguration",
     "[launch]",
     "[check]\nreference = \"configuration\"\nconfiguration = { BLOCK = @1, FACTOR = 2 }\n[launch]",
     {"one of 32 64 128"}},
    {"ToleranceByParameter",
     "[launch]",
     "[check]\nreference = \"configuration\"\nabsolute = \"@BLOCK\"\n[launch]",
     {"the tolerance", "'BLOCK'"}},
    {"WorkUnknownName", "[launch]", "[work]\nflops = \"@2 * M\"\n[launch]", {"flops '2 * M'", "'M'"}},
    {"WorkUnit",
     "[launch]",
     "[work]\nunit = @\"fp16\"\n[launch]",
     {"work.unit is the text", "fp32, fp64 or tensor"}},
    {"VariantWithoutAName", "[launch]", "@[[variant]]\nentry = \"e\"\n[launch]", {"variant.name is missing"}},
    {"VariantSourceMissing",
     "[default]\nBLOCK = 64\nFACTOR = 2\n",
     "[[variant]]\nname = \"a\"\nsource = @\"none.cu\"\n",
     {"none.cu is missing"}},
    {"EntryPlaceholderUnknown",
     "entry = \"scale\"",
     "entry = @\"scale<{BLOK}>\"",
     {"BLOK", "did you mean BLOCK"}},
    {"FlagPlaceholderUnclosed", "entry", "flags = @[\"-DA={BLOCK\"]\nentry", {"'{' without a '}'"}},
};

const Malformed kMissing[] = {
    {"Kernel", "[kernel]\nentry = \"scale\"\n", "", {"[kernel] is missing", "expected"}},
    {"Parameters", "[parameters]\nBLOCK = [32, 64, 128]\nFACTOR = [2, 3]\n", "", {"[parameters] is missing"}},
    {"Launch",
     "[launch]\ngrid = [\"ceil_div(N, BLOCK)\"]\nblock = [\"BLOCK\"]\n",
     "",
     {"[launch] is missing"}},
    {"DefaultInvalid",
     "<= 256",
     "<= 64",
     {"[default] is not a valid configuration", "'BLOCK * FACTOR <= 64'"}},
};

std::string name_of(const ::testing::TestParamInfo<Malformed>& parameter) { return parameter.param.name; }
INSTANTIATE_TEST_SUITE_P(Form, MalformedDefinition, ::testing::ValuesIn(kForm), name_of);
INSTANTIATE_TEST_SUITE_P(Meaning, MalformedDefinition, ::testing::ValuesIn(kMeaning), name_of);
INSTANTIATE_TEST_SUITE_P(Missing, MalformedDefinition, ::testing::ValuesIn(kMissing), name_of);

TEST(MalformedFile, WithoutArgumentsSaysSo) {
  const TemporaryFolder folder;
  const std::string toml = kScaleToml.substr(0, kScaleToml.find("[[argument]]"));
  const std::filesystem::path path = folder.write("scale.cu", embedded(toml));
  EXPECT_THAT(load_failure(path), HasSubstr(path.string() + ": [[argument]] is missing"));
}

TEST(MalformedFile, WithoutADescriptionSaysWhatIsExpectedAtItsStart) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("scale.cu", kScaleCode);
  EXPECT_THAT(load_failure(path), HasSubstr(path.string() + ":1:1: there is no tuning description"));
  EXPECT_THAT(load_failure(path), HasSubstr("'/* warptune'"));
}

TEST(MalformedFile, WithAnUnclosedDescriptionNamesItsFirstLine) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("scale.cu", "\n/* warptune\n" + kScaleToml);
  EXPECT_THAT(load_failure(path), HasSubstr(path.string() + ":2:1: "));
  EXPECT_THAT(load_failure(path), HasSubstr("not closed"));
}

TEST(MalformedFile, NamesTheSourceOfATomlThatIsMissingAndWhereItIsNamed) {
  const TemporaryFolder folder;
  const std::filesystem::path path =
      folder.write("scale.toml", with(kScaleToml, "entry", "source = \"none.cu\"\nentry"));
  EXPECT_THAT(load_failure(path), HasSubstr(path.string() + ":2:10: the source "));
  EXPECT_THAT(load_failure(path), HasSubstr((folder.path() / "none.cu").string() + " is missing"));
}

TEST(MalformedFile, SaysThatATomlMustNameItsSource) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("scale.toml", kScaleToml);
  EXPECT_THAT(load_failure(path), HasSubstr("kernel.source is missing, expected text"));
}

TEST(MalformedFile, ThatIsMissingIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(load_failure(folder.path() / "none.toml"), HasSubstr((folder.path() / "none.toml").string()));
}

}  // namespace
}  // namespace warptune::kernel_templates
