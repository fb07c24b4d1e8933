# Writes the ctest entries of one test program: cmake -D PROGRAM=.. -D ENTRIES=.. -D PREFIX=.. -D LABEL=..
# -D LEARNING=Suite,Suite -D WHOLE_RUNS=Suite,Suite -P ListSuites.cmake. Called by warploom_suites().
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status
                TIMEOUT 120)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed: ${status}")
endif()
string(REPLACE "," ";" learning "${LEARNING}")
string(REPLACE "," ";" whole_runs "${WHOLE_RUNS}")
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
  string(APPEND text "add_test([=[${PREFIX}.${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=] --gtest_brief=1)\n"
         "set_tests_properties([=[${PREFIX}.${suite}]=] PROPERTIES LABELS ${label} TIMEOUT 900)\n")
endforeach()
file(WRITE "${ENTRIES}" "${text}")
