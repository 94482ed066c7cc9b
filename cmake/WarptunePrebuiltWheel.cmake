# Makes a wheel from the files that are already in the build tree WARPTUNE_PREBUILT: nothing is compiled. The package's tests use it.
project(warptune LANGUAGES NONE)
add_custom_target(warptune)
add_custom_target(warptune_python)
install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND \"${CMAKE_COMMAND}\"
  --install \"${WARPTUNE_PREBUILT}\" --component python --strip --prefix \"\${CMAKE_INSTALL_PREFIX}\")" COMPONENT python)
