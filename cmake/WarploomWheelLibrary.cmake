# A wheel holds the compiled part of the package and the program that judges, and both are the whole toolkit with its
# predictor. In a build for wheels (WARPLOOM_PORTABLE) what they have in common is linked once, as libwarploom-wheel.so
# beside them. It shows what their objects ask for and nothing else (cmake/wheel_symbols.py); its C++ library is the
# only one among them, under a version of its own, so that no other C++ library of a Python process meets it. What
# judges stays in its program: the library holds the files that hand judging on, and the program's take their place.
#
# warploom_wheel_library(folder): where the compiled part is built
function(warploom_wheel_library folder)
  set(users warploom_python warploom_judge_program)
  set(asking $<TARGET_OBJECTS:warploom_python> $<TARGET_OBJECTS:warploom_judge_program> $<TARGET_OBJECTS:warploom_judging>
             $<TARGET_OBJECTS:warploom_judge> $<TARGET_OBJECTS:warploom_baselines>)
  set(replaced "")
  foreach(module app answers cli)
    list(APPEND replaced $<FILTER:$<TARGET_OBJECTS:warploom_${module}>,INCLUDE,judging_elsewhere>)
  endforeach()

  set(symbols "${PROJECT_BINARY_DIR}/wheel_symbols")
  add_custom_command(OUTPUT "${symbols}.map" "${symbols}.rsp"
    COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/wheel_symbols.py" --nm "${CMAKE_NM}" --output "${symbols}"
            --replaced "${replaced}" --asking "${asking}"
    DEPENDS "${PROJECT_SOURCE_DIR}/cmake/wheel_symbols.py" ${asking} ${replaced}
    COMMENT "What a wheel's programs share" VERBATIM)
  add_custom_target(warploom_wheel_symbols DEPENDS "${symbols}.map" "${symbols}.rsp")

  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/wheel_library.cpp" CONTENT "// libwarploom-wheel.so is archives alone.\n")
  add_library(warploom_wheel SHARED "${PROJECT_BINARY_DIR}/wheel_library.cpp")
  target_link_libraries(warploom_wheel PRIVATE warploom_cli warploom_answers warploom_tuner)
  target_link_options(warploom_wheel PRIVATE "-Wl,--version-script,${symbols}.map" "@${symbols}.rsp" -Wl,--gc-sections
                      -Wl,--no-undefined)
  set_target_properties(warploom_wheel PROPERTIES OUTPUT_NAME warploom-wheel LIBRARY_OUTPUT_DIRECTORY "${folder}"
                        LINK_DEPENDS "${symbols}.map;${symbols}.rsp")
  add_dependencies(warploom_wheel warploom_wheel_symbols)
  install(TARGETS warploom_wheel LIBRARY DESTINATION warploom COMPONENT python EXCLUDE_FROM_ALL)

  # By its file, not as a target: the library follows from the objects of its users.
  set(library "${folder}/libwarploom-wheel.so")
  foreach(user IN LISTS users)
    target_link_options(${user} PRIVATE "${library}" -nodefaultlibs)
    target_link_libraries(${user} PRIVATE gcc_s gcc pthread dl m c)
    set_property(TARGET ${user} APPEND PROPERTY LINK_DEPENDS "${library}")
    set_target_properties(${user} PROPERTIES BUILD_RPATH "${folder}" INSTALL_RPATH "$ORIGIN")
  endforeach()
endfunction()
