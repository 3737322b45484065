// The source of the target whose precompiled headers the library's implementation units share.
