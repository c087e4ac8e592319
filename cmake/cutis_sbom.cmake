# Of every package: what the program is made of (SPDX), and the licences of that.
file(GLOB_RECURSE program ${CPACK_TEMPORARY_DIRECTORY}/*/bin/cutis ${CPACK_TEMPORARY_DIRECTORY}/bin/cutis)
cmake_path(GET program PARENT_PATH bin)
cmake_path(GET bin PARENT_PATH prefix)
# Before libraries are put beside it: those of the system, which belong to packages, are the ones to name.
execute_process(
  COMMAND ${CPACK_CUTIS_SOURCE}/scripts/write-sbom ${CPACK_CUTIS_BUILD} --program ${program}
          -o ${prefix}/share/doc/cutis/cutis.spdx.json --licences ${prefix}/share/doc/cutis/licences
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
