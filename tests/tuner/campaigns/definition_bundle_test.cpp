#include "tuner/campaigns/definition_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/streams/zstd_text.h"
#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::campaigns {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A definition in `own/` that extends another one, includes a header and reads data.
class DefinitionBundleTest : public ::testing::Test {
 protected:
  DefinitionBundleTest() {
    fs::create_directories(folder_ / "own/include");
    write("own/base.cu", R"(/* warptune
[kernel]
name = "base"
description = "adds"
recommended = "base.recommended.toml"
entry = "add"
[problem]
N = 4
[parameters]
A = [1, 2]
[default]
A = 1
[launch]
grid = ["1"]
block = ["4"]
[[argument]]
name = "x"
kind = "inout"
type = "f32"
count = "N"
init = { kind = "file", path = "values.bin" }
*/
#include "include/step.h"
extern "C" __global__ void add(float* x) { x[threadIdx.x] += STEP * A; }
)");
    write("own/include/step.h", "#define STEP 2.0f\n");
    write("own/base.recommended.toml", "[[recommended]]\nwhen = 'N > 1'\n[recommended.values]\nA = 2\n");
    write("own/values.bin", std::string(16, '\0'));
    write("own/other.txt", "not needed");
    write("own/mine.toml", "[kernel]\nextends = \"base.cu\"\nname = \"mine\"\ndescription = \"adds\"\n");
  }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  kernel_templates::KernelDefinition definition() {
    return kernel_templates::load_kernel((folder_ / "own/mine.toml").string());
  }
  static std::vector<std::string> paths_of(const DefinitionBundle& bundle) {
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : bundle.files) paths.push_back(path);
    return paths;
  }

  testing::TemporaryFolder folder_;
};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

// The bytes of a bundle whose map was changed.
std::string changed(const DefinitionBundle& bundle, const std::function<void(json&)>& change) {
  std::string cbor;
  base::streams::zstd_decompress(bundle_to_bytes(bundle), "x", "bundle",
                                 [&](std::string_view piece) { cbor += piece; });
  json held = json::from_cbor(cbor);
  change(held);
  const std::vector<std::uint8_t> again = json::to_cbor(held);
  return base::streams::zstd_compress({reinterpret_cast<const char*>(again.data()), again.size()});
}

json binary(const std::string& text) { return json::binary({text.begin(), text.end()}); }

TEST_F(DefinitionBundleTest, HasAllFilesThatTheDefinitionNeedsAndNoOther) {
  const DefinitionBundle bundle = bundle_of(definition());
  EXPECT_THAT(paths_of(bundle),
              ElementsAre("base.cu", "base.recommended.toml", "include/step.h", "mine.toml", "values.bin"));
  EXPECT_EQ(bundle.kernel, "mine");
  EXPECT_EQ(bundle.definition, "mine.toml");
}

TEST_F(DefinitionBundleTest, IsTheSameKernelOnAnotherMachine) {
  const std::string bytes = bundle_to_bytes(bundle_of(definition()));
  const DefinitionBundle received = bundle_from_bytes(bytes);
  const fs::path unpacked = unpack_bundle(received, folder_ / "unpacked");
  const kernel_templates::KernelDefinition there = kernel_templates::load_kernel(unpacked.string());
  EXPECT_EQ(there.hash, definition().hash);
  ASSERT_EQ(there.recommendations.size(), 1U);
  EXPECT_EQ(there.recommendations[0].when.text(), "N > 1");
  EXPECT_EQ(received.kernel_hash, definition().hash);
  EXPECT_NO_THROW(require_unchanged(received, folder_ / "unpacked"));
  EXPECT_NO_THROW(unpack_bundle(received, folder_ / "unpacked"));  // Again, by a later process.
}

