// The decisions about shipped kernels, bundles and options. Those about GPUs, recordings and stores into
// which others can write are tested with whole nodes (node_test.cpp).
#include "tuner/nodes/class_decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "kernel_templates/library.h"
#include "tests/tuner/memory_store.h"
#include "tests/tuner/session_data.h"
#include "tuner/campaigns/bundle_signature.h"

namespace warptune::tuner::nodes {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ClassDecisionsTest : public ::testing::Test {
 protected:
  // Why the class is refused; empty if the node runs it.
  std::string refusal_of(const fleet::TaskClass& task_class) {
    DecisionRules rules;
    rules.gpus = {{model::fictional_gpu()}};
    rules.bundles = folder_ / "bundles";
    rules.allowed_signers = allowed_signers_;
    state_->is_private = private_;
    ClassDecisions decisions(rules);
    decisions.decide(store_, {{{"c", 0}, task_class}});
    const std::vector<fleet::Refusal> refusals = decisions.refusals();
    EXPECT_EQ(decisions.runnable_on(model::fictional_gpu(), {{{"c", 0}, task_class}}).size(),
              1 - refusals.size());
    EXPECT_EQ(decisions.runnable({"c", 0}).has_value(), refusals.empty());
    if (refusals.empty()) kernel_ = decisions.runnable({"c", 0})->kernel;
    return refusals.empty() ? "" : refusals[0].reason;
  }
  fleet::TaskClass shipped(const std::string& kernel) const {
    return {kernel, kernel_templates::load_kernel(kernel).hash};
  }
  fleet::TaskClass bundled(const std::optional<fs::path>& key = std::nullopt) {
    campaigns::DefinitionBundle bundle =
        campaigns::bundle_of(kernel_templates::load_kernel(testing::write_toy_kernel(folder_).string()));
    if (key) campaigns::sign_bundle(bundle, *key);
    return {bundle.kernel, bundle.kernel_hash, store_.put_file(campaigns::bundle_to_bytes(bundle))};
  }
  fs::path make_key(const std::string& name) {
    const std::string command = "ssh-keygen -q -t ed25519 -N '' -f '" + (folder_ / name).string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c)
    return folder_ / name;
  }

  testing::TemporaryFolder folder_;
  std::shared_ptr<testing::MemoryState> state_ = std::make_shared<testing::MemoryState>();
  testing::MemoryStore store_{state_};
  std::optional<fs::path> allowed_signers_;
  bool private_ = false;
  std::string kernel_;
};

TEST_F(ClassDecisionsTest, AShippedKernelOfTheSameVersionIsRun) {
  EXPECT_EQ(refusal_of(shipped("transpose")), "");
  EXPECT_EQ(kernel_, "transpose");
}

TEST_F(ClassDecisionsTest, AnotherVersionOfAShippedKernelIsRefused) {
  fleet::TaskClass other = shipped("transpose");
  other.kernel_hash = "00";
  EXPECT_THAT(refusal_of(other), HasSubstr("the definition of transpose is different on this node"));
  EXPECT_NE(refusal_of({"no_such_kernel", "00"}), "");
  EXPECT_THAT(refusal_of({"/etc/kernel.cu", "00"}), HasSubstr("is a path, and there is no bundle for it"));
}

TEST_F(ClassDecisionsTest, OptionsOfANewerVersionAreRefused) {
  fleet::TaskClass other = shipped("transpose");
  other.options.strategy = "of_the_future";
  EXPECT_THAT(refusal_of(other), HasSubstr("unknown strategy 'of_the_future'"));
}

TEST_F(ClassDecisionsTest, ABundleOfAPrivateStoreNeedsNoSignature) {
  private_ = true;
  EXPECT_EQ(refusal_of(bundled()), "");
  EXPECT_TRUE(fs::exists(kernel_));
  EXPECT_EQ(fs::path(kernel_).filename(), "toy.cu");
}

