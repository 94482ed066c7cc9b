#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::base {

/// A library that is loaded at run time. It is never unloaded, because CUDA's libraries do not support that.
class SharedLibrary {
 public:
  /// Loads the first library of `names` that can be loaded. `folders` are searched first, then the places
  /// where the system's loader looks. Throws `MachineError` if none can be loaded. The message contains
  /// the loader's reasons, and `remedy`, which says what the user can do.
  SharedLibrary(const std::vector<std::string>& names, const std::vector<std::string>& folders,
                std::string_view remedy);

  /// The address of a function. Throws `MachineError` when the library does not have it.
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// Returns null when the library does not have the function.
  void* find_symbol(const char* name) const;
  const std::string& path() const { return path_; }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
};

/// The existing folders that may contain CUDA's libraries. The roots are `$WARPTUNE_CUDA_PATH`, `$CUDA_HOME`,
/// `$CUDA_PATH`, NVIDIA's wheels beside the Python package, the CUDA Toolkit with which warptune was built,
/// `PREFIX/lib/cuda` if the program is in `PREFIX/bin`, and `/usr/local/cuda`. Each root is searched for
/// `lib64`, `lib`, `extras/CUPTI/lib64` and `nvidia/cu13/lib`, where NVIDIA's Python wheels put the
/// libraries.
std::vector<std::string> cuda_library_folders();

/// The existing folders of CUDA's headers (`cuda_fp16.h` and others) in the same roots, for NVRTC's include
/// path. The result is empty if no root has such a folder.
std::vector<std::string> cuda_include_folders();

/// The existing folders of CUDA's programs in the same roots: `bin`, and `compute-sanitizer`, where NVIDIA's
/// Python wheels put that program.
std::vector<std::string> cuda_program_folders();

}  // namespace warptune::base
