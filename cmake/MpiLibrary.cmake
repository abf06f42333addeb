# Which MPI library: SPBENCH_MPI. Leaves MPI_C_COMPILER and MPIEXEC_EXECUTABLE for FindMPI.
#
# Debian installs several side by side, with their names as suffixes, and lets `mpicc` and `mpiexec` (two
# alternatives, which may disagree) mean Open MPI as soon as it is there. AUTO takes MPICH, the tested
# default, where the first mpicc in PATH is such a Debian one and MPICH stands beside it; else it leaves
# the choice to FindMPI, which takes that mpicc: on clusters, the one of the loaded module.
set(SPBENCH_MPI AUTO CACHE STRING "MPI library: AUTO, mpich or openmpi")
set_property(CACHE SPBENCH_MPI PROPERTY STRINGS AUTO mpich openmpi)

function(spb_find_mpi_library)
  find_program(first mpicc NO_CACHE)
  get_filename_component(beside "${first}" DIRECTORY)
  set(name ${SPBENCH_MPI})
  if(name STREQUAL AUTO)
    if(DEFINED MPI_C_COMPILER OR DEFINED MPI_HOME OR DEFINED ENV{MPI_HOME}
       OR NOT EXISTS "${beside}/mpicc.mpich")
      return()
    endif()
    set(name mpich)
  elseif(NOT name MATCHES "^(mpich|openmpi)$")
    message(FATAL_ERROR "SPBENCH_MPI=${name}: expected AUTO, mpich or openmpi")
  endif()
  find_program(compiler mpicc.${name} HINTS "${beside}" NO_CACHE)
  find_program(launcher NAMES mpiexec.${name} mpirun.${name} HINTS "${beside}" NO_CACHE)
  if(NOT compiler OR NOT launcher)
    message(FATAL_ERROR "SPBENCH_MPI=${name}: there is no mpicc.${name} or no mpiexec.${name}; Debian's "
            "packages have them. For another installation leave SPBENCH_MPI alone and give "
            "MPI_C_COMPILER and MPIEXEC_EXECUTABLE")
  endif()
  if(DEFINED CACHE{MPI_C_COMPILER} AND NOT "$CACHE{MPI_C_COMPILER}" STREQUAL "${compiler}")
    message(FATAL_ERROR "SPBENCH_MPI=${name}, but this build folder is configured for "
            "$CACHE{MPI_C_COMPILER}: use a folder of its own")
  endif()
  set(MPI_C_COMPILER ${compiler} CACHE FILEPATH "MPI compiler wrapper")
  set(MPIEXEC_EXECUTABLE ${launcher} CACHE FILEPATH "Starts MPI programs")
endfunction()

spb_find_mpi_library()
