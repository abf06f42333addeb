# Everything here comes from the distribution; scripts/install-deps has the package names.
include(${CMAKE_CURRENT_LIST_DIR}/MpiLibrary.cmake)
find_package(MPI 3.0 REQUIRED COMPONENTS C)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.0)
pkg_check_modules(LIBXML2 REQUIRED IMPORTED_TARGET libxml-2.0)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
if(SPBENCH_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()

# NVTX 3 is header-only: ranges appear in Nsight Systems and cost nothing without a profiler.
find_path(NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h
          HINTS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES include)
