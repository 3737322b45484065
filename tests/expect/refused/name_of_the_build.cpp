// Of what the build prints by itself, nothing is the compiler's.
// refused: in its first 5 lines does not match.*FAILED.Building
// expect first: FAILED|Building
int value = nothing;
