#include "tuner/protocol/message_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "base/version.h"

namespace warptune::tuner::protocol {
namespace {

using ::testing::HasSubstr;

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
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(length >> (8 * i) & 0xFFU));
    return bytes;
  }

  static std::string framed(const Message& message) {
    const std::string body = encode(message);
    return length_of(body.size()) + body;
  }

  static std::string text_of(const std::optional<Message>& message) {
    return message ? std::get<Warning>(*message).text : "nothing";
  }

  std::unique_ptr<MessageChannel> here_;
  std::unique_ptr<MessageChannel> there_;
};

TEST_F(MessageChannelTest, KeepsTheOrderOfSeveralMessages) {
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(there_->send(Warning{std::to_string(i)}));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(text_of(here_->receive(1000)), std::to_string(i));
}

TEST_F(MessageChannelTest, AnotherChannelGoesOnAfterHelloIfNothingIsLeftUnread) {
  EXPECT_FALSE(here_->can_be_resumed());  // There was no `hello` yet.
  ASSERT_TRUE(there_->send(Warning{"one"}));
  ASSERT_TRUE(there_->send(Warning{"two"}));
  EXPECT_EQ(text_of(here_->receive(1000)), "one");
  EXPECT_FALSE(here_->can_be_resumed());
  EXPECT_EQ(text_of(here_->next()), "two");
  ASSERT_TRUE(here_->send(Warning{"back"}));
  ASSERT_TRUE(here_->can_be_resumed());
  MessageChannel next = MessageChannel::resumed(FileDescriptor(::dup(here_->descriptor())));
  here_.reset();
  ASSERT_TRUE(next.send(Warning{"again"}));
  EXPECT_EQ(text_of(there_->receive(1000)), "back");
  EXPECT_EQ(text_of(there_->receive(1000)), "again");
  ASSERT_TRUE(there_->send(Warning{"three"}));
  EXPECT_EQ(text_of(next.receive(1000)), "three");
}

TEST_F(MessageChannelTest, PutsAMessageTogetherFromSingleBytes) {
  const std::string bytes = framed(Hello{}) + framed(Warning{"seven"});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_TRUE(here_->drain());
    EXPECT_FALSE(here_->next().has_value());
    write_raw(bytes.substr(i, 1));
  }
  EXPECT_TRUE(here_->drain());
  EXPECT_EQ(text_of(here_->next()), "seven");
}

TEST_F(MessageChannelTest, CarriesMoreThanASocketHoldsWhileTheOtherEndReads) {
  const std::string much(8 << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(there_->send(Warning{much})); });
  const std::optional<Message> got = here_->receive(10000);
  sender.join();
  EXPECT_EQ(text_of(got), much);
}

TEST_F(MessageChannelTest, PostingNeverWaitsAndDrainingSendsTheRest) {
  const std::string much(8 << 20, 'x');
  here_->post(Warning{much});  // Nobody reads: `send` would wait for ever.
  EXPECT_TRUE(here_->has_unsent());
  std::optional<Message> got;
  for (int turn = 0; turn < 1000 && !got; ++turn) {
    EXPECT_TRUE(there_->drain());
    got = there_->next();
    EXPECT_TRUE(here_->drain());
  }
  EXPECT_EQ(text_of(got), much);
  EXPECT_FALSE(here_->has_unsent());
}

TEST_F(MessageChannelTest, GivesWhatWasSentBeforeTheOtherEndClosedAndThenNothing) {
  ASSERT_TRUE(there_->send(Warning{"last"}));
  there_.reset();
  EXPECT_FALSE(here_->drain());
  EXPECT_EQ(text_of(here_->next()), "last");
  EXPECT_FALSE(here_->receive(1000).has_value());
  EXPECT_EQ(here_->problem(), "");
}

TEST_F(MessageChannelTest, SendingToAClosedEndFailsWithoutASignal) {
  there_.reset();
  EXPECT_FALSE(here_->send(Warning{"to nobody"}));
}

