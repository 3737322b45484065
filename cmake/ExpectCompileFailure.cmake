# Compiles SOURCE with the command of the source LIKE in BUILD_DIR and passes if that fails with an output that matches every
# "// expect: <regex>" line of SOURCE, and whose first five lines match every "// expect first: <regex>" line: what a user reads without
# scrolling.
# The regular expressions are CMake's (no \d, no {n}).
set(first_count 5)

file(READ ${SOURCE} text)
if(NOT text MATCHES "// expect( first)?: [^\n]")
  message(FATAL_ERROR "${SOURCE} has no line '// expect: <regex>' or '// expect first: <regex>'")
endif()

# "command": "clang++ ... @LIKE.o.modmap -o LIKE.o -c LIKE", as a JSON string.
string(REPLACE "." "\\." like "${LIKE}")
file(STRINGS ${BUILD_DIR}/compile_commands.json command REGEX "\"command\": .* -c [^ ]*/${like}\"")
if(NOT command MATCHES "\"command\": \"(.*) -o [^ ]+ -c ([^ ]+)\"")
  message(FATAL_ERROR "${BUILD_DIR}/compile_commands.json has no command for ${LIKE}")
endif()
string(REPLACE "\\\"" "\"" command "${CMAKE_MATCH_1}")
separate_arguments(command UNIX_COMMAND "${command}")
execute_process(
  COMMAND ${command} -fsyntax-only ${SOURCE}
  WORKING_DIRECTORY ${BUILD_DIR}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, and must not")
endif()

# Lines are taken off one by one instead of making a list: a list would choke on brackets and semicolons.
# Sets `result` to the first lines that the compiler printed. What the build says before them ("[1/2] Building", "FAILED:", the command)
# is none of a diagnostic's first line: "file:line:column: error: ..." or where the file was included or imported from.
function(first_lines_of_compiler output result)
  set(lines "")
  set(count 0)
  while(count LESS first_count AND output MATCHES "^([^\n]*)\n?(.*)$")
    set(line "${CMAKE_MATCH_1}")
    set(output "${CMAKE_MATCH_2}")
    if(line STREQUAL "" AND output STREQUAL "")
      break()
    endif()
    if(count EQUAL 0 AND NOT line MATCHES "^(In file included from |In module |[^ ]+:[0-9]+:[0-9]+: (fatal error|error|warning): )")
      continue()
    endif()
    string(APPEND lines "${line}\n")
    math(EXPR count "${count} + 1")
  endwhile()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Fails unless `printed` matches every line of the source that starts with `marker`.
function(check_expectations marker printed what)
  while(text MATCHES "// ${marker}: ([^\n]+)(.*)")
    set(expected "${CMAKE_MATCH_1}")
    set(text "${CMAKE_MATCH_2}")
    if(NOT printed MATCHES "${expected}")
      message("${output}")  # as it is: a FATAL_ERROR would wrap its lines
      message(FATAL_ERROR "${what} does not match\n  ${expected}")
    endif()
  endwhile()
endfunction()

first_lines_of_compiler("${output}" first_lines)
check_expectations("expect" "${output}" "the output")
check_expectations("expect first" "${first_lines}" "what the compiler prints in its first ${first_count} lines")
