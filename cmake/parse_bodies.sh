#!/bin/sh
# Runs a compiler's command, but makes no code of an implementation unit: enough to see that it compiles. Interfaces are compiled as they
# are, for their modules are needed. What the command would have written is there, and empty.
source= object= previous=
for argument; do
  case $previous in
    -c) source=$argument ;;
    -o) object=$argument ;;
  esac
  previous=$argument
done
case $source in
  *.cpp) "$@" -fsyntax-only -Wno-unused-command-line-argument && : >"$object" ;;
  *) exec "$@" ;;
esac
