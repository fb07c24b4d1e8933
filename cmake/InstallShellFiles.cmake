# At installation: the manual page and the completion of shells, as the installed program writes them.
get_filename_component(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
foreach(line "share/man/man1/warploom.1;man" "share/bash-completion/completions/warploom;completion;bash"
             "share/zsh/site-functions/_warploom;completion;zsh" "share/fish/vendor_completions.d/warploom.fish;completion;fish")
  list(POP_FRONT line file)
  get_filename_component(folder "${prefix}/${file}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  message(STATUS "Installing: ${prefix}/${file}")
  execute_process(COMMAND "${prefix}/bin/warploom" ${line} OUTPUT_FILE "${prefix}/${file}" COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${CMAKE_INSTALL_PREFIX}/${file}")
endforeach()
