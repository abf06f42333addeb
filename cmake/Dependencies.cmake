# Everything here comes from the distribution; scripts/install-deps has the package names.
include(${CMAKE_CURRENT_LIST_DIR}/MpiLibrary.cmake)
find_package(MPI 3.0 COMPONENTS C)
find_package(OpenMP COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC IMPORTED_TARGET hwloc>=2.0)
pkg_check_modules(LIBXML2 IMPORTED_TARGET libxml-2.0)
pkg_check_modules(JANSSON IMPORTED_TARGET jansson)
pkg_check_modules(OPENBLAS IMPORTED_TARGET openblas)

# All that is missing in one message.
set(missing)
foreach(package MPI_C OpenMP_C HWLOC LIBXML2 JANSSON OPENBLAS)
  if(NOT ${package}_FOUND)
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "Not found: ${missing}. scripts/install-deps installs what spbench needs (Debian, Ubuntu)")
endif()

# What the tests need.
if(SPBENCH_TESTS STREQUAL AUTO)
  pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
elseif(SPBENCH_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
else()
  unset(CMOCKA_FOUND CACHE) # by an earlier run
endif()
if(NOT CMOCKA_FOUND)
  message(STATUS "Tests are not built (SPBENCH_TESTS=${SPBENCH_TESTS}; scripts/install-deps --tests installs what they need)")
endif()

# NVTX 3 is header-only: ranges appear in Nsight Systems and cost nothing without a profiler.
find_path(NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h
          HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include)
