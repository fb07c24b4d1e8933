# Every program that has suites of the label `unit`.
add_custom_target(unit_test_programs)

# warploom_list_suites(variable test files): the suites that these files of this folder define
function(warploom_list_suites variable)
  set(suites "")
  foreach(file IN LISTS ARGN)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
      file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/${file}" heads REGEX "^(TEST|TEST_F|TEST_P|RC_GTEST_PROP)\\(")
      foreach(head IN LISTS heads)
        string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9]+),.*" "\\1" suite "${head}")
        list(APPEND suites ${suite})
      endforeach()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  set(${variable} "${suites}" PARENT_SCOPE)
endfunction()

# warploom_suites(program PREFIX name [LABEL label] [LEARNING test files] [WHOLE_RUNS test files])
#
# Makes one ctest entry of each suite of a GoogleTest program, named PREFIX.Suite: tests of a suite share the
# fixtures that they build. The program itself is asked for its suites after each build, so none can be
# forgotten. Labels: `learning` for the suites of the files of LEARNING, which train predictors; `program`
# for those of WHOLE_RUNS, which run whole commands; LABEL (default `unit`) for the others.
function(warploom_suites program)
  cmake_parse_arguments(ARG "" "PREFIX;LABEL" "LEARNING;WHOLE_RUNS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  warploom_list_suites(learning ${ARG_LEARNING})
  warploom_list_suites(whole_runs ${ARG_WHOLE_RUNS})
  list(JOIN whole_runs "," whole_runs)
  list(JOIN learning "," learning)
  set(entries "${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake")
  add_custom_command(TARGET ${program} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -D "PROGRAM=$<TARGET_FILE:${program}>" -D "ENTRIES=${entries}" -D "PREFIX=${ARG_PREFIX}"
            -D "LABEL=${ARG_LABEL}" -D "LEARNING=${learning}" -D "WHOLE_RUNS=${whole_runs}"
            -P "${PROJECT_SOURCE_DIR}/cmake/ListSuites.cmake")
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
