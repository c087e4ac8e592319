# find_package(cutis) from an outside project.
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
