#include "kernel_templates/argument_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "base/random.h"
#include "definitions.h"

namespace warptune::kernel_templates {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ResolvedArgument buffer(DataType type, std::int64_t count, const Initialiser& init) {
  ResolvedArgument argument;
  argument.name = "x";
  argument.type = type;
  argument.count = count;
  argument.init = init;
  return argument;
}

Initialiser generator(InitialiserKind kind, double first, double second = 0.0) {
  Initialiser init;
  init.kind = kind;
  init.first = first;
  init.second = second;
  return init;
}

std::vector<double> elements(DataType type, const std::vector<std::byte>& bytes) {
  std::vector<double> values;
  for (std::size_t at = 0; at < bytes.size(); at += info(type).size_bytes)
    values.push_back(element_as_double(type, bytes.data() + at));
  return values;
}

std::vector<double> generated(DataType type, std::int64_t count, const Initialiser& init,
                              std::uint64_t run_seed = 1) {
  return elements(type, generate_argument(buffer(type, count, init), 0, run_seed));
}

template <class T>
T scalar_of(DataType type, model::Value value) {
  ResolvedArgument argument = buffer(type, 0, {});
  argument.kind = ArgumentKind::kScalar;
  argument.scalar = std::move(value);
  const std::vector<std::byte> bytes = scalar_bytes(argument);
  EXPECT_EQ(bytes.size(), sizeof(T));
  T element{};
  std::memcpy(&element, bytes.data(), std::min(sizeof(T), bytes.size()));
  return element;
}

TEST(DependsOnSeed, IsTrueWhereAnotherSeedGivesOtherContents) {
  const auto expression = [](const char* text) {
    Initialiser init;
    init.kind = InitialiserKind::kExpression;
    init.value = model::Expression::parse(text, {});
    return init;
  };
  for (const Initialiser& init :
       {generator(InitialiserKind::kUniform, 0, 1), generator(InitialiserKind::kNormal, 0, 1),
        generator(InitialiserKind::kIota, 0, 1), generator(InitialiserKind::kConstant, 2),
        expression("u * 3"), expression("i * 3")}) {
    const ResolvedArgument argument = buffer(DataType::kF32, 8, init);
    EXPECT_EQ(depends_on_seed(argument),
              generate_argument(argument, 0, 1) != generate_argument(argument, 0, 2));
  }
}

class EveryType : public ::testing::TestWithParam<DataTypeInfo> {};

TEST_P(EveryType, CountsUpExactly) {
  EXPECT_THAT(generated(GetParam().type, 4, generator(InitialiserKind::kIota, 3, 2)),
              ElementsAre(3, 5, 7, 9));
}

TEST_P(EveryType, RepeatsAConstant) {
  EXPECT_THAT(generated(GetParam().type, 3, generator(InitialiserKind::kConstant, 5)), ElementsAre(5, 5, 5));
}

TEST_P(EveryType, StaysInTheRangeOfUniformAndFillsIt) {
  const double low = GetParam().is_signed ? -10 : 2;
  const std::vector<double> values =
      generated(GetParam().type, 5000, generator(InitialiserKind::kUniform, low, 20));
  const auto [minimum, maximum] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*minimum, low);
  EXPECT_LE(*maximum, 20.0);
  EXPECT_LT(*minimum, low + 0.5);
  EXPECT_GT(*maximum, 19.5);
  if (GetParam().floating) return;
  EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), static_cast<std::size_t>(21 - low));
}

TEST_P(EveryType, HasTheMeanAndDeviationOfNormal) {
  const std::vector<double> values =
      generated(GetParam().type, 20000, generator(InitialiserKind::kNormal, 60, 10));
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += (value - 60) * (value - 60);
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 60, 0.5);  // Seven standard errors.
  EXPECT_NEAR(std::sqrt(squares / count), 10, 0.5);
}

TEST_P(EveryType, HasAsManyBytesAsAsked) {
  const ResolvedArgument argument = buffer(GetParam().type, 7, {});
  EXPECT_EQ(generate_argument(argument, 0, 1).size(), 7 * GetParam().size_bytes);
}

