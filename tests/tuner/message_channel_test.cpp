#include "tuner/detail/message_channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace warptune::tuner::detail {
namespace {

using nlohmann::json;

class MessageChannelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    here_ = std::make_unique<MessageChannel>(FileDescriptor(ends[0]));
    there_ = std::make_unique<MessageChannel>(FileDescriptor(ends[1]));
  }

  // Raw bytes from the other end.
  void write_raw(const std::string& bytes) const {
    ASSERT_EQ(::send(there_->descriptor(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }

  static std::string length_of(std::uint64_t length) {
    std::string bytes(sizeof(length), '\0');
    std::memcpy(bytes.data(), &length, sizeof(length));
    return bytes;
  }

  std::unique_ptr<MessageChannel> here_;
  std::unique_ptr<MessageChannel> there_;
};

TEST_F(MessageChannelTest, CarriesAMessageWithAllKindsOfValues) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  const json message = {{"text", "a\nb\"c"},
                        {"big", std::int64_t{9007199254740993}},
                        {"half", 0.5},
                        {"none", nullptr},
                        {"binary", json::binary({bytes.begin(), bytes.end()})}};
  ASSERT_TRUE(there_->send(message));
  EXPECT_EQ(here_->receive(1000), message);
}

TEST_F(MessageChannelTest, KeepsTheOrderOfSeveralMessages) {
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(there_->send({{"i", i}}));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(here_->receive(1000).value().at("i"), i);
}

TEST_F(MessageChannelTest, PutsAMessageTogetherFromSingleBytes) {
  const std::vector<std::uint8_t> body = json::to_cbor(json{{"id", 7}});
  std::string bytes = length_of(body.size());
  bytes.append(body.begin(), body.end());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_TRUE(here_->drain());
    EXPECT_FALSE(here_->next().has_value());
    write_raw(bytes.substr(i, 1));
  }
  EXPECT_TRUE(here_->drain());
  EXPECT_EQ(here_->next().value().at("id"), 7);
}

TEST_F(MessageChannelTest, CarriesMoreThanASocketHoldsWhileTheOtherEndReads) {
  const std::string much(8 << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(there_->send({{"much", much}})); });
  const std::optional<json> got = here_->receive(10000);
  sender.join();
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->at("much"), much);
}

TEST_F(MessageChannelTest, PostingNeverWaitsAndDrainingSendsTheRest) {
  const std::string much(8 << 20, 'x');
  here_->post({{"much", much}});  // Nobody reads: `send` would wait for ever.
  EXPECT_TRUE(here_->has_unsent());
  std::optional<json> got;
  for (int turn = 0; turn < 1000 && !got; ++turn) {
    EXPECT_TRUE(there_->drain());
    got = there_->next();
    EXPECT_TRUE(here_->drain());
  }
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->at("much"), much);
  EXPECT_FALSE(here_->has_unsent());
}

TEST_F(MessageChannelTest, GivesWhatWasSentBeforeTheOtherEndClosedAndThenNothing) {
  ASSERT_TRUE(there_->send({{"last", true}}));
  there_.reset();
  EXPECT_FALSE(here_->drain());
  EXPECT_EQ(here_->next().value(), json({{"last", true}}));
  EXPECT_FALSE(here_->receive(1000).has_value());
}

TEST_F(MessageChannelTest, SendingToAClosedEndFailsWithoutASignal) {
  there_.reset();
  EXPECT_FALSE(here_->send({{"to", "nobody"}}));
}

TEST_F(MessageChannelTest, AMessageCutShortByTheEndIsNone) {
  write_raw(length_of(100) + "only a part");
  there_.reset();
  EXPECT_FALSE(here_->receive(1000).has_value());
}

TEST_F(MessageChannelTest, ANonsenseLengthIsNoMessageAndTakesNoMemory) {
  write_raw(length_of(~0ULL) + std::string(100, 'x'));
  EXPECT_FALSE(here_->receive(50).has_value());
}

TEST_F(MessageChannelTest, BytesThatAreNoCborAreSkippedAndTheNextMessageStillComes) {
  write_raw(length_of(3) + "\xff\xff\xff");
  ASSERT_TRUE(there_->send({{"id", 1}}));
  EXPECT_TRUE(here_->drain());
  EXPECT_FALSE(here_->next().has_value());
  EXPECT_EQ(here_->next().value().at("id"), 1);
}

TEST_F(MessageChannelTest, ReceivingGivesUpAfterItsTime) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(here_->receive(50).has_value());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(45));
}

}  // namespace
}  // namespace warptune::tuner::detail
