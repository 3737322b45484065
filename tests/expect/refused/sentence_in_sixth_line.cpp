// A user's generic function moves the sentence down: the compiler says first from where it was called.
// refused: in its first 5 lines does not match.*the half of an integer is cut off
// expect: the half of an integer is cut off
// expect first: the half of an integer is cut off
void half(int) = delete;  // the half of an integer is cut off
template <class T>
void call(T value) {
  half(value);
}
void call_with_integer() { call(3); }
