# warptune_export(): the results of `warptune export` as a part of a CMake project (docs/cmake.md).
#
# find_package(warptune) includes this file, and so does this project when it is added by FetchContent or add_subdirectory. It needs
# no GPU, and the project need not enable another language for it.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

# The formats of `warptune export --format`. tests/library/export_function_test.sh compares them with the program's help.
set(WARPTUNE_EXPORT_FORMATS header cuda defines snapshot t4 json CACHE INTERNAL "The formats of warptune_export")

# warptune_export_program(COMMAND): sets COMMAND to the program to run: the file WARPTUNE_PROGRAM, or the target warptune::program,
# or the program on the PATH. A build for another machine cannot run the target unless an emulator is set.
function(warptune_export_program command)
  if(NOT WARPTUNE_PROGRAM AND TARGET warptune::program AND (CMAKE_CROSSCOMPILING_EMULATOR OR NOT CMAKE_CROSSCOMPILING))
    set(${command} warptune::program PARENT_SCOPE)
    return()
  endif()
  # CMAKE_PREFIX_PATH may lead to programs of the other machine.
  find_program(WARPTUNE_PROGRAM warptune NO_PACKAGE_ROOT_PATH NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH NO_CMAKE_FIND_ROOT_PATH
    DOC "A warptune that runs on this machine")
  if(NOT WARPTUNE_PROGRAM)
    message(FATAL_ERROR "warptune_export: there is no warptune that this machine can run; set WARPTUNE_PROGRAM to its path")
  endif()
  if(NOT EXISTS "${WARPTUNE_PROGRAM}" OR IS_DIRECTORY "${WARPTUNE_PROGRAM}")
    message(FATAL_ERROR "warptune_export: WARPTUNE_PROGRAM is ${WARPTUNE_PROGRAM}, which is not a program")
  endif()
  set(${command} "${WARPTUNE_PROGRAM}" PARENT_SCOPE)
endfunction()

# warptune_export_file(RESULT WHAT FILE): sets RESULT to the absolute path of a file that the export reads. Relative paths begin in
# the current source folder. Fails unless the file exists or the build makes it.
function(warptune_export_file result what file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE path)
  get_source_file_property(made "${path}" GENERATED)
  if(NOT made AND (NOT EXISTS "${path}" OR IS_DIRECTORY "${path}"))
    message(FATAL_ERROR "warptune_export: ${what} ${path} does not exist")
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

