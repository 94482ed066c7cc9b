# Finds every third-party library of the project. The packages are in scripts/packages.txt.
find_package(Threads REQUIRED)
if(WARPTUNE_PORTABLE)
  set(Boost_USE_STATIC_LIBS ON)
endif()
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)

# wt_toml: only the headers. With Debian's shared library the program could not be copied to another machine.
find_path(WARPTUNE_TOML_INCLUDE NAMES toml++/toml.h REQUIRED)
add_library(wt_toml INTERFACE)
target_include_directories(wt_toml SYSTEM INTERFACE "${WARPTUNE_TOML_INCLUDE}")

# wt_eigen: system headers, because their code causes warnings.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
get_target_property(WARPTUNE_EIGEN_INCLUDE Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
add_library(wt_eigen INTERFACE)
target_include_directories(wt_eigen SYSTEM INTERFACE ${WARPTUNE_EIGEN_INCLUDE})
target_compile_definitions(wt_eigen INTERFACE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE)

# wt::sqlite, wt::zstd, wt::zlib, wt::xxhash, wt::sodium: the shared library, or the archive in a portable build.
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
warptune_find_c_library(zlib z zlib.h)
warptune_find_c_library(xxhash xxhash xxhash.h)
warptune_find_c_library(sodium sodium sodium.h)
set_property(TARGET wt::sqlite APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)

# wt_libpq_headers: only types and constants. The library is loaded when a store in PostgreSQL is opened.
find_path(WARPTUNE_LIBPQ_INCLUDE NAMES libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)
add_library(wt_libpq_headers INTERFACE)
target_include_directories(wt_libpq_headers SYSTEM INTERFACE "${WARPTUNE_LIBPQ_INCLUDE}")

# wt::fmt and wt::spdlog: Debian has no static archives of them, so a portable build uses only the headers.
add_library(wt_fmt INTERFACE)
add_library(wt_spdlog INTERFACE)
if(WARPTUNE_PORTABLE)
  target_link_libraries(wt_fmt INTERFACE fmt::fmt-header-only)
  # spdlog's own target for this would link the shared library of fmt.
  get_target_property(spdlog_include spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(wt_spdlog SYSTEM INTERFACE ${spdlog_include})
  target_compile_definitions(wt_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
  target_link_libraries(wt_spdlog INTERFACE fmt::fmt-header-only Threads::Threads)
  add_link_options(-static-libstdc++ -Wl,--gc-sections)
else()
  target_link_libraries(wt_fmt INTERFACE fmt::fmt)
  target_link_libraries(wt_spdlog INTERFACE spdlog::spdlog)
endif()

# The charting library that reports embed, and the copyright notice that must be shipped with it.
find_file(WARPTUNE_CHART_JS NAMES chart.min.js PATHS /usr/share/javascript/chart.js REQUIRED)
find_file(WARPTUNE_CHART_JS_LICENCE NAMES copyright PATHS /usr/share/doc/libjs-chart.js REQUIRED)

# wt_cuda_headers: only types. libcuda, NVRTC, CUPTI and NVML are loaded at run time and never linked.
set(WARPTUNE_CUDA_ROOT "" CACHE PATH "The CUDA Toolkit (or folder of unpacked wheels) to use, and no other")
set(WARPTUNE_SOURCE "${CMAKE_CURRENT_SOURCE_DIR}")
include(WarptuneCuda)
warptune_find_cuda(cuda_includes)
list(GET cuda_includes 0 WARPTUNE_CUDA_INCLUDE)
message(STATUS "CUDA headers: ${cuda_includes}")
add_library(wt_cuda_headers INTERFACE)
target_include_directories(wt_cuda_headers SYSTEM INTERFACE ${cuda_includes})

# In depend mode, ccache reads the compiler's list of included files instead of preprocessing each source. Precompiled headers need
# the two values of CCACHE_SLOPPINESS.
find_program(WARPTUNE_CCACHE ccache)
if(WARPTUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros "${WARPTUNE_CCACHE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # Otherwise the time stamp of a precompiled header would be a part of each result.
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
