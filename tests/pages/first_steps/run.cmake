# Runs PROGRAM and compares what it prints with the text in EXPECTED, which the page shows.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${EXPECTED} expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "the program prints\n${printed}\nand the page says that it prints\n${expected}")
endif()