# warptune_export(TARGET target KERNELS kernel... OUTPUT file [FORMAT format] [DATABASE file] [COMMITTED] [PUBLIC]
#                 [PATH_VARIABLE variable] [DEPENDS file...] [OPTIONS option...])
# Exports the winners of kernels, which are shipped names or paths of definitions, for a target, which includes the file by the name
# OUTPUT. Without COMMITTED each build writes the file into the build tree when the database has changed. With COMMITTED the file
# lies in the source tree. The test and target warptune_check_<target>_<file> fail if it no longer matches the database, and the
# target warptune_renew_<target>_<file> writes it. The targets warptune_check and warptune_renew do this for all files.
function(warptune_export)
  cmake_parse_arguments(arg "COMMITTED;PUBLIC" "TARGET;OUTPUT;FORMAT;DATABASE;PATH_VARIABLE" "KERNELS;DEPENDS;OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    list(GET arg_UNPARSED_ARGUMENTS 0 first)
    message(FATAL_ERROR "warptune_export: '${first}' is no argument of this function")
  endif()
  foreach(needed IN ITEMS TARGET KERNELS OUTPUT)
    if(NOT arg_${needed})
      message(FATAL_ERROR "warptune_export: ${needed} is missing")
    endif()
  endforeach()
  if(NOT TARGET "${arg_TARGET}")
    message(FATAL_ERROR "warptune_export: there is no target ${arg_TARGET}; add it before this call")
  endif()
  get_target_property(aliased "${arg_TARGET}" ALIASED_TARGET)
  if(aliased)
    set(arg_TARGET "${aliased}")
  endif()
  get_target_property(is_imported "${arg_TARGET}" IMPORTED)
  if(is_imported)
    message(FATAL_ERROR "warptune_export: the target ${arg_TARGET} is imported, and not built here")
  endif()
  cmake_path(SET output NORMALIZE "${arg_OUTPUT}")
  if(IS_ABSOLUTE "${output}" OR output MATCHES "^\\.\\./" OR output MATCHES "/$")
    message(FATAL_ERROR "warptune_export: OUTPUT ${arg_OUTPUT}: expected the relative path of a file")
  endif()
  if(NOT arg_FORMAT)
    set(arg_FORMAT header)
  endif()
  if(NOT arg_FORMAT IN_LIST WARPTUNE_EXPORT_FORMATS)
    list(JOIN WARPTUNE_EXPORT_FORMATS " " known)
    message(FATAL_ERROR "warptune_export: FORMAT ${arg_FORMAT}: expected one of ${known}")
  endif()
  foreach(option IN LISTS arg_OPTIONS)
    if(option MATCHES "^(-o.*|--output.*|--format.*|--db.*|--check.*)$")
      message(FATAL_ERROR "warptune_export: OPTIONS has ${option}, which OUTPUT, FORMAT, DATABASE and COMMITTED say")
    endif()
  endforeach()

  warptune_export_program(program)
  set(read)  # Files that the export reads.
  set(kernels)
  foreach(kernel IN LISTS arg_KERNELS)
    if(kernel MATCHES "/|\\.cu$|\\.toml$")  # The program distinguishes paths from names in the same way.
      warptune_export_file(kernel "the kernel" "${kernel}")
      list(APPEND read "${kernel}")
    endif()
    list(APPEND kernels "${kernel}")
  endforeach()
  foreach(file IN LISTS arg_DEPENDS)
    warptune_export_file(file "DEPENDS" "${file}")
    list(APPEND read "${file}")
  endforeach()
  set(export ${program} export ${kernels} --format ${arg_FORMAT} ${arg_OPTIONS})
  if(arg_DATABASE)
    warptune_export_file(database "the database" "${arg_DATABASE}")
    list(APPEND read "${database}")
    list(APPEND export --db "${database}")
  endif()

  string(MAKE_C_IDENTIFIER "${arg_TARGET}_${output}" name)
  if(TARGET warptune_export_${name} OR TARGET warptune_renew_${name})
    message(FATAL_ERROR "warptune_export: the target ${arg_TARGET} already has a file ${output}")
  endif()
  set(made "${CMAKE_CURRENT_BINARY_DIR}/warptune_export/${arg_TARGET}")
  set(folder "${made}")
  if(arg_COMMITTED)
    set(folder "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  set(file "${folder}/${output}")
  # A file with unchanged content keeps its time stamp, so that sources that include it are not compiled again.
  set(next "${made}/${name}.next")
  cmake_path(GET file PARENT_PATH parent)
  set(write COMMAND ${CMAKE_COMMAND} -E make_directory "${made}" "${parent}" COMMAND ${export} -o "${next}"
    COMMAND ${CMAKE_COMMAND} -E copy_if_different "${next}" "${file}" COMMAND ${CMAKE_COMMAND} -E rm "${next}")

  if(arg_COMMITTED)
    if(NOT EXISTS "${file}")
      message(WARNING "warptune_export: ${file} does not exist yet; the target warptune_renew writes it")
    endif()
    add_custom_target(warptune_renew_${name} ${write} DEPENDS ${read} COMMENT "Exporting ${output}" VERBATIM)
    add_custom_target(warptune_check_${name} COMMAND ${export} --check "${file}" DEPENDS ${read}
      COMMENT "Comparing ${output} with the database" VERBATIM)
    foreach(work IN ITEMS renew check)
      if(NOT TARGET warptune_${work})
        add_custom_target(warptune_${work})
      endif()
      add_dependencies(warptune_${work} warptune_${work}_${name})
    endforeach()
    add_test(NAME warptune_check_${name} COMMAND ${export} --check "${file}")
    set_tests_properties(warptune_check_${name} PROPERTIES LABELS warptune)
  else()
    if(arg_DATABASE)
      set(stamp "${made}/${name}.stamp")
      add_custom_command(OUTPUT "${stamp}" BYPRODUCTS "${file}" ${write} COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
        DEPENDS ${program} ${read} COMMENT "Exporting ${output} for ${arg_TARGET}" VERBATIM)
      add_custom_target(warptune_export_${name} DEPENDS "${stamp}")
    else()  # The user's database is known only when the build runs. So each build exports from it.
      add_custom_target(warptune_export_${name} ${write} BYPRODUCTS "${file}" DEPENDS ${read}
        COMMENT "Exporting ${output} for ${arg_TARGET}" VERBATIM)
    endif()
    add_dependencies("${arg_TARGET}" warptune_export_${name})
  endif()

  get_target_property(type "${arg_TARGET}" TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    target_include_directories("${arg_TARGET}" INTERFACE "$<BUILD_INTERFACE:${folder}>")
  elseif(arg_PUBLIC)
    target_include_directories("${arg_TARGET}" PUBLIC "$<BUILD_INTERFACE:${folder}>")
  elseif(NOT type STREQUAL UTILITY)
    target_include_directories("${arg_TARGET}" PRIVATE "${folder}")
  endif()
  if(arg_PATH_VARIABLE)
    set(${arg_PATH_VARIABLE} "${file}" PARENT_SCOPE)
  endif()
endfunction()

cmake_policy(POP)
