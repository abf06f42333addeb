# Run at every build: writes OUTPUT with the revision that SOURCE_DIR has checked out, only if it changed.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --abbrev=12 --dirty --exclude=*
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision "")
endif()
set(text "#define SPBENCH_GIT_REVISION \"${revision}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
