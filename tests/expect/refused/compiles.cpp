// A program without a mistake is not what it says.
// refused: compiles, and must not
// expect first: error
int value = 3;
