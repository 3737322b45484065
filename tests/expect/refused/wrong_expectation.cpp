// Nor may one of several expectations be wrong.
// refused: in its first 5 lines does not match.*a sentence that nobody prints
// expect first: use of undeclared identifier
// expect first: a sentence that nobody prints
int value = nothing;
