// Compiled for the headers that all tests share: tests/CMakeLists.txt.
int main() {}
