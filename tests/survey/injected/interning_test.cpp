#include "survey/injected/interning.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace warptune::survey::injected {

namespace {

TEST(NameTableTest, ANameHasOneNumber) {
  NameTable table;
  const std::string first = "kernel";
  const std::string again = "kernel";
  EXPECT_TRUE(table.intern(first.c_str()).is_new);
  const Interned known = table.intern(again.c_str());
  EXPECT_EQ(known.number, 0U);
  EXPECT_FALSE(known.is_new);
  EXPECT_EQ(table.intern("other").number, 1U);
  EXPECT_EQ(table.intern("").number, 2U);
  EXPECT_EQ(table.name(0), "kernel");
  EXPECT_EQ(table.name(2), "");
}

TEST(NameTableTest, AnAddressMayReceiveAnotherName) {
  NameTable table;
  char text[16] = "first";
  EXPECT_EQ(table.intern(text).number, 0U);
  std::strcpy(text, "second");
  EXPECT_EQ(table.intern(text).number, 1U);
  std::strcpy(text, "sec");
  EXPECT_EQ(table.intern(text).number, 2U);
  std::strcpy(text, "first");
  EXPECT_EQ(table.intern(text).number, 0U);
}

TEST(NameTableTest, IsFullAt65536Names) {
  NameTable table;
  for (std::uint32_t i = 0; i < 65536; ++i) ASSERT_EQ(table.intern(std::to_string(i).c_str()).number, i);
  EXPECT_EQ(table.intern("one more").number, kNoNumber);
  EXPECT_EQ(table.intern("12345").number, 12345U);
}

TEST(NameTableTest, KeepsTheBeginningOfAVeryLongName) {
  NameTable table;
  const std::string text(100'000, 'x');
  EXPECT_EQ(table.intern(text.c_str()).number, 0U);
  EXPECT_EQ(table.name(0).size(), 32768U);
  EXPECT_FALSE(table.intern(text.c_str()).is_new);
}

TEST(ShapeTableTest, AShapeHasOneNumber) {
  ShapeTable table;
  collecting::RawShape shape;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    shape.grid[0] = i;
    const Interned added = table.intern(shape);
    EXPECT_EQ(added.number, i);
    EXPECT_TRUE(added.is_new);
  }
  shape.grid[0] = 500;
  EXPECT_EQ(table.intern(shape).number, 500U);
  EXPECT_FALSE(table.intern(shape).is_new);
  shape.registers = 7;
  EXPECT_EQ(table.intern(shape).number, 1000U);
}

}  // namespace

}  // namespace warptune::survey::injected
