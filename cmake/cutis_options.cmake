# Warnings, sanitizers and floating-point rules of our own targets; nothing is set globally.
function(cutis_set_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    # Same bits with and without FMA hardware.
    -ffp-contract=off
    # std::stable_sort of libstdc++ 12 calls a deprecated function of its own.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  if(CUTIS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CUTIS_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CUTIS_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${CUTIS_SANITIZE})
  endif()
endfunction()
