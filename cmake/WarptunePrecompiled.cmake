# Precompiled headers contain only headers of libraries and none of this project. After a change of a project's header, only the
# sources that include it are compiled. Sources still include what they use.
set(WARPTUNE_STANDARD_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <limits> <map>
  <memory> <numeric> <optional> <set> <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>
  <fmt/format.h> <tl/expected.hpp>)

# warptune_precompile(TARGET NAME [HEADERS header...] [LIBRARIES target...] [OPTIONS option...]): compiles TARGET with OPTIONS and
# with precompiled headers: the standard ones and HEADERS. The first call with a NAME compiles them, and later calls share the
# result. GCC accepts it only if OPTIONS and the kind of target (library or program) are the same.
function(warptune_precompile target name)
  cmake_parse_arguments(arg "" "" "HEADERS;LIBRARIES;OPTIONS" ${ARGN})
  set(owner wt_precompiled_${name})
  if(NOT TARGET ${owner})
    set(source "${CMAKE_BINARY_DIR}/${owner}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(${owner} OBJECT EXCLUDE_FROM_ALL "${source}")
    target_link_libraries(${owner} PRIVATE wt_options wt_fmt tl::expected ${arg_LIBRARIES})
    target_compile_options(${owner} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${owner} PRIVATE ${WARPTUNE_STANDARD_HEADERS} ${arg_HEADERS})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${owner} PRIVATE -fPIE)
    endif()
  endif()
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
