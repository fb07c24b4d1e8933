# warploom_module(NAME base [DEPENDS other modules] [PRIVATE private libraries])
#
# Makes the static library warploom_NAME from the *.cpp beside the caller (without *_test.cpp), with
# the modules of DEPENDS public and the libraries of PRIVATE hidden behind the module's headers, and
# the test program warploom_NAME_tests from *_test.cpp. tools/check_layers reads these DEPENDS lists.
function(warploom_module)
  cmake_parse_arguments(ARG "" "NAME" "DEPENDS;PRIVATE;TEST_PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  add_library(warploom_${ARG_NAME} STATIC ${sources})
  target_link_libraries(warploom_${ARG_NAME} PUBLIC warploom_options)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(warploom_${ARG_NAME} PUBLIC warploom_${dependency})
  endforeach()
  target_link_libraries(warploom_${ARG_NAME} PRIVATE ${ARG_PRIVATE})

  if(WARPLOOM_TESTS AND tests)
    add_executable(warploom_${ARG_NAME}_tests ${tests})
    target_link_libraries(warploom_${ARG_NAME}_tests PRIVATE warploom_${ARG_NAME} ${ARG_PRIVATE}
                          ${ARG_TEST_PRIVATE} rapidcheck rapidcheck_gtest GTest::gtest_main)
    target_compile_definitions(warploom_${ARG_NAME}_tests PRIVATE
                               WARPLOOM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    # Test bodies run once: a third of their compile time is better spent elsewhere.
    target_compile_options(warploom_${ARG_NAME}_tests PRIVATE $<$<CONFIG:Release>:-O1>)
    gtest_discover_tests(warploom_${ARG_NAME}_tests DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
  endif()
endfunction()
