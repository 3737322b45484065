// int32 and float32 have no common type under the array API's rules.
// expect first: because .Promotable<int, float>. evaluated to false
import tessera;

tessera::promote_t<float, double> fine = 1.0;
tessera::promote_t<int, float> none = 1;
