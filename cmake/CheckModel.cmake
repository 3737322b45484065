# Searches all states of the Promela MODEL with Spin, compiled with the -D options DEFINES, in the folder WORK_DIR.
# Without EXPECT it passes if there is no error in any of them; with EXPECT, if an error is found that this regular expression
# matches: then the model is one that was broken on purpose.
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
list(TRANSFORM DEFINES PREPEND -D OUTPUT_VARIABLE options)
set(preprocessor "-P${COMPILER} -E -x c")

function(run output)
  execute_process(
    COMMAND ${ARGN} WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message("${text}")
    message(FATAL_ERROR "this failed: ${ARGN}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# -DSAFETY: no search for cycles. -DCOLLAPSE: states are stored compressed, and none is taken for another.
run(unused ${SPIN} ${preprocessor} ${options} -a ${MODEL})
run(unused ${COMPILER} -x c -w -O1 -DSAFETY -DCOLLAPSE -DNOCLAIM -o pan pan.c)
run(result ./pan -m10000)

if(result MATCHES "not completed|too small" AND NOT result MATCHES "errors: [1-9]")
  message("${result}")
  message(FATAL_ERROR "the search did not see all states")
endif()
string(REGEX MATCH "errors: ([0-9]+)" unused "${result}")
set(errors "${CMAKE_MATCH_1}")
string(REGEX MATCH "pan:1: [^\n]*" error "${result}")
string(REGEX MATCH "([0-9.e+]+) states, stored" states "${result}")

if(NOT "${EXPECT}" STREQUAL "")
  if(NOT errors STREQUAL "1" OR NOT error MATCHES "${EXPECT}")
    message("${result}")
    message(FATAL_ERROR "'${EXPECT}' was to be found, and was not: this test cannot fail where it should")
  endif()
  message("found as it should be: ${error}")
elseif(NOT errors STREQUAL "0")
  cmake_path(GET MODEL FILENAME name)
  run(trail ${SPIN} ${preprocessor} ${options} -t -k ${name}.trail -p -g ${MODEL})
  message("${trail}")
  message(FATAL_ERROR "${error}")
else()
  message("${states}, no error")
endif()
