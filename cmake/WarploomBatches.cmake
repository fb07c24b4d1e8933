# Sources compiled in batches: most of a source's compile time is its headers, which a batch parses once. For
# builds from nothing (./quickstart, ./check, .ci/run); developers, who change one source at a time, do without.
option(WARPLOOM_BATCHES "Compile sources in batches: builds from nothing are faster, small changes slower" OFF)
set(WARPLOOM_BATCH_SIZE 100 CACHE STRING "Sources in a batch, at most")

if(WARPLOOM_BATCHES)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  # The largest batches take 1.4 GB each. Ninja runs two more than there are cores, which is too much for a small machine.
  cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
  math(EXPR compilers "${megabytes} / 1600 + 1")
  set_property(GLOBAL PROPERTY JOB_POOLS compilers=${compilers})
  set(CMAKE_JOB_POOL_COMPILE compilers)
  # A name that one source has to itself may be a variable's in another; ./.ci/run looks at changed sources alone.
  target_compile_options(warploom_options INTERFACE -Wno-shadow)
endif()

# warploom_batches(target [OPTIONS compiler options] SOURCES files...): compiles these sources of the target in
# batches, as tools/batch_sources makes them, with these options in addition. Sources of other options need a call
# of their own.
function(warploom_batches target)
  cmake_parse_arguments(ARG "" "" "OPTIONS;SOURCES" ${ARGN})
  set(compiled ${ARG_SOURCES})
  if(WARPLOOM_BATCHES AND ARG_SOURCES)
    string(SHA256 folder "${ARG_OPTIONS}")
    string(SUBSTRING "${folder}" 0 8 folder)
    execute_process(COMMAND ${Python3_EXECUTABLE} -IS "${PROJECT_SOURCE_DIR}/tools/batch_sources"
                            --most ${WARPLOOM_BATCH_SIZE} --headers "${PROJECT_SOURCE_DIR}/src"
                            --into "${CMAKE_CURRENT_BINARY_DIR}/batches/${target}_${folder}" -- ${ARG_SOURCES}
                    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" lines "${lines}")
    get_target_property(sources ${target} SOURCES)
    foreach(line IN LISTS lines)
      string(REGEX MATCH "^(.+)\t(.+)$" matched "${line}")
      list(REMOVE_ITEM sources "${CMAKE_MATCH_1}")
      list(REMOVE_ITEM compiled "${CMAKE_MATCH_1}")
      list(APPEND sources "${CMAKE_MATCH_2}")
      list(APPEND compiled "${CMAKE_MATCH_2}")
    endforeach()
    list(REMOVE_DUPLICATES sources)
    list(REMOVE_DUPLICATES compiled)
    set_property(TARGET ${target} PROPERTY SOURCES ${sources})
  endif()
  if(ARG_OPTIONS)
    set_property(SOURCE ${compiled} APPEND PROPERTY COMPILE_OPTIONS ${ARG_OPTIONS})
  endif()
endfunction()
