#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::base {

/// A library loaded at run time. Never unloaded: CUDA's libraries do not bear it.
class SharedLibrary {
 public:
  /// Loads the first that loads of `names`, each tried in the loader's own order and in `folders`.
  /// Throws `MachineError` with the loader's text of each attempt and `remedy`.
  SharedLibrary(const std::vector<std::string>& names, const std::vector<std::string>& folders,
                std::string_view remedy);

  /// The address of a function; throws `MachineError` when the library lacks it.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// Null when the library lacks it.
  void* find_symbol(const char* name) const;
  const std::string& path() const { return path_; }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
};

/// Folders where CUDA's libraries may lie: `$WARPTUNE_CUDA_PATH`, `$CUDA_HOME`, `$CUDA_PATH`, the folder
/// known when this binary was built, `/usr/local/cuda`. Each with `lib64`, `lib`, `extras/CUPTI/lib64` and
/// the layout of wheels.
std::vector<std::string> cuda_library_folders();

/// The headers of the same places that hold `cuda_fp16.h` and friends, for NVRTC's include path; may be
/// empty.
std::vector<std::string> cuda_include_folders();

}  // namespace warptune::base
