# warploom_check_headers()
#
# Makes the object library warploom_headers: one source per public header that includes that header alone,
# so a header that leans on its includer's headers does not compile. Test-only headers are left out.
function(warploom_check_headers)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/src"
       "${PROJECT_SOURCE_DIR}/src/warploom/*.h")
  list(FILTER headers EXCLUDE REGEX "_test\\.h$|/internal/|/collector/")
  set(sources "")
  foreach(header IN LISTS headers)
    string(REPLACE "/" "__" name "${header}")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n" @ONLY)
    list(APPEND sources "${source}")
  endforeach()
  add_library(warploom_headers OBJECT ${sources})
  target_link_libraries(warploom_headers PRIVATE warploom_options)
  # Only whether it compiles matters.
  target_compile_options(warploom_headers PRIVATE -O0 -g0)
endfunction()
