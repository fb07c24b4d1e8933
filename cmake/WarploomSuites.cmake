# Programs that hold readers, files, serving and the C interface: what the sanitizers look at. And those whose
# suites start threads.
add_custom_target(sanitized_test_programs)
add_custom_target(threaded_test_programs)

# warploom_list_suites(variable test files): the suites that these files of this folder define
function(warploom_list_suites variable)
  set(suites "")
  foreach(file IN LISTS ARGN)
    get_filename_component(file "${file}" ABSOLUTE)
    if(EXISTS "${file}")
      file(STRINGS "${file}" heads REGEX "^(TEST|TEST_F|TEST_P|RC_GTEST_PROP)\\(")
      foreach(head IN LISTS heads)
        string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9]+),.*" "\\1" suite "${head}")
        list(APPEND suites ${suite})
      endforeach()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  list(JOIN suites "," suites)
  set(${variable} "${suites}" PARENT_SCOPE)
endfunction()

# warploom_suites(program PREFIX name [LABEL label] [SANITIZED] [LEARNING test files] [WHOLE_RUNS test files]
#                 [THREADED test files] [FILES test files])
#
# Makes one ctest entry of each suite of a GoogleTest program, named PREFIX.Suite: tests of a suite share the
# fixtures that they build. The program itself is asked for its suites after each build, so none can be
# forgotten. One label says what a suite needs: `learning` for the suites of the files of LEARNING, which train or
# fit models; `program` for those of WHOLE_RUNS, which run whole commands; LABEL (default `unit`) for the
# others. More labels: `data` for the suites of those FILES that read shared measurements where there are any;
# `threads` for those of THREADED, which the thread sanitizer runs; `sanitized` for the `unit` suites of a
# SANITIZED program, which the address sanitizer runs.
function(warploom_suites program)
  cmake_parse_arguments(ARG "SANITIZED" "PREFIX;LABEL" "LEARNING;WHOLE_RUNS;THREADED;FILES" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  set(data_files "")
  foreach(file IN LISTS ARG_FILES)
    file(STRINGS "${file}" reads REGEX "WARPLOOM_DATA|shared_data" LIMIT_COUNT 1)
    if(reads)
      list(APPEND data_files "${file}")
    endif()
  endforeach()
  warploom_list_suites(learning ${ARG_LEARNING})
  warploom_list_suites(whole_runs ${ARG_WHOLE_RUNS})
  warploom_list_suites(threaded ${ARG_THREADED})
  warploom_list_suites(data ${data_files})
  set(entries "${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake")
  add_custom_command(TARGET ${program} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -D "PROGRAM=$<TARGET_FILE:${program}>" -D "ENTRIES=${entries}" -D "PREFIX=${ARG_PREFIX}"
            -D "LABEL=${ARG_LABEL}" -D "SANITIZED=${ARG_SANITIZED}" -D "LEARNING=${learning}"
            -D "WHOLE_RUNS=${whole_runs}" -D "THREADED=${threaded}" -D "DATA=${data}"
            -P "${PROJECT_SOURCE_DIR}/cmake/ListSuites.cmake")
  # A program that was not built is a failing test, not a silent gap.
  set(labels ${ARG_LABEL})
  if(ARG_SANITIZED)
    list(APPEND labels sanitized)
    add_dependencies(sanitized_test_programs ${program})
  endif()
  if(ARG_THREADED)
    list(APPEND labels threads)
    add_dependencies(threaded_test_programs ${program})
  endif()
  file(CONFIGURE OUTPUT "${entries}.in.cmake" @ONLY CONTENT
"if(EXISTS \"@entries@\")
  include(\"@entries@\")
else()
  add_test(@ARG_PREFIX@.IsNotBuilt @program@_is_not_built)
  set_tests_properties(@ARG_PREFIX@.IsNotBuilt PROPERTIES LABELS \"@labels@\")
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${entries}.in.cmake")
endfunction()
