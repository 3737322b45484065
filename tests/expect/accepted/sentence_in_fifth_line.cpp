// The line that declares a deleted function is the fifth that clang prints: its comment is read at once.
// expect first: error: call to deleted function 'half'
// expect first: the half of an integer is cut off: write half
// expect: half\(static_cast<double>\(x\)\)
void half(int) = delete;  // the half of an integer is cut off: write half(static_cast<double>(x))
void call() { half(3); }
