# Checks what users are told who cannot use Tessera: one sentence that names what was found and the options to use.
set(work ${BUILD_DIR}/refusals)
file(REMOVE_RECURSE ${work})

# Configures a project with OPTIONS, which must fail and say the sentence, with line breaks wherever CMake puts them.
function(expect_refusal source sentence)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${work}/refused -D CMAKE_PREFIX_PATH=${PREFIX} ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  file(REMOVE_RECURSE ${work}/refused)
  string(REGEX REPLACE "[ \n]+" " " words "${output}")
  if(status EQUAL 0 OR NOT words MATCHES "${sentence}")
    message("${output}")
    message(FATAL_ERROR "configuring ${source} with ${ARGN} should fail with\n  ${sentence}")
  endif()
  string(REGEX MATCHALL "Tessera consists of" said "${words}")
  list(LENGTH said times)
  if(NOT times EQUAL 1)
    message(FATAL_ERROR "this is said ${times} times, not once:\n  ${sentence}")
  endif()
endfunction()

# What a machine need not have to be tested for: the project says that it has it.
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/refused -B ${work}/pretended -D CMAKE_PREFIX_PATH=${PREFIX}
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message("${output}")
  message(FATAL_ERROR "a sentence is not as it should be")
endif()

find_program(gcc g++)
if(gcc)
  set(sentence "need clang 19 or newer, not GNU [0-9.]+ [(][^ ]*g[+][+][)]: configure an empty build folder with -D CMAKE_CXX_COMPILER=clang[+][+]-22")
  foreach(source ${SOURCE_DIR} ${PROJECT_DIR})
    expect_refusal(${source} "${sentence}" -G Ninja -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -D CMAKE_CXX_COMPILER=${gcc})
  endforeach()
endif()

find_program(make make)
if(make)
  expect_refusal(${SOURCE_DIR} "need Ninja, not Unix Makefiles: configure an empty build folder with -G Ninja"
    -G "Unix Makefiles" -D CMAKE_CXX_COMPILER=${COMPILER})
endif()
