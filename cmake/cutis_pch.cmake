# What nearly every source includes is read once for all targets. Headers of the system only: a header of ours would make
# everything compile anew whenever it changes.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(default_pch ON)
else()
  # clang wants every target's options to be the same. Where nothing is optimised, fmt sets and resets GCC's level, which a
  # precompiled header of GCC 12 takes for set: __OPTIMIZE__ is defined, and intrinsics in it do not compile.
  set(default_pch OFF)
endif()
option(CUTIS_PCH "Read the system's headers once" ${default_pch})

# cutis_make_pch(name [libraries...] [HEADERS headers...]): the standard library's, fmt's, JSON's, and those named.
function(cutis_make_pch name)
  cmake_parse_arguments(PARSE_ARGV 1 more "" "" "HEADERS")
  if(NOT CUTIS_PCH)
    return()
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_compile_features(${name} PUBLIC cxx_std_20)
  cutis_set_options(${name})
  target_link_libraries(${name} PRIVATE fmt::fmt nlohmann_json::nlohmann_json ${more_UNPARSED_ARGUMENTS})
  # ccache looks into the precompiled header by this.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional>
    <limits> <map> <memory> <numbers> <numeric> <optional> <queue> <set> <span> <sstream> <string> <string_view> <tuple>
    <unordered_map> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>
    ${more_HEADERS})
endfunction()

# cutis_pch(target [name]): GCC takes it at any level of optimisation but -O0.
function(cutis_pch target)
  if(CUTIS_PCH)
    set(name ${ARGN} cutis_pch)
    list(GET name 0 name)
    target_precompile_headers(${target} REUSE_FROM ${name})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()
