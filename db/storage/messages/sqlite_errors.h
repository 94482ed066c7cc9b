#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;

/// The messages of failed calls of SQLite, and of damaged files. Each message is one line.
namespace warptune::db::storage::messages {

/// `text` in one line of at most `limit` bytes. What is left out is marked with an ellipsis.
std::string outline(std::string_view text, std::size_t limit);

/// What `PRAGMA quick_check` and `PRAGMA integrity_check` say, in one line. Empty if they found nothing.
std::string problems_of_pages(std::string_view found);

/// Content that no version of warptune stores.
class DamageError : public base::InputError {
 public:
  DamageError(const std::filesystem::path& path, const std::string& damage);
  /// The message without the file and without advice.
  const std::string& damage() const { return damage_; }

 private:
  std::string damage_;
};

/// Throws a `DamageError` for content that no version of warptune stores.
[[noreturn]] void throw_damaged(const std::filesystem::path& path, const std::string& what);

/// Throws the error for a call that failed with SQLite's `code`, as `Database` lists them. `connection` may
/// be null. `call` is a function of SQLite or a statement.
[[noreturn]] void throw_failure(const std::filesystem::path& path, sqlite3* connection, int code,
                                std::string_view call);

}  // namespace warptune::db::storage::messages