INSTANTIATE_TEST_SUITE_P(ArgumentData, EveryType, ::testing::ValuesIn(data_types()),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(ArgumentData, IsAFunctionOfTheElementsPlaceHoweverManyThreadsMakeIt) {
  const Initialiser init = generator(InitialiserKind::kUniform, -1, 1);
  const std::vector<double> many = generated(DataType::kF64, 400'001, init);  // Shared among threads.
  const std::vector<double> few = generated(DataType::kF64, 1000, init);      // By one thread.
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  // Every element was written, the seams of the threads' shares included.
  EXPECT_EQ(std::count(many.begin(), many.end(), 0.0), 0);
  EXPECT_EQ(std::set<double>(many.begin(), many.end()).size(), many.size());
}

TEST(ArgumentData, IsTheSameOnEveryMachine) {
  // SplitMix64 of the counter, its upper 53 bits: written down here a second time.
  Initialiser init = generator(InitialiserKind::kUniform, 0, 1);
  init.seed = 7;
  const std::uint64_t key = base::split_mix64(base::split_mix64(3) ^ 7);
  const std::vector<double> values = generated(DataType::kF64, 3, init, 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], static_cast<double>(base::split_mix64(key + i) >> 11) / 9007199254740992.0);
  }
}

TEST(ArgumentData, DiffersBetweenSeedsRunsAndPlaces) {
  const ResolvedArgument argument = buffer(DataType::kF32, 64, generator(InitialiserKind::kUniform, 0, 1));
  ResolvedArgument seeded = argument;
  seeded.init.seed = 99;
  const auto base = generate_argument(argument, 0, 1);
  EXPECT_EQ(generate_argument(argument, 0, 1), base);
  EXPECT_NE(generate_argument(argument, 0, 2), base);
  EXPECT_NE(generate_argument(argument, 1, 1), base);
  EXPECT_NE(generate_argument(seeded, 0, 1), base);
  EXPECT_EQ(generate_argument(seeded, 0, 1), generate_argument(seeded, 1, 1)) << "a given seed is the seed";
}

TEST(ArgumentData, KeepsIntegersInsideAFractionalRange) {
  const std::vector<double> values =
      generated(DataType::kI32, 2000, generator(InitialiserKind::kUniform, 0.5, 2.5));
  EXPECT_EQ(std::set<double>(values.begin(), values.end()), (std::set<double>{1, 2}));
}

TEST(ArgumentData, EndsAtTheTypesLimitsInsteadOfWrapping) {
  EXPECT_THAT(generated(DataType::kI8, 3, generator(InitialiserKind::kIota, 126)),
              ElementsAre(126, 126, 126));
  EXPECT_THAT(generated(DataType::kI8, 3, generator(InitialiserKind::kIota, 126, 1)),
              ElementsAre(126, 127, 127));
  EXPECT_THAT(generated(DataType::kU8, 2, generator(InitialiserKind::kConstant, -5)), ElementsAre(0, 0));
  EXPECT_THAT(generated(DataType::kU64, 1, generator(InitialiserKind::kConstant, 1e30)),
              ElementsAre(18446744073709551615.0));
  EXPECT_THAT(generated(DataType::kI64, 1, generator(InitialiserKind::kConstant, -1e30)),
              ElementsAre(-0x1p63));
  EXPECT_THAT(generated(DataType::kF16, 1, generator(InitialiserKind::kConstant, 1e6)),
              ElementsAre(std::numeric_limits<double>::infinity()));
}

TEST(ScalarBytes, HoldsTheValueInTheArgumentsType) {
  EXPECT_EQ(scalar_of<float>(DataType::kF32, 0.5), 0.5F);
  EXPECT_EQ(scalar_of<double>(DataType::kF64, std::int64_t{3}), 3.0);
  EXPECT_EQ(scalar_of<std::int32_t>(DataType::kI32, std::int64_t{-7}), -7);
  EXPECT_EQ(scalar_of<std::uint8_t>(DataType::kU8, true), 1);
  EXPECT_EQ(scalar_of<std::uint16_t>(DataType::kF16, 1.0), 0x3C00);
  EXPECT_EQ(scalar_of<std::uint16_t>(DataType::kF16, std::int64_t{1}), 0x3C00);
  EXPECT_EQ(scalar_of<std::uint16_t>(DataType::kBf16, 1.0), 0x3F80);
}

