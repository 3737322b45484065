// A sentence that is nowhere in the output is missed.
// refused: the output does not match.*a sentence that nobody prints
// expect first: use of undeclared identifier
// expect: a sentence that nobody prints
int value = nothing;
