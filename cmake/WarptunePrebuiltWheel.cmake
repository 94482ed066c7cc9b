# A wheel of what the build tree WARPTUNE_PREBUILT has already: nothing is compiled. The tests of the package use it.
project(warptune LANGUAGES NONE)
add_custom_target(warptune)
add_custom_target(warptune_python)
install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${CMAKE_COMMAND}\"
  --install \"${WARPTUNE_PREBUILT}\" --component python --strip --prefix \"\${CMAKE_INSTALL_PREFIX}\")" COMPONENT python)