TEST(ScalarBytes, IsExactPastTheIntegersOfDouble) {
  const std::int64_t odd = (std::int64_t{1} << 60) + 1;
  EXPECT_EQ(scalar_of<std::int64_t>(DataType::kI64, odd), odd);
  EXPECT_EQ(scalar_of<std::uint64_t>(DataType::kU64, odd), static_cast<std::uint64_t>(odd));
}

// A `.npy` file by NumPy's enhancement proposal 1: magic, version, length, Python dictionary, data.
std::string npy(const std::string& type, const std::string& data, bool fortran = false, char version = 1) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (2, 1), }";
  header.resize(117, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  if (version > 1) text += std::string(2, '\0');
  return text + header + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), values.data(), text.size());
  return text;
}

class DataFile : public ::testing::Test {
 protected:
  ResolvedArgument argument(DataType type, const std::string& name, const std::string& text,
                            std::int64_t count = 2) const {
    Initialiser init = generator(InitialiserKind::kFile, 0);
    init.path = folder_.write(name, text);
    return buffer(type, count, init);
  }
  std::vector<double> read(DataType type, const std::string& name, const std::string& text) const {
    return elements(type, generate_argument(argument(type, name, text), 0, 1));
  }
  static std::string failure(const ResolvedArgument& argument) {
    try {
      generate_argument(argument, 0, 1);
      return "no error";
    } catch (const base::InputError& error) {
      EXPECT_EQ(error.position().file, argument.init.path.string());
      return error.what();
    }
  }
  TemporaryFolder folder_;
};

TEST_F(DataFile, GivesTheElementsOfANumpyFile) {
  EXPECT_THAT(read(DataType::kF32, "x.npy", npy("<f4", raw<float>({1.5F, -2.0F}))), ElementsAre(1.5, -2.0));
  EXPECT_THAT(read(DataType::kI64, "x.npy", npy("<i8", raw<std::int64_t>({7, -9}))), ElementsAre(7, -9));
  EXPECT_THAT(read(DataType::kU8, "x.npy", npy("|u1", "\x05\xFF")), ElementsAre(5, 255));
  EXPECT_THAT(read(DataType::kF16, "x.npy", npy("<f2", raw<std::uint16_t>({0x3C00, 0xC000}))),
              ElementsAre(1, -2));
}

TEST_F(DataFile, TakesBfloatAsTwoByteElementsOfNumpy) {
  for (const char* type : {"<u2", "|V2", "<V2"}) {
    EXPECT_THAT(read(DataType::kBf16, "x.npy", npy(type, raw<std::uint16_t>({0x3F80, 0xC000}))),
                ElementsAre(1, -2))
        << type;
  }
}

TEST_F(DataFile, ReadsTheLaterVersionsOfTheFormat) {
  for (const char version : {'\2', '\3'}) {
    EXPECT_THAT(read(DataType::kF32, "x.npy", npy("<f4", raw<float>({1.5F, -2.0F}), false, version)),
                ElementsAre(1.5, -2.0));
  }
}

TEST_F(DataFile, TakesOtherFilesAsRawElements) {
  EXPECT_THAT(read(DataType::kI16, "x.bin", raw<std::int16_t>({300, -1})), ElementsAre(300, -1));
}

TEST_F(DataFile, SaysWhichTypeItHoldsAndWhichIsExpected) {
  EXPECT_THAT(failure(argument(DataType::kF32, "x.npy", npy("<f8", raw<double>({1, 2})))),
              AllOf(HasSubstr("'<f8'"), HasSubstr("argument 'x' expects '<f4'")));
  EXPECT_THAT(failure(argument(DataType::kF32, "x.npy", npy(">f4", raw<float>({1, 2})))), HasSubstr("'>f4'"));
  EXPECT_THAT(failure(argument(DataType::kI32, "x.npy", npy("<u4", raw<float>({1, 2})))), HasSubstr("'<u4'"));
}

TEST_F(DataFile, SaysHowManyBytesItHoldsWhenTheNumberOfElementsDiffers) {
  const std::string two = raw<float>({1, 2});
  EXPECT_THAT(failure(argument(DataType::kF32, "x.npy", npy("<f4", two), 3)),
              AllOf(HasSubstr("holds 8 bytes"), HasSubstr("expects 12 (3 x f32)")));
  EXPECT_THAT(failure(argument(DataType::kF32, "x.bin", two, 1)),
              AllOf(HasSubstr("holds 8 bytes"), HasSubstr("expects 4 (1 x f32)")));
}

