#include "fleet/names.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace warptune::fleet {
namespace {

TEST(NamesTest, NamesAreSafeAsNamesOfFiles) {
  for (const char* name : {"nightly", "h200-2026", "A_1"}) EXPECT_NO_THROW(require_campaign_name(name));
  for (const char* name : {"", "-x", "_x", "../up", "a b", "a/b", ".hidden", "a\nb", "\xc3\xa9"})
    EXPECT_THROW(require_campaign_name(name), base::InputError) << name;
  EXPECT_NO_THROW(require_campaign_name(std::string(64, 'a')));
  EXPECT_THROW(require_campaign_name(std::string(65, 'a')), base::InputError);
}

TEST(NamesTest, IdsOfNodesMayBeginWithAnySign) {
  for (const char* id : {"0123456789abcdef", "-x", "_x", "A"}) EXPECT_NO_THROW(require_node_id(id));
  for (const char* id : {"", "a.b", "a b", "a/b", "a\n", "\xc3\xa9"})
    EXPECT_THROW(require_node_id(id), base::InputError) << id;
  EXPECT_THROW(require_node_id(std::string(65, 'a')), base::InputError);
}

TEST(NamesTest, TheNameOfANodeForPeopleIsOneShortLine) {
  for (const char* name : {"", "h200 in room 3", "r\xc3\xa4um", "node.example"})
    EXPECT_NO_THROW(require_node_name(name)) << name;
  EXPECT_NO_THROW(require_node_name(std::string(64, 'a')));
  for (const std::string& name : {std::string(65, 'a'), std::string("a\nb"), std::string("a\tb"),
                                  std::string("\x1b[31m"), std::string("\xff")})
    EXPECT_THROW(require_node_name(name), base::InputError) << name;
}

}  // namespace
}  // namespace warptune::fleet