TEST_F(DefinitionBundleTest, AFileOutsideOfTheFolderIsRefused) {
  write("secret.h", "#define STEP 3.0f\n");
  fs::remove(folder_ / "own/include/step.h");
  fs::create_symlink(folder_ / "secret.h", folder_ / "own/include/step.h");
  kernel_templates::Permissions permissions;
  permissions.readable = {fs::canonical(folder_ / "secret.h").parent_path()};
  const auto outside = kernel_templates::load_kernel((folder_ / "own/mine.toml").string(), permissions);
  EXPECT_THAT(error_of([&] { bundle_of(outside); }), HasSubstr("which is outside of its folder"));
}

TEST_F(DefinitionBundleTest, AChangedFileOrManifestIsDamage) {
  const DefinitionBundle bundle = bundle_of(definition());
  const auto error_after = [&](const std::function<void(json&)>& change) {
    return error_of([&] { bundle_from_bytes(changed(bundle, change)); });
  };
  EXPECT_EQ(error_after([](json&) {}), "no error");
  EXPECT_THAT(error_after([](json& held) { held["files"]["include/step.h"] = binary("#define STEP 9"); }),
              HasSubstr("include/step.h is not what the manifest says"));
  EXPECT_THAT(error_after([](json& held) { held["files"]["more.h"] = binary(""); }),
              HasSubstr("its files are not those of the manifest"));
  EXPECT_THAT(error_after([](json& held) { held["files"].erase("values.bin"); }),
              HasSubstr("its files are not those of the manifest"));
  EXPECT_THAT(error_after([](json& held) { held.erase("signature"); }), HasSubstr("it has another form"));
  EXPECT_THAT(error_of([] { bundle_from_bytes("no bundle"); }), HasSubstr("bundle"));
  const std::string bytes = bundle_to_bytes(bundle);
  EXPECT_NE(error_of([&] { bundle_from_bytes(bytes.substr(0, bytes.size() / 2)); }), "no error");
}

TEST_F(DefinitionBundleTest, PathsThatLeadOutOfABundleAreRefusedEvenIfTheManifestHasThem) {
  const DefinitionBundle bundle = bundle_of(definition());
  for (const std::string path : {"../x.h", "/etc/x.h", "a/../../x.h", "./x.h", "a//x.h", "..", "x/", ""}) {
    const std::string bytes = changed(bundle, [&](json& held) {
      held["files"][path] = binary("text");
      json manifest = json::parse(held["manifest"].get<std::string>());
      manifest["files"][path] = base::keyed_hash_hex("text", "warptune definition bundle 1");
      held["manifest"] = manifest.dump();
    });
    EXPECT_THAT(error_of([&] { bundle_from_bytes(bytes); }), HasSubstr("leads out of it")) << path;
  }
}

TEST_F(DefinitionBundleTest, WhatIsChangedInTheUnpackedFolderIsNoticed) {
  const DefinitionBundle bundle = bundle_of(definition());
  const fs::path at = folder_ / "unpacked";
  const auto error_after = [&](const std::function<void()>& change) {
    fs::remove_all(at);
    unpack_bundle(bundle, at);
    change();
    return error_of([&] { require_unchanged(bundle, at); });
  };
  EXPECT_EQ(error_after([] {}), "no error");
  EXPECT_THAT(error_after([&] { std::ofstream(at / "include/step.h") << "#define STEP 5\n"; }),
              HasSubstr("changed under way"));
  EXPECT_THAT(error_after([&] { std::ofstream(at / "include/new.h") << "x"; }),
              HasSubstr("does not belong to it"));
  EXPECT_THAT(error_after([&] { fs::remove(at / "values.bin"); }), HasSubstr("values.bin cannot be read"));
  EXPECT_THAT(error_after([&] {
                fs::rename(at / "values.bin", folder_ / "elsewhere.bin");
                fs::create_symlink(folder_ / "elsewhere.bin", at / "values.bin");
              }),
              HasSubstr("is a link"));
}

}  // namespace
}  // namespace warptune::tuner::campaigns
