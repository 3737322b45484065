# Installs BUILD_DIR into a fresh prefix, then configures, builds and tests the project in SOURCE_DIR against that prefix.
set(work ${BUILD_DIR}/package)
file(REMOVE_RECURSE ${work})

# Runs a command; what it says is shown only if it fails.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message("${output}")  # as it is: a FATAL_ERROR would wrap its lines
    message(FATAL_ERROR "failed (${status}): ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR} -B ${work}/build
  -D CMAKE_PREFIX_PATH=${work}/prefix
  -D CMAKE_BUILD_TYPE=${CONFIG}
  -D CMAKE_CXX_COMPILER=${COMPILER}
  -D CMAKE_CXX_FLAGS=${FLAGS}
  -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM})
run(${CMAKE_COMMAND} --build ${work}/build)
if(output MATCHES "warning: [^\n]*")
  message("${output}")
  message(FATAL_ERROR "a user's build is not quiet")
endif()
run(${CMAKE_CTEST_COMMAND} --test-dir ${work}/build --output-on-failure --no-tests=error)

# In a project with a dialect and flags of its own the interfaces have those too.
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/dialect -B ${work}/dialect -D CMAKE_PREFIX_PATH=${work}/prefix
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -D CMAKE_EXPORT_COMPILE_COMMANDS=ON)
file(READ ${work}/dialect/compile_commands.json commands)
string(REGEX MATCHALL "\"command\": [^\n]*" files "${commands}")
list(LENGTH files count)
list(FILTER files EXCLUDE REGEX "-std=c[+][+]23 .*-fsanitize=undefined|-fsanitize=undefined .*-std=c[+][+]23 ")
if(count LESS 5 OR files)
  message(FATAL_ERROR "of ${count} files, these have another dialect or lack flags:\n${files}")
endif()
