# Compiler settings shared by every target, carried by the interface target warploom_options.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(WARPLOOM_CCACHE ccache)
if(WARPLOOM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WARPLOOM_CCACHE})
endif()

add_library(warploom_options INTERFACE)
target_compile_features(warploom_options INTERFACE cxx_std_20)
target_include_directories(warploom_options INTERFACE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/lists")
# Designated initialisers leave members at their defaults on purpose; g++ 12 would warn of each one.
target_compile_options(warploom_options INTERFACE -Wall -Wextra -Wconversion -Wshadow
                       -Wno-missing-field-initializers -ffp-contract=off)
# Code that may lie in a shared library is compiled so that another library might replace each of its functions, and
# g++ inlines none then that is not declared so. None of ours is replaced.
target_compile_options(warploom_options INTERFACE -fno-semantic-interposition)
# From g++ 13 on a reference into a container counts as dangling when a name is passed beside it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(warploom_options INTERFACE -Wno-dangling-reference)
endif()
if(WARPLOOM_WERROR)
  target_compile_options(warploom_options INTERFACE -Werror)
endif()
if(WARPLOOM_SANITIZE)
  target_compile_options(warploom_options INTERFACE -fsanitize=${WARPLOOM_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  # Compilers name their sanitizers differently. Tests with random inputs take fewer of them then.
  target_compile_definitions(warploom_options INTERFACE WARPLOOM_SANITIZED)
  target_link_options(warploom_options INTERFACE -fsanitize=${WARPLOOM_SANITIZE})
endif()
# What users run (the preset release, wheels) is built so: a fault that is left ends the program where it happens.
# What it costs: docs/reliability.md. Sanitizers look closer, and fortified calls hide faults from them.
option(WARPLOOM_HARDENED "Fortified calls, guarded stacks and branches, checked containers" OFF)
if(WARPLOOM_HARDENED AND WARPLOOM_SANITIZE)
  message(FATAL_ERROR "WARPLOOM_HARDENED and WARPLOOM_SANITIZE exclude each other")
endif()
if(WARPLOOM_HARDENED)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-fcf-protection WARPLOOM_HAS_CF_PROTECTION)  # x86 alone
  target_compile_definitions(warploom_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_compile_options(warploom_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
                         -fstack-clash-protection $<$<BOOL:${WARPLOOM_HAS_CF_PROTECTION}>:-fcf-protection>)
  target_link_options(warploom_options INTERFACE $<$<LINK_LANGUAGE:C,CXX>:-Wl,-z,relro,-z,now,-z,noexecstack>)
endif()
# g++ collects its garbage at 128 MB, which a batch passes again and again: a tenth of its time and more. Where a core has
# the memory it begins later; what is compiled is the same to the byte.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
math(EXPR megabytes_each "${megabytes} / ${cores}")
foreach(memory_and_heap "2000;300000" "6000;1200000")
  list(GET memory_and_heap 0 memory)
  list(GET memory_and_heap 1 heap)
  if(megabytes_each GREATER_EQUAL memory)
    set(heap_option $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=${heap}>)
  endif()
endforeach()
target_compile_options(warploom_options INTERFACE ${heap_option})
# The quicker linker where it is there: every test program links the whole toolkit with its data.
find_program(WARPLOOM_MOLD mold)
if(WARPLOOM_MOLD AND (CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1))
  target_link_options(warploom_options INTERFACE $<$<LINK_LANGUAGE:C,CXX>:-fuse-ld=mold>)
endif()
set_target_properties(warploom_options PROPERTIES INTERFACE_POSITION_INDEPENDENT_CODE ON)

# What runs once a request (texts, JSON, options), and the bodies of tests, are compiled for a quick build; in a wheel
# for its size. g++ compiles a batch at -Og in 0.7 of its time at -O1 (docs/decisions/0187), clang takes as long; what is
# called once is inlined all the same, which leaves a third less to generate (0189).
set(WARPLOOM_COLD $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(WARPLOOM_COLD $<$<CONFIG:Release>:-Og> $<$<CONFIG:Release>:-finline-functions-called-once>)
endif()
# clang's sanitizers take nearly twice as long over code that is optimised; g++'s do not.
if(WARPLOOM_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND WARPLOOM_COLD -O0)
endif()
# What libFuzzer sees of the code that it runs. -fsanitize=fuzzer-no-link watches indirect calls, depths of the stack
# and every edge too, for an eighth of a batch's compile time.
set(WARPLOOM_WATCHED
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-coverage=bb,inline-8bit-counters,pc-table,trace-cmp>)
