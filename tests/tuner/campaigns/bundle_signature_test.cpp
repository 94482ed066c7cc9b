#include "tuner/campaigns/bundle_signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::campaigns {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

class BundleSignatureTest : public ::testing::Test {
 protected:
  BundleSignatureTest()
      : bundle_(bundle_of(kernel_templates::load_kernel(testing::write_toy_kernel(folder_).string()))) {}

  fs::path make_key(const std::string& name) {
    const fs::path key = folder_ / name;
    const std::string command = "ssh-keygen -q -t ed25519 -N '' -f '" + key.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c)
    return key;
  }
  // A file that allows the key for `namespaces`, if there are any.
  fs::path allow(const fs::path& key, const std::string& options = "") {
    const fs::path file = folder_ / "allowed";
    std::ofstream(file) << "someone@example.org " << options << base::read_file(key.string() + ".pub");
    return file;
  }

  testing::TemporaryFolder folder_;
  DefinitionBundle bundle_;
};

TEST_F(BundleSignatureTest, ASignatureOfAListedKeyIsAccepted) {
  const fs::path key = make_key("key");
  sign_bundle(bundle_, key);
  const DefinitionBundle received = bundle_from_bytes(bundle_to_bytes(bundle_));
  EXPECT_NO_THROW(require_signature(received, allow(key)));
  EXPECT_NO_THROW(require_signature(received, allow(key, "namespaces=\"warptune\" ")));
}

TEST_F(BundleSignatureTest, EveryOtherSignatureIsRefusedInOneSentence) {
  const fs::path key = make_key("key");
  const fs::path other = make_key("other");
  const fs::path allowed = allow(key);
  EXPECT_THAT(refusal_of([&] { require_signature(bundle_, allowed); }),
              HasSubstr("the definition of toy is not signed"));
  DefinitionBundle by_other = bundle_;
  sign_bundle(by_other, other);
  EXPECT_THAT(refusal_of([&] { require_signature(by_other, allowed); }),
              HasSubstr("is signed by a key that " + allowed.string() + " does not list"));
  DefinitionBundle tampered = bundle_;
  sign_bundle(tampered, key);
  tampered.manifest += " ";
  EXPECT_THAT(refusal_of([&] { require_signature(tampered, allowed); }), HasSubstr("does not fit"));
  sign_bundle(bundle_, key);
  EXPECT_NE(refusal_of([&] { require_signature(bundle_, allow(key, "namespaces=\"git\" ")); }), "no error");
  EXPECT_NE(refusal_of([&] { require_signature(bundle_, folder_ / "missing"); }), "no error");
  std::ofstream(folder_ / "large") << std::string((1 << 20) + 1, '#');
  EXPECT_THAT(refusal_of([&] { require_signature(bundle_, folder_ / "large"); }),
              HasSubstr("is larger than 1 MiB, the limit of a file of allowed signers"));
  EXPECT_THAT(refusal_of([&] { require_signature(bundle_, "/dev/zero"); }), HasSubstr("a regular file"));
  bundle_.signature = "-----BEGIN SSH SIGNATURE-----\nnonsense\n-----END SSH SIGNATURE-----\n";
  EXPECT_NE(refusal_of([&] { require_signature(bundle_, allow(key)); }), "no error");
}

TEST_F(BundleSignatureTest, AKeyThatCannotSignIsNamed) {
  EXPECT_THAT(refusal_of([&] { sign_bundle(bundle_, folder_ / "no_key"); }), HasSubstr("no_key cannot sign"));
}

}  // namespace
}  // namespace warptune::tuner::campaigns
