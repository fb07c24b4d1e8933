# cmake -DSOURCE=... -DOUTPUT=... -P WarploomCommit.cmake: writes a header with the commit that SOURCE is a
# checkout of.
# It is written only where the text changes, so that nothing is compiled anew without need.
set(commit "")
find_package(Git QUIET)
if(GIT_FOUND)
  set(git "${GIT_EXECUTABLE}" -C "${SOURCE}" -c core.fsmonitor=false)
  execute_process(COMMAND ${git} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # A folder inside another project's checkout is none of its own.
  if(top STREQUAL SOURCE)
    execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${git} diff --quiet HEAD -- RESULT_VARIABLE changed OUTPUT_QUIET ERROR_QUIET)
    if(commit AND NOT changed EQUAL 0)
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#define WARPLOOM_COMMIT \"${commit}\"\n" @ONLY)
