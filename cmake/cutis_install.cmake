# What `cmake --install` and the packages hold: program, manual page and completions, and for an outside project
# find_package(cutis).
include(CMakePackageConfigHelpers)
install(TARGETS cutis EXPORT cutis_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cutis_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/cutis DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cutis_targets NAMESPACE cutis:: FILE cutis-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cutis)
configure_package_config_file(cmake/cutis-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/cutis-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cutis)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/cutis-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cutis-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/cutis-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cutis)

# A package that brings its libraries has them there; elsewhere the folder does not exist. The old kind of tag, since it
# also holds for the libraries of the libraries.
set_target_properties(cutis_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/cutis")
target_link_options(cutis_cli PRIVATE -Wl,--disable-new-dtags)

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
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
