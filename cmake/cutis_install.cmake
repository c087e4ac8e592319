# What `cmake --install` and the packages hold: program, manual page and completions, and for an outside project
# find_package(cutis).
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY CUTIS_LIBRARIES)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cutis)
# Each library has its targets in a file of its own: the package reads those of the components that are asked for.
foreach(library IN LISTS libraries)
  install(TARGETS cutis_${library} EXPORT cutis_${library}_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT cutis_${library}_targets NAMESPACE cutis:: FILE cutis-${library}-targets.cmake
          DESTINATION ${package_folder})
endforeach()
install(TARGETS cutis EXPORT cutis_targets)
install(EXPORT cutis_targets NAMESPACE cutis:: FILE cutis-targets.cmake DESTINATION ${package_folder})
install(TARGETS cutis_c EXPORT cutis_c_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT cutis_c_targets NAMESPACE cutis:: FILE cutis-c-targets.cmake DESTINATION ${package_folder})
install(TARGETS cutis_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/cutis DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file(cmake/cutis-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/cutis-config.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/cutis-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cutis-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/cutis-config-version.cmake
        DESTINATION ${package_folder})

# A package that brings its libraries has them there; elsewhere the folder does not exist. The old kind of tag, since it
# also holds for the libraries of the libraries.
set_target_properties(cutis_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/cutis")
target_link_options(cutis_cli PRIVATE -Wl,--disable-new-dtags)

# The page of `cutis view`, where `make wasm` built it.
install(FILES ${PROJECT_BINARY_DIR}/viewer/index.html DESTINATION ${CMAKE_INSTALL_DATADIR}/cutis/viewer OPTIONAL)

# The program writes its own manual page and completions.
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  function(written file)
    get_filename_component(folder \"\${prefix}/\${file}\" DIRECTORY)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND \"$<TARGET_FILE:cutis_cli>\" \${ARGN} OUTPUT_FILE \"\${prefix}/\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${prefix}/\${file}\")
  endfunction()
  written(${CMAKE_INSTALL_MANDIR}/man1/cutis.1 man)
  written(${CMAKE_INSTALL_DATADIR}/bash-completion/completions/cutis completions bash)
  written(${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions/_cutis completions zsh)
  written(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/cutis.fish completions fish)
")
install(FILES LICENSE README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
