# warptune_add_header_check(NAME ROOT folder FOLDERS folder... LIBRARIES target... [INCLUDES folder...] [DEPENDS target...]): adds the
# target NAME, which is not a part of "all". It reads each header below ROOT/<folder> twice in a source of its own, with the options of
# LIBRARIES. It only builds if each header compiles alone. INCLUDES are further folders with headers of the project, and DEPENDS are
# targets that must be built before. If the caller has WARPTUNE_STANDARD_HEADERS, these are precompiled.
# tests/tools/check_includes.py checks that each header includes the standard headers that it uses.
#
# clang 14 takes two fifths of g++'s time. It only reads the sources and generates no code. Its precompiled header contains templates
# that are already instantiated, so that not every source instantiates them again. Where clang 14 is not installed, the build's
# compiler is used.
function(warptune_add_header_check name)
  cmake_parse_arguments(arg "" "ROOT" "FOLDERS;LIBRARIES;INCLUDES;DEPENDS" ${ARGN})
  find_program(WARPTUNE_HEADER_COMPILER clang++-14 DOC "clang 14, which checks that headers compile alone")
  set(sources)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${arg_ROOT}" "${arg_ROOT}/${folder}/*.h")
    foreach(header IN LISTS headers)
      set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}/${header}.cpp")
      file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
      list(APPEND sources "${source}")
    endforeach()
  endforeach()
  if(WARPTUNE_HEADER_COMPILER)
    set(own_folders ${arg_ROOT} ${arg_INCLUDES})
    warptune_read_sources(${name} "${own_folders}" "${arg_LIBRARIES}" "${sources}")
  else()
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

# warptune_read_sources(NAME FOLDERS LIBRARIES SOURCES): adds the target NAME, for which clang reads each source without compiling it.
# FOLDERS have the project's headers. Headers in other folders of LIBRARIES cause no warnings.
function(warptune_read_sources name own_folders libraries sources)
  add_library(${name}_options INTERFACE)
  target_link_libraries(${name}_options INTERFACE ${libraries})
  set(folders "$<TARGET_PROPERTY:${name}_options,INTERFACE_INCLUDE_DIRECTORIES>")
  foreach(folder IN LISTS own_folders CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" escaped "${folder}")
    set(folders "$<FILTER:${folders},EXCLUDE,^${escaped}/?$>")
  endforeach()
  set(definitions "$<TARGET_PROPERTY:${name}_options,INTERFACE_COMPILE_DEFINITIONS>")
  # clang does not know this warning of g++.
  set(warnings "$<FILTER:$<FILTER:$<TARGET_PROPERTY:${name}_options,INTERFACE_COMPILE_OPTIONS>,INCLUDE,^-W>,EXCLUDE,^-Wno-restrict$>")
  list(TRANSFORM own_folders PREPEND -I)
  set(read "${WARPTUNE_HEADER_COMPILER}" -std=c++20 ${own_folders} "$<$<BOOL:${folders}>:-isystem$<SEMICOLON>$<JOIN:${folders},$<SEMICOLON>-isystem$<SEMICOLON>>>"
    "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>" "${warnings}")

  set(precompiled "${CMAKE_CURRENT_BINARY_DIR}/${name}/precompiled.pch")
  set(header "${CMAKE_CURRENT_BINARY_DIR}/${name}/precompiled.h")
  list(TRANSFORM WARPTUNE_STANDARD_HEADERS PREPEND "#include " OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" lines)
  file(CONFIGURE OUTPUT "${header}" CONTENT "${lines}\n")
  add_custom_command(OUTPUT "${precompiled}" COMMAND ${read} -fpch-instantiate-templates -x c++-header "${header}" -o "${precompiled}"
      -MD -MF "${precompiled}.d" -MT "${precompiled}"
    DEPENDS "${header}" DEPFILE "${precompiled}.d" COMMENT "Precompiling the headers of libraries" VERBATIM COMMAND_EXPAND_LISTS)
  set(stamps)
  foreach(source IN LISTS sources)
    set(stamp "${source}.read")
    file(RELATIVE_PATH shown "${CMAKE_CURRENT_BINARY_DIR}/${name}" "${source}")
    add_custom_command(OUTPUT "${stamp}"
      COMMAND ${read} -fsyntax-only -include-pch "${precompiled}" "${source}" -MD -MF "${stamp}.d" -MT "${stamp}"
      COMMAND touch "${stamp}"
      DEPENDS "${source}" "${precompiled}" DEPFILE "${stamp}.d" COMMENT "Reading ${shown}" VERBATIM COMMAND_EXPAND_LISTS)
    list(APPEND stamps "${stamp}")
  endforeach()
  add_custom_target(${name} DEPENDS ${stamps})
endfunction()
