# warploom_check_headers()
#
# Makes the target warploom_headers, which shows that every public header compiles alone, so that none leans on its
# includer's headers. A header that is the first include of some source is shown to by that source where each is
# compiled by itself; in a build of batches, which read headers in their own order, every header gets a source.
# Test-only headers are left out. That is two minutes of two cores: tools/nightly builds it, and before a change
# lands tools/tidy looks at every header that the change touches.
function(warploom_check_headers)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/warploom/*.cpp")
  set(included_first "")
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" first LIMIT_COUNT 1 REGEX "^#include")
    list(APPEND included_first "${first}")
  endforeach()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src"
       "${PROJECT_SOURCE_DIR}/src/warploom/*.h")
  list(FILTER headers EXCLUDE REGEX "_test\\.h$|/internal/|/collector/")
  set(checks "")
  foreach(header IN LISTS headers)
    if(NOT WARPLOOM_BATCHES AND "#include \"${header}\"" IN_LIST included_first)
      continue()
    endif()
    string(REPLACE "/" "__" name "${header}")
    set(check "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
    file(CONFIGURE OUTPUT "${check}" CONTENT "#include \"${header}\"\n" @ONLY)
    list(APPEND checks "${check}")
  endforeach()
  add_library(warploom_headers OBJECT EXCLUDE_FROM_ALL ${checks})
  target_link_libraries(warploom_headers PRIVATE warploom_options)
  # Only whether it compiles matters.
  target_compile_options(warploom_headers PRIVATE -O0 -g0)
endfunction()