TEST_F(MessageChannelTest, AMessageCutShortByTheEndIsNone) {
  write_raw(length_of(100) + "only a part");
  there_.reset();
  EXPECT_FALSE(here_->receive(1000).has_value());
}

TEST_F(MessageChannelTest, ANonsenseLengthEndsTheConversationAndTakesNoMemory) {
  write_raw(length_of(~0ULL) + std::string(100, 'x'));
  EXPECT_FALSE(here_->receive(10000).has_value());
  EXPECT_THAT(here_->problem(), HasSubstr("was announced"));
  EXPECT_FALSE(here_->drain());
}

TEST_F(MessageChannelTest, BytesThatAreNoMessageEndTheConversation) {
  const std::string body = length_of(3) + "\xff\xff\xff";
  write_raw(framed(Hello{}) + framed(Warning{"before"}) + length_of(body.size()) + body +
            framed(Warning{"after"}));
  EXPECT_EQ(text_of(here_->receive(1000)), "before");
  EXPECT_FALSE(here_->receive(1000).has_value());
  EXPECT_THAT(here_->problem(), HasSubstr("not CBOR"));
  EXPECT_FALSE(here_->next().has_value());
}

TEST_F(MessageChannelTest, AMessageShorterThanItsOwnLengthEndsTheConversation) {
  write_raw(framed(Hello{}) + length_of(3) + "abc" + framed(Warning{"after"}));
  EXPECT_FALSE(here_->receive(1000).has_value());
  EXPECT_EQ(here_->problem(), "it is incomplete");
}

TEST_F(MessageChannelTest, AnEndOfAnotherVersionIsRefused) {
  write_raw(framed(Hello{kVersion + 1}) + framed(Warning{"from the future"}));
  EXPECT_FALSE(here_->receive(1000).has_value());
  EXPECT_THAT(here_->problem(), HasSubstr(std::to_string(kVersion + 1)));
}

TEST_F(MessageChannelTest, AnEndOfAnotherReleaseIsRefusedWithBothVersions) {
  write_raw(framed(Hello{kVersion, "7.6.5\x1b"}) + framed(Warning{"from the future"}));
  EXPECT_FALSE(here_->receive(1000).has_value());
  EXPECT_TRUE(here_->has_other_version());
  EXPECT_THAT(here_->problem(), HasSubstr("it is warptune 7.6.5"));
  EXPECT_THAT(here_->problem(), HasSubstr(std::string("this end is warptune ") + base::kVersion));
  EXPECT_EQ(here_->problem().find('\x1b'), std::string::npos);
}

TEST_F(MessageChannelTest, AnEndThatDoesNotGreetIsRefused) {
  write_raw(framed(Warning{"hi"}));
  EXPECT_FALSE(here_->receive(1000).has_value());
  EXPECT_EQ(here_->problem(), "its first message is not `hello`");
}

TEST_F(MessageChannelTest, ReceivingGivesUpAfterItsTimeHoweverSlowlyAMessageComes) {
  const std::string bytes = framed(Hello{}) + framed(Warning{std::string(200, 'x')});
  std::thread sender([&] {
    for (const char byte : bytes) {
      ::send(there_->descriptor(), &byte, 1, 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(here_->receive(100).has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(700));
  sender.join();
}

TEST_F(MessageChannelTest, ManySmallMessagesAreTakenInOrder) {
  std::string bytes = framed(Hello{});
  for (int i = 0; i < 20000; ++i) bytes += framed(Warning{std::to_string(i)});
  std::thread sender([&] { ::send(there_->descriptor(), bytes.data(), bytes.size(), 0); });
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(text_of(here_->receive(10000)), std::to_string(i));
  sender.join();
}

TEST_F(MessageChannelTest, ReceivingGivesUpAfterItsTime) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(here_->receive(50).has_value());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(45));
}

}  // namespace
}  // namespace warptune::tuner::protocol
