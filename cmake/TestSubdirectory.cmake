# Checks that a project can have Tessera as a part: in each dialect it may choose, the files of both are compiled in the same one; and in a
# project that says nothing, its files can import modules. Only what they import is compiled.
set(work ${BUILD_DIR}/subdirectory)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message("${output}")  # as it is: a FATAL_ERROR would wrap its lines
    message(FATAL_ERROR "failed (${status}): ${command}")
  endif()
endfunction()

function(configure folder)
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR} -B ${work}/${folder} -D TESSERA_SOURCE=${PROJECT_DIR} -D TESSERA_CUDA=OFF
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -D CMAKE_EXPORT_COMPILE_COMMANDS=ON
    ${ARGN})
endfunction()

# expect_dialect(FLAG OPTION...)
function(expect_dialect flag)
  configure(dialect ${ARGN})
  file(READ ${work}/dialect/compile_commands.json commands)
  string(REGEX MATCHALL "-std=[a-z+0-9]+" dialects "${commands}")
  list(LENGTH dialects count)
  list(REMOVE_DUPLICATES dialects)
  if(count LESS 100 OR NOT dialects STREQUAL "-std=${flag}")
    message(FATAL_ERROR "with ${ARGN}, ${count} files are compiled with '${dialects}' instead of -std=${flag}")
  endif()
  file(REMOVE_RECURSE ${work}/dialect)
endfunction()

expect_dialect(gnu++20 -D MINIMUM=3.28)
expect_dialect(c++20 -D MINIMUM=3.28 -D CMAKE_CXX_EXTENSIONS=OFF)
expect_dialect(gnu++23 -D MINIMUM=3.28 -D CMAKE_CXX_STANDARD=23 -D FETCH=ON)

# From before CMake knew modules.
configure(old -D MINIMUM=3.20 -D FETCH=ON)
run(${CMAKE_COMMAND} --build ${work}/old --target through_library)
