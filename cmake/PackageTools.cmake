# Read by cpack. Without dpkg-shlibdeps it would make a package that depends on nothing.
if(CPACK_GENERATOR STREQUAL DEB)
  find_program(SPBENCH_SHLIBDEPS dpkg-shlibdeps)
  find_program(SPBENCH_FILE file)
  if(NOT SPBENCH_SHLIBDEPS OR NOT SPBENCH_FILE)
    message(FATAL_ERROR "A DEB needs the packages dpkg-dev and file; scripts/install-deps installs them")
  endif()
endif()
