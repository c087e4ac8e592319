# Warnings, sanitizers and floating-point rules of our own targets; nothing is set globally.
# cutis_set_options(target [level]): `level`, such as -O1, takes the place of the build type's optimisation where that is
# higher: for code that is not worth the compiler's time.
function(cutis_set_options target)
  if(ARGN AND CMAKE_BUILD_TYPE MATCHES "^Rel")
    target_compile_options(${target} PRIVATE ${ARGN})
    if(ARGN STREQUAL "-Og")  # GCC looks at less there, and takes what others set for not set
      set(more $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    endif()
  endif()
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    # Same bits with and without FMA hardware.
    -ffp-contract=off
    # Nobody asks errno about a square root: one instruction then, without a branch to the library's.
    -fno-math-errno
    # GCC 12 takes a double that is rounded to float and back for the double where it vectorises straight-line code: the
    # bits would depend on the level. The hot loops have no such place, and need it.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<STREQUAL:${ARGN},-O3>>>:-fno-tree-slp-vectorize>
    # libcutis_c.so is made of the same objects as the program.
    "$<$<NOT:$<PLATFORM_ID:Emscripten>>:-fPIC;-fno-semantic-interposition>"
    # Collecting garbage less often saves the compiler a tenth of its time, for some hundred megabytes.
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>
    # std::stable_sort of libstdc++ 12 calls a deprecated function of its own.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
    ${more})
  if(EMSCRIPTEN)
    # With -fexceptions, calls that may throw go through JavaScript: a twelfth more to load (docs/decisions/2026-11-19-browser.md).
    target_compile_options(${target} PRIVATE -fwasm-exceptions -msimd128)
    target_link_options(${target} PRIVATE -fwasm-exceptions)
  endif()
  if(CUTIS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CUTIS_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CUTIS_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    cutis_link_sanitizers(${target})
  endif()
endfunction()

# C programs that use our library need what C++ needs of the run-time, which clang links into C++ programs alone.
function(cutis_link_sanitizers target)
  if(CUTIS_SANITIZE)
    target_link_options(${target} PRIVATE -fsanitize=${CUTIS_SANITIZE})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
endfunction()
