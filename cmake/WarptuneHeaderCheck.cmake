# warptune_add_header_check(NAME ROOT folder FOLDERS folder... LIBRARIES target... [INCLUDES folder...] [DEPENDS target...]): adds the
# target NAME, which is not a part of "all". It only builds if each header below ROOT/<folder> compiles alone, with the options of
# LIBRARIES, and may be included twice. INCLUDES are further folders with headers of the project, and DEPENDS are targets that must be
# built before. tests/tools/check_includes.py checks that each header includes the standard headers that it uses.
#
# Where clang 14 is installed, tests/tools/headers/headers_alone.py reads all headers as modules of clang, which takes a quarter of the time.
# Elsewhere, the build's compiler compiles a source for each header.
set(WARPTUNE_HEADERS_ALONE "${CMAKE_CURRENT_LIST_DIR}/../tests/tools/headers/headers_alone.py")

function(warptune_add_header_check name)
  cmake_parse_arguments(arg "" "ROOT" "FOLDERS;LIBRARIES;INCLUDES;DEPENDS" ${ARGN})
  find_program(WARPTUNE_HEADER_COMPILER clang++-14 DOC "clang 14, which checks that headers compile alone")
  set(headers)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE "${arg_ROOT}" "${arg_ROOT}/${folder}/*.h")
    list(APPEND headers ${found})
  endforeach()
  if(WARPTUNE_HEADER_COMPILER)
    warptune_read_headers(${name} "${arg_ROOT}" "${headers}" "${arg_INCLUDES}" "${arg_LIBRARIES}")
  else()
    set(sources)
    foreach(header IN LISTS headers)
      set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}/${header}.cpp")
      file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
      list(APPEND sources "${source}")
    endforeach()
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${sources})
    target_include_directories(${name} PRIVATE ${arg_INCLUDES})
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
    target_compile_options(${name} PRIVATE -O0 -g0)
    if(COMMAND warptune_precompile)
      warptune_precompile(${name} headers_alone LIBRARIES ${arg_LIBRARIES} OPTIONS -O0 -g0)
    endif()
  endif()
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
endfunction()

# warptune_read_headers(NAME ROOT HEADERS FOLDERS LIBRARIES): adds the target NAME, which runs tests/tools/headers/headers_alone.py on HEADERS.
# FOLDERS have further headers of the project. Headers in other folders of LIBRARIES cause no warnings.
function(warptune_read_headers name root headers folders libraries)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  add_library(${name}_options INTERFACE)
  target_link_libraries(${name}_options INTERFACE ${libraries})
  set(system "$<TARGET_PROPERTY:${name}_options,INTERFACE_INCLUDE_DIRECTORIES>")
  foreach(folder IN LISTS root folders CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" escaped "${folder}")
    set(system "$<FILTER:${system},EXCLUDE,^${escaped}/?$>")
  endforeach()
  set(definitions "$<TARGET_PROPERTY:${name}_options,INTERFACE_COMPILE_DEFINITIONS>")
  # clang does not know this warning of g++.
  set(warnings "$<FILTER:$<FILTER:$<TARGET_PROPERTY:${name}_options,INTERFACE_COMPILE_OPTIONS>,INCLUDE,^-W>,EXCLUDE,^-Wno-restrict$>")
  list(TRANSFORM folders PREPEND -I OUTPUT_VARIABLE own_folders)
  set(clang "${WARPTUNE_HEADER_COMPILER}" -std=c++20 -I${root} ${own_folders} "$<$<BOOL:${system}>:-isystem$<SEMICOLON>$<JOIN:${system},$<SEMICOLON>-isystem$<SEMICOLON>>>"
    "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>" "${warnings}")

  set(work "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  list(JOIN headers "\n" lines)
  file(CONFIGURE OUTPUT "${work}/headers.txt" CONTENT "${lines}\n")
  list(TRANSFORM folders PREPEND --include= OUTPUT_VARIABLE includes)
  # Without an output, this runs each time. Modules whose headers have not changed are not built again.
  add_custom_target(${name} COMMAND Python3::Interpreter "${WARPTUNE_HEADERS_ALONE}" "${work}" "${work}/headers.txt" --root "${root}"
      ${includes} -- ${clang} COMMENT "Reading each header alone" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()
