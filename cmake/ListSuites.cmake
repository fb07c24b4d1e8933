# Writes the ctest entries of one test program: cmake -D PROGRAM=.. -D ENTRIES=.. -D PREFIX=.. -D LABEL=..
# -D SANITIZED=ON -D LEARNING=Suite,Suite -D WHOLE_RUNS=.. -D THREADED=.. -D DATA=.. -P ListSuites.cmake.
# Called by warploom_suites(), which says what the labels mean.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/TestCosts.cmake")
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status
                TIMEOUT 120)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed: ${status}")
endif()
string(REPLACE "," ";" learning "${LEARNING}")
string(REPLACE "," ";" whole_runs "${WHOLE_RUNS}")
string(REPLACE "," ";" threaded "${THREADED}")
string(REPLACE "," ";" data "${DATA}")
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\.[ \t]*(#[^\n]*)?(\n|$)" heads "${listed}")
set(text "")
foreach(head IN LISTS heads)
  string(REGEX REPLACE "^\n?([A-Za-z0-9_/]+)\\..*" "\\1" suite "${head}")
  set(label "${LABEL}")
  string(REGEX REPLACE "^.*/" "" defined "${suite}")  # without an instantiation's prefix
  if(defined IN_LIST learning)
    set(label learning)
  elseif(defined IN_LIST whole_runs)
    set(label program)
  endif()
  # Long ones start first, so that no core waits at the end. 4: what is not among the longest, but more than a
  # unit test.
  warploom_test_cost(cost "${PREFIX}.${suite}")
  if(cost EQUAL 0 AND NOT label STREQUAL "unit")
    set(cost 4)
  endif()
  set(labels ${label})
  if(defined IN_LIST data)
    list(APPEND labels data)
  endif()
  if(defined IN_LIST threaded)
    list(APPEND labels threads)
  endif()
  set(seconds 900)
  if(SANITIZED)
    set(seconds 3600)  # ten times as long, and the longest take a minute without
    if(label STREQUAL "unit")
      list(APPEND labels sanitized)
    endif()
  endif()
  string(APPEND text "add_test([=[${PREFIX}.${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=] --gtest_brief=1)\n"
         "set_tests_properties([=[${PREFIX}.${suite}]=] PROPERTIES LABELS \"${labels}\" COST ${cost} TIMEOUT ${seconds})\n")
endforeach()
file(WRITE "${ENTRIES}" "${text}")