TEST_F(ClassDecisionsTest, UnsignedDefinitionsAreRefusedFromTheMomentInWhichOthersCanWrite) {
  DecisionRules rules;
  rules.gpus = {{model::fictional_gpu()}};
  rules.bundles = folder_ / "bundles";
  ClassDecisions decisions(rules);
  const std::vector<fleet::OpenClass> classes = {{{"c", 0}, bundled()}, {{"c", 1}, shipped("transpose")}};
  EXPECT_FALSE(decisions.decide(store_, classes));
  EXPECT_EQ(decisions.runnable_on(model::fictional_gpu(), classes).size(), 2U);
  state_->is_private = false;
  const std::optional<std::vector<fleet::Refusal>> refusals = decisions.decide(store_, classes);
  ASSERT_TRUE(refusals);
  EXPECT_THAT(refusals->at(0).reason, HasSubstr("others can write into the store"));
  EXPECT_FALSE(decisions.runnable({"c", 0}));
  EXPECT_TRUE(decisions.runnable({"c", 1})) << "shipped kernels need no signature";
  state_->is_private = true;  // What others wrote meanwhile is still there.
  const std::vector<fleet::OpenClass> later = {{{"d", 0}, bundled()}};
  EXPECT_TRUE(decisions.decide(store_, later));
  EXPECT_FALSE(decisions.runnable({"d", 0}));
}

// A campaign may have hundreds of classes that differ only in their options, such as the seed.
TEST_F(ClassDecisionsTest, ClassesOfOneDefinitionReadItOnce) {
  private_ = true;
  DecisionRules rules;
  rules.gpus = {{model::fictional_gpu()}};
  rules.bundles = folder_ / "bundles";
  ClassDecisions decisions(rules);
  std::vector<fleet::OpenClass> classes;
  const fleet::TaskClass one = bundled();
  for (std::uint64_t index = 0; index < 5; ++index) {
    classes.push_back({{"c", index}, one});
    classes.back().task_class.options.seed = index + 1;
  }
  const int before = state_->files_read;
  EXPECT_FALSE(decisions.decide(store_, classes));
  EXPECT_EQ(state_->files_read - before, 1);
  EXPECT_EQ(decisions.runnable_on(model::fictional_gpu(), classes).size(), 5U);
}

TEST_F(ClassDecisionsTest, AClassThatHasChangedUnderItsNameIsDecidedAgain) {
  DecisionRules rules;
  rules.gpus = {{model::fictional_gpu()}};
  ClassDecisions decisions(rules);
  std::vector<fleet::OpenClass> classes = {{{"c", 0}, shipped("transpose")}};
  EXPECT_FALSE(decisions.decide(store_, classes));
  classes[0].task_class.kernel_hash = "00";  // The campaign was removed, and another one added.
  EXPECT_TRUE(decisions.runnable_on(model::fictional_gpu(), classes).empty());
  EXPECT_TRUE(decisions.decide(store_, classes));
  classes[0].task_class = shipped("softmax");
  EXPECT_FALSE(decisions.decide(store_, classes));
  EXPECT_EQ(decisions.runnable({"c", 0})->kernel, "softmax");
}

TEST_F(ClassDecisionsTest, OnlyListedKeysAreAcceptedIfThereIsAList) {
  const fs::path key = make_key("key");
  allowed_signers_ = folder_ / "allowed";
  std::ofstream(*allowed_signers_) << "me@example.org " << base::read_file(key.string() + ".pub");
  EXPECT_EQ(refusal_of(bundled(key)), "");
  EXPECT_THAT(refusal_of(bundled(make_key("other"))), HasSubstr("is signed by a key that"));
  private_ = true;  // A list holds for private stores, too.
  EXPECT_THAT(refusal_of(bundled()), HasSubstr("is not signed"));
}

TEST_F(ClassDecisionsTest, ABundleThatIsMissingDamagedOrOfAnotherKernelIsRefused) {
  private_ = true;
  fleet::TaskClass one = bundled();
  fleet::TaskClass of_other = one;
  of_other.kernel_hash = "00";
  EXPECT_THAT(refusal_of(of_other), HasSubstr("the definition of another kernel or version"));
  state_->files[one.bundle] = "damaged";
  EXPECT_NE(refusal_of(one), "");
  state_->files.clear();
  EXPECT_THAT(refusal_of(one), HasSubstr("the store lacks the bundle of the definition of toy"));
}

TEST_F(ClassDecisionsTest, WhatAnEarlierProcessLeftInTheFolderIsReplaced) {
  private_ = true;
  const fleet::TaskClass one = bundled();
  EXPECT_EQ(refusal_of(one), "");
  std::ofstream(fs::path(kernel_).parent_path() / "planted.h") << "x";
  std::ofstream(kernel_) << "another kernel";
  EXPECT_EQ(refusal_of(one), "");
}

}  // namespace
}  // namespace warptune::tuner::nodes
