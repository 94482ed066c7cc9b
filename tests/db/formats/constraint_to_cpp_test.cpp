#include "db/formats/constraint_to_cpp.h"

#include <gmock/gmock.h>

#include "base/random.h"
#include "db/formats/cpp_header/header_support.h"
#include "model/expression.h"
#include "tests/db/test_data.h"
#include "tests/db/test_program.h"

namespace warptune::db::formats {
namespace {

TEST(ConstraintToCppTest, ANameThatIsNotKnownIsReported) {
  const formats::Translation translation =
      formats::constraint_to_cpp("A + device_colour * B < 3", {{"A", "config.A"}});
  EXPECT_FALSE(translation.code);
  EXPECT_EQ(translation.missing, "device_colour");
}

TEST(ConstraintToCppTest, PrecedenceOfTheExpressionIsKept) {
  const formats::CppNames names = {{"A", "a"}, {"B", "b"}};
  EXPECT_EQ(*formats::constraint_to_cpp("A*(B+1)%2==0||!A", names).code,
            *formats::constraint_to_cpp("(((A * (B + 1)) % 2) == 0) || (!A)", names).code);
}

// Random expressions over i, j (integers), r (real), b (boolean) and t (text).
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string expression(int depth) {
    static const std::vector<std::string> kLeaves = {"i",
                                                     "j",
                                                     "r",
                                                     "b",
                                                     "t",
                                                     "0",
                                                     "1",
                                                     "2",
                                                     "7",
                                                     "-3",
                                                     "0.5",
                                                     "1e3",
                                                     "true",
                                                     "\"f32\"",
                                                     "'x'",
                                                     "64",
                                                     "9223372036854775807",
                                                     "-9223372036854775808"};
    static const std::vector<std::string> kOperators = {"+",  "-", "*",  "/",  "//", "%",  "<",
                                                        "<=", ">", ">=", "==", "!=", "&&", "||"};
    static const std::vector<std::string> kFunctions = {"min", "max", "ceil_div", "round_up"};
    static const std::vector<std::string> kUnary = {"abs", "is_pow2", "log2", "sizeof", "-", "!"};
    if (depth == 0) return pick(kLeaves);
    const std::string a = expression(depth - 1);
    const std::string b = expression(depth - 1);
    switch (random_.below(6)) {
      case 0:
        return pick(kFunctions) + "(" + a + ", " + b + ")";
      case 1:
        return pick(kUnary) + "(" + a + ")";
      case 2:
        return "(" + a + " ? " + b + " : " + expression(depth - 1) + ")";
      default:
        return "(" + a + " " + pick(kOperators) + " " + b + ")";
    }
  }

 private:
  const std::string& pick(const std::vector<std::string>& items) {
    return items[random_.below(items.size())];
  }

  base::Random random_;
};

TEST(ConstraintToCppTest, TheTranslationHoldsExactlyWhereTheEngineSaysSo) {
  const model::NamedValues values = {
      {"i", std::int64_t{12}}, {"j", std::int64_t{-5}}, {"r", 2.5}, {"b", true}, {"t", std::string("f32")}};
  const formats::CppNames names = {{"i", "i"}, {"j", "j"}, {"r", "r"}, {"b", "b"}, {"t", "t"}};
  std::string source(formats::cpp_header::kHeaderSupport);
  source +=
      "#include <cstdio>\nint main() {\n  const long long i = 12, j = -5;\n  const double r = 2.5;\n  const "
      "bool b = true;\n"
      "  const char* t = \"f32\";\n  const bool all[] = {\n";
  std::string expected;
  std::vector<std::string> texts;
  Generator generator(3);
  for (int count = 0; count < 400; ++count) {
    texts.push_back(generator.expression(1 + count % 3));
    const base::Result<model::Value> value = model::Expression::parse(texts.back()).evaluate(values);
    expected += value && model::to_truth(*value).value_or(false) ? '1' : '0';
    source += "    warptune_detail::holds(" + *formats::constraint_to_cpp(texts.back(), names).code + "),\n";
  }
  source += "  };\n  for (const bool one : all) std::putchar(one ? '1' : '0');\n}\n";
  ASSERT_THAT(expected, ::testing::HasSubstr("1"));
  const testing::TemporaryFolder folder;
  testing::spill(folder / "t.cpp", source);
  const std::string folder_text = folder.path().string();
  const testing::ProgramResult built =
      testing::run_command("g++ -std=c++17 -fsanitize=undefined -fno-sanitize-recover=all -o " + folder_text +
                           "/t " + folder_text + "/t.cpp");
  ASSERT_EQ(built.code, 0) << built.output;
  const testing::ProgramResult ran = testing::run_command(folder_text + "/t");
  ASSERT_EQ(ran.code, 0) << ran.output;
  ASSERT_EQ(ran.output.size(), expected.size()) << ran.output;
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(ran.output[i], expected[i]) << texts[i];
}

}  // namespace
}  // namespace warptune::db::formats
