// A program that says nothing of what it expects would pass for any mistake.
// refused: has no line
int value = nothing;
