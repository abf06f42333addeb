# spb_library(base FOLDERS . text ... DEPS target ...)  ->  static library spb_base, of all sources in these folders
# spb_test(name SOURCES a.c ... DEPS target ... [RANKS 1 2 ...])  ->  ctest entries, one per rank count

set(SPB_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
    -Wvla -Wformat=2 -Wundef
    -Wno-missing-field-initializers) # what is left out is zero
if(SPBENCH_WERROR)
  list(APPEND SPB_WARNINGS -Werror)
endif()

set(SPB_SANITIZERS)
if(SPBENCH_SANITIZE)
  set(SPB_SANITIZERS -fsanitize=address,undefined -fno-sanitize-recover=undefined
      -fno-omit-frame-pointer)
endif()

# Of tests that start ranks. MPI's own hwloc loads libpciaccess, which leaks its list of devices and is
# unloaded before LeakSanitizer could name it in a suppression; without PCI there is nothing to leak.
set(SPB_RANKS_ENVIRONMENT "OMP_NUM_THREADS=1")
if(SPBENCH_SANITIZE)
  list(APPEND SPB_RANKS_ENVIRONMENT "HWLOC_COMPONENTS=-pci")
endif()

# Of tests that call mpiexec themselves, on this host: UCX fails to start where a network device goes away
# while it opens all of them, as devices of other jobs do. Open MPI starts no more ranks than there are cores, binds them, and
# refuses root, unless it is told otherwise; others do not know these. (Ranks of spbench get them from it.)
set(SPB_MPIEXEC_ENVIRONMENT ${SPB_RANKS_ENVIRONMENT} UCX_NET_DEVICES=lo OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
    PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1)

function(spb_configure target)
  target_compile_options(${target} PRIVATE ${SPB_WARNINGS} ${SPB_SANITIZERS})
  target_link_options(${target} PRIVATE ${SPB_SANITIZERS})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

# Every file of a folder belongs to its library, so that a new one needs no mention.
function(spb_library name)
  cmake_parse_arguments(arg "" "" "FOLDERS;WITHOUT;DEPS" ${ARGN})
  set(sources)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
         ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.c)
    list(APPEND sources ${found})
  endforeach()
  list(REMOVE_ITEM sources ${arg_WITHOUT} "")
  add_library(spb_${name} STATIC ${sources})
  spb_configure(spb_${name})
  target_link_libraries(spb_${name} PUBLIC ${arg_DEPS})
endfunction()

function(spb_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;RANKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  spb_configure(${name})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} PkgConfig::CMOCKA)
  target_compile_definitions(${name} PRIVATE TEST_DATA_DIR="${CMAKE_CURRENT_SOURCE_DIR}/data")
  if(NOT arg_RANKS)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
    return()
  endif()
  target_link_libraries(${name} PRIVATE MPI::MPI_C)
  foreach(n IN LISTS arg_RANKS)
    add_test(NAME ${name}.${n} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n}
             ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}.${n} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 PROCESSORS 2
                         ENVIRONMENT "${SPB_MPIEXEC_ENVIRONMENT}" LABELS ranks)
  endforeach()
endfunction()
