// What the injected library needs before a program starts.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::survey::collecting {

/// A folder for this user alone, with the injected library in it. Its path is absolute. It is removed at the
/// end.
class InjectionFolder {
 public:
  /// Throws `base::MachineError` if there is no folder that can be written and from which libraries are
  /// loaded.
  InjectionFolder();
  ~InjectionFolder();
  InjectionFolder(const InjectionFolder&) = delete;
  InjectionFolder& operator=(const InjectionFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& library() const { return library_; }

 private:
  std::filesystem::path path_;
  std::filesystem::path library_;
};

/// The path of CUPTI for the program, or an empty text if only its loader knows it. Throws
/// `base::MachineError` if there is none.
std::string injected_cupti_path();

}  // namespace warptune::survey::collecting
