// Buffers that kernels do not get as pointers: those copied to variables of the program, and textures.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "definitions.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {
namespace {

using model::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string failure(const std::string& toml) {
  try {
    load_embedded(toml);
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

model::Outcome<std::vector<ResolvedArgument>> arguments_of(const std::string& toml) {
  const KernelInstance instance(load_embedded(toml), {}, model::fictional_gpu());
  return instance.arguments({{"BLOCK", Value(std::int64_t{64})}, {"FACTOR", Value(std::int64_t{2})}});
}

// Compiles the default configuration of a definition in a folder of its own.
model::Outcome<CompiledKernel> compiled(const std::string& toml, const std::string& code,
                                        bool reference = false) {
  const TemporaryFolder folder;
  const KernelInstance instance(load_kernel_definition(folder.write("scale.cu", embedded(toml, code))), {},
                                model::fictional_gpu());
  const auto request =
      reference ? instance.reference_request() : instance.compile_request(instance.default_configuration());
  if (!request) return base::failure(request.error());
  return compile(*request);
}

// The scaling kernel with its factors in a variable.
std::string with_symbol(const std::string& more = "", const std::string& kind = "in") {
  return kScaleToml + "\n[[argument]]\nname = \"factors\"\nkind = \"" + kind +
         "\"\ntype = \"dtype\"\ncount = 16\nsymbol = \"c_factors\"\n" + more;
}

const std::string kSymbolCode = R"(
static __constant__ dtype c_factors[16];
__global__ void __launch_bounds__(BLOCK) scale(const dtype* x, dtype* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * c_factors[i % 16];
}
)";

TEST(Symbols, AreNamesOfVariablesThatTheCompilerKeeps) {
  const KernelDefinition definition = load_embedded(with_symbol());
  EXPECT_EQ(definition.arguments.back().symbol, "c_factors");
  const auto arguments = arguments_of(with_symbol());
  ASSERT_TRUE(arguments.has_value()) << arguments.error().reason;
  EXPECT_EQ(arguments->back().symbol, "c_factors");
  EXPECT_TRUE(arguments->back().is_buffer());
  EXPECT_EQ(arguments->front().symbol, "");
}

TEST(Symbols, AreFoundInTheCompiledProgramAlsoWhereNothingReadsThem) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  for (const std::string& code : {kSymbolCode, "__device__ dtype c_factors[16];\n" + kScaleCode}) {
    const auto kernel = compiled(with_symbol(), code);
    ASSERT_TRUE(kernel) << kernel.error().reason;
    const std::string& symbol = kernel->find_variable(variable_of("c_factors"));
    EXPECT_THAT(symbol, HasSubstr("c_factors"));
    EXPECT_THAT(kernel->cubin, HasSubstr(symbol));
    EXPECT_THROW(kernel->find_variable("&factors"), base::InternalError);
  }
}

TEST(Symbols, ThatTheProgramDoesNotHaveAreTheCompilersError) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  const auto kernel = compiled(with_symbol(), kScaleCode);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().status, model::Status::kCompileFailed);
  EXPECT_THAT(kernel.error().reason, HasSubstr("\"c_factors\" is undefined"));
}

TEST(Symbols, AreKnownToAReferenceByExpressionByTheArgumentsName) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  const std::string toml =
      with_symbol() + "[check]\nreference = \"expression\"\nexpression = \"x[i] * factors[i % 16]\"\n";
  for (const std::string& text : {toml, with(toml, "symbol = \"c_factors\"", "symbol = \"factors\"")}) {
    const auto reference = compiled(text, kSymbolCode, true);
    ASSERT_TRUE(reference) << reference.error().reason;
    EXPECT_EQ(reference->variables.size(), 1U);
  }
}

TEST(Symbols, SayWhatIsWrongAndWhere) {
  EXPECT_THAT(failure(with_symbol("", "inout")), HasSubstr("only an argument of kind in"));
  EXPECT_THAT(failure(with_symbol("", "inout")), HasSubstr(":47:"));
  EXPECT_THAT(failure(with_symbol("memory = \"pinned\"\n")), HasSubstr("the variable is in GPU memory"));
  EXPECT_THAT(failure(with(with_symbol(), "c_factors", "a::b")), HasSubstr(":47:"));
  EXPECT_THAT(failure(with(with_symbol(), "count = \"N\"\n\n", "count = \"N\"\nsymbol = \"c_factors\"\n\n")),
              HasSubstr("the symbol 'c_factors' is used twice"));
}

TEST(Symbols, AreOfTheKernelsKey) {
  const std::string hash = load_embedded(with_symbol()).hash;
  EXPECT_NE(load_embedded(with(with_symbol(), "symbol = \"c_factors\"\n", "")).hash, hash);
  EXPECT_NE(load_embedded(with(with_symbol(), "c_factors", "other")).hash, hash);
}

// The scaling kernel that reads its input through a texture.
std::string with_texture(const std::string& texture = "", const std::string& type = "f32") {
  return with(kScaleToml, "dtype = \"f32\"", "dtype = \"" + type + "\"") +
         "\n[[argument]]\nname = \"x_texture\"\nkind = \"texture\"\nof = \"x\"\n" + texture;
}

