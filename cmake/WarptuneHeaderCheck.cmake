# warptune_add_header_check(NAME ROOT folder FOLDERS folder... LIBRARIES target...): adds the object library NAME, which is not a
# part of "all". It has a source for each header below ROOT/<folder>, which includes the header twice. The library only builds if
# each header compiles alone. If the caller has warptune_precompile, the standard library's headers are precompiled.
# tests/tools/check_includes.py checks that each header includes those of them that it uses.
function(warptune_add_header_check name)
  cmake_parse_arguments(arg "" "ROOT" "FOLDERS;LIBRARIES" ${ARGN})
  set(sources)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${arg_ROOT}" "${arg_ROOT}/${folder}/*.h")
    foreach(header IN LISTS headers)
      set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}/${header}.cpp")
      file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
      list(APPEND sources "${source}")
    endforeach()
  endforeach()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE -O0 -g0)
  if(COMMAND warptune_precompile)
    warptune_precompile(${name} headers_alone LIBRARIES ${arg_LIBRARIES} OPTIONS -O0 -g0)
  endif()
endfunction()
