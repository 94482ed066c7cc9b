// Measures how long it takes to merge a database into another one, and to merge it again. FILE is changed.
// Usage: bench_database_merge FILE OTHER
#include <chrono>
#include <cstdio>

#include "bench/program.h"
#include "db/store.h"

namespace {

using namespace warptune;

void merge_once(const char* what, const std::filesystem::path& file, const std::filesystem::path& other) {
  const auto started = std::chrono::steady_clock::now();
  db::MergeCounts counts;
  {
    db::Store store(file);
    counts = store.merge(other);
  }  // Closing the last connection moves the write-ahead log into the file.
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  fmt::print("{}: {:.1f} s; {} sessions, {} rows added, {} updated, {} already there, {} refused\n", what,
             wall.count(), counts.sessions, counts.added, counts.updated, counts.known, counts.refused);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    fmt::print(stderr, "usage: bench_database_merge FILE OTHER\n");
    return 2;
  }
  return bench::run_program("bench_database_merge", count, arguments, [](int, char** names) {
    for (const char* name : {names[1], names[2]}) {
      const auto started = std::chrono::steady_clock::now();
      { const db::Store store(name); }  // Migrates an older file.
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
      fmt::print("opening {}: {:.2f} s\n", name, wall.count());
    }
    merge_once("merging", names[1], names[2]);
    merge_once("merging again", names[1], names[2]);
    return 0;
  });
}
