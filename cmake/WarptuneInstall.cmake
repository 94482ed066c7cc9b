# Installs a tree that can be moved: bin/warptune finds share/warptune in its own folder or one folder up. The build tree has the
# same layout. warptune_share copies the shipped kernels, the map of their earlier names and the recordings into
# build/<preset>/share/warptune when they change. It also copies the parts of the report's page with its charting library
# and that library's licence, and the schemas of the JSON outputs.
set(share "${CMAKE_BINARY_DIR}/share/warptune")
file(GLOB kernels CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernel_templates/library/*.cu"
  "${PROJECT_SOURCE_DIR}/kernel_templates/library/*.cuh" "${PROJECT_SOURCE_DIR}/kernel_templates/library/*.toml")
set(names "${PROJECT_SOURCE_DIR}/kernel_templates/renamed.toml")
file(GLOB recordings CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/recordings/*.wtrec.zst")
file(GLOB lab CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernel_templates/lab/*.cu"
  "${PROJECT_SOURCE_DIR}/kernel_templates/lab/*.toml")
file(GLOB lab_recordings CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/recordings/lab/*.wtrec.zst")
file(GLOB_RECURSE report CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tuner/html_report/page/*")
file(GLOB schemas CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tuner/json_output/schemas/*.schema.json")
list(APPEND report "${WARPTUNE_CHART_JS}" "${WARPTUNE_CHART_JS_LICENCE}")

set(copies)
foreach(folder IN ITEMS kernels names lab recordings lab_recordings report schemas)
  file(MAKE_DIRECTORY "${share}/${folder}")
  file(GLOB stale RELATIVE "${share}/${folder}" "${share}/${folder}/*")
  foreach(file IN LISTS ${folder})
    get_filename_component(name "${file}" NAME)
    if(file STREQUAL WARPTUNE_CHART_JS_LICENCE)
      set(name chart.licence.txt)
    endif()
    add_custom_command(OUTPUT "${share}/${folder}/${name}" DEPENDS "${file}" VERBATIM
      COMMAND ${CMAKE_COMMAND} -E copy "${file}" "${share}/${folder}/${name}")
    list(APPEND copies "${share}/${folder}/${name}")
    list(REMOVE_ITEM stale "${name}")
    install(FILES "${file}" DESTINATION "share/warptune/${folder}" RENAME "${name}")
  endforeach()
  foreach(name IN LISTS stale)
    file(REMOVE "${share}/${folder}/${name}")
  endforeach()
endforeach()

# The headers that stand in for those that NVRTC lacks: NAME.in becomes NAME, and names.txt lists more.
set(stand_ins "${PROJECT_SOURCE_DIR}/kernel_templates/stand_ins")
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${stand_ins}" "${stand_ins}/*.in")
set(written)
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.in$" "" name "${header}")
  configure_file("${stand_ins}/${header}" "${share}/stand_ins/${name}" COPYONLY)
  list(APPEND written "${name}")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${stand_ins}/names.txt")
file(STRINGS "${stand_ins}/names.txt" headers REGEX "^[^#]")
foreach(header IN LISTS headers)
  string(REPLACE " " ";" words "${header}")
  list(GET words 0 name)
  set(content "#pragma once\n")
  list(LENGTH words count)
  if(count EQUAL 2)
    list(GET words 1 included)
    string(APPEND content "#include <${included}>\n")
  endif()
  file(CONFIGURE OUTPUT "${share}/stand_ins/${name}" CONTENT "${content}" @ONLY)
  list(APPEND written "${name}")
endforeach()
file(GLOB_RECURSE stale RELATIVE "${share}/stand_ins" "${share}/stand_ins/*")
list(REMOVE_ITEM stale ${written})
foreach(name IN LISTS stale)
  file(REMOVE "${share}/stand_ins/${name}")
endforeach()
install(DIRECTORY "${share}/stand_ins" DESTINATION share/warptune)
# The headers of programs that run kernels on the host: NAME.in becomes NAME.
set(runtime "${PROJECT_SOURCE_DIR}/kernel_templates/emulation/runtime")
file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${runtime}" "${runtime}/*.in")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.in$" "" name "${header}")
  configure_file("${runtime}/${header}" "${share}/emulation/${name}" COPYONLY)
endforeach()
install(DIRECTORY "${share}/emulation" DESTINATION share/warptune)
add_custom_target(warptune_share ALL DEPENDS ${copies})

if(TARGET warptune)
  add_dependencies(warptune warptune_share)
  install(TARGETS warptune EXPORT warptune-program RUNTIME DESTINATION bin)
  install(EXPORT warptune-program NAMESPACE warptune:: DESTINATION lib/cmake/warptune)
  # The program writes its manual pages and the completions of shells from the declarations of its options.
  set(manual "${CMAKE_BINARY_DIR}/manual")
  add_custom_command(OUTPUT "${manual}/written" DEPENDS warptune ${copies} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${manual}"
    COMMAND warptune help --install "${manual}/share"
    COMMAND ${CMAKE_COMMAND} -E touch "${manual}/written")
  add_custom_target(warptune_manual ALL DEPENDS "${manual}/written")
  install(DIRECTORY "${manual}/share" DESTINATION ".")
endif()
# libwarptune for other programs: find_package(warptune), pkg-config, or this project by FetchContent (docs/library.md).
include(CMakePackageConfigHelpers)
install(TARGETS libwarptune EXPORT warptune-targets LIBRARY DESTINATION lib)
install(FILES "${PROJECT_SOURCE_DIR}/library/include/warptune.h" "${PROJECT_SOURCE_DIR}/library/include/warptune.hpp"
  DESTINATION include)
install(EXPORT warptune-targets NAMESPACE warptune:: DESTINATION lib/cmake/warptune)
set(package "${PROJECT_BINARY_DIR}/package")
write_basic_package_version_file("${package}/warptune-config-version.cmake" VERSION "${PROJECT_VERSION}" COMPATIBILITY SameMinorVersion)
configure_file("${PROJECT_SOURCE_DIR}/cmake/warptune-config.cmake.in" "${package}/warptune-config.cmake" COPYONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/warptune.pc.in" "${package}/warptune.pc" @ONLY)
install(FILES "${package}/warptune-config.cmake" "${package}/warptune-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/WarptuneExport.cmake" DESTINATION lib/cmake/warptune)
install(FILES "${package}/warptune.pc" DESTINATION lib/pkgconfig)
add_dependencies(libwarptune warptune_share)

# The manual keeps the folders of the repository, so that links between its pages lead somewhere.
foreach(page IN ITEMS README CONTRIBUTING CHANGELOG SECURITY)
  install(FILES "${PROJECT_SOURCE_DIR}/${page}.md" DESTINATION share/doc/warptune)
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/warptune)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION share/doc/warptune)
