# Flags of the whole project: warnings (its own affair, so never exported) and sanitizers (part of the ABI).
add_compile_options("$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic>")

# doctest and Google Benchmark name things by __COUNTER__, which newer clangs call an extension.
add_compile_options("$<BUILD_INTERFACE:$<$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,20>:-Wno-c2y-extensions>>")

if(TESSERA_SANITIZE)
  add_compile_options(-fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
endif()