TEST(Textures, HaveAllElementsOfTheirBufferInOneDimension) {
  const auto arguments = arguments_of(with_texture());
  ASSERT_TRUE(arguments.has_value()) << arguments.error().reason;
  const ResolvedArgument& argument = arguments->back();
  EXPECT_EQ(argument.kind, ArgumentKind::kTexture);
  EXPECT_EQ(argument.type, DataType::kF32);
  EXPECT_FALSE(argument.is_buffer());
  EXPECT_EQ(argument.texture, (ResolvedTexture{0, 1000, 0, 1000, false, false}));
}

TEST(Textures, HaveRowsWhereTheyHaveAWidth) {
  const auto packed = arguments_of(with_texture("width = \"BLOCK / 2\"\nheight = \"N / 32\"\n"));
  ASSERT_TRUE(packed.has_value()) << packed.error().reason;
  EXPECT_EQ(packed->back().texture, (ResolvedTexture{0, 32, 31, 32, false, false}));
  const auto apart = arguments_of(with_texture(
      "width = 20\nheight = 10\npitch = 24\nfilter = \"linear\"\naddress = \"border\"\n", "f32"));
  ASSERT_TRUE(apart.has_value()) << apart.error().reason;
  EXPECT_EQ(apart->back().texture, (ResolvedTexture{0, 20, 10, 24, true, true}));
}

TEST(Textures, RejectAConfigurationThatIsPastALimit) {
  const auto reason = [](const std::string& texture, const std::string& type = "f32") {
    return arguments_of(with_texture(texture, type)).error().reason;
  };
  EXPECT_THAT(reason("width = 32\nheight = 32\n"),
              HasSubstr("the texture 'x_texture': it needs 1024 elements of 'x', which has 1000"));
  EXPECT_THAT(reason("width = 20\nheight = 10\n"),
              HasSubstr("rows begin 80 bytes apart, expected a multiple of 32"));
  EXPECT_THAT(reason("width = 20\nheight = 10\npitch = 16\n"),
              HasSubstr("rows of 20 elements begin only 16 elements apart"));
  EXPECT_THAT(reason("width = 200000\nheight = 1\n"), HasSubstr("expected 1 x 1 to 131072 x 65000"));
  EXPECT_THAT(reason("width = 8\nheight = \"BLOCK - 64\"\n"), HasSubstr("'BLOCK - 64' is 0"));
  EXPECT_THAT(reason("", "f64"), HasSubstr("textures do not support elements of type f64"));
  EXPECT_THAT(reason("", "bf16"), HasSubstr("textures do not support elements of type bf16"));
  EXPECT_THAT(reason("width = 8\nheight = 8\nfilter = \"linear\"\n", "i32"),
              HasSubstr("the linear filter does not support"));
}

TEST(Textures, SayWhatTheirDefinitionLacks) {
  EXPECT_THAT(failure(with_texture("width = 8\n")), HasSubstr("rows of the texture"));
  EXPECT_THAT(failure(with_texture("height = 8\n")), HasSubstr(":46:"));
  EXPECT_THAT(failure(with_texture("filter = \"point\"\n")), HasSubstr("one dimension"));
  EXPECT_THAT(failure(with_texture("width = 8\nheight = 8\nfilter = \"cubic\"\n")),
              HasSubstr("point or linear"));
  EXPECT_THAT(failure(with_texture("width = 8\nheight = \"BLOK\"\n")), HasSubstr("did you mean BLOCK"));
  EXPECT_THAT(failure(with_texture("box = [1, 2]\n")), HasSubstr("box"));
  EXPECT_THAT(failure(with(with_texture(), "of = \"x\"", "of = \"y\"")),
              HasSubstr("the name of an argument of kind in above"));
}

TEST(Textures, AreOfTheKernelsKey) {
  const std::string hash = load_embedded(with_texture("width = 8\nheight = 8\n")).hash;
  EXPECT_NE(load_embedded(with_texture("width = 8\nheight = 4\n")).hash, hash);
  EXPECT_NE(load_embedded(with_texture("width = 8\nheight = 8\nfilter = \"linear\"\n")).hash, hash);
  EXPECT_NE(load_embedded(with_texture()).hash, hash);
}

TEST(Textures, AreObjectsInTheProgramWithoutAnInclude) {
  if (nvrtc_missing()) GTEST_SKIP() << "NVRTC cannot be loaded";
  const std::string code = R"(
__global__ void scale(const dtype*, dtype* y, long long n, cudaTextureObject_t x) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = tex2D<dtype>(x, i % 8 + 0.5f, i / 8 + 0.5f) + tex1Dfetch<dtype>(x, (int)i);
}
)";
  const std::string toml = with_texture("width = 8\nheight = 125\n") +
                           "[check]\nreference = \"expression\"\nexpression = \"x[i]\"\n";
  for (const bool reference : {false, true}) {
    const auto kernel = compiled(toml, code, reference);
    ASSERT_TRUE(kernel) << kernel.error().reason;
  }
}

}  // namespace
}  // namespace warptune::kernel_templates
