// What the compiler prints starts with a warning, too.
// expect first: (warning|error): unused variable 'unused'
// expect: error: use of undeclared identifier 'nothing'
#pragma clang diagnostic warning "-Wunused-variable"
void call() { int unused = 3; }
int value = nothing;
