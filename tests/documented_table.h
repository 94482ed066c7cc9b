// Tables of the manual that a test derives from the code.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace warptune::tests {

/// Expects that a page of the manual has `table` between its lines `<!-- MARK -->` and `<!-- end of MARK
/// -->`. If WARPTUNE_UPDATE_SNAPSHOTS is set, the table is written there instead. `page` is a path below the
/// root of the repository, `source_folder`.
inline void expect_documented_table(const std::string& source_folder, const std::string& page,
                                    const std::string& mark, const std::string& table) {
  const std::string path = source_folder + "/" + page;
  std::ostringstream file;
  file << std::ifstream(path).rdbuf();
  const std::string text = file.str();
  const std::string begin = "<!-- " + mark + " -->\n";
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find("<!-- end of " + mark + " -->\n");
  ASSERT_NE(from, std::string::npos) << page << " has no mark of " << mark;
  ASSERT_NE(to, std::string::npos) << page << " has no end of " << mark;
  const std::size_t first = from + begin.size();
  if (std::getenv("WARPTUNE_UPDATE_SNAPSHOTS") != nullptr) {
    std::ofstream(path) << text.substr(0, first) << table << text.substr(to);
    return;
  }
  EXPECT_EQ(text.substr(first, to - first), table)
      << "run the test with WARPTUNE_UPDATE_SNAPSHOTS=1 to update " << page;
}

}  // namespace warptune::tests
