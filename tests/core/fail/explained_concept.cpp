// The sentence of a concept that is not satisfied appears in what the compiler says.
// expect first: the type has more than two bytes
import tessera;

template <class T>
concept Small = sizeof(T) <= 2 || tessera::unsatisfied<"the type has more than two bytes">;

Small auto narrow = short{1};
Small auto wide = 1.0;
