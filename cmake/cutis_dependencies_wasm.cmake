# Third parties of a build for WebAssembly: those that are headers alone, from Debian's packages. The system's folder of
# headers as such would hide emscripten's, so each library is reached through a link in the build folder.
set(CUTIS_WASM_HEADERS ${PROJECT_BINARY_DIR}/third_party)
file(MAKE_DIRECTORY ${CUTIS_WASM_HEADERS})
foreach(library fmt nlohmann hwy)
  find_path(found_${library} ${library} PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH NO_DEFAULT_PATH REQUIRED)
  if(NOT EXISTS ${CUTIS_WASM_HEADERS}/${library})
    file(CREATE_LINK ${found_${library}}/${library} ${CUTIS_WASM_HEADERS}/${library} SYMBOLIC)
  endif()
endforeach()
find_path(EIGEN_FOLDER Eigen/Core PATHS /usr/include/eigen3 NO_CMAKE_FIND_ROOT_PATH NO_DEFAULT_PATH REQUIRED)

# The names that the libraries of ours link; what is not built for the browser is empty.
foreach(name Threads::Threads fmt::fmt nlohmann_json::nlohmann_json Eigen3::Eigen embree assimp::assimp
        meshoptimizer::meshoptimizer)
  add_library(${name} INTERFACE IMPORTED)
endforeach()
# No format of ours groups digits: without the separators of locales none of these is linked.
set_target_properties(fmt::fmt PROPERTIES INTERFACE_COMPILE_DEFINITIONS
                      "FMT_HEADER_ONLY;FMT_STATIC_THOUSANDS_SEPARATOR=','")
set(HWY_LIBRARY "")
set(DRACO_LIBRARY "")

# cutis_third_party_settings(target): as in cutis_dependencies.cmake.
function(cutis_third_party_settings target)
  target_include_directories(${target} SYSTEM PRIVATE ${CUTIS_WASM_HEADERS} ${EIGEN_FOLDER})
  target_compile_definitions(${target} PRIVATE EIGEN_MPL2_ONLY)
  # What its standard library of 2021 lacks.
  target_compile_options(${target} PRIVATE -include ${PROJECT_SOURCE_DIR}/bindings/wasm/standard_library.h)
endfunction()
