# Third-party libraries, all from Debian; scripts/install-deps installs them.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(embree 3 REQUIRED)
find_package(meshoptimizer REQUIRED)
find_package(assimp REQUIRED)
find_package(ZLIB REQUIRED)
find_library(HWY_LIBRARY hwy REQUIRED)
find_path(HWY_INCLUDE_DIR hwy/highway.h REQUIRED)
find_library(STB_LIBRARY stb REQUIRED)
find_path(STB_INCLUDE_DIR stb/stb_image_write.h REQUIRED)
find_library(DRACO_LIBRARY draco REQUIRED)
find_path(DRACO_INCLUDE_DIR draco/compression/decode.h REQUIRED)

# cutis_third_party_settings(target): where their headers are and what we want of them. As system headers: their warnings
# are not ours.
function(cutis_third_party_settings target)
  target_include_directories(${target} SYSTEM PRIVATE
    ${STB_INCLUDE_DIR} ${DRACO_INCLUDE_DIR} ${HWY_INCLUDE_DIR})
  # AVX2 and AVX-512 are common; machines with SSE4 at most run the loops one vertex at a time. Each set of instructions
  # is a quarter of the loops' compile time. Vectors of SVE have no size that a structure could hold; NEON runs there.
  set(without "HWY_SSSE3|HWY_SSE4")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    string(APPEND without "|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128")
    # Highway's NEON has AES in it, and GCC does not pass a pragma's set on to the constructors that it makes itself.
    if(target MATCHES "_hot$" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -march=armv8-a+crypto)
    endif()
  endif()
  target_compile_definitions(${target} PRIVATE EIGEN_MPL2_ONLY "HWY_DISABLED_TARGETS=(${without})")
endfunction()

# cutis_link_dependencies(target): all of them, for programs of ours that look inside the library.
function(cutis_link_dependencies target)
  target_link_libraries(${target} PRIVATE
    Threads::Threads fmt::fmt nlohmann_json::nlohmann_json Eigen3::Eigen embree meshoptimizer::meshoptimizer
    assimp::assimp ZLIB::ZLIB ${STB_LIBRARY} ${DRACO_LIBRARY} ${HWY_LIBRARY})
  cutis_third_party_settings(${target})
endfunction()
