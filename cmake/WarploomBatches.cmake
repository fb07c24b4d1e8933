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
# of their own. Batches are made by warploom_make_batches().
function(warploom_batches target)
  cmake_parse_arguments(ARG "" "" "OPTIONS;SOURCES" ${ARGN})
  if(ARG_OPTIONS)
    set_property(SOURCE ${ARG_SOURCES} APPEND PROPERTY COMPILE_OPTIONS ${ARG_OPTIONS})
  endif()
  if(WARPLOOM_BATCHES AND ARG_SOURCES)
    string(SHA256 options "${ARG_OPTIONS}")
    string(SUBSTRING "${options}" 0 8 options)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/batches/${target}_${options}")
    list(JOIN ARG_SOURCES "\t" sources)
    set_property(GLOBAL APPEND_STRING PROPERTY WARPLOOM_BATCH_LISTS "${folder}\t${sources}\n")
    set_property(GLOBAL PROPERTY "WARPLOOM_BATCH_TARGET ${folder}" ${target})
    set_property(GLOBAL PROPERTY "WARPLOOM_BATCH_OPTIONS ${folder}" ${ARG_OPTIONS})
  endif()
endfunction()

# warploom_make_batches(): makes the batches of every call before, in one start of Python.
function(warploom_make_batches)
  get_property(lists GLOBAL PROPERTY WARPLOOM_BATCH_LISTS)
  if(NOT lists)
    return()
  endif()
  file(WRITE "${PROJECT_BINARY_DIR}/batch_lists" "${lists}")
  execute_process(COMMAND ${Python3_EXECUTABLE} -IS "${PROJECT_SOURCE_DIR}/tools/batch_sources"
                          --most ${WARPLOOM_BATCH_SIZE} --headers "${PROJECT_SOURCE_DIR}/src"
                          --lists "${PROJECT_BINARY_DIR}/batch_lists"
                  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([^\t]+)/([^/\t]+)\t(.+)$" matched "${line}")
    set(folder "${CMAKE_MATCH_1}")
    set(batch "${CMAKE_MATCH_1}/${CMAKE_MATCH_2}")
    string(REPLACE "\t" ";" members "${CMAKE_MATCH_3}")
    get_property(target GLOBAL PROPERTY "WARPLOOM_BATCH_TARGET ${folder}")
    get_property(options GLOBAL PROPERTY "WARPLOOM_BATCH_OPTIONS ${folder}")
    get_target_property(sources ${target} SOURCES)
    list(REMOVE_ITEM sources ${members})
    list(APPEND sources "${batch}")
    set_property(TARGET ${target} PROPERTY SOURCES ${sources})
    set_property(SOURCE "${batch}" TARGET_DIRECTORY ${target} PROPERTY COMPILE_OPTIONS ${options})
  endforeach()
endfunction()
