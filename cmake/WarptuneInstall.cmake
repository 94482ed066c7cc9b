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
file(GLOB report CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tuner/html_report/page/*")
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
add_custom_target(warptune_share ALL DEPENDS ${copies})

if(TARGET warptune)
  add_dependencies(warptune warptune_share)
  install(TARGETS warptune RUNTIME DESTINATION bin)
  # The program writes its manual pages and the completions of shells from the declarations of its options.
  set(manual "${CMAKE_BINARY_DIR}/manual")
  add_custom_command(OUTPUT "${manual}/written" DEPENDS warptune ${copies} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E rm -rf "${manual}"
    COMMAND warptune help --install "${manual}/share"
    COMMAND ${CMAKE_COMMAND} -E touch "${manual}/written")
  add_custom_target(warptune_manual ALL DEPENDS "${manual}/written")
  install(DIRECTORY "${manual}/share" DESTINATION ".")
endif()
# The manual keeps the folders of the repository, so that links between its pages lead somewhere.
foreach(page IN ITEMS README CONTRIBUTING CHANGELOG SECURITY)
  install(FILES "${PROJECT_SOURCE_DIR}/${page}.md" DESTINATION share/doc/warptune)
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/warptune)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION share/doc/warptune)
