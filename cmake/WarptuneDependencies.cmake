# Every third-party library of the project, found once. Packages come from scripts/packages.txt.
find_package(Threads REQUIRED)
if(WARPTUNE_PORTABLE)
  set(Boost_USE_STATIC_LIBS ON)
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)

# wt::sqlite, wt::zstd, wt::xxhash: the shared library, or the archive in a portable build.
function(warptune_find_c_library target library header)
  if(WARPTUNE_PORTABLE)
    find_library(${target}_FILE NAMES lib${library}.a REQUIRED)
  else()
    find_library(${target}_FILE NAMES ${library} REQUIRED)
  endif()
  find_path(${target}_INCLUDE NAMES ${header} REQUIRED)
  add_library(wt::${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(wt::${target} PROPERTIES IMPORTED_LOCATION "${${target}_FILE}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${${target}_INCLUDE}")
endfunction()
warptune_find_c_library(sqlite sqlite3 sqlite3.h)
warptune_find_c_library(zstd zstd zstd.h)
warptune_find_c_library(xxhash xxhash xxhash.h)
set_property(TARGET wt::sqlite APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)

# wt::fmt and wt::spdlog: Debian ships no archive of either, so a portable build takes the headers alone.
add_library(wt_fmt INTERFACE)
add_library(wt_spdlog INTERFACE)
if(WARPTUNE_PORTABLE)
  target_link_libraries(wt_fmt INTERFACE fmt::fmt-header-only)
  target_link_libraries(wt_spdlog INTERFACE spdlog::spdlog_header_only fmt::fmt-header-only)
  add_link_options(-static-libstdc++ -static-libgcc)
else()
  target_link_libraries(wt_fmt INTERFACE fmt::fmt)
  target_link_libraries(wt_spdlog INTERFACE spdlog::spdlog)
endif()

# wt_cuda_headers: types only. libcuda, NVRTC, CUPTI and NVML are loaded at run time, never linked.
# WARPTUNE_CUDA_ROOT: a CUDA Toolkit, or the folder into which scripts/setup unpacks NVIDIA's wheels.
set(WARPTUNE_CUDA_ROOT "" CACHE PATH "CUDA Toolkit (or unpacked wheels) with nvrtc.h, cuda.h and cupti headers")
find_path(WARPTUNE_CUDA_INCLUDE NAMES nvrtc.h REQUIRED
  HINTS "${WARPTUNE_CUDA_ROOT}/include" ENV CUDA_HOME ENV CUDA_PATH "${CMAKE_SOURCE_DIR}/.cuda-wheels"
  PATHS /usr/local/cuda /usr PATH_SUFFIXES include nvidia/cu13/include)
find_path(WARPTUNE_CUPTI_INCLUDE NAMES cupti_range_profiler.h REQUIRED
  HINTS "${WARPTUNE_CUDA_INCLUDE}" "${WARPTUNE_CUDA_INCLUDE}/../extras/CUPTI/include"
  PATHS /usr/local/cuda/extras/CUPTI/include)
add_library(wt_cuda_headers INTERFACE)
target_include_directories(wt_cuda_headers SYSTEM INTERFACE "${WARPTUNE_CUDA_INCLUDE}" "${WARPTUNE_CUPTI_INCLUDE}")

find_program(WARPTUNE_CCACHE ccache)
if(WARPTUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WARPTUNE_CCACHE}")
endif()
