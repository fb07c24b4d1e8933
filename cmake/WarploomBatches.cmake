# Sources compiled in batches: most of a source's compile time is its headers, which a batch parses once. For
# builds from nothing (./quickstart, ./check, .ci/run); developers, who change one source at a time, do without.
option(WARPLOOM_BATCHES "Compile sources in batches: builds from nothing are faster, small changes slower" OFF)
set(WARPLOOM_BATCH_SIZE 40 CACHE STRING "Sources in a batch, at most")

if(WARPLOOM_BATCHES)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  # A name that one source has to itself may be a variable's in another; ./.ci/run looks at changed sources alone.
  target_compile_options(warploom_options INTERFACE -Wno-shadow)
endif()

# warploom_batches(target sources...): divides these sources of the target as tools/batch_sources says
function(warploom_batches target)
  if(NOT WARPLOOM_BATCHES OR NOT ARGN)
    return()
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tools/batch_sources"
                          --most ${WARPLOOM_BATCH_SIZE} ${ARGN}
                  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^(.+) ([0-9]+)$" matched "${line}")
    set_source_files_properties("${CMAKE_MATCH_1}" PROPERTIES UNITY_GROUP "${target}_${CMAKE_MATCH_2}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
