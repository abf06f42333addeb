# What cmake --install and cpack -G DEB bring beside the program and its data, which their folders install.
install(FILES ${PROJECT_BINARY_DIR}/spbench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/spbench.bash RENAME spbench
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The launcher is that of the library that ranks are linked with.
set(launcher mpich)
if(MPIEXEC_EXECUTABLE MATCHES "openmpi")
  set(launcher openmpi-bin)
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The spbench authors <authors@spbench.invalid>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${launcher}, gnuplot-nox | gnuplot, libhwloc-plugins")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/PackageTools.cmake)
include(CPack)
