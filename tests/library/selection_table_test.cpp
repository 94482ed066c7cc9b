#include "library/selection_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/library/values.h"

namespace warptune::library {
namespace {

Selection named(const std::string& name) {
  Selection selection;
  selection.configuration_text = name;
  return selection;
}

TEST(SelectionTableTest, WhatWasAddedIsFound) {
  SelectionTable table;
  const std::vector<warptune_value> asked = {integer(5), text("f32")};
  EXPECT_EQ(table.find(asked), nullptr);
  const Selection* added = table.add(asked, named("one"));
  EXPECT_EQ(table.find(asked), added);
  EXPECT_EQ(added->configuration_text, "one");
}

TEST(SelectionTableTest, TextsAreComparedByTheirCharactersAndCopied) {
  SelectionTable table;
  std::string type = "f32";
  const std::vector<warptune_value> asked = {text(type.c_str())};
  const Selection* added = table.add(asked, named("one"));
  type = "f64";
  EXPECT_EQ(table.find(asked), nullptr);
  const std::vector<warptune_value> again = {text("f32")};
  EXPECT_EQ(table.find(again), added);
}

TEST(SelectionTableTest, LongTextsAreComparedToTheirEnd) {
  SelectionTable table;
  const std::vector<warptune_value> asked = {text("row_major_padded")};
  const Selection* added = table.add(asked, named("one"));
  EXPECT_EQ(table.find(std::vector{text("row_major_padded")}), added);
  for (const char* other : {"row_majo", "row_major_packed", "row_major_padded_", ""})
    EXPECT_EQ(table.find(std::vector{text(other)}), nullptr) << other;
}

TEST(SelectionTableTest, ANullTextIsNotFound) {
  SelectionTable table;
  table.add(std::vector{text("")}, named("one"));
  EXPECT_EQ(table.find(std::vector{text(nullptr)}), nullptr);
}

TEST(SelectionTableTest, TypeNumberAndOrderOfValuesMatter) {
  SelectionTable table;
  const std::vector<warptune_value> asked = {integer(1), integer(2)};
  table.add(asked, named("one"));
  warptune_value real = integer(2);
  real.type = WARPTUNE_VALUE_REAL;
  for (const std::vector<warptune_value>& other :
       std::vector<std::vector<warptune_value>>{{integer(2), integer(1)},
                                                {integer(1)},
                                                {integer(1), integer(2), integer(3)},
                                                {integer(1), real},
                                                {}})
    EXPECT_EQ(table.find(other), nullptr);
}

TEST(SelectionTableTest, MoreThanSevenValuesAndLongTextsAreFoundLikeOthers) {
  SelectionTable table;
  std::vector<warptune_value> asked;
  std::vector<const Selection*> added;
  for (std::int64_t count = 0; count < 12; ++count) {
    added.push_back(table.add(asked, named(std::to_string(count))));
    asked.push_back(count % 2 == 0 ? integer(count) : text(count % 4 == 1 ? "12345678" : "123456789"));
  }
  for (std::size_t count = 0; count < added.size(); ++count) {
    EXPECT_EQ(table.find(std::span(asked).first(count)), added[count]) << count;
    if (count == 0) continue;
    std::vector<warptune_value> other(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(count));
    other.back() = text("12345670");
    EXPECT_EQ(table.find(other), nullptr) << count;
  }
}

TEST(SelectionTableTest, ATypeThatDoesNotExistIsNotTakenForOneThatDoes) {
  SelectionTable table;
  const Selection* added = table.add(std::vector{integer(1), integer(2)}, named("one"));
  ASSERT_NE(added, nullptr);
  for (const std::int32_t type : {1 + 256, 1 + (1 << 16), -255}) {
    warptune_value first = integer(1);
    first.type = type;
    EXPECT_EQ(table.find(std::vector{first, integer(2)}), nullptr) << type;
    EXPECT_EQ(table.find(std::vector{integer(1), first}), nullptr) << type;
  }
}

TEST(SelectionTableTest, ManyProblemsOfUsualSizesAreFound) {
  SelectionTable table;
  std::vector<const Selection*> added;
  for (std::int64_t m = 256; m <= 8192; m += 256) {
    for (std::int64_t n = 256; n <= 8192; n += 256)
      added.push_back(table.add(std::vector{integer(m), integer(n), text("f16")}, {}));
  }
  std::size_t next = 0;
  for (std::int64_t m = 256; m <= 8192; m += 256) {
    for (std::int64_t n = 256; n <= 8192; n += 256)
      ASSERT_EQ(table.find(std::vector{integer(m), integer(n), text("f16")}), added[next++]) << m << " " << n;
  }
}

TEST(SelectionTableTest, ThreadsFindWhileOneAdds) {
  constexpr std::int64_t kProblems = 5000;  // The table grows several times.
  SelectionTable table;
  std::atomic<std::int64_t> added = 0;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (true) {
        const std::int64_t newest = added.load();
        for (std::int64_t n = 0; n < newest; n += 97) {
          const Selection* found = table.find(std::vector{integer(n)});
          wrong += found == nullptr || found->median_ns != static_cast<double>(n) ? 1 : 0;
        }
        if (newest == kProblems) return;
      }
    });
  }
  for (std::int64_t n = 0; n < kProblems; ++n) {
    Selection selection;
    selection.median_ns = static_cast<double>(n);
    table.add(std::vector{integer(n)}, selection);
    added = n + 1;
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace warptune::library
