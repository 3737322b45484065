# Builds TARGET in BUILD_DIR and passes if that fails with an output that matches every "// expect: <regex>" line of SOURCE.
# The regular expressions are CMake's (no \d, no {n}).
file(READ ${SOURCE} text)
if(NOT text MATCHES "// expect: [^\n]")
  message(FATAL_ERROR "${SOURCE} has no line '// expect: <regex>'")
endif()

execute_process(
  COMMAND ${CMAKE_COMMAND} --build ${BUILD_DIR} --target ${TARGET}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, and must not")
endif()

# Lines are taken off one by one instead of making a list: a list would choke on brackets and semicolons.
while(text MATCHES "// expect: ([^\n]+)(.*)")
  set(expected "${CMAKE_MATCH_1}")
  set(text "${CMAKE_MATCH_2}")
  if(NOT output MATCHES "${expected}")
    message("${output}")  # as it is: a FATAL_ERROR would wrap its lines
    message(FATAL_ERROR "this does not match\n  ${expected}")
  endif()
endwhile()
