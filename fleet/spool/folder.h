// An open folder of a spool. All of its functions work on names within the folder, and follow no links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace warptune::fleet::spool {

using base::Descriptor;

/// What a folder knows about one of its files.
struct FileStatus {
  std::int64_t changed_ms = 0;  ///< When its content was written or it was touched, by the store's clock.
  unsigned mode = 0;            ///< The permissions.
  bool is_file = false;         ///< A regular file.
};

/// Every function throws `base::MachineError` if the file system refuses a call, with the path and the
/// reason. Files whose names begin with a dot are being written; `names` leaves them out.
class Folder {
 public:
  /// Opens a folder by a path of the user, which may contain links. std::nullopt if it is missing.
  static std::optional<Folder> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_.get(); }
  /// The same folder, opened again.
  Folder again() const;
  /// Whether both are the same folder and not two with one path.
  bool is_same(const Folder& other) const;
  /// The permissions that new folders of the spool get: those of this one.
  unsigned mode() const { return mode_; }

  /// A folder within this one. std::nullopt if it is missing, or if it is something else (which is logged).
  std::optional<Folder> find(const std::string& name) const;
  /// The same. Throws `base::MachineError` if it is missing.
  Folder at(const std::string& name) const;
  /// The same. Makes the folder if it is missing.
  Folder made(const std::string& name) const;

  std::vector<std::string> names() const;
  /// std::nullopt if there is nothing of this name.
  std::optional<FileStatus> status(const std::string& name) const;
  /// The same, but asks the server of a network file system for the current status.
  std::optional<FileStatus> current_status(const std::string& name) const;
  /// The content of a regular file, or its first `max_bytes`. std::nullopt if there is no such file.
  std::optional<std::string> read(const std::string& name, std::size_t max_bytes = SIZE_MAX) const;

  /// Writes a file under a new name that begins with a dot, and waits until it is on the disk. Returns the
  /// name. If that fails, nothing remains.
  std::string write_new(std::string_view bytes) const;
  /// 16 random hexadecimal digits.
  static std::string token();
  /// Makes an empty file that nobody else knows yet.
  void make_empty(const std::string& name) const;
  /// Replaces a file as a whole, or makes it.
  void replace(const std::string& name, std::string_view bytes) const;
  /// Makes a file as a whole. Returns false if there is one already, which remains.
  bool add(const std::string& name, std::string_view bytes) const;
  /// Adds a further name to a file. Returns false if that name is taken by another file.
  bool link(const std::string& name, const Folder& folder, const std::string& further) const;
  /// Gives a file another name. Returns false if it is not here any more. A name that nobody else would
  /// choose shows who moved it, also if the reply of a file server was lost.
  bool move(const std::string& name, const Folder& folder, const std::string& new_name) const;
  /// Gives a folder in this one another name. Returns false if that name is taken by a folder with content.
  bool move_folder(const std::string& name, const std::string& new_name) const;
  /// Sets the time of a file to now, by the clock of the file system. Returns false if it is missing.
  bool touch(const std::string& name) const;
  void set_mode(const std::string& name, unsigned mode) const;
  void remove(const std::string& name) const;
  /// Waits until the names in this folder are on the disk.
  void sync() const;

 private:
  Folder(Descriptor descriptor, std::filesystem::path path, unsigned mode);
  Descriptor write_file(const std::string& name, std::string_view bytes) const;
  bool is_same_file(const std::string& name, const Folder& folder, const std::string& other) const;

  Descriptor descriptor_;
  std::filesystem::path path_;
  unsigned mode_ = 0;
};

/// The `base::MachineError` of a failed call, by `errno`.
[[noreturn]] void throw_failed_call(const std::filesystem::path& path, const char* what);

}  // namespace warptune::fleet::spool
