# The libraries that the rooms of src/ make; docs/architecture.md, "The libraries".

# cutis_library(NAME ROOMS rooms... [NOT_IN_BROWSERS rooms...] [USES libraries...] [PARTS parts...] [LINKS libraries...] [HEADERS libraries...])
#   libcutis-NAME.a: the target cutis_NAME, cutis::NAME to others. It may use the libraries of ours in USES and the third
#   parties in LINKS and HEADERS (those leave nothing to link). All are private: no public header shows them.
#   Rooms put their sources into ${plain}, or into a part that is compiled with a level of its own:
#     ${files}  readers, writers, JSON: once a file. -Og compiles in two thirds of the time of -O1.
#     ${cold}   once a character, not once a frame: -O1 compiles a third faster than -O2.
#     ${hot}    the hot loops: -O3 unrolls the four influences and keeps their sums in registers. Same bits as -O2.
function(cutis_library name)
  cmake_parse_arguments(PARSE_ARGV 1 its "" "" "ROOMS;NOT_IN_BROWSERS;USES;PARTS;LINKS;HEADERS")
  if(EMSCRIPTEN AND its_NOT_IN_BROWSERS)
    list(REMOVE_ITEM its_ROOMS ${its_NOT_IN_BROWSERS})
  endif()
  set(level_files -Og)
  set(level_cold -O1)
  set(level_hot -O3)
  if(EMSCRIPTEN)  # small: it is downloaded. Of itself -Os inlines nothing there, which makes binding twice as slow
    set(level_files -Oz)
    set(level_cold -Os -finline-functions)
  endif()

  set(plain cutis_${name})
  add_library(${plain} STATIC)
  add_library(cutis::${name} ALIAS ${plain})
  set_target_properties(${plain} PROPERTIES
    EXPORT_NAME ${name} OUTPUT_NAME cutis-${name} LINKER_LANGUAGE CXX ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(${plain} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM its_USES PREPEND cutis_ OUTPUT_VARIABLE uses)
  target_link_libraries(${plain} PUBLIC ${uses})
  cutis_set_options(${plain})

  set(targets ${plain})
  foreach(part IN LISTS its_PARTS)
    set(${part} ${plain}_${part})
    add_library(${${part}} OBJECT)
    target_sources(${plain} PRIVATE $<TARGET_OBJECTS:${${part}}>)
    target_include_directories(${${part}} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    cutis_set_options(${${part}} ${level_${part}})
    list(APPEND targets ${${part}})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY CUTIS_LIBRARIES ${name})
  set_property(GLOBAL APPEND PROPERTY CUTIS_LIBRARY_TARGETS ${targets})

  list(TRANSFORM its_HEADERS REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>" OUTPUT_VARIABLE headers)
  foreach(target IN LISTS targets)
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE ${its_LINKS} ${headers})
    cutis_third_party_settings(${target})
  endforeach()

  foreach(room IN LISTS its_ROOMS)
    add_subdirectory(${room})
  endforeach()
  foreach(target IN LISTS targets)
    cutis_unity(${target} 20)
  endforeach()
  # The hot loops read little of what is in it.
  list(REMOVE_ITEM targets cutis_${name}_hot)
  foreach(target IN LISTS targets)
    cutis_pch(${target})
  endforeach()
endfunction()
