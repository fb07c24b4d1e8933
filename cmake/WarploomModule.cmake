include(WarploomSuites)

# Named before the archives, these make a program or library that is linked without the training libraries.
# Beside them it defines learning_available() and require_learning() itself.
set(WARPLOOM_TRAINING_STAND_INS "")
if(WARPLOOM_LEARNING_FOUND)
  set(WARPLOOM_TRAINING_STAND_INS
      "${PROJECT_SOURCE_DIR}/src/warploom/learning/boosting_absent.cpp"
      "${PROJECT_SOURCE_DIR}/src/warploom/predictor/training/training_absent.cpp")
endif()

# warploom_module(NAME base [DEPENDS other modules] [PRIVATE private libraries]
#                 [COLD folders and files] [HOT compiler options] [APART files] [ALONE files] [LEARNING files]
#                 [WITHOUT_LEARNING files] [SANITIZED] [FITTING test files]
#                 [WHOLE_RUNS test files] [THREADED test files [THREADED_WITH library]])
#
# Makes the static library warploom_NAME from the *.cpp beside the caller (without *_test.cpp), with
# the modules of DEPENDS public and the libraries of PRIVATE hidden behind the module's headers, and
# the test program warploom_NAME_tests from *_test.cpp. tools/check_layers reads these DEPENDS lists.
# What runs once a request (COLD) is compiled for a quick build, with WARPLOOM_COLD; HOT are options of the others.
# The files of APART belong to another target of the caller. Those of ALONE share a batch with none: a program
# replaces them by naming others that define the same. The files of LEARNING (sources and tests) need the training
# libraries: their sources are warploom_NAME_fits, which whatever links the module links too, but for programs with the
# property WARPLOOM_WITHOUT_FITS, which have stand-ins and build none of it. Those of WITHOUT_LEARNING take their place
# where the program is built without them. FITTING are test files that fit
# models with our own code alone. SANITIZED, WHOLE_RUNS and THREADED: see warploom_suites(). Under the thread
# sanitizer the test program holds the files of THREADED alone, linked with THREADED_WITH in place of the module and of
# TEST_PRIVATE.
function(warploom_module)
  cmake_parse_arguments(ARG "SANITIZED" "NAME;THREADED_WITH"
    "DEPENDS;PRIVATE;TEST_PRIVATE;COLD;HOT;APART;ALONE;LEARNING;WITHOUT_LEARNING;FITTING;WHOLE_RUNS;THREADED" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  set(left_out ${ARG_LEARNING})
  if(WARPLOOM_LEARNING_FOUND)
    set(left_out ${ARG_WITHOUT_LEARNING})
  endif()
  list(APPEND left_out ${ARG_APART})
  foreach(file IN LISTS left_out)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/(main(_light|_mpi|_judge)?|mpi_crew)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  set(fits "")
  foreach(file IN LISTS ARG_LEARNING)
    if("${CMAKE_CURRENT_SOURCE_DIR}/${file}" IN_LIST sources)
      list(APPEND fits "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    endif()
  endforeach()
  if(fits)
    list(REMOVE_ITEM sources ${fits})
  endif()
  add_library(warploom_${ARG_NAME} STATIC ${sources})
  set(batched ${sources})
  foreach(file IN LISTS ARG_ALONE)
    list(REMOVE_ITEM batched "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
  endforeach()
  set(cold "")
  foreach(start IN LISTS ARG_COLD)
    foreach(file IN LISTS batched)
      string(FIND "${file}" "${CMAKE_CURRENT_SOURCE_DIR}/${start}" place)
      if(place EQUAL 0)
        list(APPEND cold "${file}")
      endif()
    endforeach()
  endforeach()
  if(cold)
    list(REMOVE_ITEM batched ${cold})
  endif()
  warploom_batches(warploom_${ARG_NAME} OPTIONS ${ARG_HOT} SOURCES ${batched})
  warploom_batches(warploom_${ARG_NAME} OPTIONS ${WARPLOOM_COLD} SOURCES ${cold})
  target_link_libraries(warploom_${ARG_NAME} PUBLIC warploom_options)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(warploom_${ARG_NAME} PUBLIC warploom_${dependency})
  endforeach()
  target_link_libraries(warploom_${ARG_NAME} PRIVATE ${ARG_PRIVATE})
  if(fits AND WARPLOOM_LEARNING_FOUND)
    add_library(warploom_${ARG_NAME}_fits STATIC ${fits})
    target_link_libraries(warploom_${ARG_NAME}_fits PUBLIC warploom_${ARG_NAME} PRIVATE ${ARG_PRIVATE})
    set(archive $<STREQUAL:$<TARGET_PROPERTY:TYPE>,STATIC_LIBRARY>)
    set(without $<BOOL:$<TARGET_PROPERTY:WARPLOOM_WITHOUT_FITS>>)
    target_link_libraries(warploom_${ARG_NAME} INTERFACE
                          $<$<NOT:$<OR:${archive},${without}>>:warploom_${ARG_NAME}_fits>)
  endif()
  # What a fuzzing target has reached is seen in the toolkit's own code; tests need not tell.
  if(WARPLOOM_FUZZ)
    target_compile_options(warploom_${ARG_NAME} PRIVATE ${WARPLOOM_WATCHED})
  endif()

  # The judge is not linked to what the sanitizers look at: it brings half as many sources again.
  if(WARPLOOM_SANITIZE AND ARG_SANITIZED)
    list(REMOVE_ITEM ARG_TEST_PRIVATE warploom_judging)
  endif()
  set(tested warploom_${ARG_NAME} ${ARG_TEST_PRIVATE})
  if(WARPLOOM_SANITIZE MATCHES "thread")
    set(tests ${ARG_THREADED})
    list(TRANSFORM tests PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    if(ARG_THREADED_WITH)
      set(tested ${ARG_THREADED_WITH})
    endif()
  endif()
  if(WARPLOOM_TESTS AND tests)
    add_executable(warploom_${ARG_NAME}_tests ${tests})
    warploom_batches(warploom_${ARG_NAME}_tests SOURCES ${tests})
    target_link_libraries(warploom_${ARG_NAME}_tests PRIVATE ${tested} ${ARG_PRIVATE} rapidcheck rapidcheck_gtest
                          GTest::gtest_main)
    target_compile_definitions(warploom_${ARG_NAME}_tests PRIVATE
                               WARPLOOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_compile_options(warploom_${ARG_NAME}_tests PRIVATE ${WARPLOOM_COLD})
    if(WARPLOOM_SANITIZE)
      target_compile_options(warploom_${ARG_NAME}_tests PRIVATE -O0)
    endif()
    set(learning_tests ${ARG_LEARNING})
    list(FILTER learning_tests INCLUDE REGEX "_test\\.cpp$")
    set(sanitized "")
    if(ARG_SANITIZED)
      set(sanitized SANITIZED)
    endif()
    warploom_suites(warploom_${ARG_NAME}_tests PREFIX ${ARG_NAME} ${sanitized} LEARNING ${learning_tests} ${ARG_FITTING}
                    WHOLE_RUNS ${ARG_WHOLE_RUNS} THREADED ${ARG_THREADED} FILES ${tests})
  endif()
endfunction()