TEST_F(DataFile, RefusesFortranOrder) {
  EXPECT_THAT(failure(argument(DataType::kF32, "x.npy", npy("<f4", raw<float>({1, 2}), true))),
              HasSubstr("Fortran order, expected C order"));
}

TEST_F(DataFile, RefusesWhatIsNoNumpyFileOrCutOff) {
  EXPECT_THAT(failure(argument(DataType::kF32, "x.npy", "12345678")), HasSubstr("no .npy file"));
  EXPECT_THAT(failure(argument(DataType::kF32, "x.npy", "")), HasSubstr("no .npy file"));
  EXPECT_THAT(failure(argument(DataType::kF32, "x.npy", npy("<f4", "").substr(0, 40))),
              HasSubstr("header is cut off"));
}

TEST_F(DataFile, NamesAFileThatIsMissing) {
  ResolvedArgument missing = argument(DataType::kF32, "x.bin", "");
  missing.init.path = folder_.path() / "none.bin";
  EXPECT_THROW(
      {
        try {
          generate_argument(missing, 0, 1);
        } catch (const base::InputError& error) {
          EXPECT_THAT(error.what(), HasSubstr("none.bin"));
          throw;
        }
      },
      base::InputError);
}

ResolvedArgument computed(DataType type, std::int64_t count, InitialiserKind kind, const std::string& value,
                          const std::string& total = "") {
  Initialiser init;
  init.kind = kind;
  init.value = model::Expression::parse(value);
  if (!total.empty()) init.total = model::Expression::parse(total);
  ResolvedArgument argument = buffer(type, count, init);
  argument.problem = {{"N", std::int64_t{1000}}, {"data", std::string("skewed")}};
  return argument;
}

TEST(ComputedData, FollowsItsExpressionOfTheIndexAndTheProblem) {
  const auto argument = computed(DataType::kI32, 4, InitialiserKind::kExpression, "N - i * i");
  EXPECT_THAT(elements(DataType::kI32, generate_argument(argument, 0, 1)), ElementsAre(1000, 999, 996, 991));
}

TEST(ComputedData, HasAVariateForEachElementThatFollowsTheSeed) {
  const auto argument = computed(DataType::kF64, 200000, InitialiserKind::kExpression, "u");
  const std::vector<double> values = elements(DataType::kF64, generate_argument(argument, 0, 1));
  double sum = 0.0;
  for (const double value : values) {
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 200000, 0.5, 0.005);  // Seven standard deviations.
  EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 199990U);
  EXPECT_NE(elements(DataType::kF64, generate_argument(argument, 0, 2)), values);
  EXPECT_EQ(elements(DataType::kF64, generate_argument(argument, 0, 1)), values);
}

TEST(ComputedData, SaysWhichElementHasNoValue) {
  const auto argument = computed(DataType::kI32, 8, InitialiserKind::kExpression, "10 / (i - 5)");
  try {
    generate_argument(argument, 0, 1);
    FAIL() << "it has values";
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("element 5"), HasSubstr("division by zero")));
  }
}

TEST(Offsets, AscendToTheirTotalInProportionToTheWeights) {
  const auto argument = computed(DataType::kI32, 5, InitialiserKind::kOffsets, "i == 2 ? 0 : i + 1", "N");
  // Weights 1 2 0 4 of 7.
  EXPECT_THAT(elements(DataType::kI32, generate_argument(argument, 0, 1)),
              ElementsAre(0, 142, 428, 428, 1000));
}

TEST(Offsets, EndAtTheirTotalWhateverTheWeights) {
  for (const char* weight : {"u", "pow(u, -0.7)", "0"}) {
    const auto argument = computed(DataType::kI64, 100001, InitialiserKind::kOffsets, weight, "12345678 + N");
    const std::vector<double> values = elements(DataType::kI64, generate_argument(argument, 0, 1));
    EXPECT_EQ(values.front(), 0.0);
    EXPECT_EQ(values.back(), 12346678.0);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end())) << weight;
  }
}

TEST(Offsets, RefuseANegativeWeight) {
  const auto argument = computed(DataType::kI32, 5, InitialiserKind::kOffsets, "1 - i", "N");
  EXPECT_THROW(generate_argument(argument, 0, 1), base::InputError);
}

}  // namespace
}  // namespace warptune::kernel_templates
