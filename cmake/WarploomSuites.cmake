# Every program that has suites of the label `unit`.
add_custom_target(unit_test_programs)

# warploom_suites(program PREFIX name [LABEL label] [LEARNING test files])
#
# Makes one ctest entry of each suite of a GoogleTest program, named PREFIX.Suite: tests of a suite share the
# fixtures that they build. The program itself is asked for its suites after each build, so none can be
# forgotten. Labels: `learning` for the suites of the files of LEARNING, which train predictors; LABEL
# (default `unit`) for the others.
function(warploom_suites program)
  cmake_parse_arguments(ARG "" "PREFIX;LABEL" "LEARNING" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  set(learning "")
  foreach(file IN LISTS ARG_LEARNING)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
      file(STRINGS "${file}" heads REGEX "^(TEST|TEST_F|RC_GTEST_PROP)\\(")
      foreach(head IN LISTS heads)
        string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9]+),.*" "\\1" suite "${head}")
        list(APPEND learning ${suite})
      endforeach()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES learning)
  list(JOIN learning "," learning)
  set(entries "${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake")
  add_custom_command(TARGET ${program} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -D "PROGRAM=$<TARGET_FILE:${program}>" -D "ENTRIES=${entries}" -D "PREFIX=${ARG_PREFIX}"
            -D "LABEL=${ARG_LABEL}" -D "LEARNING=${learning}" -P "${PROJECT_SOURCE_DIR}/cmake/ListSuites.cmake")
  # A program that was not built is a failing test, not a silent gap.
  file(CONFIGURE OUTPUT "${entries}.in.cmake" @ONLY CONTENT
"if(EXISTS \"@entries@\")
  include(\"@entries@\")
else()
  add_test(@ARG_PREFIX@.IsNotBuilt @program@_is_not_built)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${entries}.in.cmake")
  if(ARG_LABEL STREQUAL "unit")
    add_dependencies(unit_test_programs ${program})
  endif()
endfunction()
