# Flags of the whole project: warnings (of our own build only) and sanitizers (part of the ABI).
if(PROJECT_IS_TOP_LEVEL)
  add_compile_options(-Wall -Wextra -Wpedantic)

  # doctest and Google Benchmark name things by __COUNTER__, which newer clangs call an extension.
  add_compile_options("$<$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,20>:-Wno-c2y-extensions>")
endif()

if(TESSERA_SANITIZE)
  add_compile_options(-fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(TESSERA_NO_SANITIZE)
    add_compile_options(-fno-sanitize=${TESSERA_NO_SANITIZE})
  endif()
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
endif()
