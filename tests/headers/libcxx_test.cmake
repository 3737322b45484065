# Compiles the tests of headers for a standard library that has <format> and <mdspan>: libc++, in C++23. Nothing is linked, as the library itself is
# built with libstdc++. Modules are compiled from their joined interfaces, as a user's build does.
#
# libcxx_test.cmake: -D PROJECT_DIR=... -D COMPILER=... -D WORK=...; skipped where there is no libc++.
set(flags -std=c++23 -stdlib=libc++ -fprebuilt-module-path=${WORK})
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/probe.cpp "#include <mdspan>\n#ifndef __cpp_lib_mdspan\n#error\n#endif\n")
execute_process(COMMAND ${COMPILER} ${flags} -fsyntax-only ${WORK}/probe.cpp RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 0)
  message("skipped: there is no libc++ with <mdspan>")
  return()
endif()

file(GLOB_RECURSE FILES ${PROJECT_DIR}/modules/*.cppm)
set(OUTPUT ${WORK})
include(${PROJECT_DIR}/cmake/JoinInterfaces.cmake)

function(run)
  execute_process(COMMAND ${COMPILER} ${flags} ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message("${output}")
    message(FATAL_ERROR "does not compile with libc++: ${ARGN}")
  endif()
endfunction()

# A module below those that it imports.
function(compile_module module)
  get_property(done GLOBAL PROPERTY compiled_${module})
  if(done)
    return()
  endif()
  set_property(GLOBAL PROPERTY compiled_${module} TRUE)
  file(STRINGS ${WORK}/${module}.cppm imports REGEX "^(export )?import [a-z.]+;$")
  foreach(import IN LISTS imports)
    string(REGEX REPLACE "^(export )?import |;$" "" import "${import}")
    compile_module(${import})
  endforeach()
  run(-w --precompile ${WORK}/${module}.cppm -o ${WORK}/${module}.pcm)
endfunction()

compile_module(tessera)
foreach(test IN ITEMS format_test mdspan_test)
  run(-Wall -Wextra -Wpedantic -Werror -Wno-c2y-extensions -I${PROJECT_DIR}/include -fsyntax-only ${PROJECT_DIR}/tests/headers/${test}.cpp)
endforeach()
