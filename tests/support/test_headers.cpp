// Only there so that its precompiled headers can be used by every test (tests/CMakeLists.txt).
int main() { return 0; }
