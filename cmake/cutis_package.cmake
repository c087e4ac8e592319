# `make package`: a .deb for Debian, and a .tar.gz that brings the shared libraries it needs and runs from any folder.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME cutis)
set(CPACK_PACKAGE_VENDOR "the Cutis authors")
set(CPACK_PACKAGE_CONTACT "the Cutis authors <cutis@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "gives a character its skin over time")
set(CPACK_PACKAGE_DESCRIPTION
    "A mesh, a skeleton and a motion in; the deformed mesh out, frame by frame, with folds that touch instead of passing
through each other. Program, C++ library, headers and CMake package.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME cutis-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_VERBATIM_VARIABLES TRUE)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What a program that links the static library needs besides.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "g++, cmake, libfmt-dev, libembree-dev, libmeshoptimizer-dev, libassimp-dev, \
libdraco-dev, libhwy-dev, libstb-dev, zlib1g-dev")

# After the files lie in a folder of their own and before they are packed.
set(CPACK_CUTIS_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_CUTIS_BUILD ${PROJECT_BINARY_DIR})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/cutis_sbom.cmake ${PROJECT_SOURCE_DIR}/cmake/cutis_bundle.cmake)
include(CPack)
