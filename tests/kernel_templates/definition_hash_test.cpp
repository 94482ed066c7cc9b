// The hash of a kernel: what must change it, and what must not.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "definitions.h"

namespace warptune::kernel_templates {
namespace {

const std::string kLoad =
    "init = { kind = \"uniform\", low = 0.0, high = 1.0, seed = 4 }\n\n[[argument]]\nname = \"y\"";

// The small definition with every kind of section.
std::string full_toml() {
  std::string toml = with(kScaleToml, "\n[[argument]]\nname = \"y\"", kLoad);
  toml = with(toml, "entry = \"scale\"\n",
              "entry = \"scale\"\ndescription = \"scales\"\nflags = [\"-lineinfo\"]\n"
              "defines = { TILE = \"BLOCK\" }\n");
  toml = with(toml, "BLOCK = [32, 64, 128]", "BLOCK = { values = [32, 64, 128], description = \"threads\" }");
  toml = with(toml, "[\"BLOCK * FACTOR <= 256\"]",
              "[{ expression = \"BLOCK * FACTOR <= 256\", reason = \"because\" }]");
  toml = with(toml, "[launch]\n", "[launch]\nshared_bytes = 64\n");
  return toml + "\n[[launch.after]]\nentry = \"again\"\ngrid = 1\nblock = 32\n[[variant]]\nname = \"one\"\n" +
         "[work]\nflops = \"N\"\n";
}

std::string hash_of(std::string toml, const std::string& code = kScaleCode) {
  toml = with(std::move(toml), "[default]\n", "[default]\nVARIANT = \"one\"\n");
  return load_embedded(toml, code).hash;
}

struct Change {
  const char* what;
  const char* old_part;
  const char* new_part;
};

TEST(DefinitionHash, StaysWhenOnlyDefaultsAndTextsForPeopleChange) {
  const std::string base = hash_of(full_toml());
  const Change changes[] = {{"a problem's size", "N = 1000", "N = 2000"},
                            {"a problem's type", "dtype = \"f32\"", "dtype = \"f64\""},
                            {"the default", "BLOCK = 64", "BLOCK = 32"},
                            {"the description", "\"scales\"", "\"multiplies\""},
                            {"a parameter's description", "\"threads\"", "\"threads of a block\""},
                            {"a constraint's reason", "\"because\"", "\"why not\""},
                            {"that results may differ", "[work]\n",
                             "[check]\nreference = \"configuration\"\n"
                             "nondeterministic = true\n[work]\n"},
                            {"the work", "flops = \"N\"", "flops = \"2 * N\""},
                            {"a remark", "[launch]\n", "# a remark\n\n[launch]\n"}};
  for (const Change& change : changes) {
    EXPECT_EQ(hash_of(with(full_toml(), change.old_part, change.new_part)), base) << change.what;
  }
}

TEST(DefinitionHash, ChangesWithAllThatChangesTheProgramOrItsRun) {
  const std::string base = hash_of(full_toml());
  const Change changes[] = {{"the name", "[kernel]\n", "[kernel]\nname = \"other\"\n"},
                            {"the entry", "entry = \"scale\"", "entry = \"other\""},
                            {"the language", "[kernel]\n", "[kernel]\nlanguage = \"c++20\"\n"},
                            {"a flag", "\"-lineinfo\"", "\"-lineinfo\", \"-use_fast_math\""},
                            {"a define", "TILE = \"BLOCK\"", "TILE = \"BLOCK * 2\""},
                            {"a define's name", "TILE =", "TILES ="},
                            {"a problem entry", "N = 1000", "N = 1000\nM = 4"},
                            {"a parameter value", "[32, 64, 128]", "[32, 64, 256]"},
                            {"a value's type", "FACTOR = [2, 3]", "FACTOR = [2.0, 3.0]"},
                            {"the order of values", "[32, 64, 128]", "[64, 32, 128]"},
                            {"a parameter's name", "FACTOR = [2, 3]", "FACTOR = [2, 3]\nMORE = [1]"},
                            {"a constraint", "<= 256", "<= 128"},
                            {"the grid", "ceil_div(N, BLOCK)", "ceil_div(N, BLOCK) + 1"},
                            {"the block", "block = [\"BLOCK\"]", "block = [\"BLOCK\", 2]"},
                            {"shared memory", "shared_bytes = 64", "shared_bytes = 128"},
                            {"a further launch", "grid = 1\n", "grid = 1\nwhen = \"BLOCK > 32\"\n"},
                            {"a type", "type = \"dtype\"\ncount", "type = \"f32\"\ncount"},
                            {"a count", "count = \"N\"", "count = \"N + 1\""},
                            {"a range of data", "high = 1.0", "high = 2.0"},
                            {"a seed", "seed = 4", "seed = 5"},
                            {"a scalar", "value = \"N\"", "value = \"N - 1\""}};
  for (const Change& change : changes) {
    std::string toml = with(full_toml(), change.old_part, change.new_part);
    if (std::string(change.what) == "a parameter's name")
      toml = with(toml, "FACTOR = 2\n", "FACTOR = 2\nMORE = 1\n");
    EXPECT_NE(hash_of(toml), base) << change.what;
  }
}

TEST(DefinitionHash, ChangesWithWhatHoldsForManagedMemory) {
  const auto hash = [](const std::string& keys) {
    return hash_of(with(full_toml(), "name = \"y\"\n", "name = \"y\"\n" + keys));
  };
  const std::string managed = "memory = \"managed\"\n";
  std::set<std::string> hashes = {hash(""), hash(managed)};
  for (const std::string key : {"residency = \"host\"", "residency = \"device\"", "advise.read_mostly = true",
                                "advise.preferred_location = \"host\"", "advise.accessed_by = \"host\""})
    hashes.insert(hash(managed + key + "\n"));
  EXPECT_EQ(hashes.size(), 7U);
}

TEST(DefinitionHash, ChangesWithClusterSchedulingAndItsValue) {
  const std::string launch = "[launch]\n";
  std::set<std::string> hashes{hash_of(full_toml())};
  for (const char* value : {"spread", "load_balancing"})
    hashes.insert(
        hash_of(with(full_toml(), launch, launch + "cluster = 2\ncluster_scheduling = \"" + value + "\"\n")));
  hashes.insert(hash_of(with(full_toml(), launch, launch + "cluster = 2\n")));
  EXPECT_EQ(hashes.size(), 4U);
}

TEST(DefinitionHash, ChangesWithThePrioritiesAndTheirOrder) {
  const std::string program =
      "\n[host]\nstreams = 2\n[[host.loop]]\n[[host.loop.step]]\nlaunch = \"scale\"\ngrid = 1\nblock = 32\n";
  std::set<std::string> hashes;
  for (const char* line : {"", "priorities = [\"high\", \"low\"]\n", "priorities = [\"low\", \"high\"]\n",
                           "priorities = [\"high\"]\n", "priorities = [\"-1\"]\n"}) {
    std::string toml = kScaleToml;
    toml.erase(toml.find("[launch]"), toml.find("[[argument]]") - toml.find("[launch]"));
    hashes.insert(
        load_embedded(with(toml + program, "streams = 2\n", std::string("streams = 2\n") + line), kScaleCode)
            .hash);
  }
  EXPECT_EQ(hashes.size(), 5U);
}

TEST(DefinitionHash, ChangesWithThePoolOfAnAllocation) {
  const std::string launches = "[[host.loop.step]]\nlaunch = \"scale\"\ngrid = 1\nblock = 32\n";
  std::set<std::string> hashes;
  for (const char* line : {"", "pool = true\n", "pool = \"N > 4\"\n"}) {
    std::string toml = kScaleToml;
    toml.erase(toml.find("[launch]"), toml.find("[[argument]]") - toml.find("[launch]"));
    toml += "\n[host]\n[[host.loop]]\n" + launches + "[[host.loop.step]]\nallocate = 64\n" + line;
    hashes.insert(load_embedded(toml, kScaleCode).hash);
  }
  EXPECT_EQ(hashes.size(), 3U);
}

TEST(DefinitionHash, ChangesWithTheSource) {
  EXPECT_NE(hash_of(full_toml(), kScaleCode + "// more\n"), hash_of(full_toml()));
}

TEST(DefinitionHash, StaysWhenTheDescriptionGrowsInsideTheSource) {
  EXPECT_EQ(hash_of(full_toml() + "# a further line\n"), hash_of(full_toml()));
}

// The hash of a kernel in `folder` that reads its factor from headers.
class HashOfIncluded : public ::testing::Test {
 protected:
  std::string hash(const std::string& include = "#include \"sub/outer.cuh\"\n",
                   const std::string& n = "1000") const {
    const std::string toml = with(with(kScaleToml, "entry", "include = [\"include\"]\nentry"), "1000", n);
    return load_kernel_definition(folder_.write("scale.cu", embedded(toml, include + kScaleCode))).hash;
  }
  TemporaryFolder folder_;
};

TEST_F(HashOfIncluded, ChangesWithAHeaderOfAHeader) {
  folder_.write("sub/outer.cuh", "#include \"inner.cuh\"\n");
  folder_.write("sub/inner.cuh", "// one\n");
  const std::string base = hash();
  EXPECT_EQ(hash(), base);
  folder_.write("sub/inner.cuh", "// two\n");
  EXPECT_NE(hash(), base);
}

TEST_F(HashOfIncluded, ChangesWithAHeaderFoundThroughAFolderInEitherForm) {
  for (const std::string include : {"#include \"found.cuh\"\n", "#include <found.cuh>\n"}) {
    folder_.write("include/found.cuh", "// one\n");
    const std::string base = hash(include);
    folder_.write("include/found.cuh", "// two\n");
    EXPECT_NE(hash(include), base) << include;
  }
}

TEST_F(HashOfIncluded, KeepsWithAnotherSizeWhenAHeaderIncludesTheSource) {
  folder_.write("sub/outer.cuh", "#include \"../scale.cu\"\n");
  EXPECT_EQ(hash("#include \"sub/outer.cuh\"\n", "1000"), hash("#include \"sub/outer.cuh\"\n", "2000"));
}

TEST(DefinitionHash, ChangesWithTheSourceOfAVariant) {
  const TemporaryFolder folder;
  const std::string toml = with(kScaleToml, "[default]\n", "[default]\nVARIANT = \"b\"\n") +
                           "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nsource = \"b.cu\"\n";
  folder.write("b.cu", "// one\n");
  const std::filesystem::path file = folder.write("scale.cu", embedded(toml));
  const std::string base = load_kernel_definition(file).hash;
  folder.write("b.cu", "// two\n");
  EXPECT_NE(load_kernel_definition(file).hash, base);
}

TEST(DefinitionHash, ChangesWithTheFileOfAnArgumentButNotWithTheFolderOfTheDefinition) {
  const auto toml = [](const std::string& path) {
    return with(kScaleToml, "\n[[argument]]\nname = \"y\"",
                "init = { kind = \"file\", path = \"" + path + "\" }\n\n[[argument]]\nname = \"y\"");
  };
  EXPECT_EQ(load_embedded(toml("a.npy")).hash, load_embedded(toml("a.npy")).hash);
  EXPECT_NE(load_embedded(toml("a.npy")).hash, load_embedded(toml("b.npy")).hash);
}

std::string form_of(std::string toml, const std::string& code = kScaleCode) {
  toml = with(std::move(toml), "[default]\n", "[default]\nVARIANT = \"one\"\n");
  return load_embedded(toml, code).form;
}

TEST(DefinitionForm, StaysWhenOnlySourcesAndNamesOfFunctionsChange) {
  const std::string base = form_of(full_toml());
  EXPECT_EQ(form_of(full_toml(), std::string(kScaleCode) + "// A remark.\n"), base);
  EXPECT_EQ(form_of(with(full_toml(), "entry = \"again\"", "entry = \"later\"")), base);
  EXPECT_EQ(form_of(with(full_toml(), "entry = \"scale\"\n", "entry = \"other\"\n")), base);
}

TEST(DefinitionForm, ChangesWithTheSpaceTheFlagsAndTheLaunches) {
  const std::string base = form_of(full_toml());
  const Change changes[] = {{"template arguments", "entry = \"again\"", "entry = \"again<2>\""},
                            {"a placeholder", "entry = \"again\"", "entry = \"again_{FACTOR}\""},
                            {"a flag", "\"-lineinfo\"", "\"-lineinfo\", \"-use_fast_math\""},
                            {"a define", "TILE = \"BLOCK\"", "TILE = \"BLOCK * 2\""},
                            {"a parameter value", "[32, 64, 128]", "[32, 64, 256]"},
                            {"the order of values", "[32, 64, 128]", "[64, 32, 128]"},
                            {"a constraint", "BLOCK * FACTOR <= 256", "BLOCK * FACTOR <= 255"},
                            {"the shared memory", "shared_bytes = 64", "shared_bytes = 128"},
                            {"the data", "seed = 4", "seed = 5"}};
  for (const Change& change : changes)
    EXPECT_NE(form_of(with(full_toml(), change.old_part, change.new_part)), base) << change.what;
}

}  // namespace
}  // namespace warptune::kernel_templates
