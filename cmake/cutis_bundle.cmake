# Of the .tar.gz alone: the program's shared libraries go to lib/cutis beside it, all but those of the C library, which
# belong to the system. The program looks there first (its RPATH).
if(NOT CPACK_GENERATOR STREQUAL "TGZ")
  return()
endif()
set(root ${CPACK_TEMPORARY_DIRECTORY})
file(GLOB_RECURSE programs ${root}/*/bin/cutis ${root}/bin/cutis)
list(LENGTH programs count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "there is not one program to bundle below ${root}: ${programs}")
endif()
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} RESOLVED_DEPENDENCIES_VAR libraries
     UNRESOLVED_DEPENDENCIES_VAR missing
     POST_EXCLUDE_REGEXES "/ld-linux[^/]*$" "/lib(c|m|dl|rt|pthread|resolv|util)\\.so[^/]*$")
if(missing)
  message(FATAL_ERROR "shared libraries were not found: ${missing}")
endif()
cmake_path(GET programs PARENT_PATH bin)
cmake_path(GET bin PARENT_PATH prefix)
foreach(library IN LISTS libraries)
  file(INSTALL ${library} DESTINATION ${prefix}/lib/cutis FOLLOW_SYMLINK_CHAIN)
endforeach()
